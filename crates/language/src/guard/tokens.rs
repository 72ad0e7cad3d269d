//! A text as words that the tables know: in lower case, without accents, disguises undone.
//!
//! Zero-width characters and combining accents are left out, wide letters become plain ones, `1gn0re` is read
//! as `ignore`, and don't as dont. Where a sentence or a line ends there is a stop, which no phrase reaches
//! across.
//!
//! It does not use the splitter of `candor-text`: the weights of the signs were fitted to these tokens, which
//! go on through invisible characters and apostrophes and take in stand-ins such as `@`. `quality_guard` measures
//! them (attacks flagged, harmless prompts flagged).

use candor_text::{fold_letter, is_combining};

use super::kinds::{COLON, Kinds};
use super::words::{Ids, STOP, Tables};

/// A word of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Where it begins, in bytes.
    pub(super) at: usize,
    /// Byte behind the last one.
    pub(super) end: usize,
    /// Which entries of the tables it is; none for most words.
    pub(super) ids: Ids,
    /// What kinds of word it is.
    pub(super) kinds: Kinds,
    /// Whether it is one letter that stands alone, and which.
    pub(super) alone: Option<char>,
}

/// The words of a text, in order.
pub(super) fn tokens(text: &str, tables: &'static Tables) -> Vec<Token> {
    let mut reader =
        Reader { tables, word: String::new(), at: 0, end: 0, list: Vec::with_capacity(text.len() / 5) };
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if is_invisible(letter) || is_apostrophe(letter) || is_combining(letter) {
            continue;
        }
        if letter.is_alphanumeric() || matches!(letter, '@' | '$') && !reader.word.is_empty() {
            reader.add(at, letter);
            continue;
        }
        reader.finish();
        let next = letters.peek().map(|(_, next)| *next);
        reader.sign(at, letter, next);
    }
    reader.finish();
    reader.list
}

/// Whether a character is not to be seen: of no width, of a direction, or a tag.
pub(super) const fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        | '\u{ad}' | '\u{180e}' | '\u{e0000}'..='\u{e007f}')
}

const fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '`' | '´')
}

struct Reader {
    tables: &'static Tables,
    word: String,
    at: usize,
    end: usize,
    list: Vec<Token>,
}

impl Reader {
    fn add(&mut self, at: usize, letter: char) {
        if self.word.is_empty() {
            self.at = at;
        }
        self.end = at + letter.len_utf8();
        // No word of the tables is as long; the rest of a blob is not kept.
        if self.word.len() < 40 {
            plain(letter, &mut self.word);
        }
    }

    fn finish(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let mut word = self.tables.word(&self.word);
        if word.is_none() && is_disguised(&self.word) {
            let undone: String = self.word.chars().map(undisguised).collect();
            word = self.tables.word(&undone);
        }
        let (ids, kinds) = word.map_or((&[][..], 0), |word| (word.ids.as_slice(), word.kinds));
        let mut letters = self.word.chars();
        let alone = letters.next().filter(|letter| letter.is_ascii_alphabetic() && letters.next().is_none());
        self.list.push(Token { at: self.at, end: self.end, ids, kinds, alone });
        self.word.clear();
    }

    fn sign(&mut self, at: usize, letter: char, next: Option<char>) {
        // A dot inside of a name (`os.system`) ends nothing.
        let ends = match letter {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '\n' | '。' | '！' | '？' => true,
            _ => false,
        };
        if ends && self.list.last().is_some_and(|last| last.ids != STOP) {
            self.list.push(Token { at, end: at, ids: STOP, kinds: 0, alone: None });
        } else if letter == ':' && next.is_none_or(|next| !next.is_ascii_alphabetic() && next != '/') {
            let ids = self.tables.word(":").map_or(&[][..], |word| word.ids.as_slice());
            self.list.push(Token { at, end: at + 1, ids, kinds: COLON, alone: None });
        }
    }
}

/// The letter in lower case, without its accent, of plain width.
fn plain(letter: char, word: &mut String) {
    if letter.is_ascii() {
        word.push(letter.to_ascii_lowercase());
        return;
    }
    let narrow = match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        other => other,
    };
    word.extend(narrow.to_lowercase().map(|low| latin(fold_letter(low))));
}

/// The Latin letter that a Cyrillic one looks like.
const fn latin(letter: char) -> char {
    match letter {
        'а' => 'a',
        'е' => 'e',
        'і' => 'i',
        'о' => 'o',
        'с' => 'c',
        'р' => 'p',
        'у' => 'y',
        'х' => 'x',
        other => other,
    }
}

fn is_disguised(word: &str) -> bool {
    let is_stand_in = |letter: char| undisguised(letter) != letter;
    word.chars().any(is_stand_in) && word.chars().any(|letter| letter.is_ascii_alphabetic())
}

const fn undisguised(letter: char) -> char {
    match letter {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}
