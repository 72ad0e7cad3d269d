//! Anthropic's messages, with a mark for its prompt cache.

use candor_model::TokenUse;
use reqwest::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use serde_json::{Value, json};

use super::super::{ChatRequest, TierConfig};
use super::{Draft, Finish, NoAnswer, Speaker, Wire, count, error_in, turns};

pub(super) struct Anthropic;

const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");
/// Shorter prefixes are not cached.
const MIN_CACHED_TOKENS: usize = 1024;
/// How many letters count as a token here.
const LETTERS_PER_TOKEN: usize = 4;

impl Wire for Anthropic {
    fn path(&self, _: &TierConfig, _: bool) -> String {
        "messages".to_owned()
    }

    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), InvalidHeaderValue> {
        Ok((HeaderName::from_static("x-api-key"), HeaderValue::try_from(key)?))
    }

    fn extra(&self) -> Option<(HeaderName, HeaderValue)> {
        Some((HeaderName::from_static("anthropic-version"), VERSION))
    }

    fn body(&self, tier: &TierConfig, request: &ChatRequest, stream: bool) -> Value {
        let messages: Vec<Value> = turns(request)
            .into_iter()
            .map(|(speaker, words)| {
                let role = if speaker == Speaker::User { "user" } else { "assistant" };
                json!({ "role": role, "content": words })
            })
            .collect();
        let mut body = json!({
            "model": tier.model,
            "max_tokens": tier.output_limit(request.max_output_tokens),
            "temperature": request.temperature.unwrap_or(tier.temperature).min(1.0),
            "messages": messages,
            "stream": stream,
        });
        let Value::Object(words) = &mut body else { return body };
        if !request.system.is_empty() {
            words.insert("system".to_owned(), system(&request.system));
        }
        if let (Some(schema), true) = (&request.schema, tier.is_structured()) {
            let name = request.safe_schema_name();
            let tool = json!({ "name": name, "description": "Takes the answer.", "input_schema": schema });
            words.insert("tools".to_owned(), json!([tool]));
            words.insert("tool_choice".to_owned(), json!({ "type": "tool", "name": name }));
        }
        body
    }

    fn read(&self, body: &Value, draft: &mut Draft) -> Result<(), NoAnswer> {
        let Some(blocks) = body.get("content").and_then(Value::as_array) else {
            return Err(error_in(body).unwrap_or(NoAnswer::Unknown));
        };
        for block in blocks {
            if let Some(words) = block.get("text").and_then(Value::as_str) {
                draft.text.push_str(words);
            } else if let Some(input) = block.get("input") {
                draft.text.push_str(&input.to_string());
            }
        }
        take_usage(body.get("usage"), draft);
        take_end(body, draft);
        draft.finish.get_or_insert(Finish::Complete);
        Ok(())
    }

    fn read_event(&self, event: &Value, draft: &mut Draft) -> Result<(), NoAnswer> {
        if let Some(error) = error_in(event) {
            return Err(error);
        }
        match event.get("type").and_then(Value::as_str) {
            Some("message_start") => take_usage(event.pointer("/message/usage"), draft),
            Some("content_block_delta") => {
                let words = event.pointer("/delta/text").or_else(|| event.pointer("/delta/partial_json"));
                draft.text.push_str(words.and_then(Value::as_str).unwrap_or_default());
            }
            Some("message_delta") => {
                take_usage(event.get("usage"), draft);
                take_end(event.get("delta").unwrap_or(&Value::Null), draft);
            }
            Some("message_stop") => {
                draft.finish.get_or_insert(Finish::Complete);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The system's words, marked for the cache where that is worth while. Questions are never marked: they are
/// different each time.
fn system(words: &str) -> Value {
    if words.chars().count() / LETTERS_PER_TOKEN < MIN_CACHED_TOKENS {
        return json!(words);
    }
    json!([{ "type": "text", "text": words, "cache_control": { "type": "ephemeral" } }])
}

/// The cached tokens stand beside the prompt's. A later count replaces an earlier one, where it is given.
fn take_usage(usage: Option<&Value>, draft: &mut Draft) {
    let Some(usage) = usage else { return };
    let latest = |name: &str, before: u64| match usage.get(name) {
        Some(Value::Number(_)) => count(usage, &format!("/{name}")),
        _ => before,
    };
    draft.tokens = TokenUse {
        input: latest("input_tokens", draft.tokens.input),
        output: latest("output_tokens", draft.tokens.output),
        cached_read: latest("cache_read_input_tokens", draft.tokens.cached_read),
        cached_write: latest("cache_creation_input_tokens", draft.tokens.cached_write),
    };
}

fn take_end(holder: &Value, draft: &mut Draft) {
    match holder.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens" | "model_context_window_exceeded") => draft.finish = Some(Finish::Length),
        Some("refusal") => draft.finish = Some(Finish::Filtered),
        Some(_) => draft.finish = Some(Finish::Complete),
        None => {}
    }
}
