//! What is known of a run by folding its log: the engine's state, and what phases look at beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_engine::{FoldError, RunState};
use candor_model::{
    AgentCapability, AskKey, CalibrationMetrics, DecisionEntry, Event, EventBody, Handoff, Phase,
    PlanOutcome, Recorded, RoutedExample, RunId, Timestamp, Vectors,
};
use candor_phases::{Answers, Meaning, PhaseContext};
use candor_planning::tally::Tally;

/// How many decisions are kept at hand.
const MOST_DECISIONS: usize = 1_000;

/// The step under which it is noted that texts could not be embedded.
pub(crate) const EMBED: &str = "embed";

/// What the runs before taught: figures of the agents, calibration, and who succeeded at what.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// Everyone who can be given a task, with figures corrected by what was measured.
    pub agents: Arc<[AgentCapability]>,
    /// How far past confidence could be trusted.
    pub calibration: CalibrationMetrics,
    /// How past plans ended, the latest last.
    pub outcomes: Arc<[Arc<PlanOutcome>]>,
    /// Who succeeded at what.
    pub examples: Arc<[RoutedExample]>,
}

/// A run as its log tells it.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub(crate) state: RunState,
    handoffs: BTreeMap<Phase, Arc<Handoff>>,
    /// The latest decisions, for whoever asks about the plan.
    decisions: Vec<DecisionEntry>,
    /// How many questions agents have asked each other, ever.
    pub(crate) queries: u64,
    /// What the run took so far.
    tally: Tally,
}

/// What a phase can have from outside.
pub(crate) struct Outside<'a> {
    /// Whether models can be asked.
    pub(crate) models: bool,
    /// Who knows what texts mean.
    pub(crate) vectors: Option<&'a dyn Vectors>,
    pub(crate) learned: &'a Learned,
    pub(crate) now: Timestamp,
}

impl History {
    pub(crate) fn new(run_id: RunId) -> Self {
        let state = RunState::new(run_id);
        Self { state, handoffs: BTreeMap::new(), decisions: Vec::new(), queries: 0, tally: Tally::default() }
    }

    /// Takes events from the log into account.
    pub(crate) fn catch_up(&mut self, events: &[Recorded]) -> Result<(), FoldError> {
        self.state.catch_up(events)?;
        events.iter().for_each(|recorded| self.keep(&recorded.event));
        Ok(())
    }

    /// Takes an event into account that is about to be appended.
    pub(crate) fn apply(&mut self, event: &mut Event) {
        self.state.apply(event);
        self.keep_new(event);
    }

    /// The same for events whose state is known already.
    pub(crate) fn go_on_from(&mut self, state: RunState, events: &mut [Event]) {
        self.state = state;
        events.iter_mut().for_each(|event| self.keep_new(event));
    }

    /// Keeps what is known beside the state. An outcome gets the run's figures.
    fn keep_new(&mut self, event: &mut Event) {
        self.keep(event);
        if let EventBody::OutcomeRecorded(record) = &mut event.body {
            record.figures = Some(Box::new(self.tally.figures()));
        }
    }

    fn keep(&mut self, event: &Event) {
        self.tally.apply(event);
        match &event.body {
            EventBody::PhaseCompleted { phase, handoff, .. } => {
                self.handoffs.insert(*phase, Arc::clone(handoff));
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

    /// Has a phase look at the run as it is now.
    pub(crate) fn with_context<T>(
        &self,
        (phase, attempt): (Phase, u32),
        outside: &Outside<'_>,
        work: impl FnOnce(&PhaseContext<'_>) -> T,
    ) -> T {
        let state = &self.state;
        let plan = state.plan();
        let told = |step: &str| state.consulted(&AskKey { phase, attempt, step: step.to_owned() });
        let deaf = told(EMBED).iter().any(|step| step.outcome.is_final());
        work(&PhaseContext {
            answers: (outside.models && !state.settings().direct).then_some(Answers(&told)),
            meaning: outside.vectors.filter(|_| !deaf).map(Meaning),
            outcomes: &outside.learned.outcomes,
            examples: &outside.learned.examples,
            open_circuits: state.open_circuits(),
            run_id: state.run_id(),
            request: state.request(),
            attempt,
            now: outside.now,
            started: state.execution_started(),
            settings: state.settings(),
            material: state.material(),
            handoffs: &self.handoffs,
            goal: state.goal(),
            agents: &outside.learned.agents,
            calibration: &outside.learned.calibration,
            plan: plan.as_ref(),
            evaluation: state.evaluation(),
            brief: state.brief(),
            talk: state.talk(),
            decisions: &self.decisions,
            refine: state.to_refine(phase),
            files: state.files(),
            checks: state.checks(),
            responses: state.responses(),
            messages: state.messages(),
            feedback: state.feedback(),
            ledger: state.ledger(),
            addresses: state.addresses(),
        })
    }
}
