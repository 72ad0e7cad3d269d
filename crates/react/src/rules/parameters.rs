//! Parameters bent towards what a tool takes: names, spellings, types, bounds, defaults.

use std::sync::Arc;

use candor_model::{JsonMap, StepStrategy, StrategyType, TodoItem, ToolSpec};
use serde_json::{Value, json};

use super::likeness::nearest;
use super::{named, strategy_of};

/// What was changed, and how sure that is meant.
pub(super) struct Bent {
    pub(super) parameters: JsonMap,
    pub(super) changes: Vec<String>,
    pub(super) confidence: f64,
}

/// The same tool with parameters that it takes.
pub(super) fn strategy(item: &TodoItem, tools: &[Arc<ToolSpec>]) -> Option<StepStrategy> {
    let tool = named(tools, item.tool.as_deref()?)?;
    let bent = bend(&item.parameters, &tool.input_schema)?;
    if bent.changes.is_empty() {
        return None;
    }
    let rationale = format!("{} takes other parameters: {}", tool.name, bent.changes.join("; "));
    let modifications = [("parameters", Value::Object(bent.parameters))];
    Some(strategy_of(StrategyType::RetryWithParams, rationale, &modifications, bent.confidence))
}

/// Bends parameters towards a schema; nothing if they do not fit it even then.
pub(super) fn bend(parameters: &JsonMap, schema: &Value) -> Option<Bent> {
    let mut bent = Bent { parameters: parameters.clone(), changes: Vec::new(), confidence: 0.9 };
    let empty = JsonMap::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    rename(&mut bent, known, schema);
    values(&mut bent, known);
    add_defaults(&mut bent, known, schema);
    fitted(&mut bent, schema);
    fits(&bent.parameters, schema).then_some(bent)
}

/// Gives parameters the names that the tool knows, and leaves out those that mean none.
fn rename(bent: &mut Bent, known: &JsonMap, schema: &Value) {
    if known.is_empty() {
        return;
    }
    let strangers: Vec<String> =
        bent.parameters.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
    for name in strangers {
        let free: Vec<&str> =
            known.keys().map(String::as_str).filter(|known| !bent.parameters.contains_key(*known)).collect();
        if let Some(meant) = nearest(&name, &free) {
            let value = bent.parameters.remove(&name).unwrap_or_default();
            bent.parameters.insert(meant.to_owned(), value);
            bent.changes.push(format!("`{name}` is `{meant}`"));
        } else if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            bent.parameters.remove(&name);
            bent.changes.push(format!("it knows no `{name}`"));
            bent.confidence -= 0.15;
        }
    }
}

/// Spells values as the tool does, and keeps numbers within its bounds.
fn values(bent: &mut Bent, known: &JsonMap) {
    for (name, value) in &mut bent.parameters {
        let Some(schema) = known.get(name) else { continue };
        if let Some(spelled) = spelled(value, schema) {
            bent.changes.push(format!("`{name}` is {spelled}, not {value}"));
            *value = spelled;
        }
        for (bound, is_out) in [("minimum", f64::lt as fn(&f64, &f64) -> bool), ("maximum", f64::gt)] {
            let Some(limit) = schema.get(bound).filter(|limit| limit.is_number()) else { continue };
            let (given, limit_number) = (value.as_f64(), limit.as_f64().unwrap_or_default());
            if given.is_some_and(|given| is_out(&given, &limit_number)) {
                bent.changes.push(format!("`{name}` is {limit} at the {}", bound.trim_end_matches("imum")));
                bent.confidence -= 0.15;
                *value = limit.clone();
            }
        }
    }
}

/// The one of the listed words that a text means.
fn spelled(value: &Value, schema: &Value) -> Option<Value> {
    let (text, listed) = (value.as_str()?, schema.get("enum")?.as_array()?);
    if listed.contains(value) || is_reference(value) {
        return None;
    }
    let names: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
    nearest(text, &names).map(|name| json!(name))
}

/// Adds what is required and has a default, or only one value.
fn add_defaults(bent: &mut Bent, known: &JsonMap, schema: &Value) {
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if bent.parameters.contains_key(name) {
            continue;
        }
        let Some(of) = known.get(name) else { continue };
        let only = of.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
        let value =
            of.get("default").or_else(|| of.get("const")).or_else(|| only.and_then(|values| values.first()));
        if let Some(value) = value {
            bent.parameters.insert(name.to_owned(), value.clone());
            bent.changes.push(format!("`{name}` is {value} where nothing is said"));
            bent.confidence -= 0.1;
        }
    }
}

/// Types: numbers in quotes and the like.
fn fitted(bent: &mut Bent, schema: &Value) {
    let plain: JsonMap = bent.parameters.iter().filter(|(_, value)| !is_reference(value)).map(pair).collect();
    let (fitted, repairs) = candor_schema::fit(Value::Object(plain), schema);
    if let (Value::Object(map), false) = (fitted, repairs.is_empty()) {
        bent.parameters.retain(|_, value| is_reference(value));
        bent.parameters.extend(map);
        bent.changes.extend(repairs);
    }
}

fn pair((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// Whether parameters have the shape that a schema wants, as far as it can be told before references are filled in.
fn fits(parameters: &JsonMap, schema: &Value) -> bool {
    let problems = candor_schema::problems(&Value::Object(parameters.clone()), schema);
    let references: Vec<&String> =
        parameters.iter().filter(|(_, value)| is_reference(value)).map(|(name, _)| name).collect();
    let excused = |problem: &String| references.iter().any(|name| problem.starts_with(&format!("{name}: ")));
    problems.iter().all(excused)
}

pub(super) fn is_reference(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains("${"))
}
