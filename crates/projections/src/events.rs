//! Which events are told alike. Every kind has its place here, so that a new one cannot be forgotten in silence.

use candor_model::EventBody;

/// A group of events that are told alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The first event.
    Start,
    /// A phase, and what it says of itself.
    Phase,
    /// The phases around the work.
    Preparation,
    /// A plan was proposed, changed or approved.
    Plan,
    /// A plan was revised after a failure.
    Revision,
    /// An attempt or the state of a task.
    Task,
    /// What agents note while they work, and what is undone.
    AgentWork,
    /// What people were told.
    Notice,
    /// How far the run came.
    Progress,
    /// People were asked, or answered.
    Human,
    /// The run came to its end.
    End,
    /// What the run has to live with.
    Circumstance,
    /// Told by the event before or after, or a matter of the books only.
    Silent,
}

impl Group {
    /// The group of an event.
    #[must_use]
    pub const fn of(body: &EventBody) -> Self {
        use EventBody as E;
        match body {
            E::RunStarted { .. } => Self::Start,
            E::PhaseCompleted { .. }
            | E::PhaseFailed { .. }
            | E::PhaseDegraded { .. }
            | E::GoalDefined { .. }
            | E::PromptScored { .. }
            | E::Critiqued { .. } => Self::Phase,
            E::GuardrailsChecked { .. }
            | E::PromptChanged { .. }
            | E::PhaseStarted { .. }
            | E::PlanAnswered { .. }
            | E::TaskReopened { .. }
            | E::Broadcast { .. }
            | E::AgentQueried { .. }
            | E::QueryAnswered { .. }
            | E::FilesRead { .. }
            | E::ResultsChecked { .. } => Self::Preparation,
            E::PlanProposed { .. }
            | E::PlanAdjusted { .. }
            | E::PlanApproved { .. }
            | E::PlanRejected { .. }
            | E::ConfidenceChanged { .. } => Self::Plan,
            E::Replanned { .. } => Self::Revision,
            E::TaskRouted { .. }
            | E::TaskDispatched { .. }
            | E::TaskSucceeded { .. }
            | E::TaskFailed { .. }
            | E::TaskStopped { .. }
            | E::TaskSkipped { .. }
            | E::TaskGivenUp { .. }
            | E::Revision(_)
            | E::RetryScheduled(_) => Self::Task,
            E::Notified { .. } => Self::Notice,
            E::Progressed { .. } => Self::Progress,
            E::Escalated { .. }
            | E::HumanAsked { .. }
            | E::HumanAnswered { .. }
            | E::QuestionWithdrawn { .. } => Self::Human,
            E::RunCompleted { .. } | E::RunFailed { .. } | E::RunAborted { .. } | E::RunCancelled { .. } => {
                Self::End
            }
            E::GuardrailTripped { .. }
            | E::ModelConsulted { .. }
            | E::ModelBreakerOpened { .. }
            | E::ModelBreakerClosed { .. }
            | E::BreakerTried { .. }
            | E::BreakerOpened { .. }
            | E::BreakerAwaited { .. }
            | E::BreakerClosed { .. }
            | E::FellBack { .. }
            | E::Degraded { .. }
            | E::BudgetExceeded { .. }
            | E::ConflictResolved { .. }
            | E::RunPaused { .. }
            | E::RunResumed {}
            | E::StopRequested { .. }
            | E::RolledBack { .. } => Self::Circumstance,
            E::AgentNoted { .. } | E::Undo(_) => Self::AgentWork,
            E::ModelAsked { .. }
            | E::TaskTakenUp { .. }
            | E::DecisionMade { .. }
            | E::Charged { .. }
            | E::OutcomeRecorded(_) => Self::Silent,
        }
    }

    /// Whether an event belongs to the way of a run through its phases, rather than to one task.
    #[must_use]
    pub const fn is_on_the_way(body: &EventBody) -> bool {
        match Self::of(body) {
            Self::Start | Self::Phase | Self::Preparation | Self::Plan | Self::Human | Self::End => true,
            Self::Circumstance => matches!(
                body,
                EventBody::GuardrailTripped { .. }
                    | EventBody::ConflictResolved { .. }
                    | EventBody::RunPaused { .. }
                    | EventBody::RunResumed {}
                    | EventBody::StopRequested { .. }
                    | EventBody::RolledBack { .. }
            ),
            Self::Revision | Self::Task | Self::AgentWork | Self::Notice | Self::Progress | Self::Silent => {
                false
            }
        }
    }
}
