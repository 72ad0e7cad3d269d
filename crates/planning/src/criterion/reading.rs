//! Reads the language of criteria.

use candor_model::CheckKind;
use candor_text::Language;
use serde_json::Value;

use super::content::{Format, Subject, TextTest};
use super::{Clause, Criterion, Relation, Wanted, words};

/// Reads a criterion. Nothing is refused: what is not understood is prose.
#[must_use]
pub fn parse(text: &str) -> Criterion {
    let (label, text) = match text.split_once(" => ") {
        Some((label, rest)) if !label.trim().is_empty() => (Some(label.trim().to_owned()), rest),
        _ => (None, text),
    };
    let mut clauses = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = clause_end(rest);
        let (one, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !one.trim().is_empty() {
            clauses.push(clause(one.trim()));
        }
        rest = after.strip_prefix(';').unwrap_or("").trim_start();
    }
    Criterion { label, clauses }
}

/// Where the clause that begins here ends: at the next `;` that stands in no quotes. An apostrophe quotes
/// only in a command, and a quote that is never closed is a letter like any other.
fn clause_end(text: &str) -> usize {
    let in_command = after_keyword(text, "command:").is_some();
    let mut letters = text.char_indices();
    while let Some((place, letter)) = letters.next() {
        match letter {
            ';' => return place,
            '\\' if in_command => {
                letters.next();
            }
            '"' | '\'' if letter == '"' || in_command => {
                let mut after = letters.clone();
                if closes(&mut after, letter, in_command) {
                    letters = after;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Goes on behind the end of a quotation; says whether it has one.
fn closes(letters: &mut std::str::CharIndices<'_>, quote: char, in_command: bool) -> bool {
    while let Some((_, letter)) = letters.next() {
        if letter == quote {
            return true;
        }
        if letter == '\\' && quote == '"' && in_command {
            letters.next();
        }
    }
    false
}

/// Names with commas between them; nothing if there are none.
fn listed(names: &str) -> Option<Vec<String>> {
    let names: Vec<String> =
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

fn clause(text: &str) -> Clause {
    understood(text).unwrap_or_else(|| Clause::Prose(text.to_owned()))
}

fn understood(text: &str) -> Option<Clause> {
    if let Some(names) = after_keyword(text, "outputs present:") {
        return listed(names).map(Clause::Present);
    }
    if let Some(names) = after_keyword(text, "outputs expected:") {
        return listed(names).map(Clause::Expected);
    }
    if text.eq_ignore_ascii_case("outputs not empty") {
        return Some(Clause::Something);
    }
    if let Some(path) = after_keyword(text, "file exists:") {
        let path = unquoted(path);
        return (!path.is_empty()).then(|| Clause::Check(CheckKind::File(path.to_owned())));
    }
    if let Some(command) = after_keyword(text, "command:") {
        let words = words::split(command).filter(|words| !words.is_empty())?;
        return Some(Clause::Check(CheckKind::Command(words)));
    }
    if let Some(rest) = after_keyword(text, "count ") {
        let (path, relation, value) = comparison(rest)?;
        let number = value.parse().ok()?;
        return Some(Clause::Count { path: path.to_owned(), relation, number });
    }
    if let Some(words) = after_keyword(text, "judge:") {
        return (!words.is_empty()).then(|| Clause::Judge(words.to_owned()));
    }
    if let Some(schema) = after_keyword(text, "outputs schema:") {
        return Some(Clause::Schema { path: None, schema: object(schema)? });
    }
    if let Some(test) = after_keyword(text, "answer ") {
        return Some(Clause::Text { subject: Subject::Answer, test: text_test(test)? });
    }
    if let Some(rest) = after_keyword(text, "file ") {
        let (path, test) = first_word(rest)?;
        return Some(Clause::Text { subject: Subject::File(path.to_owned()), test: text_test(test)? });
    }
    output(after_keyword(text, "output ")?)
}

/// The first word or the first quotation, and what follows it.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (word, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => text.split_once(char::is_whitespace)?,
    };
    (!word.is_empty()).then_some((word, rest.trim()))
}

/// `words < 300`, `is json`, `in spanish`, `contains "…"`.
fn text_test(text: &str) -> Option<TextTest> {
    if let Some(part) = after_keyword(text, "contains ") {
        return Some(TextTest::Contains(unquoted(part).to_owned()));
    }
    match text.to_ascii_lowercase().as_str() {
        "is json" => return Some(TextTest::Format(Format::Json)),
        "is csv" => return Some(TextTest::Format(Format::Csv)),
        "in english" => return Some(TextTest::In(Language::En)),
        "in spanish" => return Some(TextTest::In(Language::Es)),
        _ => {}
    }
    let (unit, relation, number) = comparison(text)?;
    let number = number.parse::<f64>().ok().filter(|number| number.is_finite())?;
    match unit.to_ascii_lowercase().as_str() {
        "words" => Some(TextTest::Words(relation, number)),
        "lines" => Some(TextTest::Lines(relation, number)),
        "entries" => Some(TextTest::Entries(relation, number)),
        _ => None,
    }
}

/// A schema is an object that JSON Schema knows words of; anything would fit another one.
fn object(text: &str) -> Option<Value> {
    const WORDS: &[&str] =
        &["type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf"];
    let schema: Value = serde_json::from_str(text.trim()).ok()?;
    let known = WORDS.iter().any(|word| schema.get(word).is_some());
    known.then_some(schema)
}

/// `NAME not empty`, `NAME contains "…"`, `NAME >= 5`, `NAME == done`.
fn output(text: &str) -> Option<Clause> {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let wanted = if rest.eq_ignore_ascii_case("not empty") {
        Some(Wanted::NotEmpty)
    } else {
        after_keyword(rest, "contains ").map(|text| Wanted::Contains(unquoted(text).to_owned()))
    };
    if let Some(wanted) = wanted {
        return Some(Clause::Output { path: name.to_owned(), wanted });
    }
    if let Some(schema) = after_keyword(rest, "schema:") {
        return Some(Clause::Schema { path: Some(name.to_owned()), schema: object(schema)? });
    }
    if let Some(kind) = json_type(rest) {
        let schema = serde_json::json!({ "type": kind });
        return Some(Clause::Schema { path: Some(name.to_owned()), schema });
    }
    if let Some(test) = text_test(rest) {
        return Some(Clause::Text { subject: Subject::Output(name.to_owned()), test });
    }
    let (path, relation, value) = comparison(text)?;
    let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
    let wanted = match (number, relation) {
        (Some(number), _) => Wanted::Number(relation, number),
        (None, Relation::Equal) if !value.is_empty() => Wanted::Same(unquoted(value).to_owned()),
        _ => return None,
    };
    Some(Clause::Output { path: path.to_owned(), wanted })
}

/// `is a list`, `is a number`: what JSON Schema calls that type.
fn json_type(text: &str) -> Option<&'static str> {
    let kind = after_keyword(text, "is ")?.to_ascii_lowercase();
    let kind = kind.strip_prefix("a ").or_else(|| kind.strip_prefix("an ")).unwrap_or(&kind);
    Some(match kind.trim() {
        "list" | "array" => "array",
        "object" | "map" => "object",
        "text" | "string" => "string",
        "number" => "number",
        "integer" | "whole number" => "integer",
        "boolean" | "truth value" => "boolean",
        _ => return None,
    })
}

/// A name, a sign and what stands after it. Longer signs stand before shorter ones.
fn comparison(text: &str) -> Option<(&str, Relation, &str)> {
    let signs = [
        (">=", Relation::AtLeast),
        ("<=", Relation::AtMost),
        ("==", Relation::Equal),
        (">", Relation::Above),
        ("<", Relation::Below),
    ];
    let (path, relation, value) = signs.into_iter().find_map(|(sign, relation)| {
        let (path, value) = text.split_once(sign)?;
        Some((path.trim(), relation, value.trim()))
    })?;
    let is_name = !path.is_empty() && !path.contains(char::is_whitespace);
    is_name.then_some((path, relation, value))
}

/// What follows a keyword, in whatever case of letters it is written.
fn after_keyword<'a>(text: &'a str, keyword: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(keyword.len())?;
    start.eq_ignore_ascii_case(keyword).then(|| rest.trim())
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}
