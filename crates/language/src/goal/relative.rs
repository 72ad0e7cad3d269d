//! Times said in relation to the present: tomorrow, next month, by Friday, in two weeks, this summer.
//!
//! Every answer is a guess in the sense of this module: it rests on the `today` that was handed in.

use jiff::civil::Date;

use super::calendar::{days_after, month_name, weekday};
use super::numbers;
use super::text::Text;

/// A time found from the present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum When {
    Day(Date),
    Span(Date, Date),
    /// A month, season or year in words, with its last day.
    Words(String, Option<Date>),
    /// So many days or weeks from now: a start for a journey, a deadline for other work.
    FromNow(Date),
}

const NEXT: &[&str] = &["next", "coming", "upcoming", "following", "proximo", "proxima", "siguiente"];
const THIS: &[&str] = &["this", "este", "esta"];
/// What must stand before a weekday for it to be a date and not a habit.
#[rustfmt::skip]
const BEFORE_WEEKDAY: &[&str] = &[
    "by", "on", "before", "until", "till", "from", "due", "el", "del", "al", "para", "desde", "hasta",
    "starting", "departing", "leaving", "returning", ":", "deadline", "since", "than",
];

/// The time that starts here, and the position after it.
pub(super) fn read(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    day_word(text, at, today)
        .or_else(|| end_of(text, at, today))
        .or_else(|| period(text, at, today))
        .or_else(|| from_now(text, at, today))
        .or_else(|| quarter(text, at, today))
        .or_else(|| on_weekday(text, at, today))
}

fn day_word(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let after = at.saturating_add(1);
    let (days, next) = match text.key(at) {
        "today" | "tonight" | "hoy" => (0, after),
        "tomorrow" => (1, after),
        // "mañana" is also "morning".
        "manana" if !matches!(text.before(at, 1), "la" | "una" | "cada" | "esta") => (1, after),
        "day" if text.phrase(at, "day after tomorrow").is_some() => (2, at.saturating_add(3)),
        "pasado" if text.key(after) == "manana" => (2, at.saturating_add(2)),
        _ => return None,
    };
    Some((When::Day(days_after(today, days)?), next))
}

/// `end of the month`, `fin de mes`, `finales de año`.
fn end_of(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let of = text.any_phrase(at, &["end of", "fin de", "finales de", "eod", "eow"])?;
    let unit = text.any_phrase(of, &["the", "this", "el", "la", "este", "esta"]).unwrap_or(of);
    let later = usize::from(text.is(unit, NEXT));
    let month = today.last_of_month();
    let day = match (text.key(unit.saturating_add(later)), later) {
        ("month" | "mes", 0) => month,
        ("month" | "mes", _) => month.tomorrow().ok()?.last_of_month(),
        ("week" | "semana", later) if text.key(at) != "fin" => {
            days_after(monday(today)?, 4 + 7 * i64::try_from(later).ok()?)?
        }
        ("year" | "ano", _) => Date::new(today.year(), 12, 31).ok()?,
        ("quarter" | "trimestre", _) => quarter_end(today.year(), (today.month() - 1) / 3 + 1)?,
        ("day" | "dia", 0) => today,
        _ => return None,
    };
    Some((When::Day(day), unit.saturating_add(later).saturating_add(1)))
}

/// `next week`, `this weekend`, `el próximo mes`, `el mes que viene`, `next summer`.
fn period(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let named = at.saturating_add(1);
    if text.is(at, NEXT) {
        // "el próximo viernes" is the coming one; "next Friday" is the one of next week.
        let coming = !text.is(at, &["next", "following"]) && weekday(text.key(named)).is_some();
        return unit(text, named, !coming, today);
    }
    if text.is(at, THIS) {
        let later = text.is(named, NEXT);
        if let Some(found) = this_season(text, named, today) {
            return Some(found);
        }
        return unit(text, named.saturating_add(usize::from(later)), later, today);
    }
    if let Some(season) = text.any_phrase(at, &["in", "during", "en", "durante"])
        && let Some(found) = in_season(text, season, false, today)
    {
        return Some(found);
    }
    let (found, next) = unit(text, at, true, today)?;
    Some((found, text.any_phrase(next, &["que viene", "proximo", "proxima"])?))
}

fn unit(text: &Text<'_>, at: usize, later: bool, today: Date) -> Option<(When, usize)> {
    let next = at.saturating_add(1);
    let weeks = if later { 7 } else { 0 };
    if let Some(after) = text.any_phrase(at, &["weekend", "fin de semana", "long weekend"]) {
        let saturday = days_after(monday(today)?, 5 + weeks)?;
        return Some((When::Span(saturday, days_after(saturday, 1)?), after));
    }
    if let Some(day) = weekday(text.key(at)) {
        let this_week = days_after(monday(today)?, i64::from(day) + weeks)?;
        let day = if this_week < today { days_after(this_week, 7)? } else { this_week };
        return Some((When::Day(day), next));
    }
    let when = match text.key(at) {
        "week" | "semana" => {
            let monday = days_after(monday(today)?, weeks)?;
            When::Span(monday, days_after(monday, 6)?)
        }
        "month" | "mes" => {
            let day = if later { today.last_of_month().tomorrow().ok()? } else { today };
            When::Words(format!("{} {}", month_name(day.month()), day.year()), Some(day.last_of_month()))
        }
        "year" | "ano" => {
            let year = today.year().checked_add(i16::from(later))?;
            When::Words(year.to_string(), Date::new(year, 12, 31).ok())
        }
        _ => return in_season(text, at, later, today),
    };
    Some((when, next))
}

/// `this spring` is that of this year, also when it is over: what is told of it has been.
fn this_season(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let (when, next) = in_season(text, at, false, today)?;
    let When::Words(words, Some(end)) = when else { return None };
    let (name, _) = words.split_once(' ')?;
    let winter = end.month() < 4;
    let end = Date::new(if winter { end.year() } else { today.year() }, end.month(), end.day()).ok()?;
    Some((When::Words(format!("{name} {}", end.year()), Some(end)), next))
}

/// A season of the northern half of the world, the next one that has not ended.
fn in_season(text: &Text<'_>, at: usize, later: bool, today: Date) -> Option<(When, usize)> {
    let (name, last) = match text.key(at) {
        "spring" | "primavera" => ("spring", 6),
        "summer" | "verano" => ("summer", 9),
        "autumn" | "fall" | "otono" => ("autumn", 12),
        "winter" | "invierno" => ("winter", 3),
        _ => return None,
    };
    let end = |year: i16| Date::new(year, last, 20).ok();
    let this = end(today.year())?;
    let year = today.year().checked_add(i16::from(this < today || (later && this.month() < 4)))?;
    Some((When::Words(format!("{name} {year}"), end(year)), at.saturating_add(1)))
}

/// `in two weeks`, `within 10 days`, `in the next 3 days`, `dentro de un mes`.
fn from_now(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let lead = text.any_phrase(
        at,
        &[
            "within the next",
            "in the next",
            "within",
            "in",
            "dentro de",
            "en los proximos",
            "en las proximas",
            "en menos de",
            "en",
        ],
    )?;
    let number = numbers::read_or_article(text, lead)?;
    let each = match text.key(number.next) {
        "day" | "days" | "dia" | "dias" => 1,
        "week" | "weeks" | "semana" | "semanas" => 7,
        "month" | "months" | "mes" | "meses" => 30,
        _ => return None,
    };
    let days = i64::from(number.whole()?).checked_mul(each).filter(|&days| days <= 36_500)?;
    Some((When::FromNow(days_after(today, days)?), number.next.saturating_add(1)))
}

/// `Q3`, `Q3 2025`, `end of Q3`.
fn quarter(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let number =
        text.key(at).strip_prefix('q')?.parse::<i8>().ok().filter(|number| (1..=4).contains(number))?;
    let after = at.saturating_add(1);
    let said =
        text.get(after).filter(|_| text.is_number(after)).and_then(|token| token.text.parse::<i16>().ok());
    let said = said.filter(|year| (1900..=2199).contains(year));
    let this = quarter_end(said.unwrap_or(today.year()), number)?;
    let end = if said.is_none() && this < today {
        quarter_end(today.year().checked_add(1)?, number)?
    } else {
        this
    };
    let next = after.saturating_add(usize::from(said.is_some()));
    Some((When::Words(format!("Q{number} {}", end.year()), Some(end)), next))
}

fn quarter_end(year: i16, number: i8) -> Option<Date> {
    Some(Date::new(year, number.checked_mul(3)?, 1).ok()?.last_of_month())
}

fn on_weekday(text: &Text<'_>, at: usize, today: Date) -> Option<(When, usize)> {
    let day = weekday(text.key(at)).filter(|_| BEFORE_WEEKDAY.contains(&text.before(at, 1)))?;
    let this_week = days_after(monday(today)?, i64::from(day))?;
    let date = if this_week <= today { days_after(this_week, 7)? } else { this_week };
    Some((When::Day(date), at.saturating_add(1)))
}

fn monday(today: Date) -> Option<Date> {
    days_after(today, -i64::from(today.weekday().to_monday_zero_offset()))
}
