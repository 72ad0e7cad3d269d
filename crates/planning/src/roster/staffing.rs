//! How many agents of which tier a phase has when nothing else is said.

use candor_model::{Phase, Tier};
use serde::{Deserialize, Serialize};

/// The usual staff of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Staff {
    /// Number of agents that usually work on the phase.
    pub agents: u32,
    /// On which tier. A subtask that names its own keeps it.
    pub model: Tier,
}

/// The usual staff of every phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Staffing {
    pub(super) pre_analysis: Staff,
    pub(super) evaluation: Staff,
    pub(super) context: Staff,
    pub(super) decomposition: Staff,
    pub(super) planning: Staff,
    pub(super) execution: Staff,
    pub(super) validation: Staff,
    pub(super) consolidation: Staff,
}

impl Staffing {
    /// The staff of a phase. That of execution is an example: scaling says how many there really are.
    #[must_use]
    pub const fn of(&self, phase: Phase) -> Staff {
        match phase {
            Phase::PreAnalysis => self.pre_analysis,
            Phase::Evaluation => self.evaluation,
            Phase::Context => self.context,
            Phase::Decomposition => self.decomposition,
            Phase::Planning => self.planning,
            Phase::Execution => self.execution,
            Phase::Validation => self.validation,
            Phase::Consolidation => self.consolidation,
        }
    }
}

impl Default for Staffing {
    fn default() -> Self {
        let staff = |agents, model| Staff { agents, model };
        Self {
            pre_analysis: staff(1, Tier::Fast),
            evaluation: staff(4, Tier::Balanced),
            context: staff(2, Tier::Fast),
            decomposition: staff(2, Tier::Balanced),
            planning: staff(1, Tier::Strong),
            execution: staff(3, Tier::Strong),
            validation: staff(2, Tier::Balanced),
            consolidation: staff(2, Tier::Fast),
        }
    }
}
