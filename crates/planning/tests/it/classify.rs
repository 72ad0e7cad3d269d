//! What a failure means, and which "success" is none.
use candor_model::{
    ExecutionFeedback, Failure, FailureKind, FeedbackType, ReplanStrategy, Seconds, TOO_COMPLEX,
};
use candor_planning::feedback::{self, Judged};
use candor_planning::recovery::classify;
use candor_testkit::{arbitrary, fixtures};
use proptest::prelude::*;
use serde_json::json;

/// For a goal that names no currency.
fn judge(feedback: ExecutionFeedback) -> Judged {
    feedback::judge(feedback, None)
}

fn failure(error: &str) -> ExecutionFeedback {
    fixtures::feedback(1, FeedbackType::Failure, &[error])
}

fn budget_check(kind: FeedbackType, outputs: serde_json::Value) -> ExecutionFeedback {
    let mut feedback = fixtures::feedback(4, kind, &[]);
    feedback.actual_outputs = fixtures::object(outputs);
    feedback
}

#[test]
fn the_four_documented_failures_have_their_documented_strategies() {
    // spec: planning FT-10 PX-13
    assert_eq!(classify(&fixtures::timeout_feedback()), ReplanStrategy::RetryDifferentAgent);
    assert_eq!(classify(&fixtures::too_complex_feedback()), ReplanStrategy::DecomposeFurther);
    assert_eq!(classify(&fixtures::over_budget_feedback()), ReplanStrategy::AdjustParameters);
    assert_eq!(classify(&fixtures::dependency_feedback()), ReplanStrategy::FixDependencies);
}

/// Feedback of an attempt that failed in this way.
fn failed(failure: Failure) -> ExecutionFeedback {
    let at = fixtures::time(fixtures::NOON);
    ExecutionFeedback::failed(fixtures::task_id("task_001"), failure, Seconds::whole(1), at)
}

#[test]
fn every_kind_of_failure_has_its_strategy() {
    use FailureKind as Kind;
    use ReplanStrategy as Strategy;
    for kind in FailureKind::ALL.iter().copied() {
        let expected = match kind {
            Kind::Timeout | Kind::Unavailable | Kind::RateLimited => Strategy::RetryDifferentAgent,
            Kind::ConstraintViolated => Strategy::AdjustParameters,
            Kind::DependencyFailed => Strategy::FixDependencies,
            _ => Strategy::FindWorkaround,
        };
        assert_eq!(classify(&failed(Failure::new(kind, "no"))), expected, "{kind}");
    }
    let mut split = Failure::new(FailureKind::TaskError, "no");
    split.reported_kind = Some(TOO_COMPLEX.to_owned());
    assert_eq!(classify(&failed(split)), ReplanStrategy::DecomposeFurther);
}

#[test]
fn the_words_of_a_failure_that_has_a_kind_are_not_read() {
    // spec: findings RC-01
    let log = "connecting http timeout=30s, service unavailable, too complex";
    let failure = Failure::exited(3, format!("`agent` exited with code 3: {log}")).with_detail(log);
    assert_eq!(classify(&failed(failure)), ReplanStrategy::FindWorkaround);
}

#[test]
fn the_words_of_old_feedback_are_matched_anywhere_and_in_any_case() {
    // spec: planning FT-11
    for error in ["Timeout", "Service UNAVAILABLE", "The agent Timed Out", "TimeoutException"] {
        assert_eq!(classify(&failure(error)), ReplanStrategy::RetryDifferentAgent, "{error}");
    }
    assert_eq!(classify(&failure("this is TOO COMPLEX")), ReplanStrategy::DecomposeFurther);
}

#[test]
fn every_error_is_looked_at() {
    // spec: planning FT-11
    let feedback = fixtures::feedback(1, FeedbackType::Failure, &["first", "then a timeout"]);
    assert_eq!(classify(&feedback), ReplanStrategy::RetryDifferentAgent);
}

#[test]
fn an_absent_agent_outweighs_a_complex_task() {
    // spec: planning FT-11
    let mut feedback = failure("timeout: too complex");
    assert_eq!(classify(&feedback), ReplanStrategy::RetryDifferentAgent);
    feedback.errors = vec!["no".into()];
    feedback.suggested_adjustments = Some("Too complex, split it; beware of a timeout".into());
    assert_eq!(classify(&fixtures::typed(feedback)), ReplanStrategy::DecomposeFurther);
}

#[test]
fn any_other_failure_needs_a_workaround_with_or_without_a_suggestion() {
    // spec: planning FT-11 RP-45
    assert_eq!(classify(&fixtures::fully_booked_feedback()), ReplanStrategy::FindWorkaround);
    assert_eq!(classify(&failure("Error 1")), ReplanStrategy::FindWorkaround);
    assert_eq!(classify(&fixtures::feedback(1, FeedbackType::Failure, &[])), ReplanStrategy::FindWorkaround);
}

#[test]
fn other_types_have_one_strategy_whatever_they_say() {
    // spec: planning FT-12
    let of = |kind| classify(&fixtures::feedback(1, kind, &["Agent timeout", "too complex"]));
    assert_eq!(of(FeedbackType::ConstraintViolation), ReplanStrategy::AdjustParameters);
    assert_eq!(of(FeedbackType::DependencyFailure), ReplanStrategy::FixDependencies);
    assert_eq!(of(FeedbackType::Success), ReplanStrategy::Unknown);
    assert_eq!(of(FeedbackType::PartialSuccess), ReplanStrategy::Unknown);
}

#[test]
fn a_success_that_says_the_budget_is_exceeded_is_a_violation() {
    // spec: planning EX-06 EX-07
    let outputs = json!({
        "budget_status": "EXCEEDED", "total_cost": 2150, "budget": 2000, "overage": 999,
        "breakdown": { "flight": 1000, "hotel": 1047, "activities": 103, "buffer": 150 },
    });
    let judged = judge(budget_check(FeedbackType::Success, outputs));
    assert_eq!(judged.feedback.feedback_type, FeedbackType::ConstraintViolation);
    assert_eq!(judged.feedback.errors, ["Total cost $2150 exceeds budget $2000"]);
    assert_eq!(judged.feedback.actual_outputs["overage"], json!(150));
    assert_eq!(judged.warnings, Vec::<String>::new());
}

#[test]
fn amounts_are_written_as_people_write_them() {
    // spec: planning EX-07
    let text = |outputs| judge(budget_check(FeedbackType::Success, outputs)).feedback.errors.remove(0);
    let outputs = json!({ "budget_status": "exceeded", "total_cost": 2150.5, "budget": "$2,000" });
    assert_eq!(text(outputs), "Total cost $2150.5 exceeds budget $2000");
    let outputs = json!({ "budget_status": "EXCEEDED", "total_cost": 2150, "overage": 150 });
    assert_eq!(text(outputs), "Total cost $2150 exceeds budget $2000");
    assert_eq!(text(json!({ "budget_status": "EXCEEDED" })), "Total cost exceeds budget");
}

#[test]
fn a_partial_success_cannot_hide_an_exceeded_budget() {
    // spec: planning EX-06
    let outputs = json!({ "budget_status": "EXCEEDED", "total_cost": 3, "budget": 2 });
    let judged = judge(budget_check(FeedbackType::PartialSuccess, outputs));
    assert_eq!(judged.feedback.feedback_type, FeedbackType::ConstraintViolation);
}

#[test]
fn a_budget_that_is_kept_stays_a_success() {
    // spec: planning EX-06 RP-35 PX-11
    let outputs = json!({
        "budget_status": "WITHIN_BUDGET", "total_cost": 1133,
        "breakdown": { "flight": 580, "hotel": 450, "activities": 103 },
    });
    let feedback = budget_check(FeedbackType::Success, outputs);
    let judged = judge(feedback.clone());
    assert_eq!((judged.feedback, judged.warnings.len()), (feedback, 0));
}

#[test]
fn a_breakdown_that_does_not_add_up_is_told_and_the_total_stands() {
    // spec: planning PX-11
    let judged = judge(fixtures::over_budget_feedback());
    assert_eq!(judged.feedback, fixtures::over_budget_feedback());
    assert_eq!(
        judged.warnings,
        ["The breakdown reported by task task_004 adds up to $1483, but its total is $2150"]
    );
}

#[test]
fn the_buffer_may_be_part_of_the_total_or_not() {
    let warnings = |total: u32| {
        let breakdown = json!({ "flight": 650, "hotel": 540, "activities": 103, "buffer": 150 });
        let outputs =
            json!({ "budget_status": "WITHIN_BUDGET", "total_cost": total, "breakdown": breakdown });
        judge(budget_check(FeedbackType::Success, outputs)).warnings.len()
    };
    // spec: planning PX-09
    assert_eq!((warnings(1850), warnings(1443), warnings(1293)), (1, 0, 0));
}

proptest! {
    #[test]
    fn only_a_success_needs_no_strategy(feedback in arbitrary::feedback(5)) {
        let unknown = classify(&feedback) == ReplanStrategy::Unknown;
        prop_assert_eq!(unknown, feedback.feedback_type.is_success());
    }

    #[test]
    fn nonsense_in_outputs_is_read_without_harm(
        feedback in arbitrary::feedback(5),
        status in prop::sample::select(vec![json!("EXCEEDED"), json!("WITHIN_BUDGET"), json!(7), json!(null)]),
        amounts in prop::collection::vec(
            prop_oneof![
                any::<f64>().prop_map(|number| json!(number)),
                ".{0,8}".prop_map(|text| json!(text)),
                (0..5000u32).prop_map(|number| json!(number)),
                Just(json!([1])),
            ],
            5,
        ),
    ) {
        let mut feedback = feedback;
        feedback.actual_outputs = fixtures::object(json!({
            "budget_status": status, "total_cost": amounts[0], "budget": amounts[1], "overage": amounts[2],
            "breakdown": { "flight": amounts[3], "buffer": amounts[4] },
        }));
        let judged = judge(feedback.clone());
        let is_violation = feedback.feedback_type.is_success() && status == "EXCEEDED";
        if is_violation {
            prop_assert_eq!(judged.feedback.feedback_type, FeedbackType::ConstraintViolation);
            prop_assert_eq!(judged.feedback.errors.len(), feedback.errors.len() + 1);
        } else {
            prop_assert_eq!(judged.feedback, feedback);
        }
    }
}
