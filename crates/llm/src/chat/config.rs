//! What a tier is in `candor.toml`: a provider, a model, its price, and its limits.
//!
//! Keys are never part of it. The file names an environment variable at most, and says so to whoever writes a
//! key into it.

use candor_model::{Money, Seconds, TokenPrice};
use reqwest::Url;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::known_prices::known_price;

/// Whose models a tier uses, and so which form requests have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Chat Completions API.
    #[serde(rename = "openai")]
    OpenAi,
    /// Whoever speaks OpenAI's form: vLLM, llama.cpp, Ollama, LM Studio.
    #[serde(rename = "openai_compatible")]
    OpenAiCompatible,
    /// Google's Gemini API.
    Gemini,
}

impl Provider {
    /// The spelling in `candor.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai_compatible",
            Self::Gemini => "gemini",
        }
    }

    /// The environment variable that holds the key, if the tier names none.
    #[must_use]
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::OpenAiCompatible => None,
            Self::Gemini => Some("GEMINI_API_KEY"),
        }
    }

    const fn default_endpoint(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com/v1/"),
            Self::OpenAi => Some("https://api.openai.com/v1/"),
            Self::OpenAiCompatible => None,
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/"),
        }
    }
}

impl std::fmt::Display for Provider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// One tier's model: a section of `candor.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierConfig {
    /// `anthropic`, `openai`, `openai_compatible` or `gemini`.
    pub provider: Provider,
    /// The model's name as the provider knows it.
    pub model: String,
    /// The base address, such as `http://127.0.0.1:11434/v1/`; needed for `openai_compatible`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The name of the environment variable that holds the key; each provider has a usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// What the tokens cost. If absent, the price that comes with the program holds; a model of `openai_compatible` is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The longest answer in tokens, whatever a question asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// How long a call may take, in seconds.
    #[serde(default = "thirty_seconds")]
    pub timeout: Seconds,
    /// Whether the provider itself keeps answers to a schema. Yes by default, except for Anthropic, which
    /// does so by a forced tool call only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<bool>,
    /// How freely the model speaks, from 0; models that allow no choice are not told.
    #[serde(default)]
    pub temperature: f64,
    /// How many calls may be under way at once.
    #[serde(default = "four")]
    pub max_concurrent: u16,
    /// Never read: a key in the file is refused, with a word on where it belongs.
    #[serde(default, skip_serializing)]
    pub api_key: NoKeyHere,
}

/// What a model's tokens cost, in dollars per million, and since when that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// For a million tokens of prompt.
    pub input: Money,
    /// For a million tokens of answer.
    pub output: Money,
    /// For a million tokens read from the provider's cache; a tenth of the prompt's price if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_read: Option<Money>,
    /// For a million tokens written to the provider's cache; the prompt's price if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_write: Option<Money>,
    /// The day on which this was the price, such as `2026-11-01`.
    pub as_of: Day,
}

impl Price {
    /// The price by which calls are charged.
    #[must_use]
    pub const fn tokens(&self) -> TokenPrice {
        TokenPrice {
            input: self.input,
            output: self.output,
            cached_read: self.cached_read,
            cached_write: self.cached_write,
        }
    }
}

/// A day of the calendar, written `2026-11-01`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Day(String);

impl Day {
    /// Reads a date such as `2026-11-18`.
    pub fn new(text: &str) -> Result<Self, TierProblem> {
        let day: Result<jiff::civil::Date, _> = text.parse();
        match day {
            Ok(day) => Ok(Self(day.to_string())),
            Err(_) => Err(TierProblem::new("price.as_of", format!("`{text}` is no day such as 2026-11-01"))),
        }
    }

    /// The day as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(|error| D::Error::custom(error.problem))
    }
}

/// Stands where people are tempted to write a key, to tell them where it belongs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoKeyHere;

impl<'de> Deserialize<'de> for NoKeyHere {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "keys are not read from files: set the environment variable of the provider, such as \
             ANTHROPIC_API_KEY, or name another one with `api_key_env`, and remove `api_key` from the file",
        ))
    }
}

fn thirty_seconds() -> Seconds {
    Seconds::whole(30)
}

const fn four() -> u16 {
    4
}

/// What is wrong with a tier's configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct TierProblem {
    /// The key in the tier's section.
    pub key: &'static str,
    /// What is wrong, and what to write.
    pub problem: String,
}

impl TierProblem {
    fn new(key: &'static str, problem: impl Into<String>) -> Self {
        Self { key, problem: problem.into() }
    }
}

impl TierConfig {
    /// A tier with a provider's model and the default limits.
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            endpoint: None,
            api_key_env: None,
            price: None,
            max_output_tokens: None,
            timeout: thirty_seconds(),
            structured: None,
            temperature: 0.0,
            max_concurrent: four(),
            api_key: NoKeyHere,
        }
    }

    /// Provider and model, such as `anthropic/claude-sonnet`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }

    /// The environment variable that holds the key, if one is needed.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        self.api_key_env.as_deref().or(self.provider.key_variable())
    }

    /// The price of the tokens; nothing for a model of one's own that has none.
    #[must_use]
    pub fn token_price(&self) -> TokenPrice {
        self.price_in_force().map_or(TokenPrice::free(), Price::tokens)
    }

    /// The price that is configured, or else the one that comes with the program.
    #[must_use]
    pub fn price_in_force(&self) -> Option<&Price> {
        self.price.as_ref().or_else(|| known_price(self.provider, &self.model))
    }

    /// Whether the provider itself keeps answers to a schema.
    #[must_use]
    pub fn is_structured(&self) -> bool {
        self.structured.unwrap_or(self.provider != Provider::Anthropic)
    }

    /// The longest answer to a question that asks for so many tokens.
    #[must_use]
    pub fn output_limit(&self, wanted: u32) -> u32 {
        self.max_output_tokens.map_or(wanted, |most| most.min(wanted)).max(1)
    }

    /// Says what is wrong with the tier, before anything is asked of it.
    pub fn check(&self) -> Result<(), TierProblem> {
        if self.model.trim().is_empty() {
            return Err(TierProblem::new("model", "the model needs a name, as the provider knows it"));
        }
        if self.price_in_force().is_none() && self.provider != Provider::OpenAiCompatible {
            let problem = format!(
                "the price of {} is not known: add `price = {{ input = 3.0, output = 15.0, as_of = \"2026-11-01\" }}` \
                 with its dollars per million tokens, so that budgets can be kept",
                self.name()
            );
            return Err(TierProblem::new("price", problem));
        }
        if !(0.0..=2.0).contains(&self.temperature) {
            let problem = format!("must be from 0 to 2, not {}", self.temperature);
            return Err(TierProblem::new("temperature", problem));
        }
        for (key, is_zero) in [
            ("timeout", self.timeout == Seconds::ZERO),
            ("max_concurrent", self.max_concurrent == 0),
            ("max_output_tokens", self.max_output_tokens == Some(0)),
        ] {
            if is_zero {
                return Err(TierProblem::new(key, "must be more than 0"));
            }
        }
        if self.key_variable().is_some_and(|name| name.trim().is_empty() || name.contains(['=', '\0'])) {
            return Err(TierProblem::new("api_key_env", "must be the name of an environment variable"));
        }
        self.base_url().map(drop)
    }

    /// The base address, with its trailing slash.
    pub(crate) fn base_url(&self) -> Result<Url, TierProblem> {
        let wrong = |problem: String| TierProblem::new("endpoint", problem);
        let Some(text) = self.endpoint.as_deref().or(self.provider.default_endpoint()) else {
            return Err(wrong(format!(
                "{} needs an address, such as http://127.0.0.1:11434/v1/",
                self.provider
            )));
        };
        let base = text.trim().trim_end_matches('/').trim_end_matches("/chat/completions");
        let url = Url::parse(&format!("{base}/")).map_err(|error| {
            wrong(format!(
                "`{text}` is no address: {error}; expected something like http://127.0.0.1:11434/v1/"
            ))
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong(format!("`{text}` must begin with http:// or https:// and name a host")));
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use candor_model::from_json;

    use super::*;

    #[test]
    fn a_key_in_the_file_is_refused_with_where_it_belongs() {
        let text = r#"{ "provider": "openai", "model": "m", "api_key": "sk-1234567890abcdef" }"#;
        let error = from_json::<TierConfig>(text).unwrap_err().to_string();
        assert!(error.contains("environment variable") && error.contains("api_key"), "{error}");
        assert!(!error.contains("sk-1234567890abcdef"), "{error}");
    }

    #[test]
    fn a_paid_provider_needs_a_price_and_a_free_one_an_address() {
        let paid = TierConfig::new(Provider::Anthropic, "claude");
        assert_eq!(paid.check().unwrap_err().key, "price");
        let own = TierConfig::new(Provider::OpenAiCompatible, "qwen");
        assert_eq!(own.check().unwrap_err().key, "endpoint");
        let own = TierConfig { endpoint: Some("http://127.0.0.1:11434/v1".to_owned()), ..own };
        assert_eq!(own.check(), Ok(()));
        assert_eq!(own.token_price(), TokenPrice::free());
    }

    #[test]
    fn a_tier_maps_to_any_provider_and_says_what_is_wrong() {
        // spec: orchestrator AG-05
        let read = |text: &str| from_json::<TierConfig>(text);
        let text = r#"{ "provider": "gemini", "model": "flash",
            "price": { "input": 0.3, "output": 2.5, "as_of": "2026-11-01" } }"#;
        let tier = read(text).unwrap();
        assert_eq!((tier.check(), tier.name().as_str()), (Ok(()), "gemini/flash"));
        assert_eq!(tier.key_variable(), Some("GEMINI_API_KEY"));
        assert_eq!(tier.timeout, Seconds::whole(30));
        assert_eq!(tier.token_price().input, Money::from_micros(300_000));
        let day = read(&text.replace("2026-11-01", "yesterday")).unwrap_err().to_string();
        assert!(day.contains("as_of") && day.contains("2026-11-01"), "{day}");
        assert!(read(&text.replace("model", "modle")).is_err());
        assert!(read(&text.replace("gemini", "acme")).unwrap_err().to_string().contains("openai_compatible"));
    }

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        let at = |endpoint: &str| {
            let tier = TierConfig::new(Provider::OpenAiCompatible, "m");
            TierConfig { endpoint: Some(endpoint.to_owned()), ..tier }.base_url().map(|url| url.to_string())
        };
        assert_eq!(at("http://h:1/v1").unwrap(), "http://h:1/v1/");
        assert_eq!(at("http://h:1/v1/chat/completions").unwrap(), "http://h:1/v1/");
        for bad in ["", "localhost:1", "ftp://h/", "http://", "::"] {
            assert_eq!(at(bad).unwrap_err().key, "endpoint", "{bad}");
        }
    }
}
