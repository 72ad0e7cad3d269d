//! What a phase took, and how well it did its work.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Money, Seconds};

/// The figures of one phase of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PhaseMetrics {
    /// How long it took.
    pub duration: Seconds,
    /// What models took and gave, in tokens.
    pub tokens_used: u64,
    /// Sum of what those calls cost.
    pub cost: Money,
    /// Why it went less well than it should, as codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failure_reasons: Vec<String>,
    /// How well it did its work, by the names of the phase's criteria; those nobody can tell are absent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub criteria: BTreeMap<String, f64>,
}
