//! What a guardrail is.

use candor_model::Enforcement;
use serde::{Deserialize, Serialize};

use super::triggers::PromptTriggers;

/// How much a rule matters; the most important comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulePriority {
    /// Before everything else.
    Critical,
    /// Before the usual ones.
    High,
    /// The usual one.
    #[default]
    Medium,
    /// After all others.
    Low,
}

/// A guardrail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// What findings name the rule by.
    #[serde(rename = "skillId")]
    pub skill_id: String,
    /// What happens when it is violated.
    pub enforcement: Enforcement,
    /// How much it matters.
    pub priority: RulePriority,
    /// Whether a violation halts the step: it is tried again by itself, and then a person is asked.
    pub tripwire: bool,
    /// Whether agents may start before the rule was looked at.
    pub run_in_parallel: bool,
    /// The rules that must have a completed record before this one's turn comes.
    #[serde(rename = "dependsOn")]
    pub depends_on: Vec<String>,
    /// The messages that it is about.
    #[serde(rename = "promptTriggers")]
    pub prompt_triggers: PromptTriggers,
    /// What is shown when it is violated.
    pub message: String,
}

/// What holds for all rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GlobalSettings {
    /// Whether a violated tripwire halts and is looked at again by itself; without it, a tripwire blocks as any rule:
    /// a person is asked at once.
    pub halt_on_tripwire: bool,
    /// Whether entering a phase without a handoff trips. It always does; a file that says otherwise is refused.
    pub require_explicit_handoffs: bool,
    /// Whether each phase is judged by a recorded yes or no before anything is done. It always is.
    pub forced_evaluation: bool,
}

impl Default for GlobalSettings {
    fn default() -> Self {
        Self { halt_on_tripwire: true, require_explicit_handoffs: true, forced_evaluation: true }
    }
}
