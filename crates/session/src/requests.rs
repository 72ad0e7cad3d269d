//! What was requested from outside and is not answered yet: new effects are given out once, and what nobody asks
//! for any more is cancelled.

use std::collections::BTreeMap;

use candor_engine::Input;
use candor_model::{AgentType, Effect, Failure, FailureKind};

use crate::Session;
use crate::circuits::CircuitState;
use crate::input::{AttemptEnd, AttemptKey, Ended, RequestId};

/// Something that is being done outside.
#[derive(Debug)]
pub(crate) struct Request {
    /// Who is at work, for an attempt.
    pub(crate) agent: Option<AgentType>,
    /// How many more messages the attempt may send.
    pub(crate) messages_left: usize,
    cancelled: bool,
}

impl RequestId {
    /// Whether an answer comes even after it was cancelled: what an agent or a model did must be known.
    const fn is_always_answered(&self) -> bool {
        matches!(self, Self::Attempt(_) | Self::Model { .. } | Self::Undo { .. })
    }
}

impl Session {
    /// What was requested from outside, is not answered yet, and is still waited for.
    pub fn requested(&self) -> impl Iterator<Item = &RequestId> {
        self.requests.iter().filter(|(_, request)| !request.cancelled).map(|(id, _)| id)
    }

    /// Takes stock of what is asked for now: new effects wait to be polled, others are cancelled.
    pub(crate) fn update_requests(&mut self) {
        let mut wanted = BTreeMap::new();
        let mut stopping = Vec::new();
        for effect in self.history.state.effects() {
            match &effect {
                // A dry run gives nobody a task.
                Effect::InvokeAgent { .. } if self.deps.last_phase.is_some() => {}
                Effect::InvokeAgent { task_id, attempt, .. } => {
                    let key = AttemptKey { task_id: task_id.clone(), attempt: *attempt };
                    wanted.insert(RequestId::Attempt(key), effect);
                }
                Effect::StopAgent { task_id, attempt } => {
                    stopping.push(AttemptKey { task_id: task_id.clone(), attempt: *attempt });
                }
                Effect::Undo { key, .. } => _ = wanted.insert(RequestId::Undo { key: key.clone() }, effect),
                // Phases work inside the session; questions and waits are part of the snapshot.
                _ => {}
            }
        }
        wanted.extend(self.needed());
        wanted.extend(self.calls());
        self.cancel_unwanted(&wanted);
        for (id, effect) in wanted {
            if !self.requests.contains_key(&id) {
                self.begin(id, effect);
            }
        }
        for AttemptKey { task_id, attempt } in stopping {
            let id = RequestId::Attempt(AttemptKey { task_id: task_id.clone(), attempt });
            if !self.requests.contains_key(&id) {
                self.own.push_back(Input::AgentStopped { task_id, attempt });
            }
        }
    }

    /// What phases need, commands that wait for files, and questions between agents.
    fn needed(&self) -> impl Iterator<Item = (RequestId, Effect)> {
        let held = self.held.front().map(|_| {
            let paths = self.history.state.files().keys().cloned().collect();
            (RequestId::Files, Effect::ReadFiles { paths })
        });
        let needs = self.needs.effects.iter().filter_map(|effect| {
            let id = match effect {
                Effect::Embed { .. } => RequestId::Embed,
                Effect::ReadFiles { .. } if self.held.is_empty() => RequestId::Files,
                Effect::RunChecks { attempt, .. } => RequestId::Checks { attempt: *attempt },
                _ => return None,
            };
            Some((id, effect.clone()))
        });
        let queries = self.history.state.open_queries().map(|query| {
            (RequestId::Query { id: query.id.clone() }, Effect::QueryAgent { query: Box::new(query.clone()) })
        });
        held.into_iter().chain(needs).chain(queries)
    }

    fn cancel_unwanted(&mut self, wanted: &BTreeMap<RequestId, Effect>) {
        for (id, request) in &mut self.requests {
            if !request.cancelled && !wanted.contains_key(id) {
                request.cancelled = true;
                self.cancelled.push_back(id.clone());
            }
        }
        self.requests.retain(|id, request| !request.cancelled || id.is_always_answered());
    }

    /// Gives an effect out, unless the session answers it itself.
    fn begin(&mut self, id: RequestId, effect: Effect) {
        let mut agent = None;
        if let (RequestId::Attempt(key), Effect::InvokeAgent { agent_type, .. }) = (&id, &effect) {
            if let Err(failure) = self.may_begin(key, agent_type) {
                let ended = Ended::not_made(key.clone(), failure);
                self.own.extend(self.outcome_of(ended));
                return;
            }
            agent = Some(agent_type.clone());
        }
        let request = Request { agent, messages_left: candor_model::MAX_TELLINGS, cancelled: false };
        self.requests.insert(id, request);
        self.effects.push_back(effect);
    }

    /// Why an attempt cannot be made: its order says too little, or the agent's circuit is open.
    fn may_begin(&self, key: &AttemptKey, agent: &AgentType) -> Result<(), Failure> {
        let brief = self.history.state.brief_of(&key.task_id, key.attempt);
        if let Some(Err(problem)) = brief.map(|brief| brief.check()) {
            let (field, problem) = (problem.field, problem.problem);
            let message = format!("The agent was not started: its brief's `{field}` is {problem}");
            return Err(Failure::new(FailureKind::TaskError, message));
        }
        let circuits = &self.deps.circuits;
        circuits.admit(agent.as_str(), self.now).map_err(|reason| {
            let wait = match circuits.state(agent.as_str(), self.now) {
                CircuitState::Open { until, .. } => Some(until.since(self.now)),
                CircuitState::Closed | CircuitState::HalfOpen => None,
            };
            let message = format!("Agent is unavailable: {reason}");
            Failure::new(FailureKind::Unavailable, message).with_retry_after(wait)
        })
    }
}

impl Ended {
    /// An attempt that was not made.
    #[must_use]
    pub fn not_made(key: AttemptKey, failure: Failure) -> Self {
        let duration = candor_model::Seconds::from_millis(1);
        let price = candor_model::Money::ZERO;
        Self { key, agent: None, end: AttemptEnd::Failed(Box::new(failure)), duration, price }
    }
}
