//! A run as a state machine, without I/O.
//!
//! The engine takes the state of a run, one [`Input`] and the time, and answers with events:
//!
//! ```text
//! decide(&RunState, Input, now) -> Result<Vec<Event>, Refusal>     pure; a refusal changes nothing
//! RunState::apply(&mut self, &Event)                                the only way state changes
//! RunState::effects(&self) -> impl Iterator<Item = Effect>          what is asked for and not yet answered
//! ```
//!
//! A driver appends the events durably, applies them, and performs the effects that are new; their
//! outcomes come back as inputs. After a crash it folds the log ([`RunState::fold`]) and performs what is
//! still asked for. The engine has no clock, makes no random choice and walks no hash map, so the same
//! log always leads to the same state and the same decisions.

mod decide;
mod effects;
mod fold;
mod input;
mod refusal;
mod state;

pub use candor_planning::phase::{DecisionNote, PhaseReport, PhaseResult};
pub use decide::{decide, decide_ahead};
pub use fold::FoldError;
pub use input::Input;
pub use refusal::Refusal;
pub use state::{Checkpoint, PromptEntry, RunState, ShownPlan, Stage};

/// Keeps the example in the book working.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
struct Embedding;
