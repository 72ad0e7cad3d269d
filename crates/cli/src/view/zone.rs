//! The time zone in which people are shown times: that of the machine, named wherever a time stands alone.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use candor_model::Timestamp;
use jiff::tz::TimeZone;

/// The zone of this process; UTC until somebody sets it, and in tests.
static ZONE: OnceLock<TimeZone> = OnceLock::new();

/// Where Unix systems keep the zone of the machine, and all zones by name.
const OF_MACHINE: &str = "/etc/localtime";
const BY_NAME: &str = "/usr/share/zoneinfo";

/// Sets the zone, once, before anything is shown: `TZ` if it is set, else that of the machine, else UTC.
pub fn set_from_machine() {
    let named = std::env::var("TZ").ok();
    // Whoever sets it twice has started twice, and the first start counts.
    let _ = ZONE.set(find(named.as_deref()).unwrap_or(TimeZone::UTC));
}

/// The zone that `TZ` names: a file below the folder of zones, a path, or a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
fn find(named: Option<&str>) -> Option<TimeZone> {
    let Some(named) = named.map(|named| named.trim_start_matches(':')).filter(|named| !named.is_empty())
    else {
        return read("", Path::new(OF_MACHINE));
    };
    let path = if named.starts_with('/') { PathBuf::from(named) } else { Path::new(BY_NAME).join(named) };
    read(named, &path).or_else(|| TimeZone::posix(named).ok())
}

fn read(name: &str, path: &Path) -> Option<TimeZone> {
    TimeZone::tzif(name, &std::fs::read(path).ok()?).ok()
}

fn zone() -> &'static TimeZone {
    ZONE.get_or_init(|| TimeZone::UTC)
}

fn local(at: Timestamp) -> Option<jiff::Zoned> {
    let at = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
    Some(at.to_zoned(zone().clone()))
}

/// The time of day: `12:00:03`.
pub(super) fn clock(at: Timestamp) -> String {
    local(at).map_or_else(|| at.to_string(), |at| at.strftime("%H:%M:%S").to_string())
}

/// The day and the time of day with the zone: `2025-01-10 12:00:03 CET`.
pub(super) fn moment(at: Timestamp) -> String {
    local(at).map_or_else(|| at.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S %Z").to_string())
}

/// When a day begins.
pub(crate) fn midnight(day: jiff::civil::Date) -> Timestamp {
    let begins = day.to_zoned(zone().clone()).map_or(0, |at| at.timestamp().as_millisecond());
    Timestamp::from_millis(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_a_zone_with_its_summer() {
        // spec: findings UX-05
        let zone = find(Some("CET-1CEST,M3.5.0,M10.5.0/3")).unwrap();
        let shown = |text: &str| {
            let at: jiff::Timestamp = text.parse().unwrap();
            at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
        };
        assert_eq!(shown("2025-01-10T23:30:00Z"), "2025-01-11 00:30:00 CET");
        assert_eq!(shown("2025-07-10T12:00:03Z"), "2025-07-10 14:00:03 CEST");
        assert!(find(Some("No/Such/Zone")).is_none());
    }

    #[test]
    fn a_time_is_shown_in_the_zone_that_is_set_and_names_it() {
        let at: Timestamp = "2025-01-10T12:00:03.250Z".parse().unwrap();
        assert_eq!([clock(at), moment(at)], ["12:00:03", "2025-01-10 12:00:03 UTC"]);
    }
}
