//! Dependencies that others already imply.

use candor_model::{SubTask, TaskId};

use crate::graph::{TaskGraph, TaskIndex};

/// How many tasks are looked for in one pass: one bit each, in as many words as fit a cache line.
const TARGETS_PER_PASS: usize = WORDS * 64;
const WORDS: usize = 8;

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
