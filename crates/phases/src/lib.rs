//! The eight phases that a run goes through. Each takes what the phases before it left and leaves its own.
//!
//! Every step has two voices: rules, templates and words, and a model where there is one. What a step guesses
//! it says to be guessed. Nothing here touches the world: a phase that needs a model's word stops and says what
//! it asks, and is visited again when the answer is on the log. Packs and agents are handed in.

pub mod brief;
mod consult;
mod critique;
pub mod decompose;
pub mod lexical;
pub mod pack;
mod phase;
mod phase_context;
pub mod plan_cache;
pub mod plan_file;
pub mod router;
mod rulebook;
pub mod talk;

pub use consult::{Answers, Incomplete, Meaning};
pub use pack::Pack;
pub use phase::{Phases, define_goal, examine, skippable};
pub use phase_context::PhaseContext;
pub use rulebook::{PlanningQuestion, Rulebook};
