//! Who waits for whom, by position in the plan.
//!
//! Ids are looked up once, when the graph is built; after that everything is a walk over compact lists.
//! The graph only holds sound edges: what dangles, repeats or points at itself is left out, and it is the
//! validators' business to report it. Nothing here is recursive, so a chain of any length is fine.

mod adjacency;
mod order;

use std::collections::BTreeSet;

use candor_model::{IdMap, SubTask, TaskId};

use self::adjacency::Adjacency;
pub(crate) use self::order::Order;

/// A task's position in `plan.subtasks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskIndex(pub u32);

impl TaskIndex {
    /// The position as an index into a list.
    #[must_use]
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The index of a position. A plan of four billion tasks would not fit into memory; the bound only
    /// makes the conversion total.
    pub(crate) fn at(position: usize) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX))
    }
}

/// The dependencies between the tasks of a plan, in both directions.
#[derive(Debug, Clone, Default)]
pub struct TaskGraph {
    index: IdMap<TaskId, TaskIndex>,
    dependencies: Adjacency,
    dependents: Adjacency,
}

/// An edge or an id that the graph leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Defect<'a> {
    /// The task has the id of an earlier one.
    DuplicateId(TaskIndex, &'a TaskId),
    /// The task depends on itself.
    SelfDependency(&'a TaskId),
    /// The task depends on one that is not in the plan.
    Dangling(&'a TaskId, &'a TaskId),
}

impl TaskGraph {
    /// Builds the graph of a plan's tasks; of two tasks with one id, the first is the one depended on.
    #[must_use]
    pub fn new(tasks: &[SubTask]) -> Self {
        Self::build(tasks, |_| ())
    }

    /// Builds the graph and reports everything that it leaves out, except repeated dependencies: those
    /// say the same thing twice, which harms nobody.
    pub(crate) fn build<'a>(tasks: &'a [SubTask], mut report: impl FnMut(Defect<'a>)) -> Self {
        let index = index(tasks, &mut report);
        let mut dependencies = Adjacency::with_capacity(tasks.len());
        let mut last_seen_by = vec![None; tasks.len()];
        for (position, task) in tasks.iter().enumerate() {
            for dependency in &task.dependencies {
                match index.get(dependency) {
                    _ if *dependency == task.task_id => report(Defect::SelfDependency(&task.task_id)),
                    None => report(Defect::Dangling(&task.task_id, dependency)),
                    Some(&target) => {
                        let seen = last_seen_by.get_mut(target.as_usize());
                        if seen.is_some_and(|seen| seen.replace(position) != Some(position)) {
                            dependencies.push(target);
                        }
                    }
                }
            }
            dependencies.end_row();
        }
        let dependents = dependencies.reversed();
        Self { index, dependencies, dependents }
    }

    /// The number of tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.dependencies.len()
    }

    /// Whether there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of the task with this id.
    #[must_use]
    pub fn index_of(&self, id: &TaskId) -> Option<TaskIndex> {
        self.index.get(id).copied()
    }

    /// What a task depends on, in the task's own order; nothing for an index out of range.
    #[must_use]
    pub fn dependencies(&self, task: TaskIndex) -> &[TaskIndex] {
        self.dependencies.row(task)
    }

    /// What depends on a task, in plan order; nothing for an index out of range.
    #[must_use]
    pub fn dependents(&self, task: TaskIndex) -> &[TaskIndex] {
        self.dependents.row(task)
    }

    /// The seeds and everything that depends on them, directly or through others, in plan order.
    #[must_use]
    pub fn affected_by(&self, seeds: &[TaskIndex]) -> Vec<TaskIndex> {
        // An ordered set costs what is affected, not what is there: most failures touch few tasks.
        let mut affected: BTreeSet<_> =
            seeds.iter().copied().filter(|seed| seed.as_usize() < self.len()).collect();
        let mut open: Vec<_> = affected.iter().copied().collect();
        while let Some(task) = open.pop() {
            open.extend(self.dependents(task).iter().filter(|&&dependent| affected.insert(dependent)));
        }
        affected.into_iter().collect()
    }

    /// An order in which every task comes after its dependencies, and the knots that have none.
    pub(crate) fn order(&self) -> Order {
        Order::of(&self.dependencies)
    }

    /// Whether there is no cycle once `task` no longer depends on `dependency`.
    pub(crate) fn is_acyclic_without(&self, task: TaskIndex, dependency: TaskIndex) -> bool {
        Order::of(&self.dependencies.without(task, dependency)).knots.is_empty()
    }
}

fn index<'a>(tasks: &'a [SubTask], report: &mut impl FnMut(Defect<'a>)) -> IdMap<TaskId, TaskIndex> {
    let mut index = IdMap::with_capacity(tasks.len());
    for (position, task) in tasks.iter().enumerate() {
        let position = TaskIndex::at(position);
        if let Some(first) = index.insert(task.task_id.clone(), position) {
            index.insert(task.task_id.clone(), first);
            report(Defect::DuplicateId(position, &task.task_id));
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use candor_model::Text;

    use super::*;

    fn tasks(dependencies: &[&[usize]]) -> Vec<SubTask> {
        let task = |(n, dependencies): (usize, &&[usize])| {
            let mut task = SubTask::new(TaskId::numbered(n), Text::or("", "work"), Vec::new());
            task.dependencies = dependencies.iter().map(|&n| TaskId::numbered(n)).collect();
            task
        };
        dependencies.iter().enumerate().map(task).collect()
    }

    fn indices(positions: &[u32]) -> Vec<TaskIndex> {
        positions.iter().copied().map(TaskIndex).collect()
    }

    #[test]
    fn edges_lead_both_ways() {
        let graph = TaskGraph::new(&tasks(&[&[], &[0], &[0], &[2, 1]]));
        assert_eq!(graph.len(), 4);
        assert_eq!(graph.dependencies(TaskIndex(3)), indices(&[2, 1]));
        assert_eq!(graph.dependents(TaskIndex(0)), indices(&[1, 2]));
        assert_eq!(graph.index_of(&TaskId::numbered(2)), Some(TaskIndex(2)));
        assert!(TaskGraph::default().is_empty());
    }

    #[test]
    fn what_is_not_sound_is_left_out() {
        let mut tasks = tasks(&[&[0, 7], &[0, 0], &[1]]);
        tasks[2].task_id = TaskId::numbered(1);
        let graph = TaskGraph::new(&tasks);
        assert!(graph.dependencies(TaskIndex(0)).is_empty());
        assert_eq!(graph.dependencies(TaskIndex(1)), indices(&[0]));
        assert_eq!(graph.index_of(&TaskId::numbered(1)), Some(TaskIndex(1)));
        assert!(
            graph.dependencies(TaskIndex(2)).is_empty(),
            "a namesake's dependency on the name is on itself"
        );
    }

    #[test]
    fn an_index_out_of_range_has_no_neighbours() {
        let graph = TaskGraph::new(&tasks(&[&[]]));
        for task in [TaskIndex(1), TaskIndex(u32::MAX)] {
            assert!(graph.dependencies(task).is_empty() && graph.dependents(task).is_empty());
            assert!(graph.affected_by(&[task]).is_empty());
        }
    }

    #[test]
    fn affected_tasks_are_found_through_others_and_through_cycles() {
        let graph = TaskGraph::new(&tasks(&[&[], &[0, 3], &[], &[1], &[2]]));
        assert_eq!(graph.affected_by(&indices(&[0])), indices(&[0, 1, 3]));
        assert_eq!(graph.affected_by(&indices(&[2, 3])), indices(&[1, 2, 3, 4]));
        assert!(graph.affected_by(&[]).is_empty());
    }
}
