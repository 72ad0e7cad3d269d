//! The invariants of breakers: an agent with an open circuit gets no task, one that is half-open gets one at a time.

use std::collections::{BTreeMap, BTreeSet};

use candor_engine::RunState;
use candor_model::{AgentType, Event, EventBody, Timestamp};

use super::invariant;

/// What the invariant keeps in mind of breakers. A rollback takes none of it back.
#[derive(Debug, Clone, Default)]
pub(super) struct CircuitInvariants {
    open: BTreeMap<AgentType, Option<Timestamp>>,
    tried: BTreeSet<AgentType>,
    /// Those that failed when they were tried again: they are not waited for.
    failed_trials: BTreeSet<AgentType>,
}

impl CircuitInvariants {
    /// Reads one event.
    pub(super) fn check(&mut self, event: &Event) -> Result<(), String> {
        match &event.body {
            EventBody::BreakerOpened { agent_type, until, .. } => {
                let known = self.open.get(agent_type).copied().flatten();
                invariant(known.is_none_or(|known| Some(known) < *until), || {
                    format!("{agent_type} rests already, and longer")
                })?;
                if self.tried.remove(agent_type) {
                    self.failed_trials.insert(agent_type.clone());
                }
                self.open.insert(agent_type.clone(), *until);
            }
            EventBody::BreakerTried { agent_type } => {
                let until = self.open.remove(agent_type).flatten();
                invariant(until.is_some_and(|until| until <= event.at), || {
                    format!("{agent_type} is tried and should rest until {until:?}")
                })?;
                self.tried.insert(agent_type.clone());
            }
            EventBody::BreakerClosed { agent_type } => {
                let rested = self.open.remove(agent_type).is_some();
                let tried = self.tried.remove(agent_type);
                self.failed_trials.remove(agent_type);
                invariant(rested || tried, || {
                    format!("the breaker of {agent_type} closed and was not open")
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether an agent with so many tasks under way may be given one more.
    pub(super) fn may_work(&self, agent: &AgentType, busy: usize) -> Result<(), String> {
        let known = self.open.get(agent).copied().flatten();
        invariant(known.is_none() || self.failed_trials.contains(agent), || {
            format!("{agent} got a task and should rest until {known:?}")
        })?;
        invariant(busy == 0 || !self.tried.contains(agent), || {
            format!("{agent} is tried, had {busy} tasks and got one more")
        })
    }

    /// After an append: the state knows the same.
    pub(super) fn check_state(&self, state: &RunState) -> Result<(), String> {
        invariant(*state.open_circuits() == self.open && *state.half_open_circuits() == self.tried, || {
            format!("open by the log {:?}, by the state {:?}", self.open, state.open_circuits())
        })
    }
}
