//! Reading the files in which people write rules: JSON or TOML, told apart by the name's ending.
//!
//! A file is taken whole or refused. A refusal names the file, the line, the field, what is wrong with it
//! and, for a name that nobody knows, the one that was probably meant. The text comes in as an argument:
//! opening the file is somebody else's work.

mod lines;
pub(crate) mod links;
mod wording;

use candor_model::ValidationError;
use serde::de::DeserializeOwned;

use self::lines::Lines;

/// Rules that can be read from a file.
pub trait RuleDocument: Sized {
    /// What stands in the file.
    type Written: DeserializeOwned;

    /// Makes the rules of what was written, or says which field cannot stand, by its path.
    fn accept(written: Self::Written) -> Result<Self, ValidationError>;
}

/// Why a file of rules is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The name does not say which format it is.
    #[error("{file}: the name must end in .json or .toml, which says how the file is read; rename it")]
    Ending {
        /// Path of the file as it was given.
        file: String,
    },
    /// Something in it is wrong.
    #[error("{file}:{line}: {field}: {problem}")]
    Refused {
        /// Path of the file as it was given.
        file: String,
        /// The line, counted from one.
        line: usize,
        /// The path of the field, such as `matrix[1].complexity`.
        field: String,
        /// What is wrong, and what was expected.
        problem: String,
    },
}

/// Reads rules from the text of a file.
pub fn read<T: RuleDocument>(file_name: &str, text: &str) -> Result<T, RulesError> {
    let refused =
        |line, field, problem| RulesError::Refused { file: file_name.to_owned(), line, field, problem };
    let format = Format::of(file_name)?;
    let (value, lines) =
        format.parse(text).map_err(|wrong| refused(wrong.line, wrong.field, wrong.problem))?;
    let told = |error: ValidationError| {
        let problem = wording::plain(&error.problem);
        refused(lines.line_of(&error.field), error.field, problem)
    };
    // A list would otherwise be taken for a table whose keys were left out.
    if !value.is_object() {
        return Err(refused(
            1,
            "(document)".to_owned(),
            "is not a table of rules; write { … } around it".to_owned(),
        ));
    }
    let written = candor_model::from_value(value).map_err(told)?;
    T::accept(written).map_err(told)
}

/// What is wrong with a text that cannot be read at all.
#[derive(Debug)]
struct Unreadable {
    line: usize,
    field: String,
    problem: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Toml,
}

impl Format {
    fn of(file_name: &str) -> Result<Self, RulesError> {
        match file_name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            Some("json") => Ok(Self::Json),
            Some("toml") => Ok(Self::Toml),
            _ => Err(RulesError::Ending { file: file_name.to_owned() }),
        }
    }

    fn parse(self, text: &str) -> Result<(serde_json::Value, Lines), Unreadable> {
        match self {
            Self::Json => {
                let value = serde_json::from_str(text).map_err(|error| broken_json(text, &error))?;
                Ok((value, Lines::of_json(text)?))
            }
            Self::Toml => {
                let value = toml::from_str(text).map_err(|error| broken_toml(text, &error))?;
                let lines = Lines::of_toml(text).map_err(|error| broken_toml(text, &error))?;
                Ok((value, lines))
            }
        }
    }
}

fn broken_json(text: &str, error: &serde_json::Error) -> Unreadable {
    let told = error.to_string();
    let problem = told.split(" at line ").next().unwrap_or_default();
    unreadable(text, error.line(), &format!("not valid JSON: {problem} (column {})", error.column()))
}

fn broken_toml(text: &str, error: &toml::de::Error) -> Unreadable {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    unreadable(text, line, &format!("not valid TOML: {}", error.message().trim_end().replace('\n', "; ")))
}

fn unreadable(text: &str, line: usize, problem: &str) -> Unreadable {
    let on_line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let field = key_on(on_line).unwrap_or("(document)").to_owned();
    Unreadable { line: line.max(1), field, problem: problem.to_owned() }
}

/// The key that a line begins with, in either format.
fn key_on(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(['=', ':'])?;
    let key = key.trim().trim_start_matches('{').trim().trim_matches('"');
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}
