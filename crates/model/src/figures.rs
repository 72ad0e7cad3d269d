//! What a run took, in figures that outlive its log.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Money, Phase, RunOrigin, Seconds, Timestamp, TokenUse};

/// Money and tokens that went to one model, phase or task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Spend {
    /// Sum of the charges.
    pub cost: Money,
    /// What models took and gave.
    pub tokens: TokenUse,
    /// How many calls of models there were.
    pub calls: u64,
}

impl Spend {
    /// Adds the tokens, calls and cost of another part.
    pub fn add(&mut self, other: &Self) {
        self.cost = self.cost + other.cost;
        self.tokens.add(&other.tokens);
        self.calls = self.calls.saturating_add(other.calls);
    }
}

/// The figures of one run, from its first event to the last one that was looked at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunFigures {
    /// Who began it, where and after what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<RunOrigin>>,
    /// What kind of work it is: a pack's goal type, the kind that the request names, or `general`.
    pub task_type: String,
    /// `simple`, `standard` or `complex`; absent if the request was not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Moment of the first event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// How long it took, without the time in which people were waited for.
    pub duration: Seconds,
    /// How long people were waited for.
    pub waited_seconds: Seconds,
    /// Everything that was spent; equal to the sum over models, and to the sum over phases.
    pub total: Spend,
    /// What reading from providers' caches saved.
    pub saved: Money,
    /// By model; `agent:NAME` is what an agent charged for itself.
    pub by_model: BTreeMap<String, Spend>,
    /// Spending of each phase.
    pub by_phase: BTreeMap<Phase, Spend>,
    /// How many different agents were given tasks.
    pub agents: u32,
    /// How many tasks were begun.
    pub tasks: u32,
    /// How many of them ran beside another one.
    pub parallel_tasks: u32,
    /// How many attempts were begun.
    pub attempts: u64,
    /// How many attempts were repetitions: by a retry policy, by a revision, or because a result did not hold.
    pub retries: u64,
    /// How many times a second choice was taken: another model, another agent.
    pub fallbacks: u64,
    /// How many circuits opened.
    pub breaker_trips: u64,
    /// How deep agents were nested: 1 an agent, 2 an agent with tools, 3 a remote agent.
    pub depth: u32,
    /// How many attempts ran at the same time at most.
    pub fan_out: u32,
    /// How often the run went back to an earlier point.
    pub rollbacks: u64,
    /// How often the words of the request were changed for better ones.
    pub prompt_enhancements: u64,
}
