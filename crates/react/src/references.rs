//! References in parameters: `${inputs.NAME}`, `${upstream.TASK.NAME}`, `${steps.ID.PATH}`.
//!
//! A text that is nothing but a reference becomes what it refers to, of whatever type; within a longer text it is
//! inserted as text. What it refers to is data: it is not looked at for references again.

use candor_model::{FollowUp, JsonMap, ToolCall, ToolResult};
use serde_json::{Value, json};

/// How deep parameters are followed.
const MAX_DEPTH: usize = 64;

/// Fills in the references of parameters; `look_up` says what a path such as `steps.a.0.name` means.
///
/// # Errors
/// Which reference means nothing, and why.
pub fn fill(
    parameters: &JsonMap,
    look_up: &dyn Fn(&str) -> Result<Value, String>,
) -> Result<JsonMap, String> {
    let filled = |(name, value): (&String, &Value)| Ok((name.clone(), fill_value(value, look_up, 0)?));
    parameters.iter().map(filled).collect()
}

fn fill_value(
    value: &Value,
    look_up: &dyn Fn(&str) -> Result<Value, String>,
    depth: usize,
) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("parameters are nested deeper than {MAX_DEPTH} levels"));
    }
    match value {
        Value::String(text) => fill_text(text, look_up),
        Value::Array(items) => items
            .iter()
            .map(|item| fill_value(item, look_up, depth + 1))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        Value::Object(map) => {
            let filled =
                |(name, value): (&String, &Value)| Ok((name.clone(), fill_value(value, look_up, depth + 1)?));
            map.iter().map(filled).collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn fill_text(text: &str, look_up: &dyn Fn(&str) -> Result<Value, String>) -> Result<Value, String> {
    if let Some(path) = whole(text) {
        return look_up(path);
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((path, behind)) = after.split_once('}').filter(|(path, _)| is_path(path)) else {
            // `${HOME}` and the like are none of ours.
            filled.push_str(before);
            filled.push_str("${");
            rest = after;
            continue;
        };
        filled.push_str(before);
        match look_up(path)? {
            Value::String(text) => filled.push_str(&text),
            other => filled.push_str(&other.to_string()),
        }
        rest = behind;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

/// The path of a text that is one reference and nothing else.
fn whole(text: &str) -> Option<&str> {
    let path = text.strip_prefix("${")?.strip_suffix('}')?;
    (is_path(path) && !path.contains("${")).then_some(path)
}

/// The places that a reference can lead into.
const ROOTS: [&str; 5] = ["inputs.", "upstream.", "steps.", "arguments.", "result."];

fn is_path(path: &str) -> bool {
    ROOTS.iter().any(|root| path.starts_with(root)) && !path.contains('}')
}

/// The ids of the steps that parameters refer to.
pub(crate) fn steps_of(parameters: &JsonMap) -> Vec<String> {
    let mut found = Vec::new();
    let mut collect = |text: &str| {
        for part in text.split("${steps.").skip(1) {
            let id = part.split(['.', '}']).next().unwrap_or_default();
            if !id.is_empty() && !found.iter().any(|known| known == id) {
                found.push(id.to_owned());
            }
        }
    };
    for value in parameters.values() {
        each_text(value, &mut collect, 0);
    }
    found
}

fn each_text(value: &Value, with: &mut dyn FnMut(&str), depth: usize) {
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) => with(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, with, depth + 1)),
        Value::Object(map) => map.values().for_each(|item| each_text(item, with, depth + 1)),
        _ => {}
    }
}

/// Makes references to one step lead to another.
pub(crate) fn rename_step(parameters: &mut JsonMap, from: &str, to: &str) {
    let pairs = [".", "}"].map(|end| (format!("${{steps.{from}{end}"), format!("${{steps.{to}{end}")));
    for value in parameters.values_mut() {
        rename_in(value, &pairs, 0);
    }
}

fn rename_in(value: &mut Value, pairs: &[(String, String)], depth: usize) {
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) => {
            for (from, to) in pairs {
                if text.contains(from.as_str()) {
                    *text = text.replace(from.as_str(), to);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_in(item, pairs, depth + 1)),
        Value::Object(map) => map.values_mut().for_each(|item| rename_in(item, pairs, depth + 1)),
        _ => {}
    }
}

/// Follows a path of names and numbers into data; nothing where it ends before the path does.
pub(crate) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let mut value = value;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        value = match value {
            Value::Object(map) => map.get(part)?,
            Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// What a path into a result means: `content` is its text, all else leads into its data.
pub(crate) fn of_result(result: &ToolResult, path: &str) -> Result<Value, String> {
    let data = result.data.as_ref();
    if path.is_empty() {
        return Ok(data.cloned().unwrap_or_else(|| json!(result.content)));
    }
    if let Some(found) = data.and_then(|data| at(data, path)) {
        return Ok(found.clone());
    }
    if path == "content" {
        return Ok(json!(result.content));
    }
    Err(match data {
        None => "the result has no data, only text: use `content`".to_owned(),
        Some(Value::Object(map)) => {
            let known: Vec<&str> = map.keys().take(12).map(String::as_str).collect();
            format!("the result has no `{path}`; it has {}", known.join(", "))
        }
        Some(_) => format!("the result has no `{path}`"),
    })
}

/// A call that belongs to another (its undoing, its check), with everything filled in.
///
/// # Errors
/// Which reference means nothing, and why.
pub fn follow_up(follow_up: &FollowUp, call: &ToolCall, result: &ToolResult) -> Result<FollowUp, String> {
    let look_up = |path: &str| match path.split_once('.') {
        Some(("arguments", name)) => {
            let arguments = Value::Object(call.arguments.clone());
            at(&arguments, name).cloned().ok_or_else(|| format!("the call has no argument `{name}`"))
        }
        Some(("result", rest)) => of_result(result, rest),
        _ => Err(format!("`${{{path}}}` is neither of `arguments` nor of `result`")),
    };
    Ok(FollowUp { tool: follow_up.tool.clone(), arguments: fill(&follow_up.arguments, &look_up)? })
}
