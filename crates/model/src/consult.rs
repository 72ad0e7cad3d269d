//! What is asked of models, what comes back, and how each answer was judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text_enum::text_enum;
use crate::{FailureKind, Money, Phase, Seconds};

text_enum!(
    /// How capable a model an ask needs; the installation says which model that is.
    #[derive(Default)]
    Tier {
        /// For short and frequent questions.
        Fast = "fast",
        /// What is used unless a step says otherwise.
        #[default]
        Balanced = "balanced",
        /// The best there is.
        Strong = "strong",
    }
);

impl Tier {
    /// The tier that is tried when this one cannot answer.
    #[must_use]
    pub const fn below(self) -> Option<Self> {
        match self {
            Self::Strong => Some(Self::Balanced),
            Self::Balanced => Some(Self::Fast),
            Self::Fast => None,
        }
    }
}

text_enum!(
    /// What kind of failure a call of a model ended in.
    ModelErrorKind {
        /// Too many calls; the provider may say when to come again.
        RateLimit = "rate_limit",
        /// No answer in time.
        Timeout = "timeout",
        /// A failure that may be gone next time: a dropped connection, an overloaded server.
        Transient = "transient",
        /// The key is missing, wrong, or not allowed to do this.
        Auth = "auth",
        /// The provider will not answer this.
        ContentFilter = "content_filter",
        /// The prompt does not fit.
        ContextTooLong = "context_too_long",
        /// The provider has no such model.
        UnknownModel = "unknown_model",
        /// No trust in the endpoint's certificate, or no TLS where some is expected.
        Tls = "tls",
        /// The answer is larger than anything that was asked for.
        TooLarge = "too_large",
        /// The provider refused the request for another reason, or answered in no known form.
        Protocol = "protocol",
        /// The model's circuit is open.
        CircuitOpen = "circuit_open",
    }
);

impl ModelErrorKind {
    /// Whether the same call may succeed a little later. Everything else would fail again, and is not repeated.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::RateLimit | Self::Timeout | Self::Transient)
    }
}

/// Why a call brought no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelFailure {
    /// What kind of failure it is.
    pub kind: ModelErrorKind,
    /// In plain words, with what to do about it.
    pub message: String,
    /// When the provider wants to be asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Seconds>,
}

impl std::fmt::Display for ModelFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.kind, self.message)
    }
}

/// The tokens of one call, by what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TokenUse {
    /// Prompt tokens that no cache held.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Read from the provider's cache.
    pub cached_read: u64,
    /// Written to the provider's cache.
    pub cached_write: u64,
}

impl TokenUse {
    /// Adds those of another call.
    pub const fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached_read = self.cached_read.saturating_add(other.cached_read);
        self.cached_write = self.cached_write.saturating_add(other.cached_write);
    }

    /// Sum of all four kinds.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.input
            .saturating_add(self.output)
            .saturating_add(self.cached_read)
            .saturating_add(self.cached_write)
    }
}

/// Names one question to a model within its run: the same after a restart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskKey {
    /// The phase that asks.
    pub phase: Phase,
    /// Which try of the phase it is.
    pub attempt: u32,
    /// What is asked, such as `parse_goal`.
    pub step: String,
}

impl std::fmt::Display for AskKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}/{}", self.phase, self.attempt, self.step)
    }
}

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelCall {
    /// The tier that was asked.
    pub tier: Tier,
    /// Provider and model, such as `anthropic/claude-sonnet`.
    pub model: String,
    /// Which prompt was used, such as `parse_goal@1`.
    pub prompt: String,
    /// The digest of the request as it was sent; recordings are kept under it.
    pub request: String,
    /// The model's own words, with secrets taken out; nothing if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Set when no usable answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ModelFailure>,
    /// Tokens as the provider counted them.
    #[serde(default)]
    pub tokens: TokenUse,
    /// Price of the call, zero where no price is known.
    pub cost: Money,
    /// What reading from the provider's cache saved.
    #[serde(default)]
    pub saved: Money,
    /// How long it took.
    pub duration_seconds: Seconds,
    /// How the model was asked; absent in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<CallDetails>>,
}

/// How a model was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CallDetails {
    /// The temperature that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How long the answer might be, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How long the first words took; absent if the answer was not streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token_seconds: Option<Seconds>,
    /// The prompt as it was sent, without secrets; only with `keep_prompts` under `[models]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// A step of the fallback policy: how a call, or the lack of one, was judged, and what follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AskStep {
    /// The answer is used.
    Accepted {
        /// The answer as data, after repair.
        value: Value,
        /// What had to be repaired, in order.
        repairs: Vec<String>,
    },
    /// The same call is made once more after a while.
    Repeat {
        /// Which repetition it is, from 1.
        number: u32,
        /// How many there are at most.
        max: u32,
        /// How long to wait first.
        delay: Seconds,
        /// What was wrong with the last answer.
        reason: String,
    },
    /// The model is asked once more, and told what is wrong with its answer.
    AskAgain {
        /// What is wrong, in the validator's words.
        problems: Vec<String>,
    },
    /// The next tier is asked.
    FallBack {
        /// The tier that could not answer.
        from: Tier,
        /// The one that is asked next.
        to: Tier,
        /// Why no model is asked any more.
        reason: String,
    },
    /// No model can answer: the rule-based fallback is used.
    GiveUp {
        /// The tier that was asked last.
        from: Tier,
        /// Why no further step is left.
        reason: String,
        /// What kept a call from being made; absent where a call failed, which tells by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<FailureKind>,
    },
}

impl AskStep {
    /// The same step, made because of a failure of this kind and not because of a call.
    #[must_use]
    pub fn without_call(self, why: FailureKind) -> Self {
        match self {
            Self::GiveUp { from, reason, .. } => Self::GiveUp { from, reason, kind: Some(why) },
            step => step,
        }
    }

    /// Whether the ask is answered, by a model or by rules.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Accepted { .. } | Self::GiveUp { .. })
    }
}

/// A call that is about to be made, with what is set aside for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenCall {
    /// Question by its key, for finding it again after a crash.
    pub ask: AskKey,
    /// Which step of the ask it is, from 1.
    pub number: u32,
    /// Tier that is asked.
    pub tier: Tier,
    /// Provider and model as one name.
    pub model: String,
    /// What was set aside for it.
    pub reserved: Money,
}

/// With how much less than it should a run works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Degradation {
    /// From 0 (all is well) to 5.
    pub level: u8,
    /// What failed, in order.
    pub failed_components: Vec<FailedComponent>,
    /// Whether rules spoke in place of models.
    pub degraded_output: bool,
}

impl Degradation {
    /// What failed, in one line for people.
    #[must_use]
    pub fn failed(&self) -> String {
        self.failed_components.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// What failed and had to be done without; in JSON it is its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum FailedComponent {
    /// A model or an agent; another one took its place.
    Agent(String),
    /// Every model of a phase; its rules took their place.
    Phase(Phase),
    /// The way through the phases itself.
    Orchestrator,
    /// No part works: nothing can be done without them.
    All,
}

impl FailedComponent {
    const ORCHESTRATOR: &'static str = "orchestrator";
    const ALL: &'static str = "everything";
}

impl std::fmt::Display for FailedComponent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Agent(name) => formatter.write_str(name),
            Self::Phase(phase) => write!(formatter, "phase {} ({phase})", phase.number()),
            Self::Orchestrator => formatter.write_str(Self::ORCHESTRATOR),
            Self::All => formatter.write_str(Self::ALL),
        }
    }
}

impl From<FailedComponent> for String {
    fn from(component: FailedComponent) -> Self {
        component.to_string()
    }
}

impl From<String> for FailedComponent {
    fn from(text: String) -> Self {
        let phases = Phase::ALL.iter().map(|phase| Self::Phase(*phase));
        let mut known = phases.chain([Self::Orchestrator, Self::All]);
        known.find(|known| known.to_string() == text).unwrap_or(Self::Agent(text))
    }
}

impl JsonSchema for FailedComponent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FailedComponent".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// One step of an ask: the call, if one was made, and its judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consulted {
    /// The call; absent where none was worth making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ModelCall>,
    /// Step that follows this call.
    #[serde(rename = "rung")]
    pub outcome: AskStep,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_text_in_json_and_reads_back_equal() {
        let all = [
            FailedComponent::Agent("acme/small".to_owned()),
            FailedComponent::Phase(Phase::Planning),
            FailedComponent::Orchestrator,
            FailedComponent::All,
        ];
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, r#"["acme/small","phase 4 (planning)","orchestrator","everything"]"#);
        assert_eq!(serde_json::from_str::<Vec<FailedComponent>>(&text).unwrap(), all);
    }
}
