//! Loop detection: the plan is changed; models that use too much are stopped.

use candor_engine::{Input, Refusal, RunState};
use candor_model::{
    EventBody, LoopGuard, Notification, Phase, PhaseLimits, ReplanStrategy, RetryPolicy, RunSettings, Seconds,
};
use candor_testkit::consulting;
use candor_testkit::fixtures::{paris_plan, plan_of, simple_task, task_id};
use candor_testkit::scenario::Scenario;

/// Limits under which nothing but the guard stops a task from being repeated.
fn patient(loop_guard: LoopGuard) -> RunSettings {
    RunSettings {
        escalate_after_failures: 50,
        max_revisions: 50,
        retry: None,
        phases: Some(PhaseLimits { loop_guard, ..PhaseLimits::default() }),
        ..RunSettings::default()
    }
}

fn stubborn() -> candor_model::Plan {
    let mut plan = paris_plan();
    let policy = RetryPolicy { max_retries: 20, backoff_seconds: Seconds::ZERO };
    for task in &mut plan.subtasks {
        task.retry_policy = Some(policy);
    }
    plan
}

fn tripped(run: &Scenario) -> bool {
    run.last
        .iter()
        .any(|body| matches!(body, EventBody::GuardrailTripped { rule, .. } if rule == "loop_guard"))
}

fn replanned(run: &Scenario) -> bool {
    run.last.iter().any(|body| matches!(body, EventBody::Replanned { .. }))
}

#[test]
fn the_third_identical_failure_changes_the_plan_instead_of_repeating() {
    let mut run = Scenario::of(stubborn(), patient(LoopGuard::default()));
    for n in 1..=2 {
        run.fail_for_now("task_001", &format!("HTTP 503 after {n} s"));
        assert!(!tripped(&run) && !replanned(&run), "the policy repeats it");
        run.wait(0.0);
    }
    run.fail_for_now("task_001", "HTTP 503 after 3 s");
    assert!(tripped(&run) && replanned(&run));
    let told = run.told().into_iter().any(|notification| {
        matches!(notification, Notification::Announcement(it) if it.title == "Loop detected" && it.text.contains("3 times"))
    });
    assert!(told);
    assert!(!run.last.iter().any(|body| matches!(body, EventBody::RetryScheduled(_))));
}

#[test]
fn the_guard_survives_a_restart() {
    let mut run = Scenario::of(stubborn(), patient(LoopGuard::default()));
    run.fail_for_now("task_001", "HTTP 503");
    run.wait(0.0);
    run.fail_for_now("task_001", "HTTP 503");
    run.state = RunState::fold(run.state.run_id().clone(), &run.log).unwrap();
    run.take(Input::TakenUp);
    run.wait(0.0);
    run.fail_for_now("task_001", "HTTP 503");
    assert!(tripped(&run) && replanned(&run));
}

#[test]
fn a_call_that_went_well_is_forgiven() {
    let mut run = Scenario::of(stubborn(), patient(LoopGuard::default()));
    for _ in 0..2 {
        run.fail_for_now("task_001", "HTTP 503");
        run.wait(0.0);
    }
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    let failed = vec![(task_id("task_001"), "no flights".to_owned())];
    run.phase_done(Phase::Validation, candor_engine::PhaseResult::Verdict { unmet: Vec::new(), failed });
    run.fail_for_now("task_001", "HTTP 503");
    assert!(!tripped(&run), "it had succeeded in between");
}

#[test]
fn failures_in_a_row_that_bring_nothing_trip_too() {
    let guard = LoopGuard { identical_calls: 0, steps_without_progress: 3 };
    let mut run = Scenario::of(stubborn(), patient(guard));
    for (task, error) in
        [("task_001", "HTTP 503"), ("task_003", "no answer"), ("task_001", "reset"), ("task_003", "no route")]
    {
        run.fail_for_now(task, error);
        assert!(!tripped(&run), "{task}: {error}");
        run.wait(0.0);
    }
    run.fail_for_now("task_001", "closed");
    assert!(tripped(&run) && replanned(&run));
}

#[test]
fn many_tasks_that_fail_once_each_are_no_circle() {
    let tasks = (1..=8).map(|n| simple_task(n, "Do the same", &[], "hotel_agent")).collect();
    let guard = LoopGuard { identical_calls: 2, steps_without_progress: 3 };
    let mut plan = plan_of(tasks, 0.9);
    for task in &mut plan.subtasks {
        task.retry_policy = Some(RetryPolicy { max_retries: 20, backoff_seconds: Seconds::ZERO });
    }
    let mut run = Scenario::of(plan, patient(guard));
    for n in 1..=8 {
        run.fail_for_now(&format!("task_{n:03}"), "HTTP 503");
        assert!(!tripped(&run), "{n}");
    }
}

#[test]
fn progress_in_between_starts_the_count_anew() {
    let guard = LoopGuard { identical_calls: 0, steps_without_progress: 2 };
    let mut run = Scenario::of(stubborn(), patient(guard));
    run.fail_for_now("task_001", "HTTP 503");
    run.wait(0.0);
    run.fail_for_now("task_001", "connection reset");
    run.succeed("task_003");
    run.wait(0.0);
    run.fail_for_now("task_001", "no route");
    assert!(!tripped(&run));
}

#[test]
fn a_guard_that_is_off_stays_silent() {
    let guard = LoopGuard { identical_calls: 0, steps_without_progress: 0 };
    let mut run = Scenario::of(stubborn(), patient(guard));
    for _ in 0..15 {
        run.fail_for_now("task_001", "HTTP 503");
        assert!(!tripped(&run));
        run.wait(0.0);
    }
}

#[test]
fn fifty_thousand_and_one_tokens_ask_a_person() {
    // spec: orchestrator EE-04
    let spend = |tokens: u64| {
        let mut run = Scenario::start(RunSettings::default());
        let key = consulting::ask(Phase::Evaluation, "parse_goal");
        run.take(consulting::consulting(&key, 1_000));
        let mut call = consulting::answered("{}", 500);
        call.tokens.input = tokens;
        call.tokens.output = 0;
        run.take(consulting::consulted(&key, 1, Some(call), consulting::accepted()));
        run
    };
    let enough = spend(50_000);
    assert!(enough.state.open_questions().is_empty());
    let mut run = spend(50_001);
    assert_eq!(run.options(), ["continue", "rules", "stop"]);
    assert!(run.choice().1.reason.contains("50001"));
    let key = consulting::ask(Phase::Evaluation, "score_prompt");
    let refused = run.try_take(consulting::consulting(&key, 1_000));
    assert!(matches!(refused, Err(Refusal::NoTokens { used: 50_001, allowed: 50_000 })));
    run.choose("continue", "");
    run.take(consulting::consulting(&key, 1_000));
    let mut run = spend(50_001);
    run.choose("rules", "");
    assert!(matches!(run.try_take(consulting::consulting(&key, 1_000)), Err(Refusal::NoTokens { .. })));
}

#[test]
fn what_tripped_is_a_change_of_plan_like_any_other() {
    let task = simple_task(1, "Search flights", &[], "flight_agent");
    let mut plan = plan_of(vec![task], 0.9);
    plan.subtasks[0].metadata.ranking = paris_plan().subtasks[0].metadata.ranking.clone();
    plan.subtasks[0].retry_policy = Some(RetryPolicy { max_retries: 9, backoff_seconds: Seconds::ZERO });
    let mut run = Scenario::of(plan, patient(LoopGuard::default()));
    for _ in 0..3 {
        run.fail_for_now("task_001", "Agent timeout after 10s");
        run.wait(0.0);
    }
    let strategies = run.log.iter().find_map(|it| match &it.event.body {
        EventBody::Replanned { revision, .. } => Some(revision.details.strategies.clone()),
        _ => None,
    });
    assert!(strategies.is_some_and(|them| them != [ReplanStrategy::Unknown]));
}
