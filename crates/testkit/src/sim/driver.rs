//! The process that drives the engine, with a log that survives it, and death at every point in between.

use std::collections::BTreeSet;

use candor_engine::{Input, Refusal, RunState, Stage, decide};
use candor_model::{
    AskKey, Effect, EffectKey, Event, EventBody, ExecutionFeedback, ForkedFrom, Money, OpenCall, Phase,
    Position, Recorded, RunId, Seconds, Timestamp,
};

use super::invariants::Invariants;
use super::world::{Happening, Stats, World};
use super::{agents, desks, models, people, phases};

/// The process and its log.
pub(super) struct Driver {
    run_id: RunId,
    log: Vec<Recorded>,
    invariants: Invariants,
    alive: Option<Alive>,
    /// What a process that was thought dead still believes; it may try to write.
    zombie: Option<RunState>,
    stats: Stats,
}

/// What is lost when the process dies.
struct Alive {
    state: RunState,
    performing: BTreeSet<EffectKey>,
    calling: BTreeSet<(AskKey, u32)>,
}

impl Alive {
    const fn new(state: RunState) -> Self {
        Self { state, performing: BTreeSet::new(), calling: BTreeSet::new() }
    }
}

impl Driver {
    pub(super) fn new(run_id: RunId) -> Self {
        let state = RunState::new(run_id.clone());
        let alive = Some(Alive::new(state));
        Self {
            run_id,
            log: Vec::new(),
            invariants: Invariants::default(),
            alive,
            zombie: None,
            stats: Stats::default(),
        }
    }

    pub(super) fn state(&self) -> Option<&RunState> {
        self.alive.as_ref().map(|alive| &alive.state)
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
    pub(super) fn take(&mut self, world: &mut World, input: &Input) -> Result<(), String> {
        if self.alive.is_none() {
            return Ok(());
        }
        if self.dies(world) {
            return self.crash(world);
        }
        let now = world.clock();
        let Some(alive) = &self.alive else { return Ok(()) };
        let decided = decide(&alive.state, input.clone(), now);
        if world.rng.u8(0..20) == 0 && decide(&alive.state, input.clone(), now) != decided {
            return Err(format!("deciding twice gave different events for {input:?}"));
        }
        if let Input::Tick = input {
            self.time_passed(now, &decided)?;
        }
        if let Input::Consulted { ask, .. } = input {
            let delay = world.rng.i64(0..40);
            world.later(delay, Happening::Put(ask.clone()));
        }
        match decided {
            Err(refusal) => {
                self.stats.refusals += 1;
                what_was_paid_counts(input, &refusal)?;
                self.answer_for(world, input, &refusal);
                Ok(())
            }
            Ok(events) if events.is_empty() => self.perform(world),
            Ok(events) => self.commit(world, &events),
        }
    }

    /// A wait that is over is not waited for again; and if it was in vain, the driver would wait in vain for
    /// ever, without a pause.
    fn time_passed(&mut self, now: Timestamp, decided: &Result<Vec<Event>, Refusal>) -> Result<(), String> {
        let Some(alive) = &mut self.alive else { return Ok(()) };
        let Some(at) = alive.state.next_timeout() else { return Ok(()) };
        alive.performing.remove(&Effect::WaitUntil { at }.key(&self.run_id));
        let in_vain = at <= now && decided.as_ref().map_or(true, Vec::is_empty);
        if in_vain {
            Err(format!("it was waited for {at}, it is {now}, and nothing follows"))
        } else {
            Ok(())
        }
    }

    fn commit(&mut self, world: &mut World, events: &[Event]) -> Result<(), String> {
        if self.dies(world) {
            return self.crash(world);
        }
        let expected = self.state().map_or(Position::START, RunState::position);
        self.append(expected, events)
            .map_err(|actual| format!("the only writer was refused: log ends at {actual}"))?;
        self.zombie_writes(world)?;
        if self.dies(world) {
            return self.crash(world);
        }
        if let Some(alive) = &mut self.alive {
            for event in events {
                alive.state.apply(event);
            }
        }
        self.invariants.check_batch(events, self.alive.as_ref().map(|alive| &alive.state))?;
        self.check_fold(world)?;
        if self.dies(world) {
            return self.crash(world);
        }
        self.perform(world)
    }

    /// Appends all events or none; the position must be the log's end.
    fn append(&mut self, expected: Position, events: &[Event]) -> Result<(), Position> {
        let end = Position(self.log.len() as u64);
        if expected != end {
            return Err(end);
        }
        for (n, event) in (1..).zip(events) {
            self.log.push(Recorded { position: end.plus(n), event: event.clone() });
        }
        self.count(events);
        Ok(())
    }

    fn count(&mut self, events: &[Event]) {
        for event in events {
            match &event.body {
                EventBody::Replanned { .. } => self.stats.revisions += 1,
                EventBody::HumanAsked { .. } => self.stats.questions += 1,
                EventBody::RolledBack { .. } => self.stats.rollbacks += 1,
                EventBody::ModelAsked { .. } => self.stats.calls += 1,
                EventBody::BreakerTried { .. } => self.stats.tried += 1,
                _ => {}
            }
        }
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
        let refused = self.append(zombie.position(), &events).is_err();
        if refused && self.log.len() == before { Ok(()) } else { Err("a stale writer was let in".to_owned()) }
    }

    /// Now and then: the log folds to the very state, from any point on, and the state survives being written.
    fn check_fold(&mut self, world: &mut World) -> Result<(), String> {
        if !world.chance(10) {
            return Ok(());
        }
        let Some(state) = self.state() else { return Ok(()) };
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
        Ok(())
    }

    fn dies(&self, world: &mut World) -> bool {
        let crash = world.odds.crash;
        world.chance(crash)
    }

    /// The process dies: everything that is not on the log is gone.
    pub(super) fn crash(&mut self, world: &mut World) -> Result<(), String> {
        self.stats.crashes += 1;
        let dead = self.alive.take().map(|alive| alive.state);
        let end = Position(self.log.len() as u64);
        self.zombie = dead.filter(|state| state.position() < end);
        let delay = world.rng.i64(1..5_000);
        world.later(delay, Happening::Restart);
        Ok(())
    }

    /// The process starts: folds the log, and performs what is still asked for.
    pub(super) fn restart(&mut self, world: &mut World) -> Result<(), String> {
        if self.alive.is_some() {
            return Ok(());
        }
        let state = RunState::fold(self.run_id.clone(), &self.log).map_err(|error| error.to_string())?;
        self.invariants.catch_up(&self.log, &state)?;
        self.alive = Some(Alive::new(state));
        if self.log.is_empty() {
            let settings = Box::new(phases::settings(world));
            return self.take(
                world,
                &Input::Start { request: "Plan something".to_owned(), settings, material: None },
            );
        }
        self.take(world, &Input::TakenUp)
    }

    /// Performs the effects that are new; the process may die between any two of them.
    fn perform(&mut self, world: &mut World) -> Result<(), String> {
        let Some(alive) = &mut self.alive else {
            return Ok(());
        };
        let effects: Vec<(EffectKey, Effect)> =
            alive.state.effects().map(|effect| (effect.key(&self.run_id), effect)).collect();
        let asked: BTreeSet<EffectKey> = effects.iter().map(|(key, _)| key.clone()).collect();
        if asked.len() != effects.len() {
            return Err(format!("two effects have the same key: {effects:?}"));
        }
        alive.performing.retain(|key| asked.contains(key));
        for (key, effect) in effects {
            let Some(alive) = &mut self.alive else {
                return Ok(());
            };
            if alive.performing.insert(key) {
                start(world, &alive.state, effect)?;
                if self.dies(world) {
                    return self.crash(world);
                }
            }
        }
        self.make_calls(world);
        Ok(())
    }

    /// Makes the calls of models that are on the log as to be made.
    fn make_calls(&mut self, world: &mut World) {
        let Some(alive) = &mut self.alive else { return };
        let open: Vec<OpenCall> = alive.state.open_calls().cloned().collect();
        alive.calling.retain(|(ask, number)| open.iter().any(|it| it.ask == *ask && it.number == *number));
        for call in open {
            if alive.calling.insert((call.ask.clone(), call.number)) {
                models::call(world, &call);
            }
        }
    }

    /// An answer that the engine cannot take is answered for by the driver, so that nothing hangs.
    fn answer_for(&self, world: &mut World, input: &Input, refusal: &Refusal) {
        if let (
            Input::Consulting { ask, .. },
            Refusal::NoMoney { .. } | Refusal::NoTokens { .. },
            Some(state),
        ) = (input, refusal, self.state())
        {
            models::without_call(world, state, ask, &refusal.to_string());
        }
        if let (Input::AgentReported { task_id, attempt, .. }, Refusal::WrongTask { .. }) = (input, refusal) {
            let reason = "The agent answered for another task";
            let at = world.clock();
            let feedback = ExecutionFeedback::failure(task_id.clone(), reason, Seconds::whole(1), at);
            let input = Input::AgentReported {
                task_id: task_id.clone(),
                attempt: *attempt,
                feedback: Box::new(feedback),
            };
            world.later(0, Happening::Deliver(input));
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
}

impl Driver {
    /// A run can be taken up by another one from any of its points, and never hangs there.
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

/// An event of a run as it is in the log of one that was forked from it.
fn forked(mut recorded: Recorded, fork: &RunId, from: &ForkedFrom) -> Recorded {
    if let EventBody::RunStarted { run_id, forked_from, .. } = &mut recorded.event.body {
        run_id.clone_from(fork);
        *forked_from = Some(Box::new(from.clone()));
    }
    recorded
}

/// What a call cost is a fact, also when the run has ended before its answer came.
fn what_was_paid_counts(input: &Input, refusal: &Refusal) -> Result<(), String> {
    match (input, refusal) {
        (Input::Consulted { ask, step, .. }, Refusal::Ended { .. })
            if step.call.as_ref().is_some_and(|call| call.cost > Money::ZERO) =>
        {
            Err(format!("{ask} was paid for, and the run, which has ended, does not want to know"))
        }
        _ => Ok(()),
    }
}

/// Starts one effect; its outcome comes later, if it comes.
fn start(world: &mut World, state: &RunState, effect: Effect) -> Result<(), String> {
    match effect {
        Effect::Guard { attempt } => phases::guard(world, attempt),
        Effect::RunPhase { phase: Phase::Planning, attempt } => {
            world.talk = state.talk().is_some();
            phases::work(world, Phase::Planning, attempt);
        }
        Effect::RunPhase { phase, attempt } => phases::work(world, phase, attempt),
        Effect::Route { task_id } => agents::route(world, task_id),
        Effect::InvokeAgent { task_id, attempt, agent_type, deadline } => {
            let order = state.work_order(&task_id, attempt).ok_or("an attempt under way has no order")?;
            if state
                .task(&task_id)
                .is_none_or(|task| agent_type.is_tbd() || order.upstream.len() != task.dependencies.len())
            {
                return Err(format!("task {task_id} was given out without its inputs or its agent"));
            }
            if !desks::asks(world, state, &task_id, attempt) {
                agents::invoke(world, state, &task_id, attempt, deadline);
            }
        }
        Effect::Undo { key, .. } => desks::undo(world, key),
        Effect::StopAgent { task_id, attempt } => agents::stop(world, task_id, attempt),
        Effect::AskHuman { gate, question } => people::ask(world, &gate, &question),
        Effect::WaitUntil { at } => {
            let delay = at.since(world.clock()).as_millis();
            let delay = i64::try_from(delay).unwrap_or(i64::MAX);
            // Clocks that were set back make a tick come too early; the next one follows.
            world.later(delay.saturating_add(1), Happening::Deliver(Input::Tick));
        }
    }
    Ok(())
}
