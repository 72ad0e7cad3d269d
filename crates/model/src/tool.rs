//! Tools: what they are, how they are called, what comes back.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::JsonMap;
use crate::text_enum::text_enum;

/// What a tool does to the world, as its maker declares it. What is not said is taken for the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ToolHints {
    /// The tool declares that it only reads.
    pub read_only_hint: bool,
    /// It may destroy something; otherwise it only adds.
    pub destructive_hint: bool,
    /// The same call twice does no more than once.
    pub idempotent_hint: bool,
    /// It reaches beyond a closed domain.
    pub open_world_hint: bool,
}

impl Default for ToolHints {
    fn default() -> Self {
        Self { read_only_hint: false, destructive_hint: true, idempotent_hint: false, open_world_hint: true }
    }
}

impl ToolHints {
    /// A tool that only looks.
    pub const READS: Self =
        Self { read_only_hint: true, destructive_hint: false, idempotent_hint: true, open_world_hint: false };

    /// Whether a call has side effects.
    #[must_use]
    pub const fn changes(self) -> bool {
        !self.read_only_hint
    }

    /// Whether a call can take something away.
    #[must_use]
    pub const fn destroys(self) -> bool {
        self.changes() && self.destructive_hint
    }
}

/// A call of another tool, with `${arguments.NAME}` and `${result.PATH}` where its own arguments come from the
/// call that it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// Tool that is called next.
    pub tool: String,
    /// Arguments of that call.
    #[serde(default)]
    pub arguments: JsonMap,
}

/// The tool that puts a question to a person. It is called by nobody: whoever works on the task asks, and rests.
pub const ASK_PERSON: &str = "ask_person";

/// The built-in tool that writes a file. With `mode` `create`, its default, it fails where a file is there already.
pub const WRITE_FILE: &str = "write_file";

/// A tool that an agent may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// Names it among all tools: `read_file`, or `time.convert_time` for a tool of the server `time`.
    pub name: String,
    /// What it does, in words.
    #[serde(default)]
    pub description: String,
    /// The shape of its arguments, as JSON Schema.
    pub input_schema: Arc<Value>,
    /// What it does to the world.
    #[serde(default)]
    pub hints: ToolHints,
    /// How a call is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<FollowUp>,
    /// How it is found out whether a call was carried out: a read-only tool that succeeds if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<FollowUp>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The same for the same call, also after a restart; it travels to the tool.
    pub key: String,
    /// Name of the tool.
    pub tool: String,
    /// What it is given.
    pub arguments: JsonMap,
}

text_enum!(
    /// What kind of failure a call ended in.
    ToolErrorKind {
        /// There is no such tool, or its server cannot be reached.
        Unavailable = "unavailable",
        /// The arguments do not have the shape that the tool wants.
        InvalidArguments = "invalid_arguments",
        /// Something that the tool needs is not installed.
        MissingDependency = "missing_dependency",
        /// No answer in time.
        Timeout = "timeout",
        /// The line broke in the middle: nobody knows whether it was carried out.
        Lost = "lost",
        /// The tool may not be used, or not like this.
        Denied = "denied",
        /// It was asked to stop.
        Cancelled = "cancelled",
        /// It was carried out, and failed.
        Failed = "failed",
    }
);

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolProblem {
    /// What kind of failure it is.
    pub kind: ToolErrorKind,
    /// Message for people, without codes.
    pub message: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResult {
    /// Whether it did what was asked.
    pub success: bool,
    /// What it said, as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// What it gave, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Set when the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolProblem>,
    /// Whether something was left out because it was too much.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// How long it took.
    #[serde(default)]
    pub duration_ms: u64,
    /// How it is undone, with everything filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<FollowUp>,
}

impl ToolResult {
    /// A call that went well.
    #[must_use]
    pub fn done(content: impl Into<String>, data: Option<Value>) -> Self {
        Self { success: true, content: content.into(), data, ..Self::nothing() }
    }

    /// A call that failed.
    #[must_use]
    pub fn failed(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { error: Some(ToolProblem { kind, message: message.into() }), ..Self::nothing() }
    }

    const fn nothing() -> Self {
        Self {
            success: false,
            content: String::new(),
            data: None,
            error: None,
            cut: false,
            duration_ms: 0,
            undo: None,
        }
    }

    /// Why it failed, in words; empty if it did not.
    #[must_use]
    pub fn error_text(&self) -> &str {
        match &self.error {
            Some(problem) => &problem.message,
            None if self.success => "",
            None => &self.content,
        }
    }
}

text_enum!(
    /// Whether a call whose end nobody knows was carried out.
    Carried {
        /// The call had its effect.
        Done = "done",
        /// The call had no effect.
        NotDone = "not_done",
        /// The answer was lost, so the effect is unknown.
        Unknown = "unknown",
    }
);
