//! Outputs described by expressions, which may build on each other (`outputs.total_cost`).

use candor_model::JsonMap;
use candor_ports::AgentFailure;
use serde_json::Value;

use super::expression::{Expression, NoValue, Scope};
use super::{BuiltinError, not_computed};

/// Outputs in an order in which each finds those that it builds on.
#[derive(Debug, Clone)]
pub(super) struct Outputs(Vec<(String, Part)>);

#[derive(Debug, Clone)]
enum Part {
    Fixed(Value),
    Computed(Expression),
    Table(Vec<(String, Part)>),
}

impl Outputs {
    /// Reads outputs: texts are expressions, numbers and booleans stand for themselves, tables are objects of
    /// such. `key` is the option that they stand in.
    pub(super) fn new(key: &str, table: &JsonMap) -> Result<Self, BuiltinError> {
        let mut waiting = table_of(key, table)?;
        let mut ordered = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            let names: Vec<String> = waiting.iter().map(|(name, _)| name.clone()).collect();
            let waits = |part: &Part| part.reads().iter().any(|read| names.iter().any(|name| name == read));
            let (later, now): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, part)| waits(part));
            if now.is_empty() {
                return Err(BuiltinError::new(
                    key,
                    format!("{} build on each other in a circle", names.join(", ")),
                ));
            }
            ordered.extend(now);
            waiting = later;
        }
        Ok(Self(ordered))
    }

    /// Computes them into `outputs`, which expressions see under that name. What reads something absent is
    /// left out.
    pub(super) fn compute(&self, scope: &mut Scope<'_>, outputs: &mut JsonMap) -> Result<(), AgentFailure> {
        scope.set("outputs", &Value::Object(outputs.clone()));
        for (name, part) in &self.0 {
            if let Some(value) = part.value(scope)? {
                outputs.insert(name.clone(), value);
                scope.set("outputs", &Value::Object(outputs.clone()));
            }
        }
        Ok(())
    }
}

impl Part {
    fn new(key: &str, value: &Value) -> Result<Self, BuiltinError> {
        match value {
            Value::String(source) => {
                Expression::new(source).map(Self::Computed).map_err(|problem| BuiltinError::new(key, problem))
            }
            Value::Bool(_) | Value::Number(_) => Ok(Self::Fixed(value.clone())),
            Value::Object(table) => table_of(key, table).map(Self::Table),
            Value::Null | Value::Array(_) => {
                let expected = "must be an expression, a number, true or false, or a table of these";
                Err(BuiltinError::new(
                    key,
                    format!("{expected}; a list is written as an expression: \"[1, 2]\""),
                ))
            }
        }
    }

    /// The other outputs that it builds on.
    fn reads(&self) -> Vec<&str> {
        match self {
            Self::Fixed(_) => Vec::new(),
            Self::Computed(expression) => expression.reads("outputs"),
            Self::Table(parts) => parts.iter().flat_map(|(_, part)| part.reads()).collect(),
        }
    }

    fn value(&self, scope: &Scope<'_>) -> Result<Option<Value>, AgentFailure> {
        match self {
            Self::Fixed(value) => Ok(Some(value.clone())),
            Self::Computed(expression) => match expression.value(scope) {
                Ok(value) => Ok(Some(value)),
                Err(NoValue::Absent) => Ok(None),
                Err(NoValue::Wrong(problem)) => Err(not_computed(problem)),
            },
            Self::Table(parts) => {
                let mut table = JsonMap::new();
                for (name, part) in parts {
                    table.extend(part.value(scope)?.map(|value| (name.clone(), value)));
                }
                Ok(Some(Value::Object(table)))
            }
        }
    }
}

fn table_of(key: &str, table: &JsonMap) -> Result<Vec<(String, Part)>, BuiltinError> {
    table
        .iter()
        .map(|(name, value)| Ok((name.clone(), Part::new(&format!("{key}.{name}"), value)?)))
        .collect()
}
