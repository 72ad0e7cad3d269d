//! Numbers that are neither a day, nor money, nor a length of time, whatever stands around them: versions, addresses,
//! codes, places in a text, rates. They are taken off the other readers' hands before these look at the text.

use super::text::{Text, is_among};
use super::{Amount, Extracted, Quantity, calendar, numbers, push_new};

/// Words right before a number that make it the name of one thing out of many.
#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "article", "build", "case", "chapter", "code", "cve", "error", "errors", "exit", "figure", "gate", "http", "https",
    "id", "invoice", "iso", "issue", "item", "layer", "level", "line", "lines", "node", "order", "page", "pid", "port",
    "ports", "pr", "question", "release", "rfc", "room", "row", "rows", "section", "shard", "sprint", "status", "step", "ticket",
    "version", "versions", "volume", "articulo", "capitulo", "codigo", "estado", "factura", "fila", "incidencia",
    "linea", "nivel", "pagina", "paso", "pedido", "pregunta", "puerto", "puertos", "sala", "seccion",
    "tarea", "tomo", "#", "nº",
];
/// The same, where the number is not the first of something counted: "request 482", but "request 3 quotes".
const ALSO_VERBS: &[&str] =
    &["request", "bug", "task", "phase", "fase", "part", "parte", "number", "no", "numero"];
/// Words that a version stands behind, beside the capital of a product's name.
const VERSIONED: &[&str] =
    &["v", "version", "versions", "release", "java", "node", "npm", "python", "php", "go", "rust"];
/// What a rate is counted in when it is no price.
const TIMES: &[&str] = &[
    "s", "sec", "second", "minute", "min", "hour", "h", "day", "week", "month", "year", "segundo", "minuto",
    "hora", "dia", "semana", "mes", "ano", "node", "user", "usuario",
];
/// Statuses of HTTP that speak of failure: "502s" are not 502 seconds.
const FAILED_STATUS: std::ops::RangeInclusive<u16> = 400..=599;

/// Marks every such number as a name, and lists the rates among the quantities.
pub(super) fn claim(text: &mut Text<'_>, extracted: &mut Extracted) {
    let mut at = 0;
    while at < text.len() {
        let next = if text.is_number(at) { figure(text, at, extracted) } else { None };
        if let Some(next) = next {
            text.rename(at, next);
        }
        at = next.unwrap_or(0).max(at.saturating_add(1));
    }
}

/// The position after the number that begins here, if it is none of the three.
fn figure(text: &Text<'_>, at: usize, extracted: &mut Extracted) -> Option<usize> {
    let after = at.saturating_add(1);
    if is_version(text, at) || is_status(text, at) || is_named(text, at) || is_of_product(text, at) {
        return Some(after);
    }
    // "24/7" and "3/4 cup" are no dates.
    if text.is(after, &["/"]) && text.phrase(at, "24 / 7").is_some() {
        return Some(at.saturating_add(3));
    }
    let (rate, next) = rate(text, at)?;
    push_new(&mut extracted.quantities, rate);
    Some(next)
}

/// `2.4.1`, `10.0.4.17`; a date in this form has a year of four digits, or of two behind a day and a month.
fn is_version(text: &Text<'_>, at: usize) -> bool {
    let written = text.get(at).map_or("", |token| token.text);
    let parts: Vec<&str> = written.split('.').collect();
    let grouped =
        parts.iter().skip(1).all(|part| part.len() == 3) && parts.first().is_some_and(|part| part.len() <= 3);
    let date = matches!(parts.as_slice(), [_, _, year] if year.len() == 4);
    let money = text.is(at.saturating_sub(1), &["$", "€", "£"])
        || text.is(at.saturating_add(1), &["€", "euros", "$"]);
    parts.len() > 2 && !date && !((grouped && parts.len() == 3) || money)
}

/// `502s`, `404s`.
fn is_status(text: &Text<'_>, at: usize) -> bool {
    let after = at.saturating_add(1);
    let status = text.get(at).and_then(|token| token.text.parse().ok());
    status.is_some_and(|status| FAILED_STATUS.contains(&status))
        && text.is(after, &["s"])
        && text.is_glued(after)
}

/// `port 8080`, `error 404`, `section 4.2`, `#12`, `pull request 482`.
fn is_named(text: &Text<'_>, at: usize) -> bool {
    let before = text.before(at, 1);
    if before == "no" && text.language == super::Language::Es {
        return false;
    }
    let counts = counts_a_thing(text, at.saturating_add(1));
    is_among(before, NUMBERED) && !(counts && !text.is(at.saturating_sub(1), &["#"]) && is_verb_like(before))
        || (is_among(before, ALSO_VERBS) && !counts)
}

/// Whether a word of the table also tells someone to do something: "order 3 laptops".
fn is_verb_like(key: &str) -> bool {
    crate::split::is_verb(key) || matches!(key, "level" | "step" | "exit")
}

/// Whether a small word that is no connective follows: what is counted.
fn counts_a_thing(text: &Text<'_>, at: usize) -> bool {
    text.is_word(at) && !text.is_capital(at) && super::quantities::is_unit(text, at)
}

/// `Postgres 16.2`, `Python 3.12`, `v2.4`.
fn is_of_product(text: &Text<'_>, at: usize) -> bool {
    let Some(previous) = at.checked_sub(1).filter(|&previous| text.same_sentence(previous, at)) else {
        return false;
    };
    let written = text.get(at).map_or("", |token| token.text);
    let decimal = written.contains('.') && !written.contains(',');
    let currency = super::money::is_currency(text.key(previous));
    let product = text.is_capital(previous)
        && !currency
        && !calendar::is_month_name(text.key(previous))
        && previous > 0;
    let version = is_among(text.key(previous), VERSIONED);
    let glued = text.key(previous) == "v" && text.is_glued(at);
    glued || (decimal && (product || version) && !counts_a_thing(text, at.saturating_add(1)))
}

/// `50k msg/s`, `3000 requests per second`: what is counted in a time, if it is no money.
fn rate(text: &Text<'_>, at: usize) -> Option<(Quantity, usize)> {
    let number = numbers::read(text, at)?;
    let money = text.is(at.saturating_sub(1), &["$", "€", "£", "¥"]) && at > 0;
    let unit = number.next;
    if money || !text.is_word(unit) || super::money::is_currency(text.key(unit)) {
        return None;
    }
    let per = unit.saturating_add(1);
    let slash = text.is(per, &["/"]) && text.is_glued(per);
    let time = per.saturating_add(1);
    let said = slash || text.is(per, &["per", "a", "an", "each", "every", "por", "al", "a la", "cada"]);
    if !(said && text.is(time, TIMES) && counts_a_thing(text, unit)) {
        return None;
    }
    let next = time.saturating_add(1);
    let counted = text.slice(unit, unit.saturating_add(1)).to_lowercase();
    let unit = format!("{counted}/{}", text.key(time));
    Some((Quantity { value: Amount(number.value), unit, text: text.slice(at, next).to_owned() }, next))
}
