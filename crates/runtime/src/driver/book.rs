//! What a driver knows of its run: the state, what the phases left, and the time.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_engine::RunState;
use candor_model::{
    AgentCapability, AskKey, CalibrationMetrics, DecisionEntry, Event, EventBody, Handoff, Phase, Position,
    Recorded, RoutedExample, RunId, Timestamp,
};
use candor_phases::{Answers, Meaning, PhaseContext};
use candor_planning::calibration;
use candor_ports::{Embedder, EventLog, Experience};

use super::DriveError;
use crate::{AgentRegistry, Clock};

/// What a phase can have from outside.
pub(super) struct Outside<'a> {
    /// Whether models can be asked.
    pub(super) models: bool,
    /// Who knows what texts mean.
    pub(super) meaning: Option<&'a dyn Embedder>,
}

/// How many decisions are kept at hand.
const MOST_DECISIONS: usize = 1_000;

/// The step under which it is noted that texts could not be embedded.
pub(super) const EMBED: &str = "embed";

/// What is known of a run by folding its log.
#[derive(Clone)]
pub(super) struct Book {
    pub(super) state: RunState,
    pub(super) clock: Clock,
    handoffs: BTreeMap<Phase, Handoff>,
    /// The latest decisions, for whoever asks about the plan.
    decisions: Vec<DecisionEntry>,
    /// How many questions agents have asked each other, ever.
    pub(super) queries: u64,
    agents: Vec<AgentCapability>,
    calibration: CalibrationMetrics,
    examples: Arc<[RoutedExample]>,
}

impl Book {
    /// The book of a run that has not begun.
    pub(super) fn new(run_id: RunId, experience: Experience, registry: &AgentRegistry) -> Self {
        let Experience { measured, outcomes, examples, .. } = experience;
        Self {
            state: RunState::new(run_id),
            clock: Clock::starting_at(Timestamp::EPOCH),
            handoffs: BTreeMap::new(),
            decisions: Vec::new(),
            queries: 0,
            agents: registry.known(&measured),
            calibration: calibration::metrics(&outcomes),
            examples: examples.into(),
        }
    }

    /// The book of a run that is on the log.
    pub(super) async fn open(
        log: &dyn EventLog,
        run_id: RunId,
        registry: &AgentRegistry,
    ) -> Result<Self, DriveError> {
        let events = log.read(&run_id, Position::START).await?;
        let Some(last) = events.last() else {
            return Err(DriveError::UnknownRun { run: run_id });
        };
        let last_at = last.event.at;
        let mut book = Self::new(run_id, log.experience().await?, registry);
        book.clock = Clock::starting_at(last_at);
        book.catch_up(&events)?;
        Ok(book)
    }

    /// Takes events from the log into account.
    pub(super) fn catch_up(&mut self, events: &[Recorded]) -> Result<(), DriveError> {
        self.state.catch_up(events)?;
        events.iter().for_each(|recorded| self.keep(&recorded.event));
        Ok(())
    }

    /// Takes an event into account that is about to be appended.
    pub(super) fn apply(&mut self, event: &Event) {
        self.state.apply(event);
        self.keep(event);
    }

    fn keep(&mut self, event: &Event) {
        match &event.body {
            EventBody::PhaseCompleted { phase, handoff, .. } => {
                self.handoffs.insert(*phase, Handoff::clone(handoff));
            }
            EventBody::DecisionMade { entry } => {
                if self.decisions.len() >= MOST_DECISIONS {
                    self.decisions.drain(..MOST_DECISIONS / 2);
                }
                self.decisions.push(DecisionEntry::clone(entry));
            }
            EventBody::AgentQueried { .. } => self.queries = self.queries.saturating_add(1),
            _ => {}
        }
    }

    /// Has a phase look at the desk as it is now.
    pub(super) fn with_context<T>(
        &self,
        (phase, attempt): (Phase, u32),
        outside: &Outside<'_>,
        work: impl FnOnce(&PhaseContext<'_>) -> T,
    ) -> T {
        let plan = self.state.plan();
        let told = |step: &str| self.state.consulted(&AskKey { phase, attempt, step: step.to_owned() });
        let deaf = told(EMBED).iter().any(|step| step.outcome.is_final());
        work(&PhaseContext {
            answers: (outside.models && !self.state.settings().direct).then_some(Answers(&told)),
            meaning: outside.meaning.filter(|_| !deaf).map(Meaning),
            examples: &self.examples,
            resting: self.state.resting(),
            run_id: self.state.run_id(),
            request: self.state.request(),
            now: self.clock.now(),
            settings: self.state.settings(),
            material: self.state.material(),
            handoffs: &self.handoffs,
            goal: self.state.goal(),
            agents: &self.agents,
            calibration: &self.calibration,
            plan: plan.as_ref(),
            evaluation: self.state.evaluation(),
            brief: self.state.brief(),
            talk: self.state.talk(),
            decisions: &self.decisions,
            refine: self.state.to_refine(phase),
            files: self.state.files(),
            checks: self.state.checks(),
            responses: self.state.responses(),
            messages: self.state.messages(),
            feedback: self.state.feedback(),
        })
    }
}
