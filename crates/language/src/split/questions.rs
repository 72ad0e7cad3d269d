//! Steps of a question that offers choices, or that hides another question.

use candor_text::{says, words};

use super::{Step, cues::strip_any, lists, sentences::sentences, sums, tidy};

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
    choose(text).or_else(|| nested(text)).or_else(|| sums::split(text))
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
    let mut steps = chained(inner.into_iter().chain([tidy(question)]).collect());
    if let Some(first) = steps.first_mut() {
        first.guessed = true;
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
    let mut found: Vec<String> = Vec::new();
    for at in (2..words.len()).rev() {
        let start = words.get(..at).and_then(article).filter(|start| describes(&words, *start, at));
        let thing = start.and_then(|start| words.get(start..end_of_thing(&words, at)));
        let identify = thing.map(|thing| format!("Identify {}", thing.join(" ").trim_end_matches(',')));
        found.extend(identify.filter(|identify| !found.contains(identify)));
        if found.len() == MAX_INNER {
            break;
        }
    }
    found
}

/// Where the thing ends that the word at `at` begins to describe: "of" ends with its name, a clause with the question.
fn end_of_thing(words: &[&str], at: usize) -> usize {
    if words.get(at) != Some(&"of") {
        // "…the barrels that we filled in May, and what do they hold?" goes on with something else.
        let ends = words.iter().skip(at).position(|word| word.ends_with(','));
        return ends.map_or(words.len(), |comma| at + comma + 1);
    }
    let named = |word: &&&str| {
        word.starts_with(char::is_uppercase) || matches!(**word, "of" | "the" | "de" | "la" | "del" | "and")
    };
    let name = words.iter().skip(at + 1).take_while(named).count();
    let small = words.get(..at + 1 + name).unwrap_or_default().iter().rev();
    let small = small.take_while(|word| !word.starts_with(char::is_uppercase)).count();
    (at + 1 + name).saturating_sub(small)
}

/// Whether the word at `at` begins a description of the thing that begins at `start`.
fn describes(words: &[&str], start: usize, at: usize) -> bool {
    /// In "What is the capital of France?" the thing is the question itself; in "When was the composer of Norma born?"
    /// something is asked of it.
    const OPENING: usize = 3;
    let Some((word, behind)) = words.get(at..).and_then(<[_]>::split_first) else { return false };
    let clause = RELATIVES.contains(word) && behind.len() >= 2 && !asks_for(words, start);
    let participle = word.len() > 5 && word.ends_with("ing") && at > start + 1 && !behind.is_empty();
    let inner = start >= OPENING || (!asks_for(words, start) && end_of_thing(words, at) < words.len());
    let of_name =
        *word == "of" && inner && behind.first().is_some_and(|name| name.starts_with(char::is_uppercase));
    clause || participle || of_name
}

/// Whether the thing that begins at `start` is what the whole question asks for: "Who is the painter that …".
fn asks_for(words: &[&str], start: usize) -> bool {
    let opening: Vec<String> =
        words.get(..start).unwrap_or_default().iter().map(|it| it.to_lowercase()).collect();
    matches!(
        opening.iter().map(String::as_str).collect::<Vec<_>>().as_slice(),
        ["what" | "who" | "which", "is" | "are" | "was" | "were" | "of"]
            | ["quién" | "cuál" | "qué", "es" | "era" | "fue"]
    )
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
    // A capital article inside a question is part of a name: "The Battle of New Orleans".
    (least..before.len()).rev().find(|&at| {
        before.get(at).is_some_and(|word| {
            matches!(*word, "the" | "a" | "an" | "el" | "la" | "un" | "una") || (at == 0 && *word == "The")
        })
    })
}
