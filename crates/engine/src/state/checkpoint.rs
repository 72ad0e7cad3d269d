//! Points that a run can be rolled back to, and what a rollback does not turn back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{CheckpointId, Evaluation, Goal, Phase, PlanVersion, Position, TaskId};
use serde::{Deserialize, Serialize};

use super::work::Work;

/// A point that a run can be rolled back to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Names the point.
    pub id: CheckpointId,
    /// Where in the log it lies.
    pub position: Position,
    /// What had just happened, for people.
    pub label: String,
    /// The phase that had just been completed; absent at the start and at revisions.
    #[serde(default)]
    pub phase: Option<Phase>,
    pub(crate) request: String,
    pub(crate) completed: BTreeSet<Phase>,
    pub(crate) evaluation: Option<Arc<Evaluation>>,
    pub(crate) resume: Resume,
    pub(crate) goal: Option<Arc<Goal>>,
    pub(crate) work: Option<Arc<Work>>,
}

impl Checkpoint {
    /// The words that hold from there on.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.request
    }
}

/// Counters that a rollback does not turn back, so that keys and gates are never used twice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counters {
    /// The latest version of the plan.
    pub(crate) version: PlanVersion,
    /// The questions that were put to people.
    pub(crate) questions: u32,
    /// The checkpoints that were made.
    pub(crate) checkpoints: u32,
    /// How often each phase was begun.
    pub(crate) phases: BTreeMap<Phase, u32>,
    /// How often tasks were tried that are no longer, or no longer in that shape, part of the plan at work.
    pub(crate) attempts: BTreeMap<TaskId, u32>,
}

impl Counters {
    /// How often a task was tried before the plan was changed or the run rolled back.
    pub(crate) fn attempts_at(&self, task_id: &TaskId) -> u32 {
        self.attempts.get(task_id).copied().unwrap_or(0)
    }
}

/// How a run goes on from a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Resume {
    /// With the work of these phases.
    Phases(BTreeSet<Phase>),
    /// With the plan as it was.
    Plan,
}
