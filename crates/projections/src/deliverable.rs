//! What a reader wants of a run first: what its last tasks produced, and what is missing from it.

use std::collections::BTreeSet;

use candor_model::{
    CheckedCriterion, CriterionResult, EventBody, FeedbackType, JsonMap, PlanningError, RunStatus, SubTask,
    TaskId, TaskStatus, Verdict,
};
use candor_planning::texts;
use serde::Serialize;
use serde_json::Value;

use crate::recorded;
use crate::report::Subject;
use crate::results::latest_outputs;
use crate::verdict::RunVerdict;
use crate::words;

/// A text of this many letters or fewer is a remark ("ok", "sent") and not a result.
const REMARK_CHARS: usize = 20;

/// What one task produced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Deliverable {
    /// Task that produced the outputs.
    pub task_id: TaskId,
    /// Its name for people.
    pub task: String,
    /// Outputs by name.
    pub outputs: JsonMap,
    /// Whether it is a part of the result, and not only a step on the way.
    pub is_result: bool,
}

/// Something that the result lacks, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// What is missing or does not hold.
    pub what: String,
    /// Why, as far as it is known.
    pub why: String,
}

/// What the tasks that are done produced, in the order of the plan.
#[must_use]
pub fn deliverables(subject: &Subject<'_>) -> Vec<Deliverable> {
    let Some(plan) = &subject.plan else { return Vec::new() };
    let latest = latest_outputs(subject.state);
    let done = |task: &&SubTask| task.status == TaskStatus::Completed;
    let outputs = |task: &SubTask| latest.get(&task.task_id).map(|it| (*it).clone()).unwrap_or_default();
    let results = result_tasks(&plan.subtasks, &|task| outputs(task));
    let made = plan.subtasks.iter().filter(done).map(|task| Deliverable {
        task_id: task.task_id.clone(),
        task: texts::task_name(task),
        outputs: outputs(task),
        is_result: results.contains(&task.task_id),
    });
    made.filter(|made| !made.outputs.is_empty()).collect()
}

/// The tasks that nothing else of the plan builds on; where such a task only says that it is done ("sent: yes"),
/// also those that it builds on.
fn result_tasks<'t>(tasks: &'t [SubTask], outputs: &dyn Fn(&SubTask) -> JsonMap) -> BTreeSet<&'t TaskId> {
    let done: Vec<&SubTask> = tasks.iter().filter(|task| task.status == TaskStatus::Completed).collect();
    let needed: BTreeSet<&TaskId> = done.iter().flat_map(|task| &task.dependencies).collect();
    let mut open: Vec<&TaskId> =
        done.iter().map(|task| &task.task_id).filter(|id| !needed.contains(id)).collect();
    let mut results = BTreeSet::new();
    while let Some(id) = open.pop() {
        let Some(task) = done.iter().find(|task| task.task_id == *id) else { continue };
        if results.insert(&task.task_id) && !outputs(task).values().any(is_substantial) {
            open.extend(&task.dependencies);
        }
    }
    results
}

fn is_substantial(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => true,
        Value::String(text) => text.chars().nth(REMARK_CHARS).is_some(),
        Value::Array(entries) => !entries.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// What the result lacks, the gravest first: tasks, parts of tasks, constraints and criteria.
#[must_use]
pub fn missing(subject: &Subject<'_>) -> Vec<Missing> {
    let mut missing = without_plan(subject);
    missing.extend(open_tasks(subject));
    missing.extend(partial(subject));
    let judged = RunVerdict::of(subject.records);
    missing.extend(criteria(subject, &judged));
    // Once a run was judged, its constraints are among the criteria.
    if judged.criteria.is_empty() {
        missing.extend(constraints(subject));
    }
    missing
}

/// A run that ended before it had a plan lacks everything.
fn without_plan(subject: &Subject<'_>) -> Vec<Missing> {
    let error = match subject.chronicle.end {
        Some((_, EventBody::RunFailed { error, .. } | EventBody::RunAborted { error, .. })) => error,
        _ => return Vec::new(),
    };
    if subject.plan.is_some() {
        return Vec::new();
    }
    vec![Missing { what: words::plan(subject.language).to_owned(), why: texts::plain(&error.to_string()) }]
}

fn open_tasks(subject: &Subject<'_>) -> Vec<Missing> {
    let tasks = subject.plan.iter().flat_map(|plan| &plan.subtasks);
    let entry = |task: &SubTask| {
        let failure =
            subject.chronicle.failures.iter().rev().find(|failure| *failure.task_id == task.task_id);
        let why = match task.status {
            TaskStatus::Completed => return None,
            TaskStatus::Skipped => words::left_out(subject.language).to_owned(),
            TaskStatus::Pending | TaskStatus::InProgress if !subject.state.status().is_end() => {
                words::not_done_yet(subject.language).to_owned()
            }
            _ => failure.map_or_else(
                || words::never_done(subject.language).to_owned(),
                |it| recorded::told(subject.language, &texts::cause(&it.feedback.errors)),
            ),
        };
        Some(Missing { what: texts::task_name(task), why })
    };
    tasks.filter_map(entry).collect()
}

fn partial(subject: &Subject<'_>) -> Vec<Missing> {
    let last = subject.state.feedback().iter().rev();
    let mut seen = BTreeSet::new();
    let last: Vec<_> = last.filter(|feedback| seen.insert(&feedback.task_id)).collect();
    let partly = last.into_iter().rev().filter(|it| it.feedback_type == FeedbackType::PartialSuccess);
    partly
        .map(|it| Missing {
            what: words::in_part(subject.language, &subject.chronicle.name(&it.task_id)),
            why: it.errors.iter().map(|error| texts::plain(error)).collect::<Vec<_>>().join("; "),
        })
        .collect()
}

/// What stands between the run and a verdict that its goal is reached.
fn criteria(subject: &Subject<'_>, judged: &RunVerdict<'_>) -> Vec<Missing> {
    if judged.criteria.is_empty() && judged.verdict == Some(Verdict::Unverified) {
        return vec![Missing {
            what: words::proof(subject.language).to_owned(),
            why: words::no_criterion(subject.language).to_owned(),
        }];
    }
    if judged.criteria.is_empty() {
        return unmet(subject);
    }
    // Tasks that are not done are told as tasks.
    let tasks: Vec<&SubTask> = subject.plan.iter().flat_map(|plan| &plan.subtasks).collect();
    let is_done =
        |id: &TaskId| tasks.iter().any(|task| task.task_id == *id && task.status == TaskStatus::Completed);
    let told = judged.criteria.iter().map(|it| it.checked);
    let told = told.filter(|it| it.task_id.as_ref().is_none_or(is_done));
    let entry = |it: &CheckedCriterion| {
        let why = match it.result {
            CriterionResult::Holds => return None,
            CriterionResult::Fails => words::does_not_hold(subject.language, &it.found),
            CriterionResult::Unchecked => words::not_checked(subject.language, &it.found),
        };
        Some(Missing { what: texts::plain(&it.criterion), why })
    };
    told.filter_map(entry).collect()
}

/// The same of a log that was written before criteria were recorded one by one.
fn unmet(subject: &Subject<'_>) -> Vec<Missing> {
    let Some((_, EventBody::RunFailed { error, .. })) = subject.chronicle.end else { return Vec::new() };
    let PlanningError::CriteriaUnmet { unmet } = error.as_ref() else { return Vec::new() };
    unmet
        .iter()
        .map(|it| Missing { what: it.clone(), why: words::does_not_hold(subject.language, "") })
        .collect()
}

fn constraints(subject: &Subject<'_>) -> Vec<Missing> {
    let Some(goal) = subject.state.goal() else { return Vec::new() };
    let Some(material) = subject.material() else { return Vec::new() };
    let checks = candor_planning::report::constraint_summary(goal, &material).checks.into_iter();
    let entry = |check: candor_planning::report::ConstraintCheck| {
        let what = words::wanted(&check.what, &check.wanted);
        match check.met {
            Some(true) => None,
            Some(false) => {
                let why = words::found_instead(
                    subject.language,
                    check.found.as_deref().unwrap_or(words::nothing(subject.language)),
                );
                Some(Missing { what, why })
            }
            None if subject.state.status() == RunStatus::Completed => Some(Missing {
                what,
                why: words::not_checked(subject.language, words::no_output_says(subject.language)),
            }),
            None => None,
        }
    };
    checks.filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use candor_engine::RunState;
    use candor_model::{RunId, RunSettings, Seconds};
    use candor_testkit::fixtures::{feedback, object, paris_plan};
    use candor_testkit::golden::story;
    use candor_testkit::scenario::Scenario;
    use candor_text::Language;
    use serde_json::json;

    use super::*;

    fn made(outputs: [Value; 4]) -> Vec<(String, bool)> {
        let mut run = Scenario::of(paris_plan(), RunSettings::default());
        for (n, outputs) in [1, 3, 2, 4].into_iter().zip(outputs) {
            let mut answer = feedback(n, FeedbackType::Success, &[]);
            answer.actual_outputs = object(outputs);
            answer.duration_seconds = Seconds::whole(1);
            run.report(&format!("task_00{n}"), answer);
        }
        let subject = Subject::of(&run.state, &run.log);
        let made = deliverables(&subject);
        made.into_iter().map(|it| (it.task_id.to_string(), it.is_result)).collect()
    }

    #[test]
    fn the_last_tasks_are_the_result() {
        let steps = made([json!({"a": 1}), json!({"b": 1}), json!({"c": 1}), json!({"total": 9})]);
        let expected = [("task_001", false), ("task_002", false), ("task_003", false), ("task_004", true)];
        assert_eq!(steps, expected.map(|(id, result)| (id.to_owned(), result)));
    }

    #[test]
    fn a_last_task_that_only_nods_lets_those_before_it_speak() {
        let steps = made([json!({"a": 1}), json!({"b": 1}), json!({"c": 1}), json!({"sent": true})]);
        assert!(steps.iter().all(|(_, result)| *result), "{steps:?}");
    }

    #[test]
    fn what_was_left_out_is_missing() {
        let records = story("escalated_and_skipped");
        let state = RunState::fold(RunId::new("run_test").unwrap(), &records).unwrap();
        let missing = missing(&Subject::of(&state, &records));
        assert!(missing.iter().any(|it| it.why == words::left_out(Language::En)), "{missing:?}");
    }

    #[test]
    fn a_run_that_nothing_proves_lacks_a_proof_as_its_verdict_says() {
        let records = story("backup_agent");
        let state = RunState::fold(RunId::new("run_test").unwrap(), &records).unwrap();
        let subject = Subject::of(&state, &records);
        let missing = missing(&subject);
        assert!(
            missing.iter().any(
                |it| it.what == words::proof(Language::En) && it.why == words::no_criterion(Language::En)
            ),
            "{missing:?}"
        );
        assert!(subject.verdict().contains(words::no_criterion(Language::En)), "{}", subject.verdict());
    }
}
