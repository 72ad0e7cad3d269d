//! A task of a plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{
    AgentType, DurationBasis, FailureKind, JsonMap, MeasuredCost, MeasuredTokens, Priority, RankedAgent,
    Seconds, TaskId, Text, Tier, Transience,
};

text_enum!(
    /// Where a task stands.
    #[derive(Default)]
    TaskStatus {
        /// Waiting for others or for its turn.
        #[default]
        Pending = "pending",
        /// Given to an agent that has not answered yet.
        InProgress = "in_progress",
        /// An attempt succeeded.
        Completed = "completed",
        /// Failed for good; a single failed attempt is no reason.
        Failed = "failed",
        /// Left out by a person's decision.
        Skipped = "skipped",
    }
);

impl TaskStatus {
    /// Whether the task will not run again unless the plan changes.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Skipped)
    }
}

/// How a failed attempt is repeated with the same agent and the same inputs.
///
/// It is for failures that may pass by themselves; a permanent failure is never repeated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetryPolicy {
    /// The number of repetitions after the first attempt.
    pub max_retries: u32,
    /// The wait before the first repetition; each further one waits four times as long as the one before.
    pub backoff_seconds: Seconds,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_retries: 2, backoff_seconds: Seconds::whole(1) }
    }
}

/// One step of a plan, small enough for one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubTask {
    /// Unique within the plan.
    pub task_id: TaskId,
    /// What is to be done.
    pub description: Text,
    /// Who does it; `TBD` until it is routed.
    pub agent_type: AgentType,
    /// The tasks whose results it needs.
    #[serde(default)]
    pub dependencies: Vec<TaskId>,
    /// Parameters, such as `max_price`.
    #[serde(default)]
    pub inputs: JsonMap,
    /// The names of what it produces.
    pub expected_outputs: Vec<String>,
    /// Ready tasks of higher priority go first.
    #[serde(default)]
    pub priority: Priority,
    /// How long it will probably take.
    #[serde(default = "default_estimate")]
    pub estimated_duration_seconds: Seconds,
    /// Status after the last event.
    #[serde(default)]
    pub status: TaskStatus,
    /// How it is repeated after a failure; as its agent or the run says if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "TaskMetadata::is_empty")]
    pub metadata: TaskMetadata,
}

fn default_estimate() -> Seconds {
    Seconds::whole(30)
}

impl SubTask {
    /// A task that only has a name, a description and its outputs; the rest has the documented defaults.
    #[must_use]
    pub fn new(task_id: TaskId, description: Text, expected_outputs: Vec<String>) -> Self {
        Self {
            task_id,
            description,
            agent_type: AgentType::tbd(),
            dependencies: Vec::new(),
            inputs: JsonMap::new(),
            expected_outputs,
            priority: Priority::default(),
            estimated_duration_seconds: default_estimate(),
            status: TaskStatus::Pending,
            retry_policy: None,
            metadata: TaskMetadata::default(),
        }
    }

    /// The task from which this one was born by retries and workarounds; itself if it is an original.
    #[must_use]
    pub fn origin(&self) -> &TaskId {
        self.metadata.original_task_id.as_ref().unwrap_or(&self.task_id)
    }
}

/// One failed attempt: who made it, with which inputs, and how it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// Who made the attempt.
    pub agent_type: AgentType,
    /// Names what was asked for: the same description with the same inputs has the same name.
    pub call: String,
    /// Kind of the last failure.
    pub kind: FailureKind,
    /// Whether the same may succeed later.
    pub transience: Transience,
    /// Why, on one line.
    pub cause: String,
}

/// What is known of a task beside its definition. Keys of others are kept as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskMetadata {
    /// A short name for people, such as `Flight search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The task this one was born from, when it replaces another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_task_id: Option<TaskId>,
    /// How many attempts at this task and those it replaces have failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failure_count: u32,
    /// One entry per failed attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors_history: Vec<String>,
    /// Agents that failed at this task or those it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_agents: Vec<AgentType>,
    /// The failed attempts at this task and those it replaces, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
    /// The agents that could do it, best first, so that a backup needs no new search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<RankedAgent>,
    /// Its place in the breakdown, such as `T2.1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The tools it may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// When it may be done and when it stops, in the words of the request. Its agent gets them with the order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// How to tell that it succeeded; a text that the validation understands, or that a person reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<String>,
    /// What a model will probably take for it, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_tokens: Option<u32>,
    /// The tier that suits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// Tasks with the same number can run side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_group: Option<u32>,
    /// What its estimated duration rests on; absent if on nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_basis: Option<DurationBasis>,
    /// What such tasks cost before; absent if nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_cost: Option<MeasuredCost>,
    /// The models' tokens that such tasks took before; absent if nobody measured them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_tokens: Option<MeasuredTokens>,
    /// Keys that Candor does not know, kept as they were.
    #[serde(flatten)]
    pub other: JsonMap,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl TaskMetadata {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_with_only_the_required_fields_has_the_defaults() {
        // spec: planning EN-04 EN-05
        let text = r#"{"task_id":"task_001","description":"d","agent_type":"TBD","expected_outputs":["o"]}"#;
        let task: SubTask = crate::from_json(text).unwrap();
        assert_eq!(task, SubTask::new(task.task_id.clone(), task.description.clone(), vec!["o".into()]));
        let json = serde_json::to_value(&task).unwrap();
        assert_eq!(json["status"], "pending");
        assert_eq!(json["priority"], 5);
        assert_eq!(json["estimated_duration_seconds"], 30.0);
    }

    #[test]
    fn statuses_are_read_in_any_case() {
        assert_eq!("FAILED".parse::<TaskStatus>().unwrap(), TaskStatus::Failed);
        assert!("perhaps".parse::<TaskStatus>().unwrap_err().problem.contains("pending"));
    }

    #[test]
    fn metadata_keeps_keys_it_does_not_know() {
        let text = r#"{"task_id":"t","description":"d","agent_type":"a","expected_outputs":[],
            "metadata":{"failure_count":2,"colour":"red"},"retry_policy":{"max_retries":1,"backoff_seconds":5}}"#;
        let task: SubTask = crate::from_json(text).unwrap();
        // spec: planning EN-06
        assert_eq!(task.retry_policy.unwrap().max_retries, 1);
        assert_eq!(task.metadata.failure_count, 2);
        let json = serde_json::to_value(&task).unwrap();
        assert_eq!(json["metadata"]["colour"], "red");
    }
}
