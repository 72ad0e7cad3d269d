//! The recovery rules of a pack, applied to a failure.
//!
//! A rule is data and this module knows no domain: it finds the first rule that fits the failed task and its
//! failure, and says which task changes in which way. Whoever asks turns that into a revision. A rule that
//! would change nothing, or that was used as often as it may be, does not apply.

use std::sync::Arc;

use candor_model::{
    ExecutionFeedback, Failure, FailureKind, Goal, JsonMap, PackRules, Plan, RecoveryRule, RuleUse, SubTask,
    TaskId, Text, day_after,
};
use serde_json::{Value, json};

use crate::completeness::CATEGORY_KEY;
use crate::graph::TaskGraph;
use crate::slots::Slots;

/// A failure and what the rules of a pack look at to answer it.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The plan as it is.
    pub plan: &'a Plan,
    /// The task that failed.
    pub task: &'a SubTask,
    /// What was reported of it.
    pub feedback: &'a ExecutionFeedback,
    /// Everything that was reported so far, in order.
    pub reports: &'a [Arc<ExecutionFeedback>],
    /// The goal, for its budget and currency.
    pub goal: Option<&'a Goal>,
}

/// What a rule changes.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleChange {
    /// The rule, and the task whose failure it answers.
    pub used: RuleUse,
    /// The task that changes: the failed one, or one before it.
    pub task_id: TaskId,
    /// All of its inputs, as they are to be.
    pub inputs: JsonMap,
    /// What it is to do, if that changes.
    pub description: Option<Text>,
    /// What people are told.
    pub told: String,
}

/// The change that the first rule which applies asks for.
#[must_use]
pub fn apply(rules: &PackRules, case: &Case<'_>) -> Option<RuleChange> {
    rules.recovery.iter().filter(|rule| is_meant(rule, case)).find_map(|rule| change(rule, case))
}

fn is_meant(rule: &RecoveryRule, case: &Case<'_>) -> bool {
    let (kind, word) = said(case.feedback);
    let by_kind = kind.is_some_and(|kind| rule.kinds.contains(&kind));
    let by_word = word.is_some_and(|word| rule.words.iter().any(|known| known.eq_ignore_ascii_case(word)));
    let used = case.plan.metadata.revisions.iter().flat_map(|revision| &revision.details.rules);
    let used = used.filter(|used| used.rule == rule.name && used.origin == *case.task.origin()).count();
    (by_kind || by_word)
        && rule.categories.iter().any(|category| is_of(case.task, category))
        && u32::try_from(used).is_ok_and(|used| used < rule.most)
}

/// The failure's kind, and the agent's own word for it.
fn said(feedback: &ExecutionFeedback) -> (Option<FailureKind>, Option<&str>) {
    match &feedback.failure {
        Some(Failure { kind, reported_kind, .. }) => (Some(*kind), reported_kind.as_deref()),
        None => (feedback.feedback_type.failure_kind(), None),
    }
}

fn change(rule: &RecoveryRule, case: &Case<'_>) -> Option<RuleChange> {
    let target = match &rule.change {
        Some(category) => task_of(case, category)?,
        None => case.task,
    };
    let inputs = changed_inputs(rule, target, case);
    if inputs == target.inputs {
        return None;
    }
    let mut values = inputs.clone();
    values.insert("cause".to_owned(), json!(cause(case.feedback)));
    let slots = Slots::new(values);
    let description = rule.description.as_ref().and_then(|text| Text::new(slots.fill(text).ok()?).ok());
    Some(RuleChange {
        used: RuleUse { rule: rule.name.clone(), origin: case.task.origin().clone() },
        task_id: target.task_id.clone(),
        inputs,
        description,
        told: slots.fill(&rule.tell).unwrap_or_else(|_| rule.name.clone()),
    })
}

fn cause(feedback: &ExecutionFeedback) -> &str {
    let told = feedback.failure.as_ref().map(|failure| failure.message.as_str());
    told.or_else(|| feedback.errors.first().map(String::as_str)).unwrap_or("no reason was given")
}

fn changed_inputs(rule: &RecoveryRule, target: &SubTask, case: &Case<'_>) -> JsonMap {
    let mut inputs = target.inputs.clone();
    inputs.extend(rule.set.clone());
    for (name, factor) in &rule.multiply {
        let product = inputs.get(name).and_then(Value::as_f64).and_then(|number| whole(number * factor));
        inputs.extend(product.map(|product| (name.clone(), product)));
    }
    for (name, days) in &rule.shift_days {
        let moved = inputs.get(name).and_then(|date| day_after(date.as_str()?, i64::from(*days)));
        inputs.extend(moved.map(|moved| (name.clone(), json!(moved))));
    }
    for (name, path) in &rule.exclude {
        if let Some(rejected) = rejected(path, target, case) {
            exclude(&mut inputs, name, rejected);
        }
    }
    inputs
}

/// A number as people write it; nothing for one that JSON does not have.
fn whole(number: f64) -> Option<Value> {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
    if is_whole {
        Some(json!(number as i64))
    } else {
        serde_json::Number::from_f64(number).map(Value::Number)
    }
}

/// The value that was rejected: what the failed attempt reports, what the changed task found, or what the failed
/// task was given.
fn rejected(path: &str, target: &SubTask, case: &Case<'_>) -> Option<Value> {
    let own = at(&case.feedback.actual_outputs, path);
    let found = || at(outputs(case.reports, &target.task_id)?, path);
    let given = || case.task.dependencies.iter().find_map(|id| at(outputs(case.reports, id)?, path));
    own.or_else(found).or_else(given).filter(|value| !value.is_null()).cloned()
}

fn exclude(inputs: &mut JsonMap, name: &str, rejected: Value) {
    let mut list = match inputs.remove(name) {
        Some(Value::Array(list)) => list,
        Some(Value::Null) | None => Vec::new(),
        Some(one) => vec![one],
    };
    if !list.contains(&rejected) {
        list.push(rejected);
    }
    inputs.insert(name.to_owned(), Value::Array(list));
}

/// The value at a path of fields, such as `chosen.name`.
pub(super) fn at<'v>(outputs: &'v JsonMap, path: &str) -> Option<&'v Value> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let value = outputs.get(first)?;
    match rest {
        None => Some(value),
        Some(rest) => at(value.as_object()?, rest),
    }
}

/// What a task produced when it last succeeded.
pub(super) fn outputs<'r>(reports: &'r [Arc<ExecutionFeedback>], id: &TaskId) -> Option<&'r JsonMap> {
    let done = |report: &&Arc<ExecutionFeedback>| report.task_id == *id && report.feedback_type.is_success();
    reports.iter().rev().find(done).map(|report| &report.actual_outputs)
}

/// The task of a category that the failed one depends on, or the failed one itself. Whatever else changes would
/// leave the failed task with the results that it had.
pub(super) fn task_of<'a>(case: &Case<'a>, category: &str) -> Option<&'a SubTask> {
    let graph = TaskGraph::new(&case.plan.subtasks);
    let failed = graph.index_of(&case.task.task_id)?;
    let reaches = |task: &&SubTask| {
        let own = graph.index_of(&task.task_id);
        own.is_some_and(|own| own == failed || graph.affected_by(&[own]).contains(&failed))
    };
    case.plan.subtasks.iter().filter(|task| is_of(task, category)).find(reaches)
}

fn is_of(task: &SubTask, category: &str) -> bool {
    match task.metadata.other.get(CATEGORY_KEY) {
        Some(Value::String(own)) => own.eq_ignore_ascii_case(category),
        Some(Value::Array(own)) => {
            own.iter().filter_map(Value::as_str).any(|own| own.eq_ignore_ascii_case(category))
        }
        _ => false,
    }
}
