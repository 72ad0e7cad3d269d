//! The session itself: inputs are decided on together, appended together, and decided on again when someone else
//! wrote in between.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use candor_engine::{FoldError, Input, Refusal, RunState, decide_ahead};
use candor_model::{
    AgentType, AskKey, AskPolicy, AskStep, Consulted, Effect, Event, GateId, Phase, Position, Question,
    Recorded, RunId, RunStatus, Seconds, Tier, Timestamp, Vectors,
};

use crate::agents::answer_for;
use crate::asks::Asks;
use crate::circuits::Circuits;
use crate::history::{EMBED, History, Learned};
use crate::input::{Answer, Outcome, Reply, RequestId, SessionInput, Ticket};
use crate::messages::unanswered;
use crate::phase_loop::{Needs, PhaseWork};
use crate::requests::Request;

/// How many inputs share one append at most.
const MAX_BATCH: usize = 64;

/// An agent ends itself at its deadline and reports its last words; the engine's own tick comes this much later and
/// counts only when that did not happen.
const GRACE_MS: u64 = 80;

/// What a session is connected to. None of it waits for anything.
#[derive(Clone)]
pub struct SessionDeps {
    /// Who does the work of the phases.
    pub phases: Arc<dyn PhaseWork>,
    /// How models are asked; without it the rule-based fallbacks are used.
    pub models: Option<Arc<dyn AskPolicy>>,
    /// What texts mean; without it only words are compared.
    pub vectors: Option<Arc<dyn Vectors>>,
    /// The circuit breakers of the installation.
    pub circuits: Arc<dyn Circuits>,
    /// Whether files can be read outside.
    pub inspects: bool,
    /// Everyone who can be given a task.
    pub declared: Arc<[AgentType]>,
    /// The last phase of a dry run: no later one is worked on, and nobody is given a task.
    pub last_phase: Option<Phase>,
}

/// What a run looks like, as far as whoever drives it needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSnapshot {
    /// Where the run stands.
    pub status: RunStatus,
    /// What waits for a person.
    pub questions: Vec<(GateId, Question)>,
    /// Whether anything is being done.
    pub busy: bool,
}

/// Events to append to the run's log, all of them or none.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    /// Where the log must end.
    pub from: Position,
    /// What comes behind it.
    pub events: Vec<Event>,
}

/// Inputs that were decided on together; their events become durable together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    from: Position,
    events: Vec<Event>,
    /// The inputs again, should someone else have written in between.
    taken: Vec<(Input, Option<Ticket>)>,
    /// What is to be answered when the batch is durable, beside [`Answer::Durable`].
    pub(crate) answers: Vec<(Ticket, Answer)>,
}

/// One run, without clock, files or network: it takes inputs, and says what is to be appended and performed.
pub struct Session {
    pub(crate) deps: SessionDeps,
    pub(crate) learned: Learned,
    pub(crate) history: History,
    pub(crate) now: Timestamp,
    pub(crate) batch: Batch,
    /// What the log said when someone else was last found to have written, for as long as we try to append.
    settled: Option<History>,
    /// What the session answers by itself.
    pub(crate) own: VecDeque<Input>,
    /// Commands that go back, and wait until the files that are known were looked at.
    pub(crate) held: VecDeque<(Input, Ticket)>,
    pub(crate) needs: Needs,
    pub(crate) asks: Asks,
    /// Who waits for an answer of another agent, by the name of the question.
    pub(crate) asking: BTreeMap<String, Ticket>,
    pub(crate) requests: BTreeMap<RequestId, Request>,
    pub(crate) effects: VecDeque<Effect>,
    pub(crate) cancelled: VecDeque<RequestId>,
    pub(crate) replies: VecDeque<(Ticket, Reply)>,
    /// The tries of phases for which the files that are known were looked at.
    pub(crate) reread: BTreeSet<(Phase, u32)>,
    /// Embedding was tried and did not work; tasks are routed by words.
    pub(crate) embedding_failed: bool,
    /// How many of the run's messages were given out.
    pub(crate) spread: usize,
    tickets: u64,
}

impl Session {
    /// A run that has not begun.
    #[must_use]
    pub fn new(run_id: RunId, deps: SessionDeps, learned: Learned) -> Self {
        Self {
            deps,
            learned,
            history: History::new(run_id),
            now: Timestamp::EPOCH,
            batch: Batch::default(),
            settled: None,
            own: VecDeque::new(),
            held: VecDeque::new(),
            needs: Needs::default(),
            asks: Asks::default(),
            asking: BTreeMap::new(),
            requests: BTreeMap::new(),
            effects: VecDeque::new(),
            cancelled: VecDeque::new(),
            replies: VecDeque::new(),
            reread: BTreeSet::new(),
            embedding_failed: false,
            spread: 0,
            tickets: 0,
        }
    }

    /// A run as its log tells it.
    pub fn open(
        run_id: RunId,
        deps: SessionDeps,
        learned: Learned,
        log: &[Recorded],
    ) -> Result<Self, FoldError> {
        let mut session = Self::new(run_id, deps, learned);
        session.history.catch_up(log)?;
        session.batch.from = session.history.state.position();
        Ok(session)
    }

    /// The run's state; ahead of the log between [`Session::handle`] and [`Session::committed`].
    #[must_use]
    pub const fn state(&self) -> &RunState {
        &self.history.state
    }

    /// Where the run's log ends; the state may be ahead of it.
    #[must_use]
    pub const fn durable(&self) -> Position {
        self.batch.from
    }

    /// What the run looks like.
    #[must_use]
    pub fn snapshot(&self) -> RunSnapshot {
        let state = &self.history.state;
        let questions = state.open_questions().iter().map(|(gate, asked)| (gate.clone(), asked.clone()));
        let busy = !self.requests.is_empty() || self.has_own_inputs();
        RunSnapshot { status: state.status(), questions: questions.collect(), busy }
    }

    /// Whether the session has inputs of its own, so that [`Session::append`] is due without waiting.
    #[must_use]
    pub fn has_own_inputs(&self) -> bool {
        !self.own.is_empty()
    }

    /// Whether a batch takes no more inputs before it is appended.
    #[must_use]
    pub fn is_batch_full(&self) -> bool {
        self.batch.taken.len() >= MAX_BATCH
    }

    /// When a tick is due, if nothing happens before.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Timestamp> {
        self.history.state.next_timeout().map(|at| at.plus(Seconds::from_millis(GRACE_MS)))
    }

    /// Decides on an input. The ticket names it: its reply comes when it is durable, or answered.
    pub fn handle(&mut self, input: SessionInput, now: Timestamp) -> Result<Ticket, Refusal> {
        self.now = now;
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        match input {
            SessionInput::Command(input) if self.must_look_first(&input) => {
                self.held.push_back((input, ticket));
            }
            SessionInput::Command(input) => self.take(input, Some(ticket))?,
            SessionInput::Outcome(outcome) => self.outcome(outcome),
            SessionInput::Agent { from, request } => self.agent_wants(from, request, ticket)?,
        }
        Ok(ticket)
    }

    /// The run is driven again: questions whose askers are gone are closed, and what was under way is made again.
    pub fn resume(&mut self, now: Timestamp) -> Result<(), Refusal> {
        self.now = now;
        if !self.history.state.status().is_end() {
            let open: Vec<_> = self.history.state.open_queries().cloned().collect();
            for query in open {
                let response = Box::new(unanswered(&query, "whoever asked was interrupted"));
                self.take(Input::QueryAnswered { response }, None)?;
            }
        }
        self.take(Input::TakenUp, None)
    }

    /// Has the phases work, and gives out what is to be appended; nothing if nothing happened. Until it is known
    /// what became of it, no effect follows from it.
    pub fn append(&mut self, now: Timestamp) -> Option<Append> {
        self.now = now;
        while let Some(input) = self.own.pop_front() {
            self.take_own(input);
        }
        self.note_circuits();
        self.go_on_asking();
        self.work_on_phases();
        if self.batch.events.is_empty() {
            self.settle();
            return None;
        }
        let mut events = std::mem::take(&mut self.batch.events);
        // It is kept until it is durable, by as many runs as wait for the same commit.
        events.shrink_to_fit();
        Some(Append { from: self.batch.from, events })
    }

    /// What was to be appended is durable. Gives it with its positions.
    pub fn committed(&mut self, append: Append) -> Vec<Recorded> {
        self.settled = None;
        self.settle();
        let from = append.from;
        (1..).zip(append.events).map(|(n, event)| Recorded { position: from.plus(n), event }).collect()
    }

    /// From where on the log is to be read for [`Session::conflict`].
    #[must_use]
    pub fn conflict_from(&self) -> Position {
        self.settled.as_ref().map_or(Position::START, |settled| settled.state.position())
    }

    /// Someone else wrote in between: what the log says from [`Session::conflict_from`] on is taken into account, and
    /// the inputs of the batch are decided on again. [`Session::append`] comes next.
    ///
    /// Whoever writes often leaves little time between two appends. So what was folded is kept for the next time.
    pub fn conflict(&mut self, log: &[Recorded], now: Timestamp) -> Result<(), FoldError> {
        self.now = now;
        let run_id = self.history.state.run_id().clone();
        let mut settled = self.settled.take().unwrap_or_else(|| History::new(run_id));
        settled.catch_up(log)?;
        self.history = settled.clone();
        self.settled = Some(settled);
        let stale = std::mem::take(&mut self.batch);
        self.batch =
            Batch { from: self.history.state.position(), answers: stale.answers, ..Batch::default() };
        for (input, ticket) in stale.taken {
            if let (Err(refusal), Some(ticket)) = (self.take(input, ticket), ticket) {
                self.replies.push_back((ticket, Err(refusal)));
            }
        }
        Ok(())
    }

    /// Takes into account what another process wrote, while nothing of ours waits to be appended.
    pub fn catch_up(&mut self, events: &[Recorded]) -> Result<(), FoldError> {
        self.history.catch_up(events)?;
        self.batch.from = self.history.state.position();
        Ok(())
    }

    /// The next effect to perform.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// The next request that nobody waits for any more. Attempts, calls of models and undoing are answered all the
    /// same; of the others nothing is expected.
    pub fn poll_cancelled(&mut self) -> Option<RequestId> {
        self.cancelled.pop_front()
    }

    /// The next reply to whoever holds a ticket.
    pub fn poll_reply(&mut self) -> Option<(Ticket, Reply)> {
        self.replies.pop_front()
    }

    /// Decides on an input; its events wait to be appended.
    pub(crate) fn take(&mut self, input: Input, ticket: Option<Ticket>) -> Result<(), Refusal> {
        self.take_or_return(input, ticket).map_err(|refused| refused.0)
    }

    /// [`Session::take`] that gives back an input which was refused.
    fn take_or_return(&mut self, input: Input, ticket: Option<Ticket>) -> Result<(), Box<(Refusal, Input)>> {
        self.allow_retry(&input);
        let again = input.clone();
        match self.decide(input) {
            Ok(()) => {
                self.batch.taken.push((again, ticket));
                Ok(())
            }
            Err(refusal) => Err(Box::new((refusal, again))),
        }
    }

    /// Decides on an input that nobody waits for. One that comes too late or twice is not used.
    pub(crate) fn take_own(&mut self, input: Input) {
        if let Err(refused) = self.take_or_return(input, None) {
            let (refusal, input) = *refused;
            self.own.extend(answer_for(input, &refusal, self.now));
        }
    }

    pub(crate) fn decide(&mut self, input: Input) -> Result<(), Refusal> {
        let (mut events, ahead) = decide_ahead(&self.history.state, input, self.now)?;
        match ahead {
            Some(ahead) => self.history.go_on_from(*ahead, &mut events),
            None => events.iter_mut().for_each(|event| self.history.apply(event)),
        }
        self.batch.events.extend(events);
        Ok(())
    }

    /// What came of an effect.
    fn outcome(&mut self, outcome: Outcome) {
        if !matches!(outcome, Outcome::Attempt(_)) {
            self.requests.remove(&outcome.request());
        }
        match outcome {
            Outcome::Attempt(ended) => self.attempt_ended(*ended),
            Outcome::Model { ask, number, step } => self.model_answered(&ask, number, step),
            Outcome::Embedded(result) => self.embedded(result),
            Outcome::Files(files) => {
                self.reread.extend(phases_at_work(&self.history.state));
                let files = self.read_files(files);
                self.take_own(Input::FilesRead { files });
                self.take_held();
            }
            Outcome::Checks { attempt, results } => {
                self.take_own(Input::ResultsChecked { attempt, results });
            }
            Outcome::Response(response) => self.responded(response),
            Outcome::Undone { key, undone } => self.take_own(Input::Undone { key, undone }),
        }
    }

    /// Texts could not be embedded: whoever waits for it goes on by words.
    fn embedded(&mut self, result: Result<(), String>) {
        let Err(reason) = result else { return };
        self.embedding_failed = true;
        let Some((phase, attempt)) = self.needs.embed_for.take() else { return };
        let outcome = AskStep::GiveUp { from: Tier::Fast, reason, kind: None };
        let step = Box::new(Consulted { call: None, outcome });
        let ask = AskKey { phase, attempt, step: EMBED.to_owned() };
        self.take_own(Input::Consulted { ask, number: 1, step });
    }

    /// Before a run goes back, the files that are known are looked at once more, so that it is known which of them
    /// were changed.
    fn must_look_first(&self, input: &Input) -> bool {
        let goes_back = matches!(input, Input::RollBack { .. } | Input::Restart { .. });
        goes_back && self.deps.inspects && !self.history.state.files().is_empty()
    }

    fn take_held(&mut self) {
        while let Some((input, ticket)) = self.held.pop_front() {
            if let Err(refusal) = self.take(input, Some(ticket)) {
                self.replies.push_back((ticket, Err(refusal)));
            }
        }
    }

    /// What was decided on is durable: whoever waits gets an answer, and what is asked for now is requested.
    fn settle(&mut self) {
        let Batch { taken, answers, .. } = std::mem::take(&mut self.batch);
        self.batch.from = self.history.state.position();
        let durable = taken.into_iter().filter_map(|(_, ticket)| Some((ticket?, Ok(Answer::Durable))));
        self.replies.extend(durable);
        self.replies.extend(answers.into_iter().map(|(ticket, answer)| (ticket, Ok(answer))));
        self.settle_asks();
        self.update_requests();
    }
}

fn phases_at_work(state: &RunState) -> Vec<(Phase, u32)> {
    let phases = state.effects().filter_map(|effect| match effect {
        Effect::RunPhase { phase, attempt } => Some((phase, attempt)),
        _ => None,
    });
    phases.collect()
}
