//! The task with an agent that has not failed at it.
//!
//! It does not rank agents: the task carries its ranking, and [`crate::routing::backup`] knows who of it has not been
//! tried. Nobody gets a task back who failed at it, and nobody whose circuit is open gets one.

use candor_model::{ReplanStrategy, RetryPolicy, Seconds, Text};

use crate::replan::lineage::{self, RETRY};
use crate::replan::{Answer, Draft, Failure, ReplanContext};
use crate::routing;

/// Marks the description of a task that is tried again.
const SUFFIX: &str = " (retry)";

/// Replaces the failed task by the same one with its backup agent, if there is one.
pub(super) fn answer(
    draft: &mut Draft<'_>,
    failure: &Failure<'_>,
    context: &ReplanContext<'_>,
) -> Option<Answer> {
    let task = draft.current(failure.task);
    let agents = context.agents;
    let free = |agent: &_| agents.is_none_or(|agents| agents.is_available(agent));
    let agent = routing::backup(&task, context.settings.min_backup_score, free)?.agent_type.clone();
    let id = draft.fresh_id(&lineage::stem(&task), RETRY);
    let mut retry = lineage::successor(&task, id);
    retry.description = describe(&task.description);
    retry.agent_type = agent.clone();
    retry.retry_policy = Some(RetryPolicy { max_retries: 1, backoff_seconds: Seconds::whole(5) });
    draft.replace(&task.task_id, vec![retry]);
    Some(Answer {
        strategy: ReplanStrategy::RetryDifferentAgent,
        changes: vec![format!("Retry task {} with agent {agent}", task.task_id)],
    })
}

/// A retry of a retry is still called a retry once.
fn describe(description: &Text) -> Text {
    let text = description.as_str();
    let text = text.strip_suffix(SUFFIX).unwrap_or(text);
    Text::or(format!("{text}{SUFFIX}"), "Try again")
}
