//! Licence expressions: `MIT OR Apache-2.0 WITH LLVM-exception`, and the older `MIT/Apache-2.0`.
//!
//! As much of the SPDX grammar as crates use. `WITH` binds tighter than `AND`, `AND` tighter than `OR`.

use std::fmt;
use std::iter::Peekable;

use serde::Deserialize;

/// One licence, with its exception if it has one.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub(super) struct License {
    id: String,
    exception: Option<String>,
}

/// What a package asks of those who use it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expression {
    One(License),
    /// All of them must be kept.
    And(Vec<Self>),
    /// The user may choose.
    Or(Vec<Self>),
}

/// Text that is no licence expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SpdxError {
    /// Something else should have come here.
    Unexpected {
        /// What came; nothing at the end of the text.
        found: Option<String>,
        expected: &'static str,
    },
}

impl fmt::Display for SpdxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Unexpected { found, expected } = self;
        match found {
            Some(found) => write!(f, "expected {expected}, found `{found}`"),
            None => write!(f, "expected {expected} after its last word"),
        }
    }
}

impl std::error::Error for SpdxError {}

impl TryFrom<String> for License {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match Expression::parse(&text) {
            Ok(Expression::One(license)) => Ok(license),
            Ok(_) => Err(format!("`{text}` is not one licence but several; list them one by one")),
            Err(error) => Err(format!("`{text}` is not one licence: {error}")),
        }
    }
}

impl Expression {
    /// Reads an expression.
    pub(super) fn parse(text: &str) -> Result<Self, SpdxError> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let mut words = spaced.split_whitespace().peekable();
        let expression = either(&mut words)?;
        match words.next() {
            None => Ok(expression),
            Some(word) => Err(unexpected(Some(word), "AND, OR or the end")),
        }
    }

    /// Tells whether everything the package asks can be kept with these licences.
    pub(super) fn is_allowed_by(&self, allowed: &[License]) -> bool {
        match self {
            Self::One(license) => allowed.iter().any(|allowed| license.is_satisfied_by(allowed)),
            Self::And(parts) => parts.iter().all(|part| part.is_allowed_by(allowed)),
            Self::Or(parts) => parts.iter().any(|part| part.is_allowed_by(allowed)),
        }
    }
}

impl License {
    /// `X+` means "X or later", so whoever may use X may use it. An exception must be allowed by name.
    fn is_satisfied_by(&self, allowed: &Self) -> bool {
        let id = self.id.strip_suffix('+').unwrap_or(&self.id);
        (allowed.id == self.id || allowed.id == id) && allowed.exception == self.exception
    }
}

type Words<'a, I> = &'a mut Peekable<I>;

fn either<'t>(words: Words<'_, impl Iterator<Item = &'t str>>) -> Result<Expression, SpdxError> {
    let mut parts = vec![both(words)?];
    while words.next_if_eq(&"OR").is_some() {
        parts.push(both(words)?);
    }
    Ok(one_or(parts, Expression::Or))
}

fn both<'t>(words: Words<'_, impl Iterator<Item = &'t str>>) -> Result<Expression, SpdxError> {
    let mut parts = vec![term(words)?];
    while words.next_if_eq(&"AND").is_some() {
        parts.push(term(words)?);
    }
    Ok(one_or(parts, Expression::And))
}

fn term<'t>(words: Words<'_, impl Iterator<Item = &'t str>>) -> Result<Expression, SpdxError> {
    if words.next_if_eq(&"(").is_some() {
        let inner = either(words)?;
        return match words.next() {
            Some(")") => Ok(inner),
            other => Err(unexpected(other, "a closing parenthesis")),
        };
    }
    let id = name(words, "a licence")?;
    let exception = match words.next_if_eq(&"WITH") {
        Some(_) => Some(name(words, "an exception")?),
        None => None,
    };
    Ok(Expression::One(License { id, exception }))
}

fn name<'t>(
    words: Words<'_, impl Iterator<Item = &'t str>>,
    expected: &'static str,
) -> Result<String, SpdxError> {
    match words.next() {
        Some(word) if !["AND", "OR", "WITH", "(", ")"].contains(&word) => Ok(word.to_owned()),
        other => Err(unexpected(other, expected)),
    }
}

fn one_or(mut parts: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            many(parts)
        }
    }
}

fn unexpected(found: Option<&str>, expected: &'static str) -> SpdxError {
    SpdxError::Unexpected { found: found.map(str::to_owned), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
        let allowed: Vec<_> =
            allowed.iter().map(|text| License::try_from((*text).to_owned()).unwrap()).collect();
        Expression::parse(expression).unwrap().is_allowed_by(&allowed)
    }

    #[test]
    fn a_choice_needs_one_and_a_sum_needs_all() {
        assert!(is_allowed("MIT OR GPL-3.0", &["MIT"]));
        assert!(is_allowed("GPL-3.0/MIT", &["MIT"]));
        assert!(!is_allowed("GPL-3.0 OR AGPL-3.0", &["MIT"]));
        assert!(is_allowed("MIT AND ISC", &["MIT", "ISC"]));
        assert!(!is_allowed("MIT AND ISC", &["MIT"]));
    }

    #[test]
    fn sums_bind_tighter_than_choices_unless_parentheses_say_otherwise() {
        assert!(is_allowed("MIT OR ISC AND GPL-3.0", &["MIT"]));
        assert!(!is_allowed("(MIT OR ISC) AND GPL-3.0", &["MIT"]));
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0", &["Apache-2.0", "Unicode-3.0"]));
        assert!(is_allowed("((MIT))", &["MIT"]));
    }

    #[test]
    fn an_exception_is_part_of_the_licence() {
        let with = "Apache-2.0 WITH LLVM-exception";
        assert!(!is_allowed(with, &["Apache-2.0"]));
        assert!(is_allowed(with, &["MIT", with]));
        assert!(!is_allowed("Apache-2.0", &[with]));
        assert!(is_allowed(&format!("{with} OR Apache-2.0 OR MIT"), &["MIT"]));
    }

    #[test]
    fn or_later_includes_the_licence_itself_and_not_the_other_way_round() {
        assert!(is_allowed("Apache-2.0+", &["Apache-2.0"]));
        assert!(is_allowed("Apache-2.0+", &["Apache-2.0+"]));
        assert!(!is_allowed("Apache-2.0", &["Apache-2.0+"]));
    }

    #[test]
    fn nonsense_is_refused_with_the_word_that_is_wrong() {
        let complaint = |text| Expression::parse(text).unwrap_err().to_string();
        assert_eq!(complaint(""), "expected a licence after its last word");
        assert_eq!(complaint("MIT OR"), "expected a licence after its last word");
        assert_eq!(complaint("MIT ISC"), "expected AND, OR or the end, found `ISC`");
        assert_eq!(complaint("(MIT"), "expected a closing parenthesis after its last word");
        assert_eq!(complaint("MIT)"), "expected AND, OR or the end, found `)`");
        assert_eq!(complaint("MIT WITH OR"), "expected an exception, found `OR`");
        assert_eq!(complaint("AND MIT"), "expected a licence, found `AND`");
    }
}
