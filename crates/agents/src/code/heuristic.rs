//! The input analyser's twin without a model: decides from the data itself, which never leaves the machine.

use candor_model::JsonMap;
use serde_json::{Value, json};

/// A text that is longer is analysed.
const LARGE: usize = 1_000;
/// How deep it looks into lists and maps.
const DEPTH: usize = 4;
/// How many lines of a text are looked at.
const LINES: usize = 8;

/// What a table is called.
pub(super) const TABLE: &str = "a table as text";

/// How binary files begin, and what they are.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"RIFF", "a RIFF file"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"SQLite", "a SQLite database"),
];

/// Whether the data must be analysed first, in the same words as the analyser's.
#[must_use]
pub(super) fn judge(context: &JsonMap) -> JsonMap {
    let found = context.iter().find_map(|(key, value)| Some((key, reason(value, 0)?)));
    let (needs, complexity, reasoning) = match found {
        Some((key, (binary, what))) => {
            (true, if binary { "complex" } else { "medium" }, format!("`{key}` is {what}"))
        }
        None => (false, "simple", "all values are small and of known structure".to_owned()),
    };
    let map = json!({
        "needs_analysis": needs, "complexity": complexity, "reasoning": reasoning, "by": "rules",
    });
    map.as_object().cloned().unwrap_or_default()
}

/// Why a value must be analysed, and whether it is binary; nothing if it need not be.
fn reason(value: &Value, depth: usize) -> Option<(bool, String)> {
    match value {
        Value::String(text) => text_reason(text),
        Value::Array(items) if depth < DEPTH => items.iter().find_map(|item| reason(item, depth + 1)),
        Value::Object(map) if depth < DEPTH => map.values().find_map(|item| reason(item, depth + 1)),
        _ => None,
    }
}

fn text_reason(text: &str) -> Option<(bool, String)> {
    if let Some(what) = binary(text) {
        return Some((true, what));
    }
    let length = text.chars().count();
    match structured(text) {
        Some(what) => Some((false, what.to_owned())),
        None if length > LARGE => Some((false, format!("a text of {length} characters"))),
        None => None,
    }
}

/// What kind of text it is, if it is of one that code must know of; never what it says.
pub(super) fn structure(text: &str) -> Option<String> {
    binary(text).or_else(|| structured(text).map(str::to_owned))
}

fn binary(text: &str) -> Option<String> {
    if text.contains('\0') {
        return Some("binary data".to_owned());
    }
    if text.starts_with("data:") && text.contains(',') {
        return Some("a file in a data URL".to_owned());
    }
    encoded(text).map(|what| format!("{what} in base64"))
}

fn structured(text: &str) -> Option<&'static str> {
    if is_json(text) {
        Some("JSON as text")
    } else if is_email(text) {
        Some("a raw e-mail")
    } else if is_table(text) {
        Some(TABLE)
    } else {
        None
    }
}

/// What is encoded in a text, if it begins like a binary file in base64.
fn encoded(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    // Short words are base64 as well: a file has more to say than its first bytes.
    if text.len() < 16 {
        return None;
    }
    let bytes = decoded_start(text)?;
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, what)| *what)
}

/// The first nine bytes that twelve characters of base64 stand for.
fn decoded_start(text: &str) -> Option<Vec<u8>> {
    let mut bits: u128 = 0;
    for character in text.bytes().take(12) {
        let six = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u128::from(six);
    }
    Some((0..9).rev().map(|index| u8::try_from((bits >> (8 * index)) & 0xff).unwrap_or(0)).collect())
}

fn is_json(text: &str) -> bool {
    let text = text.trim();
    let framed =
        (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    framed && text.len() > 2 && serde_json::from_str::<Value>(text).is_ok()
}

/// At least two headers of an e-mail at its beginning.
fn is_email(text: &str) -> bool {
    const HEADERS: [&str; 8] =
        ["from:", "to:", "subject:", "date:", "received:", "message-id:", "mime-version:", "return-path:"];
    let is_header = |line: &&str| {
        let line = line.to_ascii_lowercase();
        HEADERS.iter().any(|header| line.starts_with(header))
    };
    text.lines().take(LINES).filter(is_header).count() >= 2
}

/// At least two lines with the same number of the same separator.
fn is_table(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES).collect();
    let Some((first, rest)) = lines.split_first() else { return false };
    [',', ';', '\t', '|'].into_iter().any(|separator| {
        let columns = first.matches(separator).count();
        columns > 0 && !rest.is_empty() && rest.iter().all(|line| line.matches(separator).count() == columns)
    })
}
