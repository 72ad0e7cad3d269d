//! When a task that keeps failing goes to a person, and what they are asked.
//!
//! Owns the threshold and the question. It refuses to count: attempts are recorded on the task before
//! anyone comes here, along its whole lineage of retries.

use candor_model::{AgentType, FailureEscalationRequest, NonEmpty, RankedAgent, RunSettings, SubTask};

use crate::texts::{self, english};

/// Says whether so many failures of one task need a person.
#[must_use]
pub fn is_due(failure_count: u32, settings: &RunSettings) -> bool {
    // A limit of zero cannot mean "before it ever failed".
    failure_count >= settings.escalate_after_failures.max(1)
}

/// Builds the question that is put to a person about a task that failed again and again.
#[must_use]
pub fn request(task: &SubTask) -> FailureEscalationRequest {
    FailureEscalationRequest {
        task_id: task.task_id.clone(),
        failure_count: task.metadata.failure_count,
        errors: task.metadata.errors_history.iter().map(|error| texts::plain(error)).collect(),
        suggested_actions: suggested_actions(task),
    }
}

fn suggested_actions(task: &SubTask) -> NonEmpty<String> {
    let actions = vec![
        english::ACTION_RETRY_WITH_CHANGES.to_owned(),
        english::action_other_agent(untried_agent(task)),
        english::ACTION_SKIP.to_owned(),
        english::ACTION_ABORT.to_owned(),
    ];
    NonEmpty::or_one(actions, || english::ACTION_ABORT.to_owned())
}

/// The best agent of the ranking that has not failed at this task.
fn untried_agent(task: &SubTask) -> Option<&RankedAgent> {
    let tried = |agent: &AgentType| *agent == task.agent_type || task.metadata.failed_agents.contains(agent);
    task.metadata.ranking.iter().find(|ranked| !tried(&ranked.agent_type))
}
