//! Another tool that does nearly the same, and takes what the step gives.

use std::sync::Arc;

use candor_model::{JsonMap, StepStrategy, StrategyType, TodoItem, ToolErrorKind, ToolHints, ToolSpec};
use serde_json::{Value, json};

use super::likeness::{Weights, nearest, tool_words, words};
use super::parameters::{Bent, bend};
use super::{named, strategy_of};

/// How alike a tool has to be.
const MIN_LIKENESS: f64 = 0.2;
/// How alike, if the tool at hand is there and merely fails.
const MIN_LIKENESS_OF_FAILING: f64 = 0.35;

pub(super) fn strategy(
    item: &TodoItem,
    kind: ToolErrorKind,
    tools: &[Arc<ToolSpec>],
) -> Option<StepStrategy> {
    let own = item.tool.as_deref()?;
    let own_spec = named(tools, own);
    let mut asked = own_spec.map_or_else(|| words(own), |spec| tool_words(spec));
    asked.extend(words(&item.description));
    let weights = Weights::of(tools);
    let gone = matches!(kind, ToolErrorKind::Unavailable | ToolErrorKind::Timeout | ToolErrorKind::Lost);
    let least = if gone { MIN_LIKENESS } else { MIN_LIKENESS_OF_FAILING };
    let mut best: Option<(f64, f64, &Arc<ToolSpec>, Bent)> = None;
    for tool in tools.iter().filter(|tool| tool.name != own && !is_riskier(own_spec, tool)) {
        let likeness = weights.likeness(&asked, &tool_words(tool));
        if likeness < least {
            continue;
        }
        let Some(bent) = given_to(&item.parameters, tool) else { continue };
        let score = likeness + bent.confidence;
        if best.as_ref().is_none_or(|(top, ..)| score > *top) {
            best = Some((score, likeness, tool, bent));
        }
    }
    let (_, likeness, tool, bent) = best?;
    let why = if gone { "is not available" } else { "keeps failing" };
    let rationale = format!("{own} {why}; {} is most like it and takes what the step gives", tool.name);
    let modifications = [("tool", json!(tool.name)), ("parameters", Value::Object(bent.parameters))];
    // Sure of what it does as far as the words agree, and of what it is given as far as little had to be bent.
    let confidence = (0.5 + 0.5 * likeness) - (0.9 - bent.confidence);
    Some(strategy_of(StrategyType::SwapTool, rationale, &modifications, confidence.min(0.95)))
}

/// A step that only looks is not given to a tool that changes something, nor one that only adds to a tool that can
/// destroy.
fn is_riskier(own: Option<&Arc<ToolSpec>>, other: &ToolSpec) -> bool {
    own.is_some_and(|own| {
        let more = |of: fn(ToolHints) -> bool| !of(own.hints) && of(other.hints);
        more(ToolHints::changes) || more(ToolHints::destroys)
    })
}

/// The step's parameters by the names of another tool. What that has no place for is left out, which costs
/// confidence; what it needs and the step does not give rules it out.
fn given_to(parameters: &JsonMap, tool: &ToolSpec) -> Option<Bent> {
    let schema = &tool.input_schema;
    let empty = JsonMap::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut given = JsonMap::new();
    let mut left: Vec<(&String, &Value)> = Vec::new();
    for (name, value) in parameters {
        let free: Vec<&str> =
            known.keys().map(String::as_str).filter(|known| !given.contains_key(*known)).collect();
        match nearest(name, &free) {
            Some(meant) => drop(given.insert(meant.to_owned(), value.clone())),
            None => left.push((name, value)),
        }
    }
    let mut lost = left.len();
    if let (Some(open), [(_, value)]) = (only_open(schema, &given), left.as_slice()) {
        given.insert(open.to_owned(), (*value).clone());
        lost = 0;
    }
    let mut bent = bend(&given, schema)?;
    let unmapped = if lost == 0 { 0.0 } else { 0.1 * lost as f64 };
    bent.confidence -= unmapped;
    Some(bent)
}

/// The one thing that a tool needs and was not given.
fn only_open<'a>(schema: &'a Value, given: &JsonMap) -> Option<&'a str> {
    let required = schema.get("required")?.as_array()?.iter().filter_map(Value::as_str);
    let open: Vec<&str> = required.filter(|name| !given.contains_key(*name)).collect();
    if let [only] = open.as_slice() { Some(only) } else { None }
}
