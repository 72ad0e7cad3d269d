//! When something takes place and by when it must be done. Reads ranges, single days and months, and gives
//! each the role that the words before it tell.

use candor_model::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::calendar::{self, Partial, days_after, days_between, month_name};
use super::relative::{self, When};
use super::text::{Text, is_among};
use super::{Dates, Extracted, Notes};

/// What a date is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Deadline,
    Start,
    End,
    Event,
}

/// All that was found, before it is put together.
#[derive(Debug, Default)]
struct Found {
    range: Option<(Date, Date)>,
    start: Option<Date>,
    end: Option<Date>,
    event: Option<Date>,
    words: Option<String>,
    deadline: Option<Date>,
}

/// A longer list of days says no more than its ends.
const MOST_DAYS: i64 = 366;

const DEADLINE: &[&str] =
    &["by", "before", "due", "deadline", "than", "tardar", "antes", "limite", "plazo", "entrega", "vence"];
#[rustfmt::skip]
const START: &[&str] = &[
    "starting", "start", "starts", "beginning", "begin", "begins", "from", "since", "departing", "departure",
    "leaving", "leave", "depart", "desde", "partir", "saliendo", "salida", "comenzando", "empezando",
    "inicio", "commencing", "salgo", "salimos", "kicking", "comienza", "empieza",
];
#[rustfmt::skip]
const END: &[&str] = &[
    "returning", "return", "returns", "ending", "ends", "end", "back", "home", "regresando", "regreso", "vuelta",
    "volviendo", "concluding", "conclude", "concludes", "finishing", "finish", "finishes", "through", "until", "till",
    "hasta", "regresar", "volver", "termina", "terminar", "acaba", "finaliza", "concluye",
];
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "on", "the", "el", "la", "day", "dia", "de", "del", "is", ":", "es", "date", "fecha", "early", "mid",
    "late", "-", "of", "end", "finales", "fin", "mediados", "principios", "no", "later", "mas", "off",
    "around",
];
#[rustfmt::skip]
const TO: &[&str] = &[
    "to", "through", "thru", "until", "till", "-", "up to", "al", "a", "hasta", "and ending on", "and ending",
    "and returning on", "and returning", ", ending on", "ending on", "and concluding on", "concluding on",
    "returning on", "and ends on", ", returning on", ", returning", ", concluding on", "y regresando el",
    "y volviendo el", "and ending by", "hasta el",
];

/// Words that tell of what has been: a date beside them without a year is the last one, not the next.
#[rustfmt::skip]
const PAST: &[&str] = &[
    "was", "were", "had", "did", "happened", "occurred", "failed", "crashed", "broke", "dropped", "fell", "rose", "lost",
    "sold", "received", "went", "started", "began", "ended", "released", "deployed", "spiked", "launched", "published",
    "signed", "ordered", "reported", "hubo", "fue", "fueron", "ocurrio", "fallo", "cayo", "perdimos", "vendimos",
    "recibimos", "empezo", "termino", "lanzamos", "publicamos", "firmamos", "desplegamos", "subieron", "bajaron",
];
/// How far from a date the year of its neighbour may stand.
const NEARBY: usize = 14;

/// Reads dates and deadline, and the duration that follows from them when none was `said`.
pub(super) fn fill(
    text: &Text<'_>,
    now: Timestamp,
    travel: bool,
    said: Option<u32>,
    extracted: &mut Extracted,
    notes: &mut Notes,
) {
    extracted.duration_days = said;
    let Some(today) = date_of(now) else { return };
    let mut reader = Reader { text, today, travel, found: Found::default(), notes };
    reader.read_all();
    let found = reader.found;
    settle(&found, said, (today, travel), extracted, notes);
}

fn date_of(now: Timestamp) -> Option<Date> {
    let now = jiff::Timestamp::from_millisecond(now.as_millis()).ok()?;
    Some(now.to_zoned(TimeZone::UTC).date())
}

struct Reader<'r, 't> {
    text: &'r Text<'t>,
    today: Date,
    travel: bool,
    found: Found,
    notes: &'r mut Notes,
}

impl Reader<'_, '_> {
    fn read_all(&mut self) {
        let mut at = 0;
        while at < self.text.len() {
            let next = self.range(at).or_else(|| self.single(at)).or_else(|| self.relative(at));
            if let Some(next) = next {
                self.notes.mark_used(at, next);
            }
            at = next.unwrap_or(0).max(at.saturating_add(1));
        }
    }

    /// `March 1st to 7th, 2022`, `del 3 al 7 de mayo`, `between May 30 and June 2`.
    fn range(&mut self, at: usize) -> Option<usize> {
        let first = self.range_start(at)?;
        let mut to = self.text.any_phrase(first.next, TO);
        if to.is_none() && matches!(self.text.before(at, 1), "between" | "entre") {
            to = self.text.any_phrase(first.next, &["and", "y", "&"]);
        }
        let second_at = to?;
        let second = calendar::read(self.text, second_at).or_else(|| self.bare_end(first, second_at))?;
        let (start, end) = self.join(first, second)?;
        match self.found.range {
            None => self.found.range = Some((start, end)),
            Some(known) if known != (start, end) => {
                self.notes.doubt(format!(
                    "Two ranges of dates are named: {} to {}, and {start} to {end}.",
                    known.0, known.1
                ));
            }
            Some(_) => {}
        }
        Some(second.next)
    }

    fn range_start(&self, at: usize) -> Option<Partial> {
        if let Some(full) = calendar::read(self.text, at) {
            return Some(full);
        }
        let (day, next) = calendar::bare_day(self.text, at)?;
        // Prices and counts are not days: "$5 to May".
        let counted = matches!(self.text.before(at, 1), "$" | "€" | "£" | "." | "/" | "-");
        (!counted).then_some(Partial { day: Some(day), next, ..Partial::default() })
    }

    fn bare_end(&self, first: Partial, at: usize) -> Option<Partial> {
        let (day, next) = calendar::bare_day(self.text, at)?;
        first.month.filter(|_| first.day.is_some())?;
        let counts = ["people", "days", "personas", "dias", "cities", "persons", "nights", "ciudades"];
        let (year, next) = match calendar::year_after(self.text, next) {
            Some((year, next)) => (Some(year), next),
            None => (None, next),
        };
        let end = Partial { day: Some(day), month: first.month, year, next, unclear: false };
        (!self.text.is(next, &counts)).then_some(end)
    }

    fn join(&mut self, first: Partial, second: Partial) -> Option<(Date, Date)> {
        let last_month = second.month.or(first.month)?;
        let first_month = first.month.or(second.month)?;
        // Without days the range is one of whole months, from the first day to the last.
        let first_day = first.day.or_else(|| second.day.is_none().then_some(1))?;
        let (start, end) = match (first.year, second.year) {
            (None, Some(year)) => {
                let end = last_of(second.day, last_month, year)?;
                let start = Date::new(year, first_month, first_day).ok()?;
                let start = if start > end {
                    Date::new(year.checked_sub(1)?, first_month, first_day).ok()?
                } else {
                    start
                };
                (start, end)
            }
            (year, end_year) => {
                let start = calendar::resolve(first_day, first_month, year, self.today)?;
                let end = last_of(second.day, last_month, end_year.unwrap_or(start.year()))?;
                let end = if end < start && end_year.is_none() {
                    last_of(second.day, last_month, start.year().checked_add(1)?)?
                } else {
                    end
                };
                (start, end)
            }
        };
        self.note_guesses(first, start, first.year.or(second.year).is_none());
        if end < start {
            self.notes.doubt(format!("The dates end before they start: {start} to {end}."));
            return None;
        }
        Some((start, end))
    }

    fn note_guesses(&mut self, said: Partial, date: Date, no_year: bool) {
        if no_year {
            let name = month_name(date.month());
            self.notes.guess(format!("the year of {name} {}: {}", date.day(), date.year()));
        }
        if said.unclear {
            let name = month_name(date.month());
            self.notes.guess(format!("the order of day and month: {name} {}", date.day()));
        }
    }

    fn single(&mut self, at: usize) -> Option<usize> {
        let said = calendar::read(self.text, at)?;
        let month = said.month?;
        let role = self.role(at);
        let Some(day) = said.day else {
            self.month(at, month, said, role);
            return Some(said.next);
        };
        // "24/7" and "1/2" are dates only where a date is announced.
        let slash = self.text.is(at.saturating_add(1), &["/"]) && said.year.is_none();
        let announced = [
            "by",
            "on",
            "before",
            "from",
            "due",
            "el",
            "del",
            "al",
            "to",
            "until",
            "para",
            "departing",
            "returning",
            "starting",
        ];
        if slash && !announced.contains(&self.text.before(at, 1)) {
            return None;
        }
        let date = self.dated(at, said, day, month)?;
        self.note_guesses(said, date, self.year_of(at, said).is_none());
        self.put(role, date);
        Some(said.next)
    }

    /// The day that is meant: in the year that is said, in that of a date beside it, in the past if the sentence
    /// tells of it, else the next one.
    fn dated(&self, at: usize, said: Partial, day: i8, month: i8) -> Option<Date> {
        let date = calendar::resolve(day, month, self.year_of(at, said), self.today)?;
        if said.year.is_none() && date > self.today && self.is_past(at) {
            return Date::new(date.year().checked_sub(1)?, month, day).ok();
        }
        Some(date)
    }

    /// The year of a date; without one, that of the next or the last date of the same sentence.
    fn year_of(&self, at: usize, said: Partial) -> Option<i16> {
        if said.year.is_some() {
            return said.year;
        }
        let month = said.month?;
        let end = self.text.window_end(said.next, NEARBY);
        let ahead =
            (said.next..end).find_map(|near| calendar::read(self.text, near).filter(|it| it.day.is_some()));
        let start = self.text.window_start(at, NEARBY);
        let behind =
            (start..at).rev().find_map(|near| calendar::read(self.text, near).filter(|it| it.year.is_some()));
        // Over the turn of a year, the earlier month is that of the later year.
        let ahead = ahead.and_then(|it| it.year?.checked_sub(i16::from(it.month? < month)));
        ahead.or_else(|| behind.and_then(|it| it.year?.checked_add(i16::from(month < it.month?))))
    }

    /// Whether the sentence tells of what has been.
    fn is_past(&self, at: usize) -> bool {
        let (start, end) = (self.text.window_start(at, NEARBY), self.text.window_end(at, NEARBY));
        let told = (start..end).any(|near| {
            self.text.is(near, PAST) && !self.text.is(near.saturating_sub(1), &["to", "be", "is", "are"])
        });
        !self.travel && (told || matches!(self.text.before(at, 1), "last" | "past" | "pasado"))
    }

    /// A month without a day: a deadline at its start or end, else a time in words.
    fn month(&mut self, at: usize, month: i8, said: Partial, role: Role) {
        let past = said.year.is_none() && self.is_past(at);
        let year = self.year_of(at, said).unwrap_or_else(|| {
            let this = calendar::year_of_month(month, self.today);
            let this = this
                .saturating_sub(i16::from(past && (this, month) > (self.today.year(), self.today.month())));
            let later = matches!(self.text.before(at, 1), "next" | "proximo") && month == self.today.month();
            this.saturating_add(i16::from(later))
        });
        let name = month_name(month);
        if said.year.is_none() {
            self.notes.guess(format!("the year of {name}: {year}"));
        }
        let Ok(first) = Date::new(year, month, 1) else { return };
        if role != Role::Deadline {
            self.found.words.get_or_insert(format!("{name} {year}"));
            return;
        }
        let ends = matches!(
            (self.text.before(at, 2), self.text.before(at, 1)),
            ("end" | "fin" | "finales", "of" | "de")
        );
        let day = if ends { first.last_of_month() } else { first };
        self.notes.guess(format!("the day of the deadline in {name}: {day}"));
        self.found.deadline.get_or_insert(day);
    }

    fn relative(&mut self, at: usize) -> Option<usize> {
        let (when, next) = relative::read(self.text, at, self.today)?;
        let role = self.role(at);
        let words = self.text.slice(at, next);
        let text = match when {
            When::Day(day) => {
                self.put(role, day);
                day.to_string()
            }
            When::FromNow(day) => {
                let in_days = self.text.slice(at, next).contains('d') && self.travel;
                // "three cities in 7 days" is a length of time; `duration` reads it.
                if in_days && self.found_days(next) {
                    return None;
                }
                self.put(if self.travel { Role::Start } else { Role::Deadline }, day);
                day.to_string()
            }
            When::Span(start, end) => {
                if role == Role::Deadline {
                    self.put(role, end);
                } else {
                    self.found.range.get_or_insert((start, end));
                }
                format!("{start} to {end}")
            }
            When::Words(text, last) => {
                match (role, last) {
                    (Role::Deadline, Some(last)) => self.put(role, last),
                    _ => drop(self.found.words.get_or_insert_with(|| text.clone())),
                }
                text
            }
        };
        self.notes.guess(format!("{words}: {text}"));
        Some(next)
    }

    fn found_days(&self, next: usize) -> bool {
        self.text.is(next.saturating_sub(1), &["day", "days", "dia", "dias"])
    }

    fn put(&mut self, role: Role, date: Date) {
        let found = &mut self.found;
        let slot = match role {
            Role::Deadline => &mut found.deadline,
            Role::Start => &mut found.start,
            Role::End => &mut found.end,
            Role::Event => &mut found.event,
        };
        slot.get_or_insert(date);
    }

    fn role(&self, at: usize) -> Role {
        let mut passed_place = false;
        for back in 1..=7 {
            let key = self.text.before(at, back);
            // "returning to Denver on March 9": the place stands between the date and its role, and its
            // "from" is not that of the date.
            let place = key == "to" || at.checked_sub(back).is_some_and(|near| self.text.is_capital(near));
            passed_place |= place;
            let of_place = passed_place && matches!(key, "from" | "desde");
            if !of_place && let Some(role) = self.told_by(key, self.text.before(at, back.saturating_add(1))) {
                return role;
            }
            let hour = key.parse::<u8>().is_ok() || matches!(key, "am" | "pm" | "noon" | "midnight");
            if !is_among(key, BETWEEN) && !hour && !place && !of_place {
                break;
            }
        }
        Role::Event
    }

    /// The role that a word gives to the date after it; `earlier` is the word before that.
    fn told_by(&self, key: &str, earlier: &str) -> Option<Role> {
        if is_among(key, DEADLINE) {
            return Some(if is_among(earlier, END) { Role::End } else { Role::Deadline });
        }
        if is_among(key, START) {
            return Some(Role::Start);
        }
        if is_among(key, END) {
            let open = matches!(key, "until" | "till" | "hasta") && !self.travel;
            return Some(if open { Role::Deadline } else { Role::End });
        }
        (key == "para").then_some(if self.travel { Role::Event } else { Role::Deadline })
    }
}

/// The day given, or the last of the month.
fn last_of(day: Option<i8>, month: i8, year: i16) -> Option<Date> {
    match day {
        Some(day) => Date::new(year, month, day).ok(),
        None => Some(Date::new(year, month, 1).ok()?.last_of_month()),
    }
}

/// Puts what was found together: a start and a duration give an end, exact dates give a duration.
fn settle(
    found: &Found,
    said: Option<u32>,
    (today, travel): (Date, bool),
    extracted: &mut Extracted,
    notes: &mut Notes,
) {
    let length = said.and_then(|days| i64::from(days).checked_sub(1)).filter(|&days| days <= MOST_DAYS);
    let start = found.start.or(found.event.filter(|_| travel && (length.is_some() || found.end.is_some())));
    let range = found.range.or_else(|| match (start, found.end, length) {
        (Some(start), Some(end), _) if start <= end => Some((start, end)),
        (Some(start), None, Some(length)) => Some((start, days_after(start, length)?)),
        (None, Some(end), Some(length)) => Some((days_after(end, length.checked_neg()?)?, end)),
        _ => None,
    });
    if let (Some(start), Some(end)) = (start, found.end)
        && range.is_none()
    {
        notes.doubt(format!("The dates end before they start: {start} to {end}."));
    }
    extracted.deadline = found.deadline.map(|day| day.to_string());
    if let Some((start, end)) = range {
        set_range(start, end, extracted, notes);
        if end < today {
            notes.doubt(format!("The dates lie in the past: they end on {end}, today is {today}."));
        }
        return;
    }
    extracted.start_date = start.map(|day| day.to_string());
    extracted.end_date = found.end.map(|day| day.to_string());
    extracted.dates = match (found.event, found.words.clone()) {
        (Some(day), _) => Some(Dates::Days(vec![day.to_string()])),
        (None, words) => words.map(Dates::Text),
    };
}

fn set_range(start: Date, end: Date, extracted: &mut Extracted, notes: &mut Notes) {
    let days = days_between(start, end).saturating_add(1);
    extracted.start_date = Some(start.to_string());
    extracted.end_date = Some(end.to_string());
    extracted.dates = Some(if days <= MOST_DAYS {
        Dates::Days((0..days).filter_map(|more| days_after(start, more)).map(|day| day.to_string()).collect())
    } else {
        Dates::Text(format!("{start} to {end}"))
    });
    let spanned = u32::try_from(days).ok();
    match (extracted.duration_days, spanned) {
        (None, spanned) => extracted.duration_days = spanned,
        (Some(said), Some(spanned)) if said != spanned => {
            notes.doubt(format!("The duration is said to be {said} days, but the dates span {spanned}."));
        }
        _ => {}
    }
}
