//! What a phase thinks of its own work: five checks, and what follows from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SpokenBy;
use crate::text_enum::text_enum;

text_enum!(
    /// What the critique between two phases decides.
    CritiqueVerdict {
        /// The result is handed on.
        Continue = "continue",
        /// The phase is repeated with the findings.
        Refine = "refine",
        /// A person must look.
        Stop = "stop",
    }
);

/// The five checks of a phase's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CritiqueChecks {
    /// Whether the output serves what the person wants.
    pub objective_alignment: AlignmentCheck,
    /// Whether it fits what is known.
    pub consistency_with_project: ConsistencyCheck,
    /// Whether it is unlike what went wrong before.
    pub similar_to_past_error: PastErrorCheck,
    /// Whether the phase is sure enough of it.
    pub confidence_level: ConfidenceCheck,
    /// Whether it took a reasonable number of tokens.
    pub cost_efficiency: CostCheck,
    /// Whether a model or rules judged.
    pub judged_by: SpokenBy,
}

/// Whether the output serves what the person wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlignmentCheck {
    /// The result serves the request.
    pub pass: bool,
    /// How sure, from 0 to 100.
    pub confidence: u8,
    /// Ground for the judgement, in a sentence.
    pub reason: String,
}

/// Whether the output fits what is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyCheck {
    /// The result agrees with earlier phases.
    pub pass: bool,
    /// What does not fit.
    pub issues: Vec<String>,
}

/// Whether the output is unlike what went wrong before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PastErrorCheck {
    /// No past error is repeated.
    pub pass: bool,
    /// Errors of past runs that the result resembles.
    pub matched_errors: Vec<String>,
}

/// Whether the phase is sure enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceCheck {
    /// Confidence is high enough to go on.
    pub pass: bool,
    /// From 0 to 100.
    pub score: u8,
}

/// Whether the output took a reasonable number of tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CostCheck {
    /// Spending stayed within what was expected.
    pub pass: bool,
    /// Tokens of all models in the phase.
    pub tokens_used: u64,
    /// Tokens such a phase took in the past.
    pub expected: u64,
}

impl CritiqueChecks {
    /// The checks that failed, each with why.
    #[must_use]
    pub fn failed(&self) -> Vec<String> {
        let listed = |words: &[String]| words.join("; ");
        [
            (!self.objective_alignment.pass)
                .then(|| format!("objectiveAlignment: {}", self.objective_alignment.reason)),
            (!self.consistency_with_project.pass).then(|| {
                format!("consistencyWithProject: {}", listed(&self.consistency_with_project.issues))
            }),
            (!self.similar_to_past_error.pass).then(|| {
                format!("similarToPastError: {}", listed(&self.similar_to_past_error.matched_errors))
            }),
            (!self.confidence_level.pass)
                .then(|| format!("confidenceLevel: {} is not above 70", self.confidence_level.score)),
            (!self.cost_efficiency.pass).then(|| {
                let CostCheck { tokens_used, expected, .. } = &self.cost_efficiency;
                format!("costEfficiency: {tokens_used} tokens where {expected} were expected")
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
