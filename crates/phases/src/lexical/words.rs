//! Words as the ranking sees them: folded, stemmed, and rid of those that say nothing.
//!
//! Both sides, agents and texts, go through the same mill, so a stem need not be a word; it only has to be
//! the same for words that mean the same.

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
    /// What is compared.
    pub(super) stem: String,
    /// How much it counts, from 0 to 1.
    pub(super) weight: f64,
}

/// The terms of a text, in its order; stop words are left out.
pub(super) fn terms(text: &str) -> impl Iterator<Item = Term> {
    raw_words(text).into_iter().filter_map(|word| term(&word))
}

/// A word as it is written, folded to lower case without accents.
#[derive(Debug, Default)]
struct RawWord {
    text: String,
    /// Whether a hyphen ties it to another, so that the two are one word.
    tied: bool,
}

/// The term of one word, unless it is a stop word.
fn term(word: &RawWord) -> Option<Term> {
    let english = english(&word.text).unwrap_or(&word.text);
    if vocabulary::is_stop_word(&word.text) || vocabulary::is_stop_word(english) {
        return None;
    }
    let weight = if vocabulary::is_chatter(english) { CHATTER_WEIGHT } else { 1.0 };
    let weight = if word.tied { weight * TIED_WEIGHT } else { weight };
    Some(Term { stem: stem(english), weight })
}

/// The words of a text; `search_flights` and `searchFlights` are two words each.
fn raw_words(text: &str) -> Vec<RawWord> {
    let mut words: Vec<RawWord> = Vec::new();
    let mut word = RawWord::default();
    let mut previous = ' ';
    for c in text.chars() {
        // Between letters only a change from small to capital, or to and from digits, parts two words.
        let parts = (previous.is_lowercase() && c.is_uppercase())
            || (previous.is_alphabetic() && c.is_numeric())
            || (previous.is_numeric() && c.is_alphabetic());
        if parts || !c.is_alphanumeric() {
            let ties = c == '-' && !word.text.is_empty();
            word.tied |= ties;
            finish(&mut word, &mut words);
            word.tied = ties;
        }
        if c.is_alphanumeric() {
            word.text.extend(c.to_lowercase().map(without_accent));
        }
        previous = c;
    }
    finish(&mut word, &mut words);
    words
}

fn finish(word: &mut RawWord, words: &mut Vec<RawWord>) {
    let word = std::mem::take(word);
    if (1..=MAX_WORD_CHARS).contains(&word.text.chars().count()) {
        words.push(word);
    }
}

/// The letter without its accent.
pub(crate) fn without_accent(c: char) -> char {
    match c {
        'á' | 'à' | 'â' | 'ä' | 'ã' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        other => other,
    }
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

/// The part of a word that stays the same in its plural, its verb forms and its nouns.
pub(crate) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() <= 3 || word.chars().any(|c| c.is_ascii_digit()) {
        return word.to_owned();
    }
    let mut root = singular(word);
    root = without_ending(&root);
    if root.len() > 4 && !KEEP_THEIR_END.contains(&root.as_str()) {
        root = root.strip_suffix(['e', 'a', 'o']).map(str::to_owned).unwrap_or(root);
    }
    root
}

/// Words that would turn into others without their last letter: a plane is no plan.
const KEEP_THEIR_END: [&str; 4] = ["plane", "scare", "spare", "stare"];

fn singular(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies").filter(|root| root.len() > 2) {
        return format!("{root}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zzes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    let keeps = ["ss", "us", "is", "news"].iter().any(|ending| word.ends_with(ending));
    if keeps { word.to_owned() } else { word.strip_suffix('s').unwrap_or(word).to_owned() }
}

/// Endings that turn one kind of word into another, with the letters that must be left; longest first.
const ENDINGS: [(&str, usize); 21] = [
    ("ization", 4),
    ("ations", 4),
    ("ation", 4),
    ("ative", 4),
    ("ition", 5),
    ("ator", 4),
    ("ison", 5),
    ("izer", 4),
    ("ize", 4),
    ("ment", 4),
    ("ness", 4),
    ("ing", 3),
    ("ate", 4),
    ("ion", 4),
    ("ist", 4),
    ("ed", 3),
    ("er", 4),
    ("or", 5),
    ("ly", 4),
    ("ar", 5),
    ("ir", 5),
];

fn without_ending(word: &str) -> String {
    let found = ENDINGS.iter().find_map(|&(ending, least)| {
        word.strip_suffix(ending).filter(|root| root.len() >= least && has_vowel(root))
    });
    match found {
        Some(root) => single_final(root).to_owned(),
        None => word.to_owned(),
    }
}

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
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
