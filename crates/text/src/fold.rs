//! Folding: the form in which texts are compared and in which tables of words are written.

use std::borrow::Cow;

/// The text in lower case, without accents, with the plain apostrophe and the plain hyphen.
///
/// Accents are removed from Latin letters, whether they are part of the character or follow it as a combining
/// mark. Borrows when there is nothing to change.
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    // Most texts are small plain letters, and most others plain letters, which have one small form each.
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    let lower = text.chars().flat_map(char::to_lowercase).filter(|letter| !is_combining(*letter));
    Cow::Owned(lower.map(plain).collect())
}

/// One letter as [`fold`] writes it. A letter with several lower-case letters gives the first.
#[must_use]
pub fn fold_letter(letter: char) -> char {
    plain(letter.to_lowercase().next().unwrap_or(letter))
}

/// Whether a character is an accent that belongs to the letter before it.
#[must_use]
pub const fn is_combining(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// A lower-case letter without its accent; an apostrophe or a hyphen in its plain form.
///
/// A table and not Unicode's decomposition: the two languages that are known need no more, and it needs no
/// further dependency.
const fn plain(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ý' | 'ÿ' => 'y',
        'ñ' => 'n',
        'ç' => 'c',
        '’' => '\'',
        '–' | '—' | '−' | '‐' | '‑' => '-',
        other => other,
    }
}
