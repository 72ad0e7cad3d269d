//! The history of a mission: what a model is shown of what was said and done.

use candor_model::{JsonMap, MissionAction, SpeakerRole, ToolCall, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::words::{redact, shorten};

/// How much of a tool's answer is in the history.
const TOOL_CHARS: usize = 2_000;
/// How much of a decision is.
const ACTION_CHARS: usize = 1_000;

/// Where the text of a result is found beside its data, as in references.
const CONTENT: &str = "content";

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who.
    pub role: SpeakerRole,
    /// What.
    pub text: String,
}

impl Message {
    pub(crate) fn new(role: SpeakerRole, text: impl Into<String>) -> Self {
        Self { role, text: text.into() }
    }

    pub(crate) fn of_action(action: &MissionAction) -> Self {
        let text = serde_json::to_string(action).unwrap_or_default();
        Self::new(SpeakerRole::Assistant, shorten(&redact(&text), ACTION_CHARS))
    }

    pub(crate) fn of_result(call: &ToolCall, result: &ToolResult) -> Self {
        let said = if result.success { answer(result) } else { format!("failed: {}", result.error_text()) };
        Self::new(SpeakerRole::Tool, format!("{}: {}", call.tool, shorten(&redact(&said), TOOL_CHARS)))
    }
}

fn answer(result: &ToolResult) -> String {
    match &result.data {
        Some(data) if result.content.is_empty() => data.to_string(),
        _ => result.content.clone(),
    }
}

/// What a result is worth as an output: its data, or its text. Data that only describes the text (the lines of a
/// file, and how long it is) has it beside itself.
pub(crate) fn value_of(result: &ToolResult) -> Value {
    match &result.data {
        None => json!(result.content),
        Some(Value::Object(map)) if says_more(result, map) => {
            let mut map = map.clone();
            map.insert(CONTENT.to_owned(), json!(result.content));
            Value::Object(map)
        }
        Some(data) => data.clone(),
    }
}

/// Whether the text of a result is more than its data in writing.
fn says_more(result: &ToolResult, data: &JsonMap) -> bool {
    let text = result.content.trim();
    let is_in_data = |value: &Value| value.as_str().is_some_and(|part| part.trim() == text);
    let is_data = || serde_json::from_str::<JsonMap>(text).is_ok_and(|written| written == *data);
    !text.is_empty() && !data.contains_key(CONTENT) && !data.values().any(is_in_data) && !is_data()
}
