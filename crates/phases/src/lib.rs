//! The eight rooms that a run goes through. Each takes what the rooms before it left and leaves its own.
//!
//! Every step here is a heuristic: rules, templates and words, no model. What a step guesses it says to be
//! guessed. Nothing here touches the world; packs and agents are handed in.

mod desk;
pub mod goal;
pub mod lexical;
pub mod pack;
pub mod plan_cache;
pub mod plan_file;
mod rooms;
pub mod slots;
pub mod split;

pub use desk::Desk;
pub use pack::Pack;
pub use rooms::{Alternative, Rooms, define_goal};
