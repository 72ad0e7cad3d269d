//! The three classes of tasks: what is expected of a task of each, and how many tool calls it may make.
//!
//! A class never says how many agents there are; the matrix does. Its tier is the one for work that was
//! given none.

use candor_model::{Tier, ToolCallBudget};
use serde::{Deserialize, Serialize};

use super::MAX_AGENTS;
use super::bounds::Bounds;

/// How demanding a task is, in three steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskClass {
    /// Such as “what is X”.
    Simple,
    /// Such as “compare X with Y”.
    Standard,
    /// Such as a whole feature with its tests.
    Complex,
}

/// What a number of tool calls is counted over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedPer {
    /// All agents of the task together.
    Task,
    /// Each agent by itself.
    Agent,
    /// Each agent by itself, as many as the plan says for what it answers for.
    Responsibility,
}

/// How many tool calls are in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCalls {
    /// The usual number; none when the plan must say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<Bounds>,
    /// What it is counted over.
    pub per: CountedPer,
}

/// What holds for one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClassRule {
    /// The complexities that belong to it.
    pub complexity: Bounds,
    /// The tier for work that was given none.
    pub model: Tier,
    /// The nominal number of agents, for targets only.
    pub agents: Bounds,
    /// The tool calls that are in order.
    pub tool_calls: ToolCalls,
}

/// The rules of the three classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskClasses {
    /// The simple ones.
    pub simple: ClassRule,
    /// The usual ones.
    pub standard: ClassRule,
    /// The demanding ones.
    pub complex: ClassRule,
}

impl TaskClasses {
    /// The class that a complexity belongs to.
    #[must_use]
    pub fn class_of(&self, complexity: u32) -> TaskClass {
        match complexity {
            low if low < self.standard.complexity.min => TaskClass::Simple,
            middle if middle < self.complex.complexity.min => TaskClass::Standard,
            _ => TaskClass::Complex,
        }
    }

    /// What holds for a class.
    #[must_use]
    pub const fn rule(&self, class: TaskClass) -> &ClassRule {
        match class {
            TaskClass::Simple => &self.simple,
            TaskClass::Standard => &self.standard,
            TaskClass::Complex => &self.complex,
        }
    }
}

impl Default for TaskClasses {
    fn default() -> Self {
        Self {
            simple: ClassRule {
                complexity: Bounds::new(0, 30),
                model: Tier::Fast,
                agents: Bounds::new(1, 1),
                tool_calls: ToolCalls { calls: Some(Bounds::new(3, 10)), per: CountedPer::Task },
            },
            standard: ClassRule {
                complexity: Bounds::new(31, 60),
                model: Tier::Balanced,
                agents: Bounds::new(2, 4),
                tool_calls: ToolCalls { calls: Some(Bounds::new(10, 15)), per: CountedPer::Agent },
            },
            complex: ClassRule {
                complexity: Bounds::new(61, 100),
                model: Tier::Strong,
                agents: Bounds::new(5, MAX_AGENTS),
                tool_calls: ToolCalls { calls: None, per: CountedPer::Responsibility },
            },
        }
    }
}

impl ToolCalls {
    /// The upper bound as a plan states it; nothing where each agent's responsibility decides.
    #[must_use]
    pub fn budget(&self) -> Option<ToolCallBudget> {
        let calls = self.calls?.max?;
        match self.per {
            CountedPer::Task => Some(ToolCallBudget { calls, in_all: true }),
            CountedPer::Agent => Some(ToolCallBudget { calls, in_all: false }),
            CountedPer::Responsibility => None,
        }
    }
}
