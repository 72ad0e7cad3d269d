//! Where each clause of the request went: into a task, a constraint, a condition, the background, or nowhere.

use std::collections::BTreeSet;

use candor_language::split::{self, Part, Place};
use candor_model::handoff::{ClausePlace, CoveredClause};
use candor_model::{SubTask, TaskId};

use crate::consult::content_words;

/// The share of a clause's words by which it counts as being in tasks that were not cut from it.
const ENOUGH_WORDS: f64 = 0.3;

/// Where each clause went. Tasks that were cut from the request have their clauses; those of a pack or a model have the
/// clauses whose words they share.
pub(super) fn of(request: &str, tasks: &[SubTask]) -> Vec<CoveredClause> {
    let split = split::read(request);
    let described = |(step, task): (&split::Step, &SubTask)| step.description == task.description.as_str();
    let cut = split.steps.len() == tasks.len() && split.steps.iter().zip(tasks).all(described);
    split
        .parts
        .into_iter()
        .map(|part| if cut { by_place(part, tasks) } else { by_words(part, tasks) })
        .collect()
}

/// A clause of which it is known where the steps went.
fn by_place(part: Part, tasks: &[SubTask]) -> CoveredClause {
    let ids = |steps: &[usize]| steps.iter().filter_map(|&at| Some(tasks.get(at)?.task_id.clone())).collect();
    let (place, tasks, reason) = match part.place {
        Place::Task { steps } => (ClausePlace::Task, ids(&steps), None),
        Place::Condition { steps } if steps.is_empty() => (ClausePlace::Condition, all(tasks), None),
        Place::Condition { steps } => (ClausePlace::Condition, ids(&steps), None),
        Place::Constraint => (ClausePlace::Constraint, Vec::new(), None),
        Place::Context => (ClausePlace::Context, Vec::new(), None),
        Place::Dropped { reason } => (ClausePlace::Dropped, Vec::new(), Some(reason)),
    };
    CoveredClause { clause: part.text, place, tasks, reason }
}

fn all(tasks: &[SubTask]) -> Vec<TaskId> {
    tasks.iter().map(|task| task.task_id.clone()).collect()
}

/// A clause that is in the tasks that share its words, if they share enough of them.
fn by_words(part: Part, tasks: &[SubTask]) -> CoveredClause {
    let asks = matches!(part.place, Place::Task { .. } | Place::Condition { .. });
    if !asks {
        return by_place(part, tasks);
    }
    let wanted: BTreeSet<String> = content_words(&part.text).collect();
    let told = |task: &SubTask| -> BTreeSet<String> {
        let inputs = serde_json::to_string(&task.inputs).unwrap_or_default();
        let conditions = task.metadata.conditions.join(" ");
        content_words(&format!("{} {inputs} {conditions}", task.description)).collect()
    };
    let told: Vec<_> = tasks.iter().map(told).collect();
    let shared: BTreeSet<&String> = told.iter().flat_map(|words| wanted.intersection(words)).collect();
    let enough = wanted.is_empty() || shared.len() as f64 >= ENOUGH_WORDS * wanted.len() as f64;
    if !enough {
        let reason = Some("in no task".to_owned());
        return CoveredClause { clause: part.text, place: ClausePlace::Dropped, tasks: Vec::new(), reason };
    }
    let sharing = tasks.iter().zip(&told).filter(|(_, words)| !wanted.is_disjoint(words));
    let tasks = sharing.map(|(task, _)| task.task_id.clone()).collect();
    CoveredClause { clause: part.text, place: ClausePlace::Task, tasks, reason: None }
}
