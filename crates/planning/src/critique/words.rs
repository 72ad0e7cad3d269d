//! The words of a text that say something, cut to their stems, in English and Spanish.

use std::borrow::Cow;
use std::collections::BTreeSet;

use candor_text::{Language, Rule, WordSet, fold, stem};

/// A text is read up to this many words.
const MOST_WORDS: usize = 5_000;
/// A word has at least so many letters.
const LEAST_LETTERS: usize = 3;

/// The stems of the words that say something; texts that are compared are stemmed for one language. Numbers are
/// words: `$2,000` and `2000` are the same one.
#[must_use]
pub fn stems(text: &str, language: Language) -> BTreeSet<Cow<'_, str>> {
    telling(text, language).collect()
}

/// The same, in the order of the text and as often as they stand there.
pub fn telling(text: &str, language: Language) -> impl Iterator<Item = Cow<'_, str>> {
    telling_if(text, language, |_| true)
}

/// Those of them that are wanted by their first letter, which a stem has in common with its word.
pub(super) fn telling_if<'t>(
    text: &'t str,
    language: Language,
    is_wanted: impl Fn(u32) -> bool,
) -> impl Iterator<Item = Cow<'t, str>> {
    // A traveler's is the traveler, and "don't" says as little as its parts.
    let words = Rule::Prose.split(text).take(MOST_WORDS).flat_map(|word| word.text.split(['\'', '’']));
    let folded = words.map(|word| match fold(word) {
        folded if folded.contains(',') => Cow::Owned(folded.replace(',', "")),
        folded => folded,
    });
    let telling = folded.filter(move |word| is_wanted(initial(word)) && says_something(word));
    telling.map(move |word| match word {
        Cow::Borrowed(word) => stem(word, language),
        Cow::Owned(word) => Cow::Owned(stem(&word, language).into_owned()),
    })
}

/// How many of the words are shared, as a part of the smaller of the two: a long request is served by a short
/// answer, and a long answer serves a short request.
#[must_use]
pub fn overlap(one: &BTreeSet<Cow<'_, str>>, other: &BTreeSet<Cow<'_, str>>) -> f64 {
    let smaller = one.len().min(other.len());
    if smaller == 0 { 0.0 } else { one.intersection(other).count() as f64 / smaller as f64 }
}

/// The first letter of a folded word as one bit; some letters have the same one.
pub(super) fn initial(word: &str) -> u32 {
    word.bytes().next().map_or(0, |first| 1 << (first % 32))
}

fn says_something(word: &str) -> bool {
    let number = word.bytes().all(|byte| byte.is_ascii_digit());
    !word.is_empty() && (number || word.chars().nth(LEAST_LETTERS - 1).is_some()) && !is_stop_word(word)
}

pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

static STOP_WORDS: WordSet = WordSet::new(&["
    a about after all also an and any are as at be been before but by can could did do does each every for from
    get had has have her his how i if in into is it its just let like make may me might more most must my need
    no not now of off on one only or our out over own please should so some such than that the their them then
    there these they this those to too under up us use very want was we were what when where which who why will
    with within without would you your
    al algo ante como con cual cuando cuanto de del desde donde el ella en entre era es esa ese eso esta este
    esto fue ha hay la las le les lo los mas me mi mis muy ni no nos o otra otro para pero por porque que quien
    se sea ser si sin sobre son su sus tambien te todo todos tu tus un una unas uno unos y ya yo quiero necesito
"]);
