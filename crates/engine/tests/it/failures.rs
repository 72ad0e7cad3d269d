//! Failures: reported immediately, in the same append, with what is done about them.

use candor_model::{
    EventBody, FeedbackType, GuidanceAction, Notification, OutcomeRecord, Question, RunSettings, RunStatus,
    Severity, TaskStatus,
};
use candor_planning::report;
use candor_testkit::fixtures::{self, confidence, feedback, paris_plan, task_id};
use candor_testkit::scenario::Scenario;

fn failure_notices(run: &Scenario) -> Vec<&candor_model::FailureNotification> {
    run.told()
        .into_iter()
        .filter_map(|notice| match notice {
            Notification::Failure(notice) => Some(notice),
            _ => None,
        })
        .collect()
}

#[test]
fn a_timeout_is_told_once_and_answered_by_the_backup_agent() {
    // spec: planning WF-02 FT-03 FT-04 FT-05 FT-06 FT-08 FT-13 RP-15 RP-16 EN-21 EN-22
    let mut run = Scenario::paris();
    run.report("task_001", fixtures::timeout_feedback());
    let notices = failure_notices(&run);
    assert_eq!(notices.len(), 1, "exactly one message per failure, in the append of the failure");
    let notice = notices[0];
    assert_eq!(notice.severity, Severity::Error);
    assert_eq!(notice.task_id.as_str(), "task_001");
    assert!(notice.error_summary.to_lowercase().contains("timeout"));
    assert!(notice.recovery_strategy.to_lowercase().contains("retry"));
    assert!(!notice.estimated_delay.is_empty());
    assert_eq!(notice.logs_url, "/logs/task_001");
    assert!(run.told().iter().any(|notice| matches!(notice, Notification::Recovery(_))));
    assert_eq!(run.task_ids()[0], "task_001_retry");
    assert_eq!(run.plan().subtasks[0].agent_type.as_str(), "backup_flight_agent");
    assert_eq!(run.state.confidence(), Some(confidence(0.75)));
    assert_eq!(run.started(), ["task_001_retry"]);
    run.succeed("task_001_retry");
    assert_eq!(run.started(), ["task_002"], "what waited for task_001 waits for its replacement");
}

#[test]
fn a_failure_is_told_before_recovery_starts() {
    // spec: planning FT-09
    let mut run = Scenario::paris();
    run.report("task_001", fixtures::timeout_feedback());
    let place = |wanted: fn(&EventBody) -> bool| run.last.iter().position(wanted).unwrap();
    let failed = place(|body| matches!(body, EventBody::TaskFailed { .. }));
    let told = place(
        |body| matches!(body, EventBody::Notified { notification } if matches!(**notification, Notification::Failure(_))),
    );
    let decided =
        place(|body| matches!(body, EventBody::DecisionMade { entry } if entry.operation == "replan"));
    let explained = place(
        |body| matches!(body, EventBody::Notified { notification } if matches!(**notification, Notification::Recovery(_))),
    );
    let revised = place(|body| matches!(body, EventBody::Replanned { .. }));
    let started = place(|body| matches!(body, EventBody::TaskDispatched { .. }));
    assert!(
        failed < told && told < decided && decided < explained && explained < revised && revised < started
    );
}

#[test]
fn each_kind_of_failure_is_told() {
    // spec: planning FT-16
    for answer in [
        fixtures::timeout_feedback(),
        fixtures::over_budget_feedback(),
        feedback(1, FeedbackType::DependencyFailure, &["Dependency task_007 failed"]),
    ] {
        let mut run = Scenario::paris();
        run.report("task_001", answer);
        assert_eq!(failure_notices(&run).len(), 1);
    }
    let mut run = Scenario::paris();
    run.report("task_001", feedback(1, FeedbackType::PartialSuccess, &[]));
    assert!(failure_notices(&run).is_empty());
    assert_eq!(run.told()[0].severity(), Severity::Warning, "a partial success says what is missing");
    assert_eq!(run.started(), ["task_002"], "and the run goes on");
}

#[test]
fn decisions_carry_reasoning_and_confidence_before_and_after() {
    // spec: planning TR-07 TR-08 TR-09 EN-24 BC-09
    let mut run = Scenario::paris();
    run.report("task_001", fixtures::timeout_feedback());
    let events = run.events();
    let filter = report::DecisionFilter { operation: Some("replan".to_owned()), ..Default::default() };
    let entries = report::decisions(&events, &filter);
    assert_eq!(entries.len(), 1);
    let change = entries[0].confidence.unwrap();
    assert_eq!((change.before, change.after), (confidence(0.85), confidence(0.75)));
    assert!(!entries[0].reasoning.is_empty() && !entries[0].decision.is_empty());
    let json = serde_json::to_value(entries[0]).unwrap();
    for key in [
        "timestamp",
        "operation",
        "input",
        "decision",
        "reasoning",
        "confidence",
        "cost",
        "plan_id",
        "task_id",
    ] {
        assert!(!json[key].is_null(), "{key}");
    }
}

#[test]
fn failures_are_logged_with_their_context_and_marked_once_recovery_runs() {
    // spec: planning FT-14 FT-15 EN-25
    let mut run = Scenario::paris();
    run.report("task_001", fixtures::timeout_feedback());
    let entries = report::failure_entries(&run.events());
    assert_eq!(entries.iter().map(|entry| entry.recovery_attempted).collect::<Vec<_>>(), [false, true]);
    assert_eq!(entries[0].context.agent_type.as_str(), "flight_agent");
    assert_eq!(entries[0].context.goal_id.as_str(), "goal_abc123");
}

#[test]
fn the_third_failure_of_a_task_goes_to_a_person_and_pauses() {
    // spec: planning HA-10 HA-11 HA-13 EX-13 EN-20
    let mut run = Scenario::paris();
    run.fail("task_001", "Agent timeout after 10s");
    run.fail_for_now("task_001_retry", "Service unavailable");
    // The retry's own policy repeats it once, and that is the third failure.
    run.wait(7.0);
    run.fail_for_now("task_001_retry", "Service unavailable");
    assert_eq!(failure_notices(&run).len(), 1);
    assert!(failure_notices(&run)[0].recovery_strategy.contains("Waiting for your input"));
    let escalations = run.last.iter().filter(|body| matches!(body, EventBody::Escalated { .. }));
    assert_eq!(escalations.count(), 1);
    let (_, Question::Guidance(request)) = run.question() else { panic!("no guidance asked") };
    assert_eq!(request.failure_count, 3);
    assert_eq!(request.errors.len(), 3);
    assert!(run.state.is_paused() && run.plan().metadata.execution_paused);
    run.succeed("task_003");
    assert!(run.started().is_empty(), "no new agent call while the person is asked");
    assert_eq!(run.state.status(), RunStatus::WaitingHuman);
}

fn escalated() -> Scenario {
    let settings = RunSettings { escalate_after_failures: 1, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.fail("task_001", "Error 1");
    run
}

#[test]
fn guidance_to_retry_resumes_the_run() {
    // spec: planning HA-12
    let mut run = escalated();
    run.guide(GuidanceAction::Retry, Some("backup_flight_agent"));
    assert_eq!(run.started(), ["task_001"]);
    assert_eq!(run.attempt("task_001"), 2, "a new attempt has a new key");
    let agent = &run.plan().subtasks[0].agent_type;
    assert_eq!(agent.as_str(), "backup_flight_agent");
}

#[test]
fn guidance_to_skip_goes_on_without_the_task() {
    // spec: planning HA-12 RP-51
    let mut run = escalated();
    run.guide(GuidanceAction::Skip, None);
    let revision = run.plan().metadata.revisions[0].clone();
    assert!(revision.changes.iter().any(|change| change.contains("task_001")), "{:?}", revision.changes);
    assert_eq!(run.started(), ["task_002"]);
    for task in ["task_002", "task_003", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
    let Some(EventBody::RunCompleted { skipped }) = run.last.last() else { panic!("{:?}", run.last) };
    assert_eq!(skipped, &[task_id("task_001")]);
    let outcome = run.last.iter().find_map(|body| match body {
        EventBody::OutcomeRecorded(OutcomeRecord { outcome, .. }) => Some(outcome.success),
        _ => None,
    });
    assert_eq!(outcome, Some(false), "a plan with a hole is no success to learn from");
}

#[test]
fn guidance_to_abort_ends_the_run_once_everything_has_stopped() {
    // spec: planning HA-12
    // spec: beyond BY-07
    let mut run = escalated();
    run.guide(GuidanceAction::Abort, None);
    assert_eq!(run.state.status(), RunStatus::Stopping, "task_003 is still running");
    let attempt = run.attempt("task_003");
    run.take(candor_engine::Input::AgentStopped { task_id: task_id("task_003"), attempt });
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn a_change_under_a_running_task_stops_it_and_runs_it_again() {
    let tasks = vec![
        fixtures::simple_task(1, "Search flight", &[], "flight_agent"),
        fixtures::simple_task(2, "Pack bags for the flight", &[1], "activity_agent"),
        fixtures::simple_task(3, "Validate total cost", &[1], "validation_agent"),
    ];
    let mut run = Scenario::of(fixtures::plan_of(tasks, 0.9), RunSettings::default());
    run.succeed("task_001");
    run.report("task_003", fixtures::over_budget_feedback());
    assert_eq!(run.started(), ["task_001"]);
    let attempt = run.attempt("task_002");
    run.take(candor_engine::Input::AgentStopped { task_id: task_id("task_002"), attempt });
    assert!(run.started().is_empty(), "it waits for the new result of task_001");
    run.succeed("task_001");
    assert_eq!(run.started(), ["task_002", "task_003"]);
    assert_eq!(run.attempt("task_002"), 2);
}

#[test]
fn a_retried_success_costs_the_revision_and_earns_no_bonus() {
    // spec: planning FB-15 FB-01
    let mut run = Scenario::paris();
    run.report("task_001", fixtures::timeout_feedback());
    for task in ["task_001_retry", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    assert_eq!(run.state.confidence(), Some(confidence(0.75)));
    let kept: Vec<_> = run.state.feedback().iter().map(|feedback| feedback.task_id.as_str()).collect();
    assert!(kept.contains(&"task_001") && kept.contains(&"task_001_retry"));
}

#[test]
fn an_untroubled_run_earns_the_bonus_and_its_outcome_has_the_launch_confidence() {
    // spec: planning FB-02 FB-04 EN-15 TR-10
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    assert_eq!(run.state.confidence(), Some(confidence(0.90)));
    run.close();
    let outcome = run.last.iter().find_map(|body| match body {
        EventBody::OutcomeRecorded(OutcomeRecord { outcome, .. }) => Some(outcome),
        _ => None,
    });
    let outcome = outcome.unwrap();
    assert!(outcome.success);
    assert_eq!(outcome.confidence_score, confidence(0.85));
    assert!(run.plan().metadata.execution_report.is_some());
    assert!(run.plan().subtasks.iter().all(|task| task.status == TaskStatus::Completed));
}
