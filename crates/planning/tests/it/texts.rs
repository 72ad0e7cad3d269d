//! What people are told.
use candor_model::{
    FeedbackType, Notification, PartialResult, PlanningError, ReplanStrategy, Seconds, Severity, SubTask,
    TaskId, Text,
};
use candor_planning::texts::{
    Response, abort_announcement, agent_name, cause, failure_notification, low_confidence_warning,
    partial_success_announcement, plain, recovery_notification, short_cause, task_name,
};
use candor_testkit::{arbitrary, fixtures};
use fixtures::{
    agent_type, confidence, dollars, object, paris_plan, seconds, task_id, time, timeout_feedback,
};
use proptest::prelude::*;
use serde_json::json;

fn flight() -> SubTask {
    paris_plan().subtasks[0].clone()
}

fn strategy(strategy: ReplanStrategy) -> Response<'static> {
    Response::Strategy { strategy, agent: None, rerun: seconds(60.0) }
}

fn texts(errors: &[&str]) -> Vec<String> {
    errors.iter().map(|&error| error.to_owned()).collect()
}

#[test]
fn the_example_failure_is_told_as_documented() {
    // spec: planning FT-06 FT-07 EN-21
    let backup = agent_type("backup_flight_agent");
    let response = Response::Strategy {
        strategy: ReplanStrategy::RetryDifferentAgent,
        agent: Some(&backup),
        rerun: seconds(30.0),
    };
    let notice = failure_notification(&flight(), &timeout_feedback(), &response);
    assert_eq!(notice.severity, Severity::Error);
    assert_eq!(notice.timestamp, timeout_feedback().timestamp);
    assert_eq!(notice.task_id, task_id("task_001"));
    assert_eq!(notice.error_summary, "Flight search failed: Agent timeout");
    assert_eq!(notice.recovery_strategy, "Retrying with backup flight agent");
    assert_eq!(notice.estimated_delay, "2-3 seconds");
    assert_eq!(notice.logs_url, "/logs/task_001");
    let unnamed =
        failure_notification(&flight(), &timeout_feedback(), &strategy(ReplanStrategy::RetryDifferentAgent));
    assert_eq!(unnamed.recovery_strategy, "Retrying with backup agent");
    let keys = serde_json::to_value(Notification::Failure(notice)).unwrap();
    assert_eq!(keys["failure"].as_object().unwrap().len(), 7);
}

#[test]
fn delays_without_a_fixed_text_come_from_the_estimates() {
    // spec: planning FT-06 EN-21
    let delay = |response: &Response<'_>| {
        failure_notification(&flight(), &timeout_feedback(), response).estimated_delay
    };
    assert_eq!(delay(&strategy(ReplanStrategy::DecomposeFurther)), "3-5 seconds");
    for other in
        [ReplanStrategy::AdjustParameters, ReplanStrategy::FindWorkaround, ReplanStrategy::FixDependencies]
    {
        assert_eq!(delay(&strategy(other)), "about 60 seconds", "{other}");
    }
    let rerun = |seconds| Response::Strategy {
        strategy: ReplanStrategy::FindWorkaround,
        agent: None,
        rerun: seconds,
    };
    assert_eq!(delay(&rerun(Seconds::ZERO)), "less than a second");
    assert_eq!(delay(&rerun(seconds(600.0))), "about 10 minutes");
    assert_eq!(delay(&Response::RetrySameAgent { after: seconds(5.0) }), "about 5 seconds");
}

#[test]
fn an_escalated_failure_says_that_guidance_is_awaited() {
    // spec: planning HA-13
    let notice = failure_notification(&flight(), &timeout_feedback(), &Response::AwaitHuman);
    assert_eq!(notice.severity, Severity::Error);
    assert!(notice.recovery_strategy.contains("Waiting for your input"), "{notice:?}");
    assert_eq!(notice.estimated_delay, "until a person answers");
}

#[test]
fn every_kind_of_failure_is_told_alike() {
    // spec: planning FT-16
    for feedback in [fixtures::over_budget_feedback(), fixtures::dependency_feedback()] {
        let task = &paris_plan().subtasks[3];
        let notice = failure_notification(task, &feedback, &Response::GiveUp);
        assert_eq!(notice.severity, Severity::Error);
        assert_eq!(notice.error_summary, format!("Budget check failed: {}", feedback.errors[0]));
    }
}

#[test]
fn a_partial_success_says_what_is_missing() {
    // spec: planning FT-16
    let mut task = paris_plan().subtasks[1].clone();
    task.expected_outputs = texts(&["hotel_options", "hotel_booking"]);
    let mut feedback = fixtures::feedback(2, FeedbackType::PartialSuccess, &["Payment not confirmed"]);
    feedback.actual_outputs = object(json!({ "hotel_options": [] }));
    let told = partial_success_announcement(&task, &feedback);
    assert_eq!(told.severity, Severity::Warning);
    assert_eq!(told.task_id, Some(task_id("task_002")));
    assert_eq!(
        told.text,
        "Hotel search (task_002) was done only in part. Missing: hotel_booking. Reported: Payment not confirmed."
    );
    feedback.errors.clear();
    feedback.actual_outputs = object(json!({ "hotel_options": [], "hotel_booking": {} }));
    assert!(partial_success_announcement(&task, &feedback).text.contains("not said"));
}

#[test]
fn all_six_strategies_have_four_texts_of_their_own() {
    // spec: planning FT-17 EN-22
    let mut seen = std::collections::BTreeSet::new();
    for &strategy in ReplanStrategy::ALL {
        let notice = recovery_notification(strategy, confidence(0.85), confidence(0.80), &[]);
        assert_eq!((notice.severity, notice.title.as_str()), (Severity::Info, "Recovery Strategy"));
        for part in [&notice.what_were_doing, &notice.why, &notice.expected_impact] {
            assert!(!part.is_empty() && seen.insert(part.clone()), "{strategy}: {part}");
        }
        assert_eq!(notice.confidence_adjustment, "Slightly reduced, from 0.85 to 0.80");
    }
    let text = |strategy| recovery_notification(strategy, confidence(0.85), confidence(0.7), &[]);
    assert!(text(ReplanStrategy::RetryDifferentAgent).what_were_doing.contains("different agent"));
    assert!(text(ReplanStrategy::RetryDifferentAgent).why.contains("previous agent failed"));
    assert!(text(ReplanStrategy::RetryDifferentAgent).expected_impact.contains("2-3 s"));
    assert!(text(ReplanStrategy::DecomposeFurther).what_were_doing.contains("smaller steps"));
    assert!(text(ReplanStrategy::DecomposeFurther).expected_impact.contains("3-5 s"));
    assert!(text(ReplanStrategy::AdjustParameters).what_were_doing.contains("parameters"));
    assert!(text(ReplanStrategy::AdjustParameters).why.contains("budget"));
    assert_eq!(text(ReplanStrategy::Unknown).what_were_doing, "Attempting recovery");
    assert_eq!(text(ReplanStrategy::FindWorkaround).confidence_adjustment, "Reduced from 0.85 to 0.70");
}

#[test]
fn a_recovery_names_the_changes() {
    // spec: planning RP-34
    let changes =
        texts(&["Adjusted max_price of task_001 to 600", "Adjusted max_price_per_night of task_002 to 150"]);
    let notice =
        recovery_notification(ReplanStrategy::AdjustParameters, confidence(0.85), confidence(0.77), &changes);
    assert!(
        notice.what_were_doing.contains("max_price of")
            && notice.what_were_doing.contains("max_price_per_night")
    );
}

#[test]
fn a_long_name_is_cut_at_a_word_and_an_own_name_wins() {
    // spec: planning FT-07
    let mut task = flight();
    assert_eq!(task_name(&task), "Flight search");
    task.metadata.name = None;
    assert_eq!(task_name(&task), "Search for round-trip flights to Paris…");
    task.description = Text::or("Book it", "-");
    assert_eq!(task_name(&task), "Book it");
}

#[test]
fn a_short_cause_leaves_out_durations_and_program_details() {
    // spec: planning FT-07
    assert_eq!(short_cause(&texts(&["Agent timeout after 10s"])), "Agent timeout");
    assert_eq!(short_cause(&texts(&["Refused after review"])), "Refused after review");
    assert_eq!(short_cause(&texts(&["", "  ", "Fully booked"])), "Fully booked");
    assert_eq!(short_cause(&[]), "no reason was given");
    let python = "Traceback (most recent call last):\n  File \"x.py\", line 3\nValueError: no flights";
    assert_eq!(short_cause(&texts(&[python])), "ValueError: no flights");
    // spec: findings RC-02
    let quoted =
        format!("`python3` exited with code 3; the end of its stderr: connecting http timeout=30s\n{python}");
    assert_eq!(short_cause(&texts(&[&quoted])), "ValueError: no flights");
    let source = python.replace("line 3\n", "line 3\n    raise ValueError(text)\n");
    assert_eq!(cause(&texts(&[&source])), "ValueError: no flights");
    assert_eq!(cause(&texts(&["Agent timeout after 10s"])), "Agent timeout after 10s");
}

#[test]
fn jargon_is_reworded() {
    // spec: planning TR-05
    assert_eq!(plain("TimeoutException: see stack trace"), "Timeout error: see technical detail");
    assert_eq!(plain("Exception in an exceptional\n  EXCEPTION"), "Error in an unusual Error");
    assert_eq!(plain("Stack\ttraces, Traceback"), "Technical details, Technical detail");
    assert_eq!(plain("Total cost $2150 exceeds budget $2000"), "Total cost $2150 exceeds budget $2000");
    assert_eq!(agent_name(&agent_type("backup_flight_agent")), "backup flight agent");
}

#[test]
fn a_budget_that_planning_overdrew_is_told_with_its_cause() {
    // spec: planning BC-05 BC-06
    let error = PlanningError::PlanningBudgetExceeded {
        spent: dollars(0.0125),
        budget: dollars(0.01),
        partial: PartialResult::default(),
    };
    let told = abort_announcement(&error, "", time(fixtures::NOON));
    assert_eq!(
        told.text,
        "Planning budget exceeded: Planning cost $0.0125 exceeds budget $0.01. \
         Consider simplifying goal or increasing budget."
    );
    assert_eq!((told.severity, told.suggestion), (Severity::Error, None));
}

#[test]
fn a_rejection_is_told() {
    // spec: planning HA-07
    let error = PlanningError::PlanRejected { plan_id: paris_plan().plan_id, comments: String::new() };
    let told = abort_announcement(&error, "Describe the goal anew.", time(fixtures::NOON));
    assert_eq!(told.text, "Plan rejected by human reviewer");
    assert_eq!(told.suggestion.as_deref(), Some("Describe the goal anew."));
}

#[test]
fn moderate_confidence_is_mentioned_as_a_warning() {
    let told = low_confidence_warning(confidence(0.6), time(fixtures::NOON));
    assert_eq!(told.severity, Severity::Warning);
    assert!(told.text.contains("0.60"), "{told:?}");
}

fn is_plain(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["exception", "stack trace", "stacktrace", "traceback", "backtrace"]
        .iter()
        .all(|word| !text.contains(word))
}

fn any_error() -> impl Strategy<Value = String> {
    let words =
        vec!["Exception", "stack", "trace", "back", " ", "\n", "after 3", "timeout", "é", "al", "Ünix", "_"];
    prop_oneof![
        prop::collection::vec(prop::sample::select(words), 0..12).prop_map(|words| words.concat()),
        ".{0,200}",
        prop::sample::select(arbitrary::ERRORS.to_vec()).prop_map(str::to_owned),
    ]
}

fn any_response() -> impl Strategy<Value = Response<'static>> {
    prop_oneof![
        (prop::sample::select(ReplanStrategy::ALL), 0.0..1e6f64).prop_map(|(strategy, rerun)| {
            Response::Strategy { strategy, agent: None, rerun: seconds(rerun) }
        }),
        (0.0..100.0f64).prop_map(|after| Response::RetrySameAgent { after: seconds(after) }),
        Just(Response::AwaitHuman),
        Just(Response::GiveUp),
    ]
}

proptest! {
    #[test]
    fn whatever_an_agent_reports_comes_out_plain_short_and_not_empty(
        errors in prop::collection::vec(any_error(), 0..4)
    ) {
        let (short, long) = (short_cause(&errors), cause(&errors));
        prop_assert!(is_plain(&short) && is_plain(&long), "{} / {}", short, long);
        prop_assert!(!short.trim().is_empty() && short.chars().count() <= 100, "{}", short);
        prop_assert!(!long.trim().is_empty() && long.chars().count() <= 300);
        prop_assert!(errors.iter().all(|error| is_plain(&plain(error))));
    }

    #[test]
    fn every_failure_notification_is_complete(
        task in arbitrary::task(1),
        feedback in arbitrary::feedback(1),
        errors in prop::collection::vec(any_error(), 0..3),
        response in any_response(),
    ) {
        let mut feedback = feedback;
        feedback.errors = errors;
        let notice = failure_notification(&task, &feedback, &response);
        for text in [&notice.error_summary, &notice.recovery_strategy, &notice.estimated_delay, &notice.logs_url] {
            prop_assert!(!text.trim().is_empty() && is_plain(text), "{}", text);
        }
        prop_assert!(notice.error_summary.contains(" failed: "));
        prop_assert!(!task_name(&task).is_empty() && task_name(&task).chars().count() <= 40);
        prop_assert!(is_plain(&partial_success_announcement(&task, &feedback).text));
    }

    #[test]
    fn confidence_is_told_with_both_numbers(
        strategy in prop::sample::select(ReplanStrategy::ALL),
        before in 0.0..=1.0f64,
        after in 0.0..=1.0f64,
        changes in prop::collection::vec(any_error(), 0..30),
    ) {
        let notice = recovery_notification(strategy, confidence(before), confidence(after), &changes);
        let told = format!("{:.2}", confidence(after).get());
        prop_assert!(notice.confidence_adjustment.contains(&told));
        prop_assert!(is_plain(&notice.what_were_doing));
        prop_assert!(low_confidence_warning(confidence(after), time(fixtures::NOON)).suggestion.is_some());
    }

    #[test]
    fn an_agents_name_is_never_empty(name in "[a-zA-Z_]{1,30}") {
        prop_assert!(!agent_name(&agent_type(&name)).is_empty());
    }

    #[test]
    fn an_abort_is_told_in_plain_words(reason in any_error(), suggestion in any_error()) {
        let error = PlanningError::Routing { task_id: TaskId::numbered(1), reason };
        let told = abort_announcement(&error, &suggestion, time(fixtures::NOON));
        prop_assert!(is_plain(&told.text) && !told.title.is_empty());
        prop_assert_eq!(told.task_id, Some(TaskId::numbered(1)));
    }
}
