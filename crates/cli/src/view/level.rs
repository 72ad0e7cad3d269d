//! How much of a run is told in plain lines.

use candor_model::{AfterStop, EventBody, Phase, Severity};
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
            Self::Usual => Self::usually_shows(body, severity),
        }
    }

    fn usually_shows(body: &EventBody, severity: Severity) -> bool {
        match body {
            // What does not hold is told by what follows from it: the task that is done again, a question, the end.
            EventBody::Critiqued { phase: Phase::Validation, .. } => false,
            EventBody::Broadcast { message } if message.phase == Phase::Validation => false,
            _ if severity != Severity::Info => true,
            EventBody::TaskDispatched { attempt, .. } => *attempt > 1,
            EventBody::PlanAnswered { .. } => true,
            // The last line says that the run ended early, and why.
            EventBody::StopRequested { then } => !matches!(then.as_ref(), AfterStop::Abort { .. }),
            EventBody::PlanApproved { .. }
            | EventBody::ConfidenceChanged { .. }
            | EventBody::TaskRouted { .. }
            | EventBody::ModelConsulted { .. } => false,
            body => !matches!(Group::of(body), Group::Phase | Group::Preparation | Group::AgentWork),
        }
    }
}
