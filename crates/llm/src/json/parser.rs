//! Where data starts in a text, and what a value is there.

use serde_json::Value;

use super::repairs::{Repair, Repairs};
use super::text::{Text, closing_quote};
use super::{MAX_DEPTH, Unreadable};

/// What is open around the place that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    Object,
    Array,
    Tuple,
}

/// What a piece of text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Key,
    Value,
    Item,
}

/// Reads a text from left to right; every look ahead is a single step.
pub(super) struct Parser {
    pub(super) text: Text,
    pub(super) at: usize,
    pub(super) around: Vec<Around>,
    pub(super) repairs: Repairs,
    /// Whether a search for the end of data inside a text already failed: it would fail again.
    pub(super) no_inline: bool,
    /// The same for fenced data inside a text.
    pub(super) no_fences: bool,
    unescaped: bool,
}

impl Parser {
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: Text::new(text),
            at: 0,
            around: Vec::new(),
            repairs: Repairs::default(),
            no_inline: false,
            no_fences: false,
            unescaped: false,
        }
    }

    /// All the data of the text as one value.
    pub(super) fn document(&mut self) -> Result<Value, Unreadable> {
        let mut found: Vec<Value> = Vec::new();
        while let Some(value) = self.next_piece(&mut found)? {
            let separated = self.text.solid_char(self.at) == Some(',');
            add_piece(&mut found, value, &mut self.repairs);
            if separated {
                found.extend(self.piece_after_comma()?);
            }
        }
        match found.len() {
            0 => Err(Unreadable::NoData),
            1 => found.pop().ok_or(Unreadable::NoData),
            _ => Ok(Value::Array(found)),
        }
    }

    /// The next piece of data; words before it are passed over, and keys with no object go into the last.
    fn next_piece(&mut self, found: &mut [Value]) -> Result<Option<Value>, Unreadable> {
        if let Some(Value::Object(map)) = found.last_mut()
            && self.text.solid_char(self.at) == Some(',')
            && self.member_goes_on()
        {
            self.repairs.note(Repair::Merged);
            map.extend(self.object_body()?.0);
        }
        loop {
            let start = self.text.solid(self.at);
            self.at = start;
            match self.text.at(start) {
                None => return Ok(None),
                Some('{') if self.escaped_whole() => return self.unescape().map(Some),
                Some('{') => return self.object().map(Some),
                Some('[') => return self.array().map(Some),
                Some('(') => {
                    if let Some(value) = self.top_level_tuple()? {
                        return Ok(Some(value));
                    }
                }
                Some(_) if self.comment() => {}
                Some(_) => {
                    self.repairs.note(Repair::Around);
                    self.at += 1;
                }
            }
        }
    }

    /// A piece that a comma sets beside the one before it: both stand, even if they look alike.
    fn piece_after_comma(&mut self) -> Result<Option<Value>, Unreadable> {
        let next = self.text.solid(self.text.solid(self.at) + 1);
        if !matches!(self.text.at(next), Some('{' | '[')) {
            return Ok(None);
        }
        self.at = next;
        self.repairs.note(Repair::Several);
        let value = if self.text.at(next) == Some('{') { self.object()? } else { self.array()? };
        Ok(Some(value).filter(|value| !is_blank(value)))
    }

    /// Whether a quoted key and its value go on behind a comma, after their object was closed.
    fn member_goes_on(&self) -> bool {
        let next = self.text.solid(self.text.solid(self.at) + 1);
        let Some(close) = self.text.at(next).and_then(closing_quote) else { return false };
        let Some(end) = self.text.quote(close, next + 1) else { return false };
        let after = self.text.solid_char(end + 1);
        after == Some(':') || after.is_some_and(|c| closing_quote(c).is_some())
    }

    fn escaped_whole(&self) -> bool {
        !self.unescaped && self.text.starts(self.text.solid(self.at + 1), "\\\"")
    }

    /// Reads the rest once more with one layer of backslashes taken off.
    fn unescape(&mut self) -> Result<Value, Unreadable> {
        self.repairs.note(Repair::Escaped);
        let rest = self.text.slice(self.at, self.text.len());
        let mut plain = String::with_capacity(rest.len());
        let mut characters = rest.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => plain.extend(characters.next()),
                other => plain.push(other),
            }
        }
        self.text = Text::new(&plain);
        (self.at, self.unescaped, self.no_inline) = (0, true, false);
        self.object()
    }

    /// A list in round brackets, if it stands alone on its line and starts like data.
    fn top_level_tuple(&mut self) -> Result<Option<Value>, Unreadable> {
        let first = self.text.solid_char(self.at + 1);
        let like_data = first.is_some_and(|c| c.is_ascii_digit() || "\"'[{(-".contains(c));
        if !like_data {
            self.repairs.note(Repair::Around);
            self.at += 1;
            return Ok(None);
        }
        let value = self.tuple()?;
        let next = self.text.solid(self.at);
        let line_ends = self.text.newline(self.at).is_some_and(|newline| newline < next);
        Ok((line_ends || self.text.at(next).is_none_or(|c| c == '`')).then_some(value))
    }

    /// A value, if one starts here.
    pub(super) fn value(&mut self, place: Place) -> Result<Option<Value>, Unreadable> {
        self.blanks();
        match self.text.at(self.at) {
            None => Ok(None),
            Some('{') => self.object().map(Some),
            Some('[') => self.array().map(Some),
            Some('(') => self.tuple().map(Some),
            Some(quote) if closing_quote(quote).is_some() => self.quoted(quote, place),
            Some(_) => Ok(self.bare(place)),
        }
    }

    /// Passes over blanks and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            self.at = self.text.solid(self.at);
            if !self.comment() {
                break;
            }
        }
    }

    /// Passes over a comment, if one starts here.
    fn comment(&mut self) -> bool {
        let end = if self.text.starts(self.at, "/*") {
            self.text.comment_end(self.at + 2).map(|end| end + 2)
        } else if self.text.starts(self.at, "//") {
            self.text.newline(self.at)
        } else if self.text.at(self.at) == Some('#') {
            self.hash_comment_end()
        } else {
            return false;
        };
        self.repairs.note(Repair::Comment);
        self.at = end.unwrap_or(self.text.len());
        true
    }

    /// A `#` is rarer in data than in prose: inside data such a comment also ends with what is open.
    fn hash_comment_end(&self) -> Option<usize> {
        let mut at = self.at;
        while let Some(character) = self.text.at(at) {
            if character == '\n' || (!self.around.is_empty() && matches!(character, '}' | ']')) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    pub(super) fn enter(&mut self, around: Around) -> Result<(), Unreadable> {
        if self.around.len() >= MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
        self.around.push(around);
        Ok(())
    }

    /// Whether an array is open anywhere around this place.
    pub(super) fn in_array(&self) -> bool {
        self.around.contains(&Around::Array)
    }
}

/// Adds a piece of data to those before it. Where two look alike, the later is the corrected one.
fn add_piece(found: &mut Vec<Value>, value: Value, repairs: &mut Repairs) {
    let Some(last) = found.last_mut() else {
        found.push(value);
        return;
    };
    repairs.note(Repair::Several);
    if is_blank(&value) {
        return;
    }
    if is_blank(last) || same_shape(last, &value) {
        *last = value;
    } else {
        found.push(value);
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether two pieces have the same keys, all the way down: then the one is a new version of the other.
fn same_shape(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|it| same_shape(value, it)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_shape(one, other))
        }
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
