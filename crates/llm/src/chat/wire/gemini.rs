//! Gemini's content generation.

use candor_model::TokenUse;
use reqwest::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use serde_json::{Value, json};

use super::super::{ChatRequest, TierConfig};
use super::{Draft, Finish, NoAnswer, Speaker, Wire, count, error_in, turns};

pub(super) struct Gemini;

impl Wire for Gemini {
    fn path(&self, tier: &TierConfig, stream: bool) -> String {
        let model = tier.model.trim_start_matches("models/");
        if stream {
            format!("models/{model}:streamGenerateContent?alt=sse")
        } else {
            format!("models/{model}:generateContent")
        }
    }

    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), InvalidHeaderValue> {
        Ok((HeaderName::from_static("x-goog-api-key"), HeaderValue::try_from(key)?))
    }

    fn body(&self, tier: &TierConfig, request: &ChatRequest, _: bool) -> Value {
        let contents: Vec<Value> = turns(request)
            .into_iter()
            .map(|(speaker, words)| {
                let role = if speaker == Speaker::User { "user" } else { "model" };
                json!({ "role": role, "parts": [{ "text": words }] })
            })
            .collect();
        let mut config = json!({
            "temperature": request.temperature.unwrap_or(tier.temperature),
            "maxOutputTokens": tier.output_limit(request.max_output_tokens),
        });
        if let (Some(schema), true, Value::Object(words)) =
            (&request.schema, tier.is_structured(), &mut config)
        {
            words.insert("responseMimeType".to_owned(), json!("application/json"));
            words.insert("responseJsonSchema".to_owned(), schema.clone());
        }
        let mut body = json!({ "contents": contents, "generationConfig": config });
        if let (false, Value::Object(words)) = (request.system.is_empty(), &mut body) {
            words.insert("systemInstruction".to_owned(), json!({ "parts": [{ "text": request.system }] }));
        }
        body
    }

    fn read(&self, body: &Value, draft: &mut Draft) -> Result<(), NoAnswer> {
        self.read_event(body, draft)?;
        let known = body.get("candidates").is_some() || draft.finish.is_some();
        draft.finish.get_or_insert(Finish::Complete);
        if known { Ok(()) } else { Err(NoAnswer::Unknown) }
    }

    fn read_event(&self, event: &Value, draft: &mut Draft) -> Result<(), NoAnswer> {
        if let Some(error) = error_in(event) {
            return Err(error);
        }
        if event.pointer("/promptFeedback/blockReason").is_some() {
            draft.finish = Some(Finish::Filtered);
        }
        let candidate = event.pointer("/candidates/0").unwrap_or(&Value::Null);
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            // What the model thinks aloud is not its answer.
            if part.get("thought").and_then(Value::as_bool) != Some(true) {
                draft.text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default());
            }
        }
        match candidate.get("finishReason").and_then(Value::as_str) {
            Some("STOP") => draft.finish = Some(Finish::Complete),
            Some("MAX_TOKENS") => draft.finish = Some(Finish::Length),
            Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE") => {
                draft.finish = Some(Finish::Filtered);
            }
            Some(_) => draft.finish = draft.finish.or(Some(Finish::Complete)),
            None => {}
        }
        if let Some(usage) = event.get("usageMetadata") {
            draft.tokens = tokens(usage);
        }
        Ok(())
    }
}

/// The cached tokens are part of the prompt's; thoughts are paid as answers.
fn tokens(usage: &Value) -> TokenUse {
    let cached_read = count(usage, "/cachedContentTokenCount");
    let prompt = count(usage, "/promptTokenCount") + count(usage, "/toolUsePromptTokenCount");
    TokenUse {
        input: prompt.saturating_sub(cached_read),
        output: count(usage, "/candidatesTokenCount") + count(usage, "/thoughtsTokenCount"),
        cached_read,
        cached_write: 0,
    }
}
