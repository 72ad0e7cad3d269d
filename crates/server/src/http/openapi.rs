//! The OpenAPI document, made of the table of endpoints and of the schemas of their types.
//!
//! The types of the model have JSON Schemas already (for logs and MCP), which OpenAPI 3.1 takes as they are. A second
//! set of derives for OpenAPI alone would have to agree with them for ever.

use axum::Json;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema as _, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::endpoints::{self, Endpoint};
use super::problem::Problem;

/// Where schemas are in the document.
const SCHEMAS: &str = "/components/schemas";

/// Answers with the document.
pub(super) async fn document() -> Json<Value> {
    Json(openapi())
}

/// Makes the document: what `GET /api/v1/openapi.json` answers.
#[must_use]
pub fn openapi() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = SCHEMAS.into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    generator.subschema_for::<Problem>();
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in endpoints::all() {
        let described = operation(&endpoint, &mut generator);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(endpoint.method.to_owned(), described);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Candor", "version": env!("CARGO_PKG_VERSION"),
            "description": "Starts, follows and steers runs. Errors are problem details (RFC 9457).",
            "license": { "name": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": endpoint.id,
        "summary": endpoint.summary,
        "description": format!("Needs a token of scope {}.", endpoint.scope.as_str()),
        "parameters": parameters(endpoint),
        "responses": responses(endpoint, generator),
    });
    if let (Some(body), Some(fields)) = (endpoint.body, operation.as_object_mut()) {
        let schema = body(generator);
        let body = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        fields.insert("requestBody".to_owned(), body);
    }
    operation
}

/// The parts of the path in braces, the query, and the header.
fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let parts = endpoint.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut all: Vec<Value> = parts
        .map(|name| {
            let (about, schema) = match name {
                "run" => ("The run", json!({ "type": "string", "minLength": 1 })),
                "schedule" => ("The name of the schedule", json!({ "type": "string", "minLength": 1 })),
                "artifact" => ("The id of the output", json!({ "type": "string", "minLength": 1 })),
                _ => ("The question", json!({ "type": "string", "minLength": 1 })),
            };
            json!({ "name": name, "in": "path", "required": true, "description": about, "schema": schema })
        })
        .collect();
    if let Some(query) = endpoint.query {
        all.extend(in_query(&query(&mut inline()).to_value()));
    }
    if let Some((name, about)) = endpoint.header {
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$" });
        all.push(json!({ "name": name, "in": "header", "description": about, "schema": schema }));
    }
    all
}

fn inline() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// Each field of a query as a parameter.
fn in_query(schema: &Value) -> Vec<Value> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let about = schema.as_object_mut().and_then(|fields| fields.remove("description"));
        without_null(&mut schema);
        let required = required.contains(&name.as_str());
        json!({ "name": name, "in": "query", "required": required, "description": about, "schema": schema })
    };
    fields.into_iter().flatten().map(parameter).collect()
}

/// A parameter that is left out is not `null`.
fn without_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.remove("default");
    if let Some(kinds) = fields.get_mut("type")
        && let Some(only) =
            kinds.as_array().and_then(|kinds| kinds.iter().find(|kind| *kind != "null")).cloned()
    {
        *kinds = only;
    }
    for value in fields.get_mut("enum").and_then(Value::as_array_mut).into_iter() {
        value.retain(|value| !value.is_null());
    }
    let some = fields.get("anyOf").and_then(Value::as_array);
    let some =
        some.and_then(|kinds| kinds.iter().find(|kind| kind.get("type") != Some(&json!("null"))).cloned());
    if let Some(Value::Object(some)) = some {
        fields.remove("anyOf");
        fields.extend(some);
    }
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let schema = match endpoint.answer {
        Some(answer) => answer(generator).to_value(),
        None if endpoint.media == "application/json" => json!({ "type": "object" }),
        None => json!({ "type": "string" }),
    };
    let mut all = Map::new();
    let ok = json!({ "description": endpoint.summary, "content": { endpoint.media: { "schema": schema } } });
    all.insert(endpoint.status.to_string(), ok.clone());
    if endpoint.header.is_some() {
        // The key was used before.
        all.insert("200".to_owned(), ok);
    }
    let problem = |about: &str| {
        let schema = json!({ "$ref": format!("#{SCHEMAS}/{}", Problem::schema_name()) });
        json!({ "description": about, "content": { "application/problem+json": { "schema": schema } } })
    };
    let mut add = |status: &str, about: &str| all.insert(status.to_owned(), problem(about));
    add("400", "The request cannot be read");
    add("401", "No token, or none that is known");
    add("403", "The token does not allow this, or the request comes from another site");
    add("408", "The request took too long");
    add("421", "The server is not reached under this name");
    add("429", "Too many requests");
    add("500", "Something went wrong that is nobody's input");
    if endpoint.path.contains('{') {
        add("404", "There is nothing of this name");
    }
    if endpoint.body.is_some() {
        add("409", "It does not fit where the run stands");
        add("413", "The body is too large");
        add("415", "The body is not JSON");
        add("422", "The body does not say what is needed");
    }
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_and_response_is_described_and_every_reference_leads_somewhere() {
        let document = openapi();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let text = document.to_string();
        for part in text.split("\"$ref\":\"").skip(1) {
            let name = part.split('"').next().unwrap().strip_prefix("#/components/schemas/").unwrap();
            assert!(schemas.contains_key(name), "{name}");
        }
        for operation in document["paths"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|path| path.as_object().unwrap().values())
        {
            assert!(!operation["summary"].as_str().unwrap().is_empty());
            for response in operation["responses"].as_object().unwrap().values() {
                assert!(!response["description"].as_str().unwrap().is_empty());
            }
        }
    }
}
