//! The words of a text that say something, cut to their stems, in English and Spanish.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A text is read up to this many words.
const MOST_WORDS: usize = 5_000;
/// A stem has at least so many letters.
const LEAST_STEM: usize = 3;

/// The stems of the words that say something. Numbers are words: `$2,000` and `2000` are the same one.
#[must_use]
pub fn stems(text: &str) -> BTreeSet<String> {
    let text = without_separators(text);
    let words = text.split(|letter: char| !letter.is_alphanumeric()).take(MOST_WORDS);
    let words = words.map(folded).filter(|word| says_something(word));
    words.map(|word| stem(&word)).collect()
}

/// How many of the words are shared, as a part of the smaller of the two: a long request is served by a short
/// answer, and a long answer serves a short request.
#[must_use]
pub fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let smaller = one.len().min(other.len());
    if smaller == 0 { 0.0 } else { one.intersection(other).count() as f64 / smaller as f64 }
}

/// Takes the commas out of numbers such as `2,000`.
fn without_separators(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut previous = ' ';
    while let Some(letter) = letters.next() {
        let in_number = previous.is_ascii_digit() && letters.peek().is_some_and(char::is_ascii_digit);
        if letter != ',' || !in_number {
            kept.push(letter);
        }
        previous = letter;
    }
    kept
}

fn folded(word: &str) -> String {
    let letters = word.chars().flat_map(char::to_lowercase);
    letters.map(without_accent).collect()
}

const fn without_accent(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        other => other,
    }
}

fn says_something(word: &str) -> bool {
    let number = word.chars().all(|letter| letter.is_ascii_digit());
    !word.is_empty() && (number || word.chars().count() >= LEAST_STEM) && !is_stop_word(word)
}

fn is_stop_word(word: &str) -> bool {
    static TABLE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    TABLE.contains(word)
}

/// The part of a word that stays the same in its forms. It need not be a word: both sides are cut alike.
fn stem(word: &str) -> String {
    let cut = ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|root| root.chars().count() >= LEAST_STEM));
    let root = cut.unwrap_or(word);
    let root =
        root.strip_suffix(['e', 'a', 'o', 's']).filter(|short| short.len() > LEAST_STEM).unwrap_or(root);
    let mut last = root.chars().rev();
    // "planning" is "plan": verbs double their last letter before an ending.
    match (cut, last.next(), last.next()) {
        (Some(_), Some(a), Some(b)) if a == b && !"lsz".contains(a) => {
            root.strip_suffix(a).unwrap_or(root).to_owned()
        }
        _ => root.to_owned(),
    }
}

/// Endings of English and Spanish words, the longest first.
const ENDINGS: [&str; 17] = [
    "aciones", "ations", "acion", "ation", "iendo", "ando", "ings", "ing", "ado", "ies", "ed", "es", "ar",
    "er", "ir", "ly", "s",
];

const STOP_WORDS: &str = "
    a about after all also an and any are as at be been before but by can could did do does each every for from
    get had has have her his how i if in into is it its just let like make may me might more most must my need
    no not now of off on one only or our out over own please should so some such than that the their them then
    there these they this those to too under up us use very want was we were what when where which who why will
    with within without would you your
    al algo ante como con cual cuando cuanto de del desde donde el ella en entre era es esa ese eso esta este
    esto fue ha hay la las le les lo los mas me mi mis muy ni no nos o otra otro para pero por porque que quien
    se sea ser si sin sobre son su sus tambien te todo todos tu tus un una unas uno unos y ya yo quiero necesito
";
