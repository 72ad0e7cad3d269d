//! What a check found: problems with stable codes and places, and the checks that found nothing.

use std::fmt;

use serde::{Serialize, Serializer};

/// The outcome of checking one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// True exactly when there are no errors.
    pub valid: bool,
    /// Why the program is refused, in the order of the text.
    pub errors: Vec<Problem>,
    /// What is worth saying but refuses nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
    /// The checks that ran and found no error, in their fixed order.
    pub checks_passed: Vec<Check>,
}

/// One problem at one place of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Which rule was broken.
    pub code: Code,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, counted in characters.
    pub column: u32,
    /// What happened, for a person.
    pub message: String,
}

/// One of the six checks, in their fixed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The text is Python.
    Syntax,
    /// Every name that is read is bound.
    Variables,
    /// Every constant key that is read is in the context.
    ContextAccess,
    /// No denied module, none that is missing.
    Imports,
    /// No dangerous function and no way round to one.
    Operations,
    /// The result can be written as JSON.
    Serialization,
}

impl Check {
    /// All checks, in their fixed order.
    pub const ALL: [Self; 6] = [
        Self::Syntax,
        Self::Variables,
        Self::ContextAccess,
        Self::Imports,
        Self::Operations,
        Self::Serialization,
    ];

    /// The name of the check, as it is serialised.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Variables => "variables",
            Self::ContextAccess => "context_access",
            Self::Imports => "imports",
            Self::Operations => "operations",
            Self::Serialization => "serialization",
        }
    }
}

/// Writes the codes once: the variant, its stable text, its check and its meaning.
macro_rules! codes {
    ($($variant:ident $text:literal $check:ident $meaning:literal;)+) => {
        /// A rule that a program can break; its text never changes its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)+
        }

        impl Code {
            /// Every code there is, in the order of their texts.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable text, such as `PY101`.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The check this rule belongs to.
            #[must_use]
            pub const fn check(self) -> Check {
                match self { $(Self::$variant => Check::$check,)+ }
            }

            /// What the rule means, in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

codes! {
    InvalidSyntax "PY001" Syntax "The text is not Python.";
    RefusedByCompiler "PY002" Syntax "The text parses, but Python's compiler refuses it.";
    TooNew "PY003" Syntax "The syntax is newer than the Python that will run it.";
    TooDeep "PY004" Syntax "The text is nested deeper than Python compiles.";
    UndefinedName "PY101" Variables "A name is read that nothing binds.";
    UsedBeforeBinding "PY102" Variables "A name is read before its first binding, or after its deletion.";
    UnboundLocal "PY103" Variables "A local variable is read before anything is bound to it.";
    UndefinedExport "PY104" Variables "`__all__` names something that is not there.";
    NoInsights "PY105" Variables "Analysis code never binds `insights`.";
    NoResult "PY106" Variables "The program never puts anything into `context`.";
    GlobalStatement "PY110" Variables "A `global` statement; only a warning.";
    MissingKey "PY201" ContextAccess "A key is read that the context does not have.";
    MissingKeyAsked "PY202" ContextAccess "`context.get` without a default asks for a key that is not there.";
    DangerousImport "PY301" Imports "A denied module is imported.";
    MissingModule "PY302" Imports "A module is imported that the sandbox does not have.";
    MissingMember "PY303" Imports "A name is imported that its module does not have.";
    DangerousName "PY401" Operations "A dangerous built-in function is used.";
    DangerousAttribute "PY402" Operations "An attribute is used that leads round the rules.";
    EndsOrWaits "PY403" Operations "A function ends the program, or waits for a person.";
    FileOutside "PY404" Operations "A file is opened that is certainly out of reach.";
    NotJson "PY501" Serialization "A value is put into the result that JSON cannot hold.";
    NotAMap "PY502" Serialization "`context` is replaced by something that is no map.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Findings {
    /// Sorts the problems and works out which checks passed.
    pub(crate) fn new(mut errors: Vec<Problem>, mut warnings: Vec<Problem>) -> Self {
        let by_place = |problem: &Problem| (problem.line, problem.column, problem.code);
        errors.sort_by_key(by_place);
        errors.dedup_by_key(|problem| by_place(problem));
        warnings.sort_by_key(by_place);
        Self { valid: errors.is_empty(), checks_passed: passed(&errors), errors, warnings }
    }
}

/// A syntax error stops everything, so then no check has passed, not even the others.
fn passed(errors: &[Problem]) -> Vec<Check> {
    let failed = |check: Check| errors.iter().any(|problem| problem.code.check() == check);
    if failed(Check::Syntax) {
        return Vec::new();
    }
    Check::ALL.into_iter().filter(|check| !failed(*check)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: code-agent CV-03, NX-11
    #[test]
    fn codes_keep_their_texts_and_their_checks() {
        let table: Vec<(&str, &str)> =
            Code::ALL.iter().map(|code| (code.text(), code.check().name())).collect();
        assert_eq!(
            table,
            [
                ("PY001", "syntax"),
                ("PY002", "syntax"),
                ("PY003", "syntax"),
                ("PY004", "syntax"),
                ("PY101", "variables"),
                ("PY102", "variables"),
                ("PY103", "variables"),
                ("PY104", "variables"),
                ("PY105", "variables"),
                ("PY106", "variables"),
                ("PY110", "variables"),
                ("PY201", "context_access"),
                ("PY202", "context_access"),
                ("PY301", "imports"),
                ("PY302", "imports"),
                ("PY303", "imports"),
                ("PY401", "operations"),
                ("PY402", "operations"),
                ("PY403", "operations"),
                ("PY404", "operations"),
                ("PY501", "serialization"),
                ("PY502", "serialization"),
            ]
        );
    }

    // spec: code-agent CV-03
    #[test]
    fn checks_are_serialised_by_their_names() {
        for check in Check::ALL {
            let written = serde_json::to_string(&check).unwrap();
            assert_eq!(written, format!("\"{}\"", check.name()));
        }
    }

    #[test]
    fn every_code_has_a_meaning() {
        assert!(Code::ALL.iter().all(|code| code.meaning().ends_with('.')));
    }
}
