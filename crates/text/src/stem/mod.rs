//! Stemming: the part of a word that stays the same in its forms.
//!
//! Both sides of a comparison are stemmed, so a stem need not be a word; it only has to be the same for words
//! that mean the same. Words are given folded.

mod english;
mod spanish;

use std::borrow::Cow;

pub use english::singular;

use crate::Language;

/// The part of a folded word that stays the same in its plural, its verb forms and its nouns.
#[must_use]
pub fn stem(word: &str, language: Language) -> Cow<'_, str> {
    // Short words, numbers, names with digits and other scripts have no endings that are known here.
    if !word.is_ascii() || word.len() <= 3 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    match language {
        Language::En => english::stem(word),
        Language::Es => spanish::stem(word),
    }
}

/// Whether two folded words are forms of one word in either language: for texts whose language is not known.
#[must_use]
pub fn alike(one: &str, other: &str) -> bool {
    one == other
        || [Language::En, Language::Es].iter().any(|language| stem(one, *language) == stem(other, *language))
}
