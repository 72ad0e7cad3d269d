//! Texts with holes: `Total cost ${outputs.total_cost} exceeds budget ${inputs.budget}`.
//!
//! A hole is an expression between `{` and `}`; a brace that is meant as such is written twice.

use serde_json::Value;

use super::BuiltinError;
use super::expression::{Expression, Scope};

/// What is shown for a hole that has no value.
const UNKNOWN: &str = "?";

/// A text with holes.
#[derive(Debug, Clone)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Hole(Expression),
}

impl Template {
    /// Reads a text with holes; `key` is the option that it stands in.
    pub(super) fn new(key: &str, source: &str) -> Result<Self, BuiltinError> {
        let mut pieces = Vec::new();
        let mut rest = source;
        while let Some((text, behind)) = rest.split_once(['{', '}']) {
            let brace = rest.get(text.len()..text.len() + 1).unwrap_or_default();
            pieces.push(Piece::Text(text.to_owned()));
            rest = match (behind.strip_prefix(brace), brace, behind.split_once('}')) {
                (Some(after), _, _) => {
                    pieces.push(Piece::Text(brace.to_owned()));
                    after
                }
                (None, "{", Some((hole, after))) => {
                    let hole = Expression::new(hole).map_err(|problem| BuiltinError::new(key, problem))?;
                    pieces.push(Piece::Hole(hole));
                    after
                }
                _ => {
                    let problem =
                        format!("`{brace}` has no partner in `{source}`; write it twice to mean the sign");
                    return Err(BuiltinError::new(key, problem));
                }
            };
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text with its holes filled.
    pub(super) fn fill(&self, scope: &Scope<'_>) -> String {
        let shown = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Hole(hole) => hole.value(scope).map_or_else(|_| UNKNOWN.to_owned(), |value| shown(&value)),
        });
        shown.collect()
    }
}

/// Amounts are shown as people write them: whole ones without decimals, others with two.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(decimal) if !number.is_i64() && !number.is_u64() => format!("{decimal:.2}"),
            _ => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
