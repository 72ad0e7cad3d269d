//! Prices that come with the program, for models that the configuration gives none.

use std::sync::LazyLock;

use serde::Deserialize;

use super::config::{Price, Provider};

/// The prices, as a list.
const FILE: &str = include_str!("../../prices.json");

#[derive(Deserialize)]
struct File {
    models: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    provider: Provider,
    model: String,
    #[serde(flatten)]
    price: Price,
}

/// The price of a provider's model, if it is known.
pub(super) fn known_price(provider: Provider, model: &str) -> Option<&'static Price> {
    // The file is part of the program, and a test reads it.
    static PRICES: LazyLock<Vec<Known>> =
        LazyLock::new(|| serde_json::from_str::<File>(FILE).map(|file| file.models).unwrap_or_default());
    let fits = |known: &&Known| known.provider == provider && is_version_of(model, &known.model);
    PRICES.iter().find(fits).map(|known| &known.price)
}

/// Whether a model is the one of this name, or a dated version of it.
fn is_version_of(model: &str, name: &str) -> bool {
    let Some(rest) = model.strip_prefix(name) else { return false };
    let version = rest.strip_prefix(['-', '@']);
    rest.is_empty() || version.is_some_and(|version| version == "latest" || is_date(version))
}

/// Whether a text is a date such as `20250929` or `2025-09-29`.
fn is_date(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() == 8
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_the_price_of_their_model_and_relatives_do_not() {
        // spec: findings GL-17
        let price = |provider, model| known_price(provider, model).map(|price| price.input.to_string());
        assert_eq!(serde_json::from_str::<File>(FILE).unwrap().models.len(), 28);
        let sonnet = price(Provider::Anthropic, "claude-sonnet-4-5");
        assert!(sonnet.is_some());
        assert_eq!(price(Provider::Anthropic, "claude-sonnet-4-5-20250929"), sonnet);
        assert_ne!(price(Provider::OpenAi, "gpt-5"), price(Provider::OpenAi, "gpt-5-mini"));
        assert_eq!(price(Provider::OpenAi, "gpt-4o-2024-11-20"), price(Provider::OpenAi, "gpt-4o"));
        assert_eq!(price(Provider::OpenAi, "gpt-5-turbo-next"), None, "it may cost anything");
        assert_eq!(price(Provider::OpenAiCompatible, "gpt-4o"), None);
    }
}
