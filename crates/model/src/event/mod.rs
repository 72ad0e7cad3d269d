//! What happened in a run: the only truth there is.
//!
//! Events are past tense, self-contained and recorded permanently. Their JSON form is
//! `{"v":1,"at":"…","event":{"task_failed":{…}}}`; logs of every released version stay readable, so a
//! change of meaning takes a new variant or a new version, never an edit.

mod body;
mod causes;
pub mod old_logs;
mod records;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::EventBody;
pub use causes::{
    Account, AfterStop, ConfidenceCause, ConflictResolution, FallbackKind, Payee, RepairKind, StopReason,
};
pub use records::{OutcomeRecord, RevisionStep, ScheduledRetry};

use crate::{Timestamp, ValidationError, from_json};

/// The version of the event format that this build writes, and the newest that it reads.
pub const FORMAT_VERSION: u16 = 1;

/// The place of an event in its run's log, counted from 1.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Position {
    /// Before the first event.
    pub const START: Self = Self(0);

    /// The place `events` further on.
    #[must_use]
    pub const fn plus(self, events: u64) -> Self {
        Self(self.0.saturating_add(events))
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, formatter)
    }
}

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Position in the log of its run.
    pub position: Position,
    /// Event at that position.
    pub event: Event,
}

/// Something that happened at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The version of the format it was written in.
    #[serde(rename = "v", deserialize_with = "known_version")]
    pub version: u16,
    /// When it happened, by the clock of the driver.
    pub at: Timestamp,
    /// What happened, without time and place.
    #[serde(rename = "event")]
    pub body: EventBody,
}

/// Refuses a newer version before its unknown body is read.
fn known_version<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    match u16::deserialize(deserializer)? {
        version @ 1..=FORMAT_VERSION => Ok(version),
        other => Err(serde::de::Error::custom(format!("format version {other} is not known"))),
    }
}

/// Why an event's text could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// It was written by a newer program.
    #[error(
        "the event has format version {found}, this program reads up to {FORMAT_VERSION}: use a newer Candor"
    )]
    Newer {
        /// The version it has.
        found: u64,
    },
    /// It is not an event.
    #[error("not a valid event: {0}")]
    Malformed(#[from] ValidationError),
}

impl Event {
    /// Something that happens now, in the current format.
    #[must_use]
    pub const fn new(at: Timestamp, body: EventBody) -> Self {
        Self { version: FORMAT_VERSION, at, body }
    }

    /// Reads an event; a newer format is told apart from damage.
    pub fn from_json(text: &str) -> Result<Self, EventError> {
        // The common case takes one pass; why it failed is only asked for afterwards.
        if let Ok(event) = serde_json::from_str(text) {
            return Ok(event);
        }
        #[derive(Deserialize)]
        struct Head {
            v: u64,
        }
        match serde_json::from_str::<Head>(text) {
            Ok(Head { v }) if v > u64::from(FORMAT_VERSION) => Err(EventError::Newer { found: v }),
            _ => from_json(text).map_err(EventError::Malformed),
        }
    }

    /// The event as one line of JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

impl EventBody {
    /// Whether this is the end of a run.
    #[must_use]
    pub const fn is_end(&self) -> bool {
        matches!(
            self,
            Self::RunCompleted { .. }
                | Self::RunFailed { .. }
                | Self::RunAborted { .. }
                | Self::RunCancelled { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_reads_back_equal() {
        let event = Event::new(Timestamp::EPOCH, EventBody::RunResumed {});
        let text = event.to_json().unwrap();
        assert_eq!(text, r#"{"v":1,"at":"1970-01-01T00:00:00Z","event":{"run_resumed":{}}}"#);
        assert_eq!(Event::from_json(&text).unwrap(), event);
    }

    #[test]
    fn a_newer_event_is_told_apart_from_a_damaged_one() {
        let newer = r#"{"v":9,"at":"1970-01-01T00:00:00Z","event":{"run_evolved":{}}}"#;
        assert_eq!(Event::from_json(newer), Err(EventError::Newer { found: 9 }));
        let cut = r#"{"v":1,"at":"1970-01-01T00:00:00Z","event":{"run_res"#;
        assert!(matches!(Event::from_json(cut), Err(EventError::Malformed(_))));
        let zero = r#"{"v":0,"at":"1970-01-01T00:00:00Z","event":{"run_resumed":{}}}"#;
        let Err(EventError::Malformed(error)) = Event::from_json(zero) else { panic!("version 0 was read") };
        assert_eq!(error.field, "v");
    }

    #[test]
    fn an_unknown_field_in_an_event_is_named() {
        let text = r#"{"v":1,"at":"1970-01-01T00:00:00Z","event":{"run_paused":{"reason":"r","why":1}}}"#;
        let Err(EventError::Malformed(error)) = Event::from_json(text) else { panic!("it was read") };
        assert!(error.to_string().contains("why"), "{error}");
    }
}
