//! A story that can be told to the simulated process and to a real driver alike: both must write the same log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use candor_engine::Input;
use candor_model::{
    AgentAnswer, AgentCapability, Plan, Recorded, RunId, RunSettings, StartMaterial, WorkOrder,
};
use candor_phases::Phases;
use candor_session::{Learned, MemoryCircuits, SessionDeps, SessionInput};
use fastrand::Rng;

use super::process::Process;
use super::world::{Happening, Odds, World, live};

/// What is to be done, and how the agents do it.
#[derive(Clone)]
pub struct Story {
    /// The run.
    pub run_id: RunId,
    /// The request.
    pub request: String,
    /// The limits of the run.
    pub settings: RunSettings,
    /// The plan that is supplied.
    pub plan: Plan,
    /// Everyone who can be given a task.
    pub agents: Vec<AgentCapability>,
    /// What an agent makes of an order; the error says why it fails.
    pub answer: fn(&WorkOrder) -> Result<AgentAnswer, String>,
}

impl Story {
    /// Tells the story to the simulated process; gives its log. People answer so that the run goes on.
    pub fn simulate(&self) -> Result<Vec<Recorded>, String> {
        let mut world = World {
            rng: Rng::with_seed(1),
            now: 0,
            odds: Odds::none(),
            queue: BTreeMap::new(),
            scheduled: 0,
            trouble: Arc::new(AtomicU8::new(0)),
            story: Some(self.clone()),
        };
        let deps = SessionDeps {
            phases: Arc::new(Phases::new(Vec::new(), 0)),
            models: None,
            vectors: None,
            circuits: Arc::new(MemoryCircuits::default()),
            inspects: false,
            declared: self.agents.iter().map(|agent| agent.agent_type.clone()).collect(),
            last_phase: None,
        };
        let learned = Learned { agents: self.agents.clone().into(), ..Learned::default() };
        let mut process = Process::with(self.run_id.clone(), deps, learned);
        let plan = Some(Arc::new(self.plan.clone()));
        let start = Input::Start {
            request: self.request.clone(),
            settings: Box::new(self.settings.clone()),
            material: Some(Box::new(StartMaterial { plan, ..StartMaterial::default() })),
            origin: None,
        };
        world.later(0, Happening::Deliver(SessionInput::Command(start)));
        live(&mut world, &mut process)?;
        Ok(process.into_log())
    }
}
