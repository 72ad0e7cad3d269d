//! Ids: one type per kind of thing, so that a task's id can never be taken for a plan's.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::ValidationError;
use crate::text_enum::text_serde;

/// The longest id that is accepted. Ids are names, not payloads; derived ids (`…_retry2`) must fit too.
const MAX_ID_CHARS: usize = 200;

/// Ids travel in keys (`run/task/attempt`), in paths of links and on command lines, so they hold no
/// space, no slash and no control character.
fn checked(kind: &str, text: &str) -> Result<Arc<str>, ValidationError> {
    let wrong = |problem: String| Err(ValidationError::new(kind, problem));
    if text.is_empty() {
        return wrong("an id must not be empty".to_owned());
    }
    if text.chars().count() > MAX_ID_CHARS {
        return wrong(format!("an id has at most {MAX_ID_CHARS} characters"));
    }
    match text.chars().find(|&c| c.is_whitespace() || c.is_control() || c == '/') {
        Some(bad) => wrong(format!("an id must not contain {bad:?}: `{}`", text.escape_debug())),
        None => Ok(Arc::from(text)),
    }
}

macro_rules! id_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks the text and makes an id of it.
            pub fn new(text: impl AsRef<str>) -> Result<Self, ValidationError> {
                checked(stringify!($name), text.as_ref()).map(Self)
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}", self.0)
            }
        }

        impl FromStr for $name {
            type Err = ValidationError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        text_serde!($name as_str);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX_ID_CHARS, "pattern": r"^[^\s/]+$" })
            }
        }
    };
}

id_type!(
    /// One run of Candor, from a goal to its end.
    RunId
);
id_type!(
    /// A goal, such as `goal_abc123`.
    GoalId
);
id_type!(
    /// A plan; it stays the same through all revisions of the plan.
    PlanId
);
id_type!(
    /// A task within a plan, such as `task_001` or `task_001_retry`.
    TaskId
);
id_type!(
    /// The name of an agent that can be given tasks.
    AgentType
);
id_type!(
    /// A revision of a plan: `rev_1`, `rev_2`, …
    RevisionId
);
id_type!(
    /// A question that waits for a person, such as `approve_plan_v2`.
    GateId
);
id_type!(
    /// One execution of a plan, as reported to people.
    ExecutionId
);

impl TaskId {
    /// The id of the n-th task of a plan, counted from 1: `task_001`.
    #[must_use]
    pub fn numbered(n: usize) -> Self {
        Self(format!("task_{n:03}").into())
    }

    /// Whether this is a copy of `other`, which can be told without reading either text. Equal ids need not be.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// This id with a suffix, for tasks that are born from it: `task_001_retry`.
    ///
    /// A very long id is shortened first, so that what is derived from an id is an id.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Self {
        let room = MAX_ID_CHARS.saturating_sub(suffix.chars().count());
        let stem: String = self.0.chars().take(room).collect();
        Self(format!("{stem}{suffix}").into())
    }
}

impl AgentType {
    /// Written where no agent has been chosen yet.
    pub const TBD: &'static str = "TBD";

    /// The agent of a task that is still to be routed.
    #[must_use]
    pub fn tbd() -> Self {
        Self(Self::TBD.into())
    }

    /// Whether an agent is still to be chosen.
    #[must_use]
    pub fn is_tbd(&self) -> bool {
        self.as_str() == Self::TBD
    }
}

impl RevisionId {
    /// The n-th revision of a plan, counted from 1.
    #[must_use]
    pub fn numbered(n: u32) -> Self {
        Self(format!("rev_{n}").into())
    }
}

impl GateId {
    /// The gate at which one version of a plan waits for approval; an answer to it fits no other version.
    #[must_use]
    pub fn approval(version: PlanVersion) -> Self {
        Self(format!("approve_plan_v{version}").into())
    }

    /// The same gate once more, after something was said to the plan; `n` counts the run's questions.
    #[must_use]
    pub fn approval_again(version: PlanVersion, n: u32) -> Self {
        Self(format!("approve_plan_v{version}_{n}").into())
    }

    /// The gate at which a run waits for a choice; `n` counts the run's questions.
    #[must_use]
    pub fn choice(about: &str, n: u32) -> Self {
        Self(format!("{about}_{n}").into())
    }

    /// The gate at which a task that failed again and again waits for guidance; `n` counts the run's questions.
    #[must_use]
    pub fn guidance(task: &TaskId, n: u32) -> Self {
        let stem: String = task.as_str().chars().take(MAX_ID_CHARS - 32).collect();
        Self(format!("guide_{stem}_{n}").into())
    }
}

macro_rules! counter_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub struct $name(pub u32);

        impl $name {
            /// The one after this.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }
    };
}

counter_type!(
    /// Counts the shapes a plan has had in a run: proposed, adjusted, re-planned.
    PlanVersion
);
counter_type!(
    /// A point of a run that it can be rolled back to.
    CheckpointId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_refuse_what_would_break_keys_and_links() {
        for bad in ["", "a b", "a/b", "a\nb", &"x".repeat(MAX_ID_CHARS + 1)] {
            assert!(TaskId::new(bad).is_err(), "{bad:?}");
        }
        assert_eq!(TaskId::new("task_001").unwrap().to_string(), "task_001");
    }

    #[test]
    fn derived_ids_are_ids() {
        let long = TaskId::new("é".repeat(MAX_ID_CHARS)).unwrap();
        assert!(TaskId::new(long.with_suffix("_retry").as_str()).is_ok());
        assert_eq!(TaskId::numbered(7).with_suffix("_retry").as_str(), "task_007_retry");
    }
}
