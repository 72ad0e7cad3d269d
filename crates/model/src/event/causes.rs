//! Why things happen, in the words of events: accounts, causes, reasons, and what follows a stop.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{CheckpointId, Money, PlanningError};

text_enum!(
    /// What money was spent on.
    Account {
        /// Making and remaking the plan.
        Planning = "planning",
        /// Agents at work.
        Execution = "execution",
    }
);

text_enum!(
    /// What moved the plan's confidence.
    ConfidenceCause {
        /// What past outcomes teach.
        Calibrated = "calibrated",
        /// A revision.
        Revised = "revised",
        /// Every task succeeded without a revision.
        AllSucceeded = "all_succeeded",
        /// Failures that no revision has paid for.
        Failures = "failures",
        /// A return to an earlier point.
        RolledBack = "rolled_back",
    }
);

text_enum!(
    /// Why an attempt was stopped.
    StopReason {
        /// The run is being ended or rolled back.
        RunStopping = "run_stopping",
        /// A revision changed the task while it ran.
        Superseded = "superseded",
    }
);

/// What follows once every attempt has stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AfterStop {
    /// The run is cancelled.
    Cancel {
        /// Why.
        reason: String,
    },
    /// The run is aborted.
    Abort {
        /// Why.
        error: PlanningError,
        /// What can be done about it.
        suggestion: String,
    },
    /// The run goes back to an earlier point.
    RollBack {
        /// The point.
        to: CheckpointId,
        /// A new limit for what the run may cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run_budget: Option<Money>,
        /// Other words to go on with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
    },
}
