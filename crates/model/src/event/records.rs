//! Events that have a record of their own.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::*;

/// How a run went, for whoever comes after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRecord {
    /// Measures from which confidence is calibrated.
    pub outcome: Box<PlanOutcome>,
    /// Report for people, kept with the run.
    pub report: Box<ExecutionReport>,
    /// How the agents did; absent if nothing is to be learned from this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<BTreeMap<AgentType, AgentMeasure>>,
    /// Who succeeded at what, for the router to learn from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RoutedExample>,
    /// How the run was judged; absent in logs that were written before runs were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Box<Assessment>>,
    /// What the run took; absent in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Box<RunFigures>>,
}

/// A repetition of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduledRetry {
    /// Task that is tried again.
    pub task_id: TaskId,
    /// When it may start.
    pub at: Timestamp,
    /// Another agent to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<AgentType>,
    /// Inputs that replace those of the same name.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub inputs: JsonMap,
    /// Whether the failures so far are forgiven, because a person took the matter in hand.
    #[serde(default)]
    pub by_person: bool,
}

/// How far another approach to a task is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RevisionStep {
    /// A person wants another approach to a task that an agent is at work on.
    Requested {
        /// Task that needs another approach.
        task_id: TaskId,
        /// What they said about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// A model is asked for another approach to a task that failed for good.
    Asked {
        /// Task for which a model was asked.
        task_id: TaskId,
        /// Which revision of the run it is, from 1.
        number: u32,
        /// What a person said about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// A model has proposed another approach, or could not.
    Answered {
        /// Task that the answer is about.
        task_id: TaskId,
        /// Which revision of the run it is.
        number: u32,
        /// Why nothing came of it; absent if the plan was revised by it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
}
