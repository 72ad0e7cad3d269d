//! What people think of runs: a number from 1 to 5 on a stream of the installation, and a score of the run's trace.

use candor_model::{RunId, Timestamp};
use candor_ports::{Stream, StreamNote};
use candor_projections::trace::Score;
use candor_text::both;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::Log;
use crate::error::AppError;

/// The best that a run can be rated; 1 is the worst.
const BEST: u8 = 5;

/// What somebody thinks of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Feedback {
    /// From 1 to 5.
    pub rating: u8,
    /// What they say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The user, or the name of the token.
    pub by: String,
    /// Moment at which it was given.
    pub at: Timestamp,
}

impl Feedback {
    /// The rating as a score from 0 to 1.
    #[must_use]
    pub fn score(&self) -> Score {
        let value = f64::from(self.rating.saturating_sub(1)) / f64::from(BEST - 1);
        Score { name: "user_satisfaction", value, comment: recorded!("Rated by a person") }
    }
}

/// Puts on record what somebody thinks of a run. Who says something else later has changed their mind.
pub async fn record(log: &Log, run: &RunId, feedback: &Feedback) -> Result<(), AppError> {
    if !(1..=BEST).contains(&feedback.rating) {
        return Err(AppError::usage(both!(
            "a rating is a number from 1 to 5",
            "una valoración es un número del 1 al 5"
        )));
    }
    let body = serde_json::to_value(feedback).map_err(AppError::failed)?;
    let (at, key) = (feedback.at, run.to_string());
    let note = StreamNote { stream: Stream::Feedback, at, run: Some(run.clone()), key, body };
    Ok(log.append_note(note).await?)
}

/// What was said of a run last.
pub async fn latest(log: &Log, run: &RunId) -> Result<Option<Feedback>, AppError> {
    let notes = log.notes(Stream::Feedback, Timestamp::EPOCH).await?;
    let last = notes.into_iter().rev().find(|note| note.key == run.as_str());
    Ok(last.and_then(|note| serde_json::from_value(note.body).ok()))
}
