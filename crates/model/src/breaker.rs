//! Circuit breakers as data: whether calls to someone who keeps failing are held back for a while.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Seconds, Timestamp};

text_enum!(
    /// What a breaker lets through.
    #[derive(Default)]
    BreakerState {
        /// All calls pass.
        #[default]
        Closed = "CLOSED",
        /// Nothing, for a while.
        Open = "OPEN",
        /// One call at a time, to see whether it works again.
        HalfOpen = "HALF_OPEN",
    }
);

/// The breaker of an agent or a model. It belongs to the installation: it outlives runs and restarts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Breaker {
    /// Whose it is: an agent's name, or `model:` and a model's.
    pub agent_id: String,
    /// What it lets through.
    pub state: BreakerState,
    /// Failures in a row.
    pub failure_count: u32,
    /// After how many of them it opens.
    pub failure_threshold: u32,
    /// How long it stays open after the last failure.
    pub reset_timeout: Seconds,
    /// When the last failure was.
    #[serde(default)]
    pub last_failure: Option<Timestamp>,
    /// Why it failed last.
    #[serde(default)]
    pub last_reason: String,
    /// Whether the threshold follows the success rate.
    pub adaptive_threshold: bool,
    /// The latest calls, the newest last: whether each succeeded.
    #[serde(default)]
    pub window: Vec<bool>,
    /// When the call began that finds out whether it works again.
    #[serde(default)]
    pub probing_since: Option<Timestamp>,
}

/// Limits that decide when breakers open and how long they stay so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BreakerSettings {
    /// After how many failures in a row one opens.
    pub failure_threshold: u32,
    /// How long it stays open after the last failure.
    pub reset_timeout: Seconds,
    /// Whether the threshold follows the success rate.
    pub adaptive_threshold: bool,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failure_threshold: 3, reset_timeout: Seconds::whole(30), adaptive_threshold: false }
    }
}
