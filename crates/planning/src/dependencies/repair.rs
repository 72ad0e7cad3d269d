//! Undoes the dependency that was most likely introduced by mistake.

use candor_model::SubTask;
use candor_text::Rule;

use super::{cycles, ids};
use crate::graph::{TaskGraph, TaskIndex};

/// How many dependencies of a cycle are tried before the first suspect is taken as it is.
const MAX_TRIES: usize = 32;

/// The tasks without one dependency, and a note of which one it was.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleRepair {
    /// The tasks; all but one are as they were.
    pub tasks: Vec<SubTask>,
    /// What was removed and why.
    pub note: String,
}

/// Removes one dependency from the plan's first cycle, or answers that there is none.
///
/// Under suspicion is a dependency by which a task waits for a validation that should come after it, then
/// one by which a task waits for a later one. Of these, the first that leaves the plan without any cycle
/// is taken. What a validation needs as its input is left alone, unless the cycle consists of validations.
#[must_use]
pub fn repair_cycle(tasks: &[SubTask]) -> Option<CycleRepair> {
    let graph = TaskGraph::new(tasks);
    let cycle = cycles::cycles(&graph).into_iter().next()?;
    let suspects = suspects(tasks, &cycle);
    let cure = suspects.iter().take(MAX_TRIES).find(|&&(task, on)| graph.is_acyclic_without(task, on));
    let &(from, on) = cure.or(suspects.first())?;
    let dependency = tasks.get(on.as_usize())?.task_id.clone();
    let mut repaired = tasks.to_vec();
    let task = repaired.get_mut(from.as_usize())?;
    task.dependencies.retain(|id| *id != dependency);
    let note = format!(
        "Removed the dependency of {} on {dependency}, which closed the circle {:?}",
        task.task_id,
        ids(tasks, &cycle),
    );
    Some(CycleRepair { tasks: repaired, note })
}

/// The dependencies of the cycle that may be wrong, the most suspicious first.
fn suspects(tasks: &[SubTask], cycle: &[TaskIndex]) -> Vec<(TaskIndex, TaskIndex)> {
    let validates = |index: TaskIndex| tasks.get(index.as_usize()).is_some_and(is_validation);
    let edges = cycle.iter().copied().zip(cycle.iter().copied().skip(1));
    let only_validations = cycle.iter().all(|&task| validates(task));
    let mut suspects: Vec<_> = edges
        .filter(|&(task, _)| only_validations || !validates(task))
        .filter(|&(task, on)| validates(on) || task < on)
        .collect();
    suspects.sort_by_key(|&(task, on)| (!validates(on), task >= on));
    suspects
}

/// Words with which the description of a validation begins.
const VALIDATING: [&str; 8] =
    ["validate", "verify", "check", "review", "validar", "verificar", "comprobar", "revisar"];

/// Whether a task judges the results of others: its category or its agent says so, or its description
/// begins with a word for it.
///
/// Only the beginning counts, because "Book a hotel and check the price" is not a validation.
pub(crate) fn is_validation(task: &SubTask) -> bool {
    let says_so = |text: &str| text.to_ascii_lowercase().contains("validat");
    if let Some(category) = task.metadata.other.get("category").and_then(serde_json::Value::as_str) {
        return says_so(category);
    }
    let first_word = Rule::Letters.split(task.description.as_str()).next();
    says_so(task.agent_type.as_str())
        || first_word.is_some_and(|word| {
            VALIDATING.iter().any(|validating| word.text.eq_ignore_ascii_case(validating))
        })
}
