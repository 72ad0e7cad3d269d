//! `enhance_prompt`: a weak request in three better wordings. A wording that says more than the person did is
//! not believed.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_language::evaluate::{TECHNIQUES, enhancement};
use candor_model::Ask;
use candor_model::{Enhancement, PromptQuality, PromptVariant, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content_words;
use super::evaluate::percent;
use crate::PhaseContext;

/// How many wordings are wanted.
const WANTED: usize = 3;

/// Three better wordings, as a model gives them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnhanceAnswer {
    /// Exactly three.
    #[schemars(length(min = 3, max = 3))]
    pub(crate) variants: Vec<VariantAnswer>,
}

/// A better wording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariantAnswer {
    /// The words.
    pub(crate) text: String,
    /// How good they are.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) score: f64,
    /// What was done, by the names of the techniques.
    #[schemars(length(min = 1, max = 5))]
    pub(crate) improvements: Vec<String>,
}

/// Asks for better wordings of a request.
pub(crate) fn enhance_prompt(cx: &PhaseContext<'_>, quality: &PromptQuality) -> Ask {
    let mut ask = Ask::expecting::<EnhanceAnswer>("enhance_prompt", Tier::Balanced);
    ask.slots.insert("request", cx.request.to_owned());
    ask.slots.insert("score", quality.score.to_string());
    let issues: Vec<&str> =
        quality.issues.iter().chain(&quality.contradictions).map(String::as_str).collect();
    ask.slots.insert("issues", issues.join("\n"));
    ask.max_output_tokens = 800;
    let (fits, request) = (Arc::clone(&ask.check), cx.request.to_owned());
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<EnhanceAnswer>(value.clone()) {
            problems.extend(wrong_with(&answer, &request));
        }
        problems
    });
    ask
}

/// What no shape can express.
fn wrong_with(answer: &EnhanceAnswer, request: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if answer.variants.len() != WANTED {
        problems.push(format!("variants: must be exactly {WANTED}, are {}", answer.variants.len()));
    }
    let said: BTreeSet<String> = content_words(request).collect();
    let figures = figures(request);
    for (at, variant) in answer.variants.iter().enumerate() {
        let unknown = variant.improvements.iter().find(|name| !TECHNIQUES.contains(&name.as_str()));
        if let Some(name) = unknown {
            problems.push(format!(
                "variants[{at}].improvements: `{name}` is not one of {}",
                TECHNIQUES.join(", ")
            ));
        }
        if variant.improvements.is_empty() {
            problems.push(format!("variants[{at}].improvements: must name at least one technique"));
        }
        if !(0.0..=100.0).contains(&variant.score) {
            problems.push(format!(
                "variants[{at}].score: {} is out of range; it must be from 0 to 100",
                variant.score
            ));
        }
        if let Some(figure) = self::figures(&variant.text).difference(&figures).next() {
            problems.push(format!("variants[{at}].text: {figure} is not in the request; ask for it instead"));
        }
        if !said.is_empty() && !content_words(&variant.text).any(|word| said.contains(&word)) {
            problems.push(format!("variants[{at}].text: has no word of the request"));
        }
    }
    problems
}

/// The numbers of a text; those of one digit number the steps of a list.
fn figures(text: &str) -> BTreeSet<String> {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() > 1);
    numbers.map(str::to_owned).collect()
}

impl EnhanceAnswer {
    /// The record of what is offered.
    pub(crate) fn enhancement(&self, request: &str, quality: &PromptQuality) -> Enhancement {
        let variants = self.variants.iter().map(|variant| PromptVariant {
            text: variant.text.clone(),
            score: percent(variant.score).unwrap_or_default(),
            improvements: variant.improvements.clone(),
        });
        enhancement(request.trim(), quality, variants.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, improvement: &str, count: usize) -> EnhanceAnswer {
        let variant =
            VariantAnswer { text: text.to_owned(), score: 80.0, improvements: vec![improvement.to_owned()] };
        EnhanceAnswer { variants: vec![variant; count] }
    }

    #[test]
    fn a_wording_that_says_more_than_the_person_is_not_believed() {
        // spec: orchestrator PE-03 PE-05 FD-03
        let request = "fix the export, it is slow";
        let said = |answer: &EnhanceAnswer| wrong_with(answer, request).join("\n");
        assert_eq!(said(&answer("1. Find why the export is slow.", "chain of thought", 3)), "");
        assert!(
            said(&answer("Make the export 250 ms faster", "specificity", 3))
                .contains("250 is not in the request")
        );
        assert!(said(&answer("Speed up the export", "magic", 3)).contains("`magic` is not one of added XML"));
        assert!(said(&answer("Speed up the export", "examples", 2)).contains("exactly 3, are 2"));
        assert!(said(&answer("Book a hotel", "examples", 3)).contains("no word of the request"));
    }
}
