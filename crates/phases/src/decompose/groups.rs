//! Which tasks can run side by side, and an order in which dependencies come first.

use std::collections::BTreeSet;

use candor_model::{IdMap, SubTask, TaskId};

/// Among how many groups of a level a place is looked for; it bounds the work where everybody wants one file.
const MAX_TRIES: usize = 64;

/// Groups of tasks, by their places, that do not wait for each other and share no file. A task that is alone
/// is in no group; so are tasks in a circle.
///
/// Tasks are compared with those that have equally many steps before them: among these there is no way from
/// one to the other, and a plan of thousands is grouped in one walk.
#[must_use]
pub fn parallel(tasks: &[SubTask]) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    for level in levels(tasks) {
        let mut shelves: Vec<(Vec<usize>, BTreeSet<&str>)> = Vec::new();
        for at in level {
            let files = tasks.get(at).map_or(&[][..], |task| task.metadata.files.as_slice());
            let fits = |taken: &BTreeSet<&str>| files.iter().all(|file| !taken.contains(file.as_str()));
            let shelf = match shelves.iter().take(MAX_TRIES).position(|(_, taken)| fits(taken)) {
                Some(place) => shelves.get_mut(place),
                None => {
                    shelves.push((Vec::new(), BTreeSet::new()));
                    shelves.last_mut()
                }
            };
            if let Some((members, taken)) = shelf {
                members.push(at);
                taken.extend(files.iter().map(String::as_str));
            }
        }
        groups.extend(shelves.into_iter().map(|(members, _)| members).filter(|members| members.len() > 1));
    }
    groups
}

/// Writes the group of each task into it; those that are in none have none.
pub fn mark(tasks: &mut [SubTask]) {
    let groups = parallel(tasks);
    for task in tasks.iter_mut() {
        task.metadata.parallel_group = None;
    }
    for (number, group) in (1..).zip(groups) {
        for at in group {
            if let Some(task) = tasks.get_mut(at) {
                task.metadata.parallel_group = Some(number);
            }
        }
    }
}

/// How many tasks can run side by side at most, as far as groups tell; 1 for a plan that is one line.
#[must_use]
pub fn widest(tasks: &[SubTask]) -> usize {
    parallel(tasks).iter().map(Vec::len).max().unwrap_or(1)
}

/// Whether every task needs the one before it, so that nothing could ever run side by side, whatever the files.
#[must_use]
pub fn is_one_line(tasks: &[SubTask]) -> bool {
    levels(tasks).iter().all(|level| level.len() < 2)
}

/// The places of all tasks, each after what it needs, otherwise as they are listed. Tasks in a circle come last.
#[must_use]
pub fn order(tasks: &[SubTask]) -> Vec<usize> {
    let mut links = Links::of(tasks);
    let mut ready: BTreeSet<usize> = links.free().into_iter().collect();
    let mut order = Vec::with_capacity(tasks.len());
    while let Some(at) = ready.pop_first() {
        order.push(at);
        ready.extend(links.done(at));
    }
    if order.len() < tasks.len() {
        let done: BTreeSet<usize> = order.iter().copied().collect();
        order.extend((0..tasks.len()).filter(|at| !done.contains(at)));
    }
    order
}

/// The tasks by how many steps must come before them.
fn levels(tasks: &[SubTask]) -> Vec<Vec<usize>> {
    let mut links = Links::of(tasks);
    let mut level = links.free();
    let mut levels = Vec::new();
    while !level.is_empty() {
        let mut next: Vec<usize> = level.iter().flat_map(|at| links.done(*at)).collect();
        next.sort_unstable();
        levels.push(std::mem::replace(&mut level, next));
    }
    levels
}

/// Who waits for whom, and for how many still, by place.
pub(crate) struct Links {
    missing: Vec<usize>,
    dependents: Vec<Vec<usize>>,
}

impl Links {
    /// Reads the dependencies; what a task needs of itself or of nobody does not count.
    pub(crate) fn of(tasks: &[SubTask]) -> Self {
        let places: IdMap<&TaskId, usize> = (0..).zip(tasks).map(|(at, task)| (&task.task_id, at)).collect();
        let (mut missing, mut dependents) = (vec![0; tasks.len()], vec![Vec::new(); tasks.len()]);
        for (at, task) in tasks.iter().enumerate() {
            let needs: BTreeSet<usize> = task
                .dependencies
                .iter()
                .filter_map(|id| places.get(&id))
                .copied()
                .filter(|need| *need != at)
                .collect();
            if let Some(missing) = missing.get_mut(at) {
                *missing = needs.len();
            }
            for need in needs {
                if let Some(waiting) = dependents.get_mut(need) {
                    waiting.push(at);
                }
            }
        }
        Self { missing, dependents }
    }

    /// Those that wait for nobody.
    pub(crate) fn free(&self) -> Vec<usize> {
        self.missing.iter().enumerate().filter(|(_, missing)| **missing == 0).map(|(at, _)| at).collect()
    }

    /// Takes a task as done; those that waited for nothing else are free now.
    pub(crate) fn done(&mut self, at: usize) -> Vec<usize> {
        let mut freed = Vec::new();
        for waiting in self.dependents.get(at).map_or(&[][..], Vec::as_slice) {
            if let Some(missing) = self.missing.get_mut(*waiting) {
                *missing = missing.saturating_sub(1);
                if *missing == 0 {
                    freed.push(*waiting);
                }
            }
        }
        freed
    }
}
