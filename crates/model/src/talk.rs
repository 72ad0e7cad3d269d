//! What agents tell and ask each other while a phase is at work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{JsonMap, Phase, TaskId};

text_enum!(
    /// What kind of message it is.
    MessageType {
        /// Something was found that others should know.
        Discovery = "discovery",
        /// Something may go wrong.
        Warning = "warning",
        /// A task is done and others can rely on it.
        Completion = "completion",
        /// The sender needs something of others.
        Request = "request",
    }
);

text_enum!(
    /// How much a message matters.
    MessagePriority {
        /// Can wait.
        Low = "low",
        /// Should be seen soon.
        Medium = "medium",
        /// Much: it is pushed to those at work.
        High = "high",
        /// So much that, if it is a warning, the phase stops and a person is asked.
        Critical = "critical",
    }
);

/// A message to everyone at work in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Broadcast {
    /// The phase on whose bus it is.
    pub phase: Phase,
    /// Agent that sends the message.
    pub from_agent: String,
    /// The task at which they are at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// What kind of message.
    pub message_type: MessageType,
    /// How much it matters.
    pub priority: MessagePriority,
    /// What is said, for people.
    pub content: String,
    /// What is said, as data; a recommendation for instance.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub data: JsonMap,
}

impl Broadcast {
    /// The word that an agent is done with its part of a phase.
    #[must_use]
    pub fn completion(phase: Phase, agent: &str, content: String) -> Self {
        Self {
            phase,
            from_agent: agent.to_owned(),
            task_id: None,
            message_type: MessageType::Completion,
            priority: MessagePriority::Medium,
            content,
            data: JsonMap::new(),
        }
    }

    /// Whether the phase must stop and a person be asked.
    #[must_use]
    pub fn is_alarm(&self) -> bool {
        self.message_type == MessageType::Warning && self.priority == MessagePriority::Critical
    }

    /// Whether it goes to everyone who listens at once; other messages are read when somebody asks.
    #[must_use]
    pub fn is_pressing(&self) -> bool {
        self.message_type == MessageType::Discovery && self.priority >= MessagePriority::High
    }
}

/// What an agent at work says to everyone in its phase. Who says it is not theirs to say: a key such as
/// `fromAgent` is not looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Telling {
    /// What kind of message.
    pub message_type: MessageType,
    /// How much it matters; medium if it is not said.
    #[serde(default = "usual_priority")]
    pub priority: MessagePriority,
    /// What is said, for people.
    pub content: String,
    /// What is said, as data; a recommendation for instance.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub data: JsonMap,
}

const fn usual_priority() -> MessagePriority {
    MessagePriority::Medium
}

/// How large one message or question of an agent may be, as JSON, in bytes.
pub const MAX_TELLING_BYTES: usize = 64 * 1024;

/// How many messages and questions one attempt may send.
pub const MAX_TELLINGS: usize = 1_000;

text_enum!(
    /// What an agent wants of another.
    QueryType {
        /// A value or document.
        Data = "ask_for_data",
        /// Whether something is right.
        Validation = "ask_for_validation",
        /// A judgement.
        Opinion = "ask_for_opinion",
    }
);

/// A question of one agent to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Query {
    /// Names the question within its run.
    pub id: String,
    /// Agent that asks.
    pub from_agent: String,
    /// Task at which it works.
    pub task_id: TaskId,
    /// Agent that is asked.
    pub to_agent: String,
    /// Kind of answer that is wanted.
    pub query_type: QueryType,
    /// Question in words.
    pub query: String,
    /// What one must know to answer.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub context: JsonMap,
    /// How long the asker waits, in milliseconds.
    pub timeout: u64,
}

/// What an agent at work wants to know of another. Who asks is not theirs to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Asking {
    /// Agent that is to be asked.
    pub to_agent: String,
    /// What is wanted; data if it is not said.
    #[serde(default = "usual_query")]
    pub query_type: QueryType,
    /// Question in words.
    pub query: String,
    /// What one must know to answer.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub context: JsonMap,
    /// How long the asker waits, in milliseconds; [`USUAL_QUERY_TIMEOUT`] if it does not say.
    #[serde(default = "usual_timeout")]
    pub timeout: u64,
}

const fn usual_query() -> QueryType {
    QueryType::Data
}

const fn usual_timeout() -> u64 {
    USUAL_QUERY_TIMEOUT
}

/// What an agent answers to a question of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryAnswer {
    /// Answer in the form that the kind of question asks for.
    pub response: serde_json::Value,
    /// How sure it is, from 0 to 100; 50 if it is not said.
    #[serde(default = "half_sure")]
    pub confidence: u8,
}

const fn half_sure() -> u8 {
    50
}

/// How long an agent waits for another's answer if it does not say, in milliseconds.
pub const USUAL_QUERY_TIMEOUT: u64 = 5_000;

/// What came of a question of one agent to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct QueryResponse {
    /// Agent that answered.
    pub from_agent: String,
    /// Agent that had asked.
    pub to_agent: String,
    /// Id of the question that this answers.
    pub query_id: String,
    /// The answer, or why there is none.
    pub response: Result<serde_json::Value, String>,
    /// How sure the answer is, from 0 to 100.
    pub confidence: u8,
    /// How long it took, in milliseconds.
    pub processing_time: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_need_not_say_everything_and_cannot_say_who_it_is() {
        // spec: orchestrator AC-02 AC-08
        let said = r#"{"messageType":"discovery","content":"found","fromAgent":"the_boss"}"#;
        let telling: Telling = crate::from_json(said).unwrap();
        assert_eq!((telling.priority, telling.content.as_str()), (MessagePriority::Medium, "found"));
        let asking: Asking = crate::from_json(r#"{"toAgent":"a","query":"why?"}"#).unwrap();
        assert_eq!((asking.timeout, asking.query_type), (5_000, QueryType::Data));
        let wrong = crate::from_json::<Telling>(r#"{"messageType":"gossip","content":""}"#).unwrap_err();
        assert_eq!(wrong.field, "messageType");
    }
}
