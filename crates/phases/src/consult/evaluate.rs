//! What a model makes of the request beside its goal. It comes with the answer to `parse_goal`: one call, and an
//! answer without it is as good as before, for then the figures of the rules stand.

use std::collections::BTreeSet;

use candor_language::evaluate::Judged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GoalAnswer, content_words};

/// How well a request says what is wanted, as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QualityAnswer {
    /// The score.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) score: f64,
    /// What is wrong with it, in short.
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub(crate) issues: Vec<String>,
}

/// Scores that are none.
pub(super) fn out_of_range(answer: &GoalAnswer) -> Vec<String> {
    let quality = answer.prompt_quality.as_ref().map(|quality| quality.score);
    let scores = [
        ("complexity", answer.complexity),
        ("promptQuality.score", quality),
        ("confidence", answer.confidence),
    ];
    let wrong = |score: &f64| !(0.0..=100.0).contains(score);
    let problem =
        |(field, score): (&str, f64)| format!("{field}: {score} is out of range; it must be from 0 to 100");
    scores.into_iter().filter_map(|(field, score)| Some((field, score.filter(wrong)?))).map(problem).collect()
}

impl GoalAnswer {
    /// Puts what the model judged over what the rules judged. Contradictions that the rules saw stay.
    pub(crate) fn judged_over(&self, mut judged: Judged, request: &str, model: &str) -> Judged {
        let evaluation = &mut judged.evaluation;
        let said: BTreeSet<String> = content_words(request).collect();
        let told =
            self.keywords.iter().filter(|keyword| content_words(keyword).any(|word| said.contains(&word)));
        let keywords: Vec<String> = told.cloned().collect();
        if !keywords.is_empty() {
            evaluation.keywords = keywords;
        }
        if let Some(total) = self.complexity.and_then(percent) {
            let by_rules = evaluation.complexity.total;
            evaluation.complexity.total = total;
            evaluation.complexity.parts = vec![format!("{total}: as {model} judges it; by rules {by_rules}")];
        }
        if let Some(quality) = &self.prompt_quality
            && let Some(score) = percent(quality.score)
        {
            evaluation.prompt_quality.score = score;
            evaluation.prompt_quality.issues.clone_from(&quality.issues);
        }
        if let Some(confidence) = self.confidence.and_then(percent) {
            evaluation.confidence = confidence;
        }
        judged
    }
}

/// A score as a whole number.
pub(super) fn percent(score: f64) -> Option<u8> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 100, as checked"
    )]
    (0.0..=100.0).contains(&score).then(|| score.round() as u8)
}
