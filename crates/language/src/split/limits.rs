//! Clauses that limit the work: what must not be done, and when something may be done. Neither is a step.

use candor_text::fold;

use super::cues::strip_any;
use super::requests::starts_with_verb;

/// Openings of a clause that only forbids, bounds or excludes.
#[rustfmt::skip]
const LIMITING: &[&str] = &[
    "do not", "don't", "never", "avoid", "no", "not", "nothing", "neither", "nor", "nobody",
    "under no circumstances", "no more than", "at most", "only", "except", "excluding", "refrain from",
    "without", "must not", "mustn't", "should not", "shouldn't", "cannot", "can't", "you must not",
    "we must not", "you should not", "we should not", "it must not", "stay under", "stay within", "nunca",
    "jamás", "evita", "evitar", "sin", "ni", "nada de", "solo", "sólo", "únicamente", "excepto", "salvo",
    "como máximo", "bajo ningún concepto", "no se debe", "no debe", "no deben", "ningún", "ninguna", "nadie",
];
/// Words between somebody or something and what it must not do or have done to it.
const FORBIDDEN_OF: &[&str] = &[
    " must not ",
    " must never ",
    " mustn't ",
    " may never ",
    " should never ",
    " is not to ",
    " are not to ",
    " is not allowed to ",
    " are not allowed to ",
    " no debe ",
    " no deben ",
    " no puede ",
    " no pueden ",
    " nunca debe ",
    " nunca deben ",
];
/// What must not is named by so many words at most.
const LONGEST_SUBJECT: usize = 6;
/// Of these, the openings of what must be so.
#[rustfmt::skip]
const BOUNDING: &[&str] = &[
    "only", "at most", "no more than", "no less than", "no fewer than", "no later than", "no earlier than",
    "stay under", "stay within", "solo", "sólo", "únicamente", "como máximo", "no más de",
];
/// Openings of what is to be left out.
#[rustfmt::skip]
const EXCLUDING: &[&str] = &[
    "exclude", "leave out", "omit", "skip", "ignore", "disregard", "excluye", "excluir", "deja fuera", "dejar fuera",
    "deja aparte", "omite", "omitir", "ignora", "ignorar",
];
/// What may stand before a limit in its part of the request.
const JOINING: &[&str] = &[
    "please",
    "and",
    "but",
    "then",
    "also",
    "por favor",
    "y",
    "y que",
    "que",
    "pero",
    "además",
    "but please",
];
/// Openings that look like those above and ask for something.
#[rustfmt::skip]
const NOT_LIMITING: &[&str] = &[
    "no need to", "no problem", "not only", "only then", "don't forget to", "do not forget to",
    "no olvides",
];
/// Verbs that end the work when something happens.
#[rustfmt::skip]
const STOPPING: &[&str] = &[
    "stop", "abort", "halt", "pause", "cancel everything", "quit", "give up", "stop everything",
    "stop immediately", "detente", "detén", "para", "aborta", "cancela todo", "interrumpe", "no sigas",
    "do not continue", "don't continue", "do not proceed", "don't proceed",
];
/// What may follow them where all of the work is meant.
#[rustfmt::skip]
const WHOLLY: &[&str] = &[
    "immediately", "everything", "the work", "working", "there", "at once", "right away", "here", "and do nothing else", "all work",
    "de inmediato", "inmediatamente", "todo", "el trabajo", "enseguida", "ahí",
];
/// Words that open a condition; the longer first.
#[rustfmt::skip]
const IF: &[&str] = &[
    "but only after", "but only if", "but only once", "only after", "only if", "only once", "only when",
    "provided that", "as long as", "as soon as", "in case", "unless", "if", "once", "when", "pero solo si",
    "solo si", "sólo si", "solo cuando", "a menos que", "a no ser que", "salvo que", "siempre que",
    "en caso de que", "en cuanto", "una vez que", "cuando", "si",
];
/// Words behind which "if" only names what is to be found out.
#[rustfmt::skip]
const FINDING_OUT: &[&str] = &[
    "check", "see", "verify", "ask", "know", "determine", "out", "test", "confirm", "decide", "sure",
    "whether", "even", "as", "what", "unknown", "unclear", "comprueba", "verifica", "mira", "averigua",
    "pregunta", "revisa", "confirma", "determina", "dime", "saber", "como", "and", "or", "y", "o",
    "comprobar", "verificar", "wonder", "estimate", "evaluate", "analyze", "find",
];

/// Words behind which "if" only names what somebody wants to know.
const TELLING: &[&str] = &["tell me ", "ask me ", "show me ", "let me know ", "dime "];
/// A clause longer than this, in bytes, was not written by a person and is not looked into.
const LONGEST_CLAUSE: usize = 2_000;

/// Whether a clause only limits what others do.
pub(super) fn is_limit(clause: &str) -> bool {
    let clause = clause.trim_start();
    if strip_any(clause, NOT_LIMITING).is_some() {
        return false;
    }
    if leaves_alone(clause) {
        return true;
    }
    // "Unless two officers are present, do not open the vault": the condition is part of the limit.
    let clause = behind_condition(clause).trim_start();
    // "Salvo que llueva" is a condition, "salvo los lunes" a limit.
    if holds_but(clause) {
        return false;
    }
    let Some(rest) = strip_any(clause, LIMITING) else {
        return forbids_its_subject(clause) || spares_all(clause) || denied(clause).is_some();
    };
    // "No, thanks" limits nothing, and "Only Ana knows" is a statement that says so itself.
    rest.chars().any(char::is_alphanumeric)
}

/// "Tank 5 must not be opened": somebody or something is named that must not.
fn forbids_its_subject(clause: &str) -> bool {
    let subject = FORBIDDEN_OF.iter().find_map(|words| Some(clause.split_once(words)?.0));
    subject.is_some_and(|subject| {
        subject.split_whitespace().count() <= LONGEST_SUBJECT
            && !subject.contains([',', ':'])
            && !starts_with_verb(subject)
    })
}

/// "Los de familia, no": what is named is not meant.
fn denied(clause: &str) -> Option<&str> {
    let named = clause.trim().trim_end_matches(['.', '!']).strip_suffix(", no")?;
    let few = named.split_whitespace().count() <= LONGEST_SUBJECT;
    (few && !named.contains([',', ':', '?']) && !starts_with_verb(named)).then_some(named)
}

/// "Publish nothing yet", "tell nobody", "use no cloud service".
fn spares_all(clause: &str) -> bool {
    let object =
        clause.split_whitespace().nth(1).map(|word| word.trim_end_matches(['.', ',', '!']).to_lowercase());
    object.is_some_and(|object| matches!(object.as_str(), "nothing" | "nobody" | "none" | "no"))
        && starts_with_verb(clause)
}

/// "Leave the pumps alone", "deja los registros como están".
fn leaves_alone(clause: &str) -> bool {
    let clause = clause.trim().trim_end_matches(['.', '!', ';', ',']).to_lowercase();
    let leaves = strip_any(&clause, &["leave", "keep", "deja", "dejar", "mantén", "manten"]).is_some();
    let ends = [
        " alone",
        " untouched",
        " unchanged",
        " as is",
        " as it is",
        " as they are",
        " intact",
        " intacto",
        " intacta",
        " intactos",
        " intactas",
        " como está",
        " como están",
        " en paz",
    ];
    leaves && ends.iter().any(|end| clause.ends_with(end))
}

/// The condition under which all work stops, if the clause says nothing else: "stop if it leaks", "if it leaks, stop".
pub(super) fn stops_if(clause: &str) -> Option<String> {
    let whole = || clause.trim().trim_end_matches(['.', '!', ' ']).to_owned();
    if let Some(rest) = strip_any(clause.trim_start(), STOPPING) {
        strip_any(rest, &["if", "when", "once", "as soon as", "unless", "si", "cuando", "en cuanto"])?;
        return Some(whole());
    }
    let body = behind_condition(clause);
    let rest = strip_any(body.trim_start(), STOPPING).filter(|_| body.len() < clause.len())?;
    // "If it leaks, stop the pump" is an order.
    let more = strip_any(rest, WHOLLY).unwrap_or(rest);
    (!more.contains(char::is_alphanumeric)).then(whole)
}

/// The condition that a sentence is, without anything that it guards.
pub(super) fn is_condition(sentence: &str) -> bool {
    let sentence = sentence.trim();
    strip_any(
        sentence,
        &["only if", "only when", "only after", "unless", "solo si", "sólo si", "a menos que", "salvo que"],
    )
    .is_some()
        && behind_condition(sentence).len() == sentence.len()
}

/// Whether a clause holds but for a case: "unless it rains, use the yard". It waits for nothing that stands before it.
pub(super) fn holds_but(clause: &str) -> bool {
    strip_any(clause.trim_start(), &["unless", "a menos que", "a no ser que", "salvo que"]).is_some()
}

/// What stands behind the condition that a sentence begins with; the whole sentence if it begins with none.
pub(super) fn behind_condition(sentence: &str) -> &str {
    let opened = strip_any(sentence.trim_start(), IF).is_some();
    let body = sentence.split_once(", ").map(|(_, body)| body).filter(|_| opened);
    body.unwrap_or(sentence)
}

/// What a limiting clause forbids, without the words that forbid it; the whole clause if it bounds or restricts.
pub(crate) fn forbidden(clause: &str) -> (bool, &str) {
    let clause = clause.trim().trim_end_matches(['.', '!', ';', ',', ' ']);
    let clause = strip_any(clause, JOINING).unwrap_or(clause);
    // "She dislikes vanilla, so leave it out": only with what is told is it a rule.
    let of_told = clause.rsplit_once(", ").is_some_and(|(_, order)| leaves_it_out(without_so(order)));
    if strip_any(clause, BOUNDING).is_some() || leaves_alone(clause) || spares_all(clause) || of_told {
        return (false, clause);
    }
    (
        true,
        strip_any(clause, LIMITING).or_else(|| excluded(clause)).or_else(|| denied(clause)).unwrap_or(clause),
    )
}

/// What a clause says to leave out: "the military zone" of "exclude the military zone", "the 2019 rows" of "leave the 2019
/// rows out". What was named before is not left out but taken out: "exclude them".
pub(super) fn excluded(clause: &str) -> Option<&str> {
    let clause = clause.trim().trim_end_matches(['.', '!', ';', ',', ' ']);
    let left = strip_any(clause, &["leave", "deja", "dejar"]).and_then(|rest| {
        [" out", " aside", " fuera", " aparte"].iter().find_map(|end| rest.strip_suffix(end))
    });
    let what = strip_any(clause, EXCLUDING).or(left)?;
    let first = what.split_whitespace().next()?.to_lowercase();
    (!matches!(first.as_str(), "it" | "them" | "these" | "those" | "this")).then_some(what)
}

fn without_so(order: &str) -> &str {
    strip_any(order, &["so", "así que"]).unwrap_or(order)
}

/// Whether a clause only says that something told before it stays out: "leave it out", "déjalo fuera".
pub(super) fn leaves_it_out(clause: &str) -> bool {
    let clause = clause.trim().trim_end_matches(['.', '!', ';', ',', ' ']).to_lowercase();
    let words: Vec<&str> = clause.split_whitespace().collect();
    matches!(
        words.as_slice(),
        ["leave", "it" | "them" | "that" | "those", "out" | "aside"]
            | ["exclude" | "omit" | "skip" | "ignore", "it" | "them" | "that" | "those"]
            | ["déjalo" | "déjala" | "déjalos" | "déjalas", "fuera" | "aparte"]
            | ["exclúyelo" | "exclúyela" | "exclúyelos" | "exclúyelas"]
            | ["omítelo" | "omítela" | "omítelos" | "omítelas"]
    )
}

/// Whether a limiting clause says of nobody and nothing that they are to do something.
pub(crate) fn of_nobody(clause: &str) -> bool {
    let clause = strip_any(clause, JOINING).unwrap_or(clause);
    strip_any(clause, &["nobody", "no one", "none", "neither", "nadie", "ningún", "ninguna"]).is_some()
}

/// The conditions that a clause has, with the word that opens each.
pub(super) fn conditions(clause: &str) -> Vec<String> {
    let clause = clause.trim().trim_end_matches(['.', '!', '?']);
    if clause.len() > LONGEST_CLAUSE {
        return Vec::new();
    }
    let body = behind_condition(clause);
    if body.len() < clause.len() {
        let condition = clause.get(..clause.len() - body.len()).unwrap_or_default();
        return vec![condition.trim_end_matches([',', ' ']).to_owned()];
    }
    trailing(clause).map(|at| clause.get(at..).unwrap_or_default().trim().to_owned()).into_iter().collect()
}

/// Where a condition begins that stands at the end of a clause.
fn trailing(clause: &str) -> Option<usize> {
    const OPEN: &[&str] =
        &["if possible", "if needed", "if necessary", "if any", "if you can", "si es posible"];
    let mut starts = clause.match_indices(' ').map(|(at, _)| at + 1);
    starts.find(|&at| {
        let (before, rest) = (clause.get(..at).unwrap_or_default(), clause.get(at..).unwrap_or_default());
        let opened = strip_any(rest, IF).is_some_and(|behind| behind.split_whitespace().count() > 1);
        opened && strip_any(rest, OPEN).is_none() && !asks_whether(before)
    })
}

/// What a step finds out: "if the seal holds" of "check if the seal holds".
pub(super) fn found_out(step: &str) -> Option<&str> {
    let words = [" whether ", " if ", " si "];
    let at = words.iter().flat_map(|word| step.match_indices(word)).map(|(at, _)| at).find(|&at| {
        let before = step.get(..at).unwrap_or_default();
        asks_whether(before) || before.split_whitespace().count() == 1
    })?;
    Some(step.get(at + 1..)?.trim_end_matches(['.', '!', '?']))
}

/// Whether an "if" behind these words only names what is to be found out.
fn asks_whether(before: &str) -> bool {
    let lower = before.to_lowercase();
    let last =
        before.split_whitespace().next_back().map(|word| fold(word.trim_end_matches(',')).into_owned());
    TELLING.iter().any(|end| lower.ends_with(end))
        || last.is_some_and(|word| FINDING_OUT.contains(&word.as_str()))
}
