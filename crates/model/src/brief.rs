//! A plan as it is shown to the person who decides on it, and what they can say to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{
    AgentType, ExecutionStrategy, MeasuredCost, MeasuredTime, MeasuredTokens, Money, Seconds, TaskId, Tier,
};

/// A plan in figures: how it is carried out, what it takes, what may go wrong, what else could be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanBrief {
    /// How the tasks are carried out.
    pub strategy: ExecutionStrategy,
    /// Who is at work.
    pub agents: AgentCounts,
    /// What it will probably take.
    pub estimates: PlanEstimates,
    /// Tasks in the order of the plan.
    pub subtasks: Vec<BriefTask>,
    /// What may go wrong, and what is done about it. Never empty.
    pub risks: Vec<Risk>,
    /// Other ways to do it, this one among them. At least two.
    pub alternatives: Vec<PlanAlternative>,
    /// The id of the alternative that is recommended.
    pub recommendation: String,
}

/// Who is at work on a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentCounts {
    /// Agents of all tiers together.
    pub total: u32,
    /// Those that work side by side.
    pub parallel: u32,
    /// Those that wait for others.
    pub sequential: u32,
    /// The same number split by tier of the model.
    pub models: TierCounts,
}

/// Numbers of agents by the tier of their model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TierCounts {
    /// Of the fast tier.
    pub fast: u32,
    /// Of the balanced tier.
    pub balanced: u32,
    /// Of the strong tier.
    pub strong: u32,
}

/// What a plan takes as far as it is known; what is absent is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanEstimates {
    /// Models' tokens as old logs guessed them; absent in new ones.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// Money, by the agents' prices; absent if none of them has one.
    #[serde(default)]
    pub cost: Option<Money>,
    /// Time, with what can run side by side doing so; absent if it would rest on nothing.
    #[serde(default)]
    pub duration: Option<Seconds>,
    /// The same as a range, if all tasks were measured before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredTime>,
    /// What it cost as a range, if all tasks were measured before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_cost: Option<MeasuredCost>,
    /// The models' tokens as a range, if all tasks were measured before and some of them asked models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_tokens: Option<MeasuredTokens>,
}

/// A task in a [`PlanBrief`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefTask {
    /// Id in the plan.
    pub id: TaskId,
    /// Description of the work, in words.
    pub action: String,
    /// Agent that is meant to do it; `None` while nobody is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentType>,
    /// The tier it is given to; absent if there is no model.
    #[serde(default)]
    pub model: Option<Tier>,
    /// Tasks with the same number can run side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_group: Option<u32>,
    /// What it waits for.
    pub depends_on: Vec<TaskId>,
}

text_enum!(
    /// How bad a risk is.
    RiskLevel {
        /// A failure costs little to repair.
        Low = "low",
        /// A failure costs time or money.
        Medium = "medium",
        /// It can spoil the plan.
        High = "high",
    }
);

impl RiskLevel {
    /// One level more: what goes wrong costs more where an act cannot be undone.
    #[must_use]
    pub const fn raised(self) -> Self {
        match self {
            Self::Low => Self::Medium,
            Self::Medium | Self::High => Self::High,
        }
    }
}

/// What may go wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Risk {
    /// How bad it would be.
    pub level: RiskLevel,
    /// What could go wrong, in a sentence for people.
    pub description: String,
    /// What is done about it.
    pub mitigation: String,
}

/// Another way to carry out the same tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanAlternative {
    /// Letter by which a person chooses it: `A`, `B`, …
    pub id: String,
    /// Short name for a menu.
    pub name: String,
    /// What is gained and what is lost.
    pub tradeoff: String,
    /// What it would take.
    #[serde(default)]
    pub estimates: PlanEstimates,
}

/// What a person wants of a plan other than a yes or a no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PlanTalk {
    /// An answer; the plan stays as it is.
    Question(String),
    /// The alternative with this id.
    Alternative(String),
    /// A change, in words.
    Change(String),
    /// Another plan altogether, with what they said of this one.
    Anew(String),
}
