//! Ranges as people write them: `0-30`, `11+`, `7`.

use std::fmt;
use std::str::FromStr;

use candor_model::ValidationError;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A range of whole numbers with both ends in it; without `max` it has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Smallest number in the range.
    pub min: u32,
    /// The last number, if there is one.
    pub max: Option<u32>,
}

impl Bounds {
    /// From `min` to `max`.
    #[must_use]
    pub const fn new(min: u32, max: u32) -> Self {
        Self { min, max: Some(max) }
    }

    /// From `min` on, without an end.
    #[must_use]
    pub const fn from(min: u32) -> Self {
        Self { min, max: None }
    }

    /// Whether a number is in the range.
    #[must_use]
    pub fn contains(self, value: u32) -> bool {
        self.min <= value && self.max.is_none_or(|max| value <= max)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max {
            None => write!(formatter, "{}+", self.min),
            Some(max) if max == self.min => write!(formatter, "{max}"),
            Some(max) => write!(formatter, "{}-{max}", self.min),
        }
    }
}

impl FromStr for Bounds {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let number = |part: &str| part.trim().parse::<u32>().ok();
        let read = if let Some(start) = text.trim().strip_suffix('+') {
            number(start).map(Self::from)
        } else if let Some((start, end)) = text.split_once(['-', '–']) {
            number(start).zip(number(end)).map(|(min, max)| Self::new(min, max))
        } else {
            number(text).map(|only| Self::new(only, only))
        };
        let wrong = |problem: String| ValidationError::new("Bounds", problem);
        let shown = text.escape_debug();
        match read {
            None => Err(wrong(format!("`{shown}` is not a range; write it like 0-30, 11+ or 7"))),
            Some(Self { min, max: Some(max) }) if max < min => {
                Err(wrong(format!("`{shown}` ends before it starts; write the smaller number first")))
            }
            Some(bounds) => Ok(bounds),
        }
    }
}

impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

struct Written;

impl de::Visitor<'_> for Written {
    type Value = Bounds;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a range like \"0-30\", \"11+\" or 7")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bounds, E> {
        text.parse().map_err(|error: ValidationError| E::custom(error.problem))
    }

    fn visit_u64<E: de::Error>(self, only: u64) -> Result<Bounds, E> {
        match u32::try_from(only) {
            Ok(only) => Ok(Bounds::new(only, only)),
            Err(_) => Err(E::custom(format!("{only} is more than {}", u32::MAX))),
        }
    }

    fn visit_i64<E: de::Error>(self, only: i64) -> Result<Bounds, E> {
        match u64::try_from(only) {
            Ok(only) => self.visit_u64(only),
            Err(_) => Err(E::custom(format!("{only} is less than 0"))),
        }
    }
}
