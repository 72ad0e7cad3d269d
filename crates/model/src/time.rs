//! Points in time, as ISO 8601 in UTC. There is no way to ask for the present: it comes in with the input.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::text_enum::text_serde;
use crate::{Seconds, ValidationError};

/// A point in time, to the millisecond, within the calendar's years −9999 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The calendar's edges, as milliseconds since the start of 1970.
const EDGES: (i64, i64) = (-377_705_023_201_000, 253_402_207_200_000);

impl Timestamp {
    /// The start of 1970, and of simulated time.
    pub const EPOCH: Self = Self(0);

    /// Milliseconds since the start of 1970; what lies beyond the calendar is moved to its edge.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        let (first, last) = EDGES;
        Self(if millis < first {
            first
        } else if millis > last {
            last
        } else {
            millis
        })
    }

    /// Milliseconds since the start of 1970.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This point and `seconds` more.
    #[must_use]
    pub fn plus(self, seconds: Seconds) -> Self {
        let millis = i64::try_from(seconds.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The time from `earlier` to here; nothing if `earlier` is later (clocks may go back).
    #[must_use]
    pub fn since(self, earlier: Self) -> Seconds {
        let millis = self.0.saturating_sub(earlier.0);
        Seconds::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        fmt::Display::fmt(&time, formatter)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for Timestamp {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed: Result<jiff::Timestamp, _> = text.parse();
        match parsed {
            Ok(timestamp) => Ok(Self::from_millis(timestamp.as_millisecond())),
            Err(error) => Err(ValidationError::new(
                "Timestamp",
                format!("`{}` is not a time such as 2025-11-16T10:00:00Z: {error}", text.escape_debug()),
            )),
        }
    }
}

text_serde!(Timestamp);

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// The day that is so many days after an ISO date such as `2027-05-01`, or before it; nothing for other texts.
#[must_use]
pub fn day_after(date: &str, days: i64) -> Option<String> {
    let day: jiff::civil::Date = date.parse().ok().filter(|_| date.len() == "2027-05-01".len())?;
    day.checked_add(jiff::Span::new().try_days(days).ok()?).ok().map(|moved| moved.to_string())
}

/// The time to wait that an HTTP header `Retry-After` names: seconds, or a date.
#[must_use]
pub fn retry_after(text: &str, now: Timestamp) -> Option<Seconds> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Seconds::new(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok()?;
    let wait = date.as_millisecond().saturating_sub(now.as_millis()).max(0);
    Seconds::new((wait as f64 / 1_000.0).ceil()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_written_as_iso_8601() {
        let time: Timestamp = "2025-11-16T10:00:03Z".parse().unwrap();
        assert_eq!(time.to_string(), "2025-11-16T10:00:03Z");
        assert_eq!(time.since("2025-11-16T10:00:00Z".parse().unwrap()), Seconds::whole(3));
        assert!("yesterday".parse::<Timestamp>().unwrap_err().problem.contains("yesterday"));
    }

    #[test]
    fn the_edges_of_the_calendar_can_be_written() {
        for (edge, text) in [(i64::MIN, "-009999-01-02T01:59:59Z"), (i64::MAX, "9999-12-30T22:00:00Z")] {
            let time = Timestamp::from_millis(edge);
            assert_eq!(time.to_string(), text);
            assert_eq!(text.parse::<Timestamp>().unwrap(), time);
        }
    }

    proptest! {
        #[test]
        fn any_number_is_some_point_in_time_and_survives_text(millis in any::<i64>()) {
            let time = Timestamp::from_millis(millis);
            prop_assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
        }

        #[test]
        fn a_clock_that_goes_back_gives_no_time(a in any::<i32>(), b in any::<i32>()) {
            let (a, b) = (Timestamp::from_millis(a.into()), Timestamp::from_millis(b.into()));
            prop_assert!(a.since(b) == Seconds::ZERO || b.since(a) == Seconds::ZERO);
        }
    }

    #[test]
    fn seconds_and_dates_are_understood_and_nonsense_is_not() {
        let now = Timestamp::from_millis(784_111_777_000);
        let at = |text: &str| retry_after(text, now).map(Seconds::get);
        assert_eq!(at("7"), Some(7.0));
        assert_eq!(at(" 1.5 "), Some(1.5));
        assert_eq!(at("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10.0));
        assert_eq!(at("Sun, 06 Nov 1994 08:49:07 GMT"), Some(0.0));
        for nonsense in ["", "soon", "-3", "NaN", "1e300"] {
            assert_eq!(at(nonsense), None, "{nonsense}");
        }
    }
}
