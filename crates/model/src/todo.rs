//! The tool agent's list of steps, and the ways in which a step can be re-planned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{JsonMap, ToolResult};

/// How often a tool is tried for a step before the step is re-planned.
pub const MAX_TOOL_ATTEMPTS: u32 = 3;

/// How often a step may be re-planned.
pub const MAX_REPLANS: u32 = 2;

text_enum!(
    /// Where a step stands.
    #[derive(Default)]
    TodoStatus {
        /// Nobody has begun with it.
        #[default]
        Pending = "PENDING",
        /// Its tool is at work.
        InProgress = "IN_PROGRESS",
        /// Finished successfully.
        Completed = "COMPLETED",
        /// Failed after all approaches.
        Failed = "FAILED",
        /// Not needed any more.
        Skipped = "SKIPPED",
    }
);

/// A step of a tool agent's mission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TodoItem {
    /// Names it; never used twice in a list.
    #[serde(default)]
    pub id: String,
    /// Its place in the list, from 1.
    #[serde(default)]
    pub position: u32,
    /// What is to be done.
    #[serde(default)]
    pub description: String,
    /// The tool that does it; the model chooses if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the tool is given; `${inputs.NAME}`, `${upstream.TASK.NAME}` and `${steps.ID.PATH}` are filled in.
    #[serde(default)]
    pub parameters: JsonMap,
    /// Status after the last change.
    #[serde(default)]
    pub status: TodoStatus,
    /// How often it was re-planned.
    #[serde(default)]
    pub replan_count: u32,
    /// How often its tool was tried since it was last planned.
    #[serde(default)]
    pub attempts: u32,
    /// How often its tool is tried.
    #[serde(default = "default_attempts")]
    pub max_attempts: u32,
    /// The steps that must be done first, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// The output of the task that its result is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save_as: Option<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ToolResult>,
}

const fn default_attempts() -> u32 {
    MAX_TOOL_ATTEMPTS
}

impl TodoItem {
    /// A step that has not been tried.
    #[must_use]
    pub fn new(id: impl Into<String>, position: u32, description: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            position,
            description: description.into(),
            tool: None,
            parameters: JsonMap::new(),
            status: TodoStatus::Pending,
            replan_count: 0,
            attempts: 0,
            max_attempts: MAX_TOOL_ATTEMPTS,
            dependencies: Vec::new(),
            save_as: None,
            result: None,
        }
    }
}

/// The steps of a mission, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TodoList {
    /// Id of the list, the same in all its versions.
    #[serde(default)]
    pub list_id: String,
    /// Steps in their order.
    #[serde(default)]
    pub items: Vec<TodoItem>,
}

text_enum!(
    /// How a step is re-planned.
    StrategyType {
        /// The same tool with other parameters.
        RetryWithParams = "RETRY_WITH_PARAMS",
        /// Do the step with another tool.
        SwapTool = "SWAP_TOOL",
        /// Replace the step by several smaller ones.
        DecomposeTask = "DECOMPOSE_TASK",
    }
);

/// A way to re-plan a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepStrategy {
    /// One of [`StrategyType`]; anything else is no strategy.
    pub strategy_type: String,
    /// Ground for the strategy, in words.
    #[serde(default)]
    pub rationale: String,
    /// `parameters` and `tool`, or `subtasks`.
    #[serde(default)]
    pub modifications: JsonMap,
    /// How likely it helps, from 0 to 1.
    #[serde(default)]
    pub confidence: f64,
}

/// A change of the list: the step at a place gives way to others. All of it holds, or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListChange {
    /// Index at which the steps are put in, from 0.
    pub position: u32,
    /// What stands there now; those behind move.
    pub items: Vec<TodoItem>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_is_written_and_read_whatever_its_type_says() {
        // spec: planning TA-12 TA-13
        let text =
            r#"{"strategy_type":"SING","rationale":"why not","modifications":{"tool":"x"},"confidence":0.6}"#;
        let strategy: StepStrategy = crate::from_json(text).unwrap();
        assert_eq!(serde_json::to_string(&strategy).unwrap(), text);
        assert!(strategy.strategy_type.parse::<StrategyType>().is_err(), "unknown, and no crash");
        assert_eq!("SWAP_TOOL".parse(), Ok(StrategyType::SwapTool));
    }

    #[test]
    fn a_step_that_was_written_before_replans_were_counted_is_read() {
        // spec: planning TA-03 TA-38
        let item: TodoItem = crate::from_json(r#"{"position":2,"status":"FAILED"}"#).unwrap();
        assert_eq!((item.replan_count, item.max_attempts, item.status), (0, 3, TodoStatus::Failed));
    }
}
