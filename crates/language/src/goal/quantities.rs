//! Numbers with a unit that no other reader claimed: ten pages, 99.9 %, 200 ms.

use super::text::{Kind, Text, is_among};
use super::{Amount, Extracted, Notes, Quantity, numbers, push_new};

/// Words that cannot be what is counted.
#[rustfmt::skip]
const NOT_UNITS: &[&str] = &[
    "of", "and", "or", "to", "in", "on", "at", "for", "with", "from", "the", "a", "an", "is", "are", "per",
    "by", "that", "which", "more", "as", "if", "but", "than", "was", "must", "should", "not", "no", "de", "y",
    "o", "en", "con", "para", "por", "del", "al", "el", "la", "los", "las", "que", "es", "sin", "st", "nd",
    "rd", "th", "am", "pm", "before", "after", "until", "hasta", "antes", "into", "through", "then", "x",
    "it", "we", "i", "will", "our", "my", "when", "while", "where", "so", "k",
];
/// Words that may stand between the number and what is counted.
#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "different", "distinct", "new", "more", "additional", "separate", "unique", "distintos", "distintas",
    "diferentes", "nuevos", "nuevas",
];

/// Lists the quantities of the text that are not yet part of another fact.
pub(super) fn fill(text: &Text<'_>, extracted: &mut Extracted, notes: &Notes) {
    let mut taken = vec![false; text.len()];
    for range in &notes.used {
        if let Some(tokens) = taken.get_mut(range.clone()) {
            tokens.fill(true);
        }
    }
    let mut at = 0;
    while at < text.len() {
        at = match quantity(text, at, &taken) {
            Some((found, next)) => {
                push_new(&mut extracted.quantities, found);
                next
            }
            None => at.saturating_add(1),
        };
    }
}

fn quantity(text: &Text<'_>, at: usize, taken: &[bool]) -> Option<(Quantity, usize)> {
    let number = numbers::read(text, at)?;
    // "Postgres 16" and "Section 508" are names; "#12" and "v2" are marks.
    let named = text.is_number(at)
        && at > 0
        && text.same_sentence(at.saturating_sub(1), at)
        && text.is_capital(at.saturating_sub(1));
    let first_word = at <= 1 || !text.same_sentence(at.saturating_sub(1), at.saturating_sub(2));
    let vague = text.is(at, &["one", "zero", "cero"]);
    let mut unit = number.next;
    unit = unit.saturating_add(usize::from(text.is(unit, &["-"]) && text.is_glued(unit)));
    unit = unit.saturating_add(usize::from(text.is(unit, BETWEEN)));
    let next = unit.saturating_add(1);
    let free = (at..next).all(|token| taken.get(token) == Some(&false));
    if !free
        || (named && !first_word)
        || vague
        || !is_unit(text, unit)
        || text.is(at.saturating_sub(1), &["#", "/", "."])
    {
        return None;
    }
    let quantity = Quantity {
        value: Amount(number.value),
        unit: text.slice(unit, next).to_lowercase(),
        text: text.slice(at, next).to_owned(),
    };
    Some((quantity, next))
}

/// Whether a word or mark can be what is counted.
pub(super) fn is_unit(text: &Text<'_>, at: usize) -> bool {
    let Some(token) = text.get(at) else { return false };
    match token.kind {
        Kind::Word => !is_among(&token.key, NOT_UNITS) && !text.is_capital(at),
        Kind::Mark => token.text == "%",
        Kind::Number | Kind::Name => false,
    }
}
