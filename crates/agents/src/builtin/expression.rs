//! Expressions of packs, in the Common Expression Language (CEL).
//!
//! An expression sees `inputs` (the task's parameters), `upstream` (the outputs of the tasks before it, by
//! task id) and `results` (the same outputs by their names alone); further names depend on where it stands.
//! `sum`, `min`, `max`, `round` and `plus_days("2027-05-01", 3)` are added to CEL's own functions.
//!
//! All numbers are decimals. CEL refuses to add a whole number to a decimal one, and whether a catalogue says
//! `650` or `649.5` must not decide whether an expression works.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use candor_model::WorkOrder;
use cel::common::ast::IdedExpr;
use cel::objects::{Key, Map};
use cel::{Context, Env, ExecutionError};
use serde_json::Value;

use super::tree;

/// Expressions are written by people; longer ones are a mistake.
const MAX_CHARS: usize = 2000;
/// How deep brackets and calls may be nested.
const MAX_NESTING: u16 = 32;
/// How deep the tree of an expression may be. `1 + 1 + …` nests nothing and yet makes a tree as deep as it is
/// long, and CEL walks trees on the stack: a thousand levels overflow it, which nothing can catch.
const MAX_DEPTH: usize = 100;
/// How deep `map`, `filter`, `exists` and the like may be nested: each level multiplies the work.
const MAX_LOOPS: usize = 2;

static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// An expression, read once and evaluated often.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    source: String,
    tree: IdedExpr,
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoValue {
    /// It reads something that is not there.
    Absent,
    /// It makes no sense for the values that it reads.
    Wrong(String),
}

impl Expression {
    /// Reads an expression; the error says what is wrong with it, and where.
    pub(super) fn new(source: &str) -> Result<Self, String> {
        if source.chars().count() > MAX_CHARS {
            return Err(format!("an expression has at most {MAX_CHARS} characters"));
        }
        let parsed = ENV.parser().max_recursion_depth(MAX_NESTING).parse(source);
        let mut tree = parsed.map_err(|error| format!("`{source}` is not a CEL expression: {error}"))?;
        if tree::depth(&tree) > MAX_DEPTH {
            return Err(format!("`{source}` has more than {MAX_DEPTH} steps in a row; split it"));
        }
        if tree::loops(&tree) > MAX_LOOPS {
            return Err(format!(
                "`{source}` nests `map`, `filter` and the like deeper than {MAX_LOOPS} times"
            ));
        }
        tree::with_decimals(&mut tree);
        Ok(Self { source: source.to_owned(), tree })
    }

    /// Its value in this scope.
    pub(super) fn value(&self, scope: &Scope<'_>) -> Result<Value, NoValue> {
        let value = scope.0.resolve(&self.tree).map_err(|error| self.no_value(&error))?;
        as_json(&value).map_err(|problem| NoValue::Wrong(format!("`{}` {problem}", self.source)))
    }

    /// Its value in this scope, which has to be true or false.
    pub(super) fn holds(&self, scope: &Scope<'_>) -> Result<bool, NoValue> {
        match self.value(scope)? {
            Value::Bool(holds) => Ok(holds),
            other => Err(NoValue::Wrong(format!("`{}` must be true or false, not {other}", self.source))),
        }
    }

    /// The fields of the variable `name` that it reads: `b` for `a.b.c`.
    pub(super) fn reads(&self, name: &str) -> Vec<&str> {
        tree::reads(&self.tree, name)
    }

    fn no_value(&self, error: &ExecutionError) -> NoValue {
        match error {
            ExecutionError::NoSuchKey(_) | ExecutionError::IndexOutOfBounds(_) => NoValue::Absent,
            error => NoValue::Wrong(format!("`{}` cannot be computed: {error}", self.source)),
        }
    }
}

/// The names that an expression sees.
pub(super) struct Scope<'p>(Context<'p, 'static>);

impl Scope<'static> {
    /// What every expression of an order sees.
    pub(super) fn of(order: &WorkOrder) -> Self {
        let mut context = Context::with_env(ENV.clone());
        // CEL has no functions of these names, so adding them cannot fail.
        let _ = context.add_function("sum", sum);
        let _ = context.add_function("round", f64::round);
        let _ = context.add_function("plus_days", plus_days);
        let _ = context.add_function("min", cel::functions::min);
        let _ = context.add_function("max", cel::functions::max);
        let mut scope = Self(context);
        scope.set("inputs", &Value::Object(order.inputs.clone()));
        let upstream = order.upstream.iter().map(|(id, outputs)| (id.to_string(), outputs.clone().into()));
        scope.set("upstream", &Value::Object(upstream.collect()));
        let results = order.upstream.values().flatten().map(|(name, value)| (name.clone(), value.clone()));
        scope.set("results", &Value::Object(results.collect()));
        scope
    }
}

impl Scope<'_> {
    /// The same with room for more names.
    pub(super) fn inner(&self) -> Scope<'_> {
        Scope(self.0.new_inner_scope())
    }

    /// Adds or replaces a name.
    pub(super) fn set(&mut self, name: &str, value: &Value) {
        self.0.add_variable_from_value(name, as_cel(value));
    }
}

/// The day so many days after an ISO date. What is no date has no day after it: that is absent, and no mistake.
fn plus_days(date: Arc<String>, days: f64) -> Result<cel::Value, ExecutionError> {
    let moved = candor_model::day_after(&date, days as i64);
    moved.map(|day| cel::Value::String(Arc::new(day))).ok_or_else(|| ExecutionError::NoSuchKey(date))
}

/// The sum of a list's numbers, or of a map's.
#[expect(clippy::needless_pass_by_value, reason = "functions of CEL are given values")]
fn sum(values: cel::Value) -> Result<cel::Value, ExecutionError> {
    let mut numbers: Vec<f64> = match &values {
        cel::Value::List(list) => list.iter().map(number).collect::<Result<_, _>>()?,
        cel::Value::Map(map) => map.map.values().map(number).collect::<Result<_, _>>()?,
        other => return Err(ExecutionError::function_error("sum", format!("needs a list, not {other:?}"))),
    };
    // A map has no order, and the last digit of a sum depends on it.
    numbers.sort_by(f64::total_cmp);
    Ok(cel::Value::Float(numbers.iter().sum()))
}

fn number(value: &cel::Value) -> Result<f64, ExecutionError> {
    match value {
        cel::Value::Float(number) => Ok(*number),
        cel::Value::Int(number) => Ok(*number as f64),
        other => Err(ExecutionError::function_error("sum", format!("needs numbers, not {other:?}"))),
    }
}

/// Null is the same as absent: an input that is not set must not become a constraint.
fn as_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(value) => cel::Value::Bool(*value),
        Value::Number(number) => cel::Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(values) => cel::Value::List(Arc::new(values.iter().map(as_cel).collect())),
        Value::Object(fields) => {
            let present = fields.iter().filter(|(_, value)| !value.is_null());
            let map: HashMap<Key, cel::Value> =
                present.map(|(name, value)| (Key::String(Arc::new(name.clone())), as_cel(value))).collect();
            cel::Value::Map(Map { map: Arc::new(map) })
        }
    }
}

/// The largest whole number up to which a decimal holds every one.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn as_json(value: &cel::Value) -> Result<Value, String> {
    Ok(match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(value) => Value::Bool(*value),
        cel::Value::String(text) => Value::String(text.as_str().to_owned()),
        cel::Value::Int(number) => Value::from(*number),
        cel::Value::UInt(number) => Value::from(*number),
        // People write 650, not 650.0.
        cel::Value::Float(number) if number.fract() == 0.0 && number.abs() <= EXACT => {
            Value::from(*number as i64)
        }
        cel::Value::Float(number) if number.is_finite() => Value::from(*number),
        cel::Value::Float(_) => {
            return Err("is not a finite number; is something divided by zero?".to_owned());
        }
        cel::Value::List(values) => Value::Array(values.iter().map(as_json).collect::<Result<_, _>>()?),
        cel::Value::Map(map) => {
            let entries = map.map.iter().map(|(key, value)| Ok((key.to_string(), as_json(value)?)));
            Value::Object(entries.collect::<Result<_, String>>()?)
        }
        other => return Err(format!("gives {}, which JSON does not have", other.type_of())),
    })
}
