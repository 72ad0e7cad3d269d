//! How long something takes, as said in words. What follows from dates is for `dates`.

use super::text::{Text, is_among};
use super::{Notes, numbers};

/// A duration as found, with how clearly it is the duration of the whole.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    days: u32,
    strength: u8,
    from: usize,
    next: usize,
    guessed: Option<&'static str>,
}

/// What takes time: the word after `5-day`.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "trip", "travel", "journey", "vacation", "holiday", "tour", "itinerary", "plan", "getaway", "stay",
    "adventure", "visit", "excursion", "expedition", "viaje", "estancia", "itinerario", "escapada",
    "recorrido", "vacaciones", "retreat", "break", "visita", "solo", "voyage", "course", "project", "sprint",
    "workshop", "conference",
];
/// Words right before a duration that make it one.
#[rustfmt::skip]
const LEADS: &[&str] = &[
    "for", "over", "of", "spanning", "lasting", "span", "during", "durante", "de", "por", "total", "takes",
    "spend", "lasts", "dura", "covering", "across", "about", "approximately", "around", "spans", "covers",
    "duration", "is", ":", "throughout", "spread", "unos", "within",
];
/// Words right before a time that make it a point in time, a rate or a part.
#[rustfmt::skip]
const NOT_LENGTHS: &[&str] = &[
    "next", "this", "every", "each", "per", "last", "past", "proxima", "proximo", "esta", "este", "cada",
    "pasada", "in", "en", "dentro", "coming", "following", "prior", "proximos", "proximas", "once", "twice",
];
/// Words right after that do the same.
const NOT_AFTER: &[&str] =
    &["ago", "later", "before", "after", "earlier", "old", "antes", "despues", "earliest"];

/// Finds the number of days that is said, and says how it was guessed if it was.
pub(super) fn find(text: &Text<'_>, travel: bool, notes: &mut Notes) -> Option<u32> {
    let mut best: Option<Candidate> = None;
    let mut at = 0;
    while at < text.len() {
        let Some(found) = candidate(text, at, travel) else {
            at = at.saturating_add(1);
            continue;
        };
        notes.mark_used(found.from, found.next);
        at = found.next.max(at.saturating_add(1));
        match best {
            Some(known) if known.strength >= found.strength => note_conflict(known, found, notes),
            _ => best = Some(found),
        }
    }
    let best = best?;
    if let Some(why) = best.guessed {
        notes.guess(format!("the duration: {} days, {why}", best.days));
    }
    Some(best.days)
}

fn note_conflict(known: Candidate, found: Candidate, notes: &mut Notes) {
    let clear = known.strength >= 3 && found.strength >= 3;
    if clear && known.days != found.days && known.guessed.is_none() && found.guessed.is_none() {
        notes.doubt(format!("Two durations are named: {} days and {} days.", known.days, found.days));
    }
}

fn candidate(text: &Text<'_>, at: usize, travel: bool) -> Option<Candidate> {
    counted(text, at, travel).or_else(|| named(text, at, travel))
}

/// `5 days`, `five-day`, `a week`, `dos semanas`, `3 nights`.
fn counted(text: &Text<'_>, at: usize, travel: bool) -> Option<Candidate> {
    let article = text.is(at, &["a", "an", "un", "una"]);
    let number = numbers::read_or_article(text, at)?;
    let hyphen = usize::from(text.key(number.next) == "-");
    let mut unit = number.next.saturating_add(hyphen);
    let full = text.is(unit, &["full", "whole", "consecutive", "entire", "solid", "completos", "short"]);
    unit = unit.saturating_add(usize::from(full));
    let (each, guessed) = unit_days(text.key(unit))?;
    let days = number.whole()?.checked_mul(each)?;
    let days = if matches!(text.key(unit), "night" | "nights" | "noche" | "noches") {
        days.checked_add(1)?
    } else {
        days
    };
    let next = unit.saturating_add(1);
    let before = text.before(at, 1);
    // "$100 a day" is a rate and "a day trip" is one day; "a day" alone says nothing.
    let vague = article && each == 1 && !text.is(next, WHOLE) && !matches!(before, "for" | "por" | "durante");
    if days == 0 || vague || (article && is_rate(text, at)) || is_point(text, at, next, travel) {
        return None;
    }
    Some(Candidate { days, strength: strength(text, at, next, hyphen == 1), from: at, next, guessed })
}

/// `$3,000 a month`, `two posts a week`: an article behind an amount makes a rate.
fn is_rate(text: &Text<'_>, at: usize) -> bool {
    let amount = |back: usize| {
        at.checked_sub(back).is_some_and(|near| {
            text.same_sentence(near, at)
                && text.get(near).is_some_and(|token| token.counts || token.kind == super::text::Kind::Name)
        })
    };
    let multiplied =
        matches!(text.before(at, 1), "k" | "m" | "thousand" | "million" | "mil" | "once" | "twice" | "times");
    let of_money =
        super::money::is_currency(text.before(at, 1)) || matches!(text.before(at, 1), "€" | "£" | "$");
    let counted = amount(2)
        && !text
            .is(at.saturating_sub(1), &["for", "over", "in", ",", "and", "y", "por", "durante", "of", "de"]);
    amount(1) || multiplied || of_money || counted
}

fn unit_days(key: &str) -> Option<(u32, Option<&'static str>)> {
    Some(match key {
        "day" | "days" | "dia" | "dias" => (1, None),
        "week" | "weeks" | "semana" | "semanas" => (7, None),
        "fortnight" | "quincena" => (14, None),
        "night" | "nights" | "noche" | "noches" => (1, Some("one more than the nights")),
        "month" | "months" | "mes" | "meses" => (30, Some("a month taken as 30 days")),
        _ => return None,
    })
}

/// Whether a time is a point, a rate or a notice, and no length.
fn is_point(text: &Text<'_>, at: usize, next: usize, travel: bool) -> bool {
    let before = text.before(at, 1);
    // "three cities in 7 days" is a length; "a trip in two weeks" is a point, and so is all other work.
    let in_days = travel && is_in_days(text, at, next);
    let soon = before == "within" && !travel;
    let aged = matches!(before, "than" | "de")
        && matches!(text.before(at, 2), "older" | "newer" | "younger" | "antiguos" | "antiguas");
    let point = (is_among(before, NOT_LENGTHS) && !in_days) || aged;
    soon || point || text.is(next, NOT_AFTER) || text.is(next, &["notice"])
}

fn is_in_days(text: &Text<'_>, at: usize, next: usize) -> bool {
    matches!(text.before(at, 1), "in" | "en")
        && text.is(next.saturating_sub(1), &["day", "days", "dia", "dias"])
}

fn strength(text: &Text<'_>, at: usize, next: usize, hyphen: bool) -> u8 {
    if is_in_days(text, at, next) {
        return 1;
    }
    let long = usize::from(text.key(next) == "-").saturating_mul(2);
    let whole = (next..text.window_end(next, 4)).any(|near| text.is(near.saturating_add(long), WHOLE));
    if whole && (hyphen || text.is(next.saturating_add(long), WHOLE)) {
        4
    } else if LEADS.contains(&text.before(at, 1)) || whole {
        3
    } else {
        2
    }
}

/// `week-long`, `weekend`, `long weekend`, `fin de semana`, `a couple of days`.
fn named(text: &Text<'_>, at: usize, travel: bool) -> Option<Candidate> {
    const LONG: &[(&str, u32)] =
        &[("week - long", 7), ("weeklong", 7), ("month - long", 30), ("day - long", 1), ("weeks - long", 7)];
    let point = NOT_LENGTHS.contains(&text.before(at, 1));
    if let Some((days, next)) =
        LONG.iter().find_map(|(phrase, days)| text.phrase(at, phrase).map(|next| (*days, next)))
    {
        return Some(Candidate { days, strength: 3, from: at, next, guessed: None });
    }
    if let Some(next) = text.any_phrase(at, &["couple of days", "par de dias"]) {
        return Some(Candidate {
            days: 2,
            strength: 2,
            from: at,
            next,
            guessed: Some("a couple taken as two"),
        });
    }
    if let Some(next) = text.any_phrase(at, &["long weekend", "fin de semana largo", "puente"]) {
        let said = travel && text.key(at) != "puente";
        return said.then_some(Candidate {
            days: 3,
            strength: 1,
            from: at,
            next,
            guessed: Some("a long weekend taken as three"),
        });
    }
    let next = text.any_phrase(at, &["weekend", "fin de semana"]).filter(|_| travel && !point)?;
    Some(Candidate { days: 2, strength: 1, from: at, next, guessed: Some("a weekend taken as two") })
}
