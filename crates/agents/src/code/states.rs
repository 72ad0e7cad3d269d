//! The two states of a node: what was done, and the data that it was done to. Neither knows the other.

use std::collections::BTreeMap;
use std::time::Instant;

use candor_model::{Failure, JsonMap, Money};
use serde::Serialize;
use serde_json::{Value, json};

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageError {
    /// Where: `code_validation`, `execution` and so on.
    pub stage: String,
    /// In which attempt; 0 before the first.
    pub attempt: u32,
    /// Message in words.
    pub error: String,
    /// All of it, if it is several things.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Why a result was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What was done in one run of a node. It is for debugging, for the next attempt, and for the chain of work.
#[derive(Debug, Clone)]
pub struct ExecutionState {
    /// What the input analyser said.
    pub input_analysis: Option<JsonMap>,
    /// What the data analyser found.
    pub data_analysis: Option<JsonMap>,
    /// What the code generator wrote last.
    pub code_generation: Option<JsonMap>,
    /// What the code validator said last.
    pub code_validation: Option<JsonMap>,
    /// What came of the last run.
    pub execution_result: Option<JsonMap>,
    /// What the output validator said last.
    pub output_validation: Option<JsonMap>,
    /// The number of the attempt at work; 0 before the first.
    pub attempts: u32,
    /// Everything that went wrong, in order.
    pub errors: Vec<StageError>,
    /// What kind of failure the last attempt ended in.
    pub failure: Option<Failure>,
    /// How long each component took: the last time under its name, all times under `{name}_total`.
    pub timings: BTreeMap<String, f64>,
    /// What the models cost, by component.
    pub costs: BTreeMap<String, Money>,
    /// Moment at which the attempt began.
    pub start_time: Instant,
}

impl Default for ExecutionState {
    fn default() -> Self {
        Self {
            input_analysis: None,
            data_analysis: None,
            code_generation: None,
            code_validation: None,
            execution_result: None,
            output_validation: None,
            attempts: 0,
            errors: Vec::new(),
            failure: None,
            timings: BTreeMap::new(),
            costs: BTreeMap::new(),
            start_time: Instant::now(),
        }
    }
}

impl ExecutionState {
    /// A run that begins now.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps how long someone took: the latest, and the sum of all times.
    pub fn add_timing(&mut self, agent: &str, ms: f64) {
        self.timings.insert(agent.to_owned(), ms);
        *self.timings.entry(format!("{agent}_total")).or_insert(0.0) += ms;
    }

    /// Keeps what someone's models cost.
    pub fn add_cost(&mut self, agent: &str, cost: Money) {
        let known = self.costs.entry(agent.to_owned()).or_default();
        *known = *known + cost;
    }

    /// Keeps that something went wrong in the attempt at work.
    pub fn add_error(&mut self, stage: &str, error: impl Into<String>) {
        self.push(stage, error.into(), Vec::new(), None);
    }

    /// Keeps that several things went wrong at once.
    pub fn add_errors(&mut self, stage: &str, error: impl Into<String>, errors: Vec<String>) {
        self.push(stage, error.into(), errors, None);
    }

    /// Keeps that a result was refused, and why.
    pub fn add_refusal(&mut self, stage: &str, error: impl Into<String>, reason: impl Into<String>) {
        self.push(stage, error.into(), Vec::new(), Some(reason.into()));
    }

    fn push(&mut self, stage: &str, error: String, errors: Vec<String>, reason: Option<String>) {
        let attempt = self.attempts;
        self.errors.push(StageError { stage: stage.to_owned(), attempt, error, errors, reason });
    }

    /// The milliseconds since it began.
    #[must_use]
    pub fn total_time_ms(&self) -> f64 {
        self.start_time.elapsed().as_secs_f64() * 1_000.0
    }

    /// Everything but the moment it began, as JSON. Costs are there once something was paid for or noted as free.
    #[must_use]
    pub fn to_map(&self) -> JsonMap {
        let stage = |data: &Option<JsonMap>| data.clone().map_or(Value::Null, Value::Object);
        let mut map = JsonMap::new();
        map.insert("input_analysis".to_owned(), stage(&self.input_analysis));
        map.insert("data_analysis".to_owned(), stage(&self.data_analysis));
        map.insert("code_generation".to_owned(), stage(&self.code_generation));
        map.insert("code_validation".to_owned(), stage(&self.code_validation));
        map.insert("execution_result".to_owned(), stage(&self.execution_result));
        map.insert("output_validation".to_owned(), stage(&self.output_validation));
        map.insert("attempts".to_owned(), json!(self.attempts));
        map.insert("errors".to_owned(), json!(self.errors));
        map.insert("timings".to_owned(), json!(self.timings));
        map.insert("total_time_ms".to_owned(), json!(self.total_time_ms()));
        if !self.costs.is_empty() {
            map.insert("costs".to_owned(), json!(self.costs));
            map.insert("total_cost".to_owned(), json!(self.costs.values().copied().sum::<Money>()));
        }
        map
    }
}

/// The data of the workflow, as it was given and as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextState {
    initial: JsonMap,
    /// The data as it is now.
    pub current: JsonMap,
    /// What the data analyser found out about it.
    pub data_insights: Option<JsonMap>,
}

impl ContextState {
    /// The data as it was given. Both copies are whole: nothing is shared between them.
    #[must_use]
    pub fn new(context: JsonMap) -> Self {
        Self { initial: context.clone(), current: context, data_insights: None }
    }

    /// The data as it was given.
    #[must_use]
    pub const fn initial(&self) -> &JsonMap {
        &self.initial
    }

    /// Makes it as it was given: what an attempt that failed did to it is gone.
    pub fn reset(&mut self) {
        self.current = self.initial.clone();
    }
}

/// What is new or has another value, as it is afterwards.
pub(super) fn changes(before: &JsonMap, after: &JsonMap) -> JsonMap {
    let differs = |(key, value): &(&String, &Value)| before.get(*key) != Some(*value);
    after.iter().filter(differs).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The names that are gone.
pub(super) fn removed(before: &JsonMap, after: &JsonMap) -> Vec<String> {
    before.keys().filter(|key| !after.contains_key(*key)).cloned().collect()
}
