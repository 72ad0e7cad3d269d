//! What models answer a tool agent, in shapes that are flat enough for every provider.

use candor_model::{JsonMap, MissionAction, StepStrategy, StrategyType, TodoItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The list of steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlanAnswer {
    /// The steps, in order.
    steps: Vec<PlannedStep>,
}

/// One step.
#[derive(Debug, Deserialize, JsonSchema)]
struct PlannedStep {
    /// A short name without spaces.
    #[serde(default)]
    id: Option<String>,
    /// What is to be done.
    description: String,
    /// The tool that does it.
    #[serde(default)]
    tool: Option<String>,
    /// What the tool is given.
    #[serde(default)]
    parameters: Option<JsonMap>,
    /// The ids of the steps that must be done first.
    #[serde(default)]
    depends_on: Option<Vec<String>>,
    /// The output that its result is.
    #[serde(default)]
    save_as: Option<String>,
}

impl PlanAnswer {
    pub(super) fn into_items(self) -> Vec<TodoItem> {
        let item = |step: PlannedStep| TodoItem {
            tool: step.tool.filter(|tool| !tool.trim().is_empty()),
            parameters: step.parameters.unwrap_or_default(),
            dependencies: step.depends_on.unwrap_or_default(),
            save_as: step.save_as,
            ..TodoItem::new(step.id.unwrap_or_default(), 0, step.description)
        };
        self.steps.into_iter().map(item).collect()
    }
}

/// What can be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionKind {
    /// Call a tool.
    ToolCall,
    /// Re-plan the step.
    Replan,
    /// Ask a person.
    AskUser,
    /// Go on without the step.
    Skip,
    /// All is done.
    Complete,
}

/// What to do next.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ActionAnswer {
    /// Why, in a sentence.
    #[serde(default)]
    #[allow(dead_code, reason = "a model that says why first decides better; nobody reads it")]
    thought: String,
    /// What to do.
    action: ActionKind,
    /// For `tool_call`: the tool.
    #[serde(default)]
    tool: Option<String>,
    /// For `tool_call`: what it is given.
    #[serde(default)]
    parameters: Option<JsonMap>,
    /// For `ask_user`: the question.
    #[serde(default)]
    question: Option<String>,
    /// For `replan` and `skip`: why.
    #[serde(default)]
    reason: Option<String>,
    /// For `complete`: what came of it, in words.
    #[serde(default)]
    summary: Option<String>,
    /// For `complete`: the expected outputs by their names.
    #[serde(default)]
    outputs: Option<JsonMap>,
}

impl ActionAnswer {
    pub(super) fn into_action(self) -> Result<MissionAction, String> {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Ok(match self.action {
            ActionKind::ToolCall => MissionAction::ToolCall {
                tool: said(self.tool).ok_or("tool: is missing, and tool_call needs it")?,
                parameters: self.parameters.unwrap_or_default(),
            },
            ActionKind::AskUser => MissionAction::AskUser {
                question: said(self.question).ok_or("question: is missing, and ask_user needs it")?,
            },
            ActionKind::Replan => MissionAction::Replan { reason: self.reason.unwrap_or_default() },
            ActionKind::Skip => MissionAction::Skip { reason: self.reason.unwrap_or_default() },
            ActionKind::Complete => MissionAction::Complete {
                summary: self.summary.unwrap_or_default(),
                outputs: self.outputs.unwrap_or_default(),
            },
        })
    }
}

/// How to re-plan a step.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StrategyAnswer {
    /// Which way.
    strategy_type: StrategyType,
    /// Why, in a sentence.
    #[serde(default)]
    rationale: String,
    /// How likely it helps, from 0 to 1.
    confidence: f64,
    /// For `SWAP_TOOL`: the other tool.
    #[serde(default)]
    tool: Option<String>,
    /// All that the tool is given.
    #[serde(default)]
    parameters: Option<JsonMap>,
    /// For `DECOMPOSE_TASK`: the smaller steps, in order.
    #[serde(default)]
    subtasks: Option<Vec<Subtask>>,
}

/// A smaller step.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Subtask {
    /// What is to be done.
    description: String,
    /// The tool that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// What the tool is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<JsonMap>,
}

impl StrategyAnswer {
    pub(super) fn into_strategy(self) -> StepStrategy {
        let mut modifications = JsonMap::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                modifications.insert(name.to_owned(), value);
            }
        };
        put("tool", self.tool.map(Value::String));
        put("parameters", self.parameters.map(Value::Object));
        put("subtasks", self.subtasks.map(|subtasks| json!(subtasks)));
        StepStrategy {
            strategy_type: self.strategy_type.as_str().to_owned(),
            rationale: self.rationale,
            modifications,
            confidence: self.confidence,
        }
    }
}
