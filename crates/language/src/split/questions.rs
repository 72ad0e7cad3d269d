//! Steps of a question that offers choices, or that hides another question.

use candor_text::{is_stop_word, says, words};

use super::{Step, cues::strip_any, lists, requests::is_verb, sentences::sentences, sums, tidy};

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
    for at in (1..words.len()).rev() {
        let start = words.get(..at).and_then(article).filter(|start| describes(&words, *start, at));
        let described = start.map(|start| (start, end_of_thing(&words, start, at)));
        let Some((start, end)) = described.or_else(|| possessed(&words, at)) else { continue };
        let thing = words.get(start..end).unwrap_or_default();
        let identify = format!("Identify {}", lower_article(&thing.join(" ")).trim_end_matches(','));
        if !found.contains(&identify) {
            found.push(identify);
        }
        if found.len() == MAX_INNER {
            break;
        }
    }
    found
}

/// "The modern city …" of the beginning of a question, as it stands inside one.
fn lower_article(thing: &str) -> String {
    thing.strip_prefix("The ").map_or_else(|| thing.to_owned(), |rest| format!("the {rest}"))
}

/// "Norma's composer" in "Where did Norma's composer die?": where it begins and ends, if the word at `at` has it.
fn possessed(words: &[&str], at: usize) -> Option<(usize, usize)> {
    const LONGEST: usize = 3;
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    let owner = words.get(at).filter(|word| capital(word) && word.ends_with("'s"))?;
    let name = words.get(1..at).unwrap_or_default().iter().rev().take_while(|word| capital(word)).count();
    let noun = |word: &&&str| {
        word.chars().all(char::is_lowercase) && !is_stop_word(word) && !is_verb(word) && !is_participle(word)
    };
    let behind = words.get(at + 1..)?;
    let thing = behind.iter().take(LONGEST).take_while(noun).count();
    let start = at - name;
    let end = (at + 1 + thing).min(before_verb(words, start, at));
    let inner = end < words.len() || !asks_for(words, start);
    (thing > 0 && inner && owner.len() > 2).then_some((start, end))
}

/// Where the thing that begins at `start` ends, which the word at `at` begins to describe: "of" ends with its name, a clause
/// with the question or before the verb of the question.
fn end_of_thing(words: &[&str], start: usize, at: usize) -> usize {
    let named = |word: &&&str| {
        word.starts_with(char::is_uppercase) || matches!(**word, "of" | "the" | "de" | "la" | "del" | "and")
    };
    if let Some(from) = name_behind(words, at) {
        let name = words.iter().skip(from).take_while(named).count();
        let small = words.get(..from + name).unwrap_or_default().iter().rev();
        let small = small.take_while(|word| !word.starts_with(char::is_uppercase)).count();
        return (from + name).saturating_sub(small);
    }
    // "…the barrels that we filled in May, and what do they hold?" goes on with something else.
    let ends = words.iter().skip(at).position(|word| word.ends_with(','));
    ends.map_or_else(|| before_verb(words, start, at), |comma| at + comma + 1)
}

/// Where a clause ends before the verb of the question: "The city that he left was taken in which year?", "What does the
/// state that he left mean?", "When was the state that he left founded?"
fn before_verb(words: &[&str], start: usize, at: usize) -> usize {
    const AUXILIARY: &[&str] = &["is", "are", "was", "were", "has", "have", "had", "did", "does", "will"];
    let end = words.len();
    if start == 0 {
        let verb = words.iter().skip(at + 2).rposition(|word| AUXILIARY.contains(word));
        return verb.map_or(end, |verb| at + 2 + verb);
    }
    let opening = words.get(..start).unwrap_or_default();
    let (last, before) =
        (words.last().copied().unwrap_or_default(), words.get(end - 2).copied().unwrap_or_default());
    let does = opening.iter().any(|word| matches!(*word, "do" | "does" | "did"));
    let is = opening.iter().any(|word| AUXILIARY.iter().take(4).any(|it| it == word));
    let verb = (does && last.chars().all(char::is_lowercase)) || (is && is_participle(last));
    let bare = !is_stop_word(before) && !matches!(before, "last" | "next" | "this" | "that" | "each");
    if verb && bare && at + 2 < end { end - 1 } else { end }
}

/// Where a name begins that describes a thing: behind "of", "on" or "by", and behind "known for" or "directed by".
fn name_behind(words: &[&str], at: usize) -> Option<usize> {
    let word = words.get(at)?;
    let from = if is_participle(word) && words.get(at + 1).is_some_and(|next| LINKS.contains(next)) {
        at + 2
    } else {
        at + 1
    };
    let named = words.get(from).is_some_and(|name| name.starts_with(char::is_uppercase));
    (*word == "of" || (named && (from == at + 2 || matches!(*word, "on" | "by" | "behind")))).then_some(from)
}

/// Whether a word may say what was done to a thing: "founded", "known".
fn is_participle(word: &str) -> bool {
    const STRONG: &[&str] = &[
        "known", "born", "built", "made", "held", "won", "written", "sung", "sold", "led", "given", "shown",
    ];
    (word.len() > 4 && word.ends_with("ed")) || STRONG.contains(&word)
}

/// What stands between such a word and the name.
const LINKS: &[&str] = &["by", "for", "in", "on", "at", "after", "as", "from"];

/// Whether the word at `at` begins a description of the thing that begins at `start`.
fn describes(words: &[&str], start: usize, at: usize) -> bool {
    /// In "What is the capital of France?" the thing is the question itself; in "When was the composer of Norma born?"
    /// something is asked of it.
    const OPENING: usize = 3;
    let Some((word, behind)) = words.get(at..).and_then(<[_]>::split_first) else { return false };
    if at < start + 2 {
        return false;
    }
    let clause = RELATIVES.contains(word) && behind.len() >= 2 && !asks_for(words, start);
    let participle = word.len() > 5 && word.ends_with("ing") && !behind.is_empty();
    let inner =
        || start >= OPENING || (!asks_for(words, start) && end_of_thing(words, start, at) < words.len());
    let of_name = name_behind(words, at)
        .is_some_and(|from| words.get(from).is_some_and(|name| name.starts_with(char::is_uppercase)))
        && (*word == "of" || at == start + 2)
        && inner();
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
