//! The tool agent's loop, without any I/O: what it has heard, what it wants next.
//!
//! A [`Mission`] is one task in the hands of a tool agent: its list of steps, its history, and what is under way.
//! It is a fold over the [`AgentNote`](candor_model::AgentNote)s on the run's log. [`Mission::apply`] is the only
//! way in which it changes and cannot fail; [`Mission::wants`] says what is wanted next; [`Mission::hear`] turns
//! what came of it into notes. Whoever drives it makes a note durable, applies it, and asks again. Every beginning
//! of the notes is a state from which the mission can go on.
//!
//! There is no clock, no randomness and no I/O here: time comes in with the question.

pub mod list;
mod metrics;
mod mission;
mod plan;
mod question;
mod references;
pub mod rules;
mod settings;
mod strategy;
mod words;

pub use metrics::{Metrics, StrategyMetrics, metrics};
pub use mission::{Ending, Heard, Limit, Message, Mission, Wanted};
pub use references::{fill, follow_up};
pub use settings::{Approve, MissionSettings};
pub use strategy::{MIN_CONFIDENCE, NO_STRATEGY, REPLAN_LIMIT_MS};
pub use words::{redact, shorten};
