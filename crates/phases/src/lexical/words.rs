//! Words as the ranking sees them: folded, stemmed, and rid of those that say nothing.

use candor_text::{Language, Rule, Word, fold, is_stop_word, stem};

use super::{spanish, vocabulary};

/// A word longer than this is noise, such as a hash or a line of binary.
const MAX_WORD_CHARS: usize = 40;

/// How much a word of chatter ("find", "help") counts beside a word that names something.
const CHATTER_WEIGHT: f64 = 0.25;

/// How much each word of a hyphenated one counts: "round-trip" is less about trips than "trip" is.
const TIED_WEIGHT: f64 = 0.5;

/// One word of a text, ready to be compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    /// Folded and stemmed form, in which words are compared.
    pub(super) stem: String,
    /// How much it counts, from 0 to 1.
    pub(super) weight: f64,
}

/// The terms of a text, in its order; stop words are left out. Names of functions are read as their words.
pub(super) fn terms(text: &str) -> impl Iterator<Item = Term> {
    Rule::Identifier.split(text).filter_map(move |word| term(&fold(word.text), is_tied(word, text)))
}

/// The term of one folded word, unless it is a stop word or noise.
fn term(word: &str, tied: bool) -> Option<Term> {
    let english = english(word).unwrap_or(word);
    if is_stop_word(word) || is_stop_word(english) || word.chars().count() > MAX_WORD_CHARS {
        return None;
    }
    let weight = if vocabulary::is_chatter(english) { CHATTER_WEIGHT } else { 1.0 };
    let weight = if tied { weight * TIED_WEIGHT } else { weight };
    // Agents are described in English, and what is known of Spanish has been translated by now.
    Some(Term { stem: stem(english, Language::En).into_owned(), weight })
}

/// Whether a hyphen ties a word to another, so that the two are one word.
fn is_tied(word: Word<'_>, text: &str) -> bool {
    let before = text.get(..word.start).and_then(|before| before.strip_suffix('-'));
    let after = text.get(word.end()..);
    before.is_some_and(|before| before.ends_with(char::is_alphanumeric))
        || after.is_some_and(|after| after.starts_with('-'))
}

/// The English word for a Spanish one, in whatever number or gender it stands.
fn english(word: &str) -> Option<&'static str> {
    let look_up = spanish::to_english;
    let masculine = |word: &str| word.strip_suffix('a').map(|root| format!("{root}o"));
    look_up(word)
        .or_else(|| look_up(word.strip_suffix("es")?))
        .or_else(|| look_up(word.strip_suffix('s')?))
        .or_else(|| look_up(&masculine(word.strip_suffix('s').unwrap_or(word))?))
}
