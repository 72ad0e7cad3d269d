//! Texts in quotes, whose quotes may be missing, doubled, of the wrong kind, or meant as part of the text.

use serde_json::Value;

use super::Unreadable;
use super::parser::{Parser, Place};
use super::repairs::Repair;
use super::text::{closing_quote, is_key_char};
use super::verdict::Verdict;

/// The longest key that may have lost its closing quote, in bytes.
const MAX_WORD: usize = 128;

/// A text while it is read.
pub(super) struct Open {
    pub(super) close: char,
    pub(super) place: Place,
    /// Whether a quotation inside the text is open.
    pub(super) inner: bool,
    /// Whether a low typographic quote opened it: then its end may be escaped.
    low: bool,
    doubled: bool,
    /// Where it ends, if its next quote leaves no doubt: then what is inside needs no second look.
    plain_end: Option<usize>,
    said: String,
}

impl Open {
    /// Whether only a few characters of a bare key were said so far.
    pub(super) fn is_word(&self) -> bool {
        (1..=MAX_WORD).contains(&self.said.len()) && self.said.chars().all(is_key_char)
    }
}

impl Parser {
    /// A text from its opening quote; data, if it holds a fenced block of data.
    pub(super) fn quoted(&mut self, quote: char, place: Place) -> Result<Option<Value>, Unreadable> {
        let close = closing_quote(quote).unwrap_or(quote);
        if quote != '"' {
            self.repairs.note(Repair::Quotes);
        }
        self.at += 1;
        let doubled = match self.doubled_opening(close, place) {
            Opening::Empty => return Ok(Some(Value::String(String::new()))),
            Opening::Single => false,
            Opening::Doubled => true,
        };
        if place == Place::Value
            && let Some(value) = self.fenced_data(close)?
        {
            return Ok(Some(value));
        }
        let mut open =
            Open { close, place, inner: false, low: false, doubled, plain_end: None, said: String::new() };
        if doubled && self.starts_with_quotation(&open) {
            (open.inner, open.doubled) = (true, false);
            open.said.push(close);
        }
        open.plain_end = self.plain_end(&open);
        Ok(Some(Value::String(self.rest_of_text(open))))
    }

    /// Looks at a quote that follows the opening one, and passes over it if it only doubles it.
    fn doubled_opening(&mut self, close: char, place: Place) -> Opening {
        if self.text.at(self.at) != Some(close) {
            return Opening::Single;
        }
        let next = self.text.solid(self.at + 1);
        match self.text.at(next) {
            None | Some(',' | '}' | ']' | ')' | ':') => {
                self.at += 1;
                return Opening::Empty;
            }
            Some(after) if after == close && next > self.at + 1 => {
                // Two texts, the first of them empty, unless this is where one value belongs.
                if place != Place::Value || self.text.starts_member(next) {
                    self.at += 1;
                    return Opening::Empty;
                }
                self.at = next;
            }
            Some('`') if self.text.starts(next, "```") => {
                self.at += 1;
                return Opening::Empty;
            }
            Some(_) => {}
        }
        self.repairs.note(Repair::Doubled);
        while self.text.at(self.at) == Some(close) {
            self.at += 1;
        }
        match self.text.solid_char(self.at) {
            None | Some(',' | '}' | ']') => Opening::Empty,
            _ => Opening::Doubled,
        }
    }

    fn rest_of_text(&mut self, mut open: Open) -> String {
        while let Some(character) = self.text.at(self.at) {
            match character {
                '\\' => self.escape(&mut open),
                found if found == open.close && open.plain_end == Some(self.at) => return self.close(open),
                '\'' if open.close == '\'' && self.is_apostrophe() => self.keep(&mut open, '\''),
                found if found == open.close => match self.verdict(&open) {
                    Verdict::Close => return self.close(open),
                    Verdict::Inside => {
                        self.repairs.note(Repair::Quotes);
                        open.inner = !open.inner;
                        open.low = false;
                        self.keep(&mut open, found);
                    }
                },
                _ if open.plain_end.is_some() => self.keep(&mut open, character),
                ',' | ':' | '}' | ']' if self.lost_its_end(&open, character) => return self.cut(&open.said),
                '{' if open.place == Place::Value && !open.inner => self.brace(&mut open),
                '„' => {
                    (open.inner, open.low) = (true, true);
                    self.keep(&mut open, character);
                }
                '”' if open.low => {
                    (open.inner, open.low) = (false, false);
                    self.keep(&mut open, character);
                }
                other => self.keep(&mut open, other),
            }
        }
        self.repairs.note(Repair::CutOff);
        open.said.trim_end().to_owned()
    }

    /// Whether letters stand on both sides of this mark.
    fn is_apostrophe(&self) -> bool {
        let letter =
            |at: Option<usize>| at.and_then(|at| self.text.at(at)).is_some_and(char::is_alphanumeric);
        letter(self.at.checked_sub(1)) && letter(Some(self.at + 1))
    }

    fn keep(&mut self, open: &mut Open, character: char) {
        open.said.push(character);
        self.at += 1;
    }

    /// Data inside the text is kept as text, quotes and all.
    fn brace(&mut self, open: &mut Open) {
        match self.inline_data(open.close) {
            Some(end) => {
                self.repairs.note(Repair::Quotes);
                open.said.push_str(&self.text.slice(self.at, end));
                self.at = end;
            }
            None => self.keep(open, '{'),
        }
    }

    fn close(&mut self, open: Open) -> String {
        if open.place == Place::Item && self.opens_next_item(&open) {
            return self.cut(open.said.trim_end().trim_end_matches(','));
        }
        self.at += 1;
        while open.doubled && self.text.at(self.at) == Some(open.close) {
            self.at += 1;
        }
        // A line break before the closing quote is the writer's layout, not the text.
        if open.said.ends_with('\n') { open.said.trim_end().to_owned() } else { open.said }
    }

    /// Whether this quote opens the next item, since the end of this one is missing: `"one, "two"`.
    fn opens_next_item(&self, open: &Open) -> bool {
        let word = self.text.at(self.at + 1).is_some_and(|c| c.is_alphanumeric() || c == '(');
        word && !open.inner && open.said.trim_end().ends_with(',')
    }

    fn cut(&mut self, said: &str) -> String {
        self.repairs.note(Repair::Quotes);
        said.trim_end().to_owned()
    }

    fn escape(&mut self, open: &mut Open) {
        let Some(next) = self.text.at(self.at + 1) else { return self.keep(open, '\\') };
        let plain = match next {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '"' | '\\' | '/' | '\'' | '„' | '“' | '”' | '`' => next,
            'u' => return self.unicode_escape(open),
            // Not an escape of JSON: a path or a pattern that was not escaped.
            _ => {
                self.repairs.note(Repair::Quotes);
                self.keep(open, '\\');
                return;
            }
        };
        if next == open.close && open.low {
            (open.inner, open.low) = (false, false);
        }
        open.said.push(plain);
        self.at += 2;
    }

    fn unicode_escape(&mut self, open: &mut Open) {
        let Some(first) = self.hex(self.at + 2) else { return self.keep(open, '\\') };
        let (code, length) = match first {
            0xD800..=0xDBFF => match self.low_surrogate(self.at + 6) {
                Some(low) => (0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00), 12),
                None => (0xFFFD, 6),
            },
            _ => (first, 6),
        };
        open.said.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        self.at += length;
    }

    fn low_surrogate(&self, at: usize) -> Option<u32> {
        if !self.text.starts(at, "\\u") {
            return None;
        }
        self.hex(at + 2).filter(|code| (0xDC00..=0xDFFF).contains(code))
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.slice(at, at + 4);
        let all = digits.chars().count() == 4 && digits.chars().all(|c| c.is_ascii_hexdigit());
        all.then(|| u32::from_str_radix(&digits, 16).ok()).flatten()
    }
}

/// How a text starts.
enum Opening {
    Single,
    Doubled,
    Empty,
}
