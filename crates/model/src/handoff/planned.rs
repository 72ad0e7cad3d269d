//! What phases 3 and 4 put out: the tasks and the plan.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PhaseOutput;
use crate::text_enum::text_enum;
use crate::{
    ExecutionStrategy, JsonMap, MeasuredTime, Money, Phase, PlanBrief, Seconds, SubTask, TaskId, Tier,
};

/// The tasks. `T` is how much of a task is read ([`HandedTask`] is enough for many), `L` the list of high-level tasks
/// ([`ListedTasks`] for those who only need their names).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DecompositionOutput<T = SubTask, L = JsonMap> {
    /// Where the tasks come from, for people.
    #[serde(default)]
    pub source: String,
    /// What was guessed; absent if the plan was supplied, as everything below but the count.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub guesses: Option<Vec<String>>,
    /// Tasks into which the request was split; absent if the plan was supplied.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub subtasks: Option<Vec<T>>,
    /// What is worth knowing and no obstacle.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
    /// What was wrong and was mended.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// How many there are, where the record below is left out.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub total_subtasks: Option<usize>,
    /// What there is to do, in a few large tasks.
    #[serde(flatten)]
    pub listing: Option<L>,
    /// The breakdown written out; of very many tasks it is left out.
    #[serde(flatten)]
    pub record: Option<BreakdownRecord>,
    /// The model that gave the tasks; absent if rules did.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where each clause of the request went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<CoveredClause>,
}

/// A clause of the request, and where it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredClause {
    /// Clause in the words of the request.
    pub clause: String,
    /// Part of the plan that covers it.
    #[serde(rename = "in")]
    pub place: ClausePlace,
    /// The tasks that have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// Why it was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where a clause of the request went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClausePlace {
    /// A task covers it.
    Task,
    /// Into the goal's constraints.
    Constraint,
    /// Into the conditions of tasks.
    Condition,
    /// Into the background of all tasks.
    Context,
    /// Nothing covers it; people are told.
    Dropped,
}

/// A default that asks nothing of its type.
const fn none<T>() -> Option<T> {
    None
}

impl<T, L> Default for DecompositionOutput<T, L> {
    fn default() -> Self {
        Self {
            source: String::new(),
            guesses: None,
            subtasks: None,
            notes: None,
            warnings: None,
            total_subtasks: None,
            listing: None,
            record: None,
            model: None,
            coverage: Vec::new(),
        }
    }
}

impl<T, L> PhaseOutput for DecompositionOutput<T, L> {
    const PHASE: Phase = Phase::Decomposition;
}

/// What of a task those read who do not carry it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedTask {
    /// Task that is handed on.
    pub task_id: TaskId,
    /// What it waits for.
    #[serde(default)]
    pub dependencies: Vec<TaskId>,
}

/// The high-level tasks by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListedTasks {
    /// Tasks in the order of the request.
    pub high_level_tasks: Vec<ListedTask>,
}

/// A high-level task by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListedTask {
    /// `T1`, `T2`, … in the order of the request.
    pub id: String,
    /// In a few words.
    pub name: String,
}

/// The breakdown written out for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakdownRecord {
    /// The subtasks under their high-level tasks.
    pub decomposition: Vec<TaskGroup>,
    /// In which order, and what it will probably take.
    pub execution_plan: ExecutionOutline,
    /// The tasks in short.
    pub tasks: Vec<TaskLine>,
    /// What models will probably need.
    pub estimated_total_tokens: u64,
    /// How the tasks can be carried out.
    pub suggested_execution: SuggestedExecution,
}

/// The subtasks of one high-level task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskGroup {
    /// The id of the high-level task.
    pub parent_task: String,
    /// Smaller tasks that make up the group.
    pub subtasks: Vec<SubtaskLine>,
}

/// A subtask as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskLine {
    /// Its place: `T1.1`, or the task's id.
    pub id: String,
    /// Task that the line is about.
    pub task_id: TaskId,
    /// What is to be done.
    pub action: String,
    /// The files it is about.
    pub files: Vec<String>,
    /// The tools it needs.
    pub tools: Vec<String>,
    /// How to tell that it is done.
    pub validation: Option<String>,
    /// What models will probably need.
    pub estimated_tokens: Option<u32>,
    /// The tier it needs.
    pub assigned_model: Option<Tier>,
    /// Whether it can run beside others.
    pub can_parallelize: bool,
    /// What it waits for, by place.
    pub blocked_by: Vec<String>,
}

/// In which order tasks run, and what they will probably take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionOutline {
    /// All of them in an order that fits.
    pub sequential: Vec<String>,
    /// Those that can run side by side.
    pub parallel: Vec<Vec<String>>,
    /// How many there are.
    pub total_subtasks: usize,
    /// How long it takes if everything runs as soon as it can; absent if that would rest on nothing.
    #[serde(default)]
    pub estimated_duration: Option<Seconds>,
    /// What models will probably need.
    pub estimated_tokens: u64,
    /// What it costs with average agents; absent if none of them has a price.
    #[serde(default)]
    pub estimated_cost: Option<Money>,
}

/// A task in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskLine {
    /// Task that the line is about.
    pub id: TaskId,
    /// In a few words.
    pub name: String,
    /// How urgent it is.
    pub priority: PriorityLevel,
    /// What it waits for.
    pub deps: Vec<TaskId>,
}

text_enum!(
    /// A priority in three steps.
    PriorityLevel {
        /// Priorities up to 3.
        Low = "low",
        /// From 4 to 7.
        Medium = "medium",
        /// Priorities from 8 on.
        High = "high",
    }
);

text_enum!(
    /// How tasks can be carried out, by their dependencies.
    SuggestedExecution {
        /// One after the other.
        Sequential = "sequential",
        /// All side by side.
        Parallel = "parallel",
        /// Some side by side.
        Mixed = "sequential_with_parallel_groups",
    }
);

text_enum!(
    /// What agents were chosen by.
    RoutingMethod {
        /// Similar meaning and shared words together.
        Hybrid = "hybrid",
        /// Shared words only, without an embedding model.
        Lexical = "lexical",
    }
);

/// The plan in words and figures. `S` is the proposal of the scaling rules, `E` an early exit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanningOutput<S = Value, E = Value> {
    /// What agents were chosen by.
    pub routing: RoutingMethod,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// What it will probably take.
    pub estimates: PlanTotals,
    /// Other ways to do it.
    pub alternatives: Vec<Alternative>,
    /// What may go wrong.
    pub risks: Vec<String>,
    /// How a model would carry it out; absent if none was asked.
    pub strategy: Option<ExecutionStrategy>,
    /// What was asked for and is in no task.
    pub gaps: Vec<String>,
    /// How many agents the rules propose.
    pub scaling: S,
    /// Where the run does with less.
    pub early_exits: Vec<E>,
    /// The plan as it is shown to the person who decides on it.
    pub brief: PlanBrief,
    /// The model that judged the plan; absent if rules did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl<S, E> PhaseOutput for PlanningOutput<S, E> {
    const PHASE: Phase = Phase::Planning;
}

/// What a plan takes as far as it is known; what is absent would rest on nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlanTotals {
    /// What it costs by the agents' prices.
    pub cost: Option<Money>,
    /// The sum over the tasks.
    pub sum_seconds: Option<Seconds>,
    /// How long it takes if everything runs as soon as it can.
    pub critical_path_seconds: Option<Seconds>,
    /// The same as a range, if all tasks were measured before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredTime>,
}

/// Another way to do it, with what it would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Name of one or two words for a menu.
    pub name: String,
    /// What would be done otherwise.
    pub description: String,
    /// What it would cost; absent if no agent has a price.
    pub estimated_cost: Option<Money>,
    /// How long it would take; absent if that would rest on nothing.
    pub estimated_seconds: Option<f64>,
    /// What one gains and loses.
    pub trade_off: String,
}

/// The answer to what a person asked about the plan, which stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReply {
    /// Answer for the person who asked.
    pub reply: String,
    /// The model that gave it; absent if rules did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl PhaseOutput for PlanReply {
    const PHASE: Phase = Phase::Planning;
}
