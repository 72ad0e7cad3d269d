//! Several commands in a row, "weigh the honey, order jars, and print labels": each shows what the others are.

use candor_text::singular;

use super::{
    clauses::{Cut, FETCHING, is_also_noun, is_open_condition},
    cues::Cue,
    requests::{behind_opening, first_word, starts_with_strong_verb, starts_with_verb},
    verbs::has_clitic,
};

/// What joins the last command to those before it.
const JOINING: &[&str] = &["and ", "y ", "e "];

/// Cuts where the next of several commands in a row begins.
///
/// The places of the `row` are those in the whole sentence, of which `done` bytes are cut already.
pub(super) fn next_in_row<'a>(text: &'a str, row: &[usize], done: usize) -> Option<Cut<'a>> {
    let at = row.iter().find(|&&at| at > done)? - done;
    let head = text.get(..at).filter(|head| !is_open_condition(head))?.trim_end_matches([',', ' ']);
    let joint = [" and", " y", " e"].iter().find_map(|joint| head.strip_suffix(joint));
    Some((joint.unwrap_or(head).trim_end_matches([',', ' ']), (Cue::Beside, text.get(at..)?, true)))
}

/// Where the later ones of at least three commands in a row begin.
///
/// A verb that is a noun as well is a verb beside others: each item between the commas has to begin with one and to say
/// what it acts on. A list of things is none: "buy paper, print cartridges and labels".
pub(super) fn row(text: &str) -> Vec<usize> {
    let opening = text.len() - behind_opening(text).len();
    // What follows a semicolon is a sentence of its own.
    let body = text.get(opening..).and_then(|body| body.split(';').next()).unwrap_or_default();
    let fetches = first_word(body).is_some_and(|verb| FETCHING.contains(&verb.as_str()));
    if fetches || !starts_with_verb(body) {
        return Vec::new();
    }
    let starts = starts(body);
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let mut items = starts.iter().zip(ends).skip(1).filter_map(|(&start, end)| body.get(start..end));
    if starts.len() < 3 || !items.all(is_item) {
        return Vec::new();
    }
    let is_step = |at: &&usize| body.get(**at..).is_some_and(starts_with_strong_verb);
    starts.iter().skip(1).filter(is_step).map(|at| at + opening).collect()
}

/// Where the items of a list begin: behind its commas, and behind the "and" before its last one.
fn starts(body: &str) -> Vec<usize> {
    let behind = |at: usize| {
        let item = body.get(at..).unwrap_or_default();
        at + JOINING.iter().find(|joint| item.starts_with(**joint)).map_or(0, |joint| joint.len())
    };
    let commas: Vec<usize> = body.match_indices(", ").map(|(at, mark)| at + mark.len()).collect();
    let mut starts: Vec<usize> = [0].into_iter().chain(commas.iter().map(|&at| behind(at))).collect();
    // The last one may be joined without a comma.
    let last = starts.last().copied().unwrap_or_default();
    if commas.last().is_some_and(|&comma| comma == last) {
        let tail = body.get(last..).unwrap_or_default();
        let joints = [" and ", " y ", " e "];
        let mut inner =
            joints.iter().flat_map(|joint| tail.match_indices(joint)).map(|(at, joint)| at + joint.len());
        starts.extend(inner.find(|&at| tail.get(at..).is_some_and(is_item)).map(|at| last + at));
    }
    starts
}

/// Whether an item of a list begins with a verb and what it acts on, and names no thing by two nouns: "load times".
fn is_item(item: &str) -> bool {
    let mut words = item.split_whitespace().map(|word| word.trim_matches([',', '.', '!', ';']));
    let (first, object) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let object = object.to_lowercase();
    has_clitic(first)
        || (starts_with_verb(item)
            && !matches!(object.as_str(), "" | "and" | "or" | "of" | "y" | "o" | "de")
            && (!ATTRIBUTES.contains(&singular(&object).as_ref())
                || !first_word(item).is_some_and(|verb| is_also_noun(&verb))))
}

/// Things that are mostly named together with what they are about: "test results", "order forms".
const ATTRIBUTES: &[&str] = &[
    "address",
    "area",
    "bill",
    "book",
    "capacity",
    "card",
    "chart",
    "code",
    "comment",
    "condition",
    "cost",
    "count",
    "coverage",
    "date",
    "detail",
    "duration",
    "fee",
    "figure",
    "file",
    "form",
    "history",
    "hour",
    "level",
    "limit",
    "list",
    "log",
    "name",
    "note",
    "number",
    "office",
    "page",
    "paper",
    "performance",
    "plan",
    "point",
    "pressure",
    "price",
    "quality",
    "rate",
    "record",
    "report",
    "requirement",
    "result",
    "schedule",
    "score",
    "setting",
    "sheet",
    "size",
    "speed",
    "status",
    "strategy",
    "system",
    "team",
    "temperature",
    "term",
    "time",
    "total",
    "usage",
    "value",
    "volume",
    "weight",
];
