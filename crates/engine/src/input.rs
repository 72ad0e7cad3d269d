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
    /// Starts the run; taken once, before anything else.
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
        /// Findings by rule, those that only warn included.
        report: Box<GuardReport>,
    },
    /// A phase's work is done.
    PhaseDone {
        /// Phase whose work was asked for.
        phase: Phase,
        /// Which try it was.
        attempt: u32,
        /// What came of it.
        report: Box<PhaseReport>,
    },
    /// A phase's work could not be done.
    PhaseFailed {
        /// Phase whose work was asked for.
        phase: Phase,
        /// Which try it was.
        attempt: u32,
        /// What was missing, in a sentence for people.
        reason: String,
    },
    /// Someone looked for an agent for a task that was born in a revision.
    Routed {
        /// Task without an agent.
        task_id: TaskId,
        /// Everyone who could do it, best first; or why there is no answer.
        ranking: Result<Vec<RankedAgent>, String>,
    },
    /// A person wants another approach to a task.
    Replan {
        /// Task that has not ended.
        task_id: TaskId,
        /// One step of it only, if the agent works through a list of steps.
        step: Option<String>,
        /// What they say about it.
        note: Option<String>,
    },
    /// Another approach was looked for to a task that failed for good.
    Revised {
        /// Task that failed for good, or that a person wants done in another way.
        task_id: TaskId,
        /// Which revision of the run it is.
        number: u32,
        /// What a model proposes; or why there is no answer.
        proposal: Result<Box<RevisionProposal>, String>,
    },
    /// An agent answered, or its driver answers for it.
    AgentReported {
        /// Task that the agent was given.
        task_id: TaskId,
        /// Which attempt at the task it was, from 1.
        attempt: u32,
        /// What came of it.
        feedback: Box<ExecutionFeedback>,
    },
    /// An attempt that was to be stopped has stopped.
    AgentStopped {
        /// Task that the agent was given.
        task_id: TaskId,
        /// Which attempt at the task it was, from 1.
        attempt: u32,
    },
    /// An attempt could not be begun, because this machine had no resources left for it.
    AgentNotStarted {
        /// Task that is to be given out again.
        task_id: TaskId,
        /// Which attempt at the task it was, from 1.
        attempt: u32,
        /// What could not be done, and what was missing.
        reason: String,
    },
    /// An agent at work noted how far it is.
    Noted {
        /// Task that the agent was given.
        task_id: TaskId,
        /// Which attempt at the task it is, from 1.
        attempt: u32,
        /// A call, a result, a step or a warning, as the agent wrote it.
        note: Arc<AgentNote>,
    },
    /// An agent needs a person's word, and rests until it has it.
    AgentAsks {
        /// Task that the agent was given.
        task_id: TaskId,
        /// Which attempt at the task it is, from 1.
        attempt: u32,
        /// Question with its options.
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
        /// Budget that is charged.
        account: Account,
        /// Agent, model or phase that the money went to.
        payee: Payee,
        /// Added to what the account has spent.
        amount: Money,
    },
    /// A model is about to be called: what it can cost at most is to be set aside.
    Consulting {
        /// Names the question.
        ask: AskKey,
        /// Tier of models that is asked.
        tier: Tier,
        /// Written as `provider/model`.
        model: String,
        /// The most that it can cost.
        reserved: Money,
    },
    /// A step of a question to a model was made.
    Consulted {
        /// Names the question.
        ask: AskKey,
        /// Which step it was, from 1.
        number: u32,
        /// What came of it.
        step: Box<Consulted>,
    },
    /// The breaker of an agent opened or closed.
    Breaker {
        /// Agent whose calls the breaker counts.
        agent_type: AgentType,
        /// Why it opened, and when the agent is tried again; absent if it closed.
        opened: Option<(String, Timestamp)>,
    },
    /// The breaker of a model opened or closed.
    ModelBreaker {
        /// Written as `provider/model`.
        model: String,
        /// Why it opened; absent if it closed.
        opened: Option<String>,
    },
    /// An agent or a phase told everyone at work something.
    Broadcast {
        /// Sender, kind, priority and words.
        message: Arc<Broadcast>,
        /// By what contradictions between agents are settled here.
        rules: Box<ConflictRules>,
    },
    /// An agent asks another one something.
    Query {
        /// Who asks whom what, and for how long the answer is waited for.
        query: Box<Query>,
    },
    /// An agent's question was answered, or was not.
    QueryAnswered {
        /// What came of it.
        response: Box<QueryResponse>,
    },
    /// The guardrails have found something in what was read on the way.
    Flagged {
        /// Rule, severity and what it is about.
        finding: GuardFinding,
    },
    /// Files were read, as far as they are there.
    FilesRead {
        /// Each with its text, or with why it could not be read.
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
        /// Names the question that is open.
        gate: GateId,
        /// Must fit the kind of the question.
        answer: Answer,
    },
    /// Start no new task for now.
    Pause {
        /// For people; may be empty.
        reason: String,
    },
    /// Gives tasks out again, after a pause or after an end that can be taken back.
    Resume,
    /// Ends the run, once everything that runs has stopped.
    Cancel {
        /// For people; may be empty.
        reason: String,
    },
    /// Go back to an earlier point; also possible after the run's end.
    RollBack {
        /// One of the run's checkpoints.
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
    /// The time has come that [`RunState::next_timeout`](crate::RunState::next_timeout) named.
    Tick,
}
