//! How a run is judged at its end: the criteria of success, what was found of each, and the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{EventBody, TaskId};

text_enum!(
    /// Whether a run has reached its goal, by what was checked.
    Verdict {
        /// Criteria of the goal were checked, and everything that must hold holds.
        Verified = "verified",
        /// Everything finished, and something that must hold could not be checked.
        Unverified = "unverified",
        /// Something that must hold does not.
        NotMet = "not_met",
    }
);

impl Verdict {
    /// The verdict on a run that ends with `end`, of which `recorded` was judged. A log that was written before runs
    /// were judged has no verdict on a run that completed.
    #[must_use]
    pub const fn at_end(end: &EventBody, recorded: Option<Self>) -> Option<Self> {
        match end {
            EventBody::RunCompleted { .. } => recorded,
            EventBody::RunFailed { .. } | EventBody::RunAborted { .. } | EventBody::RunCancelled { .. } => {
                Some(Self::NotMet)
            }
            _ => None,
        }
    }
}

text_enum!(
    /// Where a criterion comes from.
    CriterionSource {
        /// The pack that the goal belongs to.
        Pack = "pack",
        /// The goal's own words, or a goal that a person wrote.
        Goal = "goal",
        /// A model that read the goal.
        Model = "model",
        /// A task of the plan.
        Task = "task",
        /// What an agent says it did.
        Claim = "claim",
        /// A quality gate of the project or a pack.
        Gate = "gate",
    }
);

text_enum!(
    /// What was found of a criterion.
    CriterionResult {
        /// It was checked and is true.
        Holds = "holds",
        /// It does not hold.
        Fails = "does_not_hold",
        /// Neither shown nor refuted: evidence is missing.
        Unchecked = "could_not_be_checked",
    }
);

/// What shows the result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Evidence {
    /// A file that was looked at.
    File(String),
    /// A command that was run.
    Command(String),
    /// What a task put out.
    Outputs(TaskId),
    /// Words that a model quoted from what the tasks put out.
    Quote(String),
}

/// A criterion of success and what was found of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckedCriterion {
    /// What must hold, in the language of criteria or in words.
    pub criterion: String,
    /// Where it comes from.
    pub source: CriterionSource,
    /// The task that it belongs to; absent if it belongs to the goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The words of the request that it was derived from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What the check found.
    pub result: CriterionResult,
    /// What was seen, or why it could not be checked.
    pub found: String,
    /// What shows it; absent if it could not be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Whether it says something of the goal, and not only that a task put something out.
    #[serde(default)]
    pub of_goal: bool,
}

/// How a run is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assessment {
    /// Verdict that follows from all criteria together.
    pub verdict: Verdict,
    /// The criteria; of very many, those that do not hold or could not be checked first.
    pub criteria: Vec<CheckedCriterion>,
    /// How many criteria there are, listed or not.
    pub total: u32,
    /// How many of them hold.
    pub held: u32,
    /// How many statements of agents about what they did could be looked up.
    #[serde(default)]
    pub claims: u32,
    /// How many of those nothing supports.
    #[serde(default)]
    pub unsupported_claims: u32,
    /// Whether a person took a result that does not meet its criteria.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}
