//! A revision in the making.
//!
//! Owns what the strategies have decided so far: which tasks are replaced, edited or to be run again, and
//! which ids are taken. It keeps decisions only; the revised plan is made by [`super::replay()`] alone.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    IdMap, NonEmpty, Penalty, Plan, PlanRevision, Replacement, ReplanStrategy, RevisionDetails, RevisionId,
    RuleUse, SubTask, TaskId, TaskStatus,
};

use super::replay::{Redirects, replay};
use super::{Answer, confidence_delta};
use crate::graph::{TaskGraph, TaskIndex};

/// Where each task stands in the list.
pub(crate) fn positions(tasks: &[SubTask]) -> IdMap<&TaskId, usize> {
    tasks.iter().enumerate().map(|(position, task)| (&task.task_id, position)).collect()
}

/// The tasks, as positions, that need the result of one of `seeds`, directly or through others.
pub(crate) fn affected(tasks: &[SubTask], seeds: &BTreeSet<TaskId>) -> BTreeSet<usize> {
    let graph = TaskGraph::new(tasks);
    let seeds: Vec<_> = seeds.iter().filter_map(|id| graph.index_of(id)).collect();
    graph.affected_by(&seeds).into_iter().map(TaskIndex::as_usize).collect()
}

/// A plan and the changes decided so far.
pub(crate) struct Draft<'a> {
    plan: &'a Plan,
    positions: IdMap<&'a TaskId, usize>,
    used_ids: BTreeSet<TaskId>,
    replaced: BTreeMap<TaskId, Vec<SubTask>>,
    modified: BTreeMap<TaskId, SubTask>,
    rerun: BTreeSet<TaskId>,
    rules: Vec<RuleUse>,
}

impl<'a> Draft<'a> {
    /// Starts with no change.
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            positions: positions(&plan.subtasks),
            used_ids: ids_ever_used(plan),
            replaced: BTreeMap::new(),
            modified: BTreeMap::new(),
            rerun: BTreeSet::new(),
            rules: Vec::new(),
        }
    }

    /// The plan, before any change.
    pub(crate) const fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// Puts on record that a rule of the plan's pack led to a change.
    pub(crate) fn use_rule(&mut self, rule: RuleUse) {
        self.rules.push(rule);
    }

    /// The tasks as they are with the changes so far, except for dependencies on replaced tasks.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &SubTask> {
        self.plan.subtasks.iter().flat_map(|task| match self.replaced.get(&task.task_id) {
            Some(by) => by.as_slice(),
            None => std::slice::from_ref(self.modified.get(&task.task_id).unwrap_or(task)),
        })
    }

    /// The tasks as they are with the changes so far, in the order of [`Draft::tasks`].
    pub(crate) fn snapshot(&self) -> Vec<SubTask> {
        let replaced = self.replaced.iter();
        let redirects: Redirects =
            replaced.map(|(old, by)| (old.clone(), by.last().map(|task| task.task_id.clone()))).collect();
        let mut tasks: Vec<SubTask> = self.tasks().cloned().collect();
        for task in &mut tasks {
            redirects.apply(&mut task.dependencies);
        }
        tasks
    }

    /// The task as it is with the changes so far; `task` itself if nothing has changed it.
    pub(crate) fn current(&self, task: &SubTask) -> SubTask {
        self.modified.get(&task.task_id).unwrap_or(task).clone()
    }

    /// The task of the plan with this id, before any change.
    pub(crate) fn original(&self, id: &TaskId) -> Option<&'a SubTask> {
        self.positions.get(id).and_then(|&position| self.plan.subtasks.get(position))
    }

    /// The task that those wait for which waited for `id`, if it was replaced.
    pub(crate) fn successor(&self, id: &TaskId) -> Option<&TaskId> {
        self.replaced.get(id)?.last().map(|task| &task.task_id)
    }

    /// Whether the task will run again because of the changes so far.
    pub(crate) fn will_run_again(&self, id: &TaskId) -> bool {
        self.rerun.contains(id) || self.modified.contains_key(id)
    }

    /// An id that no task of this plan has or ever had: `stem` with `suffix`, or with `suffix2`, `suffix3`, …
    pub(crate) fn fresh_id(&mut self, stem: &TaskId, suffix: &str) -> TaskId {
        let mut id = stem.with_suffix(suffix);
        let mut number: u32 = 2;
        while !self.used_ids.insert(id.clone()) {
            id = stem.with_suffix(&format!("{suffix}{number}"));
            number = number.saturating_add(1);
        }
        id
    }

    /// Ids that no task of this plan has or ever had: the first `count` free ones of `stem_1`, `stem_2`, …
    pub(crate) fn fresh_numbered_ids(&mut self, stem: &TaskId, count: usize) -> Vec<TaskId> {
        let used = &mut self.used_ids;
        let candidates = (1_u32..).map(|number| stem.with_suffix(&format!("_{number}")));
        candidates.filter(|id| used.insert(id.clone())).take(count).collect()
    }

    /// Puts `by` in the place of the task `id`.
    pub(crate) fn replace(&mut self, id: &TaskId, by: Vec<SubTask>) {
        // An edit made for another failure has gone into the new tasks.
        self.modified.remove(id);
        self.replaced.insert(id.clone(), by);
    }

    /// Puts an edited task in the place of the one with the same id.
    pub(crate) fn modify(&mut self, edited: SubTask) {
        let in_plan = self.positions.contains_key(&&edited.task_id);
        if in_plan {
            self.modified.insert(edited.task_id.clone(), edited);
        } else if let Some(new) =
            self.replaced.values_mut().flatten().find(|task| task.task_id == edited.task_id)
        {
            *new = edited;
        }
    }

    /// Makes the task run again as it is.
    pub(crate) fn run_again(&mut self, id: &TaskId) {
        self.rerun.insert(id.clone());
    }

    /// Makes the revision; `None` if no answer costs any confidence, that is, if there is none.
    pub(crate) fn into_revision(mut self, trigger: String, answers: Vec<Answer>) -> Option<PlanRevision> {
        let delta: f64 = answers.iter().map(|answer| confidence_delta(answer.strategy)).sum();
        let strategies: Vec<ReplanStrategy> = answers.iter().map(|answer| answer.strategy).collect();
        let changes = answers.into_iter().flat_map(|answer| answer.changes).collect();
        let (replacements, new_subtasks, modified_subtasks) = self.take_tasks();
        let mut revision = PlanRevision {
            revision_id: RevisionId::numbered(self.plan.metadata.revisions_made().saturating_add(1)),
            original_plan_id: self.plan.plan_id.clone(),
            trigger,
            changes: NonEmpty::new("changes", changes).ok()?,
            removed_task_ids: replacements.iter().map(|replacement| replacement.removed.clone()).collect(),
            modified_task_ids: modified_subtasks.iter().map(|task| task.task_id.clone()).collect(),
            new_subtasks,
            confidence_delta: Penalty::new(delta.max(-1.0)).ok()?,
            details: RevisionDetails {
                strategies,
                replacements,
                modified_subtasks,
                rerun_task_ids: Vec::new(),
                rules: std::mem::take(&mut self.rules),
            },
        };
        revision.details.rerun_task_ids = self.tasks_to_run_again(&revision);
        Some(revision)
    }

    /// The replacements, new tasks and edited tasks, in the plan's order.
    fn take_tasks(&mut self) -> (Vec<Replacement>, Vec<SubTask>, Vec<SubTask>) {
        let (mut replacements, mut new, mut modified) = (Vec::new(), Vec::new(), Vec::new());
        for task in &self.plan.subtasks {
            if let Some(by) = self.replaced.remove(&task.task_id) {
                let ids = by.iter().map(|task| task.task_id.clone()).collect();
                replacements.push(Replacement { removed: task.task_id.clone(), by: ids });
                new.extend(by);
            } else if let Some(edited) = self.modified.remove(&task.task_id) {
                modified.push(edited);
            }
        }
        let last = |replacement: &Replacement| (replacement.removed.clone(), replacement.by.last().cloned());
        let redirects: Redirects = replacements.iter().map(last).collect();
        for task in new.iter_mut().chain(&mut modified) {
            redirects.apply(&mut task.dependencies);
            task.status = TaskStatus::Pending;
        }
        (replacements, new, modified)
    }

    /// The edited tasks, those asked for, and those that used a result which is about to change.
    ///
    /// What a person left out stays left out.
    fn tasks_to_run_again(&mut self, revision: &PlanRevision) -> Vec<TaskId> {
        let mut asked = std::mem::take(&mut self.rerun);
        asked.extend(revision.modified_task_ids.iter().cloned());
        let trial = replay(self.plan, revision, self.plan.updated_at);
        let mut seeds = asked.clone();
        seeds.extend(revision.new_subtasks.iter().map(|task| task.task_id.clone()));
        let affected = affected(&trial.subtasks, &seeds);
        let used_it = |task: &SubTask| !matches!(task.status, TaskStatus::Pending | TaskStatus::Skipped);
        let tasks = trial.subtasks.iter().enumerate();
        let rerun = tasks
            .filter(|(position, task)| {
                asked.contains(&task.task_id) || (affected.contains(position) && used_it(task))
            })
            .map(|(_, task)| task.task_id.clone());
        rerun.collect()
    }
}

/// The ids of all tasks that the plan has or had: an id that is used again would mix up two tasks' records.
fn ids_ever_used(plan: &Plan) -> BTreeSet<TaskId> {
    let present = plan.subtasks.iter().map(|task| &task.task_id);
    let past = plan.metadata.revisions.iter().flat_map(|revision| {
        revision.new_subtasks.iter().map(|task| &task.task_id).chain(&revision.removed_task_ids)
    });
    present.chain(past).cloned().collect()
}
