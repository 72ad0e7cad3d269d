//! The prompt enhancer without a model: three better wordings of a weak request. They bring structure, steps
//! and questions, and never a fact that the person did not say.

use candor_model::{Enhancement, OriginalPrompt, PromptQuality, PromptVariant};
use candor_text::{fold, words};

use super::wording::{BLANK, Wording};
use super::{NO_CONTEXT, NO_RESULT, PRONOUN, VAGUE, tables};
use crate::goal::Reading;

/// Puts the background in `<context>` and the order in `<task>`.
const XML: &str = "added XML";
/// Asks for one step after the other.
const STEPS: &str = "chain of thought";
/// Refers to parts of the person's own text.
const QUOTES: &str = "quote grounding";
/// Names, or asks for, paths, names and figures.
const SPECIFICITY: &str = "specificity";
/// Shows the form of the answer.
const EXAMPLES: &str = "examples";

/// The five techniques, by name.
pub const TECHNIQUES: [&str; 5] = [XML, STEPS, QUOTES, SPECIFICITY, EXAMPLES];

/// The letters of the variants, the best first.
const LETTERS: [&str; 3] = ["A", "B", "C"];

/// Words the request in three better ways; `score` is the rubric.
pub(super) fn offer(
    request: &str,
    reading: &Reading,
    quality: &PromptQuality,
    score: impl Fn(&str) -> u8,
) -> Enhancement {
    let request = request.trim();
    let wording = Wording::of(reading.language);
    let offered = [
        (with_checklist(request, wording), vec![STEPS, EXAMPLES]),
        (structured(request, wording), vec![XML, QUOTES]),
        (with_questions(request, wording, quality), vec![SPECIFICITY]),
    ];
    let variants = offered.into_iter().map(|(text, techniques)| PromptVariant {
        score: score(&text),
        text,
        improvements: techniques.into_iter().map(str::to_owned).collect(),
    });
    enhancement(request, quality, variants.collect())
}

/// The record, its variants in the order of their scores.
#[must_use]
pub fn enhancement(request: &str, quality: &PromptQuality, mut variants: Vec<PromptVariant>) -> Enhancement {
    variants.sort_by_key(|variant| std::cmp::Reverse(variant.score));
    Enhancement {
        original: OriginalPrompt {
            text: request.to_owned(),
            score: quality.score,
            issues: quality.issues.clone(),
        },
        variants,
        recommendation: LETTERS.first().copied().unwrap_or_default().to_owned(),
    }
}

fn structured(request: &str, wording: &Wording) -> String {
    let first = request.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let said = wording.said;
    let close = wording.only_this;
    format!("<context>\n{said} “{first}”\n{close}\n</context>\n<task>\n{request}\n</task>")
}

fn with_checklist(request: &str, wording: &Wording) -> String {
    let steps = wording.steps.join("\n");
    let checklist = wording.checklist.join("\n");
    format!("{request}\n\n{steps}\n{}\n{checklist}\n{}", wording.done_when, wording.form)
}

fn with_questions(request: &str, wording: &Wording, quality: &PromptQuality) -> String {
    let has = |code: &str| quality.issues.iter().any(|issue| issue == code);
    let about_code = words(request).any(|word| tables::CODE.contains(&fold(word)));
    let context = if about_code { wording.which_file } else { wording.which_fact };
    let asked = [
        (has(VAGUE), wording.what_to_do),
        (has(PRONOUN), wording.which_thing),
        (has(NO_CONTEXT), context),
        (has(NO_RESULT), wording.what_result),
        (!quality.contradictions.is_empty(), wording.which_holds),
        (true, wording.more),
    ];
    let blanks: Vec<String> =
        asked.iter().filter(|(ask, _)| *ask).map(|(_, question)| format!("{question} {BLANK}")).collect();
    format!("{request}\n\n{}\n{}", wording.fill_in, blanks.join("\n"))
}
