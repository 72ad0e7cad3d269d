//! The eight rooms that a run goes through. Each takes what the rooms before it left and leaves its own.
//!
//! Every step has two voices: rules, templates and words, and a model where there is one. What a step guesses
//! it says to be guessed. Nothing here touches the world: a room that needs a model's word stops and says what
//! it asks, and is visited again when the answer is on the log. Packs and agents are handed in.

pub mod brief;
mod consult;
mod critique;
pub mod decompose;
mod desk;
pub mod evaluate;
pub mod goal;
pub mod guard;
pub mod lexical;
pub mod pack;
pub mod plan_cache;
pub mod plan_file;
mod rooms;
pub mod router;
mod rulebook;
pub mod slots;
pub mod split;
pub mod talk;

pub use consult::{Answers, Meaning, Pause, Unknown};
pub use desk::Desk;
pub use pack::Pack;
pub use rooms::{Alternative, Rooms, define_goal, skippable};
pub use rulebook::Rulebook;
