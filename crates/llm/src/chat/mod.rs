//! Chat models: how a question reaches one, and what comes back.
//!
//! A [`ChatClient`] makes one call at a time to the model of one tier, within bounds of time and size, and
//! says of every failure what kind it is and what to do. It does not judge what the model says, does not try
//! again, and knows nothing of budgets: the fallback policy above it does.
//!
//! The providers' forms are our own few lines on `reqwest`, because an answer must be bounded while it is read:
//! the libraries at hand read a body to its end, however long, before they look at it.

mod client;
mod config;
mod exchange;
mod failure;
mod known_prices;
mod price;
mod retry_after;
mod schema;
mod sse;
mod wire;

use candor_model::TokenUse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use client::{ChatClient, Probe};
pub use config::{Day, NoKeyHere, Price, Provider, TierConfig, TierProblem};
pub use price::{at_most, estimate_tokens};

use crate::redact::Redactor;

/// A question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatRequest {
    /// What never changes from one question to the next: it comes first, so that providers can cache it.
    pub system: String,
    /// Question with its data, behind the instructions.
    pub question: String,
    /// An earlier answer, and what is said to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<(String, String)>,
    /// The shape of the answer, as JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// What the answer is called; the step that asks, such as `parse_goal`.
    pub schema_name: String,
    /// How long the answer may be.
    pub max_output_tokens: u32,
    /// How freely it is answered; as the tier is set if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

impl ChatRequest {
    /// A question without a shape for its answer.
    pub fn new(system: impl Into<String>, question: impl Into<String>, max_output_tokens: u32) -> Self {
        Self {
            system: system.into(),
            question: question.into(),
            earlier: None,
            schema: None,
            schema_name: "answer".to_owned(),
            max_output_tokens,
            temperature: None,
        }
    }

    /// The same with secrets taken out.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let clean = |text: &str| redactor.redact(text).into_owned();
        Self {
            system: clean(&self.system),
            question: clean(&self.question),
            earlier: self.earlier.as_ref().map(|(answer, follow_up)| (clean(answer), clean(follow_up))),
            ..self.clone()
        }
    }

    /// The answer's name in the letters that every provider takes.
    fn safe_schema_name(&self) -> String {
        let is_safe = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let name: String = self.schema_name.chars().filter(is_safe).take(64).collect();
        if name.is_empty() { "answer".to_owned() } else { name }
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatAnswer {
    /// Its words; possibly none.
    pub text: String,
    /// Tokens as the provider counted them.
    pub tokens: TokenUse,
    /// Whether it reached its limit of tokens before it had said all.
    pub truncated: bool,
}
