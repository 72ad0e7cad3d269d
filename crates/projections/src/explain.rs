//! Why things are as they are: the choices of a run with their reasons, and its decisions.

use candor_engine::RunState;
use candor_model::{
    AgentType, Confidence, DecisionEntry, EventBody, FailureNotification, RankedAgent, Recorded,
    RecoveryNotification, RunId, SubTask, TaskId, Timestamp,
};
use candor_planning::report::DecisionFilter;
use candor_planning::texts;
use serde::Serialize;

use crate::chronicle::Chronicle;
use crate::warnings::{self, Warning};

/// The reasons for a run, or for one of its tasks.
#[derive(Debug, Serialize)]
pub struct Explanation<'a> {
    /// Run that is explained.
    pub run_id: &'a RunId,
    /// The task that was asked about.
    pub task_id: Option<&'a TaskId>,
    /// How sure Candor is of the plan.
    pub confidence: Option<Confidence>,
    /// Who was chosen for each task, and from whom.
    pub tasks: Vec<TaskChoice>,
    /// What failed, and how it was answered.
    pub failures: Vec<FailureAnswer<'a>>,
    /// Decisions, oldest first.
    pub decisions: Vec<&'a DecisionEntry>,
    /// What agents reported beside a success.
    pub warnings: Vec<Warning>,
}

/// Why an agent has a task.
#[derive(Debug, Clone, Serialize)]
pub struct TaskChoice {
    /// Task that was assigned.
    pub task_id: TaskId,
    /// Its name for people.
    pub name: String,
    /// Agent that it was assigned to.
    pub agent_type: AgentType,
    /// The ranking that the choice was made from.
    pub ranking: Vec<RankedAgent>,
    /// The task that this one replaces.
    pub replaces: Option<TaskId>,
    /// Who failed at it before.
    pub failed_agents: Vec<AgentType>,
}

impl TaskChoice {
    fn of(task: &SubTask) -> Self {
        Self {
            task_id: task.task_id.clone(),
            name: texts::task_name(task),
            agent_type: task.agent_type.clone(),
            ranking: task.metadata.ranking.to_vec(),
            replaces: task.metadata.original_task_id.clone(),
            failed_agents: task.metadata.failed_agents.to_vec(),
        }
    }
}

/// A failed attempt, what people were told of it and how it was answered.
#[derive(Debug, Clone, Serialize)]
pub struct FailureAnswer<'a> {
    /// Task that failed.
    pub task_id: &'a TaskId,
    /// Number of the attempt that failed.
    pub attempt: u32,
    /// Whose attempt it was.
    pub agent_type: &'a AgentType,
    /// Moment of the failure.
    pub at: Timestamp,
    /// Messages as the agent gave them.
    pub errors: &'a [String],
    /// What people were told.
    pub notification: Option<&'a FailureNotification>,
    /// What was done about it, and why.
    pub recovery: Option<&'a RecoveryNotification>,
}

impl<'a> Explanation<'a> {
    /// Explains a run, or one of its tasks together with those that it replaces or that replace it.
    #[must_use]
    pub fn of(state: &'a RunState, records: &'a [Recorded], task: Option<&'a TaskId>) -> Self {
        let chronicle = Chronicle::of(records);
        let family = task.map(|id| family(&chronicle, id));
        let about = |id: &TaskId| family.as_ref().is_none_or(|family| family.contains(&id));
        let plan = state.plan();
        let known = plan.iter().flat_map(|plan| &plan.subtasks).filter(|task| about(&task.task_id));
        let gone = chronicle.failures.iter().filter_map(|failure| chronicle.task(failure.task_id));
        let gone = gone.filter(|task| about(&task.task_id) && state.task(&task.task_id).is_none());
        let failures = chronicle.failures.iter().filter(|failure| about(failure.task_id));
        let failures = failures.map(|failure| FailureAnswer {
            task_id: failure.task_id,
            attempt: failure.attempt,
            agent_type: failure.agent,
            at: failure.at,
            errors: &failure.feedback.errors,
            notification: failure.notice,
            recovery: failure.recovery,
        });
        let decisions = chronicle.decisions.iter().copied();
        let decisions = decisions.filter(|it| task.is_none() || it.task_id.as_ref().is_some_and(about));
        Self {
            run_id: state.run_id(),
            task_id: task,
            confidence: state.confidence(),
            tasks: known.chain(gone).map(TaskChoice::of).collect(),
            failures: failures.collect(),
            decisions: decisions.collect(),
            warnings: warnings::of(state).into_iter().filter(|it| about(&it.task_id)).collect(),
        }
    }
}

/// The decisions that the filter lets through; the filter itself is the one of `candor_planning`.
#[must_use]
pub fn decisions(records: &[Recorded], filter: &DecisionFilter) -> Vec<DecisionEntry> {
    let events = records.iter().map(|recorded| &recorded.event);
    let decisions = events.filter(|event| matches!(event.body, EventBody::DecisionMade { .. }));
    let decisions: Vec<_> = decisions.cloned().collect();
    candor_planning::report::decisions(&decisions, filter).into_iter().cloned().collect()
}

/// A task with those it replaces and those that replace it.
#[must_use]
pub fn family<'a>(chronicle: &Chronicle<'a>, id: &'a TaskId) -> Vec<&'a TaskId> {
    let mut family = vec![id];
    let born = chronicle.revisions.iter().flat_map(|revised| &revised.revision.details.replacements);
    for replacement in born.clone().rev() {
        if replacement.by.iter().any(|new| family.contains(&new)) {
            family.push(&replacement.removed);
        }
    }
    for replacement in born {
        if family.contains(&&replacement.removed) {
            family.extend(&replacement.by);
        }
    }
    family.sort_unstable();
    family.dedup();
    family
}
