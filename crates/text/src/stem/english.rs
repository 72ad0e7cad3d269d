//! The stemmer for English. `quality_routing` measures it.

use std::borrow::Cow;

/// Words that would turn into others without their last letter: a plane is no plan.
const KEEP_THEIR_END: [&str; 4] = ["plane", "scare", "spare", "stare"];

pub(super) fn stem(word: &str) -> Cow<'_, str> {
    let word = word.strip_suffix("'s").unwrap_or(word);
    match singular(word) {
        Cow::Borrowed(root) => Cow::Borrowed(cut(root)),
        Cow::Owned(mut root) => {
            root.truncate(cut(&root).len());
            Cow::Owned(root)
        }
    }
}

/// The beginning of a word that is its stem.
fn cut(word: &str) -> &str {
    let root = without_ending(word);
    if root.len() > 4 && !KEEP_THEIR_END.contains(&root) {
        return root.strip_suffix(['e', 'a', 'o']).unwrap_or(root);
    }
    root
}

/// A folded English word without the ending of its plural.
#[must_use]
pub fn singular(word: &str) -> Cow<'_, str> {
    // Most words are no plurals, and every plural that is known here ends so.
    let Some(without) = word.strip_suffix('s') else { return Cow::Borrowed(word) };
    if let Some(root) = word.strip_suffix("ies").filter(|root| root.len() > 2) {
        return Cow::Owned(format!("{root}y"));
    }
    if ["sses", "xes", "ches", "shes", "zzes"].iter().any(|ending| word.ends_with(ending)) {
        return Cow::Borrowed(word.strip_suffix("es").unwrap_or(word));
    }
    let keeps = ["ss", "us", "is", "news"].iter().any(|ending| word.ends_with(ending));
    Cow::Borrowed(if keeps { word } else { without })
}

/// Endings that turn one kind of word into another, with the letters that must be left, by their last letter; longest
/// first.
const fn endings(last: u8) -> &'static [(&'static str, usize)] {
    match last {
        b'n' => &[("ization", 4), ("ation", 4), ("ition", 5), ("ison", 5), ("ion", 4)],
        b's' => &[("ations", 4), ("ness", 4)],
        b'e' => &[("ative", 4), ("ize", 4), ("ate", 4)],
        b'r' => &[("ator", 4), ("izer", 4), ("er", 4), ("or", 5), ("ar", 5), ("ir", 5)],
        b't' => &[("ment", 4), ("ist", 4)],
        b'g' => &[("ing", 3)],
        b'd' => &[("ed", 3)],
        b'y' => &[("ly", 4)],
        _ => &[],
    }
}

fn without_ending(word: &str) -> &str {
    let near = word.as_bytes().last().map_or(&[][..], |last| endings(*last));
    let mut roots = near.iter().filter_map(|(ending, least)| {
        word.strip_suffix(ending).filter(|root| root.len() >= *least && has_vowel(root))
    });
    roots.next().map_or(word, single_final)
}

fn has_vowel(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

/// "plann" is "plan": verbs double their last letter before an ending.
fn single_final(root: &str) -> &str {
    let mut last = root.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && !matches!(a, 'l' | 's' | 'z' | 'e' | 'o') => {
            root.strip_suffix(a).unwrap_or(root)
        }
        _ => root,
    }
}
