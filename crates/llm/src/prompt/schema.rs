//! The schema in the prompt, for providers that have no other place for it.

use serde_json::{Map, Value};

/// What models do not need to know about a schema.
const LEFT_OUT: [&str; 4] = ["$schema", "title", "format", "default"];

/// The question with the schema of its answer behind it, as short as it can be said.
#[must_use]
pub fn with_schema(question: &str, schema: &Value) -> String {
    let schema = shortened(schema, false, 0);
    format!("{question}\n\nAnswer with one JSON value of this JSON Schema, and nothing else:\n{schema}")
}

/// `names` says that the keys are names of members and not words of the schema language.
fn shortened(schema: &Value, names: bool, depth: usize) -> Value {
    match schema {
        _ if depth > 64 => Value::Bool(true),
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| names || !LEFT_OUT.contains(&key.as_str()));
            let short = |(key, value): (&String, &Value)| (key.clone(), member(key, value, names, depth));
            Value::Object(kept.map(short).collect::<Map<_, _>>())
        }
        Value::Array(items) => {
            Value::Array(items.iter().map(|one| shortened(one, false, depth + 1)).collect())
        }
        other => other.clone(),
    }
}

fn member(key: &str, value: &Value, names: bool, depth: usize) -> Value {
    match (names, key) {
        // Values, not schemas.
        (false, "enum" | "const" | "required") => value.clone(),
        (false, "description") => {
            let text = value.as_str().unwrap_or_default();
            Value::String(text.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        (false, "properties" | "$defs") => shortened(value, true, depth + 1),
        _ => shortened(value, false, depth + 1),
    }
}
