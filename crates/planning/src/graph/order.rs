//! An order in which dependencies come first, and the knots of tasks that have none.
//!
//! Tarjan's algorithm with its own stack in place of recursion: linear in tasks and edges.

use super::TaskIndex;
use super::adjacency::Adjacency;

/// What one walk over the graph finds out.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// All tasks, each after its dependencies; within a knot, in no order that means anything.
    pub(crate) tasks: Vec<TaskIndex>,
    /// The largest groups of tasks that all wait for each other, each in plan order, by their first task.
    pub(crate) knots: Vec<Vec<TaskIndex>>,
}

impl Order {
    pub(super) fn of(dependencies: &Adjacency) -> Self {
        let mut search = Search::new(dependencies);
        for start in dependencies.tasks() {
            search.walk_from(start);
        }
        search.found.knots.sort_unstable();
        search.found
    }
}

/// How far the search has come with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Unseen,
    /// Seen as the `number`-th, and known to reach the task that was seen as the `low`-th.
    Open {
        number: usize,
        low: usize,
    },
    Closed,
}

struct Search<'g> {
    dependencies: &'g Adjacency,
    visits: Vec<Visit>,
    seen: usize,
    /// From the start to the task being looked at, each with the number of dependencies already followed.
    path: Vec<(TaskIndex, usize)>,
    /// Tasks that are seen and not yet known to be in a finished group.
    open: Vec<TaskIndex>,
    found: Order,
}

impl<'g> Search<'g> {
    fn new(dependencies: &'g Adjacency) -> Self {
        let tasks = Vec::with_capacity(dependencies.len());
        Self {
            dependencies,
            visits: vec![Visit::Unseen; dependencies.len()],
            seen: 0,
            path: Vec::new(),
            open: Vec::new(),
            found: Order { tasks, knots: Vec::new() },
        }
    }

    fn walk_from(&mut self, start: TaskIndex) {
        if self.visit(start) == Visit::Unseen {
            self.enter(start);
        }
        while let Some((task, followed)) = self.path.last_mut() {
            let task = *task;
            match self.dependencies.row(task).get(*followed) {
                Some(&dependency) => {
                    *followed += 1;
                    self.follow(task, dependency);
                }
                None => self.leave(task),
            }
        }
    }

    fn follow(&mut self, task: TaskIndex, dependency: TaskIndex) {
        match self.visit(dependency) {
            Visit::Unseen => self.enter(dependency),
            Visit::Open { number, .. } => self.reaches(task, number),
            Visit::Closed => {}
        }
    }

    fn enter(&mut self, task: TaskIndex) {
        self.set(task, Visit::Open { number: self.seen, low: self.seen });
        self.seen += 1;
        self.path.push((task, 0));
        self.open.push(task);
    }

    fn leave(&mut self, task: TaskIndex) {
        self.path.pop();
        let Visit::Open { number, low } = self.visit(task) else {
            return;
        };
        if number == low {
            self.close_group(task);
        } else if let Some(&(parent, _)) = self.path.last() {
            self.reaches(parent, low);
        }
    }

    /// Everything opened since `root` reaches it and is reached by it: a group of its own.
    fn close_group(&mut self, root: TaskIndex) {
        let start = self.open.iter().rposition(|&task| task == root).unwrap_or(0);
        let mut group = self.open.split_off(start);
        for &task in &group {
            self.set(task, Visit::Closed);
        }
        self.found.tasks.extend_from_slice(&group);
        if group.len() > 1 {
            group.sort_unstable();
            self.found.knots.push(group);
        }
    }

    fn visit(&self, task: TaskIndex) -> Visit {
        self.visits.get(task.as_usize()).copied().unwrap_or(Visit::Closed)
    }

    fn set(&mut self, task: TaskIndex, visit: Visit) {
        if let Some(slot) = self.visits.get_mut(task.as_usize()) {
            *slot = visit;
        }
    }

    fn reaches(&mut self, task: TaskIndex, number: usize) {
        if let Some(Visit::Open { low, .. }) = self.visits.get_mut(task.as_usize()) {
            *low = number.min(*low);
        }
    }
}
