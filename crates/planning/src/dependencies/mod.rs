//! Whether the tasks of a plan can be put in an order, and which dependency to drop if they cannot.
//!
//! Judges and suggests; what becomes of a plan that is not sound is decided in [`crate::validation`].

mod cycles;
mod redundancy;
mod repair;

use candor_model::{DependencyResult, SubTask, TaskId};

pub use self::redundancy::unnecessary;
pub(crate) use self::repair::is_validation;
pub use self::repair::{CycleRepair, repair_cycle};
use crate::graph::{Defect, TaskGraph, TaskIndex};

/// Finds everything that is wrong with the dependencies: ids used twice, tasks that depend on themselves,
/// on tasks that are not there, or in a circle.
///
/// Tasks that wait for each other are reported once per knot, by a shortest cycle through the first of
/// them: a knot can hold more cycles than there is room to list.
#[must_use]
pub fn check(tasks: &[SubTask]) -> DependencyResult {
    let mut errors = Vec::new();
    let graph = TaskGraph::build(tasks, |defect| errors.push(described(&defect)));
    let cycles: Vec<_> = cycles::cycles(&graph).iter().map(|cycle| ids(tasks, cycle)).collect();
    errors.extend(cycles.iter().map(|cycle| format!("Circular dependencies detected: {cycle:?}")));
    DependencyResult { is_valid: errors.is_empty(), errors, cycles }
}

fn described(defect: &Defect<'_>) -> String {
    match defect {
        Defect::DuplicateId(TaskIndex(position), id) => {
            format!("{id} is the id of an earlier task and again of subtasks[{position}]")
        }
        Defect::SelfDependency(id) => format!("{id} depends on itself"),
        Defect::Dangling(id, missing) => format!("{id} depends on {missing}, which is not in the plan"),
    }
}

fn ids(tasks: &[SubTask], cycle: &[TaskIndex]) -> Vec<TaskId> {
    cycle.iter().filter_map(|index| tasks.get(index.as_usize())).map(|task| task.task_id.clone()).collect()
}
