//! `[retention]`: how long runs are kept that have ended.

use std::str::FromStr;

use candor_model::Timestamp;
use serde::Deserialize;

/// How long runs are kept that have ended.
#[derive(Debug, Clone, Default, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Runs whose last event is older are removed. Without it they are kept.
    pub older_than: Option<Age>,
    /// So many of those that changed last are kept in any case.
    pub keep: u32,
}

/// A time such as `30d`, `12h` or `2w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Age {
    number: u32,
    unit: char,
}

impl Age {
    /// The moment that is so long before `now`.
    #[must_use]
    pub fn before(self, now: Timestamp) -> Timestamp {
        let hours: i64 = match self.unit {
            'w' => 7 * 24,
            'd' => 24,
            _ => 1,
        };
        Timestamp::from_millis(now.as_millis().saturating_sub(i64::from(self.number) * hours * 3_600_000))
    }
}

impl FromStr for Age {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            say!(
                "`{text}` is no age; expected a number with h, d or w, such as 30d",
                "`{text}` no es una antigüedad; se espera un número con h, d o w, como 30d"
            )
        };
        let unit =
            text.chars().next_back().filter(|unit| matches!(unit, 'h' | 'd' | 'w')).ok_or_else(wrong)?;
        let number = text.trim_end_matches(unit).parse().map_err(|_| wrong())?;
        Ok(Self { number, unit })
    }
}

impl TryFrom<String> for Age {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Age> for String {
    fn from(Age { number, unit }: Age) -> Self {
        format!("{number}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_with_a_unit() {
        let before = |age: &str| {
            Age::from_str(age).unwrap().before(Timestamp::from_millis(10_000_000_000)).as_millis()
        };
        assert_eq!([before("0d"), before("2h")], [10_000_000_000, 9_992_800_000]);
        assert_eq!([before("1d"), before("1w")], [9_913_600_000, 9_395_200_000]);
        for wrong in ["", "d", "30", "-1d", "3 d", "1.5d", "30days", "ddd", "9999999999d"] {
            assert!(Age::from_str(wrong).unwrap_err().contains("30d"), "{wrong}");
        }
    }
}
