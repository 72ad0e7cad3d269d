//! What a person brings to a run beside their words.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CheckpointId, Goal, Plan, Position, RunId};

/// A goal or a plan that was made elsewhere. It is on the log from the first event on, so that a run that
/// dies before it has planned still knows what it was given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartMaterial {
    /// The goal; then the words are not read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Arc<Goal>>,
    /// The plan; then the words are not split into tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<Plan>>,
}

/// Who began a run, in which project, and after which run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunOrigin {
    /// Who asked for it: a login name, or what `--user` says.
    pub user: String,
    /// The project; absent if there is no configuration that belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The run that this one continues in the eyes of its user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
}

/// Where a run comes from that did not begin at the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkedFrom {
    /// The other run; it stays as it is.
    pub run_id: RunId,
    /// The point at which they part.
    pub checkpoint: CheckpointId,
    /// How many of the other run's events they share.
    pub position: Position,
}
