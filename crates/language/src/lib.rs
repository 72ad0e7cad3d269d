//! Rule-based reading of English and Spanish requests.
//!
//! [`goal`] reads who, where, when and for how much; [`split`] cuts a request into steps; [`success`] says when it is
//! fulfilled; [`evaluate`] judges how well it says what is wanted; [`guard`] finds orders to models and secrets in it; [`trust`] hears approval and objection. All of it is words, tables and sums: no model, no clock, no I/O; the present comes
//! in with the text. Nothing is invented: what was not said is absent, what was guessed is marked as a guess.

pub mod evaluate;
pub mod goal;
pub mod guard;
pub mod split;
pub mod success;
pub mod trust;
