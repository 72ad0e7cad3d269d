//! The circuit breakers of agents, as far as this run was told of them.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{AgentType, Timestamp};
use serde::{Deserialize, Serialize};

use super::RunState;

/// Which agents get no task, or one at a time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Circuits {
    /// Agents that get no task, and until when; until the breaker closes if nobody knows.
    open: BTreeMap<AgentType, Option<Timestamp>>,
    /// Agents that get one task at a time, to see whether they work again.
    half_open: BTreeSet<AgentType>,
    /// Agents with an open circuit of whom it was said that tasks wait for them.
    #[serde(default)]
    awaited: BTreeSet<AgentType>,
    /// How often agents have failed when they were tried again, since they last worked.
    #[serde(default)]
    failed_trials: BTreeMap<AgentType, u32>,
}

impl Circuits {
    pub(super) fn open(&mut self, agent: &AgentType, until: Option<Timestamp>) {
        if self.half_open.remove(agent) {
            let trials = self.failed_trials.entry(agent.clone()).or_default();
            *trials = trials.saturating_add(1);
        }
        self.awaited.remove(agent);
        self.open.insert(agent.clone(), until);
    }

    pub(super) fn awaits(&mut self, agent: &AgentType) {
        self.awaited.insert(agent.clone());
    }

    pub(super) fn half_open(&mut self, agent: &AgentType) {
        self.open.remove(agent);
        self.half_open.insert(agent.clone());
    }

    pub(super) fn close(&mut self, agent: &AgentType) {
        self.open.remove(agent);
        self.half_open.remove(agent);
        self.failed_trials.remove(agent);
    }
}

impl RunState {
    /// The agents whose circuit is open, and when each of them gets a task again; absent if nobody knows.
    #[must_use]
    pub const fn open_circuits(&self) -> &BTreeMap<AgentType, Option<Timestamp>> {
        &self.circuits.open
    }

    /// The agents whose circuit is half-open: they get one task at a time.
    #[must_use]
    pub const fn half_open_circuits(&self) -> &BTreeSet<AgentType> {
        &self.circuits.half_open
    }

    /// Whether it was said that tasks wait for the agent, since its circuit was opened.
    pub(crate) fn is_awaited(&self, agent: &AgentType) -> bool {
        self.circuits.awaited.contains(agent)
    }

    /// How often an agent has failed when it was tried again, since it last worked.
    pub(crate) fn failed_trials(&self, agent: &AgentType) -> u32 {
        self.circuits.failed_trials.get(agent).copied().unwrap_or(0)
    }

    pub(crate) fn is_unavailable(&self, agent: &AgentType) -> bool {
        self.circuits.open.contains_key(agent)
    }

    /// When the first open circuit becomes half-open.
    pub(crate) fn next_half_open(&self) -> Option<Timestamp> {
        self.circuits.open.values().filter_map(|until| *until).min()
    }
}
