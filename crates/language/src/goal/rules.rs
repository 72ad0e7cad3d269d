//! What must be, must not be, and is liked, in the goal's own words. Understands none of it.

use candor_text::fold;

use super::text::Text;
use super::{Extracted, push_new};
use crate::split::{self, Place};

/// Openings of a clause that must not be so.
#[rustfmt::skip]
const MUST_NOT: &[&str] = &[
    "must not", "mustn't", "must never", "should not", "shouldn't", "should never", "can not", "cannot",
    "can't", "may not", "do not", "don't", "never", "without", "avoid", "avoiding", "not allowed to", "with no",
    "no debe", "no deben", "no debemos", "no puede", "no pueden", "no tiene que", "sin", "nunca", "jamas",
    "evita", "evitar", "evitando", "zero", "cero", "forbidden to", "prohibido", "no se puede", "no se debe",
    "refrain from", "neither", "nor", "excluding", "except for", "except", "nothing with", "apart from", "under no circumstances",
    "excepto", "salvo", "ni", "nada de", "bajo ningun concepto",
];
/// Openings of a clause that must be so.
#[rustfmt::skip]
const MUST: &[&str] = &[
    "must", "have to", "has to", "needs to", "is required to", "are required to", "make sure that",
    "make sure to", "make sure", "ensure that", "ensure", "ensuring", "be sure to", "it is essential that",
    "it is vital that", "it is crucial that", "it's essential that", "it is important that",
    "it's important that", "it's vital that", "it's crucial that", "debe", "deben", "debemos", "tiene que",
    "tienen que", "hay que", "asegurate de", "asegurando", "asegurar", "es necesario que",
    "es imprescindible que", "es importante que", "es fundamental que", "es obligatorio", "mandatory :",
    "required :",
];
/// Openings of a clause that is liked.
#[rustfmt::skip]
const LIKE: &[&str] = &[
    "we prefer", "i prefer", "would prefer", "prefer", "preferring", "preference for", "preferences for",
    "would love to", "would love", "i'd love to", "we'd love to", "would like to try", "we'd like to",
    "i'd like to", "would like to", "would enjoy", "ideally", "preferably", "interested in", "keen on",
    "fond of", "we enjoy", "i enjoy", "we love", "i love", "i like", "we like", "hoping to", "hope to",
    "nos gustaria", "me gustaria", "preferimos", "prefiero", "preferiblemente", "preferentemente",
    "de preferencia", "nos gusta", "me gusta", "nos gustan", "me gustan", "nos encanta", "me encanta",
    "idealmente", "nos interesa", "me interesa", "looking forward to",
];
/// What follows when a wish is the request itself: "I'd like to plan a trip".
#[rustfmt::skip]
const REQUESTS: &[&str] = &[
    "plan", "create", "make", "organize", "organise", "book", "go", "travel", "visit", "take", "you",
    "design", "arrange", "have", "a", "an", "build", "get", "planificar", "organizar", "viajar", "ir", "que",
    "hacer", "planear", "crear", "schedule", "depart", "start", "embark", "request", "set", "ask", "know",
    "leave", "explore", "spend", "travelling", "traveling", "planning", "un", "una", "help", "begin",
    "planeando",
];
/// Where a clause ends.
const ENDS: &[&str] = &[",", ";", "(", ")", "but", "pero", "because", "porque", "while", "mientras", "\n"];
/// Marks at the end of a clause.
const ENDINGS: [char; 5] = ['.', '!', ';', ',', ' '];
/// A clause is never longer than this.
const LONGEST: usize = 30;

/// Lists the rules and wishes of the text.
pub(super) fn fill(text: &Text<'_>, extracted: &mut Extracted) {
    let mut at = 0;
    while at < text.len() {
        at = rule(text, at, extracted).unwrap_or_else(|| at.saturating_add(1));
    }
}

fn rule(text: &Text<'_>, at: usize, extracted: &mut Extracted) -> Option<usize> {
    if !text.is_word(at) {
        return None;
    }
    if let Some(start) =
        text.any_phrase(at, MUST_NOT).filter(|_| !is_question(text, at) && !is_told(text, at))
    {
        return take(text, start, &mut extracted.must_not);
    }
    if let Some(start) = text.any_phrase(at, MUST) {
        // "must be kept without loss" holds a rule of its own; the outer one is listed whole.
        return take(text, start, &mut extracted.must);
    }
    let start = text.any_phrase(at, LIKE)?;
    if text.is(start, REQUESTS) {
        return None;
    }
    take(text, start, &mut extracted.preferences)
}

/// "The ones we do not use", "if it cannot be moved" and "salvo que tarde" tell of something; they forbid nothing.
fn is_told(text: &Text<'_>, at: usize) -> bool {
    if text.is(at, &["salvo"]) && text.is(at.saturating_add(1), &["que"]) {
        return true;
    }
    let negated = text.is(at, &["do", "don't", "cannot", "can't", "can"]);
    let by_someone = text.is(at, &["do", "don't"])
        && matches!(text.before(at, 1), "we" | "they" | "i" | "you" | "which" | "that" | "who");
    let from = text.window_start(at, 6);
    let conditional = (from..at)
        .rev()
        .take_while(|&near| !text.is(near, &[",", ";"]))
        .any(|near| text.is(near, &["if", "unless", "when", "si", "cuando"]));
    negated && (by_someone || conditional)
}

/// "Can't you help me" and "don't you" ask; they forbid nothing.
fn is_question(text: &Text<'_>, at: usize) -> bool {
    text.is(
        at.saturating_add(1),
        &["you", "we", "worry", "hesitate", "mind", "forget", "know", "wait", "have"],
    ) || text
        .is(at.saturating_add(2), &["you", "worry", "hesitate", "mind", "forget", "know", "wait", "have"])
        && text.is(at, &["do", "can", "don't"])
}

fn take(text: &Text<'_>, start: usize, list: &mut Vec<String>) -> Option<usize> {
    let limit = text.window_end(start, LONGEST);
    let mut end = start;
    while end < limit {
        let joins_rule = text.is(end, &["and", "y", "e"])
            && [MUST_NOT, MUST, LIKE]
                .iter()
                .any(|table| text.any_phrase(end.saturating_add(1), table).is_some());
        if (text.is(end, ENDS) && !is_list(text, start, end)) || joins_rule || goes_on(text, start, end) {
            break;
        }
        end = end.saturating_add(1);
    }
    let clause = text.slice(start, end).trim().trim_end_matches(['.', '!', '?', ';', ':', ',']).trim_end();
    if clause.is_empty() {
        return None;
    }
    push_new(list, clause.split_whitespace().collect::<Vec<_>>().join(" "));
    Some(end)
}

/// Whether a command follows that is no part of the rule: "without deleting data and set an alert", "until then, stop if …".
fn goes_on(text: &Text<'_>, start: usize, at: usize) -> bool {
    let next = at.saturating_add(1);
    let joint = text.is(at, &["and", "y", "e", "then", "luego", "instead", ":"]) && at > start;
    joint && split::is_command(text.slice(next, text.window_end(next, 3)))
        || (text.is(at, &["if", "unless", "si", "nor", "ni", "when", "cuando", "once"]) && at > start)
}

/// Adds the clauses of a request that limit it and that no rule above has found, so that none is lost.
pub(super) fn complete(request: &str, extracted: &mut Extracted) {
    for part in split::read(request).parts {
        if part.place != Place::Constraint {
            continue;
        }
        let (forbids, rule) = split::forbidden(&part.text);
        let whole = fold(rule).into_owned();
        let stripped = rule.len() < part.text.trim().trim_end_matches(ENDINGS).len();
        let within = |said: &String| whole.contains(fold(said).as_ref());
        let tells_it = |said: &String| {
            let said = fold(said);
            let Some((before, behind)) = whole.split_once(said.as_ref()) else { return false };
            !is_conditional(behind)
                && !is_passive(&said)
                && (!stripped || before.split_whitespace().count() <= 1)
        };
        // "Nobody must see it": what is to be is the opposite.
        if forbids && split::of_nobody(&part.text) {
            extracted.must.retain(|said| !within(said));
        }
        if extracted.must.iter().any(within) || extracted.must_not.iter().any(tells_it) {
            continue;
        }
        // What was found in the clause lacks whom it is about or when it holds.
        extracted.must_not.retain(|said| !within(said));
        push_new(if forbids { &mut extracted.must_not } else { &mut extracted.must }, rule.to_owned());
    }
}

/// Whether a rule goes on with when it holds: "load it" of "do not load it if the seal is broken".
fn is_conditional(rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or_default();
    ["if", "unless", "when", "while", "once", "si", "cuando", "mientras"].contains(&word)
}

/// Whether a rule needs to be told of what it holds: "be opened" of "tank 5 must not be opened".
fn is_passive(rule: &str) -> bool {
    ["be ", "ser ", "estar "].iter().any(|verb| rule.starts_with(verb))
}

/// Whether a comma stands inside a list of single words: "French, Thai, and Greek food".
fn is_list(text: &Text<'_>, start: usize, at: usize) -> bool {
    let after = at.saturating_add(1);
    let ends_list = text.is(after, &["and", "or", "y", "o"]) && at.saturating_sub(start) > 2;
    let goes_on = text.is(at.saturating_add(2), &[","]) && text.is_word(after);
    text.is(at, &[","]) && (goes_on || (ends_list && text.is(at.saturating_sub(2), &[","])))
}
