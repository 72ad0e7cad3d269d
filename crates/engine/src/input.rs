//! What can be asked of a run or reported to it.

use std::sync::Arc;

use candor_model::{
    Account, AgentNote, AgentType, Answer, AskKey, Broadcast, CheckResult, CheckpointId, ChoiceRequest,
    Consulted, ExecutionFeedback, GateId, GuardFinding, GuardReport, Money, Payee, Phase, Query,
    QueryResponse, RankedAgent, ReadFile, RevisionProposal, RunOrigin, RunSettings, StartMaterial, TaskId,
    Tier, Timestamp, Undone,
};
use candor_planning::conflict::ConflictRules;
use candor_planning::phase::PhaseReport;

/// A command of a person, an outcome of an effect, or the passing of time.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Begin.
    Start {
        /// The person's own words.
        request: String,
        /// The limits that hold for this run.
        settings: Box<RunSettings>,
        /// What the person brings beside the words: a goal or a plan of their own.
        material: Option<Box<StartMaterial>>,
        /// Who begins it, where, and after what.
        origin: Option<Box<RunOrigin>>,
    },
    /// The guardrails have looked at the request.
    Guarded {
        /// Which look it was.
        attempt: u32,
        /// What they found.
        report: Box<GuardReport>,
    },
    /// A phase's work is done.
    PhaseDone {
        /// The phase.
        phase: Phase,
        /// Which try it was.
        attempt: u32,
        /// What came of it.
        report: Box<PhaseReport>,
    },
    /// A phase's work could not be done.
    PhaseFailed {
        /// The phase.
        phase: Phase,
        /// Which try it was.
        attempt: u32,
        /// Why.
        reason: String,
    },
    /// Someone looked for an agent for a task that was born in a revision.
    Routed {
        /// The task.
        task_id: TaskId,
        /// Everyone who could do it, best first; or why there is no answer.
        ranking: Result<Vec<RankedAgent>, String>,
    },
    /// A person wants another approach to a task.
    Replan {
        /// The task.
        task_id: TaskId,
        /// One step of it only, if the agent works through a list of steps.
        step: Option<String>,
        /// What they say about it.
        note: Option<String>,
    },
    /// Another approach was looked for to a task that failed for good.
    Revised {
        /// The task.
        task_id: TaskId,
        /// Which revision of the run it is.
        number: u32,
        /// What a model proposes; or why there is no answer.
        proposal: Result<Box<RevisionProposal>, String>,
    },
    /// An agent answered, or its driver answers for it.
    AgentReported {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// What came of it.
        feedback: Box<ExecutionFeedback>,
    },
    /// An attempt that was to be stopped has stopped.
    AgentStopped {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
    },
    /// An attempt could not be begun, because this machine had no resources left for it.
    AgentNotStarted {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// What could not be done, and what was missing.
        reason: String,
    },
    /// An agent at work noted how far it is.
    Noted {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// What.
        note: Arc<AgentNote>,
    },
    /// An agent needs a person's word, and rests until it has it.
    AgentAsks {
        /// The task.
        task_id: TaskId,
        /// The attempt.
        attempt: u32,
        /// What is asked.
        request: Box<ChoiceRequest>,
    },
    /// A change of the world was undone, or could not be.
    Undone {
        /// What was to be undone.
        key: String,
        /// What came of it.
        undone: Undone,
    },
    /// Money was spent outside an agent's attempt, on a model's call for instance.
    Spent {
        /// On which account.
        account: Account,
        /// For what.
        payee: Payee,
        /// How much.
        amount: Money,
    },
    /// A model is about to be called: what it can cost at most is to be set aside.
    Consulting {
        /// What is asked.
        ask: AskKey,
        /// The tier.
        tier: Tier,
        /// Provider and model.
        model: String,
        /// The most that it can cost.
        reserved: Money,
    },
    /// A step of a question to a model was made.
    Consulted {
        /// What was asked.
        ask: AskKey,
        /// Which step it was, from 1.
        number: u32,
        /// What came of it.
        step: Box<Consulted>,
    },
    /// The breaker of an agent opened or closed.
    Breaker {
        /// The agent.
        agent_type: AgentType,
        /// Why it opened, and when the agent is tried again; absent if it closed.
        opened: Option<(String, Timestamp)>,
    },
    /// The breaker of a model opened or closed.
    ModelBreaker {
        /// Provider and model.
        model: String,
        /// Why it opened; absent if it closed.
        opened: Option<String>,
    },
    /// An agent or a phase told everyone at work something.
    Broadcast {
        /// The message.
        message: Arc<Broadcast>,
        /// By what contradictions between agents are settled here.
        rules: Box<ConflictRules>,
    },
    /// An agent asks another one something.
    Query {
        /// The question.
        query: Box<Query>,
    },
    /// An agent's question was answered, or was not.
    QueryAnswered {
        /// What came of it.
        response: Box<QueryResponse>,
    },
    /// The guardrails have found something in what was read on the way.
    Flagged {
        /// What.
        finding: GuardFinding,
    },
    /// Files were read, as far as they are there.
    FilesRead {
        /// As they are.
        files: Vec<ReadFile>,
    },
    /// Results were checked outside the run.
    ResultsChecked {
        /// Which try of the validation wanted it.
        attempt: u32,
        /// What came of it.
        results: Vec<CheckResult>,
    },
    /// A person answered a question.
    Answered {
        /// The question.
        gate: GateId,
        /// The answer.
        answer: Answer,
    },
    /// Start no new task for now.
    Pause {
        /// Why.
        reason: String,
    },
    /// Start tasks again.
    Resume,
    /// End the run.
    Cancel {
        /// Why.
        reason: String,
    },
    /// Go back to an earlier point; also possible after the run's end.
    RollBack {
        /// The point.
        to: CheckpointId,
        /// A new limit for what the run may cost.
        run_budget: Option<Money>,
    },
    /// Restart, with what was spent and tried kept in mind.
    Restart {
        /// Other words; those the run began with if absent.
        prompt: Option<String>,
    },
    /// A driver took the run up after the one before it was gone; what was under way is made again.
    TakenUp,
    /// Time has passed.
    Tick,
}
