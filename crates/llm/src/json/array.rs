//! Lists: in square brackets, in round ones, and in braces.

use serde_json::Value;

use super::Unreadable;
use super::parser::{Around, Parser, Place};
use super::repairs::Repair;
use super::text::closing_quote;

impl Parser {
    /// A list from its opening bracket.
    pub(super) fn array(&mut self) -> Result<Value, Unreadable> {
        self.at += 1;
        self.items(']').map(|(items, _)| Value::Array(items))
    }

    /// Round brackets: a list if there is a comma in them or nothing at all, else the value inside.
    pub(super) fn tuple(&mut self) -> Result<Value, Unreadable> {
        self.at += 1;
        self.repairs.note(Repair::Tuple);
        let (mut items, commas) = self.items(')')?;
        match items.len() {
            1 if commas == 0 => Ok(items.pop().unwrap_or(Value::Null)),
            _ => Ok(Value::Array(items)),
        }
    }

    /// The items up to the closing bracket, which is consumed, and how many commas were between them.
    pub(super) fn items(&mut self, close: char) -> Result<(Vec<Value>, usize), Unreadable> {
        self.enter(if close == ')' { Around::Tuple } else { Around::Array })?;
        let mut items = Vec::new();
        let mut commas = 0;
        loop {
            let (separators, spare) = self.between_items(close, items.last());
            commas += separators;
            self.note_commas(separators, spare, &items);
            match self.text.at(self.at) {
                None => {
                    self.repairs.note(Repair::CutOff);
                    break;
                }
                Some(found) if found == close => {
                    self.at += 1;
                    break;
                }
                Some('}' | ']') => {
                    self.repairs.note(Repair::Brackets);
                    break;
                }
                Some(_) if !items.is_empty() && self.next_member_starts() => {
                    self.repairs.note(Repair::Brackets);
                    break;
                }
                Some(_) => items.extend(self.item()?),
            }
        }
        self.around.pop();
        Ok((items, commas))
    }

    /// Whether a key and a colon stand here, in a list inside an object: the list lost its bracket.
    fn next_member_starts(&self) -> bool {
        let outer = self.around.len().checked_sub(2).and_then(|outer| self.around.get(outer));
        let quote = self.text.at(self.at).is_some_and(|c| closing_quote(c).is_some());
        outer == Some(&Around::Object) && quote && self.text.starts_member(self.at)
    }

    fn note_commas(&mut self, separators: usize, spare: bool, items: &[Value]) {
        let ends = self.text.at(self.at).is_none_or(|c| matches!(c, ']' | ')' | '}'));
        let expected = usize::from(!items.is_empty() && !ends);
        if spare || separators != expected {
            self.repairs.note(Repair::Commas);
        }
    }

    /// Passes over what separates items; says how many commas there were, and whether anything else.
    fn between_items(&mut self, close: char, last: Option<&Value>) -> (usize, bool) {
        let (mut commas, mut spare) = (0, false);
        loop {
            self.blanks();
            match self.text.at(self.at) {
                Some(',') => commas += 1,
                Some(';' | ':') => spare = true,
                Some('`') if self.text.starts(self.at, "```") => self.at += 2,
                Some(')') if close != ')' => spare = true,
                // A brace that nothing around this list could have opened.
                Some('}') if close != '}' && !self.around.contains(&Around::Object) => spare = true,
                Some(letter) if commas == 0 && letter.is_alphabetic() && is_container(last) => {
                    self.repairs.note(Repair::Junk);
                    self.skip_word();
                    continue;
                }
                _ => return (commas, spare),
            }
            self.at += 1;
        }
    }

    fn skip_word(&mut self) {
        while self.text.at(self.at).is_some_and(|c| !c.is_whitespace() && !matches!(c, ',' | ']' | '}')) {
            self.at += 1;
        }
    }

    /// One item; an object without braces if a colon follows it.
    fn item(&mut self) -> Result<Option<Value>, Unreadable> {
        let start = self.at;
        let cut = self.text.solid(self.at + 1) >= self.text.len();
        let value = self.value(Place::Item)?;
        if matches!(value, Some(Value::String(_))) && self.text.solid_char(self.at) == Some(':') {
            self.at = start;
            self.repairs.note(Repair::Brackets);
            return self.object_body().map(|(map, _)| Some(Value::Object(map)));
        }
        if self.at == start {
            self.at += 1;
        }
        // An item that was cut off before its first letter, or an object before its first key, is none.
        let nothing = match &value {
            Some(Value::String(text)) => text.is_empty() && cut,
            Some(Value::Object(map)) => map.is_empty() && !self.just_closed('}'),
            _ => false,
        };
        Ok(value.filter(|_| !nothing))
    }

    fn just_closed(&self, bracket: char) -> bool {
        self.at.checked_sub(1).and_then(|before| self.text.at(before)) == Some(bracket)
    }
}

fn is_container(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Object(_) | Value::Array(_)))
}
