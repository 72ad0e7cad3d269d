//! What the engine asks the world for. A driver performs effects; their outcomes come back as inputs.

use std::fmt;

use crate::{
    AgentType, AskId, GateId, ModelRequest, Phase, Query, Question, RunId, TaskId, Texts, Timestamp,
    WantedCheck,
};

/// Names one effect of one run, the same after every restart. For attempts it is the idempotency key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectKey(String);

impl EffectKey {
    /// The key of one attempt at one task: `run/task/attempt`.
    #[must_use]
    pub fn attempt(run: &RunId, task: &TaskId, attempt: u32) -> Self {
        Self(format!("{run}/{task}/{attempt}"))
    }

    /// The key of one look of the guardrails: `run/guard/attempt`.
    #[must_use]
    pub fn guard(run: &RunId, attempt: u32) -> Self {
        Self(format!("{run}/guard/{attempt}"))
    }

    /// The key of one try at one phase's work: `run/phase/name/attempt`.
    #[must_use]
    pub fn phase(run: &RunId, phase: Phase, attempt: u32) -> Self {
        Self(format!("{run}/phase/{phase}/{attempt}"))
    }

    /// The key of finding an agent for a task: `run/route/task`.
    #[must_use]
    pub fn route(run: &RunId, task: &TaskId) -> Self {
        Self(format!("{run}/route/{task}"))
    }

    /// The key of finding another approach to a task: `run/revision/task/number`.
    #[must_use]
    pub fn revision(run: &RunId, task: &TaskId, number: u32) -> Self {
        Self(format!("{run}/revision/{task}/{number}"))
    }

    /// The key of a question to a person: `run/gate/name`.
    #[must_use]
    pub fn gate(run: &RunId, gate: &GateId) -> Self {
        Self(format!("{run}/gate/{gate}"))
    }

    /// The key of stopping an attempt: `run/task/attempt/stop`.
    #[must_use]
    pub fn stop(run: &RunId, task: &TaskId, attempt: u32) -> Self {
        Self(format!("{run}/{task}/{attempt}/stop"))
    }

    /// The key of undoing a call: `run/undo/call`.
    #[must_use]
    pub fn undo(run: &RunId, call: &str) -> Self {
        Self(format!("{run}/undo/{call}"))
    }

    /// The key of waiting until a time: `run/wait/time`.
    #[must_use]
    pub fn wait(run: &RunId, until: Timestamp) -> Self {
        Self(format!("{run}/wait/{until}"))
    }

    /// The key of one call of a model: `run/ask/phase/attempt/step/number`.
    #[must_use]
    pub fn ask(run: &RunId, id: &AskId, number: u32) -> Self {
        Self(format!("{run}/{id}/{number}"))
    }

    /// The key of embedding texts; one batch at a time: `run/embed`.
    #[must_use]
    pub fn embed(run: &RunId) -> Self {
        Self(format!("{run}/embed"))
    }

    /// The key of reading files; one batch at a time: `run/files`.
    #[must_use]
    pub fn files(run: &RunId) -> Self {
        Self(format!("{run}/files"))
    }

    /// The key of checking results for one try of the validation: `run/checks/attempt`.
    #[must_use]
    pub fn checks(run: &RunId, attempt: u32) -> Self {
        Self(format!("{run}/checks/{attempt}"))
    }

    /// The key of a question to an agent: `run/query/id`.
    #[must_use]
    pub fn query(run: &RunId, id: &str) -> Self {
        Self(format!("{run}/query/{id}"))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EffectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Something that is asked for and not yet answered.
///
/// The list is complete on purpose: a driver that does not know a new effect must not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Have the guardrails look at the request.
    Guard {
        /// Which look it is.
        attempt: u32,
    },
    /// Do the work of a phase.
    RunPhase {
        /// Phase to be run.
        phase: Phase,
        /// Which try it is.
        attempt: u32,
    },
    /// Find an agent for a task that was born in a revision.
    Route {
        /// Task without an agent.
        task_id: TaskId,
    },
    /// Find another approach to a task that failed for good.
    Revise {
        /// Task that failed for good.
        task_id: TaskId,
        /// Which revision of the run it is.
        number: u32,
    },
    /// Have an agent make one attempt at one task.
    InvokeAgent {
        /// Task to be done.
        task_id: TaskId,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Agent that gets the order.
        agent_type: AgentType,
        /// When it must have answered; then it is to be killed.
        deadline: Timestamp,
    },
    /// Have a change of the world undone.
    Undo {
        /// The key of the call, or of the file.
        key: String,
        /// The agent; nobody for a file that is to be as it was.
        agent_type: Option<AgentType>,
    },
    /// Stop an attempt, and say when it has stopped.
    StopAgent {
        /// Task whose attempt is stopped.
        task_id: TaskId,
        /// Number of the attempt that is stopped.
        attempt: u32,
    },
    /// Put a question to a person.
    AskHuman {
        /// Gate under which the answer is recorded.
        gate: GateId,
        /// Question as it is shown.
        question: Question,
    },
    /// Give the engine a tick at this time.
    WaitUntil {
        /// Moment of the timer.
        at: Timestamp,
    },
    /// Make one call of a model.
    AskModel(Box<ModelRequest>),
    /// Have texts embedded, so that their vectors are at hand.
    Embed {
        /// Texts to be turned into vectors.
        texts: Texts,
    },
    /// Read files, as far as they are there.
    ReadFiles {
        /// Paths relative to the project's folder.
        paths: Vec<String>,
    },
    /// Check results outside the run.
    RunChecks {
        /// Which try of the validation wants it.
        attempt: u32,
        /// What is to be checked.
        checks: Vec<WantedCheck>,
    },
    /// Put a question to an agent.
    QueryAgent {
        /// Question to the other agent.
        query: Box<Query>,
    },
}

impl Effect {
    /// The key of this effect in `run`.
    #[must_use]
    pub fn key(&self, run: &RunId) -> EffectKey {
        match self {
            Self::Guard { attempt } => EffectKey::guard(run, *attempt),
            Self::RunPhase { phase, attempt } => EffectKey::phase(run, *phase, *attempt),
            Self::Route { task_id } => EffectKey::route(run, task_id),
            Self::Revise { task_id, number } => EffectKey::revision(run, task_id, *number),
            Self::InvokeAgent { task_id, attempt, .. } => EffectKey::attempt(run, task_id, *attempt),
            Self::Undo { key, .. } => EffectKey::undo(run, key),
            Self::StopAgent { task_id, attempt } => EffectKey::stop(run, task_id, *attempt),
            Self::AskHuman { gate, .. } => EffectKey::gate(run, gate),
            Self::WaitUntil { at } => EffectKey::wait(run, *at),
            Self::AskModel(request) => EffectKey::ask(run, &request.id, request.number),
            Self::Embed { .. } => EffectKey::embed(run),
            Self::ReadFiles { .. } => EffectKey::files(run),
            Self::RunChecks { attempt, .. } => EffectKey::checks(run, *attempt),
            Self::QueryAgent { query } => EffectKey::query(run, &query.id),
        }
    }
}
