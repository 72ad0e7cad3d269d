//! Who works where: the agents of every phase, the tools each may use, and when each must have run.
//!
//! Users add agents of their own, or describe one that comes with Candor anew; the one thing they cannot do
//! is take a mandatory agent out of its place.

mod builtin;
mod definition;
mod file;
mod staffing;

use candor_model::Phase;
use serde::Serialize;

pub use self::builtin::trigger;
pub use self::definition::{Activation, AgentDefinition, PhaseSlot, tool};
pub use self::file::WrittenRoster;
pub use self::staffing::{Staff, Staffing};
use crate::guardrails::Enforcement;

/// All agents of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Roster {
    agents: Vec<AgentDefinition>,
    phases: Staffing,
}

impl Default for Roster {
    fn default() -> Self {
        Self { agents: builtin::agents().collect(), phases: Staffing::default() }
    }
}

impl Roster {
    /// All agents, in the order of their phases; those beside the phases come last.
    pub fn agents(&self) -> impl Iterator<Item = &AgentDefinition> {
        let places = Phase::ALL.iter().copied().map(Some).chain([None]);
        places.flat_map(|phase| {
            self.agents.iter().filter(move |agent| agent.phase.map(|slot| slot.phase) == phase)
        })
    }

    /// The agents of a phase, as they are declared.
    pub fn of_phase(&self, phase: Phase) -> impl Iterator<Item = &AgentDefinition> {
        self.agents.iter().filter(move |agent| agent.phase.is_some_and(|slot| slot.phase == phase))
    }

    /// How many agents of which tier a phase has when nothing else is said.
    #[must_use]
    pub const fn staff(&self, phase: Phase) -> Staff {
        self.phases.of(phase)
    }

    /// The agents without which a phase may not end: called, mandatory, and without a record of having run.
    #[must_use]
    pub fn missing_from(
        &self,
        phase: Phase,
        fired: &dyn Fn(&str) -> bool,
        ran: &dyn Fn(&str) -> bool,
    ) -> Vec<&AgentDefinition> {
        let called = |agent: &&AgentDefinition| {
            agent.activation.as_ref().is_some_and(|activation| {
                activation.enforcement == Enforcement::Block
                    && activation.triggers.iter().any(|trigger| fired(trigger))
            })
        };
        self.of_phase(phase).filter(called).filter(|agent| !ran(&agent.name)).collect()
    }
}
