//! Guardrails: what must hold before anything is done, and what happens when it does not.
//!
//! Eight rules come with Candor, one for each phase; no file takes one away or makes it weaker, it can only
//! say its message in other words. Rules whose names do not begin with `phase-` are the user's own: they
//! trip on the messages they are about, or, when they depend on other rules, on such messages as long as
//! one of those has no completed record. [`triggers`] says when a rule is about a message.

mod file;
mod phases;
mod rule;
pub mod triggers;

use serde::Serialize;

pub use self::file::WrittenGuardrails;
pub use self::phases::{needs, phase_of, rule_id};
pub use self::rule::{GlobalSettings, Rule, RulePriority};
pub use self::triggers::{Intent, PromptTriggers};
pub use candor_model::Enforcement;

/// The most rules that a file may have.
pub const MAX_RULES: usize = 1_000;

/// The guardrails of an installation: `skill-rules.json` or `.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Guardrails {
    rules: Vec<Rule>,
    global_settings: GlobalSettings,
}

/// A rule that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// Name of the rule in its file.
    pub rule_id: String,
    /// Whether the violation blocks the request or is only told.
    pub enforcement: Enforcement,
    /// Whether it is a tripwire that halts.
    pub tripwire: bool,
    /// How much it matters.
    pub priority: RulePriority,
    /// What people are shown.
    pub message: String,
    /// The rules that had to be completed first and are not. A retry runs these before it looks again.
    pub missing: Vec<String>,
}

impl Default for Guardrails {
    fn default() -> Self {
        Self { rules: phases::rules().collect(), global_settings: GlobalSettings::default() }
    }
}

impl Guardrails {
    /// All rules, those of the phases first.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The user's rules that a message violates, the most important first. `completed` says whether the
    /// rule of a name has a completed record.
    #[must_use]
    pub fn violations(&self, prompt: &str, completed: &dyn Fn(&str) -> bool) -> Vec<Violation> {
        let mut found: Vec<Violation> = self
            .rules
            .iter()
            .filter(|rule| phase_of(&rule.skill_id).is_none() && rule.prompt_triggers.match_prompt(prompt))
            .filter_map(|rule| {
                let missing = missing(rule, completed);
                (rule.depends_on.is_empty() || !missing.is_empty()).then(|| self.violation(rule, missing))
            })
            .collect();
        found.sort_by_key(|violation| violation.priority);
        found
    }

    fn violation(&self, rule: &Rule, missing: Vec<String>) -> Violation {
        Violation {
            rule_id: rule.skill_id.clone(),
            enforcement: rule.enforcement,
            tripwire: rule.tripwire && self.global_settings.halt_on_tripwire,
            priority: rule.priority,
            message: rule.message.clone(),
            missing,
        }
    }
}

fn missing(rule: &Rule, completed: &dyn Fn(&str) -> bool) -> Vec<String> {
    rule.depends_on.iter().filter(|needed| !completed(needed)).cloned().collect()
}
