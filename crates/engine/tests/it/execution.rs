//! Carrying a plan out: who starts when, what is reported, what runs again, how it ends.

use candor_engine::{Input, PhaseResult};
use candor_model::{
    AgentType, EventBody, ExecutionId, ExecutionStatus, FeedbackType, Money, Phase, RunSettings, RunStatus,
    TaskStatus,
};
use candor_planning::report;
use candor_testkit::fixtures::{self, dollars, feedback, paris_plan, plan_of, seconds, simple_task, time};
use candor_testkit::scenario::Scenario;
use serde_json::json;

#[test]
fn paris_follows_the_documented_timeline() {
    // spec: planning EX-01 EX-02
    let mut run = Scenario::paris();
    let start = run.now;
    assert_eq!(run.started(), ["task_001", "task_003"]);
    run.pass(1.5);
    run.succeed("task_001");
    assert_eq!(run.started(), ["task_002"], "task_002 does not wait for task_003");
    run.pass(0.5);
    run.succeed("task_003");
    assert!(run.started().is_empty());
    run.pass(0.7);
    run.succeed("task_002");
    assert_eq!(run.started(), ["task_004"]);
    assert_eq!(run.now.since(start), seconds(2.7));
    run.pass(0.3);
    run.succeed("task_004");
    assert_eq!(run.now.since(start), seconds(3.0));
    assert_eq!(run.state.status(), RunStatus::Executing, "validation and consolidation always follow");
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn every_task_gives_one_feedback_and_the_result_tells_wall_clock_time() {
    // spec: planning EX-03 EX-04 EX-05 EN-14 EX-14
    let mut run = Scenario::paris();
    let start = run.now;
    for (task, at, duration, cost) in [
        ("task_001", 1.5, 1.5, 0.02),
        ("task_003", 2.0, 2.0, 0.01),
        ("task_002", 2.7, 1.2, 0.015),
        ("task_004", 3.0, 0.3, 0.005),
    ] {
        run.now = start.plus(seconds(at));
        let mut answer = feedback(1, FeedbackType::Success, &[]);
        answer.duration_seconds = seconds(duration);
        answer.cost = dollars(cost);
        run.report(task, answer);
    }
    let plan = run.plan();
    let material = run.state.report_material(&plan, ExecutionStatus::Success, run.now);
    let result = report::execution_result(ExecutionId::new("exec_123").unwrap(), &material);
    assert_eq!(result.feedback.len(), 4);
    assert!(result.feedback.is_sorted_by_key(|feedback| feedback.timestamp));
    assert!(result.feedback.iter().all(|feedback| feedback.duration_seconds > seconds(0.0)));
    assert_eq!(result.total_duration_seconds, seconds(3.0));
    assert_eq!(result.status, ExecutionStatus::Success);
    assert_eq!(run.state.spent(), dollars(0.05));
}

#[test]
fn ready_tasks_go_by_priority_then_by_the_plans_order_and_at_most_n_at_once() {
    let mut tasks: Vec<_> = (1..=6).map(|n| simple_task(n, "Do", &[], "hotel_agent")).collect();
    tasks[4].priority = candor_model::Priority::new(9).unwrap();
    tasks[5].priority = candor_model::Priority::new(10).unwrap();
    let settings = RunSettings { max_parallel_tasks: 3, ..RunSettings::default() };
    let mut run = Scenario::of(plan_of(tasks, 0.9), settings);
    assert_eq!(run.started(), ["task_006", "task_005", "task_001"]);
    run.succeed("task_005");
    assert_eq!(run.started(), ["task_002"]);
}

#[test]
fn a_task_starts_when_its_own_dependencies_are_done_not_when_a_layer_is() {
    // spec: beyond BY-04
    let tasks = vec![
        simple_task(1, "Slow", &[], "hotel_agent"),
        simple_task(2, "Fast", &[], "hotel_agent"),
        simple_task(3, "After fast", &[2], "hotel_agent"),
        simple_task(4, "After both", &[1, 3], "hotel_agent"),
    ];
    let mut run = Scenario::of(plan_of(tasks, 0.9), RunSettings::default());
    run.succeed("task_002");
    assert_eq!(run.started(), ["task_003"]);
    run.fail("task_001", "Agent timeout after 10s");
    assert_eq!(run.plan().task(&fixtures::task_id("task_002")).unwrap().status, TaskStatus::Completed);
    run.succeed("task_003");
    assert!(run.started().is_empty(), "task_004 still needs what replaces task_001");
}

#[test]
fn agents_get_what_the_tasks_before_produced() {
    let mut run = Scenario::paris();
    run.succeed("task_001");
    let order = run.state.work_order(&fixtures::task_id("task_002"), 1).unwrap();
    let json = serde_json::to_value(&order).unwrap();
    assert_eq!(json["upstream"]["task_001"], json!({ "result": "task_001" }));
    assert_eq!(json["idempotency_key"], "run_test/task_002/1");
    assert_eq!(json["deadline_seconds"], 10.0);
    assert_eq!(json["expected_outputs"], json!(["hotel_booking"]));
}

#[test]
fn an_agent_that_does_not_answer_times_out() {
    // spec: planning EX-08 FT-01 FT-02
    let mut run = Scenario::paris();
    run.wait(9.9);
    assert!(run.last.is_empty(), "nothing happens before the deadline");
    run.wait(0.1);
    let Some(EventBody::TaskFailed { task_id, feedback, .. }) = run.last.first() else {
        panic!("{:?}", run.last)
    };
    assert_eq!(task_id.as_str(), "task_001");
    assert_eq!(feedback.errors, ["Agent timeout after 10s"]);
    assert_eq!(feedback.duration_seconds, seconds(10.0));
    assert_eq!(feedback.cost, Money::ZERO);
    // task_003 is overdue as well and has its own failure at the next tick.
    run.wait(0.0);
    assert!(
        run.last.iter().any(
            |body| matches!(body, EventBody::TaskFailed { task_id, .. } if task_id.as_str() == "task_003")
        )
    );
}

#[test]
fn a_success_that_says_exceeded_is_a_violation() {
    // spec: planning EX-06
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002"] {
        run.succeed(task);
    }
    let mut answer = feedback(4, FeedbackType::Success, &[]);
    answer.actual_outputs = fixtures::over_budget_feedback().actual_outputs;
    run.report("task_004", answer);
    let Some(EventBody::TaskFailed { feedback, .. }) =
        run.last.iter().find(|body| matches!(body, EventBody::TaskFailed { .. }))
    else {
        panic!("{:?}", run.last)
    };
    assert_eq!(feedback.feedback_type, FeedbackType::ConstraintViolation);
    assert!(feedback.errors[0].contains("exceeds budget"), "{:?}", feedback.errors);
}

#[test]
fn a_violation_runs_only_what_it_changes_again() {
    // spec: planning EX-12 RP-33
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002"] {
        run.succeed(task);
    }
    run.report("task_004", fixtures::over_budget_feedback());
    assert_eq!(run.started(), ["task_001"], "the hotel waits for the new flight, activities are not touched");
    assert_eq!(run.attempt("task_001"), 2);
    assert_eq!(run.plan().task(&fixtures::task_id("task_001")).unwrap().inputs["max_price"], json!(669.76));
    run.succeed("task_001");
    assert_eq!(run.started(), ["task_002"]);
    run.succeed("task_002");
    assert_eq!(run.started(), ["task_004"]);
    run.succeed("task_004");
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
    let calls = run.log.iter().filter(|recorded| {
        matches!(&recorded.event.body, EventBody::TaskDispatched { task_id, .. } if task_id.as_str() == "task_003")
    });
    assert_eq!(calls.count(), 1);
}

#[test]
fn a_retry_policy_repeats_after_its_wait_before_anything_else() {
    // spec: planning EX-11 EN-06
    let mut plan = paris_plan();
    plan.subtasks[2].retry_policy =
        Some(candor_model::RetryPolicy { max_retries: 1, backoff_seconds: seconds(5.0) });
    let mut run = Scenario::of(plan, RunSettings::default());
    run.fail_for_now("task_003", "Error 1");
    assert_eq!(run.task_ids(), ["task_001", "task_002", "task_003", "task_004"], "no revision yet");
    run.wait(4.9);
    assert!(run.started().is_empty());
    // Up to a quarter of the wait is added, so that tasks do not come back together.
    run.wait(1.4);
    assert_eq!(run.started(), ["task_003"]);
    assert_eq!(run.attempt("task_003"), 2);
    run.fail_for_now("task_003", "Error 2");
    let escalated = run.last.iter().any(|body| matches!(body, EventBody::Escalated { .. }));
    assert!(escalated, "now its failure counts, and nobody else fits");
}

#[test]
fn tasks_that_can_never_run_are_told_when_the_run_is_given_up() {
    // spec: planning EX-09 EX-16 FT-16
    let settings = RunSettings { max_revisions: 0, unattended: true, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.succeed("task_003");
    run.fail("task_001", "Agent timeout after 10s");
    let blocked: Vec<_> = run
        .last
        .iter()
        .filter_map(|body| match body {
            EventBody::TaskFailed { task_id, attempt: 0, feedback, .. } => {
                Some((task_id.as_str(), &feedback.errors[0]))
            }
            _ => None,
        })
        .collect();
    assert_eq!(blocked[0], ("task_002", &"Dependency task_001 failed".to_owned()));
    assert_eq!(blocked[1].0, "task_004");
    let Some(EventBody::RunAborted { failed_tasks, .. }) = run.last.last() else { panic!("{:?}", run.last) };
    assert_eq!(failed_tasks.len(), 3);
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

/// Paris, whose second task turns out to be too much in one go.
fn split() -> Scenario {
    let mut plan = paris_plan();
    plan.subtasks[1].description = candor_model::Text::or("Book the room and the table", "-");
    let mut run = Scenario::of(plan, RunSettings::default());
    run.succeed("task_001");
    run.report("task_002", fixtures::too_complex_feedback());
    run
}

#[test]
fn new_tasks_get_an_agent_before_they_run() {
    // spec: planning RP-25 SR-11 RP-46
    let mut run = split();
    assert!(run.started().is_empty(), "the part has no agent yet");
    assert_eq!(run.plan().task(&fixtures::task_id("task_002_1")).unwrap().agent_type, AgentType::tbd());
    run.route("task_002_1", "hotel_agent");
    assert_eq!(run.started(), ["task_002_1"]);
    assert!(
        run.last
            .iter()
            .any(|body| matches!(body, EventBody::DecisionMade { entry } if entry.operation == "route_task"))
    );
}

#[test]
fn a_task_that_nobody_can_do_goes_to_a_person() {
    // spec: planning SR-12
    let mut run = split();
    let task_id = fixtures::task_id("task_002_1");
    run.take(Input::Routed { task_id, ranking: Err("no agents".to_owned()) });
    assert!(run.told().iter().any(|notice| format!("{notice:?}").contains("task_002_1")));
    run.guide(candor_model::GuidanceAction::Retry, Some("hotel_agent"));
    assert_eq!(run.started(), ["task_002_1"]);
}

#[test]
fn progress_is_told_with_each_completion() {
    // spec: planning TR-01 TR-02 TR-03 EN-23
    let mut run = Scenario::paris();
    let mut seen = Vec::new();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
        let updates: Vec<_> = run
            .last
            .iter()
            .filter_map(|body| match body {
                EventBody::Progressed { update } => Some(update),
                _ => None,
            })
            .collect();
        assert_eq!(updates.len(), 1, "one update per completion, in the same append");
        let remaining = updates[0].estimated_remaining_time.expect("the plan states every duration");
        seen.push((updates[0].progress_percentage, remaining.get()));
    }
    assert_eq!(seen, [(25.0, 50.0), (50.0, 30.0), (75.0, 5.0), (100.0, 0.0)]);
}

#[test]
fn a_failed_criterion_fails_the_run_after_all_phases() {
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    let unmet = vec!["At least 5 activities planned".to_owned()];
    run.phase_done(Phase::Validation, PhaseResult::Verdict { unmet, failed: Vec::new() });
    run.phase_done(Phase::Consolidation, PhaseResult::Plain);
    assert_eq!(run.state.status(), RunStatus::Failed);
    assert!(
        matches!(run.last.last(), Some(EventBody::RunFailed { error, .. }) if error.to_string().contains("5 activities"))
    );
}

#[test]
fn all_phases_run_in_their_order() {
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.close();
    let phases: Vec<_> = run
        .log
        .iter()
        .filter_map(|recorded| match &recorded.event.body {
            EventBody::PhaseStarted { phase, .. } => Some(phase.number()),
            _ => None,
        })
        .collect();
    assert_eq!(phases, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(run.log[0].event.at, time(fixtures::NOON));
}
