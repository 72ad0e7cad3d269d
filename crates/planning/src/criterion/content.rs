//! What must hold of a text: of a file, of an output, or of the run's answer.

use std::fmt;

use candor_text::Language;
use serde_json::Value;

use super::{Judgement, Relation};

/// A text that is kept for a check may be cut here; what lies behind it is not known.
pub const MOST_TEXT: usize = 64 * 1024;

/// What a criterion about a text speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A file by its path.
    File(String),
    /// An output, or a path into it.
    Output(String),
    /// What the run answers: the text that its last tasks put out.
    Answer,
}

/// What must hold of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum TextTest {
    /// The number of its words.
    Words(Relation, f64),
    /// The number of its lines that are not empty.
    Lines(Relation, f64),
    /// The number of its entries: of a JSON list, of a table's rows below its head, of a list's items.
    Entries(Relation, f64),
    /// It can be read as this.
    Format(Format),
    /// It is written in this language.
    In(Language),
    /// This is in it, in any case of letters.
    Contains(String),
}

/// A format that can be told from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The whole text is one JSON value.
    Json,
    /// A table with commas, semicolons or tabs between its columns.
    Csv,
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) if path.contains(char::is_whitespace) => write!(formatter, "file \"{path}\""),
            Self::File(path) => write!(formatter, "file {path}"),
            Self::Output(name) => write!(formatter, "output {name}"),
            Self::Answer => formatter.write_str("answer"),
        }
    }
}

impl fmt::Display for TextTest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(relation, number) => write!(formatter, "words {} {number}", relation.sign()),
            Self::Lines(relation, number) => write!(formatter, "lines {} {number}", relation.sign()),
            Self::Entries(relation, number) => write!(formatter, "entries {} {number}", relation.sign()),
            Self::Format(Format::Json) => formatter.write_str("is json"),
            Self::Format(Format::Csv) => formatter.write_str("is csv"),
            Self::In(Language::En) => formatter.write_str("in english"),
            Self::In(Language::Es) => formatter.write_str("in spanish"),
            Self::Contains(text) => write!(formatter, "contains \"{text}\""),
        }
    }
}

impl TextTest {
    /// Judges a text; what was seen is told in either case.
    #[must_use]
    pub fn judge(&self, text: &str) -> (Judgement, String) {
        let cut = text.len() >= MOST_TEXT;
        match self {
            Self::Words(relation, number) => {
                counted(text.split_whitespace().count(), ["word", "words"], *relation, *number, cut)
            }
            Self::Lines(relation, number) => {
                let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
                counted(lines, ["line", "lines"], *relation, *number, cut)
            }
            Self::Entries(relation, number) => entries(text, *relation, *number, cut),
            Self::Format(_) if cut => unknown("it is too long to be read as a whole"),
            Self::Format(Format::Json) => match serde_json::from_str::<Value>(text) {
                Ok(_) => (Judgement::Met, "it is JSON".to_owned()),
                Err(error) => unmet(format!("it is not JSON: {error}")),
            },
            Self::Format(Format::Csv) => table(text),
            Self::In(language) => written_in(text, *language),
            Self::Contains(part) if text.to_lowercase().contains(&part.to_lowercase()) => {
                (Judgement::Met, format!("\"{part}\" is in it"))
            }
            Self::Contains(_) if cut => unknown("it is too long to be read as a whole"),
            Self::Contains(part) => unmet(format!("\"{part}\" is not in it")),
        }
    }
}

fn unmet(found: String) -> (Judgement, String) {
    (Judgement::Unmet(found.clone()), found)
}

fn unknown(why: &str) -> (Judgement, String) {
    (Judgement::Prose(why.to_owned()), why.to_owned())
}

/// A text that was cut has at least what was counted.
fn counted(found: usize, what: [&str; 2], relation: Relation, wanted: f64, cut: bool) -> (Judgement, String) {
    let [one, many] = what;
    let what = if found == 1 { one } else { many };
    let seen = format!("{}{found} {what}", if cut { "at least " } else { "" });
    let holds = relation.holds(found as f64, wanted);
    let grows = matches!(relation, Relation::AtLeast | Relation::Above);
    match (holds, cut) {
        (true, false) => (Judgement::Met, seen),
        (true, true) if grows => (Judgement::Met, seen),
        (false, true) if !grows && relation != Relation::Equal => unmet(seen),
        (false, false) => unmet(seen),
        _ => unknown("it is too long to be read as a whole"),
    }
}

/// Entries can be counted where the text has a form. In prose a list may be only a part of it, so that too few
/// items prove nothing.
fn entries(text: &str, relation: Relation, wanted: f64, cut: bool) -> (Judgement, String) {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => return counted(list.len(), ["entry", "entries"], relation, wanted, cut),
        Ok(Value::Object(map)) => {
            let lists: Vec<&Vec<Value>> = map.values().filter_map(Value::as_array).collect();
            return match lists.as_slice() {
                [list] => counted(list.len(), ["entry", "entries"], relation, wanted, cut),
                _ => unknown("it has no list of its own to count"),
            };
        }
        _ => {}
    }
    if let Some(rows) = columns(text) {
        return counted(rows.saturating_sub(1), ["row", "rows"], relation, wanted, cut);
    }
    let items = text.lines().filter(|line| is_item(line)).count();
    let seen = format!("{items} items of a list");
    if items > 0 && relation.holds(items as f64, wanted) {
        (Judgement::Met, seen)
    } else {
        unknown("its entries cannot be counted")
    }
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let bullet = line.strip_prefix(['-', '*', '•', '+']).is_some_and(|rest| rest.starts_with(' '));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    bullet || (number.len() < line.len() && number.starts_with(['.', ')']))
}

fn table(text: &str) -> (Judgement, String) {
    let start = text.trim_start();
    if start.is_empty() {
        return unmet("it is empty".to_owned());
    }
    if start.starts_with(['{', '[', '<', '#', '`']) {
        return unmet("it is not a table of columns".to_owned());
    }
    match columns(text) {
        Some(rows) => (Judgement::Met, format!("a table of {rows} rows")),
        None if [',', ';', '\t'].iter().any(|mark| text.contains(*mark)) => {
            unmet("its rows do not have the same number of columns".to_owned())
        }
        None => unknown("it has one column, which any text has"),
    }
}

/// The number of rows, if all of them have the same number of columns, and more than one.
fn columns(text: &str) -> Option<usize> {
    let widths = |mark: char| -> Option<usize> {
        let mut rows = rows(text, mark).into_iter();
        let first = rows.next().filter(|width| *width > 1)?;
        let others = rows.try_fold(1_usize, |count, width| (width == first).then_some(count + 1))?;
        (others > 1).then_some(others)
    };
    [',', ';', '\t'].into_iter().find_map(widths)
}

/// The number of columns of each row; a quoted part may hold marks and line breaks.
fn rows(text: &str, mark: char) -> Vec<usize> {
    let (mut rows, mut width, mut quoted, mut blank) = (Vec::new(), 1, false, true);
    for letter in text.chars().chain(['\n']) {
        match letter {
            '"' => quoted = !quoted,
            '\n' if !quoted => {
                if !blank {
                    rows.push(width);
                }
                (width, blank) = (1, true);
                continue;
            }
            letter if letter == mark && !quoted => width += 1,
            _ => {}
        }
        blank &= letter.is_whitespace();
    }
    rows
}

fn written_in(text: &str, wanted: Language) -> (Judgement, String) {
    let name = |language| if language == Language::Es { "Spanish" } else { "English" };
    match Language::told(text) {
        Some(language) if language == wanted => (Judgement::Met, format!("it is {}", name(language))),
        Some(language) => unmet(format!("it is {}", name(language))),
        None => unknown("it is too short to tell its language"),
    }
}
