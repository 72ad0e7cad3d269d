//! Where a run stands.

use candor_engine::{Checkpoint, RunState};
use candor_model::{
    AgentType, Broadcast, CheckpointId, Confidence, Degradation, EventBody, ForkedFrom, GateId, Goal,
    HandoffMessage, MeasuredTime, Money, Phase, PlanId, Position, Question, Recorded, RunId, RunStatus,
    RunSummary, Seconds, SubTask, TaskId, TaskStatus, Timestamp, Verdict,
};
use candor_planning::shared::{LoggedQuery, Note, SharedMetrics, SharedState};
use candor_planning::texts;
use serde::Serialize;

use crate::chronicle::Chronicle;
use crate::phases::{self, PhaseEntry, PhaseView};
use crate::verdict::RunVerdict;
use crate::warnings::{self, Warning};
use crate::workflow::{self, Point, Prompt, Workflow};

/// Where a run stands.
#[derive(Debug, Serialize)]
pub struct Status<'a> {
    /// Id of the run.
    pub run_id: &'a RunId,
    /// Status after the last event.
    pub status: RunStatus,
    /// Whether it reached its goal, once it has ended.
    pub verdict: Option<Verdict>,
    /// The criteria behind the verdict.
    pub assessment: RunVerdict<'a>,
    /// What agents reported beside a success.
    pub warnings: Vec<Warning>,
    /// The phases that are at work.
    pub at_work: Vec<&'static str>,
    /// An entry for each phase, from 0 to 7.
    pub phases: Vec<PhaseEntry<'a>>,
    /// The record of its way through the phases.
    pub workflow: Workflow<'a>,
    /// Every handoff there was.
    pub handoffs: Vec<HandoffMessage>,
    /// What agents and phases have told each other and found.
    pub shared: Shared,
    /// All words of the run from the first on.
    pub prompts: Vec<Prompt<'a>>,
    /// The phases that it can go back to.
    pub rollback_points: Vec<Point>,
    /// The run that it was forked from.
    pub forked_from: Option<&'a ForkedFrom>,
    /// The person's own words.
    pub request: &'a str,
    /// The goal, once it is read.
    pub goal: Option<&'a Goal>,
    /// The plan, once there is one.
    pub plan_id: Option<PlanId>,
    /// Tasks that succeeded, in percent.
    pub progress_percentage: f64,
    /// The durations of the tasks that have not ended, added up; absent if one of them rests on nothing.
    pub estimated_remaining_time: Option<Seconds>,
    /// The time that is left, as a range of what such tasks took before; absent if one of them was not measured.
    pub remaining: Option<MeasuredTime>,
    /// How sure Candor is.
    pub confidence: Option<Confidence>,
    /// Sum of all charges.
    pub cost: Money,
    /// With how much less than it should the run works.
    pub degradation: &'a Degradation,
    /// Moment of the first event.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// Whether a person paused it.
    pub paused: bool,
    /// How many attempts failed.
    pub failures: usize,
    /// What people were told of the last failure.
    pub last_failure: Option<String>,
    /// The tasks of its plan.
    pub tasks: Vec<TaskEntry>,
    /// What waits for a person.
    pub open_questions: Vec<OpenQuestion<'a>>,
    /// The points that it can be rolled back to.
    pub checkpoints: Vec<CheckpointEntry<'a>>,
}

/// What agents and phases have told each other and found, without what files say.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    /// The paths of files that were read.
    pub files_read: Vec<String>,
    /// The paths of files that agents changed.
    pub files_modified: Vec<String>,
    /// Findings that agents told each other.
    pub discoveries: Vec<Note>,
    /// What may go wrong.
    pub warnings: Vec<Note>,
    /// Problems that agents told each other.
    pub errors: Vec<Note>,
    /// Figures of the phases and agents.
    pub metrics: SharedMetrics,
    /// What was told to everyone in a phase, in order.
    pub broadcasts: Vec<Broadcast>,
    /// What agents asked each other, in order.
    pub queries: Vec<LoggedQuery>,
    /// How often a phase handed over to the next.
    pub handoffs: usize,
}

/// A task of the plan.
#[derive(Debug, Clone, Serialize)]
pub struct TaskEntry {
    /// Id in the plan.
    pub task_id: TaskId,
    /// Its name for people.
    pub name: String,
    /// Status after the last event.
    pub status: TaskStatus,
    /// Agent that the task is assigned to.
    pub agent_type: AgentType,
    /// The tasks that must be done before.
    pub dependencies: Vec<TaskId>,
    /// How often it failed.
    pub failure_count: u32,
}

/// A question that waits for a person.
#[derive(Debug, Clone, Serialize)]
pub struct OpenQuestion<'a> {
    /// Gate by which an answer names the question.
    pub gate: &'a GateId,
    /// Question as it is shown.
    pub question: &'a Question,
}

/// A point that the run can be rolled back to.
#[derive(Debug, Clone, Serialize)]
pub struct CheckpointEntry<'a> {
    /// Number by which `rollback` and `fork` name it.
    pub id: CheckpointId,
    /// What had just happened.
    pub label: &'a str,
    /// Where in the log it lies.
    pub position: Position,
    /// The number of the phase that had just been completed.
    pub phase: Option<u8>,
}

impl<'a> Status<'a> {
    /// Where a run stands, by its state and its log.
    #[must_use]
    pub fn of(state: &'a RunState, records: &'a [Recorded]) -> Self {
        let summary = summary(state, records);
        let plan = state.plan();
        let questions = state.open_questions().iter();
        let assessment = RunVerdict::of(records);
        Self {
            run_id: state.run_id(),
            status: state.status(),
            verdict: assessment.verdict,
            assessment,
            warnings: warnings::of(state),
            at_work: phases::at_work(state).into_iter().map(Phase::as_str).collect(),
            phases: phases::of(state, records).iter().map(PhaseView::entry).collect(),
            workflow: Workflow::of(state, records),
            handoffs: phases::handoffs(records),
            shared: Shared::of(state.run_id(), records),
            prompts: workflow::prompts(state),
            rollback_points: workflow::points(state, records),
            forked_from: origin(records),
            request: state.request(),
            goal: state.goal(),
            plan_id: plan.as_ref().map(|plan| plan.plan_id.clone()),
            progress_percentage: summary.progress_percentage,
            estimated_remaining_time: remaining(records),
            remaining: state.time_left().filter(|_| !state.status().is_end()),
            confidence: state.confidence(),
            cost: state.spent(),
            degradation: state.degradation(),
            started_at: summary.started_at,
            updated_at: summary.updated_at,
            paused: state.is_paused(),
            failures: Chronicle::of(records).failed_attempts(),
            last_failure: summary.last_failure,
            tasks: plan.iter().flat_map(|plan| &plan.subtasks).map(TaskEntry::of).collect(),
            open_questions: questions.map(|(gate, question)| OpenQuestion { gate, question }).collect(),
            checkpoints: state.checkpoints().iter().map(|point| CheckpointEntry::of(point)).collect(),
        }
    }
}

impl TaskEntry {
    fn of(task: &SubTask) -> Self {
        Self {
            task_id: task.task_id.clone(),
            name: texts::task_name(task),
            status: task.status,
            agent_type: task.agent_type.clone(),
            dependencies: task.dependencies.to_vec(),
            failure_count: task.metadata.failure_count,
        }
    }
}

impl<'a> CheckpointEntry<'a> {
    fn of(checkpoint: &'a Checkpoint) -> Self {
        let Checkpoint { id, label, position, phase, .. } = checkpoint;
        Self { id: *id, label, position: *position, phase: phase.map(Phase::number) }
    }
}

/// Where a forked run comes from.
#[must_use]
pub fn origin(records: &[Recorded]) -> Option<&ForkedFrom> {
    match &records.first()?.event.body {
        EventBody::RunStarted { forked_from, .. } => forked_from.as_deref(),
        _ => None,
    }
}

/// The run in one line.
#[must_use]
pub fn summary(state: &RunState, records: &[Recorded]) -> RunSummary {
    let mut summary = RunSummary::new(state.run_id().clone());
    records.iter().for_each(|recorded| summary.absorb(&recorded.event));
    summary
}

/// The latest word on the time that is left.
fn remaining(records: &[Recorded]) -> Option<Seconds> {
    records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::Progressed { update } => Some(update.estimated_remaining_time),
        _ => None,
    })?
}

impl Shared {
    fn of(run: &RunId, records: &[Recorded]) -> Self {
        let mut shared = SharedState::new(run.clone());
        records.iter().for_each(|recorded| shared.apply(&recorded.event));
        let SharedState { context, metrics, communication, .. } = shared;
        Self {
            files_read: context.files_read.into_keys().collect(),
            files_modified: context.files_modified.into_keys().collect(),
            discoveries: context.discoveries,
            warnings: context.warnings,
            errors: context.errors,
            metrics,
            broadcasts: communication.broadcasts,
            queries: communication.queries,
            handoffs: communication.handoffs.len(),
        }
    }
}
