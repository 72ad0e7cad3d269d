//! When a task that keeps failing goes to a person, and what they are asked.
//!
//! Owns the threshold and the question. It does not count: attempts are recorded on the task before anyone comes
//! here, along its whole lineage.

use std::collections::BTreeSet;

use candor_model::{AgentType, FailureEscalationRequest, NonEmpty, RankedAgent, RunSettings, SubTask};

use crate::texts::{self, english};

/// Says whether so many ways to do a task have failed that a person is asked before another one is tried.
#[must_use]
pub fn is_due(task: &SubTask, settings: &RunSettings) -> bool {
    // A limit of zero cannot mean "before it ever failed".
    ways_failed(task) >= usize::try_from(settings.escalate_after_failures.max(1)).unwrap_or(usize::MAX)
}

/// The agents and inputs with which the task has failed. A repetition is no other way.
fn ways_failed(task: &SubTask) -> usize {
    let tried = &task.metadata.tried;
    if tried.is_empty() {
        // A plan that was recorded before attempts were.
        return usize::try_from(task.metadata.failure_count).unwrap_or(usize::MAX);
    }
    tried.iter().map(|tried| (&tried.agent_type, &tried.call)).collect::<BTreeSet<_>>().len()
}

/// Builds the question that is put to a person about a task that failed for good.
#[must_use]
pub fn request(task: &SubTask) -> FailureEscalationRequest {
    FailureEscalationRequest {
        task_id: task.task_id.clone(),
        failure_count: task.metadata.failure_count,
        errors: task.metadata.errors_history.iter().map(|error| texts::plain(error)).collect(),
        suggested_actions: suggested_actions(task),
    }
}

/// What there is to choose from: an agent is named only where one is left.
fn suggested_actions(task: &SubTask) -> NonEmpty<String> {
    let other = untried_agent(task).map(english::action_other_agent);
    let usual = [english::ACTION_RETRY_WITH_CHANGES, english::ACTION_SKIP, english::ACTION_ABORT];
    let actions = other.into_iter().chain(usual.map(str::to_owned)).collect();
    NonEmpty::or_one(actions, || english::ACTION_ABORT.to_owned())
}

/// The best agent of the ranking that has not failed at this task.
fn untried_agent(task: &SubTask) -> Option<&RankedAgent> {
    let tried = |agent: &AgentType| *agent == task.agent_type || task.metadata.failed_agents.contains(agent);
    task.metadata.ranking.iter().find(|ranked| !tried(&ranked.agent_type))
}
