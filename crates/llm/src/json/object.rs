//! Objects: keys, colons, values, and what stands between them by mistake.

use serde_json::{Map, Value};

use super::Unreadable;
use super::parser::{Around, Parser, Place};
use super::repairs::Repair;
use super::text::closing_quote;

/// How an object ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With its own brace.
    Closed,
    /// With the end of the text, or of what is around it.
    Cut,
    /// It has no keys at all: it may be a list.
    NoKeys,
}

impl Parser {
    /// An object from its opening brace, or the list that it turns out to be.
    pub(super) fn object(&mut self) -> Result<Value, Unreadable> {
        let start = self.at;
        self.at += 1;
        let (map, end) = self.object_body()?;
        if end == End::NoKeys && self.at > start + 1 {
            return self.list_in_braces(start);
        }
        Ok(Value::Object(map))
    }

    /// The members of an object up to its closing brace, which is consumed.
    pub(super) fn object_body(&mut self) -> Result<(Map<String, Value>, End), Unreadable> {
        self.enter(Around::Object)?;
        let mut map = Map::new();
        let mut last = None;
        let end = loop {
            let junk = self.between_members(!map.is_empty());
            match self.text.at(self.at) {
                None => break self.cut_off(),
                Some('}') => {
                    self.at += 1;
                    break End::Closed;
                }
                Some(']') if self.in_array() => {
                    self.repairs.note(Repair::Brackets);
                    break End::Cut;
                }
                Some('[') if self.goes_on_last(&mut map, last.as_ref())? => continue,
                Some(']' | '[' | '{' | ')' | '(') => {
                    self.repairs.note(Repair::Brackets);
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let before = self.at;
            match self.member(&mut map, junk)? {
                Step::Added(key) => last = Some(key),
                Step::Skipped => {}
                Step::NewObject => {
                    self.at = before;
                    break End::Cut;
                }
                Step::NoColon => break End::NoKeys,
            }
            if self.at == before {
                self.at += 1;
            }
        };
        self.around.pop();
        Ok((map, end))
    }

    fn cut_off(&mut self) -> End {
        self.repairs.note(Repair::CutOff);
        End::Cut
    }

    /// Passes over what separates members; says whether there was more than that.
    fn between_members(&mut self, after_member: bool) -> bool {
        let mut junk = false;
        let mut commas = 0_usize;
        loop {
            self.blanks();
            match self.text.at(self.at) {
                Some(',') => commas += 1,
                Some(';' | ':' | '\\') => {}
                Some('`') if self.text.starts(self.at, "```") => {
                    self.at += 2;
                }
                // Empty quotes with no colon are no key.
                Some('"') if self.text.starts(self.at, "\"\"\"\"") => {
                    self.repairs.note(Repair::Doubled);
                    self.at += 3;
                    junk = true;
                }
                Some('"') if self.stray_quote() => self.repairs.note(Repair::Quotes),
                _ => break,
            }
            self.at += 1;
        }
        let ends = matches!(self.text.at(self.at), None | Some('}' | ']'));
        if commas != usize::from(after_member && !ends) {
            self.repairs.note(Repair::Commas);
        }
        junk
    }

    /// Whether the quote here is followed by the end of the member instead of a key.
    fn stray_quote(&self) -> bool {
        matches!(self.text.solid_char(self.at + 1), Some(',' | '}' | ']') | None)
            && self.text.at(self.at + 1) != Some('"')
    }

    /// Reads an array where a key is expected into the array before it.
    fn goes_on_last(
        &mut self,
        map: &mut Map<String, Value>,
        last: Option<&String>,
    ) -> Result<bool, Unreadable> {
        let Some(Value::Array(items)) = last.and_then(|key| map.get_mut(key)) else { return Ok(false) };
        self.repairs.note(Repair::Brackets);
        if let Value::Array(more) = self.array()? {
            join(items, more);
        }
        Ok(true)
    }

    fn member(&mut self, map: &mut Map<String, Value>, junk: bool) -> Result<Step, Unreadable> {
        let Some(key) = self.key()? else { return Ok(Step::Skipped) };
        self.blanks();
        let mut missing_colon = false;
        match self.text.at(self.at) {
            Some(':') => self.at += 1,
            Some('=') => {
                self.repairs.note(Repair::Colon);
                self.at += if self.text.starts(self.at, "=>") { 2 } else { 1 };
            }
            _ if self.is_list(map) => return Ok(Step::NoColon),
            next => {
                let lonely = matches!(next, None | Some(',' | '}' | ']'));
                if lonely && !self.value_behind_comma(map) {
                    return Ok(self.lonely_key(map, key, next));
                }
                missing_colon = true;
            }
        }
        if junk && map.contains_key(&key) && self.in_array() {
            return Ok(Step::NewObject);
        }
        let value = self.member_value(missing_colon)?;
        self.insert(map, key.clone(), value);
        Ok(Step::Added(key))
    }

    /// A key with nothing behind it: cut off at the end of the text, or a word too many.
    fn lonely_key(&mut self, map: &mut Map<String, Value>, key: String, next: Option<char>) -> Step {
        self.repairs.note(if next.is_none() { Repair::CutOff } else { Repair::Junk });
        if next == Some(']') {
            self.repairs.note(Repair::NoValue);
            map.insert(key, Value::String(String::new()));
            self.at += 1;
        }
        Step::Skipped
    }

    /// Whether braces hold items instead of members: a first key with no colon.
    fn is_list(&self, map: &Map<String, Value>) -> bool {
        if !map.is_empty() {
            return false;
        }
        match self.text.at(self.at) {
            Some('}') | None => true,
            Some(',') => !self.value_behind_comma(map),
            _ => false,
        }
    }

    /// Whether a comma stands where the first colon should be: a bare value comes, and nothing closes.
    fn value_behind_comma(&self, map: &Map<String, Value>) -> bool {
        let next = self.text.solid_char(self.at + 1);
        map.is_empty()
            && self.text.at(self.at) == Some(',')
            && next.is_some_and(|c| c.is_ascii_digit())
            && !self.text.slice(self.at, self.at + 64).contains('}')
    }

    fn member_value(&mut self, missing_colon: bool) -> Result<Value, Unreadable> {
        if missing_colon {
            self.repairs.note(Repair::Colon);
            if self.text.at(self.at) == Some(',') {
                self.at += 1;
            }
        }
        self.blanks();
        let ends = matches!(self.text.at(self.at), None | Some(',' | '}' | ']' | ':'));
        let value = if ends { None } else { self.value(Place::Value)? };
        self.spare_braces(value.as_ref());
        Ok(value.unwrap_or_else(|| {
            self.repairs.note(Repair::NoValue);
            Value::String(String::new())
        }))
    }

    /// A text that closed in front of a colon had quotes inside: the rest of its words are passed over.
    fn spare_braces(&mut self, value: Option<&Value>) {
        if matches!(value, Some(Value::String(_))) && self.text.solid_char(self.at) == Some(':') {
            self.repairs.note(Repair::Junk);
            while self.text.at(self.at).is_some_and(|c| !matches!(c, ',' | '}')) {
                self.at += 1;
            }
        }
    }

    fn insert(&mut self, map: &mut Map<String, Value>, key: String, value: Value) {
        if key.is_empty() {
            self.repairs.note(Repair::EmptyKey);
        }
        if map.insert(key, value).is_some() {
            self.repairs.note(Repair::Duplicate);
        }
    }

    /// The next key; nothing if what stands there is no key, which is then passed over.
    fn key(&mut self) -> Result<Option<String>, Unreadable> {
        let Some(first) = self.text.at(self.at) else { return Ok(None) };
        if closing_quote(first).is_some() {
            return Ok(match self.quoted(first, Place::Key)? {
                Some(Value::String(key)) => Some(key),
                _ => None,
            });
        }
        Ok(self.bare_key())
    }

    /// Reads braces without keys as a list.
    fn list_in_braces(&mut self, start: usize) -> Result<Value, Unreadable> {
        self.repairs.note(Repair::List);
        self.at = start + 1;
        self.items('}').map(|(items, _)| Value::Array(items))
    }
}

/// What came of one try at a member.
enum Step {
    Added(String),
    Skipped,
    NewObject,
    NoColon,
}

/// Puts the items of an array that was closed too early together with those that follow.
fn join(items: &mut Vec<Value>, more: Vec<Value>) {
    let width = items.first().and_then(Value::as_array).map(Vec::len);
    let is_row = width == Some(more.len()) && !more.iter().any(Value::is_array);
    if !is_row {
        items.extend(more);
        return;
    }
    // A table: words that stand between its rows are a row that lost its brackets.
    let rows = items.iter().take_while(|item| item.is_array()).count();
    let loose = items.split_off(rows);
    if loose.iter().all(|item| !item.is_array()) && !loose.is_empty() {
        items.push(Value::Array(loose));
    } else {
        items.extend(loose);
    }
    items.push(Value::Array(more));
}
