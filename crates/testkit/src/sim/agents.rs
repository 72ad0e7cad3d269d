//! Simulated agents: good ones, and all the ways in which they are not.

use candor_engine::{Input, RunState};
use candor_model::{
    AgentAnswer, AgentType, ExecutionFeedback, Failure, FailureKind, FeedbackType, Money, RankedAgent,
    ReportedError, Seconds, TaskId, Timestamp, Transience,
};
use candor_session::{AttemptEnd, AttemptKey, Ended, Outcome, SessionInput};
use fastrand::Rng;
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
    key: &AttemptKey,
    agent: &AgentType,
    deadline: Timestamp,
) {
    let trouble = world.odds.agent_trouble;
    let task_id = &key.task_id;
    let feedback = if world.chance(trouble) { troubled(world, task_id) } else { good(world, task_id) };
    let lost = world.odds.lost;
    if world.chance(lost) {
        return;
    }
    let allowed = i64::try_from(deadline.since(world.clock()).as_millis()).unwrap_or(i64::MAX);
    if world.chance(trouble / 20) {
        let end = AttemptEnd::NoResources("too many open files".to_owned());
        return ends(world, 1, key, Some(agent), end);
    }
    let delay = if world.chance(trouble / 4) { allowed.saturating_add(500) } else { world.rng.i64(1..3_000) };
    desks::work(world, state, key, delay);
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        // The second answer need not be the same as the first.
        let second = if world.rng.bool() { feedback.clone() } else { good(world, task_id) };
        let later = delay.saturating_add(world.rng.i64(0..4_000));
        report(world, later, key, Some(agent), second);
    }
    report(world, delay, key, Some(agent), feedback);
}

/// Sends an answer that says which attempt it is for, so that the invariants see an answer taken for another's.
fn report(
    world: &mut World,
    delay: i64,
    key: &AttemptKey,
    agent: Option<&AgentType>,
    mut feedback: ExecutionFeedback,
) {
    feedback.actual_outputs.insert(ATTEMPT.to_owned(), json!(key.attempt));
    if feedback.task_id != key.task_id || world.rng.u8(0..20) == 0 {
        // A driver that has lost track says it in the engine's own words.
        let (task_id, attempt) = (key.task_id.clone(), key.attempt);
        let input = Input::AgentReported { task_id, attempt, feedback: Box::new(feedback.clone()) };
        world.later(delay, Happening::Deliver(SessionInput::Command(input)));
    }
    let is_failure = feedback.feedback_type == FeedbackType::Failure;
    let end = match feedback.failure.clone() {
        Some(failure) if is_failure && world.rng.bool() => AttemptEnd::Failed(Box::new(failure)),
        _ => AttemptEnd::Answered(Box::new(AgentAnswer {
            outputs: feedback.actual_outputs,
            cost: Some(feedback.cost),
            feedback_type: Some(feedback.feedback_type),
            errors: feedback.errors,
            error: feedback.failure.as_ref().map(ReportedError::from),
            suggested_adjustments: feedback.suggested_adjustments,
            messages: (0..world.rng.usize(0..3)).map(|_| desks::telling(world)).collect(),
        })),
    };
    ends(world, delay, key, agent, end);
}

/// An agent does what the story says.
pub(super) fn tell_story(
    world: &mut World,
    key: &AttemptKey,
    agent: &AgentType,
    answer: Result<AgentAnswer, String>,
) {
    let end = match answer {
        Ok(answer) => AttemptEnd::Answered(Box::new(answer)),
        Err(reason) => AttemptEnd::Failed(Box::new(Failure::new(FailureKind::Crashed, reason))),
    };
    ends(world, 5, key, Some(agent), end);
}

fn ends(world: &mut World, delay: i64, key: &AttemptKey, agent: Option<&AgentType>, end: AttemptEnd) {
    let (duration, price) = (Seconds::whole(1), Money::ZERO);
    let ended = Ended { key: key.clone(), agent: agent.cloned(), end, duration, price };
    world.outcome(delay, Outcome::Attempt(Box::new(ended)));
}

/// An agent is told to stop; its last answer may still come first.
pub(super) fn stop(world: &mut World, key: &AttemptKey) {
    if world.rng.u8(0..4) == 0 {
        let feedback =
            if world.rng.bool() { good(world, &key.task_id) } else { troubled(world, &key.task_id) };
        report(world, 5, key, None, feedback);
    }
    let delay = world.rng.i64(1..2_000);
    ends(world, delay, key, None, AttemptEnd::Stopped);
}

/// Agents in some order, with falling scores.
pub(super) fn ranking(rng: &mut Rng) -> Vec<RankedAgent> {
    let mut names = AGENTS.to_vec();
    rng.shuffle(&mut names);
    names.truncate(rng.usize(1..=names.len()));
    let mut score = 0.95;
    let ranked = names.into_iter().map(|name| {
        score -= 0.12;
        RankedAgent { agent_type: fixtures::agent_type(name), score, similarity: score, chance: None }
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
    feedback.cost = Money::from_micros(world.rng.u64(0..30_000));
    feedback
}

/// Failures of all kinds, lies about cost, answers for another task, successes that are none.
fn troubled(world: &mut World, task_id: &TaskId) -> ExecutionFeedback {
    match world.rng.u8(0..12) {
        0 => blank(world, &TaskId::numbered(999), FeedbackType::Success),
        1 => {
            let mut lie = good(world, task_id);
            lie.cost = Money::from_micros(world.rng.u64(0..2_000_000));
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
            fixtures::typed(blocked)
        }
        _ => {
            let mut failure = blank(world, task_id, FeedbackType::Failure);
            let error = world.rng.choice(ERRORS).unwrap_or_default();
            failure.errors = vec![error.to_owned()];
            let mut failure = fixtures::typed(failure);
            let transience = world.rng.choice(Transience::ALL.iter().copied());
            failure.failure =
                failure.failure.zip(transience).map(|(failure, it)| failure.with_transience(it));
            failure
        }
    }
}
