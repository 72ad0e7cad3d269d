//! The stemmer for Spanish.

use std::borrow::Cow;

/// A stem has at least so many letters.
const LEAST: usize = 3;

/// Endings of verbs and of the nouns made from them, in the singular; longest first.
const ENDINGS: [&str; 18] = [
    "amiento", "imiento", "adora", "acion", "icion", "mente", "iendo", "yendo", "ador", "ando", "ado", "ada",
    "ido", "ida", "ion", "ar", "er", "ir",
];

pub(super) fn stem(word: &str) -> String {
    let singular = singular(word);
    let cut =
        ENDINGS.iter().find_map(|ending| singular.strip_suffix(ending).filter(|root| root.len() >= LEAST));
    let root = cut.unwrap_or(&singular);
    let root = root.strip_suffix(['e', 'a', 'o']).filter(|root| root.len() >= LEAST).unwrap_or(root);
    root.to_owned()
}

/// `voces` is `voz`, `hoteles` is `hotel`, `vuelos` is `vuelo`; `crisis` is its own plural.
fn singular(word: &str) -> Cow<'_, str> {
    if let Some(root) = word.strip_suffix("ces") {
        return Cow::Owned(format!("{root}z"));
    }
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
    let after_consonant = word.strip_suffix("es").filter(|root| !root.ends_with(is_vowel));
    let after_vowel = word.strip_suffix('s').filter(|root| root.ends_with(['a', 'e', 'o']));
    let root = after_consonant.or(after_vowel).filter(|root| root.len() >= LEAST);
    Cow::Borrowed(root.unwrap_or(word))
}
