//! The shape of data: what has the same shape is worked on by the same code. Values are never part of it.

use std::collections::BTreeSet;

use candor_model::JsonMap;
use candor_pycheck::{Literal, sources_of};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::library::Edition;
use super::states::changes;
use super::{PROMPT_VERSION, describe, heuristic};

/// How deep lists and maps are looked into.
const DEPTH: usize = 4;
/// How many elements of a list or map are compared with the constants of code.
const MOST_LOOKED_AT: usize = 100;
/// A figure that is shorter than this is in many texts by chance.
const TELLING: usize = 2;

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
    candor_model::hex(Sha256::digest(text).iter())
}

/// Why code could give the result of this data for other data as well, if it could.
///
/// Any constant that equals a value counts, however short: `num1 + 10` is right as long as `num2` is 10. That refuses
/// much that is innocent (`round(x, 2)` beside a 2), which costs another writing and never a wrong result.
pub(super) fn not_for_others(code: &str, before: &JsonMap, after: &JsonMap) -> Option<String> {
    let Some(sources) = sources_of(code) else { return Some("it cannot be read".to_owned()) };
    if !sources.reads_context {
        return Some("it reads nothing of the context".to_owned());
    }
    let held = |map: &JsonMap, holds: fn(&Value, &Literal, usize) -> bool| {
        let name = |(key, value): (&String, &Value)| {
            let mut literals = sources.literals.iter().filter(|literal| !is_key(before, literal));
            literals.any(|literal| holds(value, literal, 0)).then(|| key.clone())
        };
        map.iter().find_map(name)
    };
    let given = held(before, is_held);
    given
        .or_else(|| held(&changes(before, after), is_written))
        .map(|name| format!("it holds the value of `{name}` itself"))
}

/// A key may well be called like a value: code must name it.
fn is_key(context: &JsonMap, literal: &Literal) -> bool {
    matches!(literal, Literal::Text(text) if context.contains_key(text))
}

/// Whether a value of the data is a constant of the code, or has it inside.
fn is_held(value: &Value, literal: &Literal, depth: usize) -> bool {
    match (value, literal) {
        (Value::Array(items), _) if depth < DEPTH => {
            items.iter().take(MOST_LOOKED_AT).any(|item| is_held(item, literal, depth + 1))
        }
        (Value::Object(map), _) if depth < DEPTH => {
            map.values().take(MOST_LOOKED_AT).any(|item| is_held(item, literal, depth + 1))
        }
        (Value::String(text), Literal::Text(constant)) => {
            (!constant.is_empty() && text.trim() == constant.trim())
                || (has_digit(constant) && constant.len() >= TELLING && has_word(text, constant.trim()))
        }
        (Value::String(text), Literal::Number(number)) => {
            let written = number.to_string();
            text.trim().parse() == Ok(*number) || (written.len() >= TELLING && has_word(text, &written))
        }
        (Value::Number(number), Literal::Number(constant)) => is_same(number, *constant),
        (Value::Number(number), Literal::Text(text)) => {
            text.trim().parse().is_ok_and(|constant: f64| is_same(number, constant.abs()))
        }
        _ => false,
    }
}

/// Whether a value of the result is a figure that stands in the code. Words may: code that sorts things into kinds
/// names the kinds.
fn is_written(value: &Value, literal: &Literal, depth: usize) -> bool {
    match (value, literal) {
        (Value::Array(items), _) if depth < DEPTH => {
            items.iter().take(MOST_LOOKED_AT).any(|item| is_written(item, literal, depth + 1))
        }
        (Value::Object(map), _) if depth < DEPTH => {
            map.values().take(MOST_LOOKED_AT).any(|item| is_written(item, literal, depth + 1))
        }
        (Value::String(text), Literal::Text(constant)) => has_digit(constant) && text == constant,
        (Value::Number(number), Literal::Number(constant)) => {
            constant.to_string().len() >= TELLING && is_same(number, *constant)
        }
        _ => false,
    }
}

fn is_same(number: &serde_json::Number, constant: f64) -> bool {
    number.as_f64().is_some_and(|number| number.abs() == constant)
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// Whether a text has this as a word or a number of its own.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}
