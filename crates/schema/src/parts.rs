//! The little that is needed of JSON Schema: references, types, and words for them.

use serde_json::Value;

/// How many references may lead to one another.
const MAX_HOPS: usize = 16;

/// How long a quoted value may be in a message, in characters.
const MAX_QUOTED: usize = 60;

/// The schema that a chain of references leads to; references to nowhere allow everything.
pub(crate) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..MAX_HOPS {
        let Some(target) = at.get("$ref").and_then(Value::as_str) else { return at };
        match target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
            Some(next) => at = next,
            None => return &Value::Bool(true),
        }
    }
    &Value::Bool(true)
}

/// The types that a schema allows; empty where it says nothing.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
    let mut named: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !named.is_empty() && schema.get("nullable").and_then(Value::as_bool) == Some(true) {
        named.push("null");
    }
    named
}

/// Whether a value is of a type of JSON Schema.
pub(crate) fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => is_whole(value),
        _ => true,
    }
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// The values that a schema lists one by one, if it is nothing but such a list.
pub(crate) fn listed<'a>(root: &'a Value, schema: &'a Value) -> Option<Vec<&'a Value>> {
    if let Some(constant) = schema.get("const") {
        return Some(vec![constant]);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().collect());
    }
    let mut all = Vec::new();
    for branch in branches(schema)? {
        let branch = resolve(root, branch);
        match (branch.get("const"), branch.get("enum").and_then(Value::as_array)) {
            (Some(constant), _) => all.push(constant),
            (None, Some(values)) => all.extend(values),
            (None, None) => return None,
        }
    }
    Some(all)
}

/// The alternatives of a schema.
pub(crate) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
}

/// A type in words.
pub(crate) fn type_words(name: &str) -> &str {
    match name {
        "null" => "null",
        "boolean" => "true or false",
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        "number" => "a number",
        "integer" => "a whole number",
        other => other,
    }
}

/// A value in a few words.
pub(crate) fn value_words(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) if text.chars().nth(MAX_QUOTED).is_some() => {
            let start: String = text.chars().take(MAX_QUOTED).collect();
            format!("{}…", Value::String(start))
        }
        other => other.to_string(),
    }
}

/// The place of a member of an object.
pub(crate) fn member_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A name without what people and models spell differently: case, blanks, hyphens, underscores.
pub(crate) fn bare_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
