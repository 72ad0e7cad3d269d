//! What a request needs to be worked on and does not have: readable words, the attachment that it speaks of, and what
//! was said elsewhere.

use candor_text::is_stop_word;

use super::keywords::Keywords;
use super::quality::has_quote;
use super::tables::has;
use super::words::Words;

/// Words of fewer letters are too short to tell whether they can be spoken.
const TELLING_LETTERS: usize = 3;
/// So many consonants in a row are in no word of a language with Latin letters but the longest compounds.
const UNSPEAKABLE: usize = 5;
/// The share of words without sense from which a text has none: one in so many.
const ENOUGH: usize = 2;
/// A text of fewer words may be a name.
const TELLING_WORDS: usize = 2;

/// Runs of neighbouring keys, as somebody types who only tries the keyboard.
const KEYS: &[&str] = &[
    "qwer", "wert", "erty", "asdf", "sdfg", "dfgh", "fghj", "ghjk", "hjkl", "jklñ", "zxcv", "xcvb", "cvbn",
    "vbnm",
];

/// Small words of other languages with Latin letters. Where one of them stands, the text is of a language.
#[rustfmt::skip]
const OTHER_LANGUAGES: &[&str] = &[
    "der", "die", "das", "und", "ist", "ein", "eine", "einen", "zu", "mit", "fur", "auf", "nicht", "uber", "im", "le", "les", "des",
    "une", "et", "est", "pour", "avec", "dans", "sur", "du", "au", "il", "gli", "per", "che", "di", "da", "nel", "una", "um", "uma",
    "com", "nao", "os", "em", "het", "een", "van", "voor", "och", "att", "som", "til", "og", "ve", "bir", "na", "je", "se", "w", "z",
];

/// Whether the words are those of no language: most of them cannot be spoken, or none of them is known at all.
///
/// Other scripts are not judged: not to know them is no fault of the request.
pub(super) fn is_unreadable(words: &Words<'_>) -> bool {
    let telling = |key: &&str| key.chars().filter(|c| c.is_alphabetic()).count() >= TELLING_LETTERS;
    let keys: Vec<&str> = words.all().iter().map(|word| word.key.as_str()).filter(telling).collect();
    if keys.len() < TELLING_WORDS || keys.iter().any(|key| key.contains(|c: char| c > '\u{24f}')) {
        return false;
    }
    let senseless = keys.iter().filter(|key| is_senseless(key)).count();
    senseless * ENOUGH >= keys.len() && !words.all().iter().any(|word| is_small(&word.key))
}

fn is_small(key: &str) -> bool {
    is_stop_word(key) || has(OTHER_LANGUAGES, key)
}

/// `xkcdq`, `asdf`, `aaaa`: letters that make no word.
fn is_senseless(key: &str) -> bool {
    // Paths, names from code and amounts are made of what they are made of.
    if key.contains(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '-')) {
        return false;
    }
    let (mut run, mut longest, mut same, mut vowels) = (0_usize, 0_usize, 1_usize, 0_usize);
    let mut last = ' ';
    let mut repeated = false;
    for letter in key.chars() {
        same = if letter == last { same + 1 } else { 1 };
        repeated |= same > 2;
        last = letter;
        if matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y') {
            (run, vowels) = (0, vowels + 1);
        } else {
            run += 1;
            longest = longest.max(run);
        }
    }
    vowels == 0 || longest >= UNSPEAKABLE || repeated || KEYS.iter().any(|keys| key.contains(keys))
}

#[rustfmt::skip]
const ATTACHED: &[&str] = &[
    "attached", "enclosed", "the attachment", "this attachment", "my attachment", "the attachments", "adjunto", "adjunta", "adjuntos",
    "adjuntas", "adjuntado",
];

/// Whether it speaks of an attachment, and neither a file nor a text comes with it.
pub(super) fn lacks_attachment(words: &Words<'_>, found: &Keywords, text: &str) -> bool {
    let given = !found.files.is_empty() || has_quote(text) || text.contains("://") || gives_text(words);
    let speaks = |at| words.any_phrase(at, ATTACHED).is_some_and(|next| !belongs_elsewhere(words, next));
    !given && (0..words.len()).any(speaks)
}

/// `the files attached to each invoice`: they come with something else.
fn belongs_elsewhere(words: &Words<'_>, next: usize) -> bool {
    let spanish = words.before(next).starts_with("adj");
    if spanish { has(&["a", "al"], words.key(next)) } else { words.key(next) == "to" }
}

/// Whether text is handed over behind a colon: `the attached list: apples, pears`.
fn gives_text(words: &Words<'_>) -> bool {
    (0..words.len().saturating_sub(1)).any(|at| words.all().get(at).is_some_and(|word| word.points))
}

/// How people refer to what only they know.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "as discussed", "as agreed", "as we agreed", "as we discussed", "as usual", "as always", "like last time", "as last time",
    "as before", "like before", "same as before", "the same as last", "like the last one", "like the other one", "we talked about",
    "we discussed", "we spoke about", "i mentioned", "i told you", "you know which", "you know what", "the one from yesterday",
    "the usual one", "the usual way", "the usual thing", "the usual place", "from our last call", "from our last meeting",
    "como siempre", "como acordamos", "como hablamos", "como quedamos", "como la ultima vez", "como antes", "igual que antes",
    "igual que la ultima vez", "lo de siempre", "lo que hablamos", "lo que acordamos", "ya sabes cual", "ya sabes que",
    "que te dije", "que te comente", "la de siempre", "el de siempre",
];

/// Whether it refers to what was said or done elsewhere, and does not say what that was.
pub(super) fn is_unknown(words: &Words<'_>, text: &str) -> bool {
    let refers = (0..words.len()).any(|at| words.any_phrase(at, ELSEWHERE).is_some());
    refers && !has_quote(text) && !gives_text(words)
}
