//! What a phase hands over when its work is done, in the words that the engine understands.

use std::collections::BTreeMap;

use candor_model::{Broadcast, CritiqueChecks, Enhancement, Evaluation, Goal, Handoff, TaskId};

use crate::validation::Proposal;

/// What a phase reports when its work is done.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseReport {
    /// What it leaves for the next phase.
    pub handoff: Handoff,
    /// The part of it that moves the run.
    pub result: PhaseResult,
    /// What was decided on the way, and why.
    pub decisions: Vec<DecisionNote>,
    /// What a guardrail found: the rule, and what it found.
    pub warnings: Vec<(&'static str, String)>,
    /// What the phase's agents told each other.
    pub messages: Vec<Broadcast>,
    /// What the phase thinks of its own work; absent if nobody judged it.
    pub critique: Option<Box<CritiqueChecks>>,
    /// How well it did its work, by the names of the phase's criteria.
    pub criteria: BTreeMap<String, f64>,
    /// Why it went less well than it should, as codes.
    pub failure_reasons: Vec<String>,
}

impl PhaseReport {
    /// A report that says only what came out.
    #[must_use]
    pub const fn new(handoff: Handoff, result: PhaseResult) -> Self {
        Self {
            handoff,
            result,
            decisions: Vec::new(),
            warnings: Vec::new(),
            messages: Vec::new(),
            critique: None,
            criteria: BTreeMap::new(),
            failure_reasons: Vec::new(),
        }
    }
}

/// A decision that a phase made, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionNote {
    /// What was being done, such as `route_task`.
    pub operation: &'static str,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// What it was decided on.
    pub input: String,
    /// What was chosen, for people to read.
    pub decision: String,
    /// What spoke for it, with the figures that decided.
    pub reasoning: String,
}

/// The part of a phase's result that moves the run.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there are eight of them in a run, each moved once")]
pub enum PhaseResult {
    /// Nothing beyond the handoff.
    Plain,
    /// The goal; from evaluation.
    Goal {
        /// The goal.
        goal: Box<Goal>,
        /// Complexity and quality of the request.
        evaluation: Option<Box<Evaluation>>,
        /// Better wordings, when it is weak.
        enhancement: Option<Box<Enhancement>>,
    },
    /// A plan to be validated; from planning.
    Plan(Proposal),
    /// The answer to what a person asked about the plan; from planning.
    Reply(String),
    /// What of the result does not hold; from validation.
    Verdict {
        /// Success criteria of the goal that are not met.
        unmet: Vec<String>,
        /// Tasks whose result fails their own criterion, and why.
        failed: Vec<(TaskId, String)>,
    },
}

impl PhaseResult {
    /// A goal without a judgement of the request.
    #[must_use]
    pub fn goal(goal: Goal) -> Self {
        Self::Goal { goal: Box::new(goal), evaluation: None, enhancement: None }
    }
}
