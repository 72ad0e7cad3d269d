//! The process that drives the session, with a log that survives it, and death at every point in between.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_engine::{Input, RunState, Stage, decide};
use candor_model::{
    AskId, AskStep, Effect, Event, EventBody, ForkedFrom, GateId, Money, Position, Recorded, RunId, Timestamp,
};
use candor_session::{
    AttemptKey, Learned, MemoryCircuits, Outcome, RequestId, Session, SessionDeps, SessionInput,
};

use super::invariants::Invariants;
use super::models::{SimPolicy, SimVectors};
use super::phases::SimPhases;
use super::world::{Happening, Stats, World};
use super::{agents, desks, models, people, phases, talk};
use crate::{arbitrary, fixtures};

/// The process and its log.
pub(super) struct Process {
    run_id: RunId,
    log: Vec<Recorded>,
    invariants: Invariants,
    session: Option<Session>,
    deps: SessionDeps,
    learned: Learned,
    pub(super) circuits: Arc<MemoryCircuits>,
    vectors: Arc<SimVectors>,
    /// The questions that people of this process know of, and the tick that it waits for.
    asked: BTreeSet<GateId>,
    ticking: Option<Timestamp>,
    /// What a process that was thought dead still believes; it may try to write.
    zombie: Option<RunState>,
    stats: Stats,
}

impl Process {
    pub(super) fn new(run_id: RunId, seed: u64, world: &World) -> Self {
        let circuits = Arc::new(MemoryCircuits::default());
        let vectors = Arc::new(SimVectors::default());
        let names = arbitrary::AGENTS.iter().map(|name| fixtures::agent_type(name));
        let deps = SessionDeps {
            phases: Arc::new(SimPhases::new(seed, Arc::clone(&world.trouble))),
            models: Some(Arc::new(SimPolicy::new(seed))),
            vectors: Some(Arc::clone(&vectors) as _),
            circuits: Arc::clone(&circuits) as _,
            inspects: true,
            declared: names.collect(),
            last_phase: None,
        };
        Self { circuits, vectors, ..Self::with(run_id, deps, Learned::default()) }
    }

    /// A process whose sessions are connected to these.
    pub(super) fn with(run_id: RunId, deps: SessionDeps, learned: Learned) -> Self {
        let session = Some(Session::new(run_id.clone(), deps.clone(), learned.clone()));
        Self {
            run_id,
            log: Vec::new(),
            invariants: Invariants::default(),
            session,
            deps,
            learned,
            circuits: Arc::default(),
            vectors: Arc::default(),
            asked: BTreeSet::new(),
            ticking: None,
            zombie: None,
            stats: Stats::default(),
        }
    }

    pub(super) fn into_log(self) -> Vec<Recorded> {
        self.log
    }

    pub(super) fn state(&self) -> Option<&RunState> {
        self.session.as_ref().map(Session::state)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.invariants.has_ended()
    }

    pub(super) fn stats(&self) -> Stats {
        let ended = self.state().map(RunState::status);
        Stats { events: self.log.len() as u64, ended, ..self.stats }
    }

    pub(super) fn tail(&self) -> Vec<String> {
        let skip = self.log.len().saturating_sub(40);
        let shorten = |text: String| text.chars().take(240).collect();
        self.log
            .iter()
            .skip(skip)
            .map(|recorded| shorten(format!("{} {:?}", recorded.position, recorded.event.body)))
            .collect()
    }

    /// An input reaches the process. A dead process hears nothing.
    pub(super) fn take(&mut self, world: &mut World, input: SessionInput) -> Result<(), String> {
        if self.session.is_none() {
            return Ok(());
        }
        if self.dies(world) {
            return self.crash(world);
        }
        let now = world.clock();
        self.what_was_paid_counts(&input, now)?;
        let tick = matches!(input, SessionInput::Command(Input::Tick));
        let Some(session) = &mut self.session else { return Ok(()) };
        if tick {
            self.ticking = None;
        }
        let (due, before) = (session.state().next_timeout(), session.state().position());
        if session.handle(input, now).is_err() {
            self.stats.refusals += 1;
        }
        // A tick that is due and changes nothing would come again and again, without a pause.
        if tick && due.is_some_and(|at| at <= now) && session.state().position() == before {
            return Err(format!("it was waited for {due:?}, it is {now}, and nothing follows"));
        }
        // Inputs that come together are appended together.
        if !session.is_batch_full() && world.rng.u8(0..6) == 0 {
            world.later(1, Happening::Commit);
            return Ok(());
        }
        self.commit(world)
    }

    /// Appends what was decided, and performs what follows.
    pub(super) fn commit(&mut self, world: &mut World) -> Result<(), String> {
        for _ in 0..100 {
            if self.dies(world) {
                return self.crash(world);
            }
            self.others_write(world)?;
            let Some(session) = &mut self.session else { return Ok(()) };
            let Some(append) = session.append(world.clock()) else { return self.perform(world) };
            if append_to(&mut self.log, append.from, &append.events).is_err() {
                let from = usize::try_from(session.conflict_from().0).unwrap_or(usize::MAX);
                let log = self.log.get(from..).unwrap_or_default();
                session.conflict(log, world.clock()).map_err(|error| error.to_string())?;
                self.stats.conflicts += 1;
                continue;
            }
            count(&mut self.stats, &append.events);
            self.zombie_writes(world)?;
            if self.dies(world) {
                return self.crash(world);
            }
            let Some(session) = &mut self.session else { return Ok(()) };
            session.committed(append);
            self.invariants.catch_up(&self.log, session.state())?;
            self.check_fold(world)?;
            return self.perform(world);
        }
        Err("someone else writes all the time".to_owned())
    }

    /// Another process gives the run a command between two appends of ours, now and then.
    fn others_write(&mut self, world: &mut World) -> Result<(), String> {
        let meddling = world.odds.meddling / 30;
        if self.log.is_empty() || !world.chance(meddling) {
            return Ok(());
        }
        let mut other = self.open()?;
        let input =
            if world.rng.bool() { Input::Pause { reason: "elsewhere".to_owned() } } else { Input::Resume };
        if matches!(input, Input::Pause { .. }) {
            let delay = world.rng.i64(1..20_000);
            world.later(delay, Happening::Deliver(SessionInput::Command(Input::Resume)));
        }
        let now = world.clock();
        if other.handle(SessionInput::Command(input), now).is_ok()
            && let Some(append) = other.append(now)
        {
            append_to(&mut self.log, append.from, &append.events)
                .map_err(|end| format!("a second writer that is up to date was refused at {end}"))?;
            other.committed(append);
            self.invariants.catch_up(&self.log, other.state())?;
        }
        Ok(())
    }

    fn open(&self) -> Result<Session, String> {
        Session::open(self.run_id.clone(), self.deps.clone(), self.learned.clone(), &self.log)
            .map_err(|error| error.to_string())
    }

    /// A process that was thought dead wakes up and writes on the strength of what it last knew.
    fn zombie_writes(&mut self, world: &mut World) -> Result<(), String> {
        let Some(zombie) = self.zombie.take() else {
            return Ok(());
        };
        let Ok(events) = decide(&zombie, Input::Cancel { reason: "zombie".to_owned() }, world.clock()) else {
            return Ok(());
        };
        let before = self.log.len();
        let refused = append_to(&mut self.log, zombie.position(), &events).is_err();
        if refused && self.log.len() == before { Ok(()) } else { Err("a stale writer was let in".to_owned()) }
    }

    /// Now and then: the log folds to the very state, from any point on, the state survives being written, and a
    /// session that is folded from the log asks for the same.
    fn check_fold(&mut self, world: &mut World) -> Result<(), String> {
        if !world.chance(10) {
            return Ok(());
        }
        let Some(session) = &self.session else { return Ok(()) };
        let state = session.state();
        let cut = world.rng.usize(0..=self.log.len());
        let (first, rest) = self.log.split_at(cut);
        let mut folded = RunState::fold(self.run_id.clone(), first).map_err(|error| error.to_string())?;
        let text =
            serde_json::to_string(&folded).map_err(|error| format!("a state cannot be written: {error}"))?;
        let again: RunState =
            serde_json::from_str(&text).map_err(|error| format!("a state cannot be read: {error}"))?;
        if again != folded {
            return Err(format!("the state at {cut} changed by being written and read"));
        }
        folded.catch_up(rest).map_err(|error| error.to_string())?;
        if folded != *state {
            return Err("folding the log gives another state than living through it".to_owned());
        }
        self.check_requests(world.clock())
    }

    /// A session that is folded from the log asks for the same as the one that lived through it. What an agent at
    /// work asks models is not on the log: the agent asks again when it is made to work again.
    fn check_requests(&self, now: Timestamp) -> Result<(), String> {
        let Some(live) = &self.session else { return Ok(()) };
        let state = live.state();
        let circuits_open = !state.open_circuits().is_empty() || !state.half_open_circuits().is_empty();
        if circuits_open || live.has_own_inputs() || !state.files().is_empty() {
            return Ok(());
        }
        let deps = SessionDeps { circuits: Arc::new(MemoryCircuits::default()), ..self.deps.clone() };
        let mut folded = Session::open(self.run_id.clone(), deps, self.learned.clone(), &self.log)
            .map_err(|error| error.to_string())?;
        if let Some(append) = folded.append(now) {
            return Err(format!("a folded session decides by itself: {:?}", append.events));
        }
        let of_agent = |id: &&RequestId| matches!(id, RequestId::Model { ask: AskId::Attempt { .. }, .. });
        let asked = |session: &Session| -> BTreeSet<RequestId> {
            session.requested().filter(|id| !of_agent(id)).cloned().collect()
        };
        let (lived, again) = (asked(live), asked(&folded));
        if lived == again { Ok(()) } else { Err(format!("asked for {lived:?}, and {again:?} when folded")) }
    }

    fn dies(&self, world: &mut World) -> bool {
        let crash = world.odds.crash;
        world.chance(crash)
    }

    /// The process dies: everything that is not on the log is gone.
    pub(super) fn crash(&mut self, world: &mut World) -> Result<(), String> {
        self.stats.crashes += 1;
        let dead = self.session.take().map(|session| session.state().clone());
        let end = Position(self.log.len() as u64);
        self.zombie = dead.filter(|state| state.position() < end);
        self.vectors.forget();
        let delay = world.rng.i64(1..5_000);
        world.later(delay, Happening::Restart);
        Ok(())
    }

    /// The process starts: folds the log, and performs what is still asked for.
    pub(super) fn restart(&mut self, world: &mut World) -> Result<(), String> {
        if self.session.is_some() {
            return Ok(());
        }
        (self.asked, self.ticking) = (BTreeSet::new(), None);
        let mut session = self.open()?;
        self.invariants.catch_up(&self.log, session.state())?;
        if self.log.is_empty() {
            self.session = Some(session);
            let settings = Box::new(phases::settings(world));
            let start =
                Input::Start { request: "Plan something".to_owned(), settings, material: None, origin: None };
            return self.take(world, SessionInput::Command(start));
        }
        session.resume(world.clock()).map_err(|refusal| format!("a run cannot be resumed: {refusal}"))?;
        self.session = Some(session);
        self.commit(world)
    }

    /// Performs the effects that are new; the process may die between any two of them.
    fn perform(&mut self, world: &mut World) -> Result<(), String> {
        while let Some(cancelled) = self.session.as_mut().and_then(Session::poll_cancelled) {
            cancel(world, cancelled);
        }
        while let Some(effect) = self.session.as_mut().and_then(Session::poll_effect) {
            let Some(session) = &self.session else { return Ok(()) };
            start(world, session.state(), effect, &self.vectors)?;
            if self.dies(world) {
                return self.crash(world);
            }
        }
        let Some(session) = &mut self.session else { return Ok(()) };
        while session.poll_reply().is_some() {}
        session.take_messages();
        let snapshot = session.snapshot();
        self.asked.retain(|gate| snapshot.questions.iter().any(|(open, _)| open == gate));
        for (gate, question) in &snapshot.questions {
            if self.asked.insert(gate.clone()) {
                people::ask(world, gate, question);
            }
        }
        if let Some(at) = session.next_timeout().filter(|at| self.ticking != Some(*at)) {
            self.ticking = Some(at);
            let delay = i64::try_from(at.since(world.clock()).as_millis()).unwrap_or(i64::MAX);
            // Clocks that were set back make a tick come too early; the next one follows.
            world.later(delay.saturating_add(1), Happening::Deliver(SessionInput::Command(Input::Tick)));
        }
        if session.has_own_inputs() {
            world.later(0, Happening::Commit);
        }
        Ok(())
    }

    /// What a call cost is a fact, also when the run has ended before its answer came.
    fn what_was_paid_counts(&self, input: &SessionInput, now: Timestamp) -> Result<(), String> {
        let (SessionInput::Outcome(Outcome::Model { ask: AskId::Phase(ask), number, step }), Some(state)) =
            (input, self.state())
        else {
            return Ok(());
        };
        let paid = step.call.as_ref().is_some_and(|call| call.cost > Money::ZERO);
        let told = Input::Consulted { ask: ask.clone(), number: *number, step: step.clone() };
        match decide(state, told, now) {
            Err(candor_engine::Refusal::Ended { .. }) if paid => {
                Err(format!("{ask} was paid for, and the run, which has ended, does not want to know"))
            }
            _ => Ok(()),
        }
    }

    /// After the end nothing is asked for, and every reader of the log agrees with the state.
    pub(super) fn check_at_end(&self) -> Result<(), String> {
        let state = RunState::fold(self.run_id.clone(), &self.log).map_err(|error| error.to_string())?;
        if let Some(effect) = state.effects().next() {
            return Err(format!("the run has ended and still asks for {effect:?}"));
        }
        self.can_be_forked(&state)?;
        let mut summary = candor_model::RunSummary::new(self.run_id.clone());
        for recorded in &self.log {
            summary.absorb(&recorded.event);
        }
        if summary.status != state.status() || summary.spent != state.spent() {
            return Err(format!("the list of runs says {summary:?}, the state {:?}", state.status()));
        }
        Ok(())
    }

    /// A run can be forked from any of its points, and never hangs there.
    fn can_be_forked(&self, ended: &RunState) -> Result<(), String> {
        let fork = RunId::new("run_fork").map_err(|error| error.to_string())?;
        for point in ended.checkpoints() {
            let kept = self.log.iter().take(usize::try_from(point.position.0).unwrap_or(usize::MAX));
            let (run_id, checkpoint, position) = (self.run_id.clone(), point.id, point.position);
            let from = ForkedFrom { run_id, checkpoint, position };
            let log: Vec<Recorded> = kept.cloned().map(|it| forked(it, &fork, &from)).collect();
            let state = RunState::fold(fork.clone(), &log).map_err(|error| error.to_string())?;
            let now = log.last().map_or(Timestamp::from_millis(0), |last| last.event.at);
            for input in [Input::TakenUp, Input::RollBack { to: checkpoint, run_budget: None }] {
                let mut state = state.clone();
                let said = format!("a fork at {} ({}) with {input:?}", point.position, point.label);
                let events = decide(&state, input, now).map_err(|refusal| format!("{said}: {refusal}"))?;
                events.iter().for_each(|event| state.apply(event));
                let over = matches!(state.stage(), Stage::Ended(_)) || state.is_paused();
                if state.effects().next().is_none() && !over {
                    return Err(format!("{said} hangs"));
                }
            }
        }
        Ok(())
    }
}

/// Appends all events or none; the position must be the log's end.
fn append_to(log: &mut Vec<Recorded>, expected: Position, events: &[Event]) -> Result<(), Position> {
    let end = Position(log.len() as u64);
    if expected != end {
        return Err(end);
    }
    for (n, event) in (1..).zip(events) {
        log.push(Recorded { position: end.plus(n), event: event.clone() });
    }
    Ok(())
}

fn count(stats: &mut Stats, events: &[Event]) {
    for event in events {
        match &event.body {
            EventBody::Replanned { .. } => stats.revisions += 1,
            EventBody::HumanAsked { .. } => stats.questions += 1,
            EventBody::RolledBack { .. } => stats.rollbacks += 1,
            EventBody::ModelAsked { .. } => stats.calls += 1,
            EventBody::BreakerTried { .. } => stats.tried += 1,
            _ => {}
        }
    }
}

/// An event of a run as it is in the log of one that was forked from it.
fn forked(mut recorded: Recorded, fork: &RunId, from: &ForkedFrom) -> Recorded {
    if let EventBody::RunStarted { run_id, forked_from, .. } = &mut recorded.event.body {
        run_id.clone_from(fork);
        *forked_from = Some(Box::new(from.clone()));
    }
    recorded
}

/// Something is stopped. What an agent or a model did meanwhile is told all the same.
fn cancel(world: &mut World, request: RequestId) {
    match request {
        RequestId::Attempt(key) => agents::stop(world, &key),
        RequestId::Model { ask, number } => {
            let outcome =
                AskStep::GiveUp { from: candor_model::Tier::Fast, reason: "stopped".to_owned(), kind: None };
            let step = Box::new(candor_model::Consulted { call: None, outcome });
            let delay = world.rng.i64(1..200);
            world.outcome(delay, Outcome::Model { ask, number, step });
        }
        RequestId::Undo { key } => desks::undo(world, key),
        RequestId::Embed | RequestId::Files | RequestId::Checks { .. } | RequestId::Query { .. } => {}
    }
}

/// Starts one effect; its outcome comes later, if it comes.
fn start(world: &mut World, state: &RunState, effect: Effect, vectors: &SimVectors) -> Result<(), String> {
    match effect {
        Effect::InvokeAgent { task_id, attempt, agent_type, deadline } => {
            let order = state.work_order(&task_id, attempt).ok_or("an attempt under way has no order")?;
            if state
                .task(&task_id)
                .is_none_or(|task| agent_type.is_tbd() || order.upstream.len() != task.dependencies.len())
            {
                return Err(format!("task {task_id} was given out without its inputs or its agent"));
            }
            let key = AttemptKey { task_id, attempt };
            if let Some(story) = &world.story {
                let answer = (story.answer)(&order);
                agents::tell_story(world, &key, &agent_type, answer);
                return Ok(());
            }
            if !desks::asks(world, state, &key, &agent_type) {
                agents::invoke(world, state, &key, &agent_type, deadline);
            }
        }
        Effect::AskModel(request) => models::call(world, &request),
        Effect::Embed { texts } => models::embed(world, vectors, texts),
        Effect::ReadFiles { paths } => talk::read(world, paths),
        Effect::RunChecks { attempt, checks } => talk::check(world, attempt, checks),
        Effect::QueryAgent { query } => talk::answer_query(world, &query),
        Effect::Undo { key, .. } => desks::undo(world, key),
        Effect::Guard { .. }
        | Effect::RunPhase { .. }
        | Effect::Route { .. }
        | Effect::Revise { .. }
        | Effect::StopAgent { .. }
        | Effect::AskHuman { .. }
        | Effect::WaitUntil { .. } => return Err(format!("a session gave out {effect:?}")),
    }
    Ok(())
}
