//! What a rule says when it is broken.

use std::fmt;

/// A broken rule: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    place: String,
    line: Option<usize>,
    what: String,
}

impl Problem {
    /// A problem of one line of a file; lines count from 1.
    pub(crate) fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { place: path.to_owned(), line: Some(line), what: what.into() }
    }

    /// A problem of something that is no line, such as a package.
    pub(crate) fn of(place: &str, what: impl Into<String>) -> Self {
        Self { place: place.to_owned(), line: None, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.place)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.what)
    }
}
