//! Steps of a question that offers choices, or that hides another question.

use candor_text::{says, words};

use super::{Step, lists, sentences::sentences, tidy};

/// How a text announces the answers to choose from.
const CHOICES: &[&str] = &["choices:", "options:", "choices are", "options are", "opciones:", "opciones son"];

/// The steps of a question, if the text is one that has more than the question itself.
pub(super) fn split(text: &str) -> Option<Vec<Step>> {
    choose(text).or_else(|| nested(text))
}

/// A question with choices is answered first, then the choice is made.
fn choose(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let offer = sentences.iter().position(|sentence| {
        let lower = sentence.to_lowercase();
        CHOICES.iter().any(|choices| lower.contains(choices)) && offers_letters(sentence)
    })?;
    let question = sentences.get(..offer)?.iter().rev().find(|sentence| sentence.ends_with('?'))?;
    let offered = sentences.get(offer)?;
    let choices = offered.split_once(':').map_or(*offered, |(_, choices)| choices);
    let answer = Step::new(tidy(question), Vec::new(), false);
    let description = format!("Select the choice from the answer choices: {}", tidy(choices));
    Some(vec![answer, Step::new(description, vec![0], true)])
}

fn offers_letters(sentence: &str) -> bool {
    let offers = |a: &str, b: &str| says(sentence, a) && says(sentence, b);
    offers("A", "B") || offers("a", "b") || offers("1", "2")
}

/// "Who leads the country where Kitgum lies?" asks first which country that is.
fn nested(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let [question] = sentences.as_slice() else { return None };
    if !question.ends_with('?') || lists::blocks(text).len() != 1 || !asks_for_fact(question) {
        return None;
    }
    let inner = inner_questions(question);
    if inner.is_empty() {
        return None;
    }
    let mut steps: Vec<Step> = Vec::new();
    for description in inner.into_iter().chain([tidy(question)]) {
        let depends_on = steps.len().checked_sub(1).into_iter().collect();
        steps.push(Step::new(description, depends_on, true));
    }
    Some(steps)
}

/// Whether the sentence asks what is so, and not whether somebody would do something.
fn asks_for_fact(question: &str) -> bool {
    const ASKING: &[&str] =
        &["who", "what", "when", "where", "which", "how", "whose", "quién", "qué", "cuándo", "dónde", "cuál"];
    const PLEADING: &[&str] =
        &["can", "could", "would", "will", "please", "hey", "hi", "hello", "do", "puedes", "podrías"];
    // With its accents: "qué" asks, "que" does not.
    let words: Vec<_> = words(question).map(str::to_lowercase).collect();
    let pleads = words.first().is_some_and(|first| PLEADING.contains(&first.as_str()));
    !pleads && words.iter().any(|word| ASKING.contains(&word.as_str()))
}

/// The things that a question describes by a clause of their own, the innermost first.
fn inner_questions(question: &str) -> Vec<String> {
    let words: Vec<&str> = question.trim_end_matches(['?', ' ']).split_whitespace().collect();
    let mut found = Vec::new();
    for at in (2..words.len()).rev() {
        let start = words.get(..at).and_then(article).filter(|start| describes(&words, *start, at));
        if let Some(thing) = start.and_then(|start| words.get(start..)) {
            found.push(format!("Identify {}", thing.join(" ")));
        }
        if found.len() == MAX_INNER {
            break;
        }
    }
    found
}

/// Whether the word at `at` begins a description of the thing that begins at `start`.
fn describes(words: &[&str], start: usize, at: usize) -> bool {
    /// In "What is the capital of France?" the thing is the question itself.
    const OPENING: usize = 3;
    let Some((word, behind)) = words.get(at..).and_then(<[_]>::split_first) else { return false };
    let clause = RELATIVES.contains(word) && behind.len() >= 2;
    let participle = word.len() > 5 && word.ends_with("ing") && at > start + 1 && !behind.is_empty();
    let of_name = *word == "of"
        && start >= OPENING
        && behind.first().is_some_and(|name| name.starts_with(char::is_uppercase));
    clause || participle || of_name
}

/// Questions nested deeper than this are not meant to be read.
const MAX_INNER: usize = 3;

const RELATIVES: &[&str] = &[
    "where",
    "that",
    "which",
    "who",
    "whose",
    "having",
    "whom",
    "donde",
    "que",
    "featuring",
    "containing",
    "originating",
];

/// Where the noun phrase right before a relative word begins: at most four words with their article.
fn article(before: &[&str]) -> Option<usize> {
    const LONGEST: usize = 5;
    let least = before.len().saturating_sub(LONGEST);
    (least..before.len()).rev().find(|&at| {
        before
            .get(at)
            .is_some_and(|word| matches!(*word, "the" | "The" | "a" | "an" | "el" | "la" | "un" | "una"))
    })
}
