//! The page on the HTTP API, made from the description that the server gives of itself.

use std::fmt::Write as _;

use serde_json::Value;

use super::is_up_to_date;

const PAGE: &str = "docs/http-api.md";
const TITLE: &str = "# HTTP API\n\nEvery endpoint of `candor serve`, made from its own description (`GET /api/v1/openapi.json`, \
    OpenAPI 3.1, which also has the schemas of all answers). How the server is started, what a token allows and how events are followed is in \
    [Server](server.md). A request carries `Authorization: Bearer TOKEN`; errors are problem details (RFC 9457).\n";

#[test]
fn every_endpoint_is_on_the_page_of_the_api() {
    // spec: findings UX-10
    let document = candor_server::openapi();
    let page = page(&document);
    assert!(page.matches("\n### ").count() > 30, "{page}");
    is_up_to_date(PAGE, &page);
}

fn page(document: &Value) -> String {
    let mut page = TITLE.to_owned();
    let mut now = "";
    for (path, methods) in document["paths"].as_object().unwrap() {
        let part = path.trim_start_matches("/api/v1/").split('/').next().unwrap();
        if part != now {
            let _ = write!(page, "\n## {part}\n");
            now = part;
        }
        for (method, operation) in methods.as_object().unwrap() {
            let _ = write!(page, "\n### `{} {path}`\n\n", method.to_uppercase());
            describe(&mut page, operation, document);
        }
    }
    page
}

fn describe(page: &mut String, operation: &Value, document: &Value) {
    let text = |name: &str| operation[name].as_str().unwrap_or_default();
    let _ = writeln!(page, "{}. {}", text("summary"), text("description"));
    let parameters = operation["parameters"].as_array().unwrap();
    let rows: String = parameters.iter().map(parameter).collect();
    if !rows.is_empty() {
        let _ = write!(page, "\n| parameter | in | type | meaning |\n|---|---|---|---|\n{rows}");
    }
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let fields: String = properties(body, document).iter().map(field).collect();
    if !fields.is_empty() {
        let _ = write!(page, "\n| field of the body | type | meaning |\n|---|---|---|\n{fields}");
    }
    let codes: Vec<&str> = operation["responses"].as_object().unwrap().keys().map(String::as_str).collect();
    let _ = writeln!(page, "\nAnswers {}.", codes.join(", "));
}

fn parameter(it: &Value) -> String {
    let about = it["description"].as_str().unwrap_or_default();
    let place = it["in"].as_str().unwrap();
    format!("| `{}` | {place} | {} | {} |\n", it["name"].as_str().unwrap(), kind(&it["schema"]), cell(about))
}

/// The fields of an object, whether it is described in place or by its name: name, schema, and whether it is required.
fn properties(schema: &Value, document: &Value) -> Vec<(String, Value, bool)> {
    let schema = match schema["$ref"].as_str() {
        Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, it)| (name.clone(), it.clone(), required.contains(&name.as_str()))).collect()
}

fn field((name, schema, is_required): &(String, Value, bool)) -> String {
    let about = schema["description"].as_str().unwrap_or_default();
    let required = if *is_required { " (required)" } else { "" };
    format!("| `{name}`{required} | {} | {} |\n", kind(schema), cell(about))
}

/// A description as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// A type in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return format!("`{}`", name.rsplit('/').next().unwrap());
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> =
            values.iter().map(|it| format!("`{}`", it.as_str().unwrap_or("null"))).collect();
        return values.join(", ");
    }
    let several = ["anyOf", "oneOf"].iter().find_map(|name| schema[name].as_array());
    if let Some(several) = several {
        let kinds: Vec<String> = several.iter().map(kind).filter(|kind| kind != "null").collect();
        return kinds.join(" or ");
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("array of {}", kind(&schema["items"])),
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            let names: Vec<String> = names
                .map(|name| {
                    if name == "array" {
                        format!("array of {}", kind(&schema["items"]))
                    } else {
                        name.to_owned()
                    }
                })
                .collect();
            names.join(" or ")
        }
        _ => "any".to_owned(),
    }
}
