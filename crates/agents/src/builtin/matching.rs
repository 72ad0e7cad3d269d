//! Whether a record fits what was asked for, and which of two comes first.

use std::borrow::Cow;
use std::cmp::Ordering;

use candor_model::JsonMap;
use candor_text::fold;
use serde_json::Value;

/// A field with this text fits everything that can be asked for.
const ANYTHING: &str = "*";

/// Whether the field of a record has what is `asked` for: texts without regard to case and accents, lists if
/// one of their entries fits.
pub(super) fn fits(field: &Value, asked: &Value) -> bool {
    match (field, asked) {
        (Value::Array(fields), _) => fields.iter().any(|field| fits(field, asked)),
        (_, Value::Array(wishes)) => wishes.iter().any(|asked| fits(field, asked)),
        (Value::String(field), _) if field == ANYTHING => true,
        (Value::String(field), Value::String(asked)) => folded(field) == folded(asked),
        (Value::Number(field), Value::Number(asked)) => field.as_f64() == asked.as_f64(),
        (field, asked) => field == asked,
    }
}

/// Text as it is compared.
fn folded(text: &str) -> Cow<'_, str> {
    fold(text.trim())
}

/// The order of records: by a field, upwards, or downwards with a `-` before its name.
#[derive(Debug, Clone)]
pub(super) struct SortKey {
    field: String,
    downwards: bool,
}

impl SortKey {
    /// Reads `price` or `-rating`.
    pub(super) fn new(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(field) => Self { field: field.to_owned(), downwards: true },
            None => Self { field: text.to_owned(), downwards: false },
        }
    }

    /// Which record comes first. One without the field comes last in both directions.
    pub(super) fn compare(&self, a: &JsonMap, b: &JsonMap) -> Ordering {
        match (a.get(&self.field), b.get(&self.field)) {
            (Some(a), Some(b)) if self.downwards => compare(b, a),
            (Some(a), Some(b)) => compare(a, b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }
    }
}

/// Numbers by size, then texts by their letters, then the rest as it comes.
fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().unwrap_or(f64::NAN).total_cmp(&b.as_f64().unwrap_or(f64::NAN))
        }
        (Value::String(a), Value::String(b)) => folded(a).cmp(&folded(b)),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        _ => 2,
    }
}
