//! Numbers as people read them: times, lengths of time, money, counts.

use candor_model::{Confidence, Money, Seconds, Timestamp};
use candor_text::{Language, in_language, word_in};

const DAY_MILLIS: i64 = 86_400_000;

/// The time of day, in UTC: `12:00:03`.
#[must_use]
pub fn clock(at: Timestamp) -> String {
    let seconds = at.as_millis().rem_euclid(DAY_MILLIS) / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The day and the time of day, in UTC: `2025-01-10 12:00:03`.
#[must_use]
pub fn day_and_clock(at: Timestamp) -> String {
    let text = at.to_string();
    let day = text.split_once('T').map_or(text.as_str(), |(day, _)| day);
    format!("{day} {}", clock(at))
}

/// A length of time in at most two units: `0.3s`, `42s`, `3m 05s`, `2h 10m`, `3d 4h`.
#[must_use]
pub fn duration(time: Seconds) -> String {
    let seconds = time.get();
    if seconds < 59.5 {
        return if seconds < 9.95 { format!("{seconds:.1}s") } else { format!("{seconds:.0}s") };
    }
    let whole = time.as_millis().saturating_add(500) / 1000;
    match whole {
        0..3600 => format!("{}m {:02}s", whole / 60, whole % 60),
        3600..86_400 => format!("{}h {:02}m", whole / 3600, whole / 60 % 60),
        _ => format!("{}d {}h", whole / 86_400, whole / 3600 % 24),
    }
}

/// Time since the start of a run: `+0:10.5`, `+1:02:03`.
#[must_use]
pub fn offset(since: Seconds) -> String {
    let millis = since.as_millis();
    let (hours, minutes, seconds) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    match hours {
        0 => format!("+{minutes}:{seconds:02}.{}", millis / 100 % 10),
        _ => format!("+{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Dollars with the digits that matter: `$2,000.00`, `$0.0168`, `$0.02`.
#[must_use]
pub fn money(amount: Money) -> String {
    let micros = amount.micros();
    if micros >= 1_000_000 || micros.is_multiple_of(10_000) {
        let text = format!("{amount:.2}");
        let (dollars, cents) = text.split_once('.').unwrap_or((&text, "00"));
        return format!("${}.{cents}", dollars.parse().map_or_else(|_| dollars.to_owned(), thousands));
    }
    format!("${amount}")
}

/// A count with its thousands set apart: `9,960`.
#[must_use]
pub fn count(number: usize) -> String {
    thousands(u64::try_from(number).unwrap_or(u64::MAX))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent, from 0 to 100: `25%`. What is not finished never reads 100.
#[must_use]
pub fn percent(percentage: f64) -> String {
    let shown = if percentage >= 100.0 { 100.0 } else { percentage.max(0.0).floor() };
    format!("{shown:.0}%")
}

/// Confidence with two digits: `0.85`.
#[must_use]
pub fn confidence(confidence: Confidence) -> String {
    format!("{:.2}", confidence.get())
}

/// How often, in words: once, twice, 3 times.
#[must_use]
pub fn times(language: Language, count: u32) -> String {
    match count {
        1 => word_in!(language; "once", "una vez").to_owned(),
        2 => word_in!(language; "twice", "dos veces").to_owned(),
        count => in_language!(language; "{count} times", "{count} veces"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_lengths_read_naturally() {
        assert_eq!(clock(Timestamp::from_millis(-1)), "23:59:59");
        let at = "2025-01-10T12:00:03.250Z".parse().unwrap();
        assert_eq!(day_and_clock(at), "2025-01-10 12:00:03");
        let shown = |seconds| duration(Seconds::new(seconds).unwrap());
        assert_eq!(
            [0.0, 0.34, 9.96, 59.4, 59.6, 185.0, 7800.0, 273_600.0].map(shown),
            ["0.0s", "0.3s", "10s", "59s", "1m 00s", "3m 05s", "2h 10m", "3d 4h"]
        );
        assert_eq!(offset(Seconds::new(10.55).unwrap()), "+0:10.5");
        assert_eq!(offset(Seconds::new(3723.0).unwrap()), "+1:02:03");
    }

    #[test]
    fn amounts_keep_the_digits_that_matter() {
        let shown = |micros| money(Money::from_micros(micros));
        assert_eq!(
            [0, 20_000, 16_800, 5, 1_999_999, 2_000_000_000].map(shown),
            ["$0.00", "$0.02", "$0.0168", "$0.000005", "$2.00", "$2,000.00"]
        );
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([99.9, 100.0, f64::NAN, -3.0].map(percent), ["99%", "100%", "0%", "0%"]);
    }
}
