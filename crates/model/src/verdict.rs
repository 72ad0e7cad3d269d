//! What the validators say of a plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Share, TaskId};

/// Whether the tasks can be put in an order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DependencyResult {
    /// Whether there is no error.
    pub is_valid: bool,
    /// Messages, one for each dependency that does not work.
    pub errors: Vec<String>,
    /// Cycles as lists of ids, the first repeated at the end.
    pub cycles: Vec<Vec<TaskId>>,
}

/// Whether the plan has a task for everything that its kind of goal needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompletenessResult {
    /// Whether the score is high enough.
    pub is_complete: bool,
    /// What no task covers.
    pub missing_categories: Vec<String>,
    /// Covered categories among those expected.
    pub score: Share,
}

/// Whether every task has an agent that can do it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssignmentResult {
    /// Whether there is no error.
    pub is_valid: bool,
    /// Messages, one for each assignment that does not work.
    pub errors: Vec<String>,
    /// Valid assignments among all tasks.
    pub accuracy: Share,
}
