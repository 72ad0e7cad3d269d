//! Where one task of the plan stands.

use std::sync::Arc;

use candor_model::{
    AgentType, ExecutionFeedback, Failure, GateId, Money, PlanningError, StopReason, SubTask, TaskStatus,
    Timestamp, Tried,
};
use candor_planning::loop_guard;
use serde::{Deserialize, Serialize};

/// A task's state; each variant owns what is only known in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum TaskState {
    /// Not started: its dependencies, its agent or its turn are still to come.
    Waiting,
    /// An agent is at work.
    InFlight(Box<Attempt>),
    /// It failed and will be repeated at this time.
    Backoff(Timestamp),
    /// It is done.
    Succeeded(Arc<ExecutionFeedback>),
    /// It failed, and what is done about it follows in the same append.
    Failed,
    /// It failed, and a model is asked for another approach.
    Revising {
        /// Which revision of the run it is.
        number: u32,
        /// What a person said about it.
        note: Option<String>,
    },
    /// It failed so often that a person is asked.
    Escalated(GateId),
    /// It failed and nothing more is tried; the run ends for this reason once nothing else can go on.
    GivenUp(Box<PlanningError>),
    /// A person decided to go on without it.
    Skipped,
}

/// One attempt that has not ended yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) number: u32,
    pub(crate) agent_type: AgentType,
    pub(crate) started_at: Timestamp,
    pub(crate) deadline: Timestamp,
    pub(crate) reserved: Money,
    /// Set when the attempt is to be stopped.
    pub(crate) halt: Option<StopReason>,
    /// What it has been charged for while it works.
    #[serde(default)]
    pub(crate) charged: Money,
    /// The question that it waits for.
    #[serde(default, rename = "rests")]
    pub(crate) waits_for: Option<GateId>,
}

impl Attempt {
    /// Whether its time runs: it is neither being stopped nor waiting for a person.
    pub(crate) const fn is_at_work(&self) -> bool {
        self.halt.is_none() && self.waits_for.is_none()
    }

    /// What of its cost is still to be charged.
    pub(crate) const fn unpaid(&self, cost: Money) -> Money {
        cost.saturating_sub(self.charged)
    }
}

/// What has gone wrong with a task and those it replaces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FailureHistory {
    pub(crate) count: u32,
    pub(crate) errors: Vec<String>,
    pub(crate) agents: Vec<AgentType>,
    /// The failed attempts since a person last took the matter in hand.
    #[serde(default)]
    pub(crate) tried: Vec<Tried>,
    /// Repetitions by the task's own retry policy, which starts anew with each replacement.
    pub(crate) policy_retries: u32,
}

impl FailureHistory {
    /// This history with one more failure of `agent` at `task`.
    pub(crate) fn with(&self, task: &SubTask, agent: &AgentType, feedback: &ExecutionFeedback) -> Self {
        let mut next = self.clone();
        next.count = next.count.saturating_add(1);
        next.errors.push(feedback.errors.join("; "));
        if !next.agents.contains(agent) {
            next.agents.push(agent.clone());
        }
        next.tried.extend(feedback.failure.as_ref().map(|failure| tried(task, agent, failure)));
        next
    }

    /// What is left of this history once a person has said what to do: who has failed.
    pub(crate) fn forgiven(self) -> Self {
        Self { agents: self.agents, ..Self::default() }
    }
}

fn tried(task: &SubTask, agent: &AgentType, failure: &Failure) -> Tried {
    Tried {
        agent_type: agent.clone(),
        call: loop_guard::fingerprint(agent, task.description.as_str(), &task.inputs),
        kind: failure.kind,
        transience: failure.transience,
        cause: failure.message.clone(),
    }
}

/// A task's state and its past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TaskRun {
    pub(crate) state: TaskState,
    /// Dependencies that have not succeeded.
    pub(crate) waiting_on: u32,
    /// Attempts made so far, also before a rollback: the number in the next key is one more.
    pub(crate) attempts: u32,
    /// Absent for the many tasks that never fail.
    pub(crate) history: Option<Box<FailureHistory>>,
    /// Copied from the definition.
    #[serde(skip)]
    pub(crate) brief: Brief,
}

/// What scheduling needs of a task's definition, kept beside its state: definitions are large, and in a
/// plan of a hundred thousand tasks each look at one would be a miss of the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Brief {
    pub(crate) urgency: u8,
    pub(crate) unrouted: bool,
    pub(crate) estimate_millis: u64,
    /// Whether the estimate rests on nothing.
    pub(crate) guessed: bool,
}

impl Brief {
    pub(crate) fn of(task: &SubTask) -> Self {
        Self {
            urgency: 10u8.saturating_sub(task.priority.get()),
            unrouted: task.agent_type.is_tbd(),
            estimate_millis: task.estimated_duration_seconds.as_millis(),
            guessed: task.metadata.duration_basis.is_none(),
        }
    }
}

impl TaskRun {
    /// A task that has not run; what it inherits from the one it replaces is in its metadata.
    pub(crate) fn new(task: &SubTask, attempts: u32) -> Self {
        let meta = &task.metadata;
        let history = (meta.failure_count > 0 || !meta.failed_agents.is_empty()).then(|| {
            Box::new(FailureHistory {
                count: meta.failure_count,
                errors: meta.errors_history.clone(),
                agents: meta.failed_agents.clone(),
                tried: meta.tried.clone(),
                policy_retries: 0,
            })
        });
        Self { state: TaskState::Waiting, waiting_on: 0, attempts, history, brief: Brief::of(task) }
    }

    pub(crate) fn history(&self) -> FailureHistory {
        self.history.as_deref().cloned().unwrap_or_default()
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.state, TaskState::Succeeded(_))
    }

    pub(crate) fn in_flight(&self) -> Option<&Attempt> {
        match &self.state {
            TaskState::InFlight(attempt) => Some(attempt),
            _ => None,
        }
    }

    /// The status that people see in the plan.
    pub(crate) fn status(&self) -> TaskStatus {
        match self.state {
            TaskState::Waiting | TaskState::Backoff(_) => TaskStatus::Pending,
            TaskState::InFlight(_) => TaskStatus::InProgress,
            TaskState::Succeeded(_) => TaskStatus::Completed,
            TaskState::Failed
            | TaskState::Revising { .. }
            | TaskState::Escalated(_)
            | TaskState::GivenUp(_) => TaskStatus::Failed,
            TaskState::Skipped => TaskStatus::Skipped,
        }
    }
}
