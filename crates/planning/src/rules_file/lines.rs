//! On which line each field of a file stands.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Unreadable;

/// The lines of all fields, by path.
#[derive(Debug, Default)]
pub(super) struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// The line of a field; for one that is not there, the line of what it should be in.
    pub(super) fn line_of(&self, field: &str) -> usize {
        let mut path = field;
        loop {
            if let Some(line) = self.0.get(path) {
                return *line;
            }
            match path.rfind(['.', '[']).and_then(|end| path.get(..end)) {
                Some(parent) => path = parent,
                None => return 1,
            }
        }
    }

    /// The lines of a text that is valid JSON. A key that is given twice is refused: one of the two would
    /// be passed over in silence.
    pub(super) fn of_json(text: &str) -> Result<Self, Unreadable> {
        let mut scanner = Scanner { rest: text.chars().peekable(), line: 1, lines: BTreeMap::new() };
        scanner.value("")?;
        Ok(Self(scanner.lines))
    }

    /// The lines of a TOML text.
    pub(super) fn of_toml(text: &str) -> Result<Self, toml::de::Error> {
        let table = DeTable::parse(text)?;
        let mut found = Self::default();
        found.note_table(text, "", table.get_ref());
        Ok(found)
    }

    fn note_table(&mut self, text: &str, path: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let own = joined(path, key.get_ref());
            self.0.insert(own.clone(), line_at(text, key.span().start));
            self.note_value(text, &own, value);
        }
    }

    fn note_value(&mut self, text: &str, path: &str, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.note_table(text, path, table),
            DeValue::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let own = format!("{path}[{index}]");
                    self.0.insert(own.clone(), line_at(text, item.span().start));
                    self.note_value(text, &own, item);
                }
            }
            _ => {}
        }
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}

/// Walks through a text that is known to be valid JSON.
struct Scanner<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    lines: BTreeMap<String, usize>,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    /// The next character that means something, without taking it.
    fn peek(&mut self) -> Option<char> {
        while self.rest.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.next();
        }
        self.rest.peek().copied()
    }

    fn value(&mut self, path: &str) -> Result<(), Unreadable> {
        match self.peek() {
            Some('{') => self.object(path),
            Some('[') => self.array(path),
            Some('"') => {
                self.string();
                Ok(())
            }
            _ => {
                while self
                    .rest
                    .peek()
                    .is_some_and(|c| !matches!(c, ',' | ']' | '}') && !c.is_ascii_whitespace())
                {
                    self.next();
                }
                Ok(())
            }
        }
    }

    fn object(&mut self, path: &str) -> Result<(), Unreadable> {
        self.next();
        while self.peek() == Some('"') {
            let line = self.line;
            let own = joined(path, &self.string());
            if let Some(first) = self.lines.insert(own.clone(), line) {
                let problem = format!("given twice, first on line {first}; keep one of them");
                return Err(Unreadable { line, field: own, problem });
            }
            self.skip(':');
            self.value(&own)?;
            self.skip(',');
        }
        self.skip('}');
        Ok(())
    }

    fn array(&mut self, path: &str) -> Result<(), Unreadable> {
        self.next();
        let mut index = 0;
        while self.peek().is_some_and(|c| c != ']') {
            let own = format!("{path}[{index}]");
            self.lines.insert(own.clone(), self.line);
            self.value(&own)?;
            self.skip(',');
            index += 1;
        }
        self.skip(']');
        Ok(())
    }

    fn skip(&mut self, wanted: char) {
        if self.peek() == Some(wanted) {
            self.next();
        }
    }

    /// Takes a string and gives what it says.
    fn string(&mut self) -> String {
        let mut raw = String::new();
        raw.extend(self.next());
        while let Some(c) = self.next() {
            raw.push(c);
            match c {
                '\\' => raw.extend(self.next()),
                '"' => break,
                _ => {}
            }
        }
        serde_json::from_str(&raw).unwrap_or(raw)
    }
}
