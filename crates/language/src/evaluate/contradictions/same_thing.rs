//! With it, and without it.

use candor_text::{Language, stem};

use super::super::tables;
use super::super::words::Words;
use super::has;

#[rustfmt::skip]
const WITHOUT: &[&str] = &[
    "without", "no", "avoid", "avoiding", "exclude", "excluding", "don't use", "do not use", "never use", "must not use",
    "must not include", "must not have", "don't include", "do not include", "sin", "evita", "evitando", "excluye",
    "no uses", "no usar", "no incluyas", "nada de",
];
#[rustfmt::skip]
const WITH: &[&str] = &[
    "with", "include", "including", "use", "using", "must use", "must include", "must have", "con", "incluye",
    "incluyendo", "usa", "usando", "utiliza",
];
/// Before these it is one of several that is spoken of.
#[rustfmt::skip]
const ONE_OF: &[&str] = &[
    "one", "another", "other", "some", "half", "others", "uno", "una", "otro", "otra", "unos", "algunos", "mitad",
    "even", "not", "never", "don't", "no", "if", "si", "incluso",
];
/// What a thing may consist of, in words.
const LONGEST: usize = 3;

/// A thing that is spoken of, and where.
struct Thing {
    words: Vec<String>,
    text: String,
}

pub(super) fn find(words: &Words<'_>, language: Language) -> Vec<String> {
    let places = || (0..words.len()).filter(|at| !has(ONE_OF, words.before(*at)));
    let wanted: Vec<Thing> = places().filter_map(|at| read(words, at, WITH, language)).take(100).collect();
    let refused: Vec<Thing> =
        places().filter_map(|at| read(words, at, WITHOUT, language)).take(100).collect();
    let mut found = Vec::new();
    for thing in &refused {
        if let Some(same) = wanted.iter().find(|wanted| wanted.words == thing.words) {
            found.push(format!("“{}” and “{}” cannot both hold", same.text, thing.text));
        }
    }
    found
}

fn read(words: &Words<'_>, at: usize, phrases: &[&str], language: Language) -> Option<Thing> {
    let mut from = words.any_phrase(at, phrases)?;
    if words.ends(from.checked_sub(1)?) {
        return None;
    }
    // "Use no tap water" says once that there is none.
    if matches!(words.key(from), "no" | "ningun" | "ninguna" | "ninguno") {
        return None;
    }
    while tables::DETERMINERS.contains(words.key(from)) && !words.ends(from) {
        from += 1;
    }
    let mut to = from;
    while to < from + LONGEST && words.is_content(to) {
        to += 1;
        if words.ends(to - 1) {
            break;
        }
    }
    let names = (from..to).map(|at| stem(words.key(at), language).into_owned()).collect::<Vec<_>>();
    let text = (at..to).filter_map(|at| words.all().get(at)).map(|word| word.text).collect::<Vec<_>>();
    (!names.is_empty()).then(|| Thing { words: names, text: text.join(" ") })
}
