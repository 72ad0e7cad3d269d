//! Phrases as whole words of a text.

/// Whether a phrase is in a text and not a part of longer words: `art` is not in `start`.
///
/// Compares letter by letter, so both are given in the same case. `_` counts as part of a word.
#[must_use]
pub fn says(text: &str, phrase: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let begins_word = phrase.starts_with(char::is_alphanumeric);
    let ends_word = phrase.ends_with(char::is_alphanumeric);
    !phrase.is_empty()
        && text.match_indices(phrase).any(|(at, found)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
            let is_longer = begins_word && is_part(before) || ends_word && is_part(after);
            !is_longer
        })
}
