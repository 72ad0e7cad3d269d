//! What poses as something else than text: the end of an input, a message of the system, a tag around it.
//!
//! No list of marks holds them all, as each system has its own. What they share is a name that people do not give to a paragraph, in brackets,
//! as a tag, between lines or before a colon in capitals.

use super::structure::head;
use super::weights::Sign;
use super::words::Hit;

/// The most bytes of such a name.
const MOST: usize = 60;
/// Who or what speaks to a model, or is read by one.
const SPEAKS: &[&str] = &[
    "system",
    "admin",
    "administrator",
    "developer",
    "operator",
    "orchestrator",
    "user",
    "assistant",
    "tool",
    "prompt",
    "context",
    "input",
    "output",
    "document",
    "conversation",
    "instruction",
    "instructions",
    "platform",
    "model",
    "agent",
    "hidden",
    "white",
    "usuario",
    "sistema",
];
/// What comes from it.
const SAYS: &[&str] = &[
    "end",
    "ends",
    "ended",
    "new",
    "note",
    "notice",
    "message",
    "directive",
    "override",
    "update",
    "text",
    "priority",
    "begin",
    "begins",
    "start",
    "fin",
    "nuevo",
    "nueva",
    "mensaje",
];
/// Names of tags that speak to a model by themselves.
const TAGS: &[&str] = &[
    "context",
    "developer",
    "important",
    "instructions",
    "assistant",
    "admin",
    "user",
    "tool",
    "input",
    "orchestrator",
    "prompt",
];

/// What stands behind a bracket, if it is the name of a frame.
pub(super) fn bracketed(rest: &str) -> bool {
    let close = if rest.starts_with('<') { '>' } else { ']' };
    let Some((name, _)) = head(rest, MOST).get(1..).and_then(|inside| inside.split_once([close, ':', '\n']))
    else {
        return false;
    };
    let alone = name.trim_start_matches('/');
    is_name(name) || is_in(TAGS, alone)
}

/// Lines between dashes, names in capitals before a colon, and roles in JSON.
pub(super) fn hits(text: &str, hits: &mut Vec<Hit>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = head(line, MOST);
        let ruled = ["---", "===", "***", "###"].iter().any(|rule| is_ruled(start, rule));
        let titled = is_titled(line);
        if ruled || titled {
            hits.push(Hit { at, end: at + start.len(), sign: Sign::Frame });
        }
        at += line.len();
    }
    let roles = text
        .match_indices("\"role\"")
        .filter(|(at, found)| is_role(text.get(at + found.len()..).unwrap_or_default()));
    hits.extend(roles.map(|(at, found)| Hit { at, end: at + found.len(), sign: Sign::Frame }));
}

/// Whether a sentence of the line begins with a name in capitals and a colon. In data a sentence begins behind a quotation mark too.
fn is_titled(line: &str) -> bool {
    const BEGINS: &[char] = &['.', '"', '(', '!', '|'];
    line.match_indices(':').any(|(at, _)| {
        let before = line.get(line.floor_char_boundary(at.saturating_sub(MOST))..at).unwrap_or_default();
        let name = before.rsplit(BEGINS).next().unwrap_or(before);
        is_loud(name) && is_name(name)
    })
}

/// Whether a name stands between rules, or behind one.
fn is_ruled(line: &str, rule: &str) -> bool {
    let Some(name) = line.strip_prefix(rule) else { return false };
    let closed = name.trim_end().ends_with(rule);
    is_name(name) || closed && words(name).count() == 1 && words(name).all(|word| is_in(SPEAKS, word))
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether a name begins with two words in capitals.
fn is_loud(name: &str) -> bool {
    let first = words(name).take(2).filter(|word| word.bytes().all(|byte| byte.is_ascii_uppercase()));
    first.count() == 2
}

/// Whether a role is that of the system, and says something: in code what it says is the name of a variable.
fn is_role(rest: &str) -> bool {
    let bare = |text: &str| head(text, MOST).split([' ', ':', ',', '\t', '\n', '\r']).collect::<String>();
    let rest = bare(rest);
    rest.strip_prefix("\"system\"")
        .is_some_and(|rest| rest.strip_prefix("\"content\"").is_some_and(|said| said.starts_with('"')))
}

/// Whether a name says who speaks, and what it says.
fn is_name(name: &str) -> bool {
    let has = |list: &[&str]| words(name).any(|word| is_in(list, word));
    has(SAYS) && has(SPEAKS)
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}
