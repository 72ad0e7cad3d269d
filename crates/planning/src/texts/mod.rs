//! What people are told, in plain words.
//!
//! Owns every message that a person reads: failures, recoveries, explanations, announcements. Sentences
//! stand in one catalogue per language (`english`) and nowhere else. It refuses technical jargon: what an
//! agent reports is reworded before it is shown, and the details stay in the log.

pub(crate) mod english;
mod measured;
mod notices;
mod plain;

pub use measured::{basis, measured, measured_cost, measured_tokens, side_by_side, time_span};
pub use notices::{
    Response, abort_announcement, failure_notification, low_confidence_warning, model_revision_notification,
    out_of_resources, partial_success_announcement, recovery_notification, waiting_for,
};
pub(crate) use plain::shortened;
pub use plain::{agent_name, agents_suggestion, cause, plain, short_cause, task_name};
