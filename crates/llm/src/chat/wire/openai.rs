//! OpenAI's chat completions, and whoever speaks like them.

use candor_model::TokenUse;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue, InvalidHeaderValue};
use serde_json::{Value, json};

use super::super::{ChatRequest, Provider, TierConfig, schema};
use super::{Draft, Finish, NoAnswer, Speaker, Wire, count, error_in, turns};

pub(super) struct OpenAi;

impl Wire for OpenAi {
    fn path(&self, _: &TierConfig, _: bool) -> String {
        "chat/completions".to_owned()
    }

    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), InvalidHeaderValue> {
        Ok((AUTHORIZATION, HeaderValue::try_from(format!("Bearer {key}"))?))
    }

    fn body(&self, tier: &TierConfig, request: &ChatRequest, stream: bool) -> Value {
        let mut messages = vec![json!({ "role": "system", "content": request.system })];
        messages.extend(turns(request).into_iter().map(|(speaker, words)| {
            let role = if speaker == Speaker::User { "user" } else { "assistant" };
            json!({ "role": role, "content": words })
        }));
        if request.system.is_empty() {
            messages.remove(0);
        }
        let mut body = json!({ "model": tier.model, "messages": messages, "stream": stream });
        let limit = json!(tier.output_limit(request.max_output_tokens));
        let Value::Object(words) = &mut body else { return body };
        // OpenAI has renamed it; those that speak like OpenAI mostly know the old name only.
        let renamed = tier.provider == Provider::OpenAi;
        words.insert(if renamed { "max_completion_tokens" } else { "max_tokens" }.to_owned(), limit);
        if !renamed || takes_temperature(&tier.model) {
            words.insert("temperature".to_owned(), json!(request.temperature.unwrap_or(tier.temperature)));
        }
        if stream {
            words.insert("stream_options".to_owned(), json!({ "include_usage": true }));
        }
        if let (Some(schema), true) = (&request.schema, tier.is_structured()) {
            words.insert("response_format".to_owned(), format(tier, request, schema));
        }
        body
    }

    fn read(&self, body: &Value, draft: &mut Draft) -> Result<(), NoAnswer> {
        let Some(choice) = body.pointer("/choices/0") else {
            return Err(error_in(body).unwrap_or(NoAnswer::Unknown));
        };
        let message = choice.get("message").ok_or(NoAnswer::Unknown)?;
        take(message, choice, body, draft);
        draft.finish.get_or_insert(Finish::Complete);
        Ok(())
    }

    fn read_event(&self, event: &Value, draft: &mut Draft) -> Result<(), NoAnswer> {
        if let Some(error) = error_in(event) {
            return Err(error);
        }
        let choice = event.pointer("/choices/0").unwrap_or(&Value::Null);
        take(choice.get("delta").unwrap_or(&Value::Null), choice, event, draft);
        Ok(())
    }
}

/// Takes words, the end and the tokens, from wherever they are.
fn take(message: &Value, choice: &Value, body: &Value, draft: &mut Draft) {
    match message.get("content") {
        Some(Value::String(words)) => draft.text.push_str(words),
        Some(Value::Array(parts)) => {
            parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .for_each(|words| draft.text.push_str(words));
        }
        _ => {}
    }
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => draft.finish = Some(Finish::Length),
        Some("content_filter") => draft.finish = Some(Finish::Filtered),
        Some(_) => draft.finish = draft.finish.or(Some(Finish::Complete)),
        None => {}
    }
    if message.get("refusal").and_then(Value::as_str).is_some_and(|words| !words.is_empty()) {
        draft.finish = Some(Finish::Filtered);
    }
    if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
        draft.tokens = tokens(usage);
    }
}

/// The cached tokens are part of the prompt's.
fn tokens(usage: &Value) -> TokenUse {
    let cached_read = count(usage, "/prompt_tokens_details/cached_tokens");
    TokenUse {
        input: count(usage, "/prompt_tokens").saturating_sub(cached_read),
        output: count(usage, "/completion_tokens"),
        cached_read,
        cached_write: 0,
    }
}

/// Only OpenAI itself insists on its dialect of schemas; the others take them as they are.
fn format(tier: &TierConfig, request: &ChatRequest, schema: &Value) -> Value {
    let strict = if tier.provider == Provider::OpenAi { schema::strict(schema) } else { None };
    let is_strict = strict.is_some() || tier.provider == Provider::OpenAiCompatible;
    json!({
        "type": "json_schema",
        "json_schema": {
            "name": request.safe_schema_name(),
            "strict": is_strict,
            "schema": strict.as_ref().unwrap_or(schema),
        },
    })
}

/// OpenAI's reasoning models refuse any temperature but their own.
fn takes_temperature(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let digit_after_o =
        name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !digit_after_o && !name.starts_with("gpt-5") && !name.starts_with("gpt-6")
}
