//! The simulated world: one queue of things to come, one clock, one seed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use candor_engine::{Input, Stage};
use candor_model::{CheckpointId, Effect, Recorded, RunId, RunStatus, Timestamp};
use candor_session::{Outcome, SessionInput};
use fastrand::Rng;

use super::process::Process;
use super::story::Story;
use super::{agents, models, people, phases, talk};

/// How often happenings may follow each other before a run counts as stuck.
const MAX_STEPS: u32 = 20_000;
/// How long faults last, in simulated milliseconds.
const FAULTY_MILLIS: i64 = 120_000;

/// What happened in one simulated run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Events on the log.
    pub events: u64,
    /// Times the process died.
    pub crashes: u64,
    /// Inputs that the engine refused.
    pub refusals: u64,
    /// How the run ended.
    pub ended: Option<RunStatus>,
    /// Times the plan was revised.
    pub revisions: u64,
    /// Questions put to people.
    pub questions: u64,
    /// Times the run went back.
    pub rollbacks: u64,
    /// Calls of models that were allowed.
    pub calls: u64,
    /// Agents whose circuit was half-open again.
    pub tried: u64,
    /// Appends that were refused because someone else had written.
    pub conflicts: u64,
}

/// A invariant that was broken, or a run that did not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The seed that shows it again.
    pub seed: u64,
    /// What is wrong.
    pub what: String,
    /// The end of the log.
    pub tail: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "seed {}: {}", self.seed, self.what)?;
        for line in &self.tail {
            writeln!(formatter, "    {line}")?;
        }
        write!(formatter, "  replay it: cargo xtask simulate --seeds 1 --from {}", self.seed)
    }
}

impl std::error::Error for Failure {}

/// Something that will happen.
#[derive(Debug, Clone)]
pub(super) enum Happening {
    /// An input reaches the process, if it lives.
    Deliver(SessionInput),
    /// The process starts again.
    Restart,
    /// A person meddles.
    Meddle,
    /// What was decided is appended.
    Commit,
    /// A circuit breaker opens or closes.
    Circuit,
    /// Agents talk, or something is looked up.
    Chatter,
}

/// How bad the world is, in percent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Odds {
    pub(super) crash: u8,
    pub(super) agent_trouble: u8,
    pub(super) lost: u8,
    pub(super) doubled: u8,
    pub(super) meddling: u8,
    pub(super) phase_trouble: u8,
    pub(super) breakers: u8,
    pub(super) chatter: u8,
}

impl Odds {
    fn draw(rng: &mut Rng) -> Self {
        let mut up_to = |most: u8| if rng.bool() { 0 } else { rng.u8(0..=most) };
        Self {
            crash: up_to(12),
            agent_trouble: up_to(70),
            lost: up_to(20),
            doubled: up_to(30),
            meddling: up_to(100),
            phase_trouble: up_to(8),
            breakers: up_to(100),
            chatter: up_to(100),
        }
    }

    /// The world once faults have stopped.
    pub(super) const fn none() -> Self {
        Self {
            crash: 0,
            agent_trouble: 0,
            lost: 0,
            doubled: 0,
            meddling: 0,
            phase_trouble: 0,
            breakers: 0,
            chatter: 0,
        }
    }
}

/// Everything around the process.
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) now: i64,
    pub(super) odds: Odds,
    pub(super) queue: BTreeMap<(i64, u64), Happening>,
    pub(super) scheduled: u64,
    /// How often phases go wrong, in percent; phases see it too.
    pub(super) trouble: Arc<AtomicU8>,
    /// What is told, where nothing is left to chance.
    pub(super) story: Option<Story>,
}

impl World {
    /// Lets something happen in `delay` milliseconds.
    pub(super) fn later(&mut self, delay: i64, happening: Happening) {
        self.scheduled += 1;
        self.queue.insert((self.now + delay.max(0), self.scheduled), happening);
    }

    /// Lets the process hear what came of an effect in `delay` milliseconds.
    pub(super) fn outcome(&mut self, delay: i64, outcome: Outcome) {
        self.later(delay, Happening::Deliver(SessionInput::Outcome(outcome)));
    }

    /// Faults stop.
    fn calm(&mut self) {
        self.odds = Odds::none();
        self.trouble.store(0, Ordering::Relaxed);
    }

    /// Whether something that happens in `percent` of cases happens now.
    pub(super) fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(0..100) < percent
    }

    /// The time as the process sees it; its clock is sometimes set back a little.
    pub(super) fn clock(&mut self) -> Timestamp {
        let back = if self.odds.crash > 0 && self.chance(2) { self.rng.i64(0..500) } else { 0 };
        Timestamp::from_millis(START_MILLIS + self.now - back)
    }
}

/// Simulated time begins here: 2025-01-10.
const START_MILLIS: i64 = 1_736_510_400_000;

/// Runs one seed to its end.
pub fn run_seed(seed: u64) -> Result<Stats, Failure> {
    lived(seed).map(|process| process.stats())
}

/// The log of one seed's run.
pub fn log_of_seed(seed: u64) -> Result<Vec<Recorded>, Failure> {
    lived(seed).map(Process::into_log)
}

fn lived(seed: u64) -> Result<Process, Failure> {
    let mut rng = Rng::with_seed(seed);
    let odds = Odds::draw(&mut rng);
    let mut world = World {
        rng,
        now: 0,
        odds,
        queue: BTreeMap::new(),
        scheduled: 0,
        trouble: Arc::new(AtomicU8::new(odds.phase_trouble)),
        story: None,
    };
    let run_id = RunId::new(format!("run_{seed}")).map_err(|error| Failure {
        seed,
        what: error.to_string(),
        tail: Vec::new(),
    })?;
    let mut process = Process::new(run_id, seed, &world);
    let settings = Box::new(phases::settings(&mut world));
    world.later(
        0,
        Happening::Deliver(SessionInput::Command(Input::Start {
            request: "Plan something".to_owned(),
            settings,
            material: None,
            origin: None,
        })),
    );
    for _ in 0..world.rng.u8(0..4) {
        let delay = world.rng.i64(1..FAULTY_MILLIS / 4);
        world.later(delay, Happening::Meddle);
    }
    for _ in 0..world.rng.u8(0..12) {
        let delay = world.rng.i64(1..FAULTY_MILLIS / 2);
        world.later(delay, Happening::Circuit);
    }
    for _ in 0..world.rng.u8(0..20) {
        let delay = world.rng.i64(1..FAULTY_MILLIS / 3);
        world.later(delay, Happening::Chatter);
    }
    let outcome = live(&mut world, &mut process);
    match outcome {
        Ok(()) => Ok(process),
        Err(what) => Err(Failure { seed, what, tail: process.tail() }),
    }
}

pub(super) fn live(world: &mut World, process: &mut Process) -> Result<(), String> {
    for _ in 0..MAX_STEPS {
        if world.now > FAULTY_MILLIS && world.odds.crash + world.odds.lost + world.odds.agent_trouble > 0 {
            world.calm();
        }
        let Some(((at, _), happening)) = world.queue.pop_first() else {
            if process.has_ended() {
                return process.check_at_end();
            }
            heal(world, process)?;
            continue;
        };
        world.now = world.now.max(at);
        match happening {
            Happening::Deliver(input) => process.take(world, input)?,
            Happening::Restart => process.restart(world)?,
            Happening::Meddle => meddle(world, process)?,
            Happening::Commit => process.commit(world)?,
            Happening::Circuit => models::circuit(world, process),
            Happening::Chatter => talk::chatter(world, process)?,
        }
    }
    Err(format!("the run has not ended after {MAX_STEPS} steps: {}", standing(process)))
}

/// Nothing is to come and the run has not ended: faults stop, and whoever is waited for acts.
fn heal(world: &mut World, process: &mut Process) -> Result<(), String> {
    world.calm();
    let Some(state) = process.state() else {
        world.later(1, Happening::Restart);
        return Ok(());
    };
    let mut inputs: Vec<Input> = Vec::new();
    if *state.stage() == Stage::New {
        let settings = Box::new(phases::settings(world));
        inputs.push(Input::Start {
            request: "Plan something".to_owned(),
            settings,
            material: None,
            origin: None,
        });
    } else if state.is_paused() && state.open_questions().is_empty() {
        inputs.push(Input::Resume);
    }
    for (gate, question) in state.open_questions() {
        inputs.push(people::helpful_answer(gate, question));
    }
    if inputs.is_empty() {
        // Answers that were lost while the process lived are noticed by a restart at the latest.
        return process
            .crash(world)
            .and_then(|()| process.restart(world))
            .and_then(|()| stuck(world, process));
    }
    for input in inputs {
        world.later(1, Happening::Deliver(SessionInput::Command(input)));
    }
    Ok(())
}

/// Where the run and its tasks stand, for whoever looks into a failure.
fn standing(process: &Process) -> String {
    let Some(state) = process.state() else { return "the process is dead".to_owned() };
    let tasks = state.plan().map(|plan| plan.subtasks).unwrap_or_default();
    let tasks =
        tasks.iter().map(|task| format!("{} {} needs {:?}", task.task_id, task.status, task.dependencies));
    let effects: Vec<Effect> = state.effects().collect();
    format!("{}; tasks: {}; asks for {effects:?}", state.status(), tasks.collect::<Vec<_>>().join(", "))
}

fn stuck(world: &World, process: &Process) -> Result<(), String> {
    if !world.queue.is_empty() || process.has_ended() {
        return Ok(());
    }
    let effects: Vec<Effect> = process.state().map(|state| state.effects().collect()).unwrap_or_default();
    Err(format!("nothing is to come and the run has not ended; it asks for {effects:?}"))
}

/// A person interferes: pauses, cancels, goes back, begins anew.
fn meddle(world: &mut World, process: &mut Process) -> Result<(), String> {
    let meddling = world.odds.meddling;
    if !world.chance(meddling) {
        return Ok(());
    }
    let points = process.state().map_or(0, |state| state.checkpoints().len());
    let input = match world.rng.u8(0..10) {
        0..=2 => Input::Pause { reason: "lunch".to_owned() },
        3 => Input::Cancel { reason: "changed my mind".to_owned() },
        4 => Input::Restart { prompt: world.rng.bool().then(|| "Plan something else".to_owned()) },
        5 => Input::RollBack { to: CheckpointId(999), run_budget: None },
        6 => agents::stray_outcome(world),
        _ => {
            let place = world.rng.usize(0..points.max(1));
            let to = process.state().and_then(|state| state.checkpoints().get(place)).map(|point| point.id);
            Input::RollBack { to: to.unwrap_or_default(), run_budget: None }
        }
    };
    if matches!(input, Input::Pause { .. }) {
        let delay = world.rng.i64(1..20_000);
        world.later(delay, Happening::Deliver(SessionInput::Command(Input::Resume)));
    }
    process.take(world, SessionInput::Command(input))
}
