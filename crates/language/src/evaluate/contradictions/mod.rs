//! Instructions that exclude each other, each told in words. One file per kind of rule.
//!
//! A person is asked about every one of them, so the rules would rather miss one than make one up: whoever
//! compares, offers a choice or speaks of two different things contradicts nothing.

mod bounds;
mod languages;
mod opposites;
mod same_thing;
mod times;

use candor_text::Language;

use super::tables::{self, has};
use super::words::Words;

/// How many contradictions are told; a person who reads these will look for the others.
const MOST: usize = 10;

/// Words of a request that offers a choice or speaks of several things side by side.
#[rustfmt::skip]
const SEVERAL: &[&str] = &[
    "or", "either", "both", "difference", "differences", "whether", "versions", "versus", "vs", "variants", "options",
    "o", "ambos", "ambas", "diferencia", "diferencias", "versiones", "opciones", "replace", "reemplaza", "sustituye",
];

/// Finds the contradictions of a request.
pub(super) fn find(words: &Words<'_>, language: Language) -> Vec<String> {
    let mut found = bounds::find(words, language);
    let weighs = |key: &str| has(SEVERAL, key) || has(tables::WEIGHING, key);
    if !words.all().iter().any(|word| weighs(&word.key)) {
        found.extend(languages::find(words));
        found.extend(same_thing::find(words, language));
        found.extend(opposites::find(words));
        found.extend(times::find(words));
    }
    found.truncate(MOST);
    found
}

/// Whether one of the table's words stands between two places.
fn between(words: &Words<'_>, from: usize, to: usize, table: &[&str]) -> bool {
    (from..to).any(|at| has(table, words.key(at)))
}
