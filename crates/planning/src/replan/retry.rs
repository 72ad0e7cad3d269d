//! Trying a task again with a different agent.
//!
//! Owns the choice to retry and the shape of the retried task. It does not rank agents: the task carries its
//! ranking, and [`crate::routing::backup`] knows who of it may still be asked. With nobody left, another way
//! is looked for instead.

use candor_model::{ReplanStrategy, RetryPolicy, Seconds, Text};

use super::draft::Draft;
use super::lineage::{self, RETRY};
use super::{Answer, Failure, ReplanContext, workaround};
use crate::routing;

/// Marks the description of a task that is tried again.
const SUFFIX: &str = " (retry)";

/// Replaces the failed task by the same one with its backup agent.
pub(super) fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>, context: &ReplanContext<'_>) -> Answer {
    let task = draft.current(failure.task);
    let Some(backup) = routing::backup(&task, context.settings.min_backup_score) else {
        return workaround::answer(draft, failure, context);
    };
    let agent = backup.agent_type.clone();
    let id = draft.fresh_id(&lineage::stem(&task), RETRY);
    let mut retry = lineage::successor(&task, id);
    retry.description = describe(&task.description);
    retry.agent_type = agent.clone();
    retry.retry_policy = Some(RetryPolicy { max_retries: 1, backoff_seconds: Seconds::whole(5) });
    draft.replace(&task.task_id, vec![retry]);
    Answer {
        strategy: ReplanStrategy::RetryDifferentAgent,
        changes: vec![format!("Retry task {} with agent {agent}", task.task_id)],
    }
}

/// A retry of a retry is still called a retry once.
fn describe(description: &Text) -> Text {
    let text = without_mark(description.as_str());
    Text::or(format!("{text}{SUFFIX}"), "Try again")
}

/// The description without the mark of a retry.
pub(super) fn without_mark(description: &str) -> &str {
    description.strip_suffix(SUFFIX).unwrap_or(description)
}
