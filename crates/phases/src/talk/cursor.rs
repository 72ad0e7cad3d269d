//! Finds phrases among words, and what stands around them.

use super::words::Word;

/// What stands before and after a phrase.
pub(super) fn around<'w>(said: &'w [Word], phrase: &[&str]) -> Option<(&'w [Word], &'w [Word])> {
    let matches = |window: &[Word]| window.iter().zip(phrase).all(|(word, wanted)| word.is(wanted));
    let at = said.windows(phrase.len()).position(matches)?;
    Some((said.get(..at)?, said.get(at + phrase.len()..)?))
}

/// What follows one of these phrases at the beginning.
pub(super) fn after_any<'w>(said: &'w [Word], phrases: &[&[&str]]) -> Option<&'w [Word]> {
    let starts = |phrase: &&&[&str]| {
        said.len() > phrase.len() && said.iter().zip(phrase.iter()).all(|(word, wanted)| word.is(wanted))
    };
    said.get(phrases.iter().find(starts)?.len()..)
}

/// The words around the first of these words that has some on both sides.
pub(super) fn split_at<'w>(said: &'w [Word], at: &[&str]) -> Option<(&'w [Word], &'w [Word])> {
    let place = (1..said.len().saturating_sub(1))
        .find(|place| said.get(*place).is_some_and(|word| word.is_any(at)))?;
    Some((said.get(..place)?, said.get(place + 1..)?))
}

/// The words around the last of these words that has some on both sides.
pub(super) fn split_last<'w>(said: &'w [Word], at: &[&str]) -> Option<(&'w [Word], &'w [Word])> {
    let mut places = (1..said.len().saturating_sub(1)).rev();
    let place = places.find(|place| said.get(*place).is_some_and(|word| word.is_any(at)))?;
    Some((said.get(..place)?, said.get(place + 1..)?))
}

/// Words without these at either end.
pub(super) fn trimmed<'w>(said: &'w [Word], plain: &[&str]) -> &'w [Word] {
    let start = said.iter().position(|word| !word.is_any(plain)).unwrap_or(said.len());
    let rest = said.get(start..).unwrap_or_default();
    let end = rest.iter().rposition(|word| !word.is_any(plain)).map_or(0, |end| end + 1);
    rest.get(..end).unwrap_or_default()
}
