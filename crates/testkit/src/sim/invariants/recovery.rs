//! The invariants of recovery: what failed for good is not tried again as it was, a repetition is no revision, and
//! what succeeded outlives every limit.

use std::collections::{BTreeMap, BTreeSet};

use candor_engine::RunState;
use candor_model::{EventBody, Plan, ScheduledRetry, TaskId, TaskStatus, Transience};

use super::{Scene, invariant};

/// What was asked of an agent: the lineage, the agent, the words and inputs, and which results of others it got.
type Call = (TaskId, String, String, Vec<(TaskId, u64)>);

/// What the invariant keeps in mind of failures.
#[derive(Debug, Clone, Default)]
pub(super) struct RecoveryInvariants {
    /// When each task succeeded last.
    succeeded: BTreeMap<TaskId, u64>,
    /// What each attempt under way was asked for.
    under_way: BTreeMap<TaskId, Call>,
    /// The calls that failed for good.
    permanent: BTreeSet<Call>,
}

impl RecoveryInvariants {
    /// Reads one event, with what was so before it.
    pub(super) fn check(&mut self, body: &EventBody, scene: &Scene, position: u64) -> Result<(), String> {
        match body {
            EventBody::TaskDispatched { task_id, agent_type, .. } => {
                let Some(call) = self.call(scene.plan.as_ref(), task_id, agent_type.as_str()) else {
                    return Ok(());
                };
                invariant(!self.permanent.contains(&call), || {
                    format!("{task_id} goes to {agent_type} again as it was, after it failed there for good")
                })?;
                self.under_way.insert(task_id.clone(), call);
            }
            EventBody::TaskSucceeded { task_id, .. } => {
                self.succeeded.insert(task_id.clone(), position);
                self.under_way.remove(task_id);
            }
            EventBody::TaskFailed { task_id, feedback, .. } => {
                let call = self.under_way.remove(task_id);
                let failure = feedback.failure.as_ref();
                if failure.is_some_and(|failure| failure.transience == Transience::Permanent) {
                    self.permanent.extend(call);
                }
            }
            EventBody::TaskStopped { task_id, .. } => _ = self.under_way.remove(task_id),
            // A person took the matter in hand, or the result of a task was found wanting.
            EventBody::RetryScheduled(ScheduledRetry { task_id, by_person: true, .. })
            | EventBody::TaskReopened { task_id, .. } => self.forgive(scene.plan.as_ref(), task_id),
            EventBody::PlanProposed { .. }
            | EventBody::PlanAdjusted { .. }
            | EventBody::RunResumed {}
            | EventBody::RolledBack { .. } => self.permanent.clear(),
            _ => {}
        }
        Ok(())
    }

    fn forgive(&mut self, plan: Option<&Plan>, task_id: &TaskId) {
        let origin = plan.and_then(|plan| plan.task(task_id)).map_or(task_id, |task| task.origin()).clone();
        self.permanent.retain(|(lineage, ..)| *lineage != origin);
    }

    fn call(&self, plan: Option<&Plan>, task_id: &TaskId, agent: &str) -> Option<Call> {
        let task = plan?.task(task_id)?;
        let words = task.description.as_str().trim_end_matches(" (retry)");
        let inputs = serde_json::to_string(&task.inputs).unwrap_or_default();
        let results = task.dependencies.iter();
        let results = results.map(|id| (id.clone(), self.succeeded.get(id).copied().unwrap_or_default()));
        Some((task.origin().clone(), agent.to_owned(), format!("{words} {inputs}"), results.collect()))
    }
}

/// A repetition is no revision: the plan counts as many revisions as are on the log.
pub(super) fn only_revisions_count(scene: &Scene, state: &RunState) -> Result<(), String> {
    let counted = state.plan().map(|plan| plan.metadata.revisions_made());
    let written = scene.plan.as_ref().map(|plan| plan.metadata.revisions_made());
    invariant(counted == written, || format!("{counted:?} revisions are counted, {written:?} are on the log"))
}

/// What succeeded is still there when a run ends early.
pub(super) fn successes_are_kept(scene: &Scene, state: &RunState) -> Result<(), String> {
    let Some(plan) = state.plan().filter(|_| scene.ended) else { return Ok(()) };
    let kept = |id: &&TaskId| plan.task(id).is_some_and(|task| task.status == TaskStatus::Completed);
    let lost = scene.done.iter().find(|id| !kept(id));
    invariant(lost.is_none(), || format!("{lost:?} had succeeded and is lost at the end"))
}
