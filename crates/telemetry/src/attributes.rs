//! What is said of a span, in the names of OpenTelemetry's conventions for generative AI and of Langfuse.

use candor_model::TokenUse;
use candor_projections::trace::{Span, SpanKind, SpanStatus, Trace};
use serde_json::{Value, json};

/// All attributes of a span.
pub(crate) fn of(trace: &Trace, span: &Span, is_root: bool) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = Vec::new();
    let mut say = |name: &str, value: Value| all.push((name.to_owned(), value));
    say("session.id", json!(trace.session_id));
    if let Some(user) = &trace.user_id {
        say("user.id", json!(user));
    }
    say("langfuse.observation.type", json!(span.kind.as_str()));
    if let Some(operation) = operation(span, is_root) {
        say("gen_ai.operation.name", json!(operation));
    }
    if is_root {
        say("langfuse.trace.name", json!(span.name));
        say("gen_ai.workflow.name", json!(span.name));
        say("gen_ai.conversation.id", json!(trace.run_id));
        say("langfuse.trace.metadata.id", json!(trace.id));
        for (name, value) in &span.metadata {
            say(&format!("langfuse.trace.metadata.{name}"), value.clone());
        }
        if let Some(input) = &span.input {
            say("langfuse.trace.input", json!(input));
        }
    }
    for (name, value) in &span.metadata {
        say(&format!("langfuse.observation.metadata.{name}"), value.clone());
    }
    if span.status == SpanStatus::Failed {
        say("langfuse.observation.level", json!("ERROR"));
        say("error.type", span.metadata.get("errorType").cloned().unwrap_or_else(|| json!("failed")));
    }
    for (name, text) in [("input", &span.input), ("output", &span.output)] {
        if let Some(text) = text {
            say(&format!("langfuse.observation.{name}"), json!(text));
        }
    }
    all.extend(usage(span));
    all
}

/// What the span does, by OpenTelemetry's names; nothing where none fits.
fn operation(span: &Span, is_root: bool) -> Option<&'static str> {
    match span.kind {
        SpanKind::Span if is_root => Some("invoke_workflow"),
        SpanKind::Agent => Some("invoke_agent"),
        SpanKind::Tool => Some("execute_tool"),
        // What an agent charged for itself is no call of a model.
        SpanKind::Generation if span.tokens.is_some() => Some("chat"),
        _ => None,
    }
}

/// Model, tokens and money: of generations only, since backends add them up.
fn usage(span: &Span) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = Vec::new();
    let mut say = |name: &str, value: Value| all.push((name.to_owned(), value));
    match span.kind {
        SpanKind::Agent => say("gen_ai.agent.name", json!(span.name)),
        SpanKind::Tool => say("gen_ai.tool.name", json!(span.name)),
        _ => {}
    }
    if span.kind != SpanKind::Generation {
        return all;
    }
    if let Some(model) = &span.model {
        say("langfuse.observation.model.name", json!(model));
        if let Some((provider, name)) = model.split_once('/') {
            say("gen_ai.provider.name", json!(provider));
            say("gen_ai.request.model", json!(name));
        } else {
            say("gen_ai.request.model", json!(model));
        }
    }
    let parameter = |name: &str| span.metadata.get(name).cloned().unwrap_or(Value::Null);
    let (temperature, max_tokens) = (parameter("temperature"), parameter("maxTokens"));
    if !temperature.is_null() || !max_tokens.is_null() {
        let parameters = json!({ "temperature": temperature, "maxTokens": max_tokens });
        say("langfuse.observation.model.parameters", json!(parameters.to_string()));
        say("gen_ai.request.temperature", temperature);
        say("gen_ai.request.max_tokens", max_tokens);
    }
    if let Some(TokenUse { input, output, cached_read, cached_write }) = span.tokens {
        say("gen_ai.usage.input_tokens", json!(input));
        say("gen_ai.usage.output_tokens", json!(output));
        say("gen_ai.usage.cache_read.input_tokens", json!(cached_read));
        say("gen_ai.usage.cache_creation.input_tokens", json!(cached_write));
        let total = input + output + cached_read + cached_write;
        let details = json!({
            "input": input, "output": output, "cache_read_input_tokens": cached_read,
            "cache_creation_input_tokens": cached_write, "total": total,
        });
        say("langfuse.observation.usage_details", json!(details.to_string()));
    }
    if let Some(cost) = span.cost {
        // In micro-dollars beside: a sum of those is exact.
        say("candor.cost_micros", json!(cost.micros()));
        say("langfuse.observation.cost_details", json!(json!({ "total": cost.as_dollars() }).to_string()));
    }
    all
}
