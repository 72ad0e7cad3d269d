//! What phases have looked up outside the run: files, and checks of results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{TaskId, Timestamp};

/// A file as it was read. Its text is kept so that nobody has to read it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// The path, as it was asked for.
    pub path: String,
    /// How large it is.
    #[serde(default)]
    pub bytes: u64,
    /// When it was last changed, if the file system says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Timestamp>,
    /// A digest of its content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// Its beginning, or why it could not be read.
    pub text: Result<String, String>,
}

impl ReadFile {
    /// Whether the text is all of the file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.hash.is_empty() && self.text.as_ref().is_ok_and(|text| text.len() as u64 == self.bytes)
    }
}

/// How a task's result is checked outside the run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CheckKind {
    /// A command that must end with 0.
    Command(Vec<String>),
    /// A file that must be there and not be empty.
    File(String),
    /// A file whose text is wanted: what is seen is its beginning.
    Content(String),
    /// A file that an agent says it wrote. It fails only if there certainly is no such file.
    Written(String),
    /// Files of the working folder that were changed since then must hold no secret.
    Secrets(Timestamp),
    /// A program that must be installed.
    Program(String),
}

impl CheckKind {
    /// The file that it looks at, if it looks at one.
    #[must_use]
    pub const fn path(&self) -> Option<&String> {
        match self {
            Self::File(path) | Self::Content(path) | Self::Written(path) => Some(path),
            Self::Command(_) | Self::Secrets(_) | Self::Program(_) => None,
        }
    }
}

/// A check that a phase wants to have made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedCheck {
    /// The task whose result is checked.
    pub task_id: TaskId,
    /// Command, file or other means of the check.
    pub kind: CheckKind,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckResult {
    /// Check as it was asked for.
    pub check: WantedCheck,
    /// False as well when the check could not be made.
    pub passed: bool,
    /// What was seen: an exit status with the end of the output, a size, why it could not be done.
    pub detail: String,
}
