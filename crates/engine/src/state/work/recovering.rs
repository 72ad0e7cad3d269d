//! Tasks that failed and are being revised or were given up, and attempts that are to stop.

use candor_model::{PlanningError, StopReason, SubTask};
use candor_planning::graph::TaskIndex;

use super::{TaskState, Work};

impl Work {
    /// The tasks for which another approach is looked for, with the number of the revision and a person's note.
    pub(crate) fn revising(&self) -> impl Iterator<Item = (&SubTask, u32, Option<&str>)> {
        let tasks = self.queues.revising.iter().filter_map(|&n| self.task(TaskIndex(n)));
        tasks.filter_map(|(task, run)| match &run.state {
            TaskState::Revising { number, note } => Some((task, *number, note.as_deref())),
            _ => None,
        })
    }

    /// Why nothing more is tried for the first of the tasks that were given up.
    pub(crate) fn given_up(&self) -> Option<(&SubTask, &PlanningError)> {
        self.tasks().find_map(|(task, run)| match &run.state {
            TaskState::GivenUp(error) => Some((task, error.as_ref())),
            _ => None,
        })
    }

    /// Tells the attempt at a task to stop.
    pub(crate) fn halt(&mut self, index: TaskIndex, reason: StopReason) {
        if let Some(TaskState::InFlight(attempt)) = self.run_mut(index).map(|run| &mut run.state) {
            attempt.halt.get_or_insert(reason);
        }
    }

    /// Tells all attempts to stop.
    pub(crate) fn halt_all(&mut self) {
        for run in &mut self.tasks {
            if let TaskState::InFlight(attempt) = &mut run.state {
                attempt.halt.get_or_insert(StopReason::RunStopping);
            }
        }
    }
}
