//! Simulated models and the phases that ask them: answers come late, twice, for another step, dearer than
//! promised or never; and breakers that open and close whenever they like.

use candor_engine::{Input, RunState, Stage};
use candor_model::{
    AgentType, AskKey, AskStep, Consulted, JsonMap, ModelCall, ModelErrorKind, Money, OpenCall, Phase,
    Seconds, Tier, Timestamp,
};
use serde_json::json;

use super::driver::Driver;
use super::phases;
use super::world::{Happening, World};
use crate::arbitrary::AGENTS;
use crate::{consulting, fixtures};

/// What the names of questions begin with; a phase hands its answers over under these names.
pub(super) const ANSWER: &str = "ask_";
/// How many steps a question may take before the rules speak.
const MOST_STEPS: usize = 6;
const TIERS: [Tier; 3] = [Tier::Fast, Tier::Balanced, Tier::Strong];

/// A phase puts its questions, side by side.
pub(super) fn ask(world: &mut World, phase: Phase, attempt: u32) {
    for n in 0..world.questions(phase, attempt) {
        let delay = world.rng.i64(0..60);
        world.later(delay, Happening::Put(key(phase, attempt, n)));
    }
}

/// A question is put, or goes on: what comes next follows from what is on the log.
pub(super) fn put(world: &mut World, driver: &mut Driver, key: &AskKey) -> Result<(), String> {
    let Some(state) = driver.state() else { return Ok(()) };
    let past = state.consulted(key);
    let (steps, over) = (past.len(), past.last().is_some_and(|step| step.outcome.is_final()));
    let at_work = is_at_work(state, key.phase);
    let waits = at_work && !over && state.open_calls().all(|call| call.ask != *key);
    // A phase that is confused asks although its time is over, or it has its answer, or will have it.
    let confused = world.odds.doubled / 4;
    if !waits && !world.chance(confused) {
        return if at_work && over { go_on(world, driver, key) } else { Ok(()) };
    }
    if steps >= MOST_STEPS || world.rng.u8(0..8) == 0 {
        let outcome =
            if steps >= MOST_STEPS { consulting::give_up("asked often enough") } else { down(world) };
        let number = u32::try_from(steps).unwrap_or(u32::MAX).saturating_add(1);
        return driver.take(world, &consulting::consulted(key, number, None, outcome));
    }
    let reserved = Money::from_micros(world.rng.u64(0..6_000));
    let tier = world.rng.choice(TIERS).unwrap_or_default();
    let input = Input::Consulting { ask: key.clone(), tier, model: format!("acme/{tier}"), reserved };
    driver.take(world, &input)
}

/// The step down when the engine does not allow a call.
pub(super) fn without_call(world: &mut World, state: &RunState, key: &AskKey, reason: &str) {
    let number = u32::try_from(state.consulted(key).len()).unwrap_or(u32::MAX).saturating_add(1);
    let input = consulting::consulted(key, number, None, consulting::give_up(reason));
    world.later(0, Happening::Deliver(input));
}

/// A model is called; its answer comes later, if it comes.
pub(super) fn call(world: &mut World, open: &OpenCall) {
    let lost = world.odds.lost / 4;
    if world.chance(lost) {
        return;
    }
    let delay = world.rng.i64(1..600);
    let step = step(world, open);
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        let second = if world.rng.bool() { step.clone() } else { self::step(world, open) };
        let number = if world.rng.u8(0..4) == 0 { world.rng.u32(0..4) } else { open.number };
        let later = delay.saturating_add(world.rng.i64(-300..4_000));
        world.later(later, deliver(&open.ask, number, second));
    }
    world.later(delay, deliver(&open.ask, open.number, step));
}

/// A breaker of an agent or of a model opens or closes; now and then those of all agents at once.
pub(super) fn breaker(world: &mut World, driver: &mut Driver) -> Result<(), String> {
    let odds = world.odds.breakers;
    if !world.chance(odds) {
        return Ok(());
    }
    let opens = world.rng.u8(0..3) > 0;
    match world.rng.u8(0..8) {
        0 => {
            let opened = opens.then(|| "it failed too often".to_owned());
            driver.take(world, &Input::ModelBreaker { model: "acme/fast".to_owned(), opened })
        }
        1 => AGENTS.iter().try_for_each(|name| agent_breaker(world, driver, name, opens)),
        _ => {
            let name = world.rng.choice(AGENTS).unwrap_or_default();
            agent_breaker(world, driver, name, opens)
        }
    }
}

fn agent_breaker(world: &mut World, driver: &mut Driver, name: &str, opens: bool) -> Result<(), String> {
    let agent_type: AgentType = fixtures::agent_type(name);
    let until = world.clock().as_millis().saturating_add(world.rng.i64(-1_000..40_000));
    let opened = opens.then(|| ("it failed too often".to_owned(), Timestamp::from_millis(until)));
    driver.take(world, &Input::Breaker { agent_type, opened })
}

/// All questions of the phase are answered: its work is done, and it hands over what it was told.
fn go_on(world: &mut World, driver: &Driver, key: &AskKey) -> Result<(), String> {
    let Some(state) = driver.state() else { return Ok(()) };
    let mut answers = JsonMap::new();
    for n in 0..world.questions(key.phase, key.attempt) {
        let key = self::key(key.phase, key.attempt, n);
        match state.consulted(&key).last().map(|step| &step.outcome) {
            Some(AskStep::Accepted { value, .. }) => _ = answers.insert(key.step, value.clone()),
            Some(AskStep::GiveUp { .. }) => {}
            _ => return Ok(()),
        }
    }
    let delay = world.rng.i64(1..100);
    phases::hand_over(world, key.phase, key.attempt, delay, answers);
    Ok(())
}

fn key(phase: Phase, attempt: u32, n: u8) -> AskKey {
    AskKey { phase, attempt, step: format!("{ANSWER}{n}") }
}

fn is_at_work(state: &RunState, phase: Phase) -> bool {
    match state.stage() {
        Stage::Preparing { open, .. } => open.contains(&phase),
        Stage::Closing { phase: current } => *current == phase,
        _ => false,
    }
}

fn deliver(ask: &AskKey, number: u32, step: Consulted) -> Happening {
    Happening::Deliver(Input::Consulted { ask: ask.clone(), number, step: Box::new(step) })
}

fn down(world: &mut World) -> AskStep {
    if world.rng.bool() { consulting::give_up("no tier is left") } else { consulting::fall_back("it rests") }
}

fn step(world: &mut World, open: &OpenCall) -> Consulted {
    let cost = if world.rng.u8(0..30) == 0 {
        open.reserved.micros().saturating_add(world.rng.u64(0..6_000))
    } else {
        world.rng.u64(0..=open.reserved.micros())
    };
    let outcome = match world.rng.u8(0..10) {
        0 => AskStep::Repeat { number: 1, max: 3, delay: Seconds::whole(1), reason: "timeout".to_owned() },
        1 => AskStep::AskAgain { problems: vec!["`name` is missing".to_owned()] },
        2 | 3 => down(world),
        _ => consulting::accepted_as(json!({ "said": world.rng.u64(..) })),
    };
    // A step without a call although one is under way, as from a driver that has lost track.
    let confused = world.odds.doubled / 4;
    let call = if world.chance(confused) { None } else { Some(made(world, open, cost)) };
    Consulted { call, outcome }
}

fn made(world: &mut World, open: &OpenCall, cost: u64) -> ModelCall {
    let call = if world.rng.u8(0..4) == 0 {
        consulting::failed(ModelErrorKind::Timeout)
    } else {
        consulting::answered("{}", cost)
    };
    ModelCall { tier: open.tier, model: open.model.clone(), ..call }
}
