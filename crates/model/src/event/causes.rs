//! Why things happen, in the words of events: accounts, payees, causes, reasons, and what follows a stop.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{AgentType, CheckpointId, Money, PlanningError, TaskId};

text_enum!(
    /// What money was spent on.
    Account {
        /// Making and remaking the plan.
        Planning = "planning",
        /// Calls and work of agents.
        Execution = "execution",
    }
);

/// What money was paid for; its text is what people read in [`EventBody::Charged`](super::EventBody::Charged).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Payee {
    /// An agent's attempt at a task.
    Attempt {
        /// Task that the attempt worked at.
        task_id: TaskId,
        /// The agent that was at work.
        agent_type: AgentType,
    },
    /// A call of a model, by a phase or by an agent at work.
    Call {
        /// What was asked, such as `route_task`.
        operation: String,
        /// Provider and model as one name.
        model: String,
    },
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for Payee {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attempt { task_id, agent_type } => write!(formatter, "task {task_id} by {agent_type}"),
            Self::Call { operation, model } => write!(formatter, "{operation} by {model}"),
            Self::Other(what) => formatter.write_str(what),
        }
    }
}

text_enum!(
    /// What a second choice took the place of.
    FallbackKind {
        /// A model: one of a lower tier answers.
        Model = "model",
        /// An agent: another one carries out the task.
        Agent = "agent",
        /// All agents: a model answers every task directly.
        Orchestrator = "orchestrator",
    }
);

text_enum!(
    /// How a proposed plan was changed before it was shown.
    RepairKind {
        /// A dependency that closed a cycle was removed.
        DependencyRemoved = "dependency_removed",
        /// A task was added for a category that no task covered.
        TaskAdded = "task_added",
        /// An earlier version of the plan was proposed again.
        VersionRestored = "version_restored",
    }
);

text_enum!(
    /// What moved the plan's confidence.
    ConfidenceCause {
        /// What past outcomes teach.
        Calibrated = "calibrated",
        /// The plan was revised.
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
        /// This machine had no resources left to begin with it: it is tried again later.
        NoResources = "no_resources",
        /// A person wants another approach to the task.
        Replan = "replan",
    }
);

/// How two results that contradict each other were brought together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictResolution {
    /// Sources that contradicted each other.
    pub between: Vec<String>,
    /// Value that holds from here on.
    pub resolution: String,
    /// Conflict in full, as it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<serde_json::Value>,
}

/// What follows once every attempt has stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AfterStop {
    /// The run is cancelled.
    Cancel {
        /// Reason that was given.
        reason: String,
    },
    /// The run is aborted.
    Abort {
        /// Cause with which the run will end.
        error: PlanningError,
        /// What can be done about it.
        suggestion: String,
    },
    /// The run goes back to an earlier point.
    RollBack {
        /// Checkpoint that will hold again.
        to: CheckpointId,
        /// A new limit for what the run may cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run_budget: Option<Money>,
        /// Other words to go on with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
    },
}
