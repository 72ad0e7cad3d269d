//! Dates as they are written: a day, a month, a year, each said or not. What a date is for is decided in
//! `dates`; the year that was not said is found here, as the next one that fits.

use jiff::civil::Date;

use super::Language;
use super::text::Text;

/// A date of which only some parts may be said, and the position after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Partial {
    pub(super) day: Option<i8>,
    pub(super) month: Option<i8>,
    pub(super) year: Option<i16>,
    pub(super) next: usize,
    /// The order of day and month had to be guessed.
    pub(super) unclear: bool,
}

const MONTHS: [(&str, &str, &[&str]); 12] = [
    ("january", "enero", &["jan", "ene"]),
    ("february", "febrero", &["feb"]),
    ("march", "marzo", &["mar"]),
    ("april", "abril", &["apr", "abr"]),
    ("may", "mayo", &[]),
    ("june", "junio", &["jun"]),
    ("july", "julio", &["jul"]),
    ("august", "agosto", &["aug", "ago"]),
    ("september", "septiembre", &["sep", "sept", "setiembre"]),
    ("october", "octubre", &["oct"]),
    ("november", "noviembre", &["nov"]),
    ("december", "diciembre", &["dec", "dic"]),
];
const NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [(&str, &str); 7] = [
    ("monday", "lunes"),
    ("tuesday", "martes"),
    ("wednesday", "miercoles"),
    ("thursday", "jueves"),
    ("friday", "viernes"),
    ("saturday", "sabado"),
    ("sunday", "domingo"),
];

/// The English name of a month.
pub(super) fn month_name(month: i8) -> &'static str {
    usize::try_from(month).ok().and_then(|month| NAMES.get(month.checked_sub(1)?)).copied().unwrap_or("")
}

/// Tells whether a word is the full name of a month.
pub(super) fn is_month_name(key: &str) -> bool {
    MONTHS.iter().any(|(english, spanish, _)| key == *english || key == *spanish)
}

/// The number of a weekday, Monday being 0.
pub(super) fn weekday(key: &str) -> Option<i8> {
    let place = WEEKDAYS.iter().position(|(english, spanish)| {
        key == *english
            || key == *spanish
            || (key.len() == 3 && english.starts_with(key) && !matches!(key, "sun" | "sat"))
    })?;
    i8::try_from(place).ok()
}

/// The number of a month; its short forms only where a day or a year stands beside it.
pub(super) fn month(text: &Text<'_>, at: usize) -> Option<i8> {
    let key = text.key(at);
    let beside = text.is_number(at.saturating_add(1))
        || (text.is(at.saturating_add(1), &[".", "the"]) && text.is_number(at.saturating_add(2)))
        || (at > 0 && (text.is_number(at.saturating_sub(1)) || is_suffix(text, at.saturating_sub(1))))
        || (text.is(at.saturating_sub(1), &["of", "de", "-", "/"]) && text.is_number(at.saturating_sub(2)));
    let place = MONTHS.iter().position(|(english, spanish, short)| {
        let full = key == *english || key == *spanish;
        full || (beside && short.contains(&key))
    })?;
    // "may" and "march" are also verbs.
    let verb = matches!(key, "may" | "march") && !beside && !text.is_capital(at) && !is_lower_month(text, at);
    if verb { None } else { i8::try_from(place.saturating_add(1)).ok() }
}

fn is_lower_month(text: &Text<'_>, at: usize) -> bool {
    matches!(text.before(at, 1), "in" | "of" | "next" | "this" | "during" | "early" | "late" | "mid" | "-")
        && !text.is(at.saturating_add(1), &["be", "have", "not", "also"])
}

fn is_suffix(text: &Text<'_>, at: usize) -> bool {
    text.is(at, &["st", "nd", "rd", "th", "º", "°", "ro", "er", "o"]) && text.is_glued(at)
}

/// A date that has at least a month.
pub(super) fn read(text: &Text<'_>, at: usize) -> Option<Partial> {
    let at = skip_weekday(text, at);
    numeric(text, at).or_else(|| month_first(text, at)).or_else(|| day_first(text, at))
}

/// Steps over `Monday,` and `the` before a date.
fn skip_weekday(text: &Text<'_>, at: usize) -> usize {
    let mut next = at;
    if weekday(text.key(next)).is_some() {
        next = next.saturating_add(1);
        next = next.saturating_add(usize::from(text.is(next, &[","])));
    }
    text.any_phrase(next, &["the", "el dia", "el", "dia"]).unwrap_or(next)
}

/// The day alone: `7`, `7th`, `the 7th`.
pub(super) fn bare_day(text: &Text<'_>, at: usize) -> Option<(i8, usize)> {
    let at = skip_weekday(text, at);
    let next = at.saturating_add(1);
    if text.is(at, &["first", "primero"]) {
        return Some((1, next));
    }
    let written = text.get(at).filter(|_| text.is_number(at))?.text;
    let day: i8 = written.parse().ok().filter(|day| (1..=31).contains(day))?;
    Some((day, next.saturating_add(usize::from(is_suffix(text, next)))))
}

fn year(text: &Text<'_>, at: usize) -> Option<(i16, usize)> {
    let written = text.get(at).filter(|_| text.is_number(at))?.text;
    let year: i16 = written.parse().ok()?;
    (written.len() == 4 && (1900..=2199).contains(&year)).then_some((year, at.saturating_add(1)))
}

/// A year after an optional joint: `, 2022`, `de 2022`.
pub(super) fn year_after(text: &Text<'_>, at: usize) -> Option<(i16, usize)> {
    let joint = text.any_phrase(at, &[", de", "del ano", ",", "de", "del", "of", "'"]).unwrap_or(at);
    year(text, joint)
}

/// `2022-03-01`, `3/1/2022`, `1.3.2022`, `3/15`.
fn numeric(text: &Text<'_>, at: usize) -> Option<Partial> {
    let first = text.get(at).filter(|_| text.is_number(at))?.text;
    if first.matches('.').count() == 2 {
        let mut parts = first.split('.').map(str::parse::<i16>);
        let (day, month, year) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        return partial(day, month, Some(year), at.saturating_add(1), false);
    }
    let (sep, second_at) = (at.saturating_add(1), at.saturating_add(2));
    let mark = text.key(sep);
    if !matches!(mark, "/" | "-")
        || !text.is_glued(sep)
        || !text.is_number(second_at)
        || !text.is_glued(second_at)
    {
        return None;
    }
    let (one, two): (i16, i16) = (first.parse().ok()?, text.get(second_at)?.text.parse().ok()?);
    let third_at = second_at.saturating_add(2);
    let third = text
        .get(third_at)
        .filter(|_| {
            text.key(second_at.saturating_add(1)) == mark
                && text.is_number(third_at)
                && text.is_glued(third_at)
        })
        .and_then(|token| token.text.parse::<i16>().ok());
    match third {
        Some(three) if first.len() == 4 => partial(three, two, Some(one), third_at.saturating_add(1), false),
        Some(three) => ordered(text.language, one, two, Some(three), third_at.saturating_add(1)),
        None if mark == "/" => ordered(text.language, one, two, None, second_at.saturating_add(1)),
        None => None,
    }
}

/// Month first in English, day first in Spanish, unless only the other order can be.
fn ordered(language: Language, one: i16, two: i16, year: Option<i16>, next: usize) -> Option<Partial> {
    let year = year.map(|year| if year < 100 { year.saturating_add(2000) } else { year });
    let unclear = one <= 12 && two <= 12 && one != two;
    let month_first = (language == Language::En && one <= 12) || two > 12;
    let (month, day) = if month_first { (one, two) } else { (two, one) };
    partial(day, month, year, next, unclear)
}

fn partial(day: i16, month: i16, year: Option<i16>, next: usize, unclear: bool) -> Option<Partial> {
    let day = i8::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
    let month = i8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    Some(Partial { day: Some(day), month: Some(month), year, next, unclear })
}

/// `March 1st, 2022`, `March 2022`, `March`.
fn month_first(text: &Text<'_>, at: usize) -> Option<Partial> {
    let month = month(text, at)?;
    let mut after = at.saturating_add(1);
    after =
        after.saturating_add(usize::from(text.is(after, &["."]) && text.is_number(after.saturating_add(1))));
    let mut found = Partial { month: Some(month), next: after, ..Partial::default() };
    if let Some((year, next)) = year_after(text, after) {
        return Some(Partial { year: Some(year), next, ..found });
    }
    if let Some((day, next)) = bare_day(text, after).filter(|(_, next)| !is_counting(text, *next)) {
        found.day = Some(day);
        found.next = next;
    }
    if let Some((year, next)) = year_after(text, found.next) {
        found.year = Some(year);
        found.next = next;
    }
    Some(found)
}

/// Whether the number before `next` counts something: "in March 3 people".
fn is_counting(text: &Text<'_>, next: usize) -> bool {
    text.is(next, &["people", "days", "personas", "dias", "nights", "persons", "adults", "%", "cities"])
}

/// `1st of March 2022`, `3 de junio de 2025`, `3 June`.
fn day_first(text: &Text<'_>, at: usize) -> Option<Partial> {
    let (day, next) = bare_day(text, at)?;
    let joint = text.any_phrase(next, &["of", "de", "del mes de", "del"]).unwrap_or(next);
    let month = month(text, joint)?;
    let mut found =
        Partial { day: Some(day), month: Some(month), next: joint.saturating_add(1), ..Partial::default() };
    if let Some((year, next)) = year_after(text, found.next) {
        found.year = Some(year);
        found.next = next;
    }
    Some(found)
}

/// The first date from `today` on that has these parts, or the very date when its year is said.
pub(super) fn resolve(day: i8, month: i8, year: Option<i16>, today: Date) -> Option<Date> {
    match year {
        Some(year) => Date::new(year, month, day).ok(),
        // Four years on, there was a February 29 (but for turns of the century).
        None => (0..=8)
            .filter_map(|more| Date::new(today.year().checked_add(more)?, month, day).ok())
            .find(|date| *date >= today),
    }
}

/// The year of the next such month, counting the present one.
pub(super) fn year_of_month(month: i8, today: Date) -> i16 {
    if month >= today.month() { today.year() } else { today.year().saturating_add(1) }
}

/// The day so many days on.
pub(super) fn days_after(date: Date, days: i64) -> Option<Date> {
    date.checked_add(jiff::SignedDuration::from_hours(days.checked_mul(24)?)).ok()
}

/// The number of days from one date to another, negative if it lies before.
pub(super) fn days_between(one: Date, other: Date) -> i64 {
    one.duration_until(other).as_hours() / 24
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_however_they_are_written() {
        for text in [
            "March 1st, 2022",
            "1 March 2022",
            "the 1st of March, 2022",
            "2022-03-01",
            "3/1/2022",
            "Mar. 1, 2022",
            "Tuesday, March 1, 2022",
            "1 de marzo de 2022 para el viaje",
            "1.3.2022",
            "03/01/22",
            "el 1/3/2022 en la",
        ] {
            let read = read(&Text::new(text), 0).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.day, read.month, read.year), (Some(1), Some(3), Some(2022)), "{text}");
        }
    }

    #[test]
    fn a_month_without_a_year_is_the_next_one() {
        let today = Date::constant(2025, 6, 10);
        assert_eq!(year_of_month(5, today), 2026);
        assert_eq!(year_of_month(6, today), 2025);
        assert_eq!(resolve(9, 6, None, today), Some(Date::constant(2026, 6, 9)));
        assert_eq!(resolve(29, 2, None, today), Some(Date::constant(2028, 2, 29)));
        assert_eq!(resolve(31, 2, None, today), None);
    }
}
