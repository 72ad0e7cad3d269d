//! How data is described to models: by type and size, and only where it is allowed by its first characters.

use candor_model::JsonMap;
use serde_json::{Value, json};

/// A text that is longer is described by its length only.
const SHORT_TEXT: usize = 100;
/// How many characters of a short value are shown.
const SHOWN: usize = 50;
/// How many characters of a value the judge of a result is shown.
const JUDGED: usize = 500;

/// Python's name for the type of a value.
#[must_use]
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Keys with type and length, never a value: for the input analyser.
pub(super) fn sizes(context: &JsonMap) -> String {
    let size = |value: &Value| match value {
        Value::String(text) => format!("str (length: {})", text.chars().count()),
        Value::Array(items) => format!("list (length: {})", items.len()),
        Value::Object(map) => format!("dict (length: {})", map.len()),
        other => type_name(other).to_owned(),
    };
    lines(context, size)
}

/// Keys with type, and length where it matters, never a value: for the data analyser.
pub(super) fn kinds(context: &JsonMap) -> String {
    lines(context, kind)
}

/// Keys with type and the first characters of short values: for the code generator.
pub(super) fn samples(context: &JsonMap) -> String {
    let sample = |value: &Value| match value {
        Value::String(text) if text.chars().count() > SHORT_TEXT => kind(value),
        Value::String(text) => format!("str: '{}'", start(text, SHOWN)),
        other => format!("{}: {}", type_name(other), start(&python_text(other), SHOWN)),
    };
    lines(context, sample)
}

/// A context for whoever judges a result: long values are cut, and say how long they are.
pub(super) fn shortened(context: &JsonMap) -> String {
    let cut = |value: &Value| match value {
        Value::String(text) if text.chars().count() > JUDGED => cut_text(text),
        Value::String(_) => value.clone(),
        other => {
            let text = other.to_string();
            if text.chars().count() > JUDGED { cut_text(&text) } else { other.clone() }
        }
    };
    let map: JsonMap = context.iter().map(|(key, value)| (key.clone(), cut(value))).collect();
    indented(&Value::Object(map))
}

/// What went wrong in a program, without what it says about data: the name of the exception and its line. A text that
/// names no exception is ours, and what it quotes is left out.
pub(super) fn without_values(text: &str) -> String {
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let Some(name) = words().find(|word| is_exception(word)) else { return without_quotes(text) };
    let place = text.rsplit_once(" (").map(|(_, place)| place.trim_end_matches(')'));
    let is_line = |place: &&str| {
        let mut parts = place.split(' ');
        parts.next().is_some_and(|word| matches!(word, "line" | "línea"))
            && parts.next().is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
            && parts.next().is_none()
    };
    let place = place.filter(is_line).map(|place| format!(" ({place})")).unwrap_or_default();
    format!("{name}{place}")
}

fn is_exception(word: &str) -> bool {
    const ENDS: [&str; 5] = ["Error", "Exception", "Exit", "Interrupt", "Iteration"];
    word.starts_with(char::is_uppercase) && ENDS.iter().any(|end| word.ends_with(end))
}

fn without_quotes(text: &str) -> String {
    let mut parts = text.split(['\'', '"', '`']);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        kept.push_str(if index % 2 == 0 { "…" } else { part });
    }
    kept
}

fn cut_text(text: &str) -> Value {
    let kept: String = text.chars().take(JUDGED).collect();
    json!(format!("{kept}… (length: {})", text.chars().count()))
}

fn kind(value: &Value) -> String {
    match value {
        Value::String(text) => match text.chars().count() {
            length if length > SHORT_TEXT => format!("str (length: {length})"),
            _ => "str (short)".to_owned(),
        },
        other => type_name(other).to_owned(),
    }
}

/// The first characters; an ellipsis only says that there are more.
fn start(text: &str, most: usize) -> String {
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() { format!("{kept}...") } else { kept }
}

/// A value as Python writes it, as far as it is short.
fn python_text(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

fn lines(context: &JsonMap, describe: impl Fn(&Value) -> String) -> String {
    let map: JsonMap = context.iter().map(|(key, value)| (key.clone(), json!(describe(value)))).collect();
    indented(&Value::Object(map))
}

/// JSON that is easy to read.
pub(super) fn indented(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_without_what_they_say_about_data() {
        for (text, told) in [
            (
                "execution error: ValueError: could not convert string to float: 'hunter2' (line 3)",
                "ValueError (line 3)",
            ),
            ("execution error: KeyError: 'hunter2' (línea 12)", "KeyError (línea 12)"),
            ("execution error: MyError: hunter2 (line hunter2)", "MyError"),
            ("the result holds 'hunter2', which is a set", "the result holds …, which is a set"),
        ] {
            assert_eq!(without_values(text), told);
        }
    }
}
