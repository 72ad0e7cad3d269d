//! What the guardrails say before anything runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Phase, Severity};

text_enum!(
    /// What a guardrail does when it is violated.
    Enforcement {
        /// A finding stops the run.
        Block = "block",
        /// It is told, and the run goes on.
        Suggest = "suggest",
    }
);

/// The guardrails' word on a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GuardReport {
    /// Findings of all rules; empty when the text is clean.
    pub findings: Vec<GuardFinding>,
    /// For each phase, whether it runs and what it will do. All of them run, always.
    pub evaluation: Vec<PhaseDecision>,
}

/// What a guardrail found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardFinding {
    /// Code of the rule that found it.
    pub rule: String,
    /// What the rule does.
    pub enforcement: Enforcement,
    /// Whether the look is repeated by itself before a person is asked.
    pub tripwire: bool,
    /// How serious it is.
    pub severity: Severity,
    /// What was found, and what can be done.
    pub message: String,
}

impl GuardFinding {
    /// Whether the run must not begin.
    #[must_use]
    pub fn halts(&self) -> bool {
        self.enforcement == Enforcement::Block
    }
}

/// Whether a phase runs, and what it will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseDecision {
    /// Phase that is decided about.
    pub phase: Phase,
    /// False when the phase is left out.
    pub run: bool,
    /// Ground for the decision, in a sentence.
    pub reason: String,
}
