//! What a phase sees of the run when it is worked on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AgentCapability, AgentType, Broadcast, CalibrationMetrics, CheckResult, DecisionEntry, Evaluation,
    ExecutionFeedback, Goal, Handoff, LedgerEntry, Phase, PhaseOutput, Plan, PlanBrief, PlanOutcome,
    PlanTalk, QueryResponse, ReadFile, RoutedExample, RunId, RunSettings, StartMaterial, Timestamp,
};
use serde::de::DeserializeOwned;

use crate::{Answers, Meaning};

/// Everything that a phase may look at.
#[derive(Debug, Clone, Copy)]
pub struct PhaseContext<'a> {
    /// Id of the run that the phase works for.
    pub run_id: &'a RunId,
    /// The person's own words.
    pub request: &'a str,
    /// Which try of the phase this is.
    pub attempt: u32,
    /// Time of the input that asked for the work; phases have no clock.
    pub now: Timestamp,
    /// When the work began; absent before.
    pub started: Option<Timestamp>,
    /// The limits that hold for the run.
    pub settings: &'a RunSettings,
    /// The goal or plan that the person brought.
    pub material: Option<&'a StartMaterial>,
    /// What the phases before left.
    pub handoffs: &'a BTreeMap<Phase, Arc<Handoff>>,
    /// The request, judged; once it is.
    pub evaluation: Option<&'a Evaluation>,
    /// The goal, once it is known.
    pub goal: Option<&'a Goal>,
    /// Everyone who can be given a task.
    pub agents: &'a [AgentCapability],
    /// How far past confidence could be trusted.
    pub calibration: &'a CalibrationMetrics,
    /// The plan as it stands, for the phases after the work.
    pub plan: Option<&'a Plan>,
    /// That plan in figures.
    pub brief: Option<&'a PlanBrief>,
    /// What a person wants of the plan; absent when the first plan is made.
    pub talk: Option<&'a PlanTalk>,
    /// The latest decisions, oldest first.
    pub decisions: &'a [DecisionEntry],
    /// What the critique of the phase's last try found wrong; empty at the first.
    pub refine: &'a [String],
    /// The files that were read, by path.
    pub files: &'a BTreeMap<String, ReadFile>,
    /// The checks of results that were made in this try of the phase.
    pub checks: &'a [CheckResult],
    /// What agents answered to questions of this phase.
    pub responses: &'a [QueryResponse],
    /// What agents told each other so far.
    pub messages: &'a [Arc<Broadcast>],
    /// What models have said so far to the phase; absent if there is no model.
    pub answers: Option<Answers<'a>>,
    /// Who knows what texts mean; absent if only words can be compared.
    pub meaning: Option<Meaning<'a>>,
    /// How past plans ended, the latest last.
    pub outcomes: &'a [Arc<PlanOutcome>],
    /// Who succeeded at what before.
    pub examples: &'a [RoutedExample],
    /// The agents whose circuit is open, and until when.
    pub open_circuits: &'a BTreeMap<AgentType, Option<Timestamp>>,
    /// Everything that agents reported, in the order in which it came.
    pub feedback: &'a [Arc<ExecutionFeedback>],
    /// The calls of tools that change something, with their receipts.
    pub ledger: &'a [LedgerEntry],
    /// The web addresses that tools were given or spoke of.
    pub addresses: &'a BTreeSet<String>,
}

impl PhaseContext<'_> {
    /// What a phase before left; nothing if it left nothing, or something of another form.
    #[must_use]
    pub fn left<T: PhaseOutput + DeserializeOwned>(&self) -> Option<T> {
        self.handoffs.get(&T::PHASE)?.output().ok()
    }
}
