//! How many tokens a text can be, and what a call can cost at most.
//!
//! Money is set aside before a call, so the guess must be on the high side: better a call too few at the edge
//! of a budget than a cap that was overshot.

use candor_model::{Money, TokenUse};

use super::{ChatRequest, TierConfig};

/// Providers add a few tokens around each message.
const TOKENS_PER_MESSAGE: u64 = 12;

/// How many tokens a text has at most, or nearly so.
///
/// Tokenizers give about four letters to a token in English and three in most other languages of that
/// alphabet, hence a third. Signs mostly stand alone, now and then in pairs (`":`), hence five sixths; digits
/// come one to three at a time, hence two thirds, as do the bytes beyond ASCII. Short words are a token each
/// whatever their length, and rare ones are cut in two, hence three halves. Against a real tokenizer with a
/// small vocabulary this was from 0.9 to 1.5 times the count; those of the large providers need fewer tokens.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    // In sixths of a token, so that nothing is lost to rounding.
    let by_letters: u64 = text
        .bytes()
        .map(|byte| match byte {
            0x80.. => 4,
            byte if byte.is_ascii_punctuation() => 5,
            byte if byte.is_ascii_digit() => 4,
            _ => 2,
        })
        .sum();
    let by_words = 9 * text.split_ascii_whitespace().count() as u64;
    by_letters.max(by_words).div_ceil(6)
}

/// The most that a call can cost: its whole prompt at the dearer of the prices for reading and for caching,
/// and the longest answer.
#[must_use]
pub fn at_most(request: &ChatRequest, tier: &TierConfig) -> Money {
    let price = tier.token_price();
    let input = prompt_tokens(request, tier);
    let dearer = match price.cached_write {
        Some(write) if write > price.input => TokenUse { cached_write: input, ..TokenUse::default() },
        _ => TokenUse { input, ..TokenUse::default() },
    };
    let output = u64::from(tier.output_limit(request.max_output_tokens));
    price.cost(&TokenUse { output, ..dearer })
}

fn prompt_tokens(request: &ChatRequest, tier: &TierConfig) -> u64 {
    let mut texts = vec![request.system.as_str(), request.question.as_str()];
    if let Some((answer, follow_up)) = &request.earlier {
        texts.extend([answer.as_str(), follow_up.as_str()]);
    }
    let words: u64 = texts.iter().map(|text| estimate_tokens(text) + TOKENS_PER_MESSAGE).sum();
    let schema = match &request.schema {
        Some(schema) if tier.is_structured() => estimate_tokens(&schema.to_string()),
        _ => 0,
    };
    words + schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Price, Provider};

    #[test]
    fn texts_are_never_guessed_far_too_short_or_too_long() {
        // The counts are those of SmolLM2's tokenizer.
        for (text, real) in [
            ("", 0),
            ("a b c d e f g h", 8),
            ("Plan a 3-day trip to Paris in May with a $2000 budget", 19),
            (r#"{"a":1,"b":[true,null],"c":{"d":"e"}}"#, 21),
            ("Überprüfe die Größe des Gepäcks", 16),
            ("Планируй поездку в Париж", 21),
            ("日本語の文章", 10),
            ("🙂🙂🙂", 6),
            (&"x".repeat(3_000), 750),
        ] {
            let guess = estimate_tokens(text);
            assert!(guess * 10 >= real * 9 && guess <= real * 2, "{text}: {guess} for {real}");
        }
    }

    #[test]
    fn a_call_is_set_aside_at_the_dearer_price() {
        let money = |dollars: f64| Money::from_dollars(dollars).unwrap();
        let price = Price {
            input: money(3.0),
            output: money(15.0),
            cached_read: None,
            cached_write: Some(money(3.75)),
            as_of: crate::chat::Day::new("2026-11-01").unwrap(),
        };
        let tier = TierConfig { price: Some(price), ..TierConfig::new(Provider::Anthropic, "m") };
        let request = ChatRequest::new("s".repeat(3_000), "q".repeat(300), 1_000);
        let most = at_most(&request, &tier).micros();
        let tokens = 1_000 + 100 + 24;
        assert_eq!(most, (tokens * 375_u64).div_ceil(100) + 15_000);
        let short = TierConfig { max_output_tokens: Some(10), ..tier };
        assert!(at_most(&request, &short).micros() < most);
        assert_eq!(at_most(&request, &TierConfig::new(Provider::OpenAiCompatible, "m")), Money::ZERO);
    }
}
