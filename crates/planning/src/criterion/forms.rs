//! The forms of the language of criteria, and which of them somebody meant who wrote none of them.

use super::{Clause, parse};

/// Every form, as it is written.
pub const FORMS: &[&str] = &[
    "outputs present: NAME, NAME",
    "outputs expected: NAME, NAME",
    "outputs not empty",
    "outputs schema: {JSON Schema}",
    "output NAME not empty",
    "output NAME >= NUMBER",
    "output NAME == TEXT",
    "output NAME contains \"TEXT\"",
    "output NAME words <= NUMBER",
    "output NAME is json",
    "output NAME is a list",
    "output NAME in spanish",
    "output NAME schema: {JSON Schema}",
    "count NAME >= NUMBER",
    "file exists: PATH",
    "file PATH words <= NUMBER",
    "file PATH lines >= NUMBER",
    "file PATH entries >= NUMBER",
    "file PATH is json",
    "file PATH in spanish",
    "file PATH contains \"TEXT\"",
    "answer words <= NUMBER",
    "answer is json",
    "answer in spanish",
    "answer contains \"TEXT\"",
    "command: PROGRAM ARGUMENT",
    "judge: WORDS",
];

/// How alike a text and a form must be for the form to be meant.
const ALIKE: f64 = 0.72;

/// What of a criterion is not understood, each part with the form that it is nearest to.
#[must_use]
pub fn problems(text: &str) -> Vec<String> {
    let clauses = parse(text).clauses;
    let unknown = clauses.iter().filter_map(|clause| match clause {
        Clause::Prose(text) => Some(text.as_str()),
        _ => None,
    });
    unknown.map(problem).collect()
}

fn problem(text: &str) -> String {
    let shown = crate::texts::shortened(text, 80);
    match nearest(text) {
        Some(form) => format!("criterion `{shown}` is not understood; did you mean `{form}`?"),
        None => {
            format!("criterion `{shown}` is not understood; for words that a model judges: `judge: {shown}`")
        }
    }
}

/// The form that a text is nearest to, if it is near one at all: a misspelt criterion, and not a sentence.
#[must_use]
pub fn nearest(text: &str) -> Option<&'static str> {
    let mut best: Option<(f64, &'static str)> = None;
    for form in FORMS {
        let score = likeness(text, form);
        if score >= ALIKE && best.is_none_or(|(old, _)| score > old) {
            best = Some((score, form));
        }
    }
    best.map(|(_, form)| form)
}

/// How alike the fixed words of a form and the words in their places are.
fn likeness(text: &str, form: &str) -> f64 {
    let mut said = text.split_whitespace();
    let (mut fixed, mut score) = (0_u32, 0.0);
    for part in form.split_whitespace() {
        let word = said.next().unwrap_or_default();
        let is_slot = part.trim_matches(|c: char| !c.is_alphanumeric()).chars().all(|c| c.is_uppercase());
        // What stands for a value says nothing; a sign may be another sign.
        if is_slot || part.starts_with(['"', '{']) {
            continue;
        }
        fixed += 1;
        let is_sign = |word: &str| ["<=", ">=", "==", "<", ">", "="].contains(&word);
        score += if is_sign(part) && is_sign(word) {
            1.0
        } else {
            strsim::normalized_levenshtein(&word.to_lowercase(), part)
        };
    }
    if fixed == 0 { 0.0 } else { score / f64::from(fixed) }
}
