//! What durations and costs rest on: somebody's word, or attempts that were measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Money, Seconds};

/// What such tasks took before: a range, and how many attempts it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTime {
    /// Shortest duration that was measured.
    pub low: Seconds,
    /// Longest duration that was measured.
    pub high: Seconds,
    /// How many attempts were measured.
    pub runs: u32,
}

/// What such tasks cost before: a range, and how many attempts it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredCost {
    /// Lowest cost that was measured.
    pub low: Money,
    /// Highest cost that was measured.
    pub high: Money,
    /// How many attempts were measured.
    pub runs: u32,
}

/// The models' tokens that such tasks took before: a range, and how many attempts it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTokens {
    /// Fewest tokens that were measured.
    pub low: u64,
    /// Most tokens that were measured.
    pub high: u64,
    /// How many attempts were measured.
    pub runs: u32,
}

/// What a task's `estimated_duration_seconds` rests on. Without a basis it is the documented default or a model's
/// guess, and is not shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DurationBasis {
    /// The author of the plan or of the pack states it.
    Stated,
    /// Such tasks were measured.
    Measured(MeasuredTime),
}

impl DurationBasis {
    /// What was measured, if it was.
    #[must_use]
    pub const fn measured(self) -> Option<MeasuredTime> {
        match self {
            Self::Stated => None,
            Self::Measured(time) => Some(time),
        }
    }
}
