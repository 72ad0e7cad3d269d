//! What an agent notes while it works: on the run's log, so that whoever takes its work up goes on where it was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{
    AgentType, Choice, Consulted, FollowUp, JsonMap, ListChange, Money, TaskId, TodoItem, TodoStatus,
    TokenUse, ToolCall, ToolHints, ToolResult, WorkStep,
};

text_enum!(
    /// Who speaks in an agent's history.
    SpeakerRole {
        /// What holds throughout, and what was changed.
        System = "system",
        /// The person or the task.
        User = "user",
        /// Text that the model wrote.
        Assistant = "assistant",
        /// Text that a tool returned.
        Tool = "tool",
    }
);

text_enum!(
    /// Where the session of an assistant stands.
    SessionState {
        /// It has its name and is about to begin.
        Opened = "opened",
        /// It goes on after an interruption.
        Resumed = "resumed",
        /// It ended too early; the next attempt goes on with it.
        Interrupted = "interrupted",
        /// It came to its end.
        Ended = "ended",
    }
);

/// One thing that an agent noted. What is noted is durable before anything follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AgentNote {
    /// The steps as they were first planned.
    Planned {
        /// Steps in the order in which they are to be done.
        items: Vec<TodoItem>,
        /// `task`, `model` or `rules`.
        by: String,
    },
    /// A step of a question to a model was made.
    Consulted {
        /// Names the question within the attempt's task.
        ask: String,
        /// Which step of it, from 1.
        number: u32,
        /// What came of it.
        step: Box<Consulted>,
    },
    /// The model chose what to do next.
    Decided {
        /// Action that the agent decided on.
        action: Box<MissionAction>,
    },
    /// A tool is about to be called.
    Called {
        /// The step that it is for.
        item: String,
        /// Call as it was sent.
        call: Box<ToolCall>,
        /// What the tool does to the world. With a change in it this is an intent on the ledger.
        hints: ToolHints,
    },
    /// A tool answered. For a call that changes the world this is the receipt.
    Returned {
        /// Key of the call that returned.
        key: String,
        /// What came of it.
        result: Box<ToolResult>,
    },
    /// A step stands elsewhere now.
    Marked {
        /// Id of the step.
        item: String,
        /// Status that the step has now.
        status: TodoStatus,
        /// How often its tool was tried.
        attempts: u32,
        /// Ground for the status, in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The list was changed.
    Changed {
        /// Change to the list of steps.
        change: Box<ListChange>,
    },
    /// The history got a message.
    Said {
        /// Model or tool.
        role: SpeakerRole,
        /// Text as it was said.
        text: String,
    },
    /// A step is about to be re-planned.
    ReplanTried {
        /// Id of the step that gets another approach.
        task_id: String,
        /// How; empty if nothing was found.
        strategy_type: String,
        /// How likely it helps.
        confidence: f64,
        /// `model` or `rules`, whichever proposed the approach.
        by: String,
    },
    /// What came of planning a step anew.
    ReplanEnded {
        /// Id of the step.
        task_id: String,
        /// How; empty if nothing was found.
        strategy_type: String,
        /// Whether the list was changed.
        success: bool,
        /// Outcome, in words for people.
        summary: String,
        /// The steps that came of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        new_task_ids: Vec<String>,
        /// How long it took.
        duration_ms: u64,
    },
    /// A person wants another approach to a step.
    ReplanAsked {
        /// Id of the step that the person named.
        item: String,
        /// What they say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// A person is asked something; the agent rests until they have answered.
    Asked {
        /// What for: a call that needs leave, a call whose end nobody knows, or a question of the model.
        about: String,
    },
    /// A person answered the agent's question.
    Answered {
        /// Option that was chosen.
        choice: Choice,
    },
    /// Something is not as it should be, and the work goes on.
    Warned {
        /// Text of the warning.
        text: String,
    },
    /// A remote agent works on it.
    Remote {
        /// What it calls the task.
        task: String,
        /// What it calls the conversation.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        context: String,
        /// State in the words of the A2A protocol.
        state: String,
    },
    /// The session of an assistant that keeps its own history: an interrupted task continues it under its name.
    Session {
        /// Program of the assistant, such as `claude`.
        program: String,
        /// What it calls the session.
        id: String,
        /// Where the session stands.
        state: SessionState,
        /// The tokens of its models since the last such note, where it tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<TokenUse>,
        /// What it cost since the last such note, where it tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<Money>,
    },
    /// A component of the code agent did its part: a link of the chain of work.
    Worked {
        /// What the assistant did.
        step: Box<WorkStep>,
    },
}

impl AgentNote {
    /// What was paid for with it.
    #[must_use]
    pub fn cost(&self) -> Money {
        match self {
            Self::Consulted { step, .. } => step.call.as_ref().map_or(Money::ZERO, |call| call.cost),
            Self::Session { cost, .. } => cost.unwrap_or(Money::ZERO),
            _ => Money::ZERO,
        }
    }
}

/// What an agent does next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MissionAction {
    /// Call a tool for the step at hand.
    ToolCall {
        /// Name of the tool.
        tool: String,
        /// What it is given.
        #[serde(default)]
        parameters: JsonMap,
    },
    /// Plan the step at hand anew.
    Replan {
        /// Why the step needs another approach.
        #[serde(default)]
        reason: String,
    },
    /// Put a question to a person.
    AskUser {
        /// Question in words.
        question: String,
    },
    /// Go on without the step at hand.
    Skip {
        /// Why the step is not needed.
        #[serde(default)]
        reason: String,
    },
    /// End the mission with what was found.
    Complete {
        /// What came of it, in words.
        #[serde(default)]
        summary: String,
        /// What came of it, by the names that were expected.
        #[serde(default)]
        outputs: JsonMap,
    },
}

/// A note, and the attempt that it was made in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noted {
    /// Attempt that left the note.
    pub attempt: u32,
    /// Note as it was recorded.
    pub note: AgentNote,
}

/// A change of the world that an agent intended, and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// The idempotency key of the call.
    pub key: String,
    /// Task in which the call was made.
    pub task_id: TaskId,
    /// Attempt in which the call was made.
    pub attempt: u32,
    /// Agent that made the call.
    pub agent_type: AgentType,
    /// Tool that was called.
    pub tool: String,
    /// What it was given.
    pub arguments: JsonMap,
    /// What the tool does to the world.
    pub hints: ToolHints,
    /// What came of it; absent for as long as nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// What came of undoing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<Undone>,
}

/// What came of a change of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Whether it was carried out.
    pub success: bool,
    /// What the tool said, in short.
    #[serde(default)]
    pub summary: String,
    /// How it is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<FollowUp>,
}

/// What came of undoing a change of the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undone {
    /// Whether it is undone.
    pub success: bool,
    /// What was undone, in words.
    pub summary: String,
}

/// How far undoing changes of the world is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum UndoStep {
    /// These are to be undone.
    Requested {
        /// The keys of the calls, the latest first.
        keys: Vec<String>,
    },
    /// One was undone, or could not be.
    Ended {
        /// The key of the call.
        key: String,
        /// What came of it.
        undone: Undone,
    },
}

impl LedgerEntry {
    /// How it could be undone now; nothing if it was not carried out, cannot be undone, or is.
    #[must_use]
    pub fn can_be_undone(&self) -> Option<&FollowUp> {
        let receipt = self.receipt.as_ref().filter(|receipt| receipt.success)?;
        let done = self.undone.as_ref().is_some_and(|undone| undone.success);
        receipt.undo.as_ref().filter(|_| !done)
    }
}
