//! Why an agent stands where it stands in a ranking.

use std::fmt;

use candor_model::{AgentCapability, AgentType, Money, RankedAgent, Share};
use serde::Serialize;

/// An agent's place in a ranking, with all that led to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Agent whose place is explained.
    pub agent_type: AgentType,
    /// How well it fits: similarity × success rate × (1 − cost / 10).
    pub score: f64,
    /// How close it is to the task, by meaning and by words, from 0 to 1.
    pub similarity: f64,
    /// How likely it is that it is the right one; of the first of a ranking only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// How close its meaning is, from −1 to 1; nothing if only words were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f64>,
    /// How far the task's words speak for it, from 0 to 1.
    pub words: f64,
    /// How many of its past successes are part of its meaning and of its words.
    pub from_history: usize,
    /// How often it succeeds.
    pub success_rate: Share,
    /// What one call costs.
    pub cost: Money,
    /// Whether its breaker is open, which puts it after all others.
    pub breaker_open: bool,
    /// What someone who looked at it said, where the figures did not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Next one in the ranking; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
}

/// The next one in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunnerUp {
    /// Second agent of the ranking.
    pub agent_type: AgentType,
    /// How well it fits.
    pub score: f64,
    /// How close it is to the task, from 0 to 1.
    pub similarity: f64,
}

impl Explanation {
    pub(super) fn new(agent: &AgentCapability, score: f64, similarity: f64, words: f64) -> Self {
        Self {
            agent_type: agent.agent_type.clone(),
            score,
            similarity,
            chance: None,
            meaning: None,
            words,
            from_history: 0,
            success_rate: agent.success_rate,
            cost: agent.cost_per_invocation,
            breaker_open: false,
            told: None,
            runner_up: None,
        }
    }

    /// The place without the reasons, as it stays with a task.
    #[must_use]
    pub fn ranked(&self) -> RankedAgent {
        RankedAgent {
            agent_type: self.agent_type.clone(),
            score: self.score,
            similarity: self.similarity,
            chance: self.chance,
        }
    }
}

/// The reasons in one sentence.
impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent_type, score, similarity, words, success_rate, cost, .. } = self;
        if let Some(chance) = self.chance {
            write!(formatter, "{:.0} % likely the right one; ", chance * 100.0)?;
        }
        write!(formatter, "{agent_type} scores {score:.4}: similarity {similarity:.4} (")?;
        if let Some(meaning) = self.meaning {
            write!(formatter, "meaning {meaning:.4}, ")?;
        }
        write!(formatter, "words {words:.4}")?;
        match self.from_history {
            0 => {}
            1 => write!(formatter, ", with 1 past success")?,
            count => write!(formatter, ", with {count} past successes")?,
        }
        let rate = success_rate.get() * 100.0;
        write!(formatter, "), success rate {rate:.0} %, ${cost} a call")?;
        if self.breaker_open {
            write!(formatter, ", but its breaker is open")?;
        }
        if let Some(told) = &self.told {
            write!(formatter, "; {told}")?;
        }
        match &self.runner_up {
            Some(next) => write!(formatter, "; next {} with {:.4}", next.agent_type, next.score),
            None => write!(formatter, "; nobody comes next"),
        }
    }
}
