//! A score from 0 to 100: confidence, complexity and alignment as people say them.

use serde::{Deserialize, Serialize};

/// A whole number from 0 to 100.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u8")]
pub struct Score(u8);

impl Score {
    /// The least.
    pub const ZERO: Self = Self(0);
    /// The most.
    pub const FULL: Self = Self(100);

    /// The score nearest to a number: everything above 100 is 100.
    #[must_use]
    pub const fn at_most_full(value: u8) -> Self {
        if value > 100 { Self::FULL } else { Self(value) }
    }

    /// How many of a hundred parts `part` is of `whole`, rounded to the nearest; nothing of nothing is zero.
    #[must_use]
    pub fn share(part: usize, whole: usize) -> Self {
        let hundredths = (part * 200 + whole).checked_div(whole * 2).unwrap_or(0);
        Self(u8::try_from(hundredths.min(100)).unwrap_or(100))
    }

    /// From 0 to 100.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A number that is no score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a whole number from 0 to 100")]
pub struct NotAScore(u64);

impl TryFrom<u64> for Score {
    type Error = NotAScore;

    fn try_from(value: u64) -> Result<Self, NotAScore> {
        match u8::try_from(value) {
            Ok(small) if small <= 100 => Ok(Self(small)),
            _ => Err(NotAScore(value)),
        }
    }
}

impl From<Score> for u8 {
    fn from(score: Score) -> Self {
        score.0
    }
}
