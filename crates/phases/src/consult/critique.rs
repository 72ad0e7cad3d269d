//! `critique`: what a model thinks of the work of a phase. Figures it is not asked for; they are counted.

use candor_model::Ask;
use candor_model::{
    AlignmentCheck, ConsistencyCheck, CritiqueChecks, Handoff, PastErrorCheck, Phase, SpokenBy, Tier,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PhaseContext;

/// How much of an output is shown.
const SHOWN_CHARS: usize = 4_000;
/// How much of the results is shown: they are what the person gets.
const SHOWN_RESULTS: usize = 12_000;

/// The three checks that take understanding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct CritiqueAnswer {
    objective_alignment: AlignmentCheck,
    consistency_with_project: ConsistencyCheck,
    similar_to_past_error: PastErrorCheck,
}

/// Whether the results are what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultsAnswer {
    pub(crate) serves: bool,
    pub(crate) reason: String,
}

impl CritiqueAnswer {
    /// Lays the model's word over what the rules found; confidence and tokens stay as they were counted.
    pub(crate) fn laid_over(self, checks: &mut CritiqueChecks) {
        checks.objective_alignment = self.objective_alignment;
        checks.consistency_with_project = self.consistency_with_project;
        checks.similar_to_past_error = self.similar_to_past_error;
        checks.judged_by = SpokenBy::Model;
    }
}

/// Asks whether what the tasks put out serves what the person wants.
pub(crate) fn critique_results(cx: &PhaseContext<'_>, results: &str) -> Ask {
    let mut ask = Ask::expecting::<ResultsAnswer>("critique_results", Tier::Balanced);
    ask.slots.insert("request", cx.request.to_owned());
    ask.slots.insert("results", results.chars().take(SHOWN_RESULTS).collect());
    ask.max_output_tokens = 400;
    ask
}

/// Asks what the work of a phase is worth.
pub(crate) fn critique(
    phase: Phase,
    cx: &PhaseContext<'_>,
    handoff: &Handoff,
    past_errors: &[String],
) -> Ask {
    let mut ask = Ask::expecting::<CritiqueAnswer>("critique", Tier::Fast);
    ask.slots.insert("phase", format!("{} ({phase})", phase.number()));
    ask.slots.insert("objective", cx.request.to_owned());
    let data = handoff.data.text();
    let output: String = format!("{}\n{data}", handoff.summary).chars().take(SHOWN_CHARS).collect();
    ask.slots.insert("output", output);
    ask.slots.insert("past_errors", past_errors.join("\n"));
    ask.max_output_tokens = 400;
    ask
}
