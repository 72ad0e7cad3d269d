//! Whether a quote ends its text, and whether a text without an end is over.
//!
//! A quote ends its text if what follows can only be structure; it is part of the text if words follow that
//! end in a better quote. Each question is answered from a few table look-ups.

use super::parser::{Parser, Place};
use super::string::Open;
use super::text::{Member, closing_quote, is_key_char};

/// How far a key with quotes inside may reach, in characters.
const MAX_KEY_REACH: usize = 40;

/// What a quote inside a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Close,
    Inside,
}

impl From<bool> for Verdict {
    fn from(closes: bool) -> Self {
        if closes { Self::Close } else { Self::Inside }
    }
}

impl Parser {
    /// Judges the quote at this place.
    pub(super) fn verdict(&self, open: &Open) -> Verdict {
        let next = self.text.solid(self.at + 1);
        let Some(after) = self.text.at(next) else { return Verdict::Close };
        let comment = after == '#' || self.text.starts(next, "//") || self.text.starts(next, "/*");
        if comment || self.text.starts(next, "```") {
            return Verdict::Close;
        }
        match open.place {
            Place::Key => self.closes_key(open, after).into(),
            Place::Value => self.closes_value(open, next, after).into(),
            Place::Item => self.closes_item(open, next, after).into(),
        }
    }

    /// The next quote, if what follows it can only be structure.
    pub(super) fn plain_end(&self, open: &Open) -> Option<usize> {
        let quote = self.text.quote(open.close, self.at).filter(|_| !open.inner)?;
        let next = self.text.solid(quote + 1);
        let plain = match (open.place, self.text.at(next)?) {
            (Place::Key, after) => after == ':' && !self.text.slice(self.at, quote).contains([':', ',']),
            (Place::Value, ',') => {
                matches!(self.text.member(next + 1), Some(Member::Quoted(_) | Member::End))
            }
            (Place::Value, '}') => {
                matches!(self.text.solid_char(next + 1), None | Some(',' | '}' | ']')) && next > self.at
            }
            (Place::Item, ',') => self.item_follows(next + 1),
            (Place::Item, ']') => self.bracket_is_structure(next),
            _ => false,
        };
        plain.then_some(quote)
    }

    /// Whether a text that starts with two quotes starts with a quotation: words follow its end.
    pub(super) fn starts_with_quotation(&self, open: &Open) -> bool {
        let Some(end) = self.text.quote(open.close, self.at) else { return false };
        let next = self.text.solid(end + 1);
        let words = self.text.at(next).is_some_and(|c| c.is_alphanumeric() || matches!(c, '(' | '—' | '-'));
        let later = self.text.quote(open.close, end + 1);
        let closer = later.and_then(|later| self.text.solid_char(later + 1));
        open.place != Place::Key && words && matches!(closer, Some(',' | '}' | ']'))
    }

    fn closes_key(&self, open: &Open, after: char) -> bool {
        if matches!(after, ':' | ',' | '}' | ']' | '=' | '{' | '[') || closing_quote(after).is_some() {
            return true;
        }
        // Words follow: the quote is inside only if a later one is followed by the colon.
        let mut quote = self.at;
        for _ in 0..3 {
            let Some(next) = self.text.quote(open.close, quote + 1) else { return true };
            if next - self.at > MAX_KEY_REACH || self.text.slice(quote, next).contains([',', '\n', ':']) {
                return true;
            }
            if self.text.solid_char(next + 1) == Some(':') {
                return false;
            }
            quote = next;
        }
        true
    }

    fn closes_value(&self, open: &Open, next: usize, after: char) -> bool {
        match after {
            '}' => self.brace_is_structure(open, next),
            ']' => self.in_array() && self.bracket_is_structure(next),
            ')' => self.in_tuple(),
            ',' => self.comma_is_structure(next),
            ':' | ';' => true,
            after if after == open.close => self.closes_before_quote(next, open),
            _ => match self.text.quote(open.close, self.at + 1) {
                None => !open.inner,
                Some(later) => !open.inner && self.text.starts_member(later),
            },
        }
    }

    /// Two quotes in a row: the first closes, unless the second is the better end.
    fn closes_before_quote(&self, second: usize, open: &Open) -> bool {
        if self.ends_quotation(second, open) {
            return false;
        }
        if self.text.starts_member(second) || second == self.at + 1 {
            return true;
        }
        let after = self.text.solid(second + 1);
        let member = self.text.at(after) == Some(',')
            && matches!(self.text.member(after + 1), Some(Member::Quoted(_) | Member::Bare(_)));
        !(member || open.inner)
    }

    fn brace_is_structure(&self, open: &Open, brace: usize) -> bool {
        let Some(later) = self.text.quote(open.close, self.at + 1) else { return !open.inner };
        // `"}"}`: the brace belongs to data inside the text.
        let quoted = self.text.solid(brace + 1) == later
            && matches!(self.text.solid_char(later + 1), None | Some('}' | ','));
        !quoted
    }

    /// Whether a quotation inside the text ends right before the text does: `"best"",`.
    fn ends_quotation(&self, second: usize, open: &Open) -> bool {
        open.inner
            && second == self.at + 1
            && matches!(self.text.solid_char(second + 1), None | Some(',' | '}' | ']'))
    }

    fn comma_is_structure(&self, comma: usize) -> bool {
        let next = self.text.solid(comma + 1);
        match self.text.at(next) {
            _ if self.text.member(comma + 1).is_some() => true,
            Some('[' | ']') => true,
            Some('{') => self.in_array(),
            // A key that was cut off.
            Some(quote) if closing_quote(quote).is_some() => self.broken_key(next, quote),
            Some(_) => self.word_before_member(next),
            None => true,
        }
    }

    /// Whether a key starts at this quote that was cut off, lost its closing quote, or has no colon.
    fn broken_key(&self, start: usize, quote: char) -> bool {
        let close = closing_quote(quote).unwrap_or(quote);
        let Some(end) = self.text.quote(close, start + 1) else { return true };
        let next = self.text.solid(end + 1);
        match self.text.at(next) {
            Some(after) if after.is_ascii_digit() || matches!(after, '{' | '[') => next > end + 1,
            Some(after) if after == close => next > end + 1,
            _ if self.word_follows(next) => true,
            _ => matches!(self.text.member(start + 1), Some(Member::Bare(value)) if value <= end),
        }
    }

    /// Whether a word too many stands in front of a quoted key.
    fn word_before_member(&self, word: usize) -> bool {
        let end = (word..word + MAX_KEY_REACH).find(|at| !self.text.at(*at).is_some_and(is_key_char));
        end.is_some_and(|end| {
            let quote = self.text.solid(end);
            quote > end && self.text.at(quote) == Some('"') && self.text.starts_member(quote)
        })
    }

    /// Whether what follows a closing bracket is structure, and not more of a text.
    fn bracket_is_structure(&self, bracket: usize) -> bool {
        matches!(self.text.solid_char(bracket + 1), None | Some(',' | '}' | ']' | ')' | '`'))
    }

    fn in_tuple(&self) -> bool {
        self.around.contains(&super::parser::Around::Tuple)
    }

    fn closes_item(&self, open: &Open, next: usize, after: char) -> bool {
        match after {
            ']' | '}' | ':' | ';' => true,
            ')' => self.in_tuple(),
            ',' => !open.inner || self.item_follows(next + 1),
            after if after == open.close => {
                !open.inner || (next == self.at + 1 && !self.ends_quotation(next, open))
            }
            '{' => matches!(self.text.solid_char(next + 1), Some('"' | '}')),
            '[' => next > self.at + 1 && self.item_follows(next + 1),
            _ if next > self.at + 1 && !open.inner && self.literal_follows(next) => true,
            _ => self.closes_before_word(open),
        }
    }

    fn item_follows(&self, at: usize) -> bool {
        let first = self.text.solid(at);
        self.word_follows(first)
            || self.text.at(first).is_none_or(|c| {
                closing_quote(c).is_some() || c.is_ascii_digit() || matches!(c, '[' | '{' | ']' | '}' | '-')
            })
    }

    /// Whether a number or a word of JSON follows that is an item by itself.
    fn literal_follows(&self, start: usize) -> bool {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let end = (start..start + MAX_KEY_REACH).find(|at| !self.text.at(*at).is_some_and(part));
        let number = self.text.at(start).is_some_and(|c| c.is_ascii_digit() || c == '-');
        (number || self.word_follows(start))
            && end.is_some_and(|end| matches!(self.text.solid_char(end), None | Some(',' | ']')))
    }

    /// A word follows a quote in a list: another item that lost its opening quote, or more of this one.
    fn closes_before_word(&self, open: &Open) -> bool {
        if open.inner {
            return false;
        }
        let Some(later) = self.text.quote(open.close, self.at + 1) else { return true };
        if self.text.closing_bracket(self.at).is_some_and(|bracket| bracket < later) {
            return true;
        }
        matches!(self.text.solid_char(later + 1), None | Some(',' | ']'))
    }

    /// Whether a text whose closing quote is missing is over at this character.
    pub(super) fn lost_its_end(&self, open: &Open, character: char) -> bool {
        let no_quote_left = || self.text.quote(open.close, self.at).is_none();
        match (open.place, character) {
            (Place::Key, ':') => {
                self.text.solid_char(self.at + 1) == Some(open.close)
                    || no_quote_left()
                    || self.key_cuts(open)
            }
            (Place::Key, '}') | (Place::Value, '}') | (Place::Item, ']') if no_quote_left() => true,
            (Place::Value, ']') if self.in_array() => no_quote_left() && self.bracket_is_structure(self.at),
            (Place::Value, ',') => self.member_cuts(open),
            (Place::Value, '}') => self.next_object_cuts(open),
            _ => false,
        }
    }

    /// Whether a value follows the colon inside a key, and the key does not go on to a colon of its own.
    fn key_cuts(&self, open: &Open) -> bool {
        let next = self.text.solid(self.at + 1);
        let value = self.text.at(next).is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '{' | '['))
            || self.word_follows(next);
        let goes_on = self.text.quote(open.close, self.at).is_some_and(|quote| {
            quote - self.at < MAX_KEY_REACH
                && self.text.solid_char(quote + 1) == Some(':')
                && !self.text.slice(self.at, quote).contains([',', '\n', '{', '['])
        });
        value && open.is_word() && !goes_on
    }

    /// Whether one of the words of JSON stands here.
    fn word_follows(&self, at: usize) -> bool {
        ["true", "false", "null"].iter().any(|word| self.text.starts(at, word))
    }

    fn member_cuts(&self, open: &Open) -> bool {
        match self.text.member(self.at + 1) {
            Some(Member::Quoted(quote)) => closing_quote(quote) == Some(open.close),
            Some(Member::Bare(value)) => {
                self.text.solid_char(value) == Some(open.close)
                    || self.text.quote(open.close, self.at).is_none()
            }
            Some(Member::End) | None => false,
        }
    }

    /// Whether `}, {"key":` follows, in a list: the next object starts inside a text that has no end.
    fn next_object_cuts(&self, open: &Open) -> bool {
        let comma = self.text.solid(self.at + 1);
        let brace = self.text.solid(comma + 1);
        let quote = self.text.solid(brace + 1);
        self.in_array()
            && !open.inner
            && self.text.at(comma) == Some(',')
            && self.text.at(brace) == Some('{')
            && self.text.at(quote) == Some(open.close)
            && self.text.starts_member(quote)
    }
}
