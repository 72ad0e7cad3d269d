//! Money, in whole micro-dollars.
//!
//! On the wire an amount is a decimal number of dollars, because that is what people and agents write.
//! It becomes an integer as it is read; sums, comparisons and caps never see a float.

use std::borrow::Cow;
use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{TokenUse, ValidationError};

/// An amount of US dollars, not negative, in millionths.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(u64);

/// Up to here a float holds every micro-dollar exactly, so the decimal on the wire loses nothing.
const MAX_MICROS: u64 = 1 << 50;
const MICROS_PER_DOLLAR: u64 = 1_000_000;

impl Money {
    /// No money at all.
    pub const ZERO: Self = Self(0);
    /// The largest amount that can be written, over a billion dollars.
    pub const MAX: Self = Self(MAX_MICROS);

    /// A number of micro-dollars, at most [`Money::MAX`].
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(if micros > MAX_MICROS { MAX_MICROS } else { micros })
    }

    /// Whether it is nothing.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// The amount in micro-dollars.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Reads a decimal number of dollars, rounded to the micro-dollar.
    pub fn from_dollars(dollars: f64) -> Result<Self, ValidationError> {
        let micros = (dollars * MICROS_PER_DOLLAR as f64).round();
        if !(0.0..=MAX_MICROS as f64).contains(&micros) {
            let problem = format!("must be an amount of dollars that is not negative, not {dollars}");
            return Err(ValidationError::new("Money", problem));
        }
        Ok(Self(micros as u64))
    }

    /// The amount in dollars, for people and for the wire only.
    #[must_use]
    pub fn as_dollars(self) -> f64 {
        self.0 as f64 / MICROS_PER_DOLLAR as f64
    }

    /// This amount less `other`, at least nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::from_micros(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "${self}")
    }
}

/// Writes dollars with as many decimals as are asked for (`{:.4}`, half a digit rounded up), or as needed.
impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = formatter.precision().unwrap_or(6).min(6);
        let unit = 10u64.pow(u32::try_from(6 - digits).unwrap_or(0));
        let rounded = (self.0 + unit / 2) / unit * unit;
        let fraction = format!("{:06}", rounded % MICROS_PER_DOLLAR);
        let fraction = match formatter.precision() {
            Some(_) => fraction.get(..digits).unwrap_or_default(),
            None => fraction.trim_end_matches('0'),
        };
        let point = if fraction.is_empty() { "" } else { "." };
        write!(formatter, "{}{point}{fraction}", rounded / MICROS_PER_DOLLAR)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Whole dollars are written without a fraction: `2000`, not `2000.0`.
        if self.0.is_multiple_of(MICROS_PER_DOLLAR) {
            serializer.serialize_u64(self.0 / MICROS_PER_DOLLAR)
        } else {
            serializer.serialize_f64(self.as_dollars())
        }
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::from_dollars(dollars).map_err(|error| serde::de::Error::custom(error.problem))
    }
}

impl JsonSchema for Money {
    fn schema_name() -> Cow<'static, str> {
        "Money".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "description": "US dollars" })
    }
}

/// What a model's tokens cost, per million tokens.
///
/// Cheap models cost less than a micro-dollar per token, so the price is kept per million and the sum is
/// rounded up once: a cap is never undercut by rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenPrice {
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
}

impl TokenPrice {
    /// A price without a word on caching.
    #[must_use]
    pub const fn new(input: Money, output: Money) -> Self {
        Self { input, output, cached_read: None, cached_write: None }
    }

    /// What costs nothing: a model on one's own machine.
    #[must_use]
    pub const fn free() -> Self {
        Self::new(Money::ZERO, Money::ZERO)
    }

    /// The cost of one call, rounded up to the micro-dollar.
    #[must_use]
    pub fn cost(&self, tokens: &TokenUse) -> Money {
        let part = |tokens: u64, price: Money| u128::from(tokens) * u128::from(price.micros());
        let total = part(tokens.input, self.input)
            + part(tokens.output, self.output)
            + part(tokens.cached_read, self.cached_read())
            + part(tokens.cached_write, self.cached_write.unwrap_or(self.input));
        Money::from_micros(u64::try_from(total.div_ceil(1_000_000)).unwrap_or(MAX_MICROS))
    }

    /// What reading from the cache saved, against reading the same anew.
    #[must_use]
    pub fn saved(&self, tokens: &TokenUse) -> Money {
        let anew = Self::new(self.input, Money::ZERO);
        let read = TokenUse { input: tokens.cached_read, ..TokenUse::default() };
        let cached = TokenUse { cached_read: tokens.cached_read, ..TokenUse::default() };
        anew.cost(&read).saturating_sub(self.cost(&cached))
    }

    fn cached_read(&self) -> Money {
        self.cached_read.unwrap_or(Money::from_micros(self.input.micros() / 10))
    }
}

impl Default for TokenPrice {
    /// Half a cent per thousand tokens of prompt, a cent per thousand of answer.
    fn default() -> Self {
        Self::new(Money::from_micros(5_000_000), Money::from_micros(10_000_000))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn negative_and_impossible_amounts_are_refused() {
        for bad in [-0.01, f64::NAN, f64::INFINITY, 1e300] {
            assert!(Money::from_dollars(bad).is_err(), "{bad}");
        }
        assert!(crate::from_json::<Money>("-1").is_err());
    }

    #[test]
    fn dollars_are_written_as_people_write_them() {
        assert_eq!(serde_json::to_string(&Money::from_micros(20_000)).unwrap(), "0.02");
        assert_eq!(serde_json::to_string(&Money::from_micros(2_000_000_000)).unwrap(), "2000");
        assert_eq!(format!("${:.4}", Money::from_micros(12_500)), "$0.0125");
        assert_eq!(format!("${:.4}", Money::from_micros(12_450)), "$0.0125");
        assert_eq!(Money::from_micros(10_000).to_string(), "0.01");
        assert_eq!(Money::from_micros(2_000_000_000).to_string(), "2000");
        assert_eq!(format!("{:.2}", Money::from_micros(1_999_999)), "2.00");
    }

    #[test]
    fn tokens_cost_what_the_example_says() {
        // spec: planning BC-03
        let cost =
            |input, output| TokenPrice::default().cost(&TokenUse { input, output, ..TokenUse::default() });
        assert_eq!(cost(200, 100).micros(), 2_000);
        assert_eq!(cost(400, 300).micros(), 5_000);
        assert_eq!(cost(450, 320).micros(), 5_450);
        assert_eq!(cost(u64::MAX, u64::MAX), Money::MAX);
    }

    #[test]
    fn cached_tokens_have_prices_of_their_own() {
        // spec: orchestrator PC-04
        let dollars = |amount| Money::from_dollars(amount).unwrap();
        let price =
            TokenPrice { cached_write: Some(dollars(3.75)), ..TokenPrice::new(dollars(3.0), dollars(15.0)) };
        let tokens = TokenUse { input: 100, output: 10, cached_read: 10_000, cached_write: 2_000 };
        assert_eq!(price.cost(&tokens).micros(), 300 + 150 + 3_000 + 7_500);
        assert_eq!(price.saved(&tokens).micros(), 27_000);
    }

    proptest! {
        #[test]
        fn money_survives_json_to_the_micro_dollar(micros in 0..=MAX_MICROS) {
            let money = Money::from_micros(micros);
            let text = serde_json::to_string(&money).unwrap();
            prop_assert_eq!(crate::from_json::<Money>(&text).unwrap(), money);
        }
    }
}
