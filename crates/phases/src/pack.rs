//! Packs: what is known of a kind of goal, as data. Goal type, words to recognise it by, required
//! categories, a plan's template, criteria of success, rules for recovery and the budget, what its report shows, and
//! agents with their sample data.

mod applies;
mod check;
mod permissions;

use std::collections::BTreeSet;

use candor_model::{
    AgentType, BudgetRule, GoalType, JsonMap, PackRules, Priority, RecoveryRule, ReportLayout, RetryPolicy,
    Seconds, ValidationError,
};
use candor_planning::completeness::Category;
use candor_planning::quality_gate::QualityGate;
use candor_planning::slots::Slots;
use candor_text::{fold, words};
use serde::{Deserialize, Serialize};

pub use self::applies::{Applies, Evidence};
pub(crate) use self::applies::{Meant, meant};
pub use self::permissions::{OUTPUT_FOLDER, PACK_PLACEHOLDER, Permissions};

/// What is known of a kind of goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// What people and settings name it by.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The kind of goal it knows.
    pub goal_type: GoalType,
    /// Whether its agents work on sample data; then everyone who sees their results is told.
    #[serde(default)]
    pub sample_data: bool,
    /// Whether its agents work for goals of any kind; those of other packs know only their own.
    #[serde(default)]
    pub for_any_goal: bool,
    /// Words by which a request of this kind is recognised, in any language.
    pub keywords: Vec<String>,
    /// What must be there for the pack to apply; without it, one of its keywords is enough.
    #[serde(default)]
    pub applies: Option<Applies>,
    /// What every plan for such a goal must take care of.
    #[serde(default)]
    pub categories: Vec<Category>,
    /// The tasks of the usual plan.
    #[serde(default)]
    pub tasks: Vec<TaskTemplate>,
    /// How to tell that such a goal was reached, in words with slots; one with an empty slot is left out.
    #[serde(default)]
    pub criteria: Vec<String>,
    /// What must hold of every result, beside the goal's criteria. Their commands run if their programs are allowed.
    #[serde(default)]
    pub gates: Vec<QualityGate>,
    /// What may go wrong.
    #[serde(default)]
    pub risks: Vec<String>,
    /// Who can do the work, declared as in `candor.toml`.
    #[serde(default)]
    pub agents: Vec<JsonMap>,
    /// What is changed when a task fails for good. They may stand in a file of their own, [`RECOVERY_FILE`].
    #[serde(default)]
    pub recovery: Vec<RecoveryRule>,
    /// What may cost less when the whole costs too much. It may stand in that file too.
    #[serde(default)]
    pub budget: Option<BudgetRule>,
    /// What the report of a run leads with.
    #[serde(default)]
    pub report: Option<ReportLayout>,
    /// Whether its tasks are the plan as they stand: its agents understand no others, so no model is asked for steps.
    #[serde(default)]
    pub fixed_plan: bool,
    /// What its programs may do; see [`Permissions`].
    #[serde(default)]
    pub permissions: Permissions,
}

/// The file beside a pack's own in which its recovery rules and its budget rule may stand.
pub const RECOVERY_FILE: &str = "recovery.toml";

/// What stands in [`RECOVERY_FILE`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecoveryFile {
    #[serde(default)]
    recovery: Vec<RecoveryRule>,
    budget: Option<BudgetRule>,
}

/// A task of the usual plan. In its texts `{slot}` stands for what the goal says; a part in `[…]` is left
/// out when the goal does not say it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskTemplate {
    /// The category it covers.
    pub category: String,
    /// A short name for people.
    pub name: String,
    /// What is to be done.
    pub description: String,
    /// The agent of the pack that does it and nobody else can; without it, the best of all agents is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentType>,
    /// The categories whose results it needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The slot without which the task makes no sense, such as `budget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_with: Option<String>,
    /// Words of which the request must have one, for a task that not everybody wants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_with_words: Vec<String>,
    /// Parameters; a text that is nothing but `{slot}` becomes the slot's value, and is left out without one.
    #[serde(default)]
    pub inputs: JsonMap,
    /// The names of what it produces.
    pub outputs: Vec<String>,
    /// Ready tasks of higher priority go first.
    #[serde(default)]
    pub priority: Priority,
    /// How long it will probably take.
    pub seconds: Seconds,
    /// How it is repeated before its failure counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
}

impl Pack {
    /// Reads a pack from its TOML text; the error names the field.
    pub fn from_toml(text: &str) -> Result<Self, PackError> {
        let pack: Self = read(text)?;
        pack.check()?;
        Ok(pack)
    }

    /// Adds what stands in the pack's [`RECOVERY_FILE`]; the error names the field.
    pub fn with_recovery(mut self, text: &str) -> Result<Self, PackError> {
        let file: RecoveryFile = read(text)?;
        if self.budget.is_some() && file.budget.is_some() {
            return Err(ValidationError::new("budget", "stands in the pack's own file too; keep one").into());
        }
        self.recovery.extend(file.recovery);
        self.budget = self.budget.or(file.budget);
        self.check()?;
        Ok(self)
    }

    /// The rules that hold for a plan, for a goal that says this; nothing if the pack has none.
    #[must_use]
    pub fn rules(&self, slots: &Slots) -> Option<PackRules> {
        let report = self.report.clone().map(|layout| ReportLayout {
            title: slots.fill(&layout.title).unwrap_or_else(|_| self.name.clone()),
            currency: slots.get("currency").and_then(|code| code.as_str()).map(str::to_owned),
            ..layout
        });
        let (recovery, budget) = (self.recovery.clone(), self.budget.clone());
        let permissions = self.has_programs().then(|| self.permissions.in_words());
        let rules = PackRules { pack: self.name.clone(), recovery, budget, report, permissions };
        (!rules.is_empty()).then_some(rules)
    }

    /// The names of its agents.
    pub fn agent_names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().filter_map(|agent| agent.get("agent_type")?.as_str())
    }

    /// How many of the pack's words a text has, in any case.
    #[must_use]
    pub fn matches(&self, text: &str) -> usize {
        words_in(text, &self.keywords)
    }
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, PackError> {
    let value: serde_json::Value =
        toml::from_str(text).map_err(|error| PackError::Toml(error.to_string()))?;
    Ok(candor_model::from_value(value)?)
}

/// How many of these words a text has, without regard to case and accents.
pub(crate) fn words_in(text: &str, wanted: &[String]) -> usize {
    let words: BTreeSet<_> = words(text).map(fold).collect();
    wanted.iter().filter(|word| words.contains(&fold(word))).count()
}

/// Why a pack cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackError {
    /// It is no TOML.
    #[error("{0}")]
    Toml(String),
    /// It is not a pack.
    #[error(transparent)]
    Invalid(#[from] ValidationError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_without_regard_to_case_and_accents() {
        let wanted = ["París".to_owned(), "vuelo".to_owned()];
        assert_eq!(words_in("Un VUELO a paris", &wanted), 2);
        assert_eq!(words_in("parisino, vuelos", &wanted), 0, "whole words only");
    }
}
