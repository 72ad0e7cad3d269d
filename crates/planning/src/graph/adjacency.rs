//! Lists of neighbours, one after the other in a single vector.

use super::TaskIndex;

/// The neighbours of every task. Two vectors instead of one per task: a walk over the graph then reads
/// memory in order, which is most of what makes it fast.
#[derive(Debug, Clone, Default)]
pub(super) struct Adjacency {
    /// Where the row of each task ends; it starts where the one before ends.
    ends: Vec<usize>,
    targets: Vec<TaskIndex>,
}

impl Adjacency {
    pub(super) fn with_capacity(tasks: usize) -> Self {
        Self { ends: Vec::with_capacity(tasks), targets: Vec::with_capacity(tasks) }
    }

    /// Adds a neighbour to the row that is being written.
    pub(super) fn push(&mut self, target: TaskIndex) {
        self.targets.push(target);
    }

    /// Ends the row that is being written.
    pub(super) fn end_row(&mut self) {
        self.ends.push(self.targets.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn row(&self, task: TaskIndex) -> &[TaskIndex] {
        let position = task.as_usize();
        let start = position.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        match (start, self.ends.get(position)) {
            (Some(start), Some(&end)) => self.targets.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    pub(super) fn tasks(&self) -> impl Iterator<Item = TaskIndex> + use<> {
        (0..self.len()).map(TaskIndex::at)
    }

    /// The same edges, seen from the other end; each row is in plan order.
    pub(super) fn reversed(&self) -> Self {
        // Counting sort: first the length of each row, then its end, then every edge to its place.
        let mut next = vec![0usize; self.len()];
        for target in &self.targets {
            if let Some(count) = next.get_mut(target.as_usize()) {
                *count += 1;
            }
        }
        let mut sum = 0;
        let mut ends = Vec::with_capacity(self.len());
        for slot in &mut next {
            let count = std::mem::replace(slot, sum);
            sum += count;
            ends.push(sum);
        }
        let mut targets = vec![TaskIndex(0); self.targets.len()];
        for task in self.tasks() {
            for target in self.row(task) {
                let Some(slot) = next.get_mut(target.as_usize()) else {
                    continue;
                };
                if let Some(place) = targets.get_mut(*slot) {
                    *place = task;
                }
                *slot += 1;
            }
        }
        Self { ends, targets }
    }

    /// A copy in which `task` no longer has `target`.
    pub(super) fn without(&self, task: TaskIndex, target: TaskIndex) -> Self {
        let mut copy =
            Self { ends: Vec::with_capacity(self.len()), targets: Vec::with_capacity(self.targets.len()) };
        for row in self.tasks() {
            copy.targets.extend(self.row(row).iter().filter(|&&other| (row, other) != (task, target)));
            copy.end_row();
        }
        copy
    }
}
