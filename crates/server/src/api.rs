//! What can be asked of Candor, whatever asks.

use std::fmt;

use candor_model::{
    AgentType, Answer, Confidence, GateId, JsonMap, Money, Position, ProgressUpdate, Question, RunId,
    RunStatus, TaskId, TaskStatus,
};
use candor_ports::{BoxFuture, RunEntry};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast;

/// Candor, as far as a service offers it.
pub trait Api: Send + Sync + 'static {
    /// Makes the plan for a goal, and keeps nothing.
    fn plan<'a>(&'a self, goal: &'a str) -> BoxFuture<'a, Result<PlanSight, ApiError>>;

    /// Begins a run and drives it. It returns once the goal is stored; from then on the run can be found.
    fn start<'a>(&'a self, goal: &'a str, unattended: Option<bool>)
    -> BoxFuture<'a, Result<RunId, ApiError>>;

    /// Finds a run by its name, by the beginning of its name, or as the `last` one.
    fn find<'a>(&'a self, named: &'a str) -> BoxFuture<'a, Result<RunId, ApiError>>;

    /// Looks at a run.
    fn look<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<RunView, ApiError>>;

    /// The runs that changed last, the latest first.
    fn latest(&self, most: u32) -> BoxFuture<'_, Result<Vec<RunEntry>, ApiError>>;

    /// Answers an open question; a run that nobody drives is taken up with it.
    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        gate: GateId,
        answer: Answer,
    ) -> BoxFuture<'a, Result<(), ApiError>>;

    /// Goes on with a run that is paused or that nobody drives.
    fn resume<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<(), ApiError>>;

    /// Stops everything that a run does and ends it.
    fn cancel<'a>(&'a self, run: &'a RunId, reason: &'a str) -> BoxFuture<'a, Result<(), ApiError>>;

    /// Returns when a run rests: it has ended, nobody drives it, or it waits for a person and does nothing else.
    /// With `after`, a run that waits counts only when something happened to it after that position.
    fn rest<'a>(&'a self, run: &'a RunId, after: Option<Position>) -> BoxFuture<'a, Result<(), ApiError>>;

    /// The progress of all runs that are driven here, from now on.
    fn progress(&self) -> broadcast::Receiver<ProgressOf>;
}

/// One step forward of one run.
pub type ProgressOf = (RunId, ProgressUpdate);

/// Why something that was asked for did not happen: what, where, and what to do, in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError(String);

impl ApiError {
    /// ApiError in these words.
    #[must_use]
    pub fn new(words: impl fmt::Display) -> Self {
        Self(words.to_string())
    }

    /// The same, with what can be done about it.
    #[must_use]
    pub fn hint(self, words: impl fmt::Display) -> Self {
        Self(format!("{}\n{words}", self.0))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A plan that was made and not kept.
#[derive(Debug, Clone)]
pub struct PlanSight {
    /// All of it: goal, plan, validation, alternatives, risks, estimates.
    pub data: Value,
    /// The same for people.
    pub text: String,
}

/// A run, looked at.
#[derive(Debug, Clone)]
pub struct RunView {
    /// Its name.
    pub run_id: RunId,
    /// Where its log ended when it was looked at.
    pub position: Position,
    /// The person's own words.
    pub request: String,
    /// Where it stands.
    pub status: RunStatus,
    /// Who drives it.
    pub driver: Driver,
    /// Ended tasks in percent.
    pub progress: f64,
    /// How sure Candor is.
    pub confidence: Option<Confidence>,
    /// What was spent.
    pub cost: Money,
    /// How it went, in a sentence, once it has ended.
    pub outcome: Option<String>,
    /// What it produced, in a few lines.
    pub results: String,
    /// The tasks of its plan.
    pub tasks: Vec<TaskSight>,
    /// What waits for a person.
    pub questions: Vec<(GateId, Question)>,
    /// What failed, the earliest first.
    pub failures: Vec<FailureSight>,
    /// Why it ended early, or why it could not be driven on here.
    pub error: Option<String>,
    /// What could be done about it.
    pub suggestions: Vec<String>,
}

/// Who drives a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// This process.
    Here,
    /// Another process.
    Elsewhere,
    /// Nobody at the moment.
    Nobody,
}

/// A task, looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskSight {
    /// Its name.
    pub task_id: TaskId,
    /// What it is, in a few words.
    pub name: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Who does it.
    pub agent_type: AgentType,
    /// The tasks that must be done before.
    pub depends_on: Vec<TaskId>,
    /// How often it failed.
    pub failures: u32,
    /// What it produced; empty until it is done.
    pub outputs: JsonMap,
}

/// A failed attempt, looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FailureSight {
    /// The task.
    pub task_id: TaskId,
    /// Who tried.
    pub agent_type: Option<AgentType>,
    /// What went wrong.
    pub errors: Vec<String>,
    /// What was done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
}
