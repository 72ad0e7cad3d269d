//! Cuts one sentence where it goes on with a further step.

use std::borrow::Cow;

use super::{
    cues::{Cue, INNER, JOINTS},
    requests::{first_word, read, starts_with_strong_verb, starts_with_verb},
};

/// A sentence longer than this, in bytes, was not written by a person and is not cut.
const LONGEST_SENTENCE: usize = 4_000;

/// A part of a sentence that is a step of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause<'a> {
    /// How it hangs together with the part before it.
    pub(super) cue: Cue,
    /// Its words.
    pub(super) text: Cow<'a, str>,
    /// Whether only a verb showed where it begins.
    pub(super) guessed: bool,
}

/// What stands before a cut, and what behind it: its cue, its words, whether the cut is guessed.
type Cut<'a> = (&'a str, (Cue, &'a str, bool));

/// The clauses of what a sentence asks for; the first is silent.
pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut clauses = Vec::new();
    let readable = text.len() <= LONGEST_SENTENCE;
    let mut rest = Some((Cue::Silent, text, false));
    while let Some((cue, text, guessed)) = rest {
        let cut = if readable { first_cut(text) } else { None };
        let (head, tail) = cut.map_or((text, None), |(head, tail)| (head, Some(tail)));
        let mut objects = if readable { objects(head) } else { vec![Cow::Borrowed(head)] }.into_iter();
        clauses.extend(objects.next().map(|text| Clause { cue, text, guessed }));
        clauses.extend(objects.map(|text| Clause { cue: Cue::Beside, text, guessed: true }));
        rest = tail;
    }
    clauses
}

/// The earlier of the cut that words say and the one that a verb suggests.
fn first_cut(text: &str) -> Option<Cut<'_>> {
    [marked(text), joined(text)].into_iter().flatten().min_by_key(|(head, _)| head.len())
}

/// Cuts at the first words that say that a further step follows.
fn marked(text: &str) -> Option<Cut<'_>> {
    let found = INNER.iter().filter_map(|(mark, cue)| {
        let (head, tail) = text.split_once(mark)?;
        let tail_asks = starts_with_verb(read(tail).what) || (*cue == Cue::After && is_infinitive(tail));
        let head_asks = head.chars().any(char::is_alphanumeric) && !is_condition(head);
        (tail_asks && head_asks).then_some((head, (*cue, tail, false)))
    });
    found.min_by_key(|(head, _)| head.len())
}

/// Cuts where a command goes on with another verb: "retrieve the layout and check if …".
fn joined(text: &str) -> Option<Cut<'_>> {
    if !starts_with_verb(text) {
        return None;
    }
    let found = JOINTS.iter().flat_map(|joint| {
        text.match_indices(joint).filter_map(move |(at, joint)| {
            let (head, tail) = (text.get(..at)?, text.get(at + joint.len()..)?);
            let alone = head.split_whitespace().count() >= 2 && opens_clause(tail);
            alone.then_some((head, (Cue::Beside, tail, true)))
        })
    });
    found.min_by_key(|(head, _)| head.len())
}

/// "Book a flight and a hotel" is two steps with one verb; anything else stays as it is.
fn objects(text: &str) -> Vec<Cow<'_, str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let object = words.iter().take(LONGEST_OPENING).position(|word| ARTICLES.contains(word));
    let opening = object.and_then(|object| words.get(..object)).filter(|opening| shares_verb(opening));
    let (Some(object), Some(opening)) = (object, opening) else { return vec![Cow::Borrowed(text)] };
    let Some(joint) = joint_of_objects(&words, object) else { return vec![Cow::Borrowed(text)] };
    let (Some(head), Some(tail)) = (words.get(..joint), words.get(joint + 1..)) else {
        return vec![Cow::Borrowed(text)];
    };
    let head = head.join(" ").trim_end_matches(',').to_owned();
    vec![Cow::Owned(head), Cow::Owned([opening, tail].concat().join(" "))]
}

/// Whether the words up to the first article are a verb that may have several objects.
fn shares_verb(opening: &[&str]) -> bool {
    let mut words = opening.iter().map(|word| word.to_lowercase());
    let verb = words.next().is_some_and(|verb| FETCHING.contains(&verb.as_str()));
    verb && words.all(|word| matches!(word.as_str(), "me" | "us" | "with" | "for" | "up"))
}

/// Where the "and" stands that joins a second object to the one that begins at `object`.
///
/// Both must have the same article, and what stands between must not have it after a preposition, or the
/// second might belong to that: "a room with a bath and a balcony".
fn joint_of_objects(words: &[&str], object: usize) -> Option<usize> {
    let article = words.get(object)?;
    let (joint, _) =
        words.iter().enumerate().skip(object + 2).find(|(_, word)| matches!(**word, "and" | "y" | "e"))?;
    let between = words.get(object + 1..joint)?;
    let second = words.get(joint + 1..)?;
    let same = second.first() == Some(article) && second.len() >= 2;
    (same && !between.contains(article) && !between.contains(&"between") && !between.contains(&"both"))
        .then_some(joint)
}

/// An article later than this is not that of the verb's object.
const LONGEST_OPENING: usize = 4;

const ARTICLES: &[&str] = &["a", "an", "the", "some", "un", "una", "el", "la", "los", "las"];

/// Verbs that ask for things, each of which can be had alone.
const FETCHING: &[&str] = &[
    "book",
    "buy",
    "fetch",
    "find",
    "get",
    "give",
    "obtain",
    "order",
    "provide",
    "purchase",
    "recommend",
    "rent",
    "reserve",
    "retrieve",
    "search",
    "suggest",
    "busca",
    "buscar",
    "compra",
    "comprar",
    "consigue",
    "dame",
    "encuentra",
    "encontrar",
    "recomienda",
    "recomendar",
    "reserva",
    "reservar",
];

/// Whether the words begin with a verb and what it acts on.
fn opens_clause(text: &str) -> bool {
    let Some(object) = text.split_whitespace().nth(1) else { return false };
    let object = object.to_lowercase();
    let certain = first_word(text).is_some_and(|verb| !ALSO_NOUNS.contains(&verb.as_str()));
    let complete = !text.split_whitespace().next().is_some_and(|verb| verb.ends_with(','));
    starts_with_strong_verb(text)
        && complete
        && object != "and"
        && (certain || DETERMINERS.contains(&object.as_str()))
}

/// Whether the words begin with what looks like a Spanish infinitive, of which no table has them all.
fn is_infinitive(text: &str) -> bool {
    let long = |word: &String| word.chars().count() > 4;
    let ending = |word: String| ["ar", "er", "ir"].iter().any(|ending| word.ends_with(ending));
    first_word(text).filter(long).is_some_and(ending)
}

fn is_condition(text: &str) -> bool {
    first_word(text).is_some_and(|word| matches!(word.as_str(), "if" | "si" | "when" | "cuando"))
}

/// Verbs that are as often nouns; they open a clause only before a word that nouns follow.
const ALSO_NOUNS: &[&str] = &[
    "answer",
    "audit",
    "back",
    "block",
    "book",
    "build",
    "call",
    "cancel",
    "change",
    "check",
    "contact",
    "cook",
    "copy",
    "count",
    "cut",
    "design",
    "draft",
    "drop",
    "email",
    "estimate",
    "export",
    "file",
    "filter",
    "find",
    "fix",
    "forecast",
    "format",
    "grade",
    "hire",
    "host",
    "import",
    "interview",
    "launch",
    "load",
    "log",
    "look",
    "mail",
    "map",
    "measure",
    "mix",
    "monitor",
    "move",
    "name",
    "order",
    "pack",
    "paint",
    "pay",
    "pick",
    "plan",
    "plot",
    "post",
    "print",
    "process",
    "produce",
    "query",
    "rank",
    "read",
    "record",
    "release",
    "rent",
    "repair",
    "report",
    "request",
    "research",
    "reserve",
    "reset",
    "review",
    "roll",
    "run",
    "save",
    "scan",
    "schedule",
    "search",
    "sign",
    "sketch",
    "sort",
    "split",
    "start",
    "stop",
    "store",
    "study",
    "survey",
    "switch",
    "test",
    "track",
    "train",
    "transfer",
    "turn",
    "update",
    "upgrade",
    "upload",
    "visit",
    "wait",
    "wash",
    "reserva",
    "compra",
    "busca",
    "prueba",
    "resume",
    "lista",
    "visita",
    "suma",
    "cambia",
    "copia",
];

const DETERMINERS: &[&str] = &[
    "a", "all", "an", "any", "each", "every", "for", "her", "his", "if", "it", "its", "my", "our", "some",
    "that", "the", "their", "them", "these", "this", "those", "whether", "your", "two", "three", "up", "out",
    "el", "la", "los", "las", "un", "una", "mi", "su", "si", "que", "unos", "unas",
];
