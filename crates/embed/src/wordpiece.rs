//! Words as the pieces that BERT models were taught: lower-cased, without accents, cut by longest match.
//!
//! It knows a vocabulary and nothing else: whoever has a model says how many pieces it can take. It never
//! fails: a word that cannot be cut into known pieces becomes the unknown one, as the models expect.

use std::collections::HashMap;
use std::ops::ControlFlow;

use foldhash::fast::FixedState;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A longer word is unknown as a whole: the models were taught so, and it bounds the search for pieces.
const LONGEST_WORD: usize = 100;
/// Marks a piece that goes on with a word rather than beginning one.
const CONTINUES: &str = "##";

/// A vocabulary of word pieces.
#[derive(Debug, Clone)]
pub struct WordPiece {
    beginnings: Pieces,
    continuations: Pieces,
    unknown: Option<u32>,
    opens: Option<u32>,
    closes: Option<u32>,
}

impl WordPiece {
    /// Makes it of the pieces in the order of their ids, the first being 0.
    ///
    /// `[UNK]`, `[CLS]` and `[SEP]` are looked for by name; what is missing is left out of the answers.
    pub fn new<'a>(vocabulary: impl Iterator<Item = &'a str>) -> Self {
        let mut beginnings = Pieces::default();
        let mut continuations = Pieces::default();
        for (piece, id) in vocabulary.zip(0u32..) {
            match piece.strip_prefix(CONTINUES) {
                Some(rest) if !rest.is_empty() => continuations.add(rest, id),
                _ => beginnings.add(piece, id),
            }
        }
        let [unknown, opens, closes] = ["[UNK]", "[CLS]", "[SEP]"].map(|name| beginnings.id(name));
        Self { beginnings, continuations, unknown, opens, closes }
    }

    /// The id of a piece as the vocabulary writes it.
    #[must_use]
    pub fn id(&self, piece: &str) -> Option<u32> {
        match piece.strip_prefix(CONTINUES) {
            Some(rest) if !rest.is_empty() => self.continuations.id(rest),
            _ => self.beginnings.id(piece),
        }
    }

    /// The pieces of a text, the first `most` of them; what comes after is not looked at.
    #[must_use]
    pub fn pieces(&self, text: &str, most: usize) -> Vec<u32> {
        let mut found = Vec::new();
        self.collect(text, most, &mut found);
        found
    }

    /// The pieces of a text between `[CLS]` and `[SEP]`, at most `most` with these two.
    #[must_use]
    pub fn framed(&self, text: &str, most: usize) -> Vec<u32> {
        let mut found: Vec<u32> = self.opens.into_iter().collect();
        self.collect(text, most.saturating_sub(usize::from(self.closes.is_some())), &mut found);
        found.extend(self.closes);
        found
    }

    fn collect(&self, text: &str, most: usize, found: &mut Vec<u32>) {
        let word_ends = |word: &str| {
            if found.len() < most {
                self.cut(word, found);
                found.truncate(most);
            }
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        each_word(text, word_ends);
    }

    /// Cuts one word, always taking the longest piece that fits.
    fn cut(&self, word: &str, found: &mut Vec<u32>) {
        let before = found.len();
        let mut rest = word;
        let mut pieces = &self.beginnings;
        if word.chars().nth(LONGEST_WORD).is_some() {
            found.extend(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let Some((id, after)) = pieces.longest(rest) else {
                found.truncate(before);
                found.extend(self.unknown);
                return;
            };
            found.push(id);
            rest = after;
            pieces = &self.continuations;
        }
    }
}

/// Pieces by their letters, and the length of the longest: no more need be tried.
#[derive(Debug, Clone, Default)]
struct Pieces {
    ids: HashMap<Box<str>, u32, FixedState>,
    longest: usize,
}

impl Pieces {
    fn add(&mut self, piece: &str, id: u32) {
        self.longest = self.longest.max(piece.len());
        self.ids.insert(piece.into(), id);
    }

    fn id(&self, piece: &str) -> Option<u32> {
        self.ids.get(piece).copied()
    }

    /// The longest piece at the start of a word, and what comes after it.
    fn longest<'a>(&self, word: &'a str) -> Option<(u32, &'a str)> {
        let most = word.len().min(self.longest);
        (1..=most).rev().find_map(|length| {
            let (piece, after) = word.split_at_checked(length)?;
            Some((self.id(piece)?, after))
        })
    }
}

/// A character as it is read: blanks are alike, and what cannot be seen is left out.
fn cleaned(c: char) -> Option<char> {
    match c {
        ' '..='~' => Some(c),
        '\0' | char::REPLACEMENT_CHARACTER => None,
        _ if c.is_whitespace() => Some(' '),
        _ if c.general_category_group() == GeneralCategoryGroup::Other => None,
        _ => Some(c),
    }
}

/// Chinese characters are words of their own.
fn set_apart(c: char) -> impl Iterator<Item = char> {
    let blank = is_ideograph(c).then_some(' ');
    blank.into_iter().chain([c]).chain(blank)
}

/// The blocks of Unicode that the models were taught to split; kana and hangul are not among them.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}' | '\u{2B740}'..='\u{2B81F}' | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FA1F}')
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || (!c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Punctuation)
}

/// Hands over the words of a text, lower-cased and without accents, until told to stop.
pub(crate) fn each_word(text: &str, word_ends: impl FnMut(&str) -> ControlFlow<()>) {
    // Most texts are plain; for them the walk through the tables of Unicode would be the whole cost.
    if text.is_ascii() {
        split(text.chars().filter_map(cleaned).map(|c| c.to_ascii_lowercase()), word_ends);
    } else {
        let apart = text.chars().filter_map(cleaned).flat_map(set_apart);
        let bare = apart.nfd().filter(|c| c.general_category() != GeneralCategory::NonspacingMark);
        split(bare.flat_map(char::to_lowercase), word_ends);
    }
}

/// Hands over one word after the other; a punctuation mark is a word of its own.
fn split(text: impl Iterator<Item = char>, mut word_ends: impl FnMut(&str) -> ControlFlow<()>) {
    let mut word = String::new();
    let mut end = |word: &mut String| {
        let flow = if word.is_empty() { ControlFlow::Continue(()) } else { word_ends(word) };
        word.clear();
        flow
    };
    for c in text {
        let apart = is_punctuation(c);
        if (apart || c.is_whitespace()) && end(&mut word).is_break() {
            return;
        }
        if !c.is_whitespace() {
            word.push(c);
        }
        if apart && end(&mut word).is_break() {
            return;
        }
    }
    let _ = end(&mut word);
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: [&str; 16] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "run", "##ning", "cafe", ",", "!", "東",
        "京", "a", "i",
    ];

    fn vocabulary() -> WordPiece {
        WordPiece::new(VOCABULARY.into_iter())
    }

    fn cut(text: &str) -> Vec<&'static str> {
        let ids = vocabulary().pieces(text, 100);
        ids.into_iter().map(|id| VOCABULARY[id as usize]).collect()
    }

    #[test]
    fn words_are_cut_into_the_longest_known_pieces() {
        assert_eq!(cut("Unaffable running"), ["un", "##aff", "##able", "run", "##ning"]);
        assert_eq!(cut("runx a"), ["[UNK]", "a"], "a word is known as a whole or not at all");
    }

    #[test]
    fn accents_case_and_what_cannot_be_seen_do_not_matter() {
        assert_eq!(cut("CAFÉ"), ["cafe"]);
        assert_eq!(cut("cafe\u{301}"), ["cafe"]);
        assert_eq!(cut("İ"), ["i"]);
        assert_eq!(cut("r\u{200B}u\u{0}n"), ["run"]);
        assert_eq!(cut("run\u{A0}run\trun\r\n"), ["run", "run", "run"]);
    }

    #[test]
    fn punctuation_and_ideographs_stand_alone() {
        assert_eq!(cut("run,run!!"), ["run", ",", "run", "!", "!"]);
        assert_eq!(cut("東京a"), ["東", "京", "a"]);
        assert_eq!(cut("run。"), ["run", "[UNK]"]);
    }

    #[test]
    fn answers_are_framed_and_never_longer_than_asked() {
        let pieces = vocabulary();
        assert_eq!(pieces.framed("run", 256), [2, 7, 3]);
        assert_eq!(pieces.framed("", 256), [2, 3]);
        assert_eq!(pieces.framed(&"unaffable ".repeat(100), 6), [2, 4, 5, 6, 4, 3]);
        assert_eq!(pieces.pieces("unaffable", 2), [4, 5]);
        assert!(pieces.pieces("run", 0).is_empty());
    }

    #[test]
    fn odd_texts_are_cut_without_complaint() {
        let zalgo = format!("a{}", "\u{301}".repeat(100_000));
        assert_eq!(cut(&zalgo), ["a"]);
        assert_eq!(cut(&"x".repeat(1_000_000)), ["[UNK]"]);
        assert_eq!(cut("\u{FFFD}\u{0}\u{10FFFF}"), Vec::<&str>::new());
        assert!(WordPiece::new(std::iter::empty()).framed("run", 8).is_empty());
    }
}
