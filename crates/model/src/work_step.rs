//! The chain of work of a code agent: what each of its components did, as it is kept on the log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JsonMap, Money};

/// What one component of the code agent did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkStep {
    /// Who: `InputAnalyzer`, `DataAnalyzer`, `CodeGenerator`, `CodeValidator`, `sandbox`, `OutputValidator`, `cache`.
    pub component: String,
    /// The try that it belongs to, from 1; 0 for what comes before the first.
    pub number: u32,
    /// Whether it did its part. A validator that refuses has done it.
    pub success: bool,
    /// How long it took.
    pub duration_ms: f64,
    /// What it found; never the data of the workflow itself.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub data: JsonMap,
    /// Why it did not do its part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the models cost that it asked.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub cost: Money,
}
