//! Counts and limits: `at least 5 risks`, `under 300 words`, `máximo 10 líneas`.

use super::words::Said;

/// A number that the result is held to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Limit {
    /// `<`, `<=` or `>=`.
    pub(super) sign: &'static str,
    /// Right side of the comparison.
    pub(super) number: u32,
    /// What the number counts: words, lines or things by their name.
    pub(super) unit: Unit,
}

/// What is counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Words.
    Words,
    /// Lines.
    Lines,
    /// Things of this name.
    Things(String),
}

/// Phrases before a number, the longer ones first.
#[rustfmt::skip]
const BEFORE: &[(&[&str], &str)] = &[
    (&["no", "more", "than"], "<="), (&["not", "more", "than"], "<="), (&["a", "maximum", "of"], "<="),
    (&["a", "minimum", "of"], ">="), (&["no", "mas", "de"], "<="), (&["un", "maximo", "de"], "<="),
    (&["un", "minimo", "de"], ">="), (&["no", "fewer", "than"], ">="), (&["no", "less", "than"], ">="),
    (&["at", "least"], ">="), (&["at", "most"], "<="), (&["less", "than"], "<"), (&["fewer", "than"], "<"),
    (&["maximum", "of"], "<="), (&["minimum", "of"], ">="), (&["up", "to"], "<="), (&["al", "menos"], ">="),
    (&["como", "minimo"], ">="), (&["como", "maximo"], "<="), (&["como", "mucho"], "<="), (&["menos", "de"], "<"),
    (&["por", "lo", "menos"], ">="), (&["under"], "<"), (&["below"], "<"), (&["within"], "<="), (&["max"], "<="), (&["maximum"], "<="),
    (&["minimum"], ">="), (&["maximo"], "<="), (&["minimo"], ">="), (&["hasta"], "<="),
];

/// What is measured and is no thing that results can be counted by.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "days", "hours", "minutes", "seconds", "weeks", "months", "years", "nights", "people", "persons", "dollars",
    "euros", "usd", "eur", "percent", "times", "pages", "characters", "tokens", "sentences", "paragraphs", "degrees",
    "kilometers", "miles", "points", "stars", "users", "guests", "adults", "dias", "horas", "minutos", "semanas",
    "meses", "anos", "noches", "personas", "veces", "paginas", "caracteres", "frases", "parrafos",
];

/// Words after a thing that end its name.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "of", "for", "in", "to", "into", "with", "that", "and", "as", "from", "on", "about", "per", "which", "who", "by",
    "at", "de", "para", "en", "con", "que", "y", "como", "sobre", "a", "when", "or", "before", "after", "each", "using",
];

/// The limits that a step says.
pub(super) fn in_words(step: &Said) -> Vec<Limit> {
    (0..step.keys.len()).filter_map(|at| limit_at(step, at)).collect()
}

/// The limit whose number stands here.
fn limit_at(step: &Said, at: usize) -> Option<Limit> {
    let number: u32 = step.keys.get(at)?.replace(',', "").parse().ok()?;
    let unit = unit(step, at)?;
    let before = step.keys.get(..at)?;
    let said = BEFORE.iter().find(|(phrase, _)| {
        before.len() >= phrase.len()
            && before.iter().rev().zip(phrase.iter().rev()).all(|(key, part)| key == part)
    });
    let sign = match said {
        Some((_, sign)) => sign,
        None => after(step, at + 2)?,
    };
    // `within 5 errors` and `up to 5 items` say no more than what may be: only texts have an upper limit.
    let fits = !matches!(unit, Unit::Things(_)) || *sign == *">=";
    fits.then_some(Limit { sign, number, unit })
}

/// `or more`, `or less`, `max`, behind the unit.
fn after(step: &Said, at: usize) -> Option<&'static str> {
    let key = |at: usize| step.keys.get(at).map(String::as_str);
    match (key(at), key(at + 1)) {
        (Some("or" | "o"), Some("more" | "mas")) => Some(">="),
        (Some("or" | "o"), Some("less" | "fewer" | "menos")) => Some("<="),
        (Some("max" | "maximum" | "maximo"), _) => Some("<="),
        (Some("minimum" | "minimo"), _) => Some(">="),
        _ => None,
    }
}

/// What is counted after the number: one word that ends its name, so that it is sure what the things are.
fn unit(step: &Said, number: usize) -> Option<Unit> {
    let key = step.keys.get(number + 1)?.as_str();
    match key {
        "words" | "palabras" => return Some(Unit::Words),
        "lines" | "lineas" => return Some(Unit::Lines),
        _ => {}
    }
    let plural =
        key.len() > 3 && key.ends_with('s') && !key.ends_with("ss") && key.chars().all(char::is_alphabetic);
    let next = step.keys.get(number + 2).map(String::as_str);
    let alone = next.is_none_or(|next| ENDS.contains(&next));
    (plural && alone && !MEASURES.contains(&key)).then(|| Unit::Things(key.to_owned()))
}
