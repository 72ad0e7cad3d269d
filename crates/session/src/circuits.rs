//! Circuit breakers: whoever keeps failing gets no call for a while. They belong to the installation; a session
//! asks them and tells them what came of calls, and the run is told what changed by inputs.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_engine::Input;
use candor_model::{
    AgentType, Answer, AskStep, Breaker, BreakerSettings, BreakerState, Consulted, FailureKind,
    GuidanceAction, ModelErrorKind, Question, Timestamp,
};
use candor_planning::breaker::{self, Admission, Change};

use crate::Session;
use crate::input::{AttemptEnd, Ended};

/// Whether someone gets calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CircuitState {
    /// They get every call.
    Closed,
    /// They get one call, to find out whether they work again.
    HalfOpen,
    /// They get no call.
    Open {
        /// The failures that opened it, for people.
        reason: String,
        /// When one call is let through again.
        until: Timestamp,
    },
}

/// The circuit breakers of an installation, as the runs that share them see them. Nothing here waits.
pub trait Circuits: Send + Sync {
    /// Whether a call may be made; the error says for how long not, and why.
    fn admit(&self, id: &str, now: Timestamp) -> Result<(), String>;

    /// Whether someone gets calls.
    fn state(&self, id: &str, now: Timestamp) -> CircuitState;

    /// Whether any breaker is not closed; most of the time none is, and nothing needs to be looked at.
    fn any_open(&self) -> bool;

    /// Counts the end of a call; returns what that changed.
    fn ended(&self, id: &str, result: Result<(), &str>, now: Timestamp) -> Option<Change>;

    /// Lets the next call of someone through, because a person said so.
    fn allow_next(&self, id: &str);

    /// A call that was admitted is not made after all.
    fn not_made(&self, id: &str);
}

/// The name under which a model's circuit breaker is kept.
#[must_use]
pub fn model_circuit(model: &str) -> String {
    format!("model:{model}")
}

/// Circuit breakers in memory.
#[derive(Debug, Default)]
pub struct MemoryCircuits {
    settings: BreakerSettings,
    known: Mutex<BTreeMap<String, Breaker>>,
}

impl MemoryCircuits {
    /// Breakers that behave so.
    #[must_use]
    pub fn new(settings: BreakerSettings) -> Self {
        Self { settings, known: Mutex::default() }
    }

    /// Takes over breakers, except where more is known here.
    pub fn learn(&self, kept: Vec<Breaker>) {
        let mut known = self.lock();
        for breaker in kept {
            known.entry(breaker.agent_id.clone()).or_insert(breaker);
        }
    }

    /// A breaker as it stands.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Breaker> {
        self.lock().get(id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Breaker>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Circuits for MemoryCircuits {
    fn admit(&self, id: &str, now: Timestamp) -> Result<(), String> {
        let mut known = self.lock();
        let Some(breaker) = known.get_mut(id) else { return Ok(()) };
        match breaker::admit(breaker, now) {
            Admission::Pass | Admission::Probe => Ok(()),
            Admission::Refused { until } => Err(breaker::refusal(breaker, until, now)),
        }
    }

    fn state(&self, id: &str, now: Timestamp) -> CircuitState {
        let known = self.lock();
        match known.get(id) {
            None => CircuitState::Closed,
            Some(breaker) if breaker.state == BreakerState::Closed => CircuitState::Closed,
            Some(breaker) if breaker::is_open(breaker, now) => {
                let until = breaker::opens_at(breaker);
                CircuitState::Open { reason: breaker::refusal(breaker, until, now), until }
            }
            // A person let the next call through, or the time of the probe has passed.
            Some(breaker) if breaker.state == BreakerState::HalfOpen && breaker.probing_since.is_none() => {
                CircuitState::Closed
            }
            Some(_) => CircuitState::HalfOpen,
        }
    }

    fn any_open(&self) -> bool {
        self.lock().values().any(|breaker| breaker.state != BreakerState::Closed)
    }

    fn ended(&self, id: &str, result: Result<(), &str>, now: Timestamp) -> Option<Change> {
        let mut known = self.lock();
        match result {
            // Whoever never failed needs no breaker.
            Ok(()) => breaker::succeeded(known.get_mut(id)?),
            Err(reason) => {
                let breaker =
                    known.entry(id.to_owned()).or_insert_with(|| breaker::fresh(id, &self.settings));
                breaker::failed(breaker, reason, now)
            }
        }
    }

    fn allow_next(&self, id: &str) {
        if let Some(breaker) = self.lock().get_mut(id) {
            breaker::give_a_chance(breaker);
        }
    }

    fn not_made(&self, id: &str) {
        if let Some(breaker) = self.lock().get_mut(id) {
            breaker.probing_since = None;
        }
    }
}

impl Session {
    /// Counts the end of an attempt. Only an agent that is not there opens its circuit: one that answers works,
    /// whatever it answers. Runs with faults made on purpose say nothing of anybody.
    pub(crate) fn count_attempt(&self, ended: &Ended) {
        let learns = self.history.state.settings().learn;
        let Some(agent) = ended.agent.as_ref().filter(|_| learns) else { return };
        let result = match &ended.end {
            AttemptEnd::Answered(_) => Ok(()),
            AttemptEnd::Stopped | AttemptEnd::Waiting(_) => return,
            AttemptEnd::NoResources(_) => return self.deps.circuits.not_made(agent.as_str()),
            AttemptEnd::Failed(failure) if failure.kind == FailureKind::Cancelled => return,
            AttemptEnd::Failed(failure) if failure.kind.is_availability() => Err(failure.message.as_str()),
            // Whoever failed at the task was there to fail.
            AttemptEnd::Failed(_) => Ok(()),
        };
        self.deps.circuits.ended(agent.as_str(), result, self.now);
    }

    /// Counts a call of a model; an input if that opened or closed its circuit.
    pub(crate) fn count_call(&self, step: &Consulted) -> Option<Input> {
        let (model, result) = verdict_on_model(step)?;
        let opened = match self.deps.circuits.ended(&model_circuit(model), result, self.now)? {
            Change::Opened => Some(result.err().unwrap_or_default().to_owned()),
            Change::Closed => None,
        };
        Some(Input::ModelBreaker { model: model.to_owned(), opened })
    }

    /// Tells the run whose circuit is open now, and whose no longer is.
    pub(crate) fn note_circuits(&mut self) {
        let state = &self.history.state;
        let (open, half_open) = (state.open_circuits(), state.half_open_circuits());
        if open.is_empty() && half_open.is_empty() && !self.deps.circuits.any_open() {
            return;
        }
        let known = |agent: &AgentType| open.contains_key(agent) || half_open.contains(agent);
        let mut inputs = Vec::new();
        for agent in self.deps.declared.iter() {
            let opened = match self.deps.circuits.state(agent.as_str(), self.now) {
                CircuitState::Open { reason, until } => Some((reason, until)),
                CircuitState::Closed if known(agent) => None,
                CircuitState::Closed | CircuitState::HalfOpen => continue,
            };
            inputs.push(Input::Breaker { agent_type: agent.clone(), opened });
        }
        for input in inputs {
            self.take_own(input);
        }
    }

    /// A person who says "once more" means it: the agent's breaker lets that call through.
    pub(crate) fn allow_retry(&self, input: &Input) {
        let Input::Answered { gate, answer: Answer::Guidance(guidance) } = input else { return };
        let Some(Question::Guidance(asked)) = self.history.state.open_questions().get(gate) else { return };
        if guidance.action != GuidanceAction::Retry {
            return;
        }
        let usual = self.history.state.task(&asked.task_id).map(|task| task.agent_type);
        if let Some(agent) = guidance.agent_type.clone().or(usual) {
            self.deps.circuits.allow_next(agent.as_str());
        }
    }
}

/// What a step says of the model that was called. A series of repetitions counts once, at its end. A model that
/// answers works, whatever the answer is worth; one that refuses a request or has too many says nothing of itself.
fn verdict_on_model(step: &Consulted) -> Option<(&str, Result<(), &str>)> {
    let call = step.call.as_ref()?;
    let about_request = |kind| {
        use ModelErrorKind::{ContentFilter, ContextTooLong, RateLimit};
        matches!(kind, ContentFilter | ContextTooLong | RateLimit)
    };
    let result = match &step.outcome {
        AskStep::Accepted { .. } => Ok(()),
        AskStep::FallBack { reason, .. } | AskStep::GiveUp { reason, .. } => match &call.failure {
            Some(failure) if about_request(failure.kind) => return None,
            Some(_) => Err(reason.as_str()),
            None => Ok(()),
        },
        AskStep::Repeat { .. } | AskStep::AskAgain { .. } => return None,
    };
    Some((&call.model, result))
}
