//! The stemmer for Spanish.

use std::borrow::Cow;

/// A stem has at least so many letters.
const LEAST: usize = 3;

/// Endings of verbs and of the nouns made from them, in the singular; longest first.
const ENDINGS: [&str; 18] = [
    "amiento", "imiento", "adora", "acion", "icion", "mente", "iendo", "yendo", "ador", "ando", "ado", "ada",
    "ido", "ida", "ion", "ar", "er", "ir",
];

pub(super) fn stem(word: &str) -> Cow<'_, str> {
    match singular(word) {
        Cow::Borrowed(root) => Cow::Borrowed(cut(root)),
        Cow::Owned(mut root) => {
            root.truncate(cut(&root).len());
            Cow::Owned(root)
        }
    }
}

/// The beginning of a word in the singular that is its stem.
fn cut(word: &str) -> &str {
    let found =
        ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(|root| root.len() >= LEAST));
    let root = found.unwrap_or(word);
    root.strip_suffix(['e', 'a', 'o']).filter(|root| root.len() >= LEAST).unwrap_or(root)
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
