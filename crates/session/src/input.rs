//! What comes into a session, and what those who wait for something get back.

use candor_engine::{Input, Refusal};
use candor_model::{
    AgentAnswer, AgentNote, AgentType, Ask, AskId, Asking, CheckResult, ChoiceRequest, Consulted, Failure,
    Money, QueryAnswer, QueryResponse, ReadFile, Seconds, TaskId, Telling, Undone,
};
use serde_json::Value;

/// Names an attempt within its run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptKey {
    /// Task that is attempted.
    pub task_id: TaskId,
    /// Which attempt at it, whoever makes it.
    pub attempt: u32,
}

/// Names something that was requested from outside and is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestId {
    /// An attempt of an agent.
    Attempt(AttemptKey),
    /// A call of a model.
    Model {
        /// The ask that it is a step of.
        ask: AskId,
        /// Which step of it, from 1: a retry and another model are steps of their own.
        number: u32,
    },
    /// Texts to embed; one batch at a time.
    Embed,
    /// Files to read; one batch at a time.
    Files,
    /// Checks of results that only the outside can make: files, commands.
    Checks {
        /// For which try of the validation.
        attempt: u32,
    },
    /// A question to an agent.
    Query {
        /// Name of the question, unique in its run.
        id: String,
    },
    /// A change of the world to undo.
    Undo {
        /// The key of the call, or of the file.
        key: String,
    },
}

/// What comes to a session.
#[derive(Debug, Clone)]
pub enum SessionInput {
    /// A person's command, or the passing of time.
    Command(Input),
    /// What came of an effect.
    Outcome(Outcome),
    /// An agent at work wants something.
    Agent {
        /// The attempt that it makes.
        from: AttemptKey,
        /// A note, a message, a question, or a call of a model.
        request: AgentRequest,
    },
}

/// What came of an effect.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// An attempt has ended.
    Attempt(Box<Ended>),
    /// A call of a model was made.
    Model {
        /// The ask that it is a step of.
        ask: AskId,
        /// Which step of it, as it was requested.
        number: u32,
        /// The call, and what follows from it.
        step: Box<Consulted>,
    },
    /// Texts were embedded and are at hand, or why they are not.
    Embedded(Result<(), String>),
    /// Files were read, as far as they are there.
    Files(Vec<ReadFile>),
    /// Checks of results were made.
    Checks {
        /// For which try of the validation.
        attempt: u32,
        /// What each check saw, in the order in which they were wanted.
        results: Vec<CheckResult>,
    },
    /// An agent answered a question, or did not.
    Response(Box<QueryResponse>),
    /// A change was undone, or could not be.
    Undone {
        /// The key of the call, or of the file.
        key: String,
        /// What came of it.
        undone: Undone,
    },
}

impl Outcome {
    /// The request that this answers.
    #[must_use]
    pub fn request(&self) -> RequestId {
        match self {
            Self::Attempt(ended) => RequestId::Attempt(ended.key.clone()),
            Self::Model { ask, number, .. } => RequestId::Model { ask: ask.clone(), number: *number },
            Self::Embedded(_) => RequestId::Embed,
            Self::Files(_) => RequestId::Files,
            Self::Checks { attempt, .. } => RequestId::Checks { attempt: *attempt },
            Self::Response(response) => RequestId::Query { id: response.query_id.clone() },
            Self::Undone { key, .. } => RequestId::Undo { key: key.clone() },
        }
    }
}

/// The end of an attempt.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Attempt that has ended.
    pub key: AttemptKey,
    /// Who was at work; nobody if the attempt was not made.
    pub agent: Option<AgentType>,
    /// Whether there is an answer, and why not.
    pub end: AttemptEnd,
    /// How long it took.
    pub duration: Seconds,
    /// What the agent usually costs.
    pub price: Money,
}

/// How an attempt ended.
#[derive(Debug, Clone)]
pub enum AttemptEnd {
    /// The agent answered; its answer may say that it failed.
    Answered(Box<AgentAnswer>),
    /// The agent was asked to stop, and did.
    Stopped,
    /// It needs a person's answer, and goes on with the same attempt when it has it.
    Waiting(Box<ChoiceRequest>),
    /// This machine had no resources left to begin with it.
    NoResources(String),
    /// There is no answer.
    Failed(Box<Failure>),
}

/// What an agent at work wants.
#[derive(Debug, Clone)]
pub enum AgentRequest {
    /// To have its progress, a call of a tool or a cost put on the log.
    Note(AgentNote),
    /// To tell everyone at work something.
    Tell(Telling),
    /// To ask another agent.
    Ask(Asking),
    /// To ask a model; the steps are noted under `name`, and what was answered under it before is not asked again.
    Consult {
        /// Name of the call within its attempt.
        name: String,
        /// Prompt, and what its answer must be like.
        ask: Box<Ask>,
        /// What the answer may cost.
        left: Money,
        /// How long it may take.
        within: Seconds,
    },
}

/// Names an input that was taken, for whoever waits until it is durable or answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(pub(crate) u64);

/// What became of an input: its answer, or why it was not taken after all.
pub type Reply = Result<Answer, Refusal>;

/// The answer to an input.
#[derive(Debug, Clone)]
pub enum Answer {
    /// What follows from it is on the log.
    Durable,
    /// What another agent answered, or why there is no answer.
    Query(Result<QueryAnswer, String>),
    /// What a model answered, or why none did.
    Model {
        /// Answer of the last step, or why no model gave one.
        answer: Result<Value, String>,
        /// The steps that were noted for it.
        notes: Vec<AgentNote>,
    },
}
