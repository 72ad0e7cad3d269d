//! A time in the past, as a day or as an age.

use std::str::FromStr;

use candor_app::config::Age;
use candor_model::Timestamp;
use jiff::civil::Date;

use crate::view::zone;

/// A day, from its midnight in the machine's zone, or so long ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// From this day on.
    Day(Date),
    /// So long ago.
    Ago(Age),
}

impl Since {
    /// The moment that is meant.
    pub(crate) fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Day(day) => zone::midnight(day),
            Self::Ago(age) => age.before(now),
        }
    }
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(age) = text.parse() {
            return Ok(Self::Ago(age));
        }
        text.parse().map(Self::Day).map_err(|_| {
            say!("`{text}` is no time; expected a day such as 2026-05-31, or an age such as 12h, 30d or 2w", "`{text}` no es una fecha; se espera un día como 2026-05-31, o una antigüedad como 12h, 30d o 2w"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_and_an_age_counts_back() {
        let now: Timestamp = "2026-06-02T12:00:00Z".parse().unwrap();
        let meant = |text: &str| text.parse::<Since>().map(|since| since.moment(now).to_string());
        assert_eq!(meant("2026-05-31").unwrap(), "2026-05-31T00:00:00Z");
        assert_eq!(meant("12h").unwrap(), "2026-06-02T00:00:00Z");
        assert!(meant("yesterday").unwrap_err().contains("2026-05-31"));
    }
}
