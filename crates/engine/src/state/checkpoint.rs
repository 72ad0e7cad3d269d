//! Points that a run can be rolled back to.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{CheckpointId, Evaluation, Goal, Phase, Position};
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

/// How a run goes on from a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Resume {
    /// With the work of these phases.
    Phases(BTreeSet<Phase>),
    /// With the plan as it was.
    Plan,
}
