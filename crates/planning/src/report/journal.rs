//! The log as entries for developers: failures with their context, decisions by what they are about.

use std::collections::BTreeMap;

use candor_model::{
    DecisionEntry, Event, EventBody, FailureContext, FailureLogEntry, GoalId, LogLevel, PlanId, PlanRevision,
    ScheduledRetry, TaskId,
};

/// Lists the failures of a run: each once as it happened, and once more when its recovery began.
#[must_use]
pub fn failure_entries(events: &[Event]) -> Vec<FailureLogEntry> {
    let mut journal = FailureJournal::default();
    for event in events {
        journal.read(&event.body);
    }
    journal.entries
}

#[derive(Default)]
struct FailureJournal {
    entries: Vec<FailureLogEntry>,
    goal_id: Option<GoalId>,
    plan_id: Option<PlanId>,
    /// Failures that nothing was done about so far.
    open: BTreeMap<TaskId, FailureLogEntry>,
}

impl FailureJournal {
    fn read(&mut self, body: &EventBody) {
        match body {
            EventBody::GoalDefined { goal } => self.goal_id = Some(goal.goal_id.clone()),
            EventBody::PlanProposed { plan, .. } => {
                self.plan_id = Some(plan.plan_id.clone());
                self.goal_id = Some(plan.goal_id.clone());
            }
            EventBody::TaskFailed { .. } => self.failed(body),
            EventBody::RetryScheduled(ScheduledRetry { task_id, .. }) => self.recovered(task_id),
            EventBody::Replanned { revision, .. } => covered(revision).for_each(|task| self.recovered(task)),
            // Going back is no recovery of what failed after the point gone back to.
            EventBody::RolledBack { .. } => self.open.clear(),
            _ => {}
        }
    }

    fn failed(&mut self, body: &EventBody) {
        let EventBody::TaskFailed { task_id, agent_type, dependencies, feedback, .. } = body else {
            return;
        };
        // Only a log with a hole has a failure before a plan; the failure is shown all the same.
        let plan_id = self.plan_id.clone().or_else(|| PlanId::new("unknown").ok());
        let goal_id = self.goal_id.clone().or_else(|| GoalId::new("unknown").ok());
        let Some((plan_id, goal_id)) = plan_id.zip(goal_id) else {
            return;
        };
        let entry = FailureLogEntry {
            timestamp: feedback.timestamp,
            level: LogLevel::Error,
            operation: "task_execution".to_owned(),
            task_id: task_id.clone(),
            error: feedback.errors.clone(),
            duration_seconds: feedback.duration_seconds,
            cost: feedback.cost,
            context: FailureContext {
                plan_id,
                goal_id,
                agent_type: agent_type.clone(),
                dependencies: dependencies.clone(),
            },
            recovery_attempted: false,
        };
        self.entries.push(entry.clone());
        self.open.insert(task_id.clone(), entry);
    }

    fn recovered(&mut self, task: &TaskId) {
        if let Some(entry) = self.open.remove(task) {
            self.entries.push(FailureLogEntry { recovery_attempted: true, ..entry });
        }
    }
}

/// The tasks whose failure a revision answers: those it replaces, edits or runs again.
fn covered(revision: &PlanRevision) -> impl Iterator<Item = &TaskId> {
    let replaced = revision.details.replacements.iter().map(|replacement| &replacement.removed);
    let again = revision.modified_task_ids.iter().chain(&revision.details.rerun_task_ids);
    revision.removed_task_ids.iter().chain(replaced).chain(again)
}

/// What decisions are looked for; what is not set matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecisionFilter {
    /// Those about this plan.
    pub plan_id: Option<PlanId>,
    /// Those about this task.
    pub task_id: Option<TaskId>,
    /// Those of this kind, such as `replan`.
    pub operation: Option<String>,
}

impl DecisionFilter {
    fn matches(&self, entry: &DecisionEntry) -> bool {
        self.plan_id.as_ref().is_none_or(|plan| entry.plan_id.as_ref() == Some(plan))
            && self.task_id.as_ref().is_none_or(|task| entry.task_id.as_ref() == Some(task))
            && self.operation.as_ref().is_none_or(|operation| entry.operation == *operation)
    }
}

/// Finds the decisions of a run by plan, task and kind, in the order in which they were made.
#[must_use]
pub fn decisions<'a>(events: &'a [Event], filter: &DecisionFilter) -> Vec<&'a DecisionEntry> {
    let entries = events.iter().filter_map(|event| match &event.body {
        EventBody::DecisionMade { entry } => Some(entry.as_ref()),
        _ => None,
    });
    entries.filter(|entry| filter.matches(entry)).collect()
}
