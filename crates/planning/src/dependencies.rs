//! Whether the tasks of a plan can be put in an order, which dependency to drop if they cannot, and which
//! dependencies others already imply.
//!
//! Judges and suggests; what becomes of a plan that is not sound is decided in [`crate::validation`].

use std::collections::{BTreeMap, VecDeque};

use candor_model::{DependencyResult, SubTask, TaskId};
use candor_text::Rule;

use crate::graph::{Defect, TaskGraph, TaskIndex};

/// How many dependencies of a cycle are tried before the first suspect is taken as it is.
const MAX_TRIES: usize = 32;
/// How many tasks are looked for in one pass: one bit each, in as many words as fit a cache line.
const TARGETS_PER_PASS: usize = WORDS * 64;
const WORDS: usize = 8;

/// Finds everything that is wrong with the dependencies: ids used twice, tasks that depend on themselves,
/// on tasks that are not there, or in a circle.
///
/// Tasks that wait for each other are reported once per knot, by a shortest cycle through the first of
/// them: a knot can hold more cycles than there is room to list.
#[must_use]
pub fn check(tasks: &[SubTask]) -> DependencyResult {
    let mut errors = Vec::new();
    let graph = TaskGraph::build(tasks, |defect| errors.push(described(&defect)));
    let cycles: Vec<_> = cycles(&graph).iter().map(|cycle| ids(tasks, cycle)).collect();
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

/// One cycle for each knot of the graph, the first task repeated at the end.
fn cycles(graph: &TaskGraph) -> Vec<Vec<TaskIndex>> {
    graph.order().knots.iter().filter_map(|knot| shortest_cycle(graph, knot)).collect()
}

/// A shortest cycle through the first task of a knot, which is sorted.
fn shortest_cycle(graph: &TaskGraph, knot: &[TaskIndex]) -> Option<Vec<TaskIndex>> {
    let &first = knot.first()?;
    let mut reached_from = BTreeMap::new();
    let mut open = VecDeque::from([first]);
    while let Some(task) = open.pop_front() {
        for &dependency in graph.dependencies(task) {
            if dependency == first {
                return Some(path(first, task, &reached_from));
            }
            if knot.binary_search(&dependency).is_ok() && !reached_from.contains_key(&dependency) {
                reached_from.insert(dependency, task);
                open.push_back(dependency);
            }
        }
    }
    None
}

/// From `first` to `last` and back to `first`.
fn path(first: TaskIndex, last: TaskIndex, reached_from: &BTreeMap<TaskIndex, TaskIndex>) -> Vec<TaskIndex> {
    let backwards = std::iter::successors(Some(last), |task| reached_from.get(task).copied());
    let mut cycle: Vec<_> = std::iter::once(first).chain(backwards).collect();
    cycle.reverse();
    cycle
}

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
    let cycle = cycles(&graph).into_iter().next()?;
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

/// Lists the dependencies that are implied by others, as pairs of task and dependency, in plan order.
///
/// In a plan with a cycle nothing is called unnecessary: there, every dependency implies every other.
#[must_use]
pub fn unnecessary(tasks: &[SubTask]) -> Vec<(TaskId, TaskId)> {
    let graph = TaskGraph::new(tasks);
    let order = graph.order();
    if !order.knots.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Reachability of all pairs at once would need a square of memory; pass by pass it stays linear.
    for first in (0..graph.len()).step_by(TARGETS_PER_PASS) {
        find_in_block(&graph, &order.tasks, first, &mut found);
    }
    found.sort_unstable();
    let id = |index: TaskIndex| tasks.get(index.as_usize()).map(|task| task.task_id.clone());
    found.into_iter().filter_map(|(task, dependency)| Some((id(task)?, id(dependency)?))).collect()
}

/// Finds the unnecessary dependencies on the tasks from position `first` to the end of the block.
fn find_in_block(
    graph: &TaskGraph,
    order: &[TaskIndex],
    first: usize,
    found: &mut Vec<(TaskIndex, TaskIndex)>,
) {
    let mut reached = vec![Bits::default(); graph.len()];
    for &task in order {
        let dependencies = graph.dependencies(task);
        let mut bits = Bits::default();
        for dependency in dependencies {
            if let Some(through) = reached.get(dependency.as_usize()) {
                bits.add_all(through);
            }
        }
        let in_block = |dependency: &TaskIndex| dependency.as_usize().checked_sub(first);
        found.extend(
            dependencies
                .iter()
                .filter(|dependency| in_block(dependency).is_some_and(|bit| bits.contains(bit)))
                .map(|&dependency| (task, dependency)),
        );
        dependencies.iter().filter_map(in_block).for_each(|bit| bits.add(bit));
        if let Some(slot) = reached.get_mut(task.as_usize()) {
            *slot = bits;
        }
    }
}

/// A set of the tasks of one block. Bits beyond the block are neither kept nor found.
#[derive(Debug, Clone, Copy, Default)]
struct Bits([u64; WORDS]);

impl Bits {
    fn add(&mut self, bit: usize) {
        if let Some(word) = self.0.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    fn contains(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }

    fn add_all(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }
}
