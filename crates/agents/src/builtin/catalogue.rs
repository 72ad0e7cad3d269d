//! Searches a catalogue: a file of records, of which it answers those that fit.
//!
//! Options:
//! - `file` (a JSON array of records, or an object with such an array as `records`), or `records` themselves;
//! - `where`: a record's field → the input that it has to equal (`destination = "to"`);
//! - `exclude`: a record's field → the input that lists values to leave out (`name = "exclude"`);
//! - `filter`: one or more expressions over `item` and `inputs`, all of which have to hold;
//! - `add`: fields to compute for each record (`total = "item.price_per_night * inputs.nights"`);
//! - `sort`: one or more fields, downwards with `-` before the name; `limit`: a number or an expression;
//! - `spread`: the field that numbers the found records in groups of equal size, and how many groups there are
//!   (`spread = { day = "inputs.days" }`);
//! - `output`: the name of the list that is found, `choose`: the name of its first record;
//! - `outputs`: further outputs, by expressions over `found` and `chosen`;
//! - `empty_error`, `suggestion`: what is said if nothing fits; `unknown_error`: if no record is even of what
//!   `where` asks for. The failure's own word is `no_match` or `not_in_catalogue`.
//!
//! A constraint whose input is missing does not apply. A record that lacks a field does not fit it.

use std::collections::BTreeMap;

use candor_model::{AgentAnswer, FeedbackType, JsonMap, WorkOrder};
use candor_ports::AgentFailure;
use serde::Deserialize;
use serde_json::Value;

use super::expression::{Expression, NoValue, Scope};
use super::matching::{SortKey, fits};
use super::outputs::Outputs;
use super::records::read_records;
use super::template::Template;
use super::{BuiltinError, Limit, Work, not_computed, read_options};

/// How many records are answered if nothing else is said.
const DEFAULT_LIMIT: usize = 20;
/// Into how many groups records are spread at most.
const MOST_GROUPS: f64 = 1e6;
/// After how many records the clock is looked at.
const RECORDS_PER_LOOK: usize = 64;

const OPTIONS: [&str; 15] = [
    "add",
    "choose",
    "empty_error",
    "exclude",
    "file",
    "filter",
    "limit",
    "output",
    "outputs",
    "records",
    "sort",
    "spread",
    "suggestion",
    "unknown_error",
    "where",
];

/// The failure's own words: records were found and none fits, or there is none to look at.
const NO_MATCH: &str = "no_match";
const NOT_IN_CATALOGUE: &str = "not_in_catalogue";

#[derive(Deserialize)]
struct Options {
    file: Option<String>,
    records: Option<Vec<JsonMap>>,
    #[serde(default, rename = "where")]
    equal: BTreeMap<String, String>,
    #[serde(default)]
    exclude: BTreeMap<String, String>,
    #[serde(default)]
    filter: OneOrMore,
    #[serde(default)]
    add: JsonMap,
    #[serde(default)]
    sort: OneOrMore,
    limit: Option<Value>,
    output: Option<String>,
    choose: Option<String>,
    #[serde(default)]
    outputs: JsonMap,
    #[serde(default)]
    spread: JsonMap,
    empty_error: Option<String>,
    unknown_error: Option<String>,
    suggestion: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a text or a list of texts")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Default for OneOrMore {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl OneOrMore {
    fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::More(more) => more,
        }
    }
}

/// An agent that searches a catalogue.
pub(super) struct Catalogue {
    records: Vec<JsonMap>,
    equal: BTreeMap<String, String>,
    exclude: BTreeMap<String, String>,
    add: Vec<(String, Expression)>,
    spread: Vec<(String, Expression)>,
    filter: Vec<Expression>,
    sort: Vec<SortKey>,
    limit: Option<Expression>,
    output: Option<String>,
    choose: Option<String>,
    outputs: Outputs,
    empty_error: Template,
    unknown_error: Option<Template>,
    suggestion: Option<Template>,
}

impl Catalogue {
    pub(super) fn new(
        options: &JsonMap,
        files: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, BuiltinError> {
        let options: Options = read_options(options, &OPTIONS)?;
        if options.output.is_none() && options.choose.is_none() && options.outputs.is_empty() {
            return Err(BuiltinError::new("output", "is missing: the name of the list that is found"));
        }
        let filter = options.filter.into_vec();
        let empty_error = options.empty_error.as_deref().unwrap_or("Nothing in the catalogue fits");
        let (unknown_error, suggestion) = (options.unknown_error.as_deref(), options.suggestion.as_deref());
        Ok(Self {
            records: read_records(options.file.as_deref(), options.records, files)?,
            equal: options.equal,
            exclude: options.exclude,
            add: expressions("add", &options.add)?,
            spread: expressions("spread", &options.spread)?,
            filter: filter.iter().map(|source| expression("filter", source)).collect::<Result<_, _>>()?,
            sort: options.sort.into_vec().iter().map(|text| SortKey::new(text)).collect(),
            limit: options.limit.as_ref().map(limit).transpose()?,
            output: options.output,
            choose: options.choose,
            outputs: Outputs::new("outputs", &options.outputs)?,
            empty_error: Template::new("empty_error", empty_error)?,
            unknown_error: unknown_error.map(|text| Template::new("unknown_error", text)).transpose()?,
            suggestion: suggestion.map(|text| Template::new("suggestion", text)).transpose()?,
        })
    }

    /// The records that fit, in order.
    fn find(
        &self,
        order: &WorkOrder,
        scope: &Scope<'_>,
        limit: &Limit,
    ) -> Result<Vec<JsonMap>, AgentFailure> {
        let mut found = Vec::new();
        for (n, record) in self.records.iter().enumerate() {
            if n.is_multiple_of(RECORDS_PER_LOOK) {
                limit.check()?;
            }
            if self.is_asked_for(record, &order.inputs)
                && !self.is_excluded(record, &order.inputs)
                && let Some(record) = self.completed(record, scope, &order.inputs)?
            {
                found.push(record);
            }
        }
        found.sort_by(|a, b| {
            self.sort
                .iter()
                .map(|key| key.compare(a, b))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        found.truncate(self.most(scope)?);
        self.number(&mut found, scope)?;
        Ok(found)
    }

    fn is_asked_for(&self, record: &JsonMap, inputs: &JsonMap) -> bool {
        self.equal.iter().all(|(field, input)| match inputs.get(input) {
            None | Some(Value::Null) => true,
            Some(asked) => record.get(field).is_some_and(|field| fits(field, asked)),
        })
    }

    fn is_excluded(&self, record: &JsonMap, inputs: &JsonMap) -> bool {
        let out = |(field, input): (&String, &String)| Some(fits(record.get(field)?, inputs.get(input)?));
        self.exclude.iter().any(|named| out(named) == Some(true))
    }

    /// Numbers the records in groups, in order and evenly: six in four groups are 1, 1, 2, 3, 3, 4.
    fn number(&self, found: &mut [JsonMap], scope: &Scope<'_>) -> Result<(), AgentFailure> {
        for (field, groups) in &self.spread {
            let groups = match groups.value(scope) {
                Ok(value) => value.as_f64().map_or(1, |groups| groups.clamp(1.0, MOST_GROUPS) as usize),
                Err(NoValue::Absent) => continue,
                Err(NoValue::Wrong(problem)) => return Err(not_computed(problem)),
            };
            let count = found.len();
            for (place, record) in found.iter_mut().enumerate() {
                record.insert(field.clone(), Value::from(place * groups / count + 1));
            }
        }
        Ok(())
    }

    /// The record with its computed fields, if all filters let it through.
    fn completed(
        &self,
        record: &JsonMap,
        scope: &Scope<'_>,
        inputs: &JsonMap,
    ) -> Result<Option<JsonMap>, AgentFailure> {
        let mut scope = scope.inner();
        let mut record = record.clone();
        scope.set("item", &Value::Object(record.clone()));
        for (name, expression) in &self.add {
            match expression.value(&scope) {
                Ok(value) => drop(record.insert(name.clone(), value)),
                Err(NoValue::Absent) => {}
                Err(NoValue::Wrong(problem)) => return Err(not_computed(problem)),
            }
        }
        if !self.add.is_empty() {
            scope.set("item", &Value::Object(record.clone()));
        }
        for filter in &self.filter {
            if !applies_and_holds(filter, &scope, inputs)? {
                return Ok(None);
            }
        }
        Ok(Some(record))
    }

    /// How many records are answered at most.
    fn most(&self, scope: &Scope<'_>) -> Result<usize, AgentFailure> {
        let Some(limit) = &self.limit else { return Ok(DEFAULT_LIMIT) };
        match limit.value(scope) {
            Ok(value) => Ok(value.as_f64().map_or(DEFAULT_LIMIT, |most| most.max(0.0) as usize)),
            Err(NoValue::Absent) => Ok(DEFAULT_LIMIT),
            Err(NoValue::Wrong(problem)) => Err(not_computed(problem)),
        }
    }

    fn nothing(&self, order: &WorkOrder, scope: &Scope<'_>) -> AgentAnswer {
        let known = self.records.iter().any(|record| self.is_asked_for(record, &order.inputs));
        let (kind, error) = match &self.unknown_error {
            Some(unknown) if !known => (NOT_IN_CATALOGUE, unknown),
            _ if !known => (NOT_IN_CATALOGUE, &self.empty_error),
            _ => (NO_MATCH, &self.empty_error),
        };
        AgentAnswer {
            feedback_type: Some(FeedbackType::Failure),
            suggested_adjustments: self.suggestion.as_ref().map(|text| text.fill(scope)),
            ..AgentAnswer::failed(kind, error.fill(scope))
        }
    }
}

impl Work for Catalogue {
    fn answer(&self, order: &WorkOrder, limit: &Limit) -> Result<AgentAnswer, AgentFailure> {
        let mut scope = Scope::of(order);
        let found: Vec<Value> = self.find(order, &scope, limit)?.into_iter().map(Value::Object).collect();
        let Some(first) = found.first().cloned() else { return Ok(self.nothing(order, &scope)) };
        let found = Value::Array(found);
        scope.set("found", &found);
        scope.set("chosen", &first);
        let mut outputs = JsonMap::new();
        outputs.extend(self.output.clone().map(|name| (name, found)));
        outputs.extend(self.choose.clone().map(|name| (name, first)));
        self.outputs.compute(&mut scope, &mut outputs)?;
        Ok(AgentAnswer::success(outputs))
    }
}

/// A filter that reads an input which nobody set lets everything through.
fn applies_and_holds(filter: &Expression, scope: &Scope<'_>, inputs: &JsonMap) -> Result<bool, AgentFailure> {
    match filter.holds(scope) {
        Ok(holds) => Ok(holds),
        Err(NoValue::Absent) => {
            let unset = |input: &&str| inputs.get(*input).is_none_or(Value::is_null);
            Ok(filter.reads("inputs").iter().any(unset))
        }
        Err(NoValue::Wrong(problem)) => Err(not_computed(problem)),
    }
}

fn expression(key: &str, source: &str) -> Result<Expression, BuiltinError> {
    Expression::new(source).map_err(|problem| BuiltinError::new(key, problem))
}

/// The fields that an option computes.
fn expressions(option: &str, fields: &JsonMap) -> Result<Vec<(String, Expression)>, BuiltinError> {
    let read = |(name, value): (&String, &Value)| {
        let key = format!("{option}.{name}");
        match value {
            Value::String(source) => Ok((name.clone(), expression(&key, source)?)),
            _ => Err(BuiltinError::new(key, "must be an expression, written as a text")),
        }
    };
    fields.iter().map(read).collect()
}

fn limit(value: &Value) -> Result<Expression, BuiltinError> {
    match value {
        Value::String(source) => expression("limit", source),
        Value::Number(number) if number.as_u64().is_some_and(|most| most > 0) => {
            expression("limit", &number.to_string())
        }
        _ => Err(BuiltinError::new("limit", "must be a whole number above 0, or an expression")),
    }
}
