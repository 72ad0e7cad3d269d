//! Everything that can happen in a run.

use crate::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};

/// One thing that happened in a run; the run's state is the fold over them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EventBody {
    /// The first event of every run.
    RunStarted {
        /// Id of the run that begins.
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
        /// Findings, and whether they stop the run.
        report: Box<GuardReport>,
    },
    /// The run goes on with other words, from the evaluation on.
    PromptChanged {
        /// The words, and where they come from.
        change: Box<PromptChange>,
    },
    /// A phase began, for the first time or again.
    PhaseStarted {
        /// Phase that begins.
        phase: Phase,
        /// Which try it is; more than 1 after a rollback.
        attempt: u32,
    },
    /// A phase ended well.
    PhaseCompleted {
        /// Phase whose result holds from here on.
        phase: Phase,
        /// What it leaves for the next one.
        handoff: Arc<Handoff>,
        /// What it took, and how well it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metrics: Option<Box<PhaseMetrics>>,
    },
    /// A phase ended without a result.
    PhaseFailed {
        /// Phase that ended without a result.
        phase: Phase,
        /// Cause in the program's own words.
        reason: String,
    },
    /// A phase went on without something that it should have.
    PhaseDegraded {
        /// Phase that went on.
        phase: Phase,
        /// What is missing, and what took its place.
        reason: String,
    },
    /// A guardrail found something.
    GuardrailTripped {
        /// Code of the rule.
        rule: String,
        /// How serious it is.
        severity: Severity,
        /// Finding in words for people.
        reason: String,
    },
    /// The goal was understood.
    GoalDefined {
        /// Goal as it was understood.
        goal: Arc<Goal>,
    },
    /// The request's quality was judged.
    PromptScored {
        /// From 0 to 100.
        score: u8,
        /// What is wrong with it.
        issues: Vec<String>,
        /// Judgement with all its parts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evaluation: Option<Box<Evaluation>>,
    },
    /// A plan passed validation and waits to run.
    PlanProposed {
        /// Which shape of the plan this is.
        version: PlanVersion,
        /// Plan that passed validation.
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
        /// Question of the person, as it was typed.
        question: String,
        /// Answer, which changes nothing of the plan.
        answer: String,
    },
    /// A person changed the plan.
    PlanAdjusted {
        /// Which shape of the plan this is.
        version: PlanVersion,
        /// Fields with their new values.
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
        /// Reason that the person gave; empty if none.
        comments: String,
    },
    /// A task got its agent.
    TaskRouted {
        /// Task that was assigned.
        task_id: TaskId,
        /// Agent that it was assigned to.
        agent_type: AgentType,
        /// Everyone who could do it, best first.
        ranking: Vec<RankedAgent>,
    },
    /// A task was given to an agent.
    TaskDispatched {
        /// Task that was given out.
        task_id: TaskId,
        /// Which attempt it is; with run and task it makes the key that is never used twice.
        attempt: u32,
        /// Agent that got the order.
        agent_type: AgentType,
        /// When it must have answered.
        deadline: Timestamp,
        /// What was set aside for it.
        reserved: Money,
    },
    /// An attempt whose driver was gone is made again, under the same key and with a new deadline.
    TaskTakenUp {
        /// Task whose attempt is made again.
        task_id: TaskId,
        /// Number of that attempt, which does not count as a new one.
        attempt: u32,
        /// When it must have answered.
        deadline: Timestamp,
    },
    /// An attempt ended with outputs.
    TaskSucceeded {
        /// Task that is done.
        task_id: TaskId,
        /// Number of the attempt that did it.
        attempt: u32,
        /// What came of it.
        feedback: Arc<ExecutionFeedback>,
    },
    /// An attempt failed, or a task can never start.
    TaskFailed {
        /// Task that failed or can never start.
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
        /// Task whose attempt was stopped.
        task_id: TaskId,
        /// Number of the attempt that was stopped.
        attempt: u32,
        /// What made the result unnecessary or too late.
        reason: StopReason,
    },
    /// A person decided to go on without a task.
    TaskSkipped {
        /// Task that is left out.
        task_id: TaskId,
        /// Reason that the person gave; empty if none.
        comments: String,
    },
    /// Another approach to a task is asked for.
    Revision(RevisionStep),
    /// A task failed and nothing more is tried; what does not need it goes on, and then the run ends.
    TaskGivenUp {
        /// Task that stays failed.
        task_id: TaskId,
        /// Why nothing more is tried.
        error: Box<PlanningError>,
    },
    /// A task's result does not hold: it is done once more.
    TaskReopened {
        /// Task that is done once more.
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
        /// Text for people, with its severity.
        notification: Box<Notification>,
    },
    /// The run came further.
    Progressed {
        /// Share that is done and the sentence for it.
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
        /// Failure, strategy and changed tasks.
        revision: Box<PlanRevision>,
    },
    /// Confidence in the run rose or fell.
    ConfidenceChanged {
        /// Confidence until now.
        before: Confidence,
        /// Confidence from here on.
        after: Confidence,
        /// Event that moved it.
        cause: ConfidenceCause,
    },
    /// A task failed so often that a person is needed.
    Escalated {
        /// What they are told.
        request: Box<FailureEscalationRequest>,
    },
    /// A question was put to a person.
    HumanAsked {
        /// Gate under which the answer is recorded.
        gate: GateId,
        /// Question as it is shown.
        question: Box<Question>,
    },
    /// A question that was open has its answer.
    HumanAnswered {
        /// The question that was answered.
        gate: GateId,
        /// Choice, and the words that came with it.
        answer: Box<Answer>,
    },
    /// A question no longer needs an answer.
    QuestionWithdrawn {
        /// Gate of the question that nobody needs to answer any more.
        gate: GateId,
        /// What made it unnecessary.
        reason: String,
    },
    /// An agent is not used for a while.
    BreakerOpened {
        /// Agent that gets no orders for a while.
        agent_type: AgentType,
        /// Failure that opened it.
        reason: String,
        /// When it is tried again, with one task at a time; not until it is closed if nobody knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// An agent's circuit is half-open: it gets one task at a time.
    BreakerTried {
        /// Agent that gets a single order as a trial.
        agent_type: AgentType,
    },
    /// A task waits for an agent that is not used for a while, because nobody else fits it.
    BreakerAwaited {
        /// Agent that tasks wait for.
        agent_type: AgentType,
        /// When it is tried again.
        until: Timestamp,
    },
    /// An agent is used again.
    BreakerClosed {
        /// Agent that gets orders again.
        agent_type: AgentType,
    },
    /// A model is not used for a while.
    ModelBreakerOpened {
        /// Provider and model as one name.
        model: String,
        /// Failure that opened it.
        reason: String,
    },
    /// A model is used again.
    ModelBreakerClosed {
        /// Provider and model as one name.
        model: String,
    },
    /// A model is about to be called.
    ModelAsked {
        /// The call, with what is set aside for it.
        call: Box<OpenCall>,
    },
    /// A step of an ask was made: a call and its judgement, or a step that needed no call.
    ModelConsulted {
        /// Question by its key, which is the same after a restart.
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
        /// Model or agent that was not available.
        from: String,
        /// What took its place.
        to: String,
        /// Cause in the program's own words.
        reason: String,
        /// What the first choice was; absent in older logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<FallbackKind>,
    },
    /// The run works with less than it should.
    Degraded {
        /// From 0 (all is well) to 5.
        level: u8,
        /// What is missing at this level.
        reason: String,
    },
    /// Money was spent on planning or execution.
    Charged {
        /// Budget that it counts against.
        account: Account,
        /// For what, for people.
        what: String,
        /// Sum of this charge alone.
        amount: Money,
        /// The sum of everything spent by the run so far.
        total: Money,
        /// For what; absent in older logs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        payee: Option<Box<Payee>>,
    },
    /// A budget does not allow the next step.
    BudgetExceeded {
        /// Budget that is spent.
        account: Account,
        /// Spent when the check was made.
        spent: Money,
        /// Limit of that budget.
        budget: Money,
    },
    /// The work of a phase was judged.
    Critiqued {
        /// Phase whose result was judged.
        phase: Phase,
        /// Go on, or repeat the phase.
        verdict: CritiqueVerdict,
        /// Findings, one sentence each.
        notes: Vec<String>,
        /// The checks it was judged by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checks: Option<Box<CritiqueChecks>>,
    },
    /// An agent told everyone at work in its phase something.
    Broadcast {
        /// Message to all other agents of the run.
        message: Arc<Broadcast>,
    },
    /// An agent asked another one something.
    AgentQueried {
        /// Question of one agent to another.
        query: Box<Query>,
    },
    /// An agent's question was answered, or was not.
    QueryAnswered {
        /// What came of it.
        response: Box<QueryResponse>,
    },
    /// An agent at work noted how far it is.
    AgentNoted {
        /// Task at which the agent works.
        task_id: TaskId,
        /// Number of its attempt.
        attempt: u32,
        /// What the agent left on record.
        note: Arc<AgentNote>,
    },
    /// Changes of the world are undone.
    Undo(Box<UndoStep>),
    /// Files were read, so that nobody has to read them again.
    FilesRead {
        /// Contents at the moment of reading.
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
        /// Reason for people.
        reason: String,
    },
    /// Tasks are started again.
    RunResumed {},
    /// Everything that runs is to be stopped.
    StopRequested {
        /// What happens once running attempts have ended.
        then: Box<AfterStop>,
    },
    /// The run went back to an earlier point.
    RolledBack {
        /// Checkpoint that holds again.
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
        /// Cause, with its stable code.
        error: Box<PlanningError>,
        /// The tasks that failed.
        failed_tasks: Vec<TaskId>,
    },
    /// A limit or a person ended the run.
    RunAborted {
        /// Cause, with its stable code.
        error: Box<PlanningError>,
        /// What can be done about it.
        suggestion: String,
        /// The tasks that failed.
        failed_tasks: Vec<TaskId>,
    },
    /// A person cancelled the run.
    RunCancelled {
        /// Reason that was given.
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
