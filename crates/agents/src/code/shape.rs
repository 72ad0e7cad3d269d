//! The shape of data: what has the same shape is worked on by the same code. Values are never part of it.

use std::collections::BTreeSet;

use candor_model::JsonMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::library::Edition;
use super::{PROMPT_VERSION, describe, heuristic};

/// How deep lists and maps are looked into.
const DEPTH: usize = 4;
/// A text that is shorter than this is in much code by chance.
const TELLING_TEXT: usize = 4;
/// How many elements of a list or map are looked for in code.
const MOST_LOOKED_AT: usize = 100;
/// A number with fewer digits is, too.
const TELLING_NUMBER: usize = 3;

/// What proven code is kept under: the same task, shape, expectations, rules, Python and prompts.
pub(super) fn key(task: &str, context: &JsonMap, expected: &[String], edition: &Edition) -> String {
    let task = task.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected: BTreeSet<&String> = expected.iter().collect();
    let all = json!({
        "task": task,
        "shape": of_map(context),
        "expected": expected,
        "rules": candor_pycheck::VERSION,
        "python": edition.python,
        "libraries": edition.distributions,
        "prompts": PROMPT_VERSION,
    });
    digest(&all.to_string())
}

/// The shape of a context.
pub(super) fn of_map(context: &JsonMap) -> Value {
    map_shape(context, 0)
}

fn map_shape(map: &JsonMap, depth: usize) -> Value {
    let shapes = map.iter().map(|(key, value)| (key.clone(), shape(value, depth + 1)));
    Value::Object(shapes.collect())
}

fn shape(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(map) if depth < DEPTH => map_shape(map, depth),
        Value::Array(items) if depth < DEPTH => {
            // A list has as many shapes as its elements have, in no order.
            let shapes: BTreeSet<String> =
                items.iter().map(|item| shape(item, depth + 1).to_string()).collect();
            json!({ "list of": shapes })
        }
        Value::String(text) => text_shape(text, depth),
        other => json!(describe::type_name(other)),
    }
}

/// What kind of text it is: code for a table does not fit a PDF, nor code for one table another with other columns.
fn text_shape(text: &str, depth: usize) -> Value {
    let Some(structure) = heuristic::structure(text) else { return json!("str") };
    if let Ok(inside @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text) {
        return json!({ "str": structure, "of": shape(&inside, depth) });
    }
    if structure == heuristic::TABLE {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return json!({ "str": structure, "first line": digest(first.trim()) });
    }
    json!({ "str": structure })
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The key of a value that code has written into itself, instead of reading it.
pub(super) fn held_value(code: &str, context: &JsonMap) -> Option<String> {
    let held = |value: &Value| {
        // A key may well be called like a value: code must name it.
        let is_key = value.as_str().is_some_and(|text| context.contains_key(text));
        !is_key && is_held(code, value, 0)
    };
    context.iter().find(|(_, value)| held(value)).map(|(key, _)| key.clone())
}

fn is_held(code: &str, value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) if text.chars().count() >= TELLING_TEXT && text.len() <= 200 => {
            ["'", "\""].iter().any(|quote| code.contains(&format!("{quote}{text}{quote}")))
        }
        Value::Number(number) => {
            let text = number.to_string();
            text.chars().filter(char::is_ascii_digit).count() >= TELLING_NUMBER && has_number(code, &text)
        }
        Value::Array(items) if depth < DEPTH => {
            items.iter().take(MOST_LOOKED_AT).any(|item| is_held(code, item, depth + 1))
        }
        Value::Object(map) if depth < DEPTH => {
            map.values().take(MOST_LOOKED_AT).any(|item| is_held(code, item, depth + 1))
        }
        _ => false,
    }
}

/// Whether a number stands in the code as a number of its own.
fn has_number(code: &str, number: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    code.match_indices(number).any(|(at, found)| {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        let after = code.get(at + found.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
