//! Which agent fits a task best: similarity × success rate × (1 − cost / 10).
//!
//! Vectors come in, rankings go out; embedding and caching happen elsewhere. A ranking stays with its task,
//! so that a backup can be chosen later without asking anybody.

use std::cmp::Ordering;

use candor_model::{AgentCapability, AgentType, PlanningError, RankedAgent, SubTask};
use candor_text::Rule;

/// The cost in dollars at which an agent is not worth calling.
const PROHIBITIVE_COST: f64 = 10.0;

/// Why two vectors cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoutingProblem {
    /// The vectors come from different models.
    #[error("one vector has {left} dimensions, the other {right}")]
    UnequalDimensions {
        /// Number of dimensions of the first vector.
        left: usize,
        /// Number of dimensions of the second vector.
        right: usize,
    },
    /// A vector of zeros points nowhere.
    #[error("a vector is zero")]
    ZeroVector,
    /// A vector has an entry that is infinite or not a number.
    #[error("a vector has an entry that is not a finite number")]
    NotFinite,
}

/// The text by which an agent is embedded: its name in words, and what it says of itself.
#[must_use]
pub fn agent_text(agent: &AgentCapability) -> String {
    let name: Vec<&str> = Rule::Identifier.split(agent.agent_type.as_str()).map(|word| word.text).collect();
    format!("{}: {}", name.join(" "), described(agent))
}

/// An agent in one line of a prompt: the name by which it can be chosen, and what it says of itself.
#[must_use]
pub fn agent_line(agent: &AgentCapability) -> String {
    format!("{}: {}", agent.agent_type, described(agent))
}

fn described(agent: &AgentCapability) -> String {
    let AgentCapability { specialization, capabilities, .. } = agent;
    match capabilities.is_empty() {
        true => specialization.clone(),
        false => format!("{specialization}. Capabilities: {}", capabilities.join(", ")),
    }
}

/// The text by which a task is embedded, compared and remembered: its own words. The names of its outputs are ours in
/// most plans, and agents would learn them.
#[must_use]
pub fn task_text(task: &SubTask) -> &str {
    task.description.as_str()
}

/// What stood behind a task's own words in the examples of versions up to 0.1.
const OUTPUTS_SUFFIX: &str = ". Expected outputs: ";

/// A recorded task's own words, whichever version recorded it.
#[must_use]
pub fn own_words(recorded: &str) -> &str {
    recorded.split_once(OUTPUTS_SUFFIX).map_or(recorded, |(own, _)| own)
}

/// The same direction with length 1, so that dot products are cosines.
pub fn unit(vector: &[f32]) -> Result<Vec<f32>, RoutingProblem> {
    let squared: f64 = vector.iter().copied().map(f64::from).map(|entry| entry * entry).sum();
    if !squared.is_finite() {
        return Err(RoutingProblem::NotFinite);
    }
    if squared == 0.0 {
        return Err(RoutingProblem::ZeroVector);
    }
    let length = squared.sqrt();
    Ok(vector.iter().map(|entry| (f64::from(*entry) / length) as f32).collect())
}

/// How well an agent fits, given how similar it is to the task. Never negative: an agent that costs more
/// than the formula can bear, or that points the other way, scores 0.
#[must_use]
pub fn score(similarity: f64, agent: &AgentCapability) -> f64 {
    score_of(similarity, worth(agent))
}

/// What similarity is worth with this agent, from 0 to 1: what its score depends on beside the task.
#[must_use]
pub fn worth(agent: &AgentCapability) -> f64 {
    let thrift = (1.0 - agent.cost_per_invocation.as_dollars() / PROHIBITIVE_COST).max(0.0);
    agent.success_rate.get() * thrift
}

/// The [`score`] of an agent whose [`worth`] is known.
#[must_use]
pub fn score_of(similarity: f64, worth: f64) -> f64 {
    let score = similarity * worth;
    // Not `max`: it may answer -0.0, which would rank below 0.0.
    if score > 0.0 { score } else { 0.0 }
}

/// Gives the task to the best of the ranking that has not failed at it yet, and keeps the ranking with it.
///
/// If all have failed, the best gets another chance: the task may have changed since. An agent without a
/// positive score gets nothing; if there is no other, the task stays as it was.
pub fn assign(task: &mut SubTask, mut ranking: Vec<RankedAgent>) -> Result<(), PlanningError> {
    ranking.sort_by(best_first);
    let able = || ranking.iter().filter(|ranked| ranked.score > 0.0);
    let fresh = able().find(|ranked| !has_failed(task, &ranked.agent_type));
    let Some(chosen) = fresh.or_else(|| able().next()) else {
        let reason =
            if ranking.is_empty() { "the ranking is empty" } else { "no agent has a positive score" };
        return Err(no_agent(task, reason));
    };
    task.agent_type = chosen.agent_type.clone();
    task.metadata.ranking = ranking;
    Ok(())
}

/// The agent that answers a task directly, with a model and nothing else, when everyone else has failed at it. It
/// is never chosen otherwise.
pub const LAST_RESORT: &str = "direct_response";

/// Whether this is the agent that is asked when nobody else is left.
#[must_use]
pub fn is_last_resort(agent: &AgentType) -> bool {
    agent.as_str() == LAST_RESORT
}

/// The best agent to try next: ranked for the task with at least `min_score`, `free` to take it, and neither its
/// present agent nor one that failed at it. The last resort is nobody's backup.
#[must_use]
pub fn backup(task: &SubTask, min_score: f64, free: impl Fn(&AgentType) -> bool) -> Option<&RankedAgent> {
    let untried = |agent: &AgentType| {
        *agent != task.agent_type && !has_failed(task, agent) && !is_last_resort(agent) && free(agent)
    };
    task.metadata
        .ranking
        .iter()
        .filter(|ranked| ranked.score >= min_score && untried(&ranked.agent_type))
        .min_by(|a, b| best_first(a, b))
}

fn best_first(a: &RankedAgent, b: &RankedAgent) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.agent_type.cmp(&b.agent_type))
}

fn has_failed(task: &SubTask, agent: &AgentType) -> bool {
    task.metadata.failed_agents.contains(agent)
}

fn no_agent(task: &SubTask, reason: impl Into<String>) -> PlanningError {
    PlanningError::Routing { task_id: task.task_id.clone(), reason: reason.into() }
}
