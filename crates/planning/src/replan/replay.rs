//! Making the revised plan from the old one and the revision alone.
//!
//! Owns the meaning of a [`PlanRevision`]: what is recorded is enough to make the same change again, so a log
//! of revisions is a history of the plan. It judges nothing and cannot fail: what does not fit the plan (an
//! unknown id, a new task whose id is taken) is passed over.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{Plan, PlanRevision, Replacement, SubTask, TaskId, TaskStatus, Timestamp};

/// Makes the plan that this revision of `plan` leads to.
#[must_use]
pub fn replay(plan: &Plan, revision: &PlanRevision, at: Timestamp) -> Plan {
    let mut revised = plan.clone();
    revised.subtasks = revised_tasks(plan, revision);
    revised.confidence_score = plan.confidence_score.shifted(revision.confidence_delta.get());
    revised.updated_at = at;
    revised.metadata.revision_count = plan.metadata.revisions_made().saturating_add(1);
    revised.metadata.revisions.push(revision.clone());
    revised.estimated_total_duration = revised.total_estimate();
    revised
}

fn revised_tasks(plan: &Plan, revision: &PlanRevision) -> Vec<SubTask> {
    let change = Change::of(plan, revision);
    let mut tasks = Vec::with_capacity(plan.subtasks.len().saturating_add(revision.new_subtasks.len()));
    for task in &plan.subtasks {
        match change.in_place_of.get(&task.task_id) {
            Some(new) => tasks.extend(new.iter().map(|&new| pending(new.clone()))),
            None => tasks.push(change.edited(task)),
        }
    }
    tasks.extend(change.added.iter().map(|&new| pending(new.clone())));
    for task in &mut tasks {
        change.redirects.apply(&mut task.dependencies);
    }
    tasks
}

fn pending(mut task: SubTask) -> SubTask {
    task.status = TaskStatus::Pending;
    task
}

/// A revision, arranged for looking up what happens to each task.
struct Change<'a> {
    /// The tasks that go, each with what comes in its place.
    in_place_of: BTreeMap<&'a TaskId, Vec<&'a SubTask>>,
    /// New tasks that stand in nobody's place.
    added: Vec<&'a SubTask>,
    modified: BTreeMap<&'a TaskId, &'a SubTask>,
    rerun: BTreeSet<&'a TaskId>,
    redirects: Redirects,
}

impl<'a> Change<'a> {
    fn of(plan: &Plan, revision: &'a PlanRevision) -> Self {
        let details = &revision.details;
        let present: BTreeSet<&TaskId> = plan.subtasks.iter().map(|task| &task.task_id).collect();
        let fitting = revision.new_subtasks.iter().filter(|task| !present.contains(&task.task_id));
        let mut new: BTreeMap<&TaskId, &SubTask> = fitting.map(|task| (&task.task_id, task)).collect();
        let mut in_place_of: BTreeMap<&TaskId, Vec<&SubTask>> = BTreeMap::new();
        for Replacement { removed, by } in
            details.replacements.iter().filter(|r| present.contains(&r.removed))
        {
            in_place_of.entry(removed).or_default().extend(by.iter().filter_map(|id| new.remove(id)));
        }
        for removed in revision.removed_task_ids.iter().filter(|id| present.contains(id)) {
            in_place_of.entry(removed).or_default();
        }
        let added = revision.new_subtasks.iter().filter_map(|task| new.remove(&task.task_id)).collect();
        let last = |new: &Vec<&SubTask>| new.last().map(|task| task.task_id.clone());
        Self {
            redirects: in_place_of.iter().map(|(&old, new)| (old.clone(), last(new))).collect(),
            in_place_of,
            added,
            modified: details.modified_subtasks.iter().map(|task| (&task.task_id, task)).collect(),
            rerun: details.rerun_task_ids.iter().collect(),
        }
    }

    /// The task as the revision defines it; what is known of its past stays with it.
    fn edited(&self, task: &SubTask) -> SubTask {
        let Some(&edited) = self.modified.get(&task.task_id) else {
            let task = task.clone();
            return if self.rerun.contains(&task.task_id) { pending(task) } else { task };
        };
        pending(SubTask { metadata: task.metadata.clone(), ..edited.clone() })
    }
}

/// Where dependencies on tasks that are gone lead now; nowhere if nothing stands in a task's place.
pub(super) struct Redirects(BTreeMap<TaskId, Option<TaskId>>);

impl FromIterator<(TaskId, Option<TaskId>)> for Redirects {
    fn from_iter<I: IntoIterator<Item = (TaskId, Option<TaskId>)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Redirects {
    /// Rewrites a task's dependencies, each of which is kept once.
    pub(super) fn apply(&self, dependencies: &mut Vec<TaskId>) {
        if !dependencies.iter().any(|id| self.0.contains_key(id)) {
            return;
        }
        let mut seen = BTreeSet::new();
        let lead = |id: TaskId| self.0.get(&id).cloned().unwrap_or(Some(id));
        *dependencies = std::mem::take(dependencies)
            .into_iter()
            .filter_map(lead)
            .filter(|id| seen.insert(id.clone()))
            .collect();
    }
}
