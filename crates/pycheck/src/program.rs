//! What is checked: the text, the keys of its context and the name of its result.

use std::collections::BTreeSet;

/// A program to look at.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The Python text.
    pub code: &'a str,
    /// The keys of the context it will run with; `None` means unknown, and keys are not judged.
    pub context: Option<&'a BTreeSet<String>>,
    /// Where the program leaves its result.
    pub result: ResultName,
}

/// Where a program leaves its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultName {
    /// In the map `context`, like every solving program.
    #[default]
    Context,
    /// In the variable `insights`, which analysis code must bind at module level.
    Insights,
}

impl<'a> Program<'a> {
    /// A solving program whose context is unknown.
    #[must_use]
    pub fn new(code: &'a str) -> Self {
        Self { code, context: None, result: ResultName::Context }
    }

    /// The same program, run with a context that has exactly these keys.
    #[must_use]
    pub fn with_context(mut self, keys: &'a BTreeSet<String>) -> Self {
        self.context = Some(keys);
        self
    }

    /// The same program, leaving its result elsewhere.
    #[must_use]
    pub fn with_result(mut self, result: ResultName) -> Self {
        self.result = result;
        self
    }
}
