//! The checker: one program in, findings out.

use ruff_python_ast::ModModule;
use ruff_python_parser::Parsed;

use crate::findings::{Findings, Problem};
use crate::library::Library;
use crate::parse::{self, Found, Syntax};
use crate::policy::Policy;
use crate::position::Lines;
use crate::program::Program;
use crate::walk;
use crate::words::Language;

/// Checks programs against one policy, one library and one version of Python.
pub struct Checker<'a> {
    policy: Policy,
    library: &'a dyn Library,
    syntax: Syntax,
    language: Language,
}

impl<'a> Checker<'a> {
    /// A checker that speaks English.
    #[must_use]
    pub fn new(policy: Policy, library: &'a dyn Library, syntax: Syntax) -> Self {
        Self { policy, library, syntax, language: Language::default() }
    }

    /// The same checker, speaking this language.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Checks one program; whatever the text, this returns.
    #[must_use]
    pub fn check(&self, program: &Program<'_>) -> Findings {
        let (errors, warnings) = match parse::parse(program.code, self.syntax) {
            Ok(parsed) => self.walk(&parsed, program),
            Err(found) => (vec![found], Vec::new()),
        };
        if errors.is_empty() && warnings.is_empty() {
            return Findings::new(Vec::new(), Vec::new());
        }
        let lines = Lines::new(program.code);
        let put = |found: Vec<Found>| found.iter().map(|one| self.problem(&lines, one)).collect();
        Findings::new(put(errors), put(warnings))
    }

    fn walk(&self, parsed: &Parsed<ModModule>, program: &Program<'_>) -> (Vec<Found>, Vec<Found>) {
        let version = self.syntax.version();
        walk::walk(parsed, program, &self.policy, self.library, version)
    }

    fn problem(&self, lines: &Lines<'_>, found: &Found) -> Problem {
        let (line, column) = lines.place(found.at);
        Problem { code: found.code, line, column, message: self.language.say(line, &found.message) }
    }
}
