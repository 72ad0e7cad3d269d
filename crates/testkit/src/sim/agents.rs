//! Simulated agents: good ones, and all the ways in which they are not.

use candor_engine::{Input, RunState};
use candor_model::{ExecutionFeedback, FeedbackType, RankedAgent, TaskId, Timestamp};
use serde_json::json;

use super::desks;
use super::world::{Happening, World};
use crate::arbitrary::{AGENTS, ERRORS};
use crate::fixtures;

/// The output in which an answer says which attempt it is for.
pub(super) const ATTEMPT: &str = "attempt";

/// An agent gets to work on an attempt.
pub(super) fn invoke(
    world: &mut World,
    state: &RunState,
    task_id: &TaskId,
    attempt: u32,
    deadline: Timestamp,
) {
    let trouble = world.odds.agent_trouble;
    let feedback = if world.chance(trouble) { troubled(world, task_id) } else { good(world, task_id) };
    let lost = world.odds.lost;
    if world.chance(lost) {
        return;
    }
    let allowed = i64::try_from(deadline.since(world.clock()).as_millis()).unwrap_or(i64::MAX);
    let delay = if world.chance(trouble / 4) { allowed.saturating_add(500) } else { world.rng.i64(1..3_000) };
    desks::notes(world, state, task_id, attempt, delay);
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        // The second answer need not be the same as the first.
        let second = if world.rng.bool() { feedback.clone() } else { good(world, task_id) };
        let later = delay.saturating_add(world.rng.i64(0..4_000));
        report(world, later, task_id, attempt, second);
    }
    report(world, delay, task_id, attempt, feedback);
}

/// Sends an answer that says which attempt it is for, so that the invariants see an answer taken for another's.
fn report(world: &mut World, delay: i64, task_id: &TaskId, attempt: u32, mut feedback: ExecutionFeedback) {
    feedback.actual_outputs.insert(ATTEMPT.to_owned(), json!(attempt));
    let feedback = Box::new(feedback);
    let input = Input::AgentReported { task_id: task_id.clone(), attempt, feedback };
    world.later(delay, Happening::Deliver(input));
}

/// An agent is told to stop; its last answer may still come first.
pub(super) fn stop(world: &mut World, task_id: TaskId, attempt: u32) {
    if world.rng.u8(0..4) == 0 {
        let feedback = if world.rng.bool() { good(world, &task_id) } else { troubled(world, &task_id) };
        report(world, 5, &task_id, attempt, feedback);
    }
    let delay = world.rng.i64(1..2_000);
    world.later(delay, Happening::Deliver(Input::AgentStopped { task_id, attempt }));
}

/// Someone looks for an agent.
pub(super) fn route(world: &mut World, task_id: TaskId) {
    let trouble = world.odds.agent_trouble / 8;
    let ranking = if world.chance(trouble) {
        if world.rng.bool() { Err("the embedding service is down".to_owned()) } else { Ok(Vec::new()) }
    } else {
        Ok(ranking(world))
    };
    let delay = world.rng.i64(1..400);
    let input = Input::Routed { task_id, ranking };
    if world.chance(trouble) {
        world.later(delay * 3, Happening::Deliver(input.clone()));
    }
    world.later(delay, Happening::Deliver(input));
}

/// Agents in some order, with falling scores.
pub(super) fn ranking(world: &mut World) -> Vec<RankedAgent> {
    let mut names = AGENTS.to_vec();
    world.rng.shuffle(&mut names);
    names.truncate(world.rng.usize(1..=names.len()));
    let mut score = 0.95;
    let ranked = names.into_iter().map(|name| {
        score -= 0.12;
        RankedAgent { agent_type: fixtures::agent_type(name), score, similarity: score }
    });
    ranked.collect()
}

/// An answer to a question nobody asked.
pub(super) fn stray_outcome(world: &mut World) -> Input {
    let task_id = TaskId::numbered(world.rng.usize(1..20));
    let feedback = Box::new(good(world, &task_id));
    Input::AgentReported { task_id, attempt: world.rng.u32(0..3), feedback }
}

fn good(world: &mut World, task_id: &TaskId) -> ExecutionFeedback {
    let mut feedback = blank(world, task_id, FeedbackType::Success);
    feedback.actual_outputs = fixtures::object(json!({ "result": task_id.as_str() }));
    feedback
}

fn blank(world: &mut World, task_id: &TaskId, kind: FeedbackType) -> ExecutionFeedback {
    let mut feedback = fixtures::feedback(1, kind, &[]);
    feedback.task_id = task_id.clone();
    feedback.timestamp = world.clock();
    feedback.cost = candor_model::Money::from_micros(world.rng.u64(0..30_000));
    feedback
}

/// Failures of all kinds, lies about cost, answers for another task, successes that are none.
fn troubled(world: &mut World, task_id: &TaskId) -> ExecutionFeedback {
    match world.rng.u8(0..12) {
        0 => blank(world, &TaskId::numbered(999), FeedbackType::Success),
        1 => {
            let mut lie = good(world, task_id);
            lie.cost = candor_model::Money::from_micros(world.rng.u64(0..2_000_000));
            lie
        }
        2 => {
            let mut hidden = good(world, task_id);
            hidden.actual_outputs = fixtures::over_budget_feedback().actual_outputs;
            hidden
        }
        3 => blank(world, task_id, FeedbackType::PartialSuccess),
        4 => {
            let mut violation = fixtures::over_budget_feedback();
            violation.task_id = task_id.clone();
            violation.timestamp = world.clock();
            violation
        }
        5 => {
            let mut blocked = blank(world, task_id, FeedbackType::DependencyFailure);
            blocked.errors = vec![format!("Dependency {} failed", TaskId::numbered(world.rng.usize(1..6)))];
            blocked
        }
        _ => {
            let mut failure = blank(world, task_id, FeedbackType::Failure);
            let error = world.rng.choice(ERRORS).unwrap_or_default();
            failure.errors = vec![error.to_owned()];
            failure
        }
    }
}
