//! Reading JSON so that the error names the field that is wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A value that breaks a rule of its type: which field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ValidationError {
    /// The path to the value, such as `subtasks[2].priority`; for a value on its own, its type's name.
    pub field: String,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl ValidationError {
    /// Says that `field` has `problem`.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// Reads one `T` from JSON text; the error carries the path of the offending field.
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, ValidationError> {
    let mut source = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut source).map_err(|error| named(&error))?;
    match source.end() {
        Ok(()) => Ok(value),
        Err(error) => Err(ValidationError::new("(document)", error.to_string())),
    }
}

/// Reads one `T` from a JSON value; the error carries the path of the offending field.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, ValidationError> {
    serde_path_to_error::deserialize(value).map_err(|error| named(&error))
}

/// How deep values from outside may be nested. The log reads up to 128 levels back, and an event adds some of its own.
pub const MAX_DEPTH: usize = 64;

/// Refuses a value that is nested deeper than can be read back; the error names the field.
pub fn check_depth(field: &str, value: &Value) -> Result<(), ValidationError> {
    if !is_deeper(value, MAX_DEPTH) {
        return Ok(());
    }
    let inner = value.as_object().and_then(|fields| {
        fields.iter().find(|(_, value)| is_deeper(value, MAX_DEPTH - 1)).map(|(name, _)| name)
    });
    let path = inner.map_or_else(|| field.to_owned(), |name| format!("{field}.{name}"));
    let problem = format!("is nested more than {MAX_DEPTH} levels deep; give it as text, or flatter");
    Err(ValidationError::new(path, problem))
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, left)),
        Value::Object(fields) => fields.values().any(|value| is_deeper(value, left)),
        _ => false,
    }
}

/// A missing or unknown field is reported by serde at its parent; this puts the field's own name on the path.
fn named(error: &serde_path_to_error::Error<serde_json::Error>) -> ValidationError {
    let problem = error.inner().to_string();
    let path = error.path().to_string();
    let parent = if path == "." { String::new() } else { path };
    let own = ["missing field `", "unknown field `", "duplicate field `"]
        .iter()
        .find_map(|start| problem.strip_prefix(start))
        .and_then(|rest| rest.split('`').next());
    let field = match (parent.is_empty(), own) {
        (_, Some(own)) if parent == own || parent.ends_with(&format!(".{own}")) => parent,
        (true, Some(own)) => own.to_owned(),
        (false, Some(own)) => format!("{parent}.{own}"),
        (true, None) => "(document)".to_owned(),
        (false, None) => parent,
    };
    ValidationError { field, problem }
}

#[cfg(test)]
mod tests {
    use crate::{Goal, Plan, SubTask, from_json};

    #[test]
    fn a_missing_field_is_named_by_its_path() {
        // spec: planning EN-05 EN-29
        let error = from_json::<SubTask>(r#"{"task_id":"task_001","description":"d","agent_type":"TBD"}"#);
        assert_eq!(error.unwrap_err().field, "expected_outputs");
        let error = from_json::<Goal>(
            r#"{"goal_id":"goal_1","goal_type":"generic","constraints":[],"success_criteria":[],"priority":7}"#,
        );
        assert_eq!(error.unwrap_err().field, "description");
    }

    #[test]
    fn a_wrong_value_deep_inside_is_named_by_its_path() {
        let text = r#"{"plan_id":"p","goal_id":"g","subtasks":[{"task_id":"t","description":"d","agent_type":"a",
            "expected_outputs":[],"priority":99}],"confidence_score":0.5,
            "created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z"}"#;
        let error = from_json::<Plan>(text).unwrap_err();
        assert_eq!(error.field, "subtasks[0].priority");
        assert!(error.problem.contains("1 to 10"), "{error}");
    }

    #[test]
    fn unknown_fields_and_trailing_text_are_refused() {
        let error =
            from_json::<crate::Constraint>(r#"{"type":"budget","value":"1","priority":1,"colour":2}"#);
        assert_eq!(error.unwrap_err().field, "colour");
        let error = from_json::<crate::Constraint>(r#"{"type":"budget","value":"1","priority":1} x"#);
        assert!(error.unwrap_err().problem.contains("trailing"));
    }
}
