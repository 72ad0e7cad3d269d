//! Words without quotes: numbers, the words of JSON and of other languages, and texts that lost their quotes.

use serde_json::{Number, Value};

use super::parser::{Around, Parser, Place};
use super::repairs::Repair;
use super::text::{closing_quote, is_key_char};

/// The longest number or known word, in characters.
const MAX_KNOWN: usize = 32;

impl Parser {
    /// A value without quotes; nothing if there is nothing to it.
    pub(super) fn bare(&mut self, place: Place) -> Option<Value> {
        let start = self.at;
        self.pass_bare(place);
        let words = self.text.slice(start, self.at);
        let words = words.trim().trim_end_matches(['`', ';']).trim_end();
        if self.text.at(self.at).is_some_and(|c| closing_quote(c).is_some()) {
            self.spare_closing_quote();
        }
        self.literal(words)
    }

    fn pass_bare(&mut self, place: Place) {
        let start = self.at;
        let mut braces = 0_usize;
        while let Some(character) = self.text.at(self.at) {
            let over = match character {
                '{' if place == Place::Value => {
                    braces += 1;
                    false
                }
                '}' if braces > 0 => {
                    braces -= 1;
                    false
                }
                '}' => true,
                ']' => self.in_array(),
                ')' => self.around.last() == Some(&Around::Tuple) || self.is_known(start, place),
                '"' | '“' => true,
                '\'' => self.text.solid(self.at + 1) != self.at + 1,
                ':' => place == Place::Item && !self.text.starts(self.at, "://"),
                ',' => place == Place::Item || self.comma_ends_bare(start),
                '\n' => self.line_ends_bare(),
                ' ' | '\t' => self.blank_ends_bare(start, place),
                _ => false,
            };
            if over {
                break;
            }
            self.at += 1;
        }
    }

    /// A comma ends a bare value, unless the closing quote of a text comes later, or digits go on.
    fn comma_ends_bare(&self, start: usize) -> bool {
        if self.text.member(self.at + 1).is_some() {
            return true;
        }
        let digits = |at: usize| self.text.at(at).is_some_and(|c| c.is_ascii_digit());
        if digits(start) && digits(self.at + 1) {
            return false;
        }
        let Some(quote) = self.text.quote('"', self.at) else { return true };
        let after = self.text.solid(quote + 1);
        let ends = match self.text.at(after) {
            None | Some('}') => true,
            Some(',') => self.text.member(after + 1).is_some(),
            _ => false,
        };
        !ends || self.text.starts_member(quote)
    }

    fn line_ends_bare(&self) -> bool {
        self.text.member(self.at).is_some() || matches!(self.text.solid_char(self.at), Some(']' | ')'))
    }

    /// A blank ends a bare value before a comment; in a list, also behind a number or a known word.
    fn blank_ends_bare(&self, start: usize, place: Place) -> bool {
        let next = self.text.solid(self.at);
        if self.text.starts(next, "//") || self.text.starts(next, "/*") || self.text.starts(next, "# ") {
            return true;
        }
        self.is_known(start, place)
    }

    /// Whether an item is a whole number or known word so far.
    fn is_known(&self, start: usize, place: Place) -> bool {
        if place != Place::Item || self.at - start > MAX_KNOWN {
            return false;
        }
        let words = self.text.slice(start, self.at);
        number(&words).is_some() || known_word(&words).is_some()
    }

    /// Passes over a closing quote whose opening one is missing.
    fn spare_closing_quote(&mut self) {
        let structure = matches!(self.text.solid_char(self.at + 1), None | Some(',' | '}' | ']'));
        if structure && !self.text.starts_member(self.at) {
            self.repairs.note(Repair::Quotes);
            self.at += 1;
        }
    }

    fn literal(&mut self, words: &str) -> Option<Value> {
        if let Ok(plain) = serde_json::from_str(words) {
            return Some(plain);
        }
        if words.chars().all(|c| matches!(c, '.' | '-' | '…')) {
            self.repairs.note(Repair::Junk);
            return None;
        }
        if let Some(value) = known_word(words).or_else(|| number(words)) {
            self.repairs.note(Repair::Literal);
            return Some(value);
        }
        self.repairs.note(Repair::Unquoted);
        Some(Value::String(words.to_owned()))
    }

    /// A key without quotes; nothing if no colon belongs to it: then it is passed over.
    pub(super) fn bare_key(&mut self) -> Option<String> {
        let start = self.at;
        while self.text.at(self.at).is_some_and(|c| !":,{}[]=\"“\n".contains(c)) {
            self.at += 1;
        }
        let key = self.text.slice(start, self.at).trim().trim_end_matches(['\'', '\\']).to_owned();
        let lost_quote = matches!(self.text.at(self.at), Some('"' | '“'))
            && self.text.solid_char(self.at + 1) == Some(':');
        if lost_quote {
            self.at += 1;
        }
        let next = self.text.solid_char(self.at);
        let alone = self.around.len() > 1 || next != Some('"');
        if lost_quote || matches!(next, Some(':' | '=')) {
            self.repairs.note(Repair::Unquoted);
            return Some(key);
        }
        self.repairs.note(Repair::Junk);
        (alone && matches!(next, None | Some('}' | ',' | ']')) && key.chars().any(is_key_char)).then_some(key)
    }
}

/// A word that stands for a value in JSON, Python or JavaScript.
fn known_word(words: &str) -> Option<Value> {
    let is = |word: &str| words.eq_ignore_ascii_case(word);
    if is("true") || is("false") {
        return Some(Value::Bool(is("true")));
    }
    let nothing = is("null") || is("none") || is("undefined") || is("nan");
    (nothing || is("infinity") || is("-infinity")).then_some(Value::Null)
}

/// A number as people and other languages write it: `+5`, `.25`, `1.`, `1_000`, `007`, `1e`.
fn number(words: &str) -> Option<Value> {
    let first = words.chars().next()?;
    let known = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E' | '_');
    if !(first.is_ascii_digit() || matches!(first, '-' | '+' | '.')) || !words.chars().all(known) {
        return None;
    }
    let plain = words.replace('_', "");
    let plain = plain.trim_start_matches('+').trim_end_matches(['e', 'E']);
    if let Ok(whole) = plain.parse::<i64>() {
        return Some(Value::from(whole));
    }
    if let Ok(whole) = plain.parse::<u64>() {
        return Some(Value::from(whole));
    }
    plain.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}
