//! Stories of the phases around the work: guardrails, better words, talks about the plan, talk among agents.

use candor_engine::{Input, PhaseResult};
use candor_model::{
    ApprovalAction, CalibrationMetrics, CheckKind, CheckResult, Enforcement, Event, EventBody, ForkedFrom,
    JsonMap, LoopGuard, MessagePriority, MessageType, Phase, PhaseLimits, PlanVersion, Query, QueryResponse,
    QueryType, ReadFile, RetryPolicy, RunId, RunSettings, Seconds, SpokenBy, Tier, WantedCheck,
};
use candor_planning::validation::Proposal;
use serde_json::json;

use super::finish;
use crate::fixtures::{self, paris_plan, plan_of, task_id};
use crate::phase_fixtures;
use crate::scenario::Scenario;

/// The order in which the Paris tasks end.
const PARIS: [&str; 4] = ["task_001", "task_003", "task_002", "task_004"];

fn judged(run: &mut Scenario, score: u8) {
    let words = run.state.request().to_owned();
    let result = PhaseResult::Goal {
        goal: Box::new(fixtures::paris_goal()),
        evaluation: Some(Box::new(phase_fixtures::evaluation(score))),
        enhancement: (score < 70).then(|| Box::new(phase_fixtures::offer(&words, score))),
    };
    run.phase_done(Phase::Evaluation, result);
}

fn propose(run: &mut Scenario, confidence: f64) {
    let plan = plan_of(paris_plan().subtasks, confidence);
    let (agents, categories) = (fixtures::full_registry(), Vec::new());
    let (calibration, brief) = (CalibrationMetrics::default(), Some(Box::new(phase_fixtures::brief())));
    let proposal = Proposal { plan, agents, categories, calibration, brief, added: Vec::new() };
    run.phase_done(Phase::Planning, PhaseResult::Plan(proposal));
}

fn rest_of_preparation(run: &mut Scenario) {
    run.phase_done(Phase::Context, PhaseResult::Plain);
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
}

fn say(run: &mut Scenario, action: ApprovalAction) {
    run.say(action, |decision| {
        decision.comments = "more museums".to_owned();
        decision.alternative = Some("B".to_owned());
    });
}

/// A guardrail halts the run, other words pass, and better ones are chosen.
pub(super) fn reworded() -> Vec<Event> {
    let mut run = Scenario::begin(RunSettings::default());
    for _ in 0..4 {
        run.guard_finds(vec![phase_fixtures::finding("no-secrets", Enforcement::Block, true)]);
    }
    run.choose("reword", "Plan a trip to Paris");
    run.guard_finds(vec![phase_fixtures::finding("be-polite", Enforcement::Suggest, false)]);
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    judged(&mut run, 40);
    run.choose("A", "");
    run.guard();
    judged(&mut run, 90);
    rest_of_preparation(&mut run);
    propose(&mut run, 0.85);
    finish(run, &PARIS)
}

/// A question, another way, a change and back again, before the plan is approved.
pub(super) fn plan_talked_about() -> Vec<Event> {
    let mut run = Scenario::start(RunSettings::default());
    run.prepare();
    propose(&mut run, 0.45);
    say(&mut run, ApprovalAction::Ask);
    run.phase_done(Phase::Planning, PhaseResult::Reply("because it is quicker".to_owned()));
    say(&mut run, ApprovalAction::Alternative);
    propose(&mut run, 0.45);
    say(&mut run, ApprovalAction::Modify);
    propose(&mut run, 0.45);
    run.say(ApprovalAction::Version, |decision| decision.version = Some(PlanVersion(1)));
    say(&mut run, ApprovalAction::Approve);
    finish(run, &PARIS)
}

/// A result does not hold until it was done again, and things are looked up for it.
pub(super) fn done_again() -> Vec<Event> {
    let mut run = Scenario::paris();
    let text = Ok("5 to 8 May".to_owned());
    let file = ReadFile { path: "dates.md".to_owned(), bytes: 10, modified: None, hash: String::new(), text };
    run.take(Input::FilesRead { files: vec![file] });
    for task in PARIS {
        run.succeed(task);
    }
    let check = WantedCheck { task_id: task_id("task_003"), kind: CheckKind::File("trip.md".to_owned()) };
    let results = vec![CheckResult { check, passed: false, detail: "no such file".to_owned() }];
    run.take(Input::ResultsChecked { attempt: 1, results });
    let failed = vec![(task_id("task_003"), "trip.md is missing".to_owned())];
    run.phase_done(Phase::Validation, PhaseResult::Verdict { unmet: Vec::new(), failed });
    finish(run, &["task_003", "task_004"])
}

/// Agents warn, advise, contradict and ask each other.
pub(super) fn agents_talk() -> Vec<Event> {
    let mut run = Scenario::paris();
    let tell = |run: &mut Scenario, message: candor_model::Broadcast| {
        run.take(Input::Broadcast { message: message.into(), rules: Box::default() });
    };
    let (kind, critical) = (MessageType::Warning, MessagePriority::Critical);
    tell(
        &mut run,
        phase_fixtures::message(
            Phase::Execution,
            "flight_agent",
            kind,
            critical,
            "the card was charged twice",
        ),
    );
    run.choose("continue", "");
    for (agent, tier) in [("flight_agent", Tier::Fast), ("hotel_agent", Tier::Strong)] {
        let says = json!({ "topic": "model", "text": format!("{tier}"), "model": tier, "confidence": 80 });
        tell(&mut run, phase_fixtures::advice(agent, &says));
    }
    for (agent, colour) in [("flight_agent", "red"), ("hotel_agent", "blue")] {
        let says = json!({ "topic": "colour", "text": colour, "confidence": 80 });
        tell(&mut run, phase_fixtures::advice(agent, &says));
    }
    run.choose("2", "");
    let query = Query {
        id: "q1".to_owned(),
        from_agent: "flight_agent".to_owned(),
        task_id: task_id("task_001"),
        to_agent: "hotel_agent".to_owned(),
        query_type: QueryType::Data,
        query: "which dates?".to_owned(),
        context: JsonMap::new(),
        timeout: 5_000,
    };
    run.take(Input::Query { query: Box::new(query) });
    let response = QueryResponse {
        from_agent: "hotel_agent".to_owned(),
        to_agent: "flight_agent".to_owned(),
        query_id: "q1".to_owned(),
        response: Ok(json!("5 to 8 May")),
        confidence: 90,
        processing_time: 12,
    };
    run.take(Input::QueryAnswered { response: Box::new(response) });
    finish(run, &PARIS)
}

/// A phase is done better, another is not satisfied, a third is blocked; and nobody is there.
pub(super) fn doubts_unattended() -> Vec<Event> {
    let mut run = Scenario::start(RunSettings { unattended: true, ..RunSettings::default() });
    run.take(Input::PhaseFailed {
        phase: Phase::PreAnalysis,
        attempt: 1,
        reason: "the cache is broken".to_owned(),
    });
    judged(&mut run, 55);
    for failed in [2, 0] {
        run.phase_says(Phase::Context, PhaseResult::Plain, |report| {
            report.critique = Some(Box::new(phase_fixtures::checks(failed)));
            report.handoff.spoken_by = SpokenBy::Model;
            report.handoff.flags.needs_user_input = true;
        });
    }
    run.phase_says(Phase::Decomposition, PhaseResult::Plain, |report| {
        report.critique = Some(Box::new(phase_fixtures::checks(4)));
    });
    run.events()
}

/// The same call fails in the same way until the plan is changed.
pub(super) fn round_in_circles() -> Vec<Event> {
    let mut plan = paris_plan();
    for task in &mut plan.subtasks {
        task.retry_policy = Some(RetryPolicy { max_retries: 9, backoff_seconds: Seconds::ZERO });
    }
    let loop_guard = LoopGuard { identical_calls: 2, steps_without_progress: 9 };
    let phases = Some(PhaseLimits { loop_guard, ..PhaseLimits::default() });
    let mut run = Scenario::of(plan, RunSettings { phases, retry: None, ..RunSettings::default() });
    for _ in 0..2 {
        run.fail_for_now("task_001", "Agent timeout after 10s");
        run.wait(0.0);
    }
    finish(run, &["task_001_retry", "task_003", "task_002", "task_004"])
}

/// A run that begins with what another one had done, and goes its own way from there.
pub(super) fn forked() -> Vec<Event> {
    let other = Scenario::paris();
    let mut run = Scenario::start(RunSettings::default());
    let point = other.state.after_phase(Some(Phase::Context)).unwrap_or_default();
    let shared = other.state.checkpoints().iter().find(|it| it.id == point);
    let position = shared.map(|it| it.position).unwrap_or_default();
    let from = RunId::new("run_other").ok();
    run.log = other.log.into_iter().take_while(|recorded| recorded.position <= position).collect();
    for recorded in &mut run.log {
        if let (EventBody::RunStarted { forked_from, .. }, Some(run_id)) = (&mut recorded.event.body, &from) {
            let fork = ForkedFrom { run_id: run_id.clone(), checkpoint: point, position };
            *forked_from = Some(Box::new(fork));
        }
    }
    run.state = candor_engine::RunState::new(run.state.run_id().clone());
    run.log.iter().for_each(|recorded| run.state.apply(&recorded.event));
    run.take(Input::RollBack { to: point, run_budget: None });
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    propose(&mut run, 0.9);
    finish(run, &PARIS)
}
