//! What a person says to a plan that they were shown: questions about it, and changes in words.
//!
//! Without a model, changes are understood when they are said plainly, in English or in Spanish: a verb, a task
//! and what is to become of it. They are made all or none, and what is not understood is told, never guessed.

mod answer;
mod apply;
mod cursor;
mod edit;
mod parse;
mod phrases;
mod reference;
mod whole;
mod words;

pub use self::answer::{Shown, answer};
pub use self::apply::{Changed, apply};
pub use self::edit::Edit;
pub use self::parse::{NotUnderstood, parse};
