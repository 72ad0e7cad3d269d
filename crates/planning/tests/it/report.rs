//! Reports, results, the journal and progress.
use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{
    ConfidenceChange, ConfidencePoint, DecisionEntry, Event, EventBody, ExecutionFeedback, ExecutionId,
    ExecutionStatus, FeedbackType, JsonMap, LogLevel, Money, NonEmpty, Penalty, Plan, PlanId, PlanRevision,
    PlanVersion, ProgressStatus, Replacement, ReplanStrategy, RevisionDetails, RevisionId, ScheduledRetry,
    TaskId, TaskStatus, Timestamp,
};
use candor_planning::report::{
    DecisionFilter, ReportMaterial, constraint_summary, decisions, execution_report, execution_result,
    failure_entries, progress,
};
use candor_testkit::{arbitrary, fixtures};
use fixtures::{agent_type, confidence, dollars, object, paris_goal, paris_plan, seconds, task_id, time};
use proptest::prelude::*;
use serde_json::json;

fn feedback(task: &str, kind: FeedbackType, duration: f64, cost: f64, at: &str) -> ExecutionFeedback {
    let mut feedback = fixtures::feedback(1, kind, &[]);
    feedback.task_id = task_id(task);
    feedback.duration_seconds = seconds(duration);
    feedback.cost = dollars(cost);
    feedback.timestamp = time(&format!("2025-11-16T10:00:{at}Z"));
    feedback
}

fn shared(feedback: impl IntoIterator<Item = ExecutionFeedback>) -> Vec<Arc<ExecutionFeedback>> {
    feedback.into_iter().map(Arc::new).collect()
}

fn material<'a>(plan: &'a Plan, feedback: &'a [Arc<ExecutionFeedback>]) -> ReportMaterial<'a> {
    ReportMaterial {
        plan,
        feedback,
        confidence: &[],
        status: ExecutionStatus::Success,
        started_at: None,
        ended_at: None,
        planning_cost: Money::ZERO,
        degradation: None,
    }
}

fn retry_revision() -> PlanRevision {
    let mut retry = paris_plan().subtasks[0].clone();
    retry.task_id = task_id("task_001_retry");
    retry.agent_type = agent_type("backup_flight_agent");
    retry.metadata.original_task_id = Some(task_id("task_001"));
    PlanRevision {
        revision_id: RevisionId::numbered(1),
        original_plan_id: paris_plan().plan_id,
        trigger: "1 failures, 0 violations".to_owned(),
        changes: NonEmpty::one("Retry task task_001 with agent backup_flight_agent".to_owned()),
        new_subtasks: vec![retry],
        removed_task_ids: vec![task_id("task_001")],
        modified_task_ids: vec![],
        confidence_delta: Penalty::new(-0.1).unwrap(),
        details: RevisionDetails {
            strategies: vec![ReplanStrategy::RetryDifferentAgent],
            replacements: vec![Replacement {
                removed: task_id("task_001"),
                by: vec![task_id("task_001_retry")],
            }],
            ..RevisionDetails::default()
        },
    }
}

/// The documents' run with one retry: flight, its retry, hotel and activities.
fn retried_run() -> (Plan, Vec<Arc<ExecutionFeedback>>) {
    let mut plan = paris_plan();
    plan.subtasks.truncate(3);
    let revision = retry_revision();
    plan.subtasks[0] = revision.new_subtasks[0].clone();
    plan.metadata.revisions = vec![revision];
    plan.metadata.revision_count = 1;
    plan.confidence_score = confidence(0.75);
    let mut timeout = feedback("task_001", FeedbackType::Failure, 10.0, 0.0, "10");
    timeout.errors = vec!["Agent timeout after 10s".to_owned()];
    let feedback = shared([
        timeout,
        feedback("task_001_retry", FeedbackType::Success, 3.0, 0.02, "13"),
        feedback("task_002", FeedbackType::Success, 2.0, 0.015, "15"),
        feedback("task_003", FeedbackType::Success, 2.0, 0.01, "17"),
    ]);
    (plan, feedback)
}

#[test]
fn the_documented_run_is_summed_up_to_the_cent() {
    // spec: planning TR-11 TR-12 EN-26 FB-01
    let (plan, feedback) = retried_run();
    let report = execution_report(&material(&plan, &feedback));
    assert_eq!(report.summary.total_duration, seconds(17.0));
    assert_eq!(report.summary.total_cost, dollars(0.045));
    assert_eq!(report.summary.wall_clock_duration, None);
    assert!(report.summary.success, "a failure that was recovered from is no failure of the plan");
    assert_eq!(report.revisions, plan.metadata.revisions);
    let tasks: Vec<_> = report.tasks.iter().map(|task| (task.task_id.as_str(), task.status)).collect();
    assert_eq!(tasks[0], ("task_001", TaskStatus::Failed));
    assert_eq!(tasks[1], ("task_001_retry", TaskStatus::Completed));
    assert_eq!(tasks.len(), 4);
    let path: Vec<_> = report.confidence_evolution.iter().map(|point| point.confidence.get()).collect();
    assert_eq!(path, [0.85, 0.75]);
    let json = serde_json::to_value(&report).unwrap();
    for key in ["summary", "tasks", "revisions", "confidence_evolution", "lessons_learned"] {
        assert!(json.get(key).is_some(), "{key}");
    }
}

#[test]
fn lessons_name_the_timeout_the_backup_and_what_to_do() {
    // spec: planning TR-13
    let (plan, feedback) = retried_run();
    let lessons = execution_report(&material(&plan, &feedback)).lessons_learned;
    assert_eq!(lessons.what_failed, ["Flight search (task_001): Agent timeout"]);
    assert!(lessons.what_worked[1].contains("backup flight agent"), "{lessons:?}");
    assert!(lessons.recommendations[0].contains("task_001"), "{lessons:?}");
    assert!(lessons.recommendations[0].contains("backup flight agent"), "{lessons:?}");
}

#[test]
fn a_failed_run_is_reported_too() {
    // spec: planning TR-10
    let plan = paris_plan();
    let failed = shared((0..50).map(|n| {
        let mut failed = feedback("task_001", FeedbackType::Failure, 1.0, 0.0, "01");
        failed.errors = vec![format!("Error {n}")];
        failed
    }));
    let report =
        execution_report(&ReportMaterial { status: ExecutionStatus::Failure, ..material(&plan, &failed) });
    assert!(!report.summary.success);
    assert_eq!(report.tasks.len(), 50);
    let lessons = report.lessons_learned;
    assert_eq!(lessons.what_failed.len(), 21, "lessons do not grow with the run");
    assert_eq!(lessons.what_failed[20], "and 30 more");
    assert_eq!(lessons.what_worked, ["No task succeeded"]);
}

#[test]
fn success_needs_every_task_of_the_final_plan() {
    // spec: planning EN-26
    let (mut plan, feedback) = retried_run();
    plan.subtasks[2].status = TaskStatus::Skipped;
    assert!(!execution_report(&material(&plan, &feedback)).summary.success);
    plan.subtasks[2].status = TaskStatus::Completed;
    assert!(execution_report(&material(&plan, &feedback)).summary.success);
    let aborted = ReportMaterial { status: ExecutionStatus::Aborted, ..material(&plan, &feedback) };
    assert!(!execution_report(&aborted).summary.success);
}

#[test]
fn recorded_confidence_and_the_clock_are_used_where_known() {
    // spec: planning TR-11 EN-26
    let (plan, feedback) = retried_run();
    let point = ConfidencePoint { at: None, confidence: confidence(0.83), cause: "calibrated".to_owned() };
    let report = execution_report(&ReportMaterial {
        confidence: std::slice::from_ref(&point),
        started_at: Some(time("2025-11-16T10:00:00Z")),
        ended_at: Some(time("2025-11-16T10:00:13Z")),
        planning_cost: dollars(0.0064),
        degradation: None,
        ..material(&plan, &feedback)
    });
    assert_eq!(report.confidence_evolution, [point]);
    assert_eq!(report.summary.wall_clock_duration, Some(seconds(13.0)));
    assert_eq!(report.summary.total_duration, seconds(17.0));
    assert_eq!(report.summary.total_cost, dollars(0.0514));
}

/// The documents' run without a failure; hotel and activities end in the other order than the plan's.
fn paris_run() -> Vec<Arc<ExecutionFeedback>> {
    let mut check = feedback("task_004", FeedbackType::Success, 0.3, 0.005, "03");
    check.actual_outputs =
        object(json!({ "budget_status": "WITHIN_BUDGET", "total_cost": 1850, "duration": "3 days" }));
    let mut activities = feedback("task_003", FeedbackType::Success, 2.0, 0.01, "02");
    activities.actual_outputs = object(json!({ "activities": ["a", "b", "c", "d", "e", "f"] }));
    shared([
        feedback("task_001", FeedbackType::Success, 1.5, 0.02, "01.5"),
        feedback("task_002", FeedbackType::Success, 1.2, 0.015, "02.7"),
        activities,
        check,
    ])
}

#[test]
fn the_result_has_wall_clock_time_and_feedback_by_time() {
    // spec: planning EN-14 EX-04 EX-05
    let (plan, feedback) = (paris_plan(), paris_run());
    let material = ReportMaterial {
        started_at: Some(time("2025-11-16T10:00:00Z")),
        ended_at: Some(time("2025-11-16T10:00:03Z")),
        ..material(&plan, &feedback)
    };
    let result = execution_result(ExecutionId::new("exec_123").unwrap(), &material);
    assert_eq!(result.total_duration_seconds, seconds(3.0));
    assert_eq!(result.status, ExecutionStatus::Success);
    let order: Vec<_> = result.feedback.iter().map(|feedback| feedback.task_id.as_str()).collect();
    assert_eq!(order, ["task_001", "task_003", "task_002", "task_004"]);
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["start_time"], "2025-11-16T10:00:00Z");
    assert_eq!(json.as_object().unwrap().len(), 7);
}

#[test]
fn the_constraints_are_compared_with_the_outputs() {
    // spec: planning EX-15
    let (plan, feedback) = (paris_plan(), paris_run());
    let summary = constraint_summary(&paris_goal(), &material(&plan, &feedback));
    assert_eq!((summary.succeeded, summary.total), (4, 4));
    let found: Vec<_> =
        summary.checks.iter().map(|check| (check.what.as_str(), check.found.as_deref(), check.met)).collect();
    assert_eq!(
        found,
        [
            ("budget", Some("1850"), Some(true)),
            ("duration", Some("3 days"), Some(true)),
            ("time", None, None),
            ("activities", Some("6"), Some(true)),
        ]
    );
    assert_eq!(summary.all_met(), None, "nothing is said of the dates");
}

#[test]
fn a_broken_budget_is_not_met() {
    // spec: planning EX-15
    let plan = paris_plan();
    let feedback = shared([fixtures::over_budget_feedback()]);
    let summary = constraint_summary(&paris_goal(), &material(&plan, &feedback));
    assert_eq!(summary.checks[0].met, Some(false));
    assert_eq!(summary.all_met(), Some(false));
    assert_eq!(summary.succeeded, 0);
}

fn failed(task: &str, attempt: u32) -> EventBody {
    let mut feedback = fixtures::timeout_feedback();
    feedback.task_id = task_id(task);
    EventBody::TaskFailed {
        task_id: task_id(task),
        attempt,
        agent_type: agent_type("flight_agent"),
        dependencies: vec![task_id("task_000")],
        failure_count: attempt,
        feedback: Arc::new(feedback),
    }
}

fn log(bodies: impl IntoIterator<Item = EventBody>) -> Vec<Event> {
    bodies.into_iter().map(|body| Event::new(Timestamp::EPOCH, body)).collect()
}

fn proposed() -> EventBody {
    EventBody::PlanProposed {
        version: PlanVersion(1),
        plan: Arc::new(paris_plan()),
        agents: vec![],
        repairs: vec![],
        repair_kinds: BTreeSet::new(),
        brief: None,
    }
}

fn replanned() -> EventBody {
    EventBody::Replanned { version: PlanVersion(2), revision: Box::new(retry_revision()) }
}

fn retry_scheduled(task: &str) -> EventBody {
    EventBody::RetryScheduled(ScheduledRetry {
        task_id: task_id(task),
        at: Timestamp::EPOCH,
        agent_type: None,
        inputs: JsonMap::new(),
        by_person: false,
    })
}

#[test]
fn a_failure_is_journalled_with_its_context_and_again_when_recovery_starts() {
    // spec: planning EN-25 FT-14 FT-15
    let entries =
        failure_entries(&log([proposed(), failed("task_001", 1), failed("task_002", 1), replanned()]));
    let seen: Vec<_> =
        entries.iter().map(|entry| (entry.task_id.as_str(), entry.recovery_attempted)).collect();
    assert_eq!(seen, [("task_001", false), ("task_002", false), ("task_001", true)]);
    let json = serde_json::to_value(&entries[0]).unwrap();
    assert_eq!(
        json,
        json!({
            "timestamp": fixtures::NOON, "level": "ERROR", "operation": "task_execution", "task_id": "task_001",
            "error": ["Agent timeout after 10s"], "duration_seconds": 10.0, "cost": 0,
            "context": { "plan_id": "plan_xyz789", "goal_id": "goal_abc123", "agent_type": "flight_agent",
                         "dependencies": ["task_000"] },
            "recovery_attempted": false,
        })
    );
}

#[test]
fn a_scheduled_retry_is_a_recovery_and_a_rollback_is_none() {
    // spec: planning FT-15
    let recovered = failure_entries(&log([proposed(), failed("task_001", 1), retry_scheduled("task_001")]));
    assert_eq!(recovered.iter().filter(|entry| entry.recovery_attempted).count(), 1);
    let back = EventBody::RolledBack { to: candor_model::CheckpointId(1), run_budget: None };
    let entries =
        failure_entries(&log([proposed(), failed("task_001", 1), back, retry_scheduled("task_001")]));
    assert!(entries.iter().all(|entry| !entry.recovery_attempted));
}

#[test]
fn a_failure_without_a_plan_is_not_hidden() {
    // spec: planning FT-14
    let entries = failure_entries(&log([failed("task_001", 1)]));
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].context.plan_id.as_str(), "unknown");
}

fn decision(operation: &str, plan: &str, task: Option<&str>) -> EventBody {
    EventBody::DecisionMade {
        entry: Box::new(DecisionEntry {
            timestamp: Timestamp::EPOCH,
            level: LogLevel::Info,
            operation: operation.to_owned(),
            plan_id: Some(PlanId::new(plan).unwrap()),
            task_id: task.map(task_id),
            input: "Agent timeout".to_owned(),
            decision: "RETRY_DIFFERENT_AGENT".to_owned(),
            reasoning: "timeout".to_owned(),
            confidence: Some(ConfidenceChange { before: confidence(0.85), after: confidence(0.75) }),
            cost: Money::ZERO,
        }),
    }
}

#[test]
fn decisions_are_found_by_plan_task_and_operation() {
    // spec: planning TR-08 EN-24
    let events = log([
        decision("route_task", "plan_a", Some("task_001")),
        proposed(),
        decision("replan", "plan_a", Some("task_002")),
        decision("replan", "plan_b", None),
    ]);
    let count = |filter: DecisionFilter| decisions(&events, &filter).len();
    let plan_id = Some(PlanId::new("plan_a").unwrap());
    let operation = Some("replan".to_owned());
    assert_eq!(count(DecisionFilter::default()), 3);
    assert_eq!(count(DecisionFilter { plan_id: plan_id.clone(), ..DecisionFilter::default() }), 2);
    assert_eq!(count(DecisionFilter { task_id: Some(task_id("task_002")), ..DecisionFilter::default() }), 1);
    assert_eq!(count(DecisionFilter { operation: operation.clone(), ..DecisionFilter::default() }), 2);
    assert_eq!(count(DecisionFilter { plan_id, operation, ..DecisionFilter::default() }), 1);
    let entry = serde_json::to_value(decisions(&events, &DecisionFilter::default())[0]).unwrap();
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
        assert!(entry.get(key).is_some(), "{key}");
    }
}

#[test]
fn progress_counts_successes() {
    // spec: planning TR-02 TR-03 EN-23
    let plan = paris_plan();
    let shown: Vec<f64> = (1..=4)
        .map(|done| progress(&plan.subtasks[0], true, done, 4, 0.0, None).progress_percentage)
        .collect();
    assert_eq!(shown, [25.0, 50.0, 75.0, 100.0]);
    let longer = progress(&plan.subtasks[0], true, 2, 6, 50.0, None);
    assert_eq!(longer.progress_percentage, 50.0, "a longer plan takes nothing back");
    let remaining = [1, 3].iter().map(|&n: &usize| plan.subtasks[n].estimated_duration_seconds).sum();
    let update = progress(&plan.subtasks[2], false, 2, 4, 0.0, Some(remaining));
    assert_eq!(update.status, ProgressStatus::Failure);
    assert_eq!(update.estimated_remaining_time, Some(seconds(30.0)));
    let json = serde_json::to_value(&update).unwrap();
    assert_eq!(json["task_id"], "task_003");
    assert_eq!(json.as_object().unwrap().len(), 4);
}

proptest! {
    #[test]
    fn progress_stays_between_nothing_and_all(ended in any::<usize>(), total in any::<usize>()) {
        let shown = progress(&paris_plan().subtasks[0], true, ended, total, 0.0, None).progress_percentage;
        prop_assert!((0.0..=100.0).contains(&shown));
    }

    #[test]
    fn a_report_has_an_entry_per_attempt_and_the_exact_sum(
        plan in arbitrary::any_plan(5),
        list in prop::collection::vec((arbitrary::feedback(5), 0..1_000_000u64, 0..60i64), 0..40),
    ) {
        let feedback = shared(list.into_iter().map(|(mut feedback, micros, second)| {
            feedback.cost = Money::from_micros(micros);
            feedback.timestamp = Timestamp::from_millis(second * 1000);
            feedback
        }));
        let material = material(&plan, &feedback);
        let report = execution_report(&material);
        prop_assert_eq!(report.tasks.len(), feedback.len());
        let micros: u64 = feedback.iter().map(|feedback| feedback.cost.micros()).sum();
        prop_assert_eq!(report.summary.total_cost.micros(), micros);
        let lessons = &report.lessons_learned;
        for lines in [&lessons.what_failed, &lessons.what_worked, &lessons.recommendations] {
            prop_assert!((1..=21).contains(&lines.len()));
        }
        prop_assert!(!report.confidence_evolution.is_empty());
        let result = execution_result(ExecutionId::new("exec_1").unwrap(), &material);
        prop_assert!(result.feedback.is_sorted_by_key(|feedback| feedback.timestamp));
        prop_assert_eq!(result.feedback.len(), feedback.len());
        prop_assert!(result.end_time >= result.start_time);
        let summary = constraint_summary(&paris_goal(), &material);
        prop_assert!(summary.succeeded <= summary.total);
    }

    #[test]
    fn each_failure_is_journalled_once_and_recovered_at_most_once(
        picks in prop::collection::vec((0..4u8, 1..4usize), 0..30)
    ) {
        let events = log(picks.into_iter().map(|(kind, n)| {
            let task = TaskId::numbered(n);
            match kind {
                0 | 1 => failed(task.as_str(), 1),
                2 => retry_scheduled(task.as_str()),
                _ => decision("replan", "plan_a", Some(task.as_str())),
            }
        }));
        let failures = events.iter().filter(|event| matches!(event.body, EventBody::TaskFailed { .. })).count();
        let (again, first): (Vec<_>, Vec<_>) =
            failure_entries(&events).into_iter().partition(|entry| entry.recovery_attempted);
        prop_assert_eq!(first.len(), failures);
        prop_assert!(again.len() <= failures);
        prop_assert!(decisions(&events, &DecisionFilter::default()).iter().all(|entry| entry.operation == "replan"));
    }
}
