//! Why an input cannot be taken. A refusal changes nothing.

use candor_model::{
    Account, AgentType, AskKey, CheckpointId, GateId, Money, Phase, PlanId, PlanningError, RunStatus, TaskId,
};
use candor_planning::approval::AdjustmentError;

/// Why an input cannot be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The run has not begun.
    #[error("the run has not been started yet")]
    NotStarted,
    /// There is nothing to be done.
    #[error("the request is empty; say in plain words what is to be done")]
    EmptyRequest,
    /// The words cannot be worked with.
    #[error("{reason}")]
    BadRequest {
        /// What is wrong with them, and what to do.
        reason: String,
    },
    /// The run carries out a plan that the person wrote: other words do not change its tasks.
    #[error(
        "this run began with a plan of your own, which other words do not change; begin a new one with \
         `candor run \"…\"`, or restart it without --prompt"
    )]
    OwnPlan,
    /// The guardrails have said this already, or are not asked.
    #[error("look {attempt} of the guardrails is not wanted; it comes too late or twice")]
    StaleGuard {
        /// Number of the look, from 1.
        attempt: u32,
    },
    /// The answer is about another plan than the one that is shown.
    #[error(
        "the plan that is shown has the digest {shown}, the answer is about {given}: look at it again with \
         `candor status`"
    )]
    OtherPlan {
        /// The digest of the plan that is shown.
        shown: String,
        /// The digest in the answer.
        given: String,
    },
    /// The answer is none of those that can be given now.
    #[error("`{given}` cannot be chosen at {gate}; what can: {offered}")]
    NotOffered {
        /// Names the question.
        gate: GateId,
        /// Option in the answer.
        given: String,
        /// What can be chosen.
        offered: String,
    },
    /// The answer needs words.
    #[error("{gate}: `{option}` takes words of your own, and there are none")]
    WordsMissing {
        /// Names the question.
        gate: GateId,
        /// Option in the answer.
        option: String,
    },
    /// Models have used what they may.
    #[error("models have used {used} tokens of the {allowed} that are allowed")]
    NoTokens {
        /// Tokens of all calls so far.
        used: u64,
        /// Tokens that the settings allow.
        allowed: u64,
    },
    /// The run cannot go back to that phase.
    #[error("the run cannot go back to phase `{given}`; it can go back to: {known}")]
    UnknownPhase {
        /// What was asked for.
        given: String,
        /// The phases it can go back to.
        known: String,
    },
    /// An agent's question cannot be put.
    #[error("the question {id} cannot be put: {reason}")]
    BadQuery {
        /// Names the question within the run.
        id: String,
        /// What stands against it, for the agent that asked.
        reason: String,
    },
    /// The run has begun already.
    #[error("the run was started before; look at its status, or start a new run")]
    AlreadyStarted,
    /// The run is over.
    #[error("the run has ended ({status}); it can only be rolled back or restarted")]
    Ended {
        /// Final status of the run.
        status: RunStatus,
    },
    /// Everything is being stopped already.
    #[error("the run is being stopped; wait until it has ended")]
    Stopping,
    /// The run is paused already.
    #[error("the run is paused already; resume it to go on")]
    AlreadyPaused,
    /// The run is not paused.
    #[error("the run is not paused")]
    NotPaused,
    /// The phase is not at work, or it is another try.
    #[error("phase {phase} (try {attempt}) is not at work; its result comes too late and is not used")]
    StalePhase {
        /// Phase that reported.
        phase: Phase,
        /// Number of the try that reported, from 1.
        attempt: u32,
    },
    /// A phase reported something that another phase should report.
    #[error("phase {phase} must report {expected}")]
    WrongPhaseResult {
        /// Phase that reported.
        phase: Phase,
        /// Result that this phase must give, in words.
        expected: &'static str,
    },
    /// There is no such task in the plan.
    #[error("the plan has no task {task_id}")]
    UnknownTask {
        /// Id that no task of the plan has.
        task_id: TaskId,
    },
    /// The attempt is not running: its outcome is known, or it was never made.
    #[error(
        "attempt {attempt} at task {task_id} is not running; this outcome comes too late or twice and is not used"
    )]
    StaleOutcome {
        /// Task in the outcome.
        task_id: TaskId,
        /// Attempt in the outcome.
        attempt: u32,
    },
    /// Nobody wants this undone.
    #[error("nobody asked for {key} to be undone, or it is undone already")]
    NotUndoing {
        /// Key of the change in the ledger of effects.
        key: String,
    },
    /// The attempt has not been asked to stop.
    #[error("attempt {attempt} at task {task_id} was not asked to stop")]
    NotStopping {
        /// Task in the report.
        task_id: TaskId,
        /// Attempt in the report.
        attempt: u32,
    },
    /// An agent answered for another task than it was given.
    #[error("the answer to task {task_id} speaks of task {answered}")]
    WrongTask {
        /// The task that was given.
        task_id: TaskId,
        /// The task that was answered.
        answered: TaskId,
    },
    /// The task does not wait for an agent.
    #[error("task {task_id} does not need an agent")]
    NotUnrouted {
        /// Task that has an agent, or has ended.
        task_id: TaskId,
    },
    /// Nothing can be changed about the task now.
    #[error("there is no other approach to task {task_id}: {why}")]
    NoOtherApproach {
        /// Task for which another approach was wanted.
        task_id: TaskId,
        /// Why, and what can be done.
        why: String,
    },
    /// The task waits for no revision of this number.
    #[error("task {task_id} waits for no revision {number}; it comes too late or twice")]
    NotRevising {
        /// Task in the proposal.
        task_id: TaskId,
        /// Number of the revision in the proposal.
        number: u32,
    },
    /// There is no such agent.
    #[error("there is no agent {agent_type}; known agents: {known}")]
    UnknownAgent {
        /// Name that no agent of the run has.
        agent_type: AgentType,
        /// Those that there are.
        known: String,
    },
    /// The question is not open.
    #[error(
        "there is no open question {gate}: it was answered, withdrawn or never asked; open questions: {open}"
    )]
    UnknownGate {
        /// Name in the answer.
        gate: GateId,
        /// Those that are open.
        open: String,
    },
    /// The answer does not fit the question.
    #[error("question {gate} needs {expected}")]
    WrongAnswer {
        /// Names the question.
        gate: GateId,
        /// Answers that the question takes, in words.
        expected: &'static str,
    },
    /// The decision is about another plan.
    #[error("the decision is about plan {given}, the question about plan {expected}")]
    WrongPlan {
        /// The plan in the decision.
        given: PlanId,
        /// The plan in the question.
        expected: PlanId,
    },
    /// An adjustment cannot be made.
    #[error(transparent)]
    Adjustment(#[from] AdjustmentError),
    /// The adjusted plan cannot be carried out.
    #[error("the adjusted plan cannot be carried out: {0}")]
    AdjustedPlan(PlanningError),
    /// The question is being put to a model already.
    #[error("{ask} is being asked already")]
    AlreadyAsked {
        /// Names the question that is under way.
        ask: AskKey,
    },
    /// What is to be put to a model gives orders, and the guardrails are set to block that.
    #[error("blocked by the guardrail prompt_injection: {reason}")]
    Guarded {
        /// Finding of the guardrail.
        reason: String,
    },
    /// An attempt has sent as many messages as it may.
    #[error("an attempt may send at most {most} messages")]
    TooManyMessages {
        /// How many it may send.
        most: usize,
    },
    /// The step of the question is known already, or was never begun.
    #[error("step {number} of {ask} is not under way; it comes too late or twice and is not used")]
    StaleAsk {
        /// Names the question.
        ask: AskKey,
        /// Number of the step that was reported.
        number: u32,
    },
    /// What a call can cost is not left.
    #[error(
        "the {account} budget does not allow a call that can cost ${needed}: ${spent} of ${budget} are spent \
         and ${aside} set aside"
    )]
    NoMoney {
        /// Planning or execution.
        account: Account,
        /// What was spent of it.
        spent: Money,
        /// What is set aside.
        aside: Money,
        /// Limit of the account.
        budget: Money,
        /// What the call can cost at most.
        needed: Money,
    },
    /// There is no such point to go back to.
    #[error("there is no checkpoint {to}; known: {known}")]
    UnknownCheckpoint {
        /// Checkpoint that was asked for.
        to: CheckpointId,
        /// Those that there are.
        known: String,
    },
}
