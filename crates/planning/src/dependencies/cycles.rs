//! Cycles, written out task by task.

use std::collections::{BTreeMap, VecDeque};

use crate::graph::{TaskGraph, TaskIndex};

/// One cycle for each knot of the graph, the first task repeated at the end.
pub(super) fn cycles(graph: &TaskGraph) -> Vec<Vec<TaskIndex>> {
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
