//! Simulated talk: agents that tell, advise and ask each other, and things that are looked up, at any time.

use candor_engine::Input;
use candor_model::{
    CheckKind, CheckResult, JsonMap, Phase, Query, QueryResponse, QueryType, ReadFile, TaskId, WantedCheck,
};
use candor_session::{Outcome, SessionInput};
use serde_json::json;

use super::phases;
use super::process::Process;
use super::world::{Happening, World};
use crate::fixtures;

const SPEAKERS: [&str; 3] = ["agent_0", "agent_1", "agent_2"];

/// Somebody says or looks up something.
pub(super) fn chatter(world: &mut World, process: &mut Process) -> Result<(), String> {
    let odds = world.odds.chatter;
    if !world.chance(odds) {
        return Ok(());
    }
    let input = match world.rng.u8(0..8) {
        0 | 1 => broadcast(world),
        2 => advice(world),
        3 | 4 => query(world),
        5 => answer(world),
        6 => Input::FilesRead { files: vec![file(world)] },
        _ => checked(world),
    };
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        world.later(30, Happening::Deliver(SessionInput::Command(input.clone())));
    }
    process.take(world, SessionInput::Command(input))
}

fn speaker(world: &mut World) -> String {
    world.rng.choice(SPEAKERS).unwrap_or_default().to_owned()
}

fn phase(world: &mut World) -> Phase {
    world.rng.choice(Phase::ALL.iter().copied()).unwrap_or(Phase::Execution)
}

fn broadcast(world: &mut World) -> Input {
    let phase = phase(world);
    Input::Broadcast { message: phases::message(&mut world.rng, phase).into(), rules: Box::default() }
}

fn advice(world: &mut World) -> Input {
    let mut message = phases::message(&mut world.rng, Phase::Execution);
    let topic = if world.rng.bool() { "colour" } else { "order" };
    let confidence = world.rng.u8(70..73);
    let text = format!("way {}", world.rng.u8(0..3));
    let risks: &[&str] = if world.rng.u8(0..8) == 0 { &["data_loss"] } else { &[] };
    message.data = fixtures::object(json!({
        "recommendation": { "topic": topic, "text": text, "confidence": confidence, "risks": risks },
    }));
    Input::Broadcast { message: message.into(), rules: Box::default() }
}

fn query(world: &mut World) -> Input {
    let query = Query {
        id: format!("q{}", world.rng.u8(0..6)),
        from_agent: speaker(world),
        task_id: TaskId::numbered(world.rng.usize(1..5)),
        to_agent: speaker(world),
        query_type: QueryType::Data,
        query: "is it so?".to_owned(),
        context: JsonMap::new(),
        timeout: 5_000,
    };
    Input::Query { query: Box::new(query) }
}

fn answer(world: &mut World) -> Input {
    let response = QueryResponse {
        from_agent: speaker(world),
        to_agent: speaker(world),
        query_id: format!("q{}", world.rng.u8(0..6)),
        response: if world.rng.bool() { Ok(json!("it is")) } else { Err("no answer in 5000 ms".to_owned()) },
        confidence: 80,
        processing_time: 10,
    };
    Input::QueryAnswered { response: Box::new(response) }
}

fn file(world: &mut World) -> ReadFile {
    let text = if world.rng.bool() { Ok("fn main() {}".to_owned()) } else { Err("no such file".to_owned()) };
    let path = format!("src/part_{}.rs", world.rng.u8(0..4));
    ReadFile { path, bytes: 12, modified: None, hash: String::new(), text }
}

fn checked(world: &mut World) -> Input {
    let task_id = TaskId::numbered(world.rng.usize(1..5));
    let check = WantedCheck { task_id, kind: CheckKind::File("report.md".to_owned()) };
    let results = vec![CheckResult { check, passed: world.rng.bool(), detail: "12 bytes".to_owned() }];
    Input::ResultsChecked { attempt: world.rng.u32(1..3), results }
}

/// Files are read.
pub(super) fn read(world: &mut World, paths: Vec<String>) {
    let delay = world.rng.i64(1..300);
    let files = paths.into_iter().map(|path| ReadFile { path, ..file(world) }).collect();
    world.outcome(delay, Outcome::Files(files));
}

/// Results are checked.
pub(super) fn check(world: &mut World, attempt: u32, checks: Vec<WantedCheck>) {
    let delay = world.rng.i64(1..300);
    let detail = "12 bytes".to_owned();
    let seen = |check| CheckResult { check, passed: true, detail: detail.clone() };
    world.outcome(delay, Outcome::Checks { attempt, results: checks.into_iter().map(seen).collect() });
}

/// An agent is asked something; it may never answer.
pub(super) fn answer_query(world: &mut World, query: &Query) {
    let lost = world.odds.lost;
    if world.chance(lost) {
        return;
    }
    let response = QueryResponse {
        from_agent: query.to_agent.clone(),
        to_agent: query.from_agent.clone(),
        query_id: query.id.clone(),
        response: if world.rng.bool() { Ok(json!("it is")) } else { Err("no answer in 5000 ms".to_owned()) },
        confidence: 80,
        processing_time: 10,
    };
    let delay = world.rng.i64(1..6_000);
    world.outcome(delay, Outcome::Response(Box::new(response)));
}
