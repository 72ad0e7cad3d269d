//! What a room hands over when its work is done, in the words that the engine understands.

use candor_model::{Goal, Handoff, TaskId};

use crate::validation::Proposal;

/// What a phase reports when its work is done.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseReport {
    /// What it leaves for the next phase.
    pub handoff: Handoff,
    /// The part of it that moves the run.
    pub result: PhaseResult,
    /// What was decided on the way, and why.
    pub decisions: Vec<RoomDecision>,
    /// What a guardrail found: the rule, and what it found.
    pub warnings: Vec<(&'static str, String)>,
}

/// A decision that a room made, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomDecision {
    /// What was being done, such as `route_task`.
    pub operation: &'static str,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// What it was decided on.
    pub input: String,
    /// What was decided.
    pub decision: String,
    /// Why.
    pub reasoning: String,
}

/// The part of a phase's result that moves the run.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseResult {
    /// Nothing beyond the handoff.
    Plain,
    /// The goal; from evaluation.
    Goal(Goal),
    /// A plan to be validated; from planning.
    Plan(Proposal),
    /// The success criteria that are not met; from validation.
    Verdict {
        /// Those that are not met.
        unmet: Vec<String>,
    },
}
