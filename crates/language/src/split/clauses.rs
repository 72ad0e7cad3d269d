//! Cuts one sentence where it goes on with a further step.

use std::borrow::Cow;

use candor_text::WordSet;

use super::{
    cues::{Cue, INNER, JOINTS, LIMITING, leading},
    limits::{behind_condition, excluded, holds_but, is_limit, stops_if},
    requests::{
        behind_opening, first_word, is_verb, read, starts_with_strong_verb, starts_with_unknown_verb,
        starts_with_verb,
    },
    rows::{next_in_row, row},
    verbs::{command_of, has_clitic, tells_me},
    vocabulary::ALSO_NOUNS,
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
pub(super) type Cut<'a> = (&'a str, (Cue, &'a str, bool));

/// The clauses of what a sentence asks for; the first is silent.
///
/// A text that is `taken` for a request is one, whatever its first word.
pub(super) fn clauses(text: &str, taken: bool) -> Vec<Clause<'_>> {
    let mut clauses = Vec::new();
    let readable = text.len() <= LONGEST_SENTENCE;
    // "Before opening the pool, measure the chlorine and note it": all of it comes before the opening.
    let (text, last) = match if readable { opens_before(text) } else { None } {
        Some((body, last)) => (body, Some(last)),
        None => (text, None),
    };
    let row = if readable { row(text) } else { Vec::new() };
    let mut rest = Some((Cue::Silent, text, false));
    while let Some((cue, rest_of_text, guessed)) = rest {
        let done = text.len() - rest_of_text.len();
        let text = rest_of_text;
        let cut = if readable { first_cut(text, taken, &row, done) } else { None };
        let (head, tail) = cut.map_or((text, None), |(head, tail)| (head, Some(tail)));
        if let Some((first, second)) = Some(head).filter(|_| readable).and_then(in_time) {
            clauses.push(Clause { cue, text: first, guessed });
            clauses.push(Clause { cue: Cue::After, text: second, guessed: false });
        } else {
            let mut objects = if readable { objects(head) } else { vec![Cow::Borrowed(head)] }.into_iter();
            clauses.extend(objects.next().map(|text| Clause { cue, text, guessed }));
            clauses.extend(objects.map(|text| Clause { cue: Cue::Beside, text, guessed: true }));
        }
        rest = tail;
    }
    clauses.extend(last.map(|text| Clause { cue: Cue::After, text, guessed: false }));
    clauses
}

/// What a sentence asks for that begins with something to be done later, and that.
fn opens_before(text: &str) -> Option<(&str, Cow<'_, str>)> {
    let later = TIMES.iter().filter(|(_, comes_first)| !comes_first);
    later.clone().find_map(|(mark, _)| {
        let (front, rest) = text.split_at_checked(mark.len())?;
        let (other, body) = rest.split_once(", ").filter(|_| front.eq_ignore_ascii_case(mark))?;
        Some((body, commanded(other)?)).filter(|(body, _)| starts_with_verb(body))
    })
}

/// The two steps of "run the tests before deploying it" and "after reviewing the draft, send it", the first to be done first.
fn in_time(text: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    TIMES.iter().find_map(|(mark, comes_first)| {
        let (main, other) = match text.split_at_checked(mark.len()) {
            Some((front, rest)) if front.eq_ignore_ascii_case(mark) => {
                let (other, main) = rest.split_once(", ")?;
                (main, other)
            }
            _ => text.split_once(&format!(" {mark}"))?,
        };
        let other = commanded(other)?;
        if !starts_with_verb(main) || main.split_whitespace().count() < 2 {
            return None;
        }
        let main = Cow::Borrowed(main);
        Some(if *comes_first { (other, main) } else { (main, other) })
    })
}

/// What a clause behind "before" or "after" tells to do, if it names somebody's doing and not an event.
fn commanded(text: &str) -> Option<Cow<'_, str>> {
    // "Turn off the water before you start": the start is that of the work itself.
    let starts =
        ["you start", "you begin", "starting", "beginning", "you leave", "leaving", "empezar", "salir"];
    if starts.contains(&text.trim_end_matches(['.', '!'])) {
        return None;
    }
    if let Some(rest) = text.strip_prefix("you ").or_else(|| text.strip_prefix("we ")) {
        return starts_with_verb(rest).then_some(Cow::Borrowed(rest));
    }
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    if is_infinitive(text) && starts_with_verb(text) {
        return Some(Cow::Borrowed(text));
    }
    Some(Cow::Owned(format!("{} {rest}", command_of(&verb.to_lowercase())?)))
}

/// Words between two steps of which one is named by its doing, and whether that one comes first.
const TIMES: &[(&str, bool)] = &[
    ("before ", false),
    ("after ", true),
    ("antes de ", false),
    ("después de ", true),
    ("despues de ", true),
    ("tras ", true),
];

/// The earliest of the cuts that words say and that a verb suggests.
///
/// Of the commands in a `row`, the places are those in the whole sentence, of which `done` bytes are cut already.
fn first_cut<'a>(text: &'a str, taken: bool, row: &[usize], done: usize) -> Option<Cut<'a>> {
    [marked(text), joined(text, taken), next_in_row(text, row, done), limited(text)]
        .into_iter()
        .flatten()
        .min_by_key(|(head, _)| head.len())
}

/// Cuts where a sentence goes on with what must not be: "update it, but don't change the API".
fn limited(text: &str) -> Option<Cut<'_>> {
    let found = LIMITING.iter().flat_map(|mark| {
        text.match_indices(mark).filter_map(move |(at, mark)| {
            let (head, tail) = (text.get(..at)?, text.get(at + mark.len()..)?);
            let limits = is_limit(tail) || stops_if(tail).is_some() || leaves_out(tail);
            let asks = head.split_whitespace().count() >= 2 && limits && !is_open_condition(head);
            asks.then_some((head, (Cue::Beside, tail, false)))
        })
    });
    found.min_by_key(|(head, _)| head.len())
}

/// Whether a sentence ends with what is to be left out of the work.
fn leaves_out(tail: &str) -> bool {
    excluded(tail).is_some() && marked(tail).is_none() && joined(tail, true).is_none()
}

/// Cuts at the first words that say that a further step follows.
fn marked(text: &str) -> Option<Cut<'_>> {
    let found = INNER.iter().filter_map(|(mark, cue)| {
        let (head, tail) = text.split_once(mark)?;
        // "…; after that send it": what leads the tail says more than the mark.
        let (lead, behind) = leading(tail);
        let (cue, tail) = match lead {
            Cue::After | Cue::Last if behind.len() < tail.len() => (&Cue::After, behind),
            _ => (cue, tail),
        };
        // "…; if it leaks, call the plumber": the condition belongs to what follows it.
        let body = behind_opening(tail);
        let guarded = body.len() < tail.len();
        let cue = if guarded && !holds_but(tail) { &Cue::After } else { cue };
        let told = (guarded || *cue == Cue::After)
            && (is_infinitive(body) || (!mark.starts_with(" then") && orders(body)));
        let tail_asks = starts_with_verb(read(body).what) || told;
        let head_asks = head.chars().any(char::is_alphanumeric) && !is_open_condition(head);
        (tail_asks && head_asks).then_some((head, (*cue, tail, false)))
    });
    found.min_by_key(|(head, _)| head.len())
}

/// Cuts where a command goes on with another verb: "retrieve the layout and check if …".
fn joined(text: &str, taken: bool) -> Option<Cut<'_>> {
    if !taken && !starts_with_verb(behind_opening(text)) && !is_limit(text) {
        return None;
    }
    // "For the party, book a band": what opens the sentence is no clause of its own.
    let opening = text.len() - behind_opening(text).len();
    let found = JOINTS.iter().flat_map(|joint| {
        text.match_indices(joint).filter_map(move |(at, joint)| {
            let (head, tail) = (text.get(..at)?, text.get(at + joint.len()..)?);
            // "count them and, if some are missing, order more": the condition belongs to what follows it, and that to
            // what stands before it.
            let body = behind_condition(tail);
            let cue = if body.len() < tail.len() && !holds_but(tail) { Cue::After } else { Cue::Beside };
            // A prohibition ends where a command begins, however weak.
            let ends = opens_clause(body)
                || (is_limit(text) && starts_with_verb(tail))
                || (body.len() < tail.len() && orders(body));
            let complete = head.split_whitespace().count() >= 2 || has_clitic(head);
            let alone = complete && ends && at >= opening && !is_open_condition(head);
            alone.then_some((head, (cue, tail, true)))
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
#[rustfmt::skip]
pub(super) const FETCHING: &[&str] = &[
    "book", "buy", "fetch", "find", "get", "give", "obtain", "order", "provide", "purchase", "recommend",
    "rent", "reserve", "retrieve", "search", "suggest", "busca", "buscar", "compra", "comprar", "consigue",
    "dame", "encuentra", "encontrar", "recomienda", "recomendar", "reserva", "reservar",
];

/// Whether the words tell someone to do something.
pub(crate) fn is_command(text: &str) -> bool {
    opens_clause(text) || (starts_with_verb(text) && text.split_whitespace().count() > 1)
}

/// Whether the words begin with a verb and what it acts on.
fn opens_clause(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    // "…, roast them and serve": a verb alone is a step when nothing follows it.
    let Some(object) = words.next() else { return stands_alone(first) };
    let object = object.trim_end_matches(['.', ',', '?', '!', ';']).to_lowercase();
    if has_clitic(first) || (starts_with_unknown_verb(text) && !is_verb(&first.to_lowercase())) {
        return true;
    }
    let certain = first_word(text).is_some_and(|verb| !is_also_noun(&verb));
    let complete = !text.split_whitespace().next().is_some_and(|verb| verb.ends_with(','));
    starts_with_strong_verb(text)
        && complete
        && object != "and"
        && (certain
            || DETERMINERS.contains(&object.as_str())
            || object.starts_with(|c: char| c.is_ascii_digit())
            || has_things(text))
}

/// Whether a verb, in lower case, is as often a noun.
pub(super) fn is_also_noun(verb: &str) -> bool {
    static TABLE: WordSet = WordSet::new(&[ALSO_NOUNS]);
    TABLE.contains(verb)
}

/// Whether the words behind a condition are an order, whatever their verb: they do not begin with a thing or a person.
fn orders(body: &str) -> bool {
    let first = first_word(body).unwrap_or_default();
    let named = body.trim_start().starts_with(|c: char| c.is_uppercase() || !c.is_alphabetic());
    const OTHERS: &[&str] = &[
        "i", "we", "you", "he", "she", "they", "there", "also", "with", "in", "on", "at", "to", "de", "con",
        "en", "yo", "hay",
    ];
    let noun =
        DETERMINERS.contains(&first.as_str()) || OTHERS.contains(&first.as_str()) || first.ends_with("ing");
    !first.is_empty() && !named && !noun && body.split_whitespace().count() > 1
}

/// "flag units that expire", "patch dimmers 12 to 24": behind the word stand several things, and what is said of them.
fn has_things(text: &str) -> bool {
    let mut words = text.split_whitespace().skip(1);
    let (things, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let several = things.ends_with('s') && !things.ends_with("ss") && things.chars().all(char::is_lowercase);
    let said = matches!(
        next,
        "that" | "which" | "for" | "in" | "on" | "at" | "to" | "with" | "from" | "by" | "into"
    );
    several && (said || next.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether one word is a step: a verb that is no noun as well.
fn stands_alone(word: &str) -> bool {
    let verb = word.trim_end_matches(['.', '!', '?']).to_lowercase();
    has_clitic(word)
        || tells_me(word)
        || matches!(
            verb.as_str(),
            "serve"
                | "deploy"
                | "publish"
                | "submit"
                | "outline"
                | "repeat"
                | "sirve"
                | "publica"
                | "despliega"
        )
}

/// Whether the words begin with what looks like a Spanish infinitive, of which no table has them all.
fn is_infinitive(text: &str) -> bool {
    let long = |word: &String| word.chars().count() > 4;
    let ending = |word: String| ["ar", "er", "ir"].iter().any(|ending| word.ends_with(ending));
    first_word(text).filter(long).is_some_and(ending)
}

/// Whether the words are a condition without what it guards: "If it is up and running, …".
pub(super) fn is_open_condition(text: &str) -> bool {
    let conditional = first_word(text).is_some_and(|word| {
        matches!(
            word.as_str(),
            "if" | "si" | "when" | "cuando" | "once" | "unless" | "after" | "before" | "while" | "as"
        )
    });
    conditional && !text.contains(", ")
}

#[rustfmt::skip]
const DETERMINERS: &[&str] = &[
    "a", "all", "an", "any", "each", "every", "for", "her", "his", "if", "it", "its", "my", "our", "some",
    "that", "the", "their", "them", "these", "this", "those", "whether", "your", "two", "three", "up",
    "out", "el", "la", "los", "las", "un", "una", "mi", "su", "si", "que", "unos", "unas", "anything",
    "everything", "whatever", "what", "which", "how", "why", "both", "one", "uno", "me", "us", "him", "everyone", "four", "five", "six", "seven", "eight",
    "nine", "ten", "twelve", "twenty", "thirty", "forty", "fifty", "hundred", "dos", "tres", "cuatro", "cinco", "seis",
    "diez", "veinte", "cien", "al", "sus", "cada", "todos", "todas",
    "todo",
];
