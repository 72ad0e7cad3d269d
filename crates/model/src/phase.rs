//! The eight rooms a run goes through, and what one hands to the next.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JsonMap;
use crate::text_enum::text_enum;

text_enum!(
    /// A phase of a run. All of them run, always, in this order; the first two side by side.
    Phase {
        /// Cache and budget.
        PreAnalysis = "pre_analysis",
        /// Keywords, complexity, quality of the prompt; the goal.
        Evaluation = "evaluation",
        /// What memory knows.
        Context = "context",
        /// The tasks.
        Decomposition = "decomposition",
        /// Agents, estimates, risks; the plan.
        Planning = "planning",
        /// The work.
        Execution = "execution",
        /// The result against the success criteria.
        Validation = "validation",
        /// Report, outcome, lessons.
        Consolidation = "consolidation",
    }
);

impl Phase {
    /// The phase's number, 0 to 7.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

text_enum!(
    /// Which of the two twins of a step gave its result.
    SpokenBy {
        /// A model.
        Model = "model",
        /// Rules and templates.
        Heuristic = "heuristic",
    }
);

/// What a phase leaves for the next one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// Who spoke.
    pub spoken_by: SpokenBy,
    /// The result in a sentence.
    pub summary: String,
    /// The result as data.
    #[serde(default)]
    pub data: JsonMap,
}

text_enum!(
    /// What the critique between two phases decides.
    CritiqueVerdict {
        /// Good enough.
        Continue = "continue",
        /// Once more.
        Refine = "refine",
        /// A person must look.
        Stop = "stop",
    }
);
