//! What is known of a run: a fold over its log.

mod apply;
mod asks;
mod budget;
mod checkpoint;
mod circuits;
mod course;
mod findings;
mod notebook;
mod owed;
mod plan;
mod questions;
mod results;
mod task_run;
mod tasks;
mod view;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AfterStop, AgentType, CheckpointId, ChoiceKind, Confidence, GateId, Goal, Phase, PlanVersion, Position,
    Question, RunId, RunSettings, RunStatus, Seconds, StartMaterial, Timestamp,
};
use serde::{Deserialize, Serialize};

pub use checkpoint::Checkpoint;
pub(crate) use checkpoint::Resume;
pub(crate) use course::{GUARDED, due, first_phases};
pub(crate) use findings::Findings;
pub use findings::{PromptEntry, ShownPlan};
pub(crate) use notebook::asked_by;
pub(crate) use owed::Owed;
pub(crate) use task_run::{Attempt, TaskRun, TaskState};
pub(crate) use view::outcome_of;
pub(crate) use work::{ReadyKey, Work};

/// Which part of its life a run is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Stage {
    /// Nothing has happened.
    New,
    /// The guardrails look at the request; nothing else happens before they are done.
    Guarding {
        /// Which look it is.
        attempt: u32,
    },
    /// The phases before the plan are at work.
    Preparing {
        /// Those at work.
        open: BTreeSet<Phase>,
        /// When planning began, for its time limit.
        since: Timestamp,
    },
    /// The first plan waits for approval.
    Proposed,
    /// Tasks are being carried out.
    Executing,
    /// The phases after the work are at work.
    Closing {
        /// The one at work.
        phase: Phase,
    },
    /// Every attempt is being stopped.
    Stopping {
        /// What follows then.
        then: Box<AfterStop>,
    },
    /// It is over.
    Ended(RunStatus),
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    run_id: RunId,
    position: Position,
    settings: Arc<RunSettings>,
    material: Option<Arc<StartMaterial>>,
    stage: Stage,
    paused: bool,
    goal: Option<Arc<Goal>>,
    /// Shared with the checkpoints, and copied when it changes after one.
    work: Option<Arc<Work>>,
    /// The questions that wait for a person.
    gates: BTreeMap<GateId, Question>,
    budget: budget::Budget,
    results: results::Results,
    confidence: results::ConfidenceHistory,
    /// Shared between copies: a decision that looks ahead copies the state, and changes none of them.
    checkpoints: Vec<Arc<Checkpoint>>,
    counters: checkpoint::Counters,
    circuits: circuits::Circuits,
    /// How many attempts this machine bears at once, since its resources were short.
    #[serde(default)]
    room_at_once: Option<u32>,
    asks: asks::Asks,
    /// Shared between copies, because most decisions look ahead without changing it.
    findings: Arc<Findings>,
    notebook: notebook::Notebook,
    /// What must follow the last event; nothing at the end of a whole append.
    owed: Option<Box<Owed>>,
}

impl RunState {
    /// The state of a run whose log is empty.
    #[must_use]
    pub fn new(run_id: RunId) -> Self {
        Self {
            run_id,
            position: Position::START,
            settings: Arc::default(),
            material: None,
            stage: Stage::New,
            paused: false,
            goal: None,
            work: None,
            gates: BTreeMap::new(),
            budget: budget::Budget::default(),
            results: results::Results::default(),
            confidence: results::ConfidenceHistory::default(),
            checkpoints: Vec::new(),
            counters: checkpoint::Counters::default(),
            circuits: circuits::Circuits::default(),
            room_at_once: None,
            asks: asks::Asks::default(),
            findings: Arc::default(),
            notebook: notebook::Notebook::default(),
            owed: None,
        }
    }

    /// The run.
    #[must_use]
    pub const fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// How many events the state was folded from; the expected position of the next append.
    #[must_use]
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The person's own words.
    #[must_use]
    pub fn request(&self) -> &str {
        self.findings.prompts.current()
    }

    pub(crate) fn findings(&self) -> &Findings {
        &self.findings
    }

    fn findings_mut(&mut self) -> &mut Findings {
        Arc::make_mut(&mut self.findings)
    }

    /// The run's words from the first on; the last are those that hold.
    #[must_use]
    pub fn prompts(&self) -> &[PromptEntry] {
        &self.findings.prompts.entries
    }

    /// The goal or plan that the person brought.
    #[must_use]
    pub fn material(&self) -> Option<&StartMaterial> {
        self.material.as_deref()
    }

    /// The limits that hold for the run.
    #[must_use]
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Which part of its life the run is in.
    #[must_use]
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Whether no new task is started, because a person paused the run or is asked something.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused || self.is_held()
    }

    /// Whether a question is open, or something is being undone, that everything waits for. What an agent asks
    /// about its own task holds up nothing else.
    #[must_use]
    pub(crate) fn is_held(&self) -> bool {
        let of_one_task = |question: &Question| match question {
            Question::Choice(request) => request.about == ChoiceKind::Agent,
            _ => false,
        };
        !self.gates.values().all(of_one_task) || !self.undoing().is_empty()
    }

    /// How long an agent may take for one attempt.
    pub(crate) fn time_for(&self, agent: &AgentType) -> Seconds {
        let known = self.work().and_then(|work| work.agents.get(agent));
        known.and_then(|known| known.timeout).unwrap_or(self.settings.agent_timeout)
    }

    /// The goal, once it is known.
    #[must_use]
    pub fn goal(&self) -> Option<&Goal> {
        self.goal.as_deref()
    }

    /// How sure Candor is of the plan, once there is one.
    #[must_use]
    pub fn confidence(&self) -> Option<Confidence> {
        self.work.as_ref().map(|work| work.confidence)
    }

    /// The questions that wait for a person.
    #[must_use]
    pub const fn open_questions(&self) -> &BTreeMap<GateId, Question> {
        &self.gates
    }

    /// The points that the run can be rolled back to, oldest first.
    #[must_use]
    pub fn checkpoints(&self) -> &[Arc<Checkpoint>] {
        &self.checkpoints
    }

    /// The point at which a phase had just been completed: the latest, but for the plan the first, because
    /// what was approved later belongs to the work.
    #[must_use]
    pub fn after_phase(&self, phase: Option<Phase>) -> Option<CheckpointId> {
        let phase = phase?;
        let mut points = self.checkpoints.iter().filter(|point| point.phase == Some(phase));
        let found = if phase == Phase::Planning { points.next() } else { points.next_back() };
        found.map(|point| point.id)
    }

    /// The phases whose results the run can go back to, for people.
    #[must_use]
    pub fn phases_to_go_back_to(&self) -> String {
        let phases: BTreeSet<Phase> = self.checkpoints.iter().filter_map(|point| point.phase).collect();
        let known: Vec<String> = phases.iter().map(|phase| format!("{} ({phase})", phase.number())).collect();
        if known.is_empty() { "none yet".to_owned() } else { known.join(", ") }
    }

    /// The phases whose results hold.
    #[must_use]
    pub fn completed_phases(&self) -> &BTreeSet<Phase> {
        &self.findings.phases.completed
    }

    /// Where the run stands, in one word.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match &self.stage {
            Stage::Ended(status) => *status,
            Stage::Stopping { .. } => RunStatus::Stopping,
            _ if !self.gates.is_empty() => RunStatus::WaitingHuman,
            _ if self.paused => RunStatus::Paused,
            Stage::Executing | Stage::Closing { .. } => RunStatus::Executing,
            Stage::New | Stage::Guarding { .. } | Stage::Preparing { .. } | Stage::Proposed => {
                RunStatus::Preparing
            }
        }
    }

    /// How many attempts this machine bears at once, if its resources were short.
    pub(crate) const fn room_at_once(&self) -> Option<u32> {
        self.room_at_once
    }

    pub(crate) const fn paused_by_person(&self) -> bool {
        self.paused
    }

    pub(crate) fn work(&self) -> Option<&Work> {
        self.work.as_deref()
    }

    pub(crate) fn phase_attempt(&self, phase: Phase) -> u32 {
        self.counters.phases.get(&phase).copied().unwrap_or(0)
    }

    pub(crate) const fn next_version(&self) -> PlanVersion {
        self.counters.version.next()
    }

    pub(crate) const fn next_question(&self) -> u32 {
        self.counters.questions.saturating_add(1)
    }

    pub(crate) fn checkpoint(&self, id: CheckpointId) -> Option<&Checkpoint> {
        self.checkpoints.iter().map(Arc::as_ref).find(|checkpoint| checkpoint.id == id)
    }

    /// Whether tasks may be started: the guardrails have passed the request, the plan is being carried out
    /// and no person is waited for.
    pub(crate) fn may_dispatch(&self) -> bool {
        let guardrails = self.findings.prompts.guardrails;
        self.stage == Stage::Executing && !self.is_paused() && (guardrails.passed || !guardrails.needed)
    }
}
