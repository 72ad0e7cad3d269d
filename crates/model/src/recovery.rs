//! What a pack knows beyond its plan, recorded with the plan that it helped to make.
//!
//! A run decides by what its log says. So the rules stand in the plan's metadata and not only in the pack: a run
//! that is resumed after the pack was edited recovers and reports as it began.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FailureKind, JsonMap, ReportLayout, Share, TaskId};

/// The rules of a pack that apply to one plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackRules {
    /// Name of the pack that brought the rules.
    pub pack: String,
    /// What is changed when a task fails for good; the first rule that applies is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovery: Vec<RecoveryRule>,
    /// What is changed when the whole costs too much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetRule>,
    /// What the report of such a run leads with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportLayout>,
    /// What the pack's programs may do, in words; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<String>,
}

impl PackRules {
    /// Whether there is nothing worth recording.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.recovery.is_empty()
            && self.budget.is_none()
            && self.report.is_none()
            && self.permissions.is_none()
    }
}

/// What is changed about a task after a failure that repeating it would not mend.
///
/// A rule applies if the failed task is of one of its categories and the failure is of one of its kinds or has
/// one of its words. A rule that would leave every input as it is does not apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoveryRule {
    /// The rule's name, unique in its pack.
    pub name: String,
    /// The categories of tasks that it applies to.
    pub categories: Vec<String>,
    /// The kinds of failure that it applies to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<FailureKind>,
    /// The words of agents for a failure that it applies to, such as `sold_out`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The category whose task is changed; the failed task itself if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Inputs and the values that they get.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub set: JsonMap,
    /// Inputs and the factor that their number is multiplied by. An input that is not set stays so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub multiply: BTreeMap<String, f64>,
    /// Inputs and the days by which their date is moved, such as `2027-05-01` by 2.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shift_days: BTreeMap<String, i32>,
    /// Inputs and the path of the result that is added to their list, such as `chosen.name`: what was rejected is
    /// not chosen again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exclude: BTreeMap<String, String>,
    /// What the changed task is to do, with `{input}` for its inputs; as before if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The sentence for people, with `{input}` for inputs and `{cause}` for the failure.
    pub tell: String,
    /// How often it applies to one task and those that replace it.
    #[serde(default = "once")]
    pub most: u32,
}

const fn once() -> u32 {
    1
}

/// A use of a rule, kept with the revision that it led to: rules apply a limited number of times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleUse {
    /// Name of the rule that was used.
    pub rule: String,
    /// The task that failed, or the one that it goes back to.
    pub origin: TaskId,
}

/// Which tasks may cost less when the whole costs too much, and where their offers are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetRule {
    /// The parts that may give.
    pub parts: Vec<BudgetPart>,
}

/// A part of the whole that has offers to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetPart {
    /// The category of the task that finds the offers.
    pub category: String,
    /// The output that lists them, best first.
    pub offers: String,
    /// The field of an offer that says what it costs in all.
    pub price: String,
    /// The field of an offer that people know it by.
    #[serde(default = "name_field")]
    pub label: String,
    /// The input of the task that caps the price.
    pub cap: String,
    /// The field that the cap is compared with, where that is not what the offer costs in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap_field: Option<String>,
    /// The input that says how many units of `cap_field` are bought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// What the part is called in the breakdown of a budget check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<String>,
    /// The share of the budget that it should not exceed, as long as something is on offer for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
}

fn name_field() -> String {
    "name".to_owned()
}
