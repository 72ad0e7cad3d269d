//! Steps of a question that offers choices.

use candor_text::says;

use super::{Step, cues::strip_any, nested, sentences::sentences, sums, tidy};

/// How a text announces the answers to choose from.
const CHOICES: &[&str] = &["choices:", "options:", "choices are", "options are", "opciones:", "opciones son"];

/// Questions that are answered by looking: nothing has to be concluded from what is described.
const DIRECT: &[&str] = &[
    "how many",
    "how much",
    "what color",
    "what colour",
    "which",
    "what is next",
    "what is on",
    "what is in",
    "what is behind",
    "what is under",
    "what is above",
    "what are on",
    "what are in",
    "cuántos",
    "cuántas",
    "cuánto",
    "cuánta",
    "de qué color",
    "cuál",
    "cuáles",
    "qué hay",
];

/// What a description does: "The image shows …", "The manifest lists …".
const SHOWING: &[&str] = &[
    "shows",
    "show",
    "depicts",
    "features",
    "captures",
    "contains",
    "lists",
    "says",
    "reads",
    "states",
    "describes",
    "records",
    "reports",
    "muestra",
    "dice",
    "describe",
    "contiene",
    "recoge",
    "indica",
];

/// A description has more words than a remark.
const SHORTEST_DESCRIPTION: usize = 5;

/// The steps of a question, if the text is one that has more than the question itself.
pub(super) fn split(text: &str) -> Option<Vec<Step>> {
    choose(text)
        .or_else(|| sums::supposed(text))
        .or_else(|| nested::split(text))
        .or_else(|| sums::split(text))
}

/// A question with choices is answered first, then the choice is made. Where something is described, what bears on the
/// question is looked for in it before an answer is concluded, unless looking answers the question.
fn choose(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let offer = sentences.iter().position(|sentence| {
        let lower = sentence.to_lowercase();
        CHOICES.iter().any(|choices| lower.contains(choices)) && offers_letters(sentence)
    })?;
    let (before, behind) = (sentences.get(..offer)?, sentences.get(offer + 1..)?);
    let (at, question) = before.iter().enumerate().rev().find(|(_, sentence)| sentence.ends_with('?'))?;
    let offered = sentences.get(offer)?;
    let choices = offered.split_once(':').map_or(*offered, |(_, choices)| choices);
    let (question, select) =
        (tidy(question), format!("Select the choice from the answer choices: {}", tidy(choices)));
    let describes = |sentence: &&&str| {
        !sentence.ends_with('?') && sentence.split_whitespace().count() >= SHORTEST_DESCRIPTION
    };
    let mut described = before.iter().take(at).chain(behind);
    let steps = match described.find(describes).filter(|_| !is_direct(&question)) {
        Some(description) => {
            let source = source(description);
            vec![
                format!("Identify in {source} what bears on: {question}"),
                format!("Answer: {question}"),
                select,
            ]
        }
        None => vec![question, select],
    };
    Some(chained(steps))
}

/// Steps of which each needs the one before; only the first is certain.
fn chained(descriptions: Vec<String>) -> Vec<Step> {
    let step = |(at, description): (usize, String)| {
        Step::new(description, at.checked_sub(1).into_iter().collect(), at > 0)
    };
    descriptions.into_iter().enumerate().map(step).collect()
}

fn is_direct(question: &str) -> bool {
    strip_any(question.trim_start_matches('¿'), DIRECT).is_some()
}

/// What describes: "the image" of "The image shows the following contents".
fn source(description: &str) -> String {
    const LONGEST: usize = 5;
    let words: Vec<&str> = description.split_whitespace().collect();
    let verb = words.iter().take(LONGEST).position(|word| SHOWING.contains(word)).filter(|&verb| verb > 1);
    let named = verb.and_then(|verb| words.get(..verb)).and_then(<[_]>::split_first);
    match named {
        Some((&("The" | "This" | "the" | "this"), rest)) => format!("the {}", rest.join(" ")),
        _ => "the description".to_owned(),
    }
}

fn offers_letters(sentence: &str) -> bool {
    let offers = |a: &str, b: &str| says(sentence, a) && says(sentence, b);
    offers("A", "B") || offers("a", "b") || offers("1", "2")
}
