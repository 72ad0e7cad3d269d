//! Numbers and texts that have a rule: they can only be built when it holds.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::ValidationError;

/// Declares a newtype over a plain value with a checked constructor, and a JSON form that uses it.
macro_rules! checked_scalar {
    ($(#[$meta:meta])* $name:ident($inner:ty), $check:expr, schema $schema:tt) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
        pub struct $name($inner);

        impl $name {
            /// Checks the rule and makes the value.
            pub fn new(value: $inner) -> Result<Self, ValidationError> {
                let check: fn($inner) -> Result<$inner, String> = $check;
                check(value).map(Self).map_err(|problem| ValidationError::new(stringify!($name), problem))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, formatter)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = <$inner>::deserialize(deserializer)?;
                Self::new(value).map_err(|error| serde::de::Error::custom(error.problem))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

checked_scalar!(
    /// How sure Candor is, from 0 to 1.
    #[derive(Copy)]
    Confidence(f64),
    |value| if (0.0..=1.0).contains(&value) {
        Ok(rounded(value))
    } else {
        Err(format!("must be a number from 0.0 to 1.0, not {value}"))
    },
    schema { "type": "number", "minimum": 0, "maximum": 1 }
);

impl Confidence {
    /// No confidence at all.
    pub const NONE: Self = Self(0.0);
    /// Confidence of 1.
    pub const FULL: Self = Self(1.0);

    /// The confidence as a plain number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// This confidence moved by `delta`, kept within 0 to 1. Not-a-number moves nothing.
    #[must_use]
    pub fn shifted(self, delta: f64) -> Self {
        if delta.is_nan() {
            return self;
        }
        Self(rounded((self.0 + delta).clamp(0.0, 1.0)))
    }
}

/// Sums of decimal steps are kept at nine digits: 0.7 − 0.2 must be 0.5, because "exactly 0.5" decides
/// whether a person is asked.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

checked_scalar!(
    /// What a revision takes from the plan's confidence: a negative number, at least −1.
    #[derive(Copy)]
    Penalty(f64),
    |value| if (-1.0..0.0).contains(&value) {
        Ok(rounded(value))
    } else {
        Err(format!("must be below 0 and at least -1, not {value}"))
    },
    schema { "type": "number", "exclusiveMaximum": 0, "minimum": -1 }
);

impl Penalty {
    /// The penalty as a plain (negative) number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

checked_scalar!(
    /// A part of a whole, from 0 to 1: success rates, scores of validators.
    #[derive(Copy)]
    Share(f64),
    |value| if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(format!("must be a number from 0.0 to 1.0, not {value}"))
    },
    schema { "type": "number", "minimum": 0, "maximum": 1 }
);

impl Share {
    /// Share of 0.
    pub const NONE: Self = Self(0.0);
    /// Share of 1.
    pub const ALL: Self = Self(1.0);

    /// `part` of `whole`; of an empty whole, all.
    #[must_use]
    pub fn of(part: usize, whole: usize) -> Self {
        if whole == 0 { Self::ALL } else { Self((part.min(whole) as f64) / (whole as f64)) }
    }

    /// The share as a plain number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Default for Share {
    fn default() -> Self {
        Self::NONE
    }
}

checked_scalar!(
    /// A length of time in seconds, not negative.
    #[derive(Copy)]
    Seconds(f64),
    |value| if value.is_finite() && (0.0..=MAX_SECONDS).contains(&value) {
        Ok(value)
    } else {
        Err(format!("must be a number of seconds from 0 to {MAX_SECONDS:e}, not {value}"))
    },
    schema { "type": "number", "minimum": 0, "maximum": MAX_SECONDS }
);

/// About three thousand years: sums of any realistic number of durations stay exact.
const MAX_SECONDS: f64 = 1e11;

impl Seconds {
    /// No time at all.
    pub const ZERO: Self = Self(0.0);

    /// A whole number of milliseconds.
    #[must_use]
    pub fn from_millis(millis: u64) -> Self {
        Self((millis as f64 / 1000.0).min(MAX_SECONDS))
    }

    /// Rounded to whole milliseconds.
    #[must_use]
    pub fn as_millis(self) -> u64 {
        // The range of the type makes the conversion exact.
        (self.0 * 1000.0).round() as u64
    }

    /// The seconds as a plain number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// A whole number of seconds.
    #[must_use]
    pub fn whole(seconds: u32) -> Self {
        Self(f64::from(seconds))
    }

    /// What is left after `other`; nothing if that is longer.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self::from_millis(self.as_millis().saturating_sub(other.as_millis()))
    }

    /// An equal part of this time; `parts` of zero counts as one.
    #[must_use]
    pub fn divided_by(self, parts: usize) -> Self {
        Self(self.0 / parts.max(1) as f64)
    }
}

impl Default for Seconds {
    fn default() -> Self {
        Self::ZERO
    }
}

impl std::iter::Sum for Seconds {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        Self::from_millis(times.map(Self::as_millis).fold(0, u64::saturating_add))
    }
}

checked_scalar!(
    /// How important something is, from 1 to 10; higher goes first.
    #[derive(Copy, Eq, Ord)]
    Priority(u8),
    |value| if (1..=10).contains(&value) { Ok(value) } else { Err(format!("must be from 1 to 10, not {value}")) },
    schema { "type": "integer", "minimum": 1, "maximum": 10 }
);

impl Priority {
    /// The priority of a task that names none.
    pub const NORMAL: Self = Self(5);

    /// The priority as a plain number.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::NORMAL
    }
}

checked_scalar!(
    /// Text that says something: not empty, not only white space.
    #[derive(Eq)]
    Text(String),
    |value| if value.trim().is_empty() { Err("must not be empty".to_owned()) } else { Ok(value) },
    schema { "type": "string", "minLength": 1 }
);

impl Text {
    /// Borrows the text, which is not trimmed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `text`, or `otherwise` if it says nothing.
    pub fn or(text: impl Into<String>, otherwise: &'static str) -> Self {
        let text = text.into();
        if text.trim().is_empty() { Self(otherwise.to_owned()) } else { Self(text) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn confidence_refuses_what_is_no_confidence() {
        for bad in [f64::NAN, -0.01, 1.01, f64::INFINITY] {
            assert!(Confidence::new(bad).is_err(), "{bad}");
        }
        assert!(crate::from_json::<Confidence>("1e999").is_err());
    }

    #[test]
    fn sums_of_decimal_steps_meet_thresholds_exactly() {
        // spec: planning HA-01
        assert_eq!(Confidence::new(0.7).unwrap().shifted(-0.2).get(), 0.5);
        assert_eq!(Confidence::new(0.98).unwrap().shifted(0.05), Confidence::FULL);
    }

    proptest! {
        #[test]
        fn a_shifted_confidence_stays_a_confidence(start in 0.0..=1.0f64, delta in any::<f64>()) {
            let moved = Confidence::new(start).unwrap().shifted(delta);
            prop_assert!(Confidence::new(moved.get()).is_ok());
        }

        #[test]
        fn scalars_survive_json(start in 0.0..=1.0f64, seconds in 0.0..1e9f64) {
            let confidence = Confidence::new(start).unwrap();
            let text = serde_json::to_string(&confidence).unwrap();
            prop_assert_eq!(crate::from_json::<Confidence>(&text).unwrap(), confidence);
            let seconds = Seconds::new(seconds).unwrap();
            let text = serde_json::to_string(&seconds).unwrap();
            prop_assert_eq!(crate::from_json::<Seconds>(&text).unwrap(), seconds);
        }
    }
}
