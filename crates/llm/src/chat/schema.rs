//! A JSON Schema as OpenAI's strict mode wants it, and the answer brought back.
//!
//! Strict mode knows fewer words than JSON Schema: all properties are required, none may be added, and what
//! was optional becomes nullable. A schema that cannot be said so (a map with free names) is sent as it is,
//! without the promise that it is kept to.

use serde_json::{Map, Value, json};

/// Words that strict mode refuses and that only comment or narrow.
const DROPPED: &[&str] = &[
    "$schema",
    "default",
    "examples",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "contentEncoding",
    "readOnly",
    "writeOnly",
    "title",
];
/// Words that strict mode refuses and that change what is meant.
const UNKNOWN: &[&str] =
    &["allOf", "not", "if", "then", "else", "patternProperties", "dependentRequired", "prefixItems"];
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// The schema for strict mode; nothing if it cannot be said there.
pub(crate) fn strict(schema: &Value) -> Option<Value> {
    let schema = adapted(schema)?;
    (schema.get("type") == Some(&json!("object"))).then_some(schema)
}

fn adapted(schema: &Value) -> Option<Value> {
    let Value::Object(words) = schema else {
        // `true` allows anything, and strict mode must know what.
        return None;
    };
    let mut out = Map::new();
    for (word, value) in words {
        match word.as_str() {
            word if DROPPED.contains(&word) => {}
            word if UNKNOWN.contains(&word) => return None,
            "format" if !value.as_str().is_some_and(|format| FORMATS.contains(&format)) => {}
            "properties" | "required" => {}
            "additionalProperties" if value != &json!(false) => return None,
            "oneOf" | "anyOf" => {
                let choices: Option<Vec<_>> = value.as_array()?.iter().map(adapted).collect();
                out.insert("anyOf".to_owned(), Value::Array(choices?));
            }
            "items" => {
                out.insert(word.clone(), adapted(value)?);
            }
            "$defs" | "definitions" => {
                let named = |(name, schema): (&String, &Value)| Some((name.clone(), adapted(schema)?));
                let defs: Option<Map<_, _>> = value.as_object()?.iter().map(named).collect();
                out.insert(word.clone(), Value::Object(defs?));
            }
            _ => {
                out.insert(word.clone(), value.clone());
            }
        }
    }
    if is_object(schema) {
        close(&mut out, schema)?;
    } else if out.is_empty() {
        return None;
    }
    Some(Value::Object(out))
}

/// Requires every property, and allows null for those that were not required.
fn close(out: &mut Map<String, Value>, schema: &Value) -> Option<()> {
    let mut properties = Map::new();
    let none = Map::new();
    let given = schema.get("properties").map_or(Some(&none), Value::as_object)?;
    for (name, property) in given {
        let property = adapted(property)?;
        let property = if is_required(schema, name) { property } else { nullable(property) };
        properties.insert(name.clone(), property);
    }
    let names: Vec<_> = properties.keys().cloned().collect();
    out.insert("properties".to_owned(), Value::Object(properties));
    out.insert("required".to_owned(), json!(names));
    out.insert("additionalProperties".to_owned(), json!(false));
    Some(())
}

fn nullable(schema: Value) -> Value {
    if allows_null(&schema, &schema, 0) {
        return schema;
    }
    match schema.get("type") {
        Some(Value::String(kind)) if schema.get("enum").is_none() && schema.get("const").is_none() => {
            let kinds = json!([kind, "null"]);
            match schema {
                Value::Object(mut words) => {
                    words.insert("type".to_owned(), kinds);
                    Value::Object(words)
                }
                other => other,
            }
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

fn is_object(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => schema.get("properties").is_some(),
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// Schemas that refer to each other in a ring end here.
const MAX_DEPTH: u32 = 64;

fn allows_null(schema: &Value, root: &Value, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return true;
    }
    let schema = resolved(schema, root);
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    let of_type = match schema.get("type") {
        Some(Value::String(kind)) => kind == "null",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        // A schema that says nothing allows everything.
        _ => !["$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties"]
            .iter()
            .any(|word| schema.get(*word).is_some()),
    };
    let listed =
        schema.get("enum").and_then(Value::as_array).is_some_and(|values| values.contains(&Value::Null));
    of_type || listed || choices.into_iter().any(|choice| allows_null(choice, root, depth + 1))
}

fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    target.and_then(|path| root.pointer(path)).unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal() -> Value {
        json!({
            "$schema": "s", "title": "Goal", "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1 },
                "days": { "type": "integer", "format": "uint32", "default": 1 },
                "kind": { "$ref": "#/$defs/Kind" },
                "steps": { "type": "array", "items": { "$ref": "#/$defs/Step" }, "maxItems": 3 },
            },
            "required": ["name"],
            "$defs": {
                "Kind": { "oneOf": [{ "type": "string", "const": "a" }, { "type": "string", "enum": ["b"] }] },
                "Step": { "type": "object", "properties": { "say": { "type": ["string", "null"] } } },
            },
        })
    }

    #[test]
    fn strict_mode_requires_everything_and_makes_the_optional_nullable() {
        let strict = strict(&goal()).unwrap();
        assert_eq!(strict["required"], json!(["days", "kind", "name", "steps"]));
        assert_eq!(strict["additionalProperties"], json!(false));
        assert_eq!(strict["properties"]["name"], json!({ "type": "string" }));
        assert_eq!(strict["properties"]["days"], json!({ "type": ["integer", "null"] }));
        assert_eq!(strict["properties"]["kind"]["anyOf"][1], json!({ "type": "null" }));
        assert_eq!(strict["$defs"]["Step"]["required"], json!(["say"]));
        assert!(strict["$defs"]["Kind"].get("oneOf").is_none());
    }

    #[test]
    fn a_map_with_free_names_cannot_be_strict() {
        let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
        assert_eq!(strict(&map), None);
        assert_eq!(strict(&json!(true)), None);
        assert_eq!(strict(&json!({ "type": "array", "items": { "type": "string" } })), None);
    }
}
