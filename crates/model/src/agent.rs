//! Who can be given tasks, and how well they fit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentType, Money, Share};

/// What an agent can do, what it costs and how often it succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentCapability {
    /// The agent's name.
    pub agent_type: AgentType,
    /// What it can do, as short names.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// What it is good at, in words.
    #[serde(default)]
    pub specialization: String,
    /// What one call costs.
    #[serde(default)]
    pub cost_per_invocation: Money,
    /// How long a call takes on average.
    #[serde(default)]
    pub avg_latency_ms: u64,
    /// How often it succeeds.
    #[serde(default = "default_success_rate")]
    pub success_rate: Share,
}

/// An agent without a history is taken at its word until it has one.
fn default_success_rate() -> Share {
    Share::ALL
}

/// An agent's place in the ranking for one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankedAgent {
    /// The agent.
    pub agent_type: AgentType,
    /// How well it fits: similarity × success rate × (1 − cost / 10).
    pub score: f64,
    /// How close its description is to the task's.
    #[serde(default)]
    pub similarity: f64,
}
