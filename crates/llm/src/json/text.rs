//! The text under repair, with tables that answer every look ahead in one step.
//!
//! Hostile texts make a tolerant reader look far ahead from every character. The tables are built in one
//! pass each, so that looking ahead stays cheap and reading stays linear.

use std::cell::OnceCell;

/// Marks that nothing follows.
const NEVER: u32 = u32::MAX;

/// How long a bare key may be, in characters.
const MAX_BARE_KEY: usize = 64;

/// A member of an object that may start somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    /// The object or the text ends there.
    End,
    /// A key in this quote, and a colon.
    Quoted(char),
    /// A bare key and a colon; its value starts at this index.
    Bare(usize),
}

/// Characters by index, and where the next of a kind is.
pub(super) struct Text {
    chars: Vec<char>,
    solid: Vec<u32>,
    double: OnceCell<Vec<u32>>,
    single: OnceCell<Vec<u32>>,
    curly: OnceCell<Vec<u32>>,
    tick: OnceCell<Vec<u32>>,
    bracket: OnceCell<Vec<u32>>,
    newline: OnceCell<Vec<u32>>,
    comment_end: OnceCell<Vec<u32>>,
}

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let solid = table(&chars, |_, character| !character.is_whitespace());
        Self {
            chars,
            solid,
            double: OnceCell::new(),
            single: OnceCell::new(),
            curly: OnceCell::new(),
            tick: OnceCell::new(),
            bracket: OnceCell::new(),
            newline: OnceCell::new(),
            comment_end: OnceCell::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    pub(super) fn at(&self, index: usize) -> Option<char> {
        self.chars.get(index).copied()
    }

    /// The first index from here that is no blank; the length if there is none.
    pub(super) fn solid(&self, index: usize) -> usize {
        find(&self.solid, index).unwrap_or(self.len())
    }

    /// The first character from here that is no blank.
    pub(super) fn solid_char(&self, index: usize) -> Option<char> {
        self.at(self.solid(index))
    }

    pub(super) fn starts(&self, index: usize, with: &str) -> bool {
        with.chars().enumerate().all(|(offset, character)| self.at(index + offset) == Some(character))
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to).map(|part| part.iter().collect()).unwrap_or_default()
    }

    /// Where the next closing quote of this kind is that no backslash hides.
    pub(super) fn quote(&self, quote: char, index: usize) -> Option<usize> {
        let cell = match quote {
            '"' => &self.double,
            '\'' => &self.single,
            '”' => &self.curly,
            _ => &self.tick,
        };
        find(cell.get_or_init(|| quotes(&self.chars, quote)), index)
    }

    pub(super) fn closing_bracket(&self, index: usize) -> Option<usize> {
        find(self.bracket.get_or_init(|| table(&self.chars, |_, character| character == ']')), index)
    }

    pub(super) fn newline(&self, index: usize) -> Option<usize> {
        find(self.newline.get_or_init(|| table(&self.chars, |_, character| character == '\n')), index)
    }

    /// Where the next end of a block comment starts.
    pub(super) fn comment_end(&self, index: usize) -> Option<usize> {
        let ends = |index: usize, character| character == '*' && self.at(index + 1) == Some('/');
        find(self.comment_end.get_or_init(|| table(&self.chars, ends)), index)
    }

    /// Whether a key in quotes, and its colon, start at this quote.
    pub(super) fn starts_member(&self, index: usize) -> bool {
        let close = self.at(index).and_then(closing_quote);
        let end = close.and_then(|close| self.quote(close, index + 1));
        end.is_some_and(|end| self.solid_char(end + 1) == Some(':'))
    }

    /// What member of an object starts behind a comma, if any.
    pub(super) fn member(&self, index: usize) -> Option<Member> {
        let start = self.skip_comments(index)?;
        match self.at(start) {
            None | Some('}') => Some(Member::End),
            Some(quote) if closing_quote(quote).is_some() => {
                self.starts_member(start).then_some(Member::Quoted(quote))
            }
            Some(_) => self.bare_member(start),
        }
    }

    fn bare_member(&self, start: usize) -> Option<Member> {
        let part = self.chars.get(start..)?;
        let length = part.iter().take(MAX_BARE_KEY).take_while(|c| is_key_char(**c)).count();
        // The key may have lost its opening quote.
        let quote = usize::from(length > 0 && matches!(self.at(start + length), Some('"' | '\'' | '”')));
        let colon = self.solid(start + length + quote);
        let found = length > 0 && self.at(colon) == Some(':') && !self.starts(colon, "://");
        found.then_some(Member::Bare(colon + 1))
    }

    /// The next index behind blanks and a few comments; nothing if a comment never ends.
    fn skip_comments(&self, index: usize) -> Option<usize> {
        let mut at = self.solid(index);
        for _ in 0..4 {
            if self.starts(at, "/*") {
                at = self.solid(self.comment_end(at + 2)? + 2);
            } else if self.starts(at, "//") || self.at(at) == Some('#') {
                at = self.solid(self.newline(at)?);
            } else {
                break;
            }
        }
        Some(at)
    }
}

/// The quote that closes what this one opens; nothing if it opens nothing.
pub(super) const fn closing_quote(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' | '”' => Some('”'),
        '`' => Some('`'),
        _ => None,
    }
}

pub(super) fn is_key_char(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '$')
}

fn find(table: &[u32], index: usize) -> Option<usize> {
    table.get(index).copied().filter(|found| *found != NEVER).map(|found| found as usize)
}

/// For every index, the first one from there that is wanted.
fn table(chars: &[char], wanted: impl Fn(usize, char) -> bool) -> Vec<u32> {
    let mut next = NEVER;
    let mut found: Vec<u32> = chars
        .iter()
        .enumerate()
        .rev()
        .map(|(index, character)| {
            if wanted(index, *character) {
                next = u32::try_from(index).unwrap_or(NEVER);
            }
            next
        })
        .collect();
    found.reverse();
    found
}

fn quotes(chars: &[char], quote: char) -> Vec<u32> {
    let mut hidden = false;
    let plain: Vec<bool> = chars
        .iter()
        .map(|character| {
            let seen = !hidden && *character == quote;
            hidden = !hidden && *character == '\\';
            seen
        })
        .collect();
    table(chars, |index, _| plain.get(index).copied().unwrap_or(false))
}
