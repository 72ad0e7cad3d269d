//! Whether a result keeps what the goal asked for, as far as the agents' outputs tell.

use candor_model::{Constraint, ExecutionFeedback, Goal, IdMap, TaskId};
use serde_json::Value;

use super::{ReportMaterial, successes};

/// What became of a goal's constraints and of the plan's tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintSummary {
    /// Tasks of the final plan that succeeded.
    pub succeeded: usize,
    /// All tasks of the final plan.
    pub total: usize,
    /// One entry per constraint, then one per criterion of the form "At least 5 activities …".
    pub checks: Vec<ConstraintCheck>,
}

impl ConstraintSummary {
    /// Says whether everything is met; nothing if the outputs do not tell.
    #[must_use]
    pub fn all_met(&self) -> Option<bool> {
        if self.checks.iter().any(|check| check.met == Some(false)) {
            return Some(false);
        }
        self.checks.iter().all(|check| check.met.is_some()).then_some(true)
    }
}

/// What was wanted in one respect, and what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintCheck {
    /// What it is about: `budget`, `duration`, `activities`, …
    pub what: String,
    /// Value of the constraint, as the goal has it.
    pub wanted: String,
    /// What the outputs say, if they say anything.
    pub found: Option<String>,
    /// Whether it is met; nothing if the outputs do not tell.
    pub met: Option<bool>,
}

/// Compares the outputs of a run with the constraints of its goal.
#[must_use]
pub fn constraint_summary(goal: &Goal, material: &ReportMaterial<'_>) -> ConstraintSummary {
    let outputs = outputs(material);
    let constraints = goal.constraints.iter().map(|constraint| checked(constraint, &outputs));
    let criteria = goal.success_criteria.iter().filter_map(|criterion| counted(criterion, &outputs));
    ConstraintSummary {
        succeeded: successes(material),
        total: material.plan.subtasks.len(),
        checks: constraints.chain(criteria).collect(),
    }
}

type Outputs<'a> = IdMap<&'a str, &'a Value>;

/// Everything that the attempts have put out; of one name, the latest.
fn outputs<'a>(material: &ReportMaterial<'a>) -> Outputs<'a> {
    // The last word on each task counts: what an attempt found that was repeated later is not the result.
    let last: IdMap<&TaskId, usize> =
        material.feedback.iter().enumerate().map(|(place, feedback)| (&feedback.task_id, place)).collect();
    let is_last = |place: usize, feedback: &ExecutionFeedback| last.get(&&feedback.task_id) == Some(&place);
    let results = material.feedback.iter().enumerate().filter(|(place, feedback)| is_last(*place, feedback));
    let pairs = results.flat_map(|(_, feedback)| &feedback.actual_outputs);
    pairs.map(|(key, value)| (key.as_str(), value)).collect()
}

fn checked(constraint: &Constraint, outputs: &Outputs<'_>) -> ConstraintCheck {
    let (kind, wanted) = (constraint.kind.as_str(), constraint.value.as_str());
    let (found, met) = if kind.eq_ignore_ascii_case("budget") {
        budget(wanted, outputs)
    } else {
        let found = outputs.get(kind).copied().and_then(as_text);
        let met = found.as_deref().map(|found| same(found, wanted));
        (found, met)
    };
    ConstraintCheck { what: kind.to_owned(), wanted: wanted.to_owned(), found, met }
}

/// The total against the budget; without a total, the verdict of the agent that checked.
fn budget(wanted: &str, outputs: &Outputs<'_>) -> (Option<String>, Option<bool>) {
    let total = outputs.get("total_cost").copied();
    if let (Some(cost), Some(limit)) = (total.and_then(as_number), number_in(wanted)) {
        return (total.and_then(as_text), Some(cost <= limit));
    }
    let verdict = outputs.get("budget_status").and_then(|verdict| verdict.as_str());
    let met = verdict.and_then(|verdict| match verdict {
        "WITHIN_BUDGET" => Some(true),
        "EXCEEDED" => Some(false),
        _ => None,
    });
    (verdict.map(str::to_owned), met)
}

/// "At least 5 activities planned", against the number of entries of the output `activities`.
fn counted(criterion: &str, outputs: &Outputs<'_>) -> Option<ConstraintCheck> {
    let mut words = criterion.split_whitespace().map(str::to_ascii_lowercase);
    let at_least = words.next()? == "at" && words.next()? == "least";
    let least: usize = words.next().filter(|_| at_least)?.parse().ok()?;
    let what = words.next()?;
    let count = outputs.get(what.as_str()).and_then(|entries| entries.as_array()).map(Vec::len);
    Some(ConstraintCheck {
        what,
        wanted: criterion.to_owned(),
        found: count.map(|count| count.to_string()),
        met: count.map(|count| count >= least),
    })
}

fn same(found: &str, wanted: &str) -> bool {
    let numbers = number_in(found).zip(number_in(wanted));
    found.trim().eq_ignore_ascii_case(wanted.trim())
        // A bare number leaves its unit to the constraint.
        || found.trim().parse::<f64>().is_ok() && numbers.is_some_and(|(found, wanted)| found == wanted)
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str().and_then(number_in))
}

/// The first number in a text such as `2000 USD` or `$2,000.50`.
fn number_in(text: &str) -> Option<f64> {
    let start = text.find(|letter: char| letter.is_ascii_digit())?;
    let digits = text
        .get(start..)?
        .chars()
        .take_while(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ','));
    let digits: String = digits.filter(|&letter| letter != ',').collect();
    digits.trim_end_matches('.').parse().ok()
}
