//! How much of a run is told in plain lines.

use candor_model::{EventBody, Severity};
use candor_projections::events::Group;

/// How much of a run is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// Its end, and what went wrong for good.
    Result,
    /// What is planned, what was done, what failed and what follows.
    Usual,
    /// The phases, the decisions and the steps of agents too.
    #[default]
    All,
}

impl Level {
    /// Whether an event of this severity is told.
    pub(super) fn shows(self, body: &EventBody, severity: Severity) -> bool {
        match self {
            Self::All => true,
            Self::Result => severity == Severity::Error || Group::of(body) == Group::End,
            Self::Usual if severity != Severity::Info => true,
            Self::Usual => match body {
                EventBody::TaskDispatched { attempt, .. } => *attempt > 1,
                EventBody::PlanAnswered { .. } => true,
                EventBody::PlanApproved { .. }
                | EventBody::ConfidenceChanged { .. }
                | EventBody::TaskRouted { .. }
                | EventBody::ModelConsulted { .. } => false,
                body => !matches!(Group::of(body), Group::Phase | Group::Preparation | Group::AgentWork),
            },
        }
    }
}
