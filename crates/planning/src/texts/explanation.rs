//! What failed, why, what is done, what it costs: one short text per revision.

use std::collections::BTreeSet;

use candor_model::{
    AgentType, ExecutionFeedback, Plan, PlanRevision, ReplanStrategy, Seconds, SubTask, TaskId,
};

use super::english;
use super::plain::{agent_name, cause, plain, task_name};

/// Explains a revision to people, with a link to the details for those who want them.
#[must_use]
pub fn user_explanation(
    original: &Plan,
    revised: &Plan,
    revision: &PlanRevision,
    feedback: &ExecutionFeedback,
) -> String {
    let failed = original.task(&feedback.task_id).or_else(|| revised.task(&feedback.task_id));
    let name = failed.map_or_else(|| english::UNNAMED_TASK.to_owned(), task_name);
    let strategies = strategies(revision);
    [
        english::what_failed(&name, &feedback.task_id, &cause(&feedback.errors)),
        english::sentence(&what_is_done(&strategies, revision, &feedback.task_id)),
        english::additional_delay(&delay(&strategies, revised, revision)),
        english::plan_confidence(original.confidence_score, revised.confidence_score),
        english::details_at(&feedback.task_id),
    ]
    .join(" ")
}

/// The strategies of a revision, each once, in their order.
fn strategies(revision: &PlanRevision) -> Vec<ReplanStrategy> {
    let mut distinct = Vec::new();
    for &strategy in &revision.details.strategies {
        if !distinct.contains(&strategy) {
            distinct.push(strategy);
        }
    }
    if distinct.is_empty() {
        distinct.push(ReplanStrategy::Unknown);
    }
    distinct
}

fn what_is_done(strategies: &[ReplanStrategy], revision: &PlanRevision, failed: &TaskId) -> String {
    let agent =
        successor(revision, failed).map(|task| &task.agent_type).filter(|agent: &&AgentType| !agent.is_tbd());
    let doing: Vec<String> = strategies
        .iter()
        .map(|&strategy| english::doing(strategy, agent.map(agent_name).as_deref()))
        .collect();
    let doing = doing.join("; ");
    if strategies == [ReplanStrategy::RetryDifferentAgent] {
        return doing;
    }
    let changes: Vec<String> = revision.changes.iter().map(|change| plain(change)).collect();
    english::with_details(&doing, &changes)
}

/// The first of the new tasks that stand in the failed one's place.
fn successor<'a>(revision: &'a PlanRevision, failed: &TaskId) -> Option<&'a SubTask> {
    let replacement = revision.details.replacements.iter().find(|replacement| replacement.removed == *failed);
    let by = replacement.and_then(|replacement| replacement.by.first());
    let named = by.and_then(|id| revision.new_subtasks.iter().find(|task| task.task_id == *id));
    // Revisions written by others need not carry the details.
    named.or_else(|| match revision.new_subtasks.as_slice() {
        [only] => Some(only),
        many => many.iter().find(|task| task.metadata.original_task_id.as_ref() == Some(failed)),
    })
}

fn delay(strategies: &[ReplanStrategy], revised: &Plan, revision: &PlanRevision) -> String {
    let rerun = rerun_estimate(revised, revision);
    match strategies {
        [only] => english::delay(*only, rerun),
        _ => english::duration(rerun),
    }
}

/// The estimates of the tasks that run because of the revision, added up.
fn rerun_estimate(revised: &Plan, revision: &PlanRevision) -> Seconds {
    let new = revision.new_subtasks.iter().map(|task| &task.task_id);
    let again = revision.modified_task_ids.iter().chain(&revision.details.rerun_task_ids);
    let ids: BTreeSet<&TaskId> = new.chain(again).collect();
    let tasks = revised.subtasks.iter().filter(|task| ids.contains(&task.task_id));
    tasks.map(|task| task.estimated_duration_seconds).sum()
}
