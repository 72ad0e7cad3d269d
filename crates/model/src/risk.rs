//! What an act does to the world, and whether it can be taken back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TaskId;
use crate::text_enum::text_enum;

text_enum!(
    /// What an act does to the world. All but the first two ask a person first.
    RiskClass {
        /// Reads only.
        Read = "read",
        /// It changes something, and that can be undone.
        Change = "change",
        /// It changes something for good.
        Irreversible = "irreversible",
        /// It brings something into production, or makes it public.
        Deploy = "deploy",
        /// It takes something away.
        Delete = "delete",
        /// It changes who may do what, or handles secrets.
        Access = "access",
        /// It spends or moves money.
        Money = "money",
        /// It writes to people.
        Message = "message",
    }
);

impl RiskClass {
    /// What such an act does, for people; ends in the name that allows it.
    #[must_use]
    pub const fn does(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Change => "changes something, with undo (change)",
            Self::Irreversible => "changes something for good (irreversible)",
            Self::Deploy => "deploys or publishes (deploy)",
            Self::Delete => "deletes (delete)",
            Self::Access => "changes access or handles secrets (access)",
            Self::Money => "spends or moves money (money)",
            Self::Message => "writes to people (message)",
        }
    }

    /// Whether a person must be asked before it is done.
    #[must_use]
    pub const fn asks(self) -> bool {
        !matches!(self, Self::Read | Self::Change)
    }
}

/// A task that cannot be taken back, and why it is taken for one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskRisk {
    /// The task; absent if it is the request as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Worst class of what the task does.
    pub class: RiskClass,
    /// What says so: words of the task, a command, what its agent declares.
    pub evidence: String,
}

impl std::fmt::Display for TaskRisk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.task_id {
            Some(task) => write!(formatter, "{task} {}: {}", self.class.does(), self.evidence),
            None => write!(formatter, "the request {}: {}", self.class.does(), self.evidence),
        }
    }
}

impl TaskRisk {
    /// Whether it is the same act, whichever task does it.
    #[must_use]
    pub fn is_same_act(&self, other: &Self) -> bool {
        (self.class, &self.evidence) == (other.class, &other.evidence)
    }
}
