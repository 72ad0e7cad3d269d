//! Quantities that are computed from quantities: "Half of the 40 hives swarmed. How many are left?"

use std::collections::BTreeSet;

use candor_text::{fold, is_stop_word, says, singular, words};

use super::{Step, lists, requests, sentences::sentences, tidy};

/// How a quantity is asked for.
const ASKING: &[&str] = &["how many", "how much", "how long", "cuántos", "cuántas", "cuánto", "cuánta"];
const ASKED_NAMES: &[&str] = &[
    "total",
    "average",
    "cost",
    "price",
    "sum",
    "percentage",
    "number",
    "promedio",
    "coste",
    "precio",
    "suma",
];

/// Words that make one quantity out of another.
const RELATING: &[&str] = &[
    "twice",
    "double",
    "triple",
    "half",
    "third",
    "quarter",
    "percent",
    "times",
    "more",
    "fewer",
    "less",
    "older",
    "younger",
    "doble",
    "triple",
    "mitad",
    "tercio",
    "cuarto",
    "por ciento",
    "veces",
    "más",
    "menos",
];

/// Words that are figures.
const FIGURES: &[&str] =
    &["twice", "half", "double", "doble", "mitad", "two", "three", "dozen", "dos", "tres", "docena"];

/// A sentence with more of them is no statement of quantities any more.
const MOST_STATEMENTS: usize = 8;

/// The steps of a question after a quantity, if what it is computed from is told before it.
///
/// Each statement that relates two quantities is a calculation of its own, and the question needs them all. They are read
/// in their order, for a later one mostly builds on an earlier one.
pub(super) fn split(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let (question, told) = sentences.split_last()?;
    let asks = |sentence: &&str| requests::starts_with_verb(requests::read(sentence).what);
    if !asks_for_quantity(question) || lists::blocks(text).len() != 1 || told.iter().any(asks) {
        return None;
    }
    let quantities: Vec<&str> = told.iter().copied().filter(|sentence| has_figure(sentence)).collect();
    let asked = names(question);
    if quantities.iter().all(|sentence| names(sentence).is_disjoint(&asked)) {
        return None;
    }
    let related: Vec<&str> =
        quantities.iter().flat_map(|sentence| statements(sentence)).filter(relates).collect();
    if related.is_empty() {
        return None;
    }
    let calculate = |what: &str| format!("Calculate: {}", tidy(what));
    let steps = related
        .iter()
        .chain([question])
        .enumerate()
        .map(|(at, what)| Step::new(calculate(what), at.checked_sub(1).into_iter().collect(), true));
    Some(steps.collect())
}

fn asks_for_quantity(question: &str) -> bool {
    let question = question.to_lowercase();
    let says_any = |words: &[&str]| words.iter().any(|word| says(&question, word));
    question.ends_with('?') && (says_any(ASKING) || (says(&question, "what") && says_any(ASKED_NAMES)))
}

fn has_figure(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains(|c: char| c.is_ascii_digit()) || FIGURES.iter().any(|figure| says(&text, figure))
}

/// Whether a statement makes one quantity out of another.
fn relates(statement: &&str) -> bool {
    let lower = statement.to_lowercase();
    has_figure(statement) && (lower.contains('%') || RELATING.iter().any(|word| says(&lower, word)))
}

/// The statements of a sentence: "half of them are red and 30 percent of those are small" has two.
fn statements(sentence: &str) -> Vec<&str> {
    const JOINTS: &[&str] = &[", while ", ", and ", " and ", "; ", " y ", ", mientras "];
    let (mut found, mut rest) = (Vec::new(), sentence);
    while found.len() < MOST_STATEMENTS {
        let cut = JOINTS.iter().find_map(|joint| {
            let (head, tail) = rest.split_once(joint)?;
            (relates(&head) && relates(&tail)).then_some((head, tail))
        });
        let Some((head, tail)) = cut else { break };
        found.push(head);
        rest = tail;
    }
    found.push(rest);
    found
}

/// What a sentence is about.
fn names(sentence: &str) -> BTreeSet<String> {
    let named = words(sentence).map(|word| fold(word).to_lowercase());
    named
        .filter(|word| !is_stop_word(word) && word.len() > 2)
        .map(|word| singular(&word).into_owned())
        .collect()
}
