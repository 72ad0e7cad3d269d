//! An agent's outputs as a reader wants them: text as text, lists as lists, records as tables, files as links.

use crate::view::words::in_short;
use serde_json::{Map, Value};

use super::block::{Block, Inline, Span, paragraph, text};
use crate::view::text::clean;
use crate::view::words;

/// More than this of one text, list or table is for programs.
const MOST_BYTES: usize = 20_000;
const MOST_ENTRIES: usize = 200;
const MOST_COLUMNS: usize = 8;
/// Deeper than this, a value is told in one line.
const DEPTH: u8 = 3;
/// A text up to this long stands beside its name.
const SHORT_CHARS: usize = 200;
/// Keys that say what a thing is come before those that say how it is.
const FIRST_KEYS: [&str; 5] = ["name", "title", "id", "date", "day"];

/// The outputs of one task.
pub(super) fn outputs(outputs: &Map<String, Value>) -> Vec<Block> {
    match outputs.iter().collect::<Vec<_>>().as_slice() {
        // A single text is the result; the name of its key adds nothing.
        [(_, Value::String(told))] => prose(told),
        [(_, list @ Value::Array(_))] => value("", list, 0),
        _ => object(outputs, 0),
    }
}

fn value(key: &str, value: &Value, depth: u8) -> Vec<Block> {
    match value {
        Value::Array(entries) if entries.is_empty() => vec![paragraph(words::nothing())],
        Value::Array(entries) if depth < DEPTH => array(key, entries),
        Value::Object(fields) if depth < DEPTH => object(fields, depth),
        Value::String(told) => prose(told),
        other => vec![Block::Text(short(key, other))],
    }
}

/// Facts first, then what needs more room, each under its name.
fn object(fields: &Map<String, Value>, depth: u8) -> Vec<Block> {
    let (short_ones, long_ones): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| is_short(value));
    let facts: Vec<(String, Span)> =
        ordered(short_ones).into_iter().map(|(key, value)| (label(key), short(key, value))).collect();
    let mut blocks = if facts.is_empty() { Vec::new() } else { vec![Block::Facts(facts)] };
    for (key, inner) in long_ones {
        blocks.push(Block::Heading(4, label(key)));
        blocks.extend(value(key, inner, depth + 1));
    }
    blocks
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(told) => !told.trim().contains('\n') && told.chars().nth(SHORT_CHARS).is_none(),
        Value::Array(entries) => entries.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

fn array(key: &str, entries: &[Value]) -> Vec<Block> {
    let shown = entries.get(..MOST_ENTRIES).unwrap_or(entries);
    let records: Option<Vec<&Map<String, Value>>> = shown.iter().map(Value::as_object).collect();
    let mut blocks = match records {
        Some(records) => vec![table(&records)],
        None => vec![Block::List(shown.iter().map(|entry| short(key, entry)).collect())],
    };
    let hidden = entries.len().saturating_sub(shown.len());
    blocks.extend((hidden > 0).then(|| paragraph(words::and_more(hidden))));
    blocks
}

/// Records as rows; the columns are the keys that any of them has.
fn table(records: &[&Map<String, Value>]) -> Block {
    let mut keys: Vec<(&String, &Value)> = Vec::new();
    for field in records.iter().flat_map(|record| record.iter()) {
        if keys.iter().all(|(known, _)| *known != field.0) {
            keys.push(field);
        }
    }
    let mut keys: Vec<&String> = ordered(keys).into_iter().map(|(key, _)| key).collect();
    keys.truncate(MOST_COLUMNS);
    let cell = |record: &Map<String, Value>, key: &String| {
        record.get(key).map(|it| short(key, it)).unwrap_or_default()
    };
    let rows = records.iter().map(|record| keys.iter().map(|key| cell(record, key)).collect()).collect();
    Block::Table(keys.iter().map(|key| label(key)).collect(), rows)
}

fn ordered<'v>(mut fields: Vec<(&'v String, &'v Value)>) -> Vec<(&'v String, &'v Value)> {
    let place = |key: &str| FIRST_KEYS.iter().position(|first| *first == key).unwrap_or(FIRST_KEYS.len());
    fields.sort_by_key(|(key, _)| place(key));
    fields
}

/// `total_cost` as a reader expects it: `Total cost`.
fn label(key: &str) -> String {
    let words = clean(key).replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A value on one line; what names a file or an address is a link.
fn short(key: &str, value: &Value) -> Span {
    match value {
        Value::String(told) if is_address(told) || is_file(key, told) => {
            vec![Inline::Link(told.trim().to_owned())]
        }
        Value::String(told) if told.chars().nth(SHORT_CHARS).is_none() => text(clean(told).trim()),
        other => text(in_short(other)),
    }
}

fn is_address(told: &str) -> bool {
    let told = told.trim();
    (told.starts_with("https://") || told.starts_with("http://")) && !told.contains(char::is_whitespace)
}

fn is_file(key: &str, told: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let named = ["file", "path", "report", "document"].iter().any(|word| key.contains(word));
    let told = told.trim();
    // A colon would be a scheme.
    named
        && !told.contains(|letter: char| letter.is_whitespace() || letter == ':')
        && told.contains(['.', '/'])
}

/// A longer text: paragraphs, lists and headings as its author set them, and nothing of it as markup.
pub(super) fn prose(told: &str) -> Vec<Block> {
    let (shown, left_out) = cut(told);
    let mut blocks = Vec::new();
    let mut lines = shown.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        let start = line.trim_start();
        if start.starts_with("```") {
            let inside = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            blocks.push(Block::Drawing(inside.map(clean_line).collect()));
        } else if let Some(title) = heading(start) {
            blocks.push(Block::Heading(4, clean(title)));
        } else if let Some(entry) = entry(start) {
            match blocks.last_mut() {
                Some(Block::List(entries)) => entries.push(text(clean(entry))),
                _ => blocks.push(Block::List(vec![text(clean(entry))])),
            }
        } else if !start.is_empty() {
            let mut told = clean(start);
            while let Some(next) = lines.next_if(|next| is_running_text(next.trim())) {
                told.push(' ');
                told.push_str(clean(next).trim());
            }
            blocks.push(paragraph(told));
        }
    }
    blocks.extend((left_out > 0).then(|| paragraph(words::bytes_left_out(left_out))));
    blocks
}

fn is_running_text(line: &str) -> bool {
    !line.is_empty() && heading(line).is_none() && entry(line).is_none() && !line.starts_with("```")
}

fn clean_line(line: &str) -> String {
    clean(line.trim_end())
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level)).then(|| title.strip_prefix(' '))?
}

fn entry(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = line.len() - rest.len();
        (1..=3).contains(&digits).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))?
    };
    bullet.or_else(numbered)
}

/// The beginning of a text, and how many bytes are left out.
fn cut(told: &str) -> (&str, usize) {
    if told.len() <= MOST_BYTES {
        return (told, 0);
    }
    let shown = told.get(..told.floor_char_boundary(MOST_BYTES)).unwrap_or(told);
    (shown, told.len() - shown.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: Value) -> Vec<Block> {
        let Value::Object(fields) = value else { panic!("not an object") };
        outputs(&fields)
    }

    #[test]
    fn records_become_a_table_with_names_first() {
        let blocks = shown(json!({"shards": [{"rows": 7, "name": "a"}, {"name": "b", "error": "late"}]}));
        let [Block::Table(head, rows)] = blocks.as_slice() else { panic!("{blocks:?}") };
        assert_eq!(head, &["Name", "Rows", "Error"]);
        assert_eq!(rows[1], [text("b"), Vec::new(), text("late")]);
    }

    #[test]
    fn a_single_text_is_the_result_with_its_own_structure() {
        let blocks = shown(json!({"summary": "# Tickets\n\nMost are\nlate.\n- one\n- two\n```\na  b\n```"}));
        let expected = [
            Block::Heading(4, "Tickets".to_owned()),
            paragraph("Most are late."),
            Block::List(vec![text("one"), text("two")]),
            Block::Drawing(vec!["a  b".to_owned()]),
        ];
        assert_eq!(blocks, expected);
    }

    #[test]
    fn files_and_addresses_are_links_and_nothing_else_is() {
        let blocks =
            shown(json!({"report_file": "out/r.csv", "url": "https://x.org/a", "file": "javascript:x"}));
        let [Block::Facts(facts)] = blocks.as_slice() else { panic!("{blocks:?}") };
        let links: Vec<_> = facts.iter().filter(|(_, span)| matches!(span[..], [Inline::Link(_)])).collect();
        assert_eq!(links.len(), 2, "{facts:?}");
    }

    #[test]
    fn a_huge_text_is_cut_and_says_by_how_much() {
        let blocks = shown(json!({"text": "é".repeat(40_000)}));
        let Some(Block::Text(last)) = blocks.last() else { panic!() };
        assert_eq!(*last, text(words::bytes_left_out(60_000)));
    }
}
