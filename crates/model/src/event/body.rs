//! Everything that can happen in a run.

use crate::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EventBody {
    /// The run began.
    RunStarted {
        /// The run.
        run_id: RunId,
        /// The person's own words.
        request: String,
        /// The limits that hold for it.
        settings: Box<RunSettings>,
        /// Numbers of behaviours that are newer than this format; none so far.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        flags: BTreeSet<u16>,
        /// What the person brought beside the words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        material: Option<Box<StartMaterial>>,
        /// The run that this one was forked from, and where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<Box<ForkedFrom>>,
        /// Who began it, where, and after what; absent in older logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Box<RunOrigin>>,
    },
    /// The guardrails have had their say; nothing runs before this.
    GuardrailsChecked {
        /// Which look at the request it was; more than one if it was halted.
        attempt: u32,
        /// What they found.
        report: Box<GuardReport>,
    },
    /// The run goes on with other words, from the evaluation on.
    PromptChanged {
        /// The words, and where they come from.
        change: Box<PromptChange>,
    },
    /// A phase began.
    PhaseStarted {
        /// The phase.
        phase: Phase,
        /// Which try it is; more than 1 after a rollback.
        attempt: u32,
    },
    /// A phase ended well.
    PhaseCompleted {
        /// The phase.
        phase: Phase,
        /// What it leaves for the next one.
        handoff: Arc<Handoff>,
        /// What it took, and how well it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metrics: Option<Box<PhaseMetrics>>,
    },
    /// A phase failed.
    PhaseFailed {
        /// The phase.
        phase: Phase,
        /// Why.
        reason: String,
    },
    /// A phase degraded.
    PhaseDegraded {
        /// The phase.
        phase: Phase,
        /// Why.
        reason: String,
    },
    /// A guardrail found something.
    GuardrailTripped {
        /// The rule.
        rule: String,
        /// How serious it is.
        severity: Severity,
        /// What was found.
        reason: String,
    },
    /// The goal was understood.
    GoalDefined {
        /// The goal.
        goal: Arc<Goal>,
    },
    /// The request's quality was judged.
    PromptScored {
        /// From 0 to 100.
        score: u8,
        /// What is wrong with it.
        issues: Vec<String>,
        /// The whole judgement.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evaluation: Option<Box<Evaluation>>,
    },
    /// A plan passed validation and waits to run.
    PlanProposed {
        /// Which shape of the plan this is.
        version: PlanVersion,
        /// The plan.
        plan: Arc<Plan>,
        /// The agents as they were known then.
        agents: Vec<AgentCapability>,
        /// What was repaired to make it valid, for people.
        repairs: Vec<String>,
        /// The kinds of these repairs; absent in older logs.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        repair_kinds: BTreeSet<RepairKind>,
        /// The plan in figures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        brief: Option<Arc<PlanBrief>>,
    },
    /// What a person asked about a plan was answered.
    PlanAnswered {
        /// The shape it is about.
        version: PlanVersion,
        /// The question.
        question: String,
        /// The answer.
        answer: String,
    },
    /// A person changed the plan.
    PlanAdjusted {
        /// Which shape of the plan this is.
        version: PlanVersion,
        /// The changes.
        adjustments: Vec<Adjustment>,
        /// Tasks that must run because of them.
        rerun_task_ids: Vec<TaskId>,
    },
    /// A plan was locked for execution.
    PlanApproved {
        /// The shape that was approved.
        version: PlanVersion,
        /// The gate a person opened; absent if none was needed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate: Option<GateId>,
        /// The note for the record.
        note: String,
        /// The acts in it that cannot be taken back: a person approved them, or the settings allow them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        risks: Vec<TaskRisk>,
    },
    /// A person rejected the plan.
    PlanRejected {
        /// The shape that was rejected.
        version: PlanVersion,
        /// What they said.
        comments: String,
    },
    /// A task got its agent.
    TaskRouted {
        /// The task.
        task_id: TaskId,
        /// The agent.
        agent_type: AgentType,
        /// Everyone who could do it, best first.
        ranking: Vec<RankedAgent>,
    },
    /// A task was given to an agent.
    TaskDispatched {
        /// The task.
        task_id: TaskId,
        /// Which attempt it is; with run and task it makes the key that is never used twice.
        attempt: u32,
        /// The agent.
        agent_type: AgentType,
        /// When it must have answered.
        deadline: Timestamp,
        /// What was set aside for it.
        reserved: Money,
    },
    /// An attempt whose driver was gone is made again, under the same key and with a new deadline.
    TaskTakenUp {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// When it must have answered.
        deadline: Timestamp,
    },
    /// An attempt succeeded.
    TaskSucceeded {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// What came of it.
        feedback: Arc<ExecutionFeedback>,
    },
    /// An attempt failed, or a task can never start.
    TaskFailed {
        /// The task.
        task_id: TaskId,
        /// The attempt; 0 if it never started.
        attempt: u32,
        /// The agent that was at work.
        agent_type: AgentType,
        /// What the task depends on.
        dependencies: Vec<TaskId>,
        /// How often this task and those it replaces have failed by now.
        failure_count: u32,
        /// What came of it.
        feedback: Arc<ExecutionFeedback>,
    },
    /// An attempt was stopped, or its result came too late to count.
    TaskStopped {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// Why.
        reason: StopReason,
    },
    /// A person decided to go on without a task.
    TaskSkipped {
        /// The task.
        task_id: TaskId,
        /// What they said.
        comments: String,
    },
    /// Another approach to a task is asked for.
    Revision(RevisionStep),
    /// A task failed and nothing more is tried; what does not need it goes on, and then the run ends.
    TaskGivenUp {
        /// The task.
        task_id: TaskId,
        /// Why nothing more is tried.
        error: Box<PlanningError>,
    },
    /// A task's result does not hold: it is done once more.
    TaskReopened {
        /// The task.
        task_id: TaskId,
        /// What its result lacks.
        reason: String,
        /// The tasks that are done once more with it, because they used its result.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dependants: Vec<TaskId>,
    },
    /// A failed attempt will be repeated by the task's own retry policy, or as a person said.
    RetryScheduled(ScheduledRetry),
    /// People were told something.
    Notified {
        /// What.
        notification: Box<Notification>,
    },
    /// The run came further.
    Progressed {
        /// How far.
        update: ProgressUpdate,
    },
    /// A decision was made.
    DecisionMade {
        /// The decision with its reasoning.
        entry: Box<DecisionEntry>,
    },
    /// The plan was revised.
    Replanned {
        /// Which shape of the plan this is.
        version: PlanVersion,
        /// The whole revision.
        revision: Box<PlanRevision>,
    },
    /// Confidence moved.
    ConfidenceChanged {
        /// From.
        before: Confidence,
        /// To.
        after: Confidence,
        /// By what.
        cause: ConfidenceCause,
    },
    /// A task failed so often that a person is needed.
    Escalated {
        /// What they are told.
        request: Box<FailureEscalationRequest>,
    },
    /// A question was put to a person.
    HumanAsked {
        /// Names the question.
        gate: GateId,
        /// The question.
        question: Box<Question>,
    },
    /// A person answered.
    HumanAnswered {
        /// The question that was answered.
        gate: GateId,
        /// The answer.
        answer: Box<Answer>,
    },
    /// A question no longer needs an answer.
    QuestionWithdrawn {
        /// The question.
        gate: GateId,
        /// Why.
        reason: String,
    },
    /// An agent is not used for a while.
    BreakerOpened {
        /// The agent.
        agent_type: AgentType,
        /// Why.
        reason: String,
        /// When it is tried again, with one task at a time; not until it is closed if nobody knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// An agent's circuit is half-open: it gets one task at a time.
    BreakerTried {
        /// The agent.
        agent_type: AgentType,
    },
    /// A task waits for an agent that is not used for a while, because nobody else fits it.
    BreakerAwaited {
        /// The agent.
        agent_type: AgentType,
        /// When it is tried again.
        until: Timestamp,
    },
    /// An agent is used again.
    BreakerClosed {
        /// The agent.
        agent_type: AgentType,
    },
    /// A model is not used for a while.
    ModelBreakerOpened {
        /// Provider and model.
        model: String,
        /// Why.
        reason: String,
    },
    /// A model is used again.
    ModelBreakerClosed {
        /// Provider and model.
        model: String,
    },
    /// A model is about to be called.
    ModelAsked {
        /// The call, with what is set aside for it.
        call: Box<OpenCall>,
    },
    /// A step of an ask was made: a call and its judgement, or a step that needed no call.
    ModelConsulted {
        /// What was asked.
        ask: Box<AskKey>,
        /// Which step of the ask it was, from 1.
        number: u32,
        /// What came of it.
        step: Arc<Consulted>,
    },
    /// A second choice was taken.
    FellBack {
        /// For what, for people.
        what: String,
        /// The first choice.
        from: String,
        /// The second choice.
        to: String,
        /// Why.
        reason: String,
        /// What the first choice was; absent in older logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<FallbackKind>,
    },
    /// The run works with less than it should.
    Degraded {
        /// From 0 (all is well) to 5.
        level: u8,
        /// Why.
        reason: String,
    },
    /// Money was spent.
    Charged {
        /// On which account.
        account: Account,
        /// For what, for people.
        what: String,
        /// How much.
        amount: Money,
        /// The sum of everything spent by the run so far.
        total: Money,
        /// For what; absent in older logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payee: Option<Box<Payee>>,
    },
    /// A budget does not allow the next step.
    BudgetExceeded {
        /// Which budget.
        account: Account,
        /// What was spent.
        spent: Money,
        /// What is allowed.
        budget: Money,
    },
    /// The work of a phase was judged.
    Critiqued {
        /// The phase.
        phase: Phase,
        /// The verdict.
        verdict: CritiqueVerdict,
        /// Why.
        notes: Vec<String>,
        /// The checks it was judged by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checks: Option<Box<CritiqueChecks>>,
    },
    /// An agent told everyone at work in its phase something.
    Broadcast {
        /// The message.
        message: Box<Broadcast>,
    },
    /// An agent asked another one something.
    AgentQueried {
        /// The question.
        query: Box<Query>,
    },
    /// An agent's question was answered, or was not.
    QueryAnswered {
        /// What came of it.
        response: Box<QueryResponse>,
    },
    /// An agent at work noted how far it is.
    AgentNoted {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// What.
        note: Arc<AgentNote>,
    },
    /// Changes of the world are undone.
    Undo(Box<UndoStep>),
    /// Files were read, so that nobody has to read them again.
    FilesRead {
        /// As they were.
        files: Vec<ReadFile>,
    },
    /// Results were checked outside the run.
    ResultsChecked {
        /// What came of it.
        results: Vec<CheckResult>,
    },
    /// Two results that contradict each other were brought together.
    ConflictResolved(Box<ConflictResolution>),
    /// What the run teaches was kept.
    OutcomeRecorded(OutcomeRecord),
    /// No new task is started until the run is resumed.
    RunPaused {
        /// Why.
        reason: String,
    },
    /// Tasks are started again.
    RunResumed {},
    /// Everything that runs is to be stopped.
    StopRequested {
        /// What follows.
        then: Box<AfterStop>,
    },
    /// The run went back to an earlier point.
    RolledBack {
        /// The point.
        to: CheckpointId,
        /// A new limit for what the run may cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run_budget: Option<Money>,
    },
    /// Every task ended and every phase ran.
    RunCompleted {
        /// Tasks that a person chose to leave out.
        skipped: Vec<TaskId>,
    },
    /// The run did not reach its goal.
    RunFailed {
        /// Why.
        error: Box<PlanningError>,
        /// The tasks that failed.
        failed_tasks: Vec<TaskId>,
    },
    /// A limit or a person ended the run.
    RunAborted {
        /// Why.
        error: Box<PlanningError>,
        /// What can be done about it.
        suggestion: String,
        /// The tasks that failed.
        failed_tasks: Vec<TaskId>,
    },
    /// A person cancelled the run.
    RunCancelled {
        /// Why.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_stay_small_because_every_step_makes_and_moves_some() {
        assert!(size_of::<EventBody>() <= 104, "{} bytes: box the large field", size_of::<EventBody>());
    }
}
