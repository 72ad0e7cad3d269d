//! Simulated models: what is asked of them is decided by the session's own loop; answers come late, twice, for another
//! step, dearer than promised or never. And circuit breakers that open and close whenever other runs make them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use candor_model::{
    Ask, AskPolicy, AskStep, Consulted, ModelCall, ModelErrorKind, ModelRequest, Money, Next, NextCall,
    Seconds, Texts, Tier, Vector, Vectors,
};
use candor_session::{Circuits, Outcome, model_circuit};
use fastrand::Rng;
use serde_json::json;

use super::process::Process;
use super::world::World;
use crate::arbitrary::AGENTS;
use crate::consulting;

/// The questions of a phase; a phase hands its answers over under these names.
pub(super) const ASKS: [&str; 4] = ["ask_0", "ask_1", "ask_2", "ask_3"];
/// What their names begin with.
pub(super) const ANSWER: &str = "ask_";
/// How many steps a question may take before the rules are used.
const MOST_STEPS: usize = 6;

/// What comes next in an ask, drawn by the seed: the same ask at the same point goes on in the same way.
pub(super) struct SimPolicy {
    seed: u64,
}

impl SimPolicy {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn rng(&self, ask: &Ask, past: &[Consulted]) -> Rng {
        let name = ask.step.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        Rng::with_seed(self.seed ^ name.wrapping_mul(0x9e37_79b9) ^ ((past.len() as u64) << 40))
    }
}

impl AskPolicy for SimPolicy {
    fn next(&self, ask: &Ask, past: &[Consulted], _: Money) -> Next {
        let mut rng = self.rng(ask, past);
        if past.len() >= MOST_STEPS {
            return Next::Step(consulting::give_up("asked often enough"));
        }
        if rng.u8(0..8) == 0 {
            return Next::Step(self.step_down(ask, past, "it rests"));
        }
        let tier = rng.choice([Tier::Fast, Tier::Balanced, Tier::Strong]).unwrap_or_default();
        Next::Call(NextCall {
            tier,
            model: format!("acme/{tier}"),
            at_most: Money::from_micros(rng.u64(0..6_000)),
            max_output_tokens: 100,
            after: Seconds::from_millis(rng.u64(0..300)),
        })
    }

    fn step_down(&self, ask: &Ask, past: &[Consulted], reason: &str) -> AskStep {
        if self.rng(ask, past).bool() { consulting::give_up(reason) } else { consulting::fall_back(reason) }
    }
}

/// What texts mean, as far as it was asked for since the process began.
#[derive(Default)]
pub(super) struct SimVectors(Mutex<BTreeSet<String>>);

impl SimVectors {
    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn keep(&self, texts: Texts) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(texts.lasting.into_iter().chain(texts.passing));
    }
}

impl Vectors for SimVectors {
    fn name(&self) -> &str {
        "simulated"
    }

    fn at_once(&self, text: &str) -> Option<Vector> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(text).then(|| [1.0].into())
    }
}

/// Texts are embedded, or not.
pub(super) fn embed(world: &mut World, vectors: &SimVectors, texts: Texts) {
    let lost = world.odds.lost / 4;
    if world.chance(lost) {
        return;
    }
    let result = if world.chance(lost) { Err("the embedding service is down".to_owned()) } else { Ok(()) };
    if result.is_ok() {
        vectors.keep(texts);
    }
    let delay = world.rng.i64(1..400);
    world.outcome(delay, Outcome::Embedded(result));
}

/// A model is called; its answer comes later, if it comes.
pub(super) fn call(world: &mut World, request: &ModelRequest) {
    let lost = world.odds.lost / 4;
    if world.chance(lost) {
        return;
    }
    let delay = world.rng.i64(1..600);
    let answer = |world: &mut World, number| {
        let step = Box::new(step(world));
        Outcome::Model { ask: request.id.clone(), number, step }
    };
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        let number = if world.rng.u8(0..4) == 0 { world.rng.u32(0..4) } else { request.number };
        let second = answer(world, number);
        let later = delay.saturating_add(world.rng.i64(-300..4_000));
        world.outcome(later, second);
    }
    let first = answer(world, request.number);
    world.outcome(delay, first);
}

/// Other runs make a circuit open or close; now and then those of all agents at once.
pub(super) fn circuit(world: &mut World, process: &Process) {
    let odds = world.odds.breakers;
    if !world.chance(odds) {
        return;
    }
    let opens = world.rng.u8(0..3) > 0;
    let names: Vec<String> = match world.rng.u8(0..8) {
        0 => vec![model_circuit("acme/fast")],
        1 => AGENTS.iter().map(|name| (*name).to_owned()).collect(),
        _ => world.rng.choice(AGENTS).map(|name| (*name).to_owned()).into_iter().collect(),
    };
    let now = world.clock();
    for name in names {
        let result = if opens { Err("it failed too often") } else { Ok(()) };
        for _ in 0..3 {
            process.circuits.ended(&name, result, now);
        }
    }
}

fn step(world: &mut World) -> Consulted {
    let cost = if world.rng.u8(0..30) == 0 { world.rng.u64(0..12_000) } else { world.rng.u64(0..300) };
    let outcome = match world.rng.u8(0..10) {
        0 => AskStep::Repeat { number: 1, max: 3, delay: Seconds::whole(1), reason: "timeout".to_owned() },
        1 => AskStep::AskAgain { problems: vec!["`name` is missing".to_owned()] },
        2 => consulting::give_up("no tier is left"),
        3 => consulting::fall_back("it rests"),
        _ => consulting::accepted_as(json!({ "said": world.rng.u64(..) })),
    };
    // A step without a call although one is under way, as from a driver that has lost track.
    let confused = world.odds.doubled / 4;
    let call = if world.chance(confused) { None } else { Some(made(world, cost)) };
    Consulted { call, outcome }
}

fn made(world: &mut World, cost: u64) -> ModelCall {
    let call = if world.rng.u8(0..4) == 0 {
        consulting::failed(ModelErrorKind::Timeout)
    } else {
        consulting::answered("{}", cost)
    };
    let tier = world.rng.choice([Tier::Fast, Tier::Balanced, Tier::Strong]).unwrap_or_default();
    ModelCall { tier, model: format!("acme/{tier}"), ..call }
}
