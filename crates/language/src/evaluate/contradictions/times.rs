//! Today, and next month: two times for one and the same thing.

use super::super::words::Words;
use super::has;

#[rustfmt::skip]
const TIMES: &[(&str, u8)] = &[
    ("today", 0), ("tonight", 0), ("right now", 0), ("immediately", 0), ("tomorrow", 1), ("next week", 2),
    ("next month", 3), ("next year", 4), ("in a month", 3), ("in a year", 4), ("hoy", 0), ("esta noche", 0),
    ("ahora mismo", 0), ("manana", 1), ("la semana que viene", 2), ("la proxima semana", 2), ("el mes que viene", 3),
    ("el proximo mes", 3), ("el ano que viene", 4), ("el proximo ano", 4),
];
/// Words that may stand between two times of the same thing.
#[rustfmt::skip]
const LINKING: &[&str] = &[
    "and", "but", "it", "this", "must", "be", "should", "has", "have", "to", "is", "needs", "need", "ready", "done",
    "finished", "finish", "due", "by", "deliver", "delivered", "submit", "submitted", "start", "starting", "leaving",
    "leave", "departing", "only", "not", "before", "also", "on", "in", "for", "the", "i", "we", "y", "pero", "debe", "estar", "listo", "lista",
    "hecho", "entregar", "entrega", "entregado", "empezar", "salir", "saliendo", "para", "tiene", "que", "solo",
];
/// Words of a span of time, which has two ends.
#[rustfmt::skip]
const SPANS: &[&str] = &[
    "from", "between", "until", "till", "through", "since", "starting", "desde", "entre", "hasta", "then", "again",
    "moved", "postponed", "not", "later", "luego", "despues", "every", "each",
];

pub(super) fn find(words: &Words<'_>) -> Vec<String> {
    let times: Vec<(usize, usize, u8, &str)> = (0..words.len())
        .filter_map(|at| {
            // The first byte rules out nearly all of them.
            let first = words.key(at).as_bytes().first();
            let mut near = TIMES.iter().filter(|(text, _)| text.as_bytes().first() == first);
            near.find_map(|(text, place)| Some((at, words.phrase(at, text)?, *place, *text)))
        })
        .take(2 * super::MOST)
        .collect();
    let pairs = times.iter().zip(times.iter().skip(1));
    pairs.filter(|(one, other)| exclude(words, one, other)).map(|(one, other)| told(one.3, other.3)).collect()
}

fn exclude(words: &Words<'_>, one: &(usize, usize, u8, &str), other: &(usize, usize, u8, &str)) -> bool {
    let mut gap = one.1..other.0;
    let linked = gap.clone().all(|at| has(LINKING, words.key(at)));
    let spans = has(SPANS, words.before(one.0)) || gap.any(|at| has(SPANS, words.key(at)));
    one.2 != other.2 && linked && !spans
}

fn told(one: &str, other: &str) -> String {
    format!("it is wanted {one} and {other}")
}
