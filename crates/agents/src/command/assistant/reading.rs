//! What an assistant prints, one JSON object a line, read as it comes: its session, its progress, its last message,
//! what it cost, and why it failed.
//!
//! Lines of other types are passed over: newer versions print more of them.

use candor_model::{Failure, FailureKind, Money, TokenUse};
use serde_json::Value;

use super::Preset;
use super::failures::{of_claude, of_message, of_subtype, retry_at};
use crate::text;

/// How many characters of an assistant's words are kept in the log of its attempt, per message.
const MAX_LOGGED_CHARS: usize = 2_000;

/// What is known so far of one start of an assistant.
#[derive(Debug)]
pub(super) struct Reading {
    preset: Preset,
    /// What it calls its session.
    pub(super) session: Option<String>,
    /// Whether it has printed anything that is known here: it got as far as its session.
    pub(super) began: bool,
    /// Whether it says that it is done.
    pub(super) ended: bool,
    /// The message that it said last.
    pub(super) answer: String,
    pub(super) cost: Option<Money>,
    pub(super) tokens: Option<TokenUse>,
    /// Why it failed, in its own words.
    pub(super) failure: Option<Failure>,
    /// The message that the next piece of text belongs to.
    message: String,
}

/// One thing that an assistant did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Text for the person.
    Said(String),
    /// It used a tool.
    Used(String),
}

impl Step {
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Said(said) => text::head_within(said.as_bytes(), MAX_LOGGED_CHARS),
            Self::Used(tool) => format!("[{tool}]"),
        }
    }
}

impl Reading {
    pub(super) fn new(preset: Preset) -> Self {
        Self {
            preset,
            session: None,
            began: false,
            ended: false,
            answer: String::new(),
            cost: None,
            tokens: None,
            failure: None,
            message: String::new(),
        }
    }

    /// Takes in one line, and says what was done by it.
    pub(super) fn read(&mut self, line: &Value) -> Vec<Step> {
        match self.preset {
            Preset::Claude => self.claude(line),
            Preset::Codex => self.codex(line),
            Preset::Gemini => self.gemini(line),
            Preset::Goose => self.goose(line),
        }
    }

    fn claude(&mut self, line: &Value) -> Vec<Step> {
        let kind = string(line, "/type");
        // Messages of other sessions may come in between; these are of its own.
        if matches!(kind, "system" | "result") {
            self.opened(string(line, "/session_id"));
        }
        match kind {
            "assistant" => {
                if let Some(failure) = of_claude(string(line, "/error")) {
                    self.failure =
                        Some(failure.with_retry_after(self.failure.take().and_then(|it| it.retry_after)));
                }
                self.said(&list(line, "/message/content"))
            }
            // The limit is often told before the message that failed because of it.
            "rate_limit_event" if string(line, "/rate_limit_info/status") == "rejected" => {
                let failure = Failure::new(FailureKind::RateLimited, "usage limit reached");
                let at = line.pointer("/rate_limit_info/resetsAt").and_then(Value::as_i64);
                self.failure = Some(failure.with_retry_after(at.and_then(retry_at)));
                Vec::new()
            }
            "result" => {
                self.claude_result(line);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn claude_result(&mut self, line: &Value) {
        self.ended = true;
        self.cost =
            line.get("total_cost_usd").and_then(Value::as_f64).and_then(|it| Money::from_dollars(it).ok());
        self.tokens = line.get("usage").map(|usage| TokenUse {
            input: number(usage, "/input_tokens"),
            output: number(usage, "/output_tokens"),
            cached_read: number(usage, "/cache_read_input_tokens"),
            cached_write: number(usage, "/cache_creation_input_tokens"),
        });
        let said = string(line, "/result");
        let subtype = string(line, "/subtype");
        if subtype == "success" && line.get("is_error").and_then(Value::as_bool) != Some(true) {
            // What failed on the way was repeated.
            self.failure = None;
            self.answer = said.to_owned();
            return;
        }
        let told = [said, string(line, "/errors/0")].into_iter().find(|told| !told.is_empty());
        let failure = match of_subtype(subtype) {
            Some(failure) => failure,
            None => self.failure.take().unwrap_or_else(|| of_message(told.unwrap_or(subtype))),
        };
        let message = told.map_or_else(|| failure.message.clone(), |told| text::head(told.as_bytes()));
        self.failure = Some(failure.with_message(message));
    }

    fn codex(&mut self, line: &Value) -> Vec<Step> {
        match string(line, "/type") {
            "thread.started" => self.opened(string(line, "/thread_id")),
            "item.completed" => return self.codex_item(line),
            "turn.completed" => {
                self.ended = true;
                self.failure = None;
                let cached = number(line, "/usage/cached_input_tokens");
                self.tokens = line.get("usage").map(|usage| TokenUse {
                    input: number(usage, "/input_tokens").saturating_sub(cached),
                    output: number(usage, "/output_tokens"),
                    cached_read: cached,
                    cached_write: 0,
                });
            }
            "turn.failed" => self.failure = Some(of_message(string(line, "/error/message"))),
            "error" => self.failure = Some(of_message(string(line, "/message"))),
            _ => {}
        }
        Vec::new()
    }

    fn codex_item(&mut self, line: &Value) -> Vec<Step> {
        let step = match string(line, "/item/type") {
            "agent_message" => {
                self.answer = string(line, "/item/text").to_owned();
                Step::Said(self.answer.clone())
            }
            "command_execution" => Step::Used(format!("command: {}", string(line, "/item/command"))),
            "file_change" => Step::Used(format!("file change: {}", string(line, "/item/changes/0/path"))),
            "mcp_tool_call" => Step::Used(string(line, "/item/tool").to_owned()),
            _ => return Vec::new(),
        };
        vec![step]
    }

    fn gemini(&mut self, line: &Value) -> Vec<Step> {
        match string(line, "/type") {
            "init" => self.opened(string(line, "/session_id")),
            "message" if string(line, "/role") == "assistant" => {
                if line.get("delta").and_then(Value::as_bool) != Some(true) {
                    self.answer.clear();
                }
                self.answer += string(line, "/content");
                return vec![Step::Said(string(line, "/content").to_owned())];
            }
            "tool_use" => {
                // What it says after its last tool is its answer.
                self.answer.clear();
                return vec![Step::Used(string(line, "/tool_name").to_owned())];
            }
            "result" => {
                self.ended = string(line, "/status") == "success";
                let cached = number(line, "/stats/cached");
                self.tokens = line.get("stats").map(|stats| TokenUse {
                    input: number(stats, "/input_tokens").saturating_sub(cached),
                    output: number(stats, "/output_tokens"),
                    cached_read: cached,
                    cached_write: 0,
                });
                self.failure = (!self.ended).then(|| of_message(string(line, "/error/message")));
            }
            _ => {}
        }
        Vec::new()
    }

    fn goose(&mut self, line: &Value) -> Vec<Step> {
        match string(line, "/type") {
            "message" if string(line, "/message/role") == "assistant" => {
                self.began = true;
                let id = string(line, "/message/id");
                // A message comes in pieces that have its id.
                if id.is_empty() || id != self.message {
                    id.clone_into(&mut self.message);
                    self.answer.clear();
                }
                let before = std::mem::take(&mut self.answer);
                let steps = self.said(&list(line, "/message/content"));
                self.answer.insert_str(0, &before);
                return steps;
            }
            "error" => self.failure = Some(of_message(string(line, "/error"))),
            "complete" => {
                (self.began, self.ended) = (true, true);
                let total = line.get("total_tokens").and_then(Value::as_u64);
                self.tokens = total.map(|input| TokenUse { input, ..TokenUse::default() });
            }
            _ => {}
        }
        Vec::new()
    }

    fn opened(&mut self, session: &str) {
        self.began = true;
        if !session.is_empty() {
            self.session = Some(session.to_owned());
        }
    }

    /// Takes in the parts of a message: what is said last is the answer.
    fn said(&mut self, content: &[Value]) -> Vec<Step> {
        let mut steps = Vec::new();
        for part in content {
            match string(part, "/type") {
                "text" => {
                    self.answer = string(part, "/text").to_owned();
                    steps.push(Step::Said(self.answer.clone()));
                }
                "tool_use" => steps.push(Step::Used(string(part, "/name").to_owned())),
                "toolRequest" => {
                    self.answer.clear();
                    steps.push(Step::Used(string(part, "/toolCall/value/name").to_owned()));
                }
                _ => {}
            }
        }
        steps
    }
}

fn string<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

fn list(value: &Value, pointer: &str) -> Vec<Value> {
    value.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default()
}
