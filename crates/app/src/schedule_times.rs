//! When a schedule is due: a cron expression in a time zone.
//!
//! Time zones are those of the system's database. An hour that is skipped or repeated because clocks change is treated as
//! cron does: a fixed time in a skipped hour is due right after it, one in a repeated hour once.

use std::path::PathBuf;
use std::str::FromStr;

use candor_model::Timestamp;
use croner::Cron;
use jiff::tz::TimeZone;

/// Where systems keep their time zones.
const FOLDERS: [&str; 3] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];

/// The times at which a schedule is due.
#[derive(Debug, Clone)]
pub(crate) struct ScheduleTimes {
    cron: Cron,
    zone: TimeZone,
}

impl ScheduleTimes {
    /// Reads the expression and finds the time zone; a problem is said in plain words.
    pub(crate) fn new(cron: &str, timezone: &str) -> Result<Self, String> {
        let read = Cron::from_str(cron).map_err(|error| {
            say!(
                "cron = \"{cron}\" cannot be read: {error}; an example is \"30 6 * * mon-fri\"",
                "cron = \"{cron}\" no se puede leer: {error}; un ejemplo es \"30 6 * * mon-fri\""
            )
        })?;
        Ok(Self { cron: read, zone: zone(timezone)? })
    }

    /// The first due time after a moment; nothing if there is none any more.
    #[must_use]
    pub(crate) fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let from = jiff::Timestamp::from_millisecond(after.as_millis()).ok()?.to_zoned(self.zone.clone());
        let next = self.cron.find_next_occurrence(&from, false).ok()?;
        Some(Timestamp::from_millis(next.timestamp().as_millisecond()))
    }

    /// A moment as the clocks of the time zone show it, with the zone's short name.
    #[must_use]
    pub(crate) fn shown(&self, at: Timestamp) -> String {
        let Ok(at) = jiff::Timestamp::from_millisecond(at.as_millis()) else { return at.to_string() };
        let at = at.to_zoned(self.zone.clone());
        let form = if at.second() == 0 { "%a %Y-%m-%d %H:%M %Z" } else { "%a %Y-%m-%d %H:%M:%S %Z" };
        at.strftime(form).to_string()
    }

    /// The due times after one moment up to another, the earliest first: at most the last `most` of them.
    #[must_use]
    pub(crate) fn between(&self, after: Timestamp, until: Timestamp, most: usize) -> Vec<Timestamp> {
        let Ok(until) = jiff::Timestamp::from_millisecond(until.as_millis()) else { return Vec::new() };
        let (mut from, mut inclusive) = (until.to_zoned(self.zone.clone()), true);
        let mut due = Vec::new();
        while due.len() < most {
            let Ok(earlier) = self.cron.find_previous_occurrence(&from, inclusive) else { break };
            let at = Timestamp::from_millis(earlier.timestamp().as_millisecond());
            if at <= after {
                break;
            }
            due.push(at);
            (from, inclusive) = (earlier, false);
        }
        due.reverse();
        due
    }
}

fn zone(name: &str) -> Result<TimeZone, String> {
    if matches!(name, "UTC" | "Etc/UTC" | "Z") {
        return Ok(TimeZone::UTC);
    }
    let letters = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '_' | '-' | '+');
    let unknown = || {
        say!(
            "timezone = \"{name}\" is not known here; names are those of the tz database, such as Europe/Madrid",
            "timezone = \"{name}\" no se conoce aquí; los nombres son los de la base tz, como Europe/Madrid"
        )
    };
    if name.is_empty() || name.starts_with('/') || !name.chars().all(letters) {
        return Err(unknown());
    }
    let own = std::env::var_os("TZDIR").map(PathBuf::from);
    let folders = own.into_iter().chain(FOLDERS.iter().map(PathBuf::from));
    let data = folders.filter_map(|folder| std::fs::read(folder.join(name)).ok()).next();
    let data = data.ok_or_else(unknown)?;
    TimeZone::tzif(name, &data).map_err(|error| {
        say!(
            "timezone = \"{name}\" cannot be read: {error}",
            "timezone = \"{name}\" no se puede leer: {error}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn due_times_follow_the_clocks_of_their_time_zone() {
        let madrid = ScheduleTimes::new("30 2 * * *", "Europe/Madrid").unwrap();
        // Winter, summer; on 2027-03-28 there is no 02:30, on 2026-10-25 there are two of them.
        assert_eq!(madrid.next(at("2026-01-10T00:00:00Z")), Some(at("2026-01-10T01:30:00Z")));
        assert_eq!(madrid.next(at("2026-07-10T00:00:00Z")), Some(at("2026-07-10T00:30:00Z")));
        assert_eq!(madrid.shown(at("2026-07-10T00:30:00Z")), "Fri 2026-07-10 02:30 CEST");
        let skipped = madrid.next(at("2027-03-28T00:00:00Z")).unwrap();
        assert!(skipped >= at("2027-03-28T01:00:00Z") && skipped <= at("2027-03-28T02:00:00Z"), "{skipped}");
        let all = madrid.between(at("2026-10-24T12:00:00Z"), at("2026-10-25T12:00:00Z"), 9);
        assert_eq!(all.len(), 1, "once: {all:?}");
    }

    #[test]
    fn what_passed_is_counted_back_from_now_and_bounded() {
        let minutely = ScheduleTimes::new("* * * * *", "UTC").unwrap();
        let due = minutely.between(at("2026-01-01T00:00:00Z"), at("2026-11-18T00:02:00Z"), 3);
        assert_eq!(due, ["2026-11-18T00:00:00Z", "2026-11-18T00:01:00Z", "2026-11-18T00:02:00Z"].map(at));
        assert_eq!(minutely.between(at("2026-11-18T00:02:00Z"), at("2026-11-18T00:02:00Z"), 3), []);
        let never = ScheduleTimes::new("0 0 30 2 *", "UTC").unwrap();
        assert_eq!(never.next(at("2026-01-01T00:00:00Z")), None);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert!(ScheduleTimes::new("every day", "UTC").unwrap_err().contains("every day"));
        for wrong in ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", ""] {
            assert!(ScheduleTimes::new("* * * * *", wrong).unwrap_err().contains("tz database"), "{wrong}");
        }
    }
}
