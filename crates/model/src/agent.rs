//! Who can be given tasks, and how well they fit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentType, ExecutionFeedback, Money, RetryPolicy, RiskClass, Seconds, Share};

/// What an agent can do, what it costs and how often it succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentCapability {
    /// Name by which plans assign tasks to the agent.
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
    /// How many attempts it takes on at once; as many as it is given if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<u32>,
    /// How long one attempt may take; what holds for all agents if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Seconds>,
    /// The most that one attempt may cost: so much is set aside for it. What a call costs if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Money>,
    /// How its failed attempts are repeated; as the run says if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// What it does to the world at most; the words of its tasks decide if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<RiskClass>>,
}

impl AgentCapability {
    /// What is set aside for one attempt.
    #[must_use]
    pub fn set_aside(&self) -> Money {
        self.max_cost.unwrap_or(self.cost_per_invocation).max(self.cost_per_invocation)
    }
}

/// An agent without a history is taken at its word until it has one.
fn default_success_rate() -> Share {
    Share::ALL
}

/// How an agent did in the attempts that it was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentMeasure {
    /// Attempts that came to an outcome.
    pub attempts: u64,
    /// Those among them that succeeded.
    pub successes: u64,
    /// The time that they took together.
    pub latency_ms: u64,
    /// What they cost together.
    pub cost: Money,
}

impl AgentMeasure {
    /// Takes one more outcome into account.
    pub fn add(&mut self, feedback: &ExecutionFeedback) {
        self.absorb(Self {
            attempts: 1,
            successes: u64::from(feedback.feedback_type.is_success()),
            latency_ms: feedback.duration_seconds.as_millis(),
            cost: feedback.cost,
        });
    }

    /// Takes the outcomes of another measure into account.
    pub fn absorb(&mut self, other: Self) {
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.successes = self.successes.saturating_add(other.successes);
        self.latency_ms = self.latency_ms.saturating_add(other.latency_ms);
        self.cost = self.cost + other.cost;
    }

    /// The share of attempts that succeeded; absent before the first one.
    #[must_use]
    pub fn success_share(&self) -> Option<f64> {
        (self.attempts > 0).then(|| self.successes as f64 / self.attempts as f64)
    }

    /// What an attempt took on average; absent before the first one.
    #[must_use]
    pub fn mean_latency_ms(&self) -> Option<u64> {
        self.latency_ms.checked_div(self.attempts)
    }

    /// What an attempt cost on average; absent before the first one.
    #[must_use]
    pub fn mean_cost(&self) -> Option<Money> {
        self.cost.micros().checked_div(self.attempts).map(Money::from_micros)
    }
}

/// A task that an agent succeeded at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutedExample {
    /// What the task says of itself.
    pub text: String,
    /// Agent that succeeded at it.
    pub agent_type: AgentType,
    /// How long it took, in milliseconds; absent if nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// What it cost; absent if nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// The tokens of the models that it asked; absent if it asked none, or if nobody counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// An agent's place in the ranking for one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankedAgent {
    /// Candidate at this rank.
    pub agent_type: AgentType,
    /// How well it fits: similarity × success rate × (1 − cost / 10).
    pub score: f64,
    /// How close its description is to the task's.
    #[serde(default)]
    pub similarity: f64,
    /// How likely it is that it is the right one, from 0 to 1; of the first of a ranking, if it was worked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_keeps_every_value() {
        // spec: planning EN-09
        let text = r#"{"agent_type":"flight_agent","capabilities":["search_flights","compare_prices","book_flights"],
            "specialization":"Flight booking","cost_per_invocation":0.02,"avg_latency_ms":1500,"success_rate":0.92}"#;
        let agent: AgentCapability = crate::from_json(text).unwrap();
        assert_eq!(agent.cost_per_invocation.micros(), 20_000);
        let again = serde_json::to_value(&agent).unwrap();
        assert_eq!(again, serde_json::from_str::<serde_json::Value>(text).unwrap());
        let error = crate::from_json::<AgentCapability>(&text.replace("0.92", "1.92")).unwrap_err();
        assert_eq!(error.field, "success_rate");
    }
}
