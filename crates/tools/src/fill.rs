//! Calls that follow from other calls: `${arguments.NAME}` and `${result.PATH}` filled in. Pure.

use candor_model::{FollowUp, JsonMap};
use serde_json::{Map, Value};

/// How deep arguments are followed; what lies deeper is refused.
const MAX_DEPTH: usize = 64;

/// Fills in where a follow-up's arguments come from.
///
/// A text that is one reference and nothing else takes the value as it is, with its type; a reference inside a
/// text becomes text. Paths have parts between dots; a number is the place in a list. A reference that leads
/// nowhere is an error that names it: a call with a hole in it is never made.
pub fn fill(follow_up: &FollowUp, arguments: &JsonMap, result: &Value) -> Result<FollowUp, String> {
    let filler = Filler { arguments, result };
    let filled = filler.map(&follow_up.arguments, 0)?;
    Ok(FollowUp { tool: follow_up.tool.clone(), arguments: filled })
}

struct Filler<'a> {
    arguments: &'a JsonMap,
    result: &'a Value,
}

impl Filler<'_> {
    fn map(&self, map: &JsonMap, depth: usize) -> Result<JsonMap, String> {
        let filled = |(name, value): (&String, &Value)| Ok((name.clone(), self.value(value, depth + 1)?));
        map.iter().map(filled).collect::<Result<Map<_, _>, String>>()
    }

    fn value(&self, value: &Value, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(format!("the arguments are nested deeper than {MAX_DEPTH}"));
        }
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().map(|item| self.value(item, depth + 1)).collect(),
            Value::Object(map) => self.map(map, depth).map(Value::Object),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    fn text(&self, text: &str) -> Result<Value, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (path, behind) =
                after.split_once('}').ok_or_else(|| format!("`{text}` has a `${{` that is not closed"))?;
            let value = self.find(path)?;
            if before.is_empty() && behind.is_empty() && filled.is_empty() {
                return Ok(value);
            }
            filled.push_str(before);
            match value {
                Value::String(part) => filled.push_str(&part),
                other => filled.push_str(&other.to_string()),
            }
            rest = behind;
        }
        filled.push_str(rest);
        Ok(Value::String(filled))
    }

    fn find(&self, path: &str) -> Result<Value, String> {
        let mut parts = path.split('.');
        let found = match parts.next() {
            Some("arguments") => {
                let name = parts.next().ok_or_else(|| unknown(path))?;
                self.arguments.get(name).and_then(|value| walk(value, parts))
            }
            Some("result") => walk(self.result, parts),
            _ => return Err(unknown(path)),
        };
        found.cloned().ok_or_else(|| format!("`${{{path}}}` leads to nothing"))
    }
}

fn unknown(path: &str) -> String {
    format!("`${{{path}}}` is unknown; it can begin with `arguments.NAME` or `result`")
}

fn walk<'a, 'p>(value: &'a Value, parts: impl Iterator<Item = &'p str>) -> Option<&'a Value> {
    parts.into_iter().try_fold(value, |value, part| match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) => part.parse::<usize>().ok().and_then(|place| items.get(place)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &Value) -> Result<Value, String> {
        let arguments = json!({ "path": "a.txt", "count": 3, "deep": { "x": [10, 20] } });
        let result = json!({ "id": 7, "items": [{ "name": "n" }] });
        let follow_up = FollowUp { tool: "t".to_owned(), arguments: template.as_object().unwrap().clone() };
        fill(&follow_up, arguments.as_object().unwrap(), &result).map(|made| Value::Object(made.arguments))
    }

    #[test]
    fn a_whole_reference_keeps_its_type_and_one_inside_a_text_becomes_text() {
        let template = json!({
            "id": "${result.id}", "all": "${result}", "name": "${result.items.0.name}",
            "text": "${arguments.path} has ${arguments.count}", "list": ["${arguments.deep.x.1}", true, null],
            "plain": "no $ {holes}",
        });
        let made = filled(&template).unwrap();
        assert_eq!(made["id"], 7);
        assert_eq!(made["all"]["items"][0]["name"], "n");
        assert_eq!(made["name"], "n");
        assert_eq!(made["text"], "a.txt has 3");
        assert_eq!(made["list"], json!([20, true, null]));
        assert_eq!(made["plain"], "no $ {holes}");
    }

    #[test]
    fn what_leads_nowhere_is_named() {
        for (text, said) in [
            ("${arguments.nothing}", "`${arguments.nothing}` leads to nothing"),
            ("x ${result.items.5}", "`${result.items.5}` leads to nothing"),
            ("${steps.a}", "`${steps.a}` is unknown"),
            ("${arguments}", "`${arguments}` is unknown"),
            ("${result.id", "not closed"),
        ] {
            let problem = filled(&json!({ "a": text })).unwrap_err();
            assert!(problem.contains(said), "{problem}");
        }
    }

    #[test]
    fn what_was_filled_in_is_not_filled_again() {
        let arguments = json!({ "a": "${arguments.a}" });
        let follow_up = FollowUp {
            tool: "t".to_owned(),
            arguments: json!({ "b": "${arguments.a}!" }).as_object().unwrap().clone(),
        };
        let made = fill(&follow_up, arguments.as_object().unwrap(), &Value::Null).unwrap();
        assert_eq!(made.arguments["b"], "${arguments.a}!");
    }
}
