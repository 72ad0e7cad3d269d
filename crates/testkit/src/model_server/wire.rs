//! Answers and refusals in the forms of the providers.

use serde_json::{Value, json};

use super::reply::{Fault, Finish, Reply, Usage};

/// Whose form a request is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// `POST …/chat/completions`.
    OpenAi,
    /// `POST …/messages`.
    Anthropic,
    /// `POST …/models/NAME:generateContent`.
    Gemini,
}

impl Wire {
    /// The form that a path belongs to; OpenAI's where it says nothing.
    pub(crate) fn of(path: &str) -> Self {
        match path {
            path if path.ends_with("/messages") => Self::Anthropic,
            path if path.contains("enerateContent") => Self::Gemini,
            _ => Self::OpenAi,
        }
    }

    /// A whole answer.
    pub(crate) fn answer(self, reply: &Reply, words: &str) -> Value {
        let (finish, usage) = (self.finish(reply.finish), self.usage(&reply.usage));
        match self {
            Self::OpenAi => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
                "choices": [{
                    "index": 0,
                    "message": { "role": "assistant", "content": words },
                    "finish_reason": finish,
                }],
                "usage": usage,
            }),
            Self::Anthropic => json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
                "content": [{ "type": "text", "text": words }],
                "stop_reason": finish, "stop_sequence": null, "usage": usage,
            }),
            Self::Gemini => json!({
                "candidates": [{
                    "index": 0,
                    "content": { "role": "model", "parts": [{ "text": words }] },
                    "finishReason": finish,
                }],
                "usageMetadata": usage, "modelVersion": "scripted",
            }),
        }
    }

    /// The events of a stream before its words, each with its name if it has one.
    pub(crate) fn opening(self, reply: &Reply) -> Vec<Value> {
        match self {
            Self::OpenAi => vec![event(&delta(&json!({ "role": "assistant", "content": "" }), None))],
            Self::Gemini => Vec::new(),
            Self::Anthropic => {
                let usage = self.usage(&Usage { output: 1, ..reply.usage });
                let message = json!({
                    "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
                    "content": [], "stop_reason": null, "usage": usage,
                });
                vec![
                    json!({ "type": "message_start", "message": message }),
                    json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                    json!({ "type": "ping" }),
                ]
            }
        }
    }

    /// One event with some words.
    pub(crate) fn part(self, words: &str) -> Value {
        match self {
            Self::OpenAi => event(&delta(&json!({ "content": words }), None)),
            Self::Anthropic => json!({
                "type": "content_block_delta", "index": 0,
                "delta": { "type": "text_delta", "text": words },
            }),
            Self::Gemini => json!({
                "candidates": [{ "index": 0, "content": { "role": "model", "parts": [{ "text": words }] } }],
            }),
        }
    }

    /// The events after the words.
    pub(crate) fn closing(self, reply: &Reply) -> Vec<Value> {
        let finish = self.finish(reply.finish);
        match self {
            Self::OpenAi => {
                let usage = json!({ "choices": [], "usage": self.usage(&reply.usage) });
                vec![event(&delta(&json!({}), Some(finish))), event(&usage)]
            }
            Self::Anthropic => vec![
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({
                    "type": "message_delta",
                    "delta": { "stop_reason": finish, "stop_sequence": null },
                    "usage": { "output_tokens": reply.usage.output },
                }),
                json!({ "type": "message_stop" }),
            ],
            Self::Gemini => vec![json!({
                "candidates": [{ "index": 0, "content": { "role": "model", "parts": [] }, "finishReason": finish }],
                "usageMetadata": self.usage(&reply.usage),
            })],
        }
    }

    /// A refusal.
    pub(crate) fn refusal(self, fault: Fault, model: &str) -> Value {
        let (kind, code, message) = said(self, fault, model);
        match self {
            Self::OpenAi => {
                json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
            }
            Self::Anthropic => {
                json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
            }
            Self::Gemini => {
                json!({ "error": { "code": fault.status(), "message": message, "status": kind } })
            }
        }
    }

    fn finish(self, finish: Finish) -> &'static str {
        match (self, finish) {
            (Self::OpenAi, Finish::Stop) => "stop",
            (Self::OpenAi, Finish::Length) => "length",
            (Self::OpenAi, Finish::ContentFilter) => "content_filter",
            (Self::Anthropic, Finish::Stop) => "end_turn",
            (Self::Anthropic, Finish::Length) => "max_tokens",
            (Self::Anthropic, Finish::ContentFilter) => "refusal",
            (Self::Gemini, Finish::Stop) => "STOP",
            (Self::Gemini, Finish::Length) => "MAX_TOKENS",
            (Self::Gemini, Finish::ContentFilter) => "SAFETY",
        }
    }

    /// OpenAI and Gemini count cached tokens as part of the prompt's, Anthropic beside them.
    fn usage(self, usage: &Usage) -> Value {
        let prompt = usage.input + usage.cached_read + usage.cached_write;
        match self {
            Self::OpenAi => json!({
                "prompt_tokens": prompt, "completion_tokens": usage.output,
                "total_tokens": prompt + usage.output,
                "prompt_tokens_details": { "cached_tokens": usage.cached_read },
            }),
            Self::Anthropic => json!({
                "input_tokens": usage.input, "output_tokens": usage.output,
                "cache_read_input_tokens": usage.cached_read,
                "cache_creation_input_tokens": usage.cached_write,
            }),
            Self::Gemini => json!({
                "promptTokenCount": prompt, "candidatesTokenCount": usage.output,
                "totalTokenCount": prompt + usage.output, "cachedContentTokenCount": usage.cached_read,
            }),
        }
    }
}

/// What an event of OpenAI's adds to the answer.
fn delta(delta: &Value, finish: Option<&str>) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

/// An event of OpenAI's, with what all of them say.
fn event(own: &Value) -> Value {
    let common =
        json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted" });
    let fields = [common, own.clone()].into_iter().filter_map(|part| part.as_object().cloned()).flatten();
    Value::Object(fields.collect())
}

/// The type, code and words of a refusal.
fn said(wire: Wire, fault: Fault, model: &str) -> (&'static str, Value, String) {
    let invalid = match wire {
        Wire::Gemini => "INVALID_ARGUMENT",
        Wire::OpenAi | Wire::Anthropic => "invalid_request_error",
    };
    match fault {
        Fault::WrongKey => match wire {
            Wire::OpenAi => (invalid, json!("invalid_api_key"), "Incorrect API key provided.".to_owned()),
            Wire::Anthropic => ("authentication_error", Value::Null, "invalid x-api-key".to_owned()),
            Wire::Gemini => {
                (invalid, Value::Null, "API key not valid. Please pass a valid API key.".to_owned())
            }
        },
        Fault::Forbidden => ("permission_error", Value::Null, "This key may not use the model.".to_owned()),
        Fault::UnknownModel => {
            let kind = if wire == Wire::Anthropic { "not_found_error" } else { invalid };
            (kind, json!("model_not_found"), format!("The model `{model}` does not exist."))
        }
        Fault::ContextTooLong => {
            let message = match wire {
                Wire::OpenAi => "This model's maximum context length is 8192 tokens.",
                Wire::Anthropic => "prompt is too long: 210000 tokens > 200000 maximum",
                Wire::Gemini => {
                    "The input token count (2000000) exceeds the maximum number of tokens allowed."
                }
            };
            (invalid, json!("context_length_exceeded"), message.to_owned())
        }
        Fault::ContentFilter => {
            (invalid, json!("content_filter"), "The prompt was blocked by the content policy.".to_owned())
        }
        Fault::BadRequest => (invalid, Value::Null, "`messages` is not as it should be.".to_owned()),
        Fault::RateLimit => ("rate_limit_error", json!("rate_limit_exceeded"), "Slow down.".to_owned()),
        Fault::Server => ("api_error", Value::Null, "Something broke.".to_owned()),
        Fault::Overloaded => ("overloaded_error", Value::Null, "Overloaded".to_owned()),
    }
}
