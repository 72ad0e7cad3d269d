//! The versions of a run's plan, and what changed from one to another.

use candor_engine::RunState;
use candor_model::{
    EventBody, Plan, PlanVersion, Position, Question, Recorded, RunId, SubTask, TaskId, Timestamp,
};
use candor_planning::{approval, texts};
use serde::Serialize;
use serde_json::Value;

/// Fields that move while a plan is carried out, and say nothing of its shape.
const MOVING: [&str; 2] = ["status", "metadata"];

/// One version of a plan.
#[derive(Debug, Clone, Serialize)]
pub struct PlanShape {
    /// Number of the version.
    pub version: PlanVersion,
    /// When it came to be.
    pub at: Timestamp,
    /// The event that made it.
    pub position: Position,
    /// How it came to be: proposed, adjusted or revised.
    pub cause: &'static str,
    /// Why, for people; empty for a first proposal.
    pub reasons: Vec<String>,
    /// Tasks and criteria of that version.
    pub plan: Plan,
}

/// What changed from one version to another.
#[derive(Debug, Clone, Serialize)]
pub struct PlanDiff {
    /// Version that the changes start from.
    pub from: PlanVersion,
    /// Version that they lead to.
    pub to: PlanVersion,
    /// Tasks that are new.
    pub added: Vec<TaskName>,
    /// Tasks that are gone.
    pub removed: Vec<TaskName>,
    /// Fields of tasks that have another value.
    pub changed: Vec<FieldChange>,
}

/// A task by its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskName {
    /// Id in the plan.
    pub task_id: TaskId,
    /// Its name for people.
    pub name: String,
}

/// A field of a task that has another value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldChange {
    /// Task whose field differs.
    pub task_id: TaskId,
    /// Field by its name in JSON.
    pub field: String,
    /// The value in the earlier version.
    pub before: Value,
    /// The value in the later version.
    pub after: Value,
}

/// Every version of a run's plan, in order. A log that cannot be folded has those before the damage.
#[must_use]
pub fn shapes(run: &RunId, records: &[Recorded]) -> Vec<PlanShape> {
    let mut state = RunState::new(run.clone());
    let (mut shapes, mut folded) = (Vec::new(), 0);
    for (at, recorded) in records.iter().enumerate() {
        let (version, cause, reasons) = match &recorded.event.body {
            EventBody::PlanProposed { version, repairs, .. } => (*version, "proposed", repairs.clone()),
            EventBody::PlanAdjusted { version, adjustments, .. } => {
                let said =
                    adjustments.iter().map(|it| format!("{}: {} = {}", it.task_id, it.field, it.new_value));
                (*version, "adjusted", said.collect())
            }
            EventBody::Replanned { version, revision } => (*version, "revised", revision.changes.to_vec()),
            _ => continue,
        };
        let new = records.get(folded..=at).unwrap_or_default();
        if state.catch_up(new).is_err() {
            break;
        }
        folded = at + 1;
        if let Some(plan) = state.plan() {
            let (at, position) = (recorded.event.at, recorded.position);
            shapes.push(PlanShape { version, at, position, cause, reasons, plan: Plan::clone(&plan) });
        }
    }
    shapes
}

/// What changed of the plan that a question shows: since the version with the digest that a person saw, or else since
/// the version before.
#[must_use]
pub fn asked_about(
    run: &RunId,
    records: &[Recorded],
    question: &Question,
    seen: Option<&str>,
) -> Option<PlanDiff> {
    if !matches!(question, Question::Approval { .. }) {
        return None;
    }
    let shapes = shapes(run, records);
    let [earlier @ .., last] = shapes.as_slice() else { return None };
    let of_digest = |digest| earlier.iter().rev().find(|shape| approval::digest(&shape.plan) == digest);
    seen.and_then(of_digest).or(earlier.last()).map(|before| diff(before, last))
}

/// What changed from one version to another.
#[must_use]
pub fn diff(from: &PlanShape, to: &PlanShape) -> PlanDiff {
    let missing = |one: &Plan, other: &Plan| -> Vec<TaskName> {
        let gone = one.subtasks.iter().filter(|task| find(other, &task.task_id).is_none());
        gone.map(|task| TaskName { task_id: task.task_id.clone(), name: texts::task_name(task) }).collect()
    };
    let both = to.plan.subtasks.iter().filter_map(|after| Some((find(&from.plan, &after.task_id)?, after)));
    PlanDiff {
        from: from.version,
        to: to.version,
        added: missing(&to.plan, &from.plan),
        removed: missing(&from.plan, &to.plan),
        changed: both.flat_map(|(before, after)| fields(before, after)).collect(),
    }
}

fn find<'a>(plan: &'a Plan, id: &TaskId) -> Option<&'a SubTask> {
    plan.subtasks.iter().find(|task| task.task_id == *id)
}

fn fields(before: &SubTask, after: &SubTask) -> Vec<FieldChange> {
    let as_map = |task| match serde_json::to_value(task) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (one, other) = (as_map(before), as_map(after));
    let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let value =
        |fields: &serde_json::Map<String, Value>, name: &str| fields.get(name).cloned().unwrap_or_default();
    let changed = names.into_iter().filter(|name| !MOVING.contains(&name.as_str())).filter_map(|name| {
        let (before, now) = (value(&one, name), value(&other, name));
        let change = || FieldChange {
            task_id: after.task_id.clone(),
            field: name.clone(),
            before: before.clone(),
            after: now.clone(),
        };
        (before != now).then(change)
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use candor_testkit::golden::{STORIES, story};

    use super::*;

    #[test]
    fn versions_are_in_order_and_a_revision_shows_in_the_difference() {
        let run = RunId::new("run_test").unwrap();
        let mut differences = 0;
        for (name, _) in STORIES {
            let shapes = shapes(&run, &story(name));
            for pair in shapes.windows(2) {
                let diff = diff(&pair[0], &pair[1]);
                assert!(diff.from < diff.to, "{name}");
                differences += diff.added.len() + diff.removed.len() + diff.changed.len();
                assert!(super::diff(&pair[0], &pair[0]).changed.is_empty());
            }
        }
        assert!(differences > 0);
    }
}
