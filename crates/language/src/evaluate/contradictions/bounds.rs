//! At most so many, and at least more than that.

use candor_text::{Language, stem};

use super::super::words::Words;
use super::has;

#[rustfmt::skip]
const AT_MOST: &[&str] = &[
    "at most", "no more than", "not more than", "a maximum of", "maximum", "max", "up to", "como maximo", "a lo sumo",
    "no mas de", "un maximo de", "maximo",
];
const LESS: &[&str] = &["fewer than", "less than", "under", "below", "menos de"];
#[rustfmt::skip]
const AT_LEAST: &[&str] = &[
    "at least", "no fewer than", "no less than", "not less than", "a minimum of", "minimum", "al menos", "por lo menos",
    "como minimo", "un minimo de", "minimo",
];
const MORE: &[&str] = &["more than", "over", "mas de"];
const EXACTLY: &[&str] = &["exactly", "precisely", "exactamente"];
#[rustfmt::skip]
const NUMBERS: &[(&str, f64)] = &[
    ("one", 1.0), ("two", 2.0), ("three", 3.0), ("four", 4.0), ("five", 5.0), ("six", 6.0), ("seven", 7.0),
    ("eight", 8.0), ("nine", 9.0), ("ten", 10.0), ("twelve", 12.0), ("twenty", 20.0), ("uno", 1.0), ("una", 1.0),
    ("dos", 2.0), ("tres", 3.0), ("cuatro", 4.0), ("cinco", 5.0), ("seis", 6.0), ("siete", 7.0), ("ocho", 8.0),
    ("nueve", 9.0), ("diez", 10.0), ("veinte", 20.0),
];

/// A bound as it is said.
struct Bound {
    least: Option<f64>,
    most: Option<f64>,
    /// Of what; empty if it is not said.
    unit: String,
    /// Of which of them; empty if it is not said.
    which: String,
    text: String,
    /// Where its words end.
    end: usize,
}

pub(super) fn find(words: &Words<'_>, language: Language) -> Vec<String> {
    let mut bounds: Vec<Bound> = Vec::new();
    let mut at = 0;
    while at < words.len() && bounds.len() < 2 * super::MOST {
        let bound = read(words, at, language);
        at = bound.as_ref().map_or(at, |bound| bound.end) + 1;
        bounds.extend(bound);
    }
    let mut found = Vec::new();
    for (at, one) in bounds.iter().enumerate() {
        for other in bounds.iter().skip(at + 1).filter(|other| exclude(one, other)) {
            found.push(format!("“{}” and “{}” cannot both hold", one.text, other.text));
        }
    }
    found
}

fn read(words: &Words<'_>, at: usize, language: Language) -> Option<Bound> {
    // What is behind "no" is read with it: "no more than" is not "more than".
    let refused = has(&["no", "not"], words.before(at));
    let kinds = [(AT_MOST, -1, 0.0), (AT_LEAST, 1, 0.0), (LESS, -1, 0.5), (MORE, 1, 0.5), (EXACTLY, 0, 0.0)];
    let (next, side, beyond) = kinds
        .iter()
        .filter(|(_, _, beyond)| !refused || *beyond == 0.0)
        .find_map(|(phrases, side, beyond)| Some((words.any_phrase(at, phrases)?, *side, *beyond)))?;
    let (number, currency) = number(words.key(next))?;
    let rest = !words.ends(next) && currency.is_empty();
    let unit_at = next + 1;
    let unit = if rest && words.is_content(unit_at) {
        stem(words.key(unit_at), language).into_owned()
    } else {
        currency
    };
    let end = if rest && words.is_content(unit_at) { unit_at } else { next };
    let text =
        (at..=end).filter_map(|at| words.all().get(at)).map(|word| word.text).collect::<Vec<_>>().join(" ");
    Some(Bound {
        least: (side >= 0).then_some(number + beyond),
        most: (side <= 0).then_some(number - beyond),
        unit,
        which: which(words, end),
        text,
        end,
    })
}

/// `in Rome` behind `3 nights`: the words that say which ones are meant, up to the next mark.
fn which(words: &Words<'_>, end: usize) -> String {
    let mut said = Vec::new();
    let mut at = end;
    while !words.ends(at) && at < end + 4 {
        at += 1;
        if has(&["and", "but", "y", "pero", ""], words.key(at)) {
            break;
        }
        said.extend(words.is_specific(at).then(|| words.key(at)));
    }
    said.join(" ")
}

/// `1,500`, `$300` and `three`, with the currency.
fn number(key: &str) -> Option<(f64, String)> {
    if let Some((_, value)) = NUMBERS.iter().find(|(word, _)| *word == key) {
        return Some((*value, String::new()));
    }
    let signs = ['$', '€', '£'];
    let currency: String = key.chars().filter(|c| signs.contains(c)).collect();
    let digits: String = key.chars().filter(|c| !signs.contains(c) && *c != ',').collect();
    let plain = digits.starts_with(|c: char| c.is_ascii_digit());
    digits.parse::<f64>().ok().filter(|value| plain && value.is_finite()).map(|value| (value, currency))
}

fn exclude(one: &Bound, other: &Bound) -> bool {
    let is_money = |bound: &Bound| bound.unit.contains(['$', '€', '£']);
    let same_unit = one.unit == other.unit
        || ((one.unit.is_empty() || other.unit.is_empty()) && !is_money(one) && !is_money(other));
    let same_which = one.which == other.which || one.which.is_empty() || other.which.is_empty();
    let above =
        |least: Option<f64>, most: Option<f64>| least.zip(most).is_some_and(|(least, most)| least > most);
    same_unit && same_which && (above(one.least, other.most) || above(other.least, one.most))
}
