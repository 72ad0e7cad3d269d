//! Everyone who can be given a task, with what is known of them and how much they take on at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{AgentCapability, AgentMeasure, AgentType};
use candor_planning::figures;
use candor_ports::{Agent, AgentFailure};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The agents of an installation.
#[derive(Clone, Default)]
pub struct AgentRegistry {
    members: Arc<BTreeMap<AgentType, Member>>,
    /// In the order in which they were declared.
    declared: Arc<Vec<AgentCapability>>,
}

pub(crate) struct Member {
    pub(crate) agent: Arc<dyn Agent>,
    /// How many attempts it takes on at once; absent if there is no limit.
    pub(crate) places: Option<Arc<Semaphore>>,
    pub(crate) capability: AgentCapability,
}

impl AgentRegistry {
    /// A registry of these agents; of two with the same name the first counts.
    #[must_use]
    pub fn new(agents: Vec<(AgentCapability, Arc<dyn Agent>)>) -> Self {
        let mut members = BTreeMap::new();
        let mut declared = Vec::with_capacity(agents.len());
        for (capability, agent) in agents {
            let limit = capability.max_concurrent.and_then(|limit| usize::try_from(limit).ok());
            let places = limit.map(|limit| Arc::new(Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS))));
            if !members.contains_key(&capability.agent_type) {
                declared.push(capability.clone());
                members.insert(capability.agent_type.clone(), Member { agent, places, capability });
            }
        }
        Self { members: Arc::new(members), declared: Arc::new(declared) }
    }

    /// What is declared of everyone.
    #[must_use]
    pub fn declared(&self) -> &[AgentCapability] {
        &self.declared
    }

    /// What is known of everyone: what is declared, corrected by what was measured.
    #[must_use]
    pub fn known(&self, measured: &BTreeMap<AgentType, AgentMeasure>) -> Vec<AgentCapability> {
        let corrected = |agent: &AgentCapability| match measured.get(&agent.agent_type) {
            Some(measure) => figures::corrected(agent, measure),
            None => agent.clone(),
        };
        self.declared.iter().map(corrected).collect()
    }

    pub(crate) fn find(&self, agent: &AgentType) -> Option<&Member> {
        self.members.get(agent)
    }
}

/// Waits for a place at an agent that takes on only so much at once.
pub(crate) async fn place(
    places: Option<Arc<Semaphore>>,
    stop: &CancellationToken,
) -> Result<Option<OwnedSemaphorePermit>, AgentFailure> {
    let Some(places) = places else { return Ok(None) };
    tokio::select! {
        place = places.acquire_owned() => Ok(place.ok()),
        () = stop.cancelled() => Err(AgentFailure::Stopped),
    }
}

impl std::fmt::Debug for AgentRegistry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.members.keys()).finish()
    }
}
