//! Questions that compare: "Which is older, the Rialto or the Ponte Vecchio?" asks for the age of each first.

use super::{Step, is_capital, tidy};

/// More things are not compared in one question.
const MOST: usize = 4;
/// A thing that is compared has so many words at most.
const LONGEST: usize = 6;
const BE_OR_DO: &[&str] =
    &["are", "were", "is", "was", "do", "did", "does", "have", "has", "son", "eran", "fueron"];

/// A step for each of the things that a question compares, and one for the comparison.
pub(super) fn split(question: &str) -> Option<Vec<Step>> {
    let things = chosen(question).or_else(|| shared(question))?;
    let all = (0..things.len()).collect();
    let find =
        |thing: &&str| Step::new(format!("Find out about {thing}: {}", tidy(question)), Vec::new(), true);
    Some(things.iter().map(find).chain([Step::new(tidy(question), all, true)]).collect())
}

/// "Who was born first, Ada, Grace or Radia?"
fn chosen(question: &str) -> Option<Vec<&str>> {
    #[rustfmt::skip]
    const ASKING: &[&str] = &["which", "who", "what", "where", "quién", "cuál", "qué", "dónde"];
    let first = question.trim_start_matches('¿').split_whitespace().next()?.to_lowercase();
    let plain = question.trim_end_matches(['?', ' ']);
    let (before, last) = plain.rsplit_once(" or ").or_else(|| plain.rsplit_once(" o "))?;
    let mut pieces = before.split(", ");
    let head = pieces.next()?;
    let mut things: Vec<&str> = pieces.map(|piece| piece.trim_end_matches(',')).collect();
    things.push(last);
    let short = |thing: &&str| (1..=LONGEST).contains(&thing.split_whitespace().count());
    let asks = ASKING.contains(&first.as_str()) && head.split_whitespace().count() > 1;
    // "Which bills are open, paid or disputed?" compares nothing.
    let named = compares(head) || things.iter().all(|thing| is_thing(thing));
    let all = (2..=MOST).contains(&things.len()) && things.iter().all(short);
    (asks && named && all).then_some(things)
}

/// Whether words have a comparative: "which is cheaper".
fn compares(head: &str) -> bool {
    const COMPARATIVES: &[&str] =
        &["more", "less", "first", "last", "most", "más", "menos", "mejor", "peor", "antes"];
    head.split_whitespace()
        .any(|word| COMPARATIVES.contains(&word) || (word.len() > 4 && word.ends_with("er")))
}

/// Whether words are a name, or begin with what stands before a noun.
fn is_thing(words: &str) -> bool {
    const DETERMINERS: &[&str] = &[
        "the", "a", "an", "this", "that", "our", "my", "el", "la", "los", "las", "un", "una", "nuestro",
        "nuestra",
    ];
    let first = words.split_whitespace().next().unwrap_or_default();
    is_capital(first) || DETERMINERS.contains(&first)
}

/// "Were Ada Lovelace and Charles Babbage both born in London?", "Do the Rhine and the Rhône rise in the same range?"
fn shared(question: &str) -> Option<Vec<&str>> {
    let plain = question.trim_start_matches('¿').trim_end_matches(['?', ' ']);
    let (opening, rest) = plain.split_once(' ')?;
    let (one, behind) = rest.split_once(" and ").or_else(|| rest.split_once(" y "))?;
    let both = [" both ", " ambos ", " ambas "]
        .iter()
        .find_map(|mark| behind.split_once(mark))
        .map(|(other, _)| other);
    let same = [" same ", " mismo ", " misma "].iter().any(|mark| behind.contains(mark));
    let other = both.or_else(|| same.then(|| named(behind)).flatten())?;
    let short = |thing: &str| (1..=LONGEST).contains(&thing.split_whitespace().count());
    let asks = BE_OR_DO.contains(&opening.to_lowercase().as_str());
    (asks && short(one) && short(other)).then(|| vec![one, other])
}

/// The name that a text begins with, with the article before it.
fn named(text: &str) -> Option<&str> {
    let starts =
        |at: usize| text.get(at..).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    let mut end = 0;
    for (at, _) in text.match_indices(' ').chain([(text.len(), "")]) {
        let word = starts(end);
        if !(is_capital(word) || (end == 0 && matches!(word, "the" | "el" | "la"))) {
            break;
        }
        end = (at + 1).min(text.len());
    }
    text.get(..end).map(str::trim).filter(|name| name.contains(is_upper))
}

fn is_upper(letter: char) -> bool {
    letter.is_uppercase()
}
