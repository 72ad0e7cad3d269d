//! How outcomes move confidence.

use candor_planning::confidence::{after_failures, failure_penalty, success_bonus};
use candor_testkit::fixtures::confidence;
use proptest::prelude::*;

#[test]
fn a_clean_run_earns_the_bonus_up_to_full_confidence() {
    // spec: planning FB-02
    assert_eq!(success_bonus(confidence(0.85), 0, 0), confidence(0.90));
    assert_eq!(success_bonus(confidence(0.98), 0, 0), confidence(1.0));
}

#[test]
fn a_revised_run_and_a_partial_one_earn_no_bonus() {
    // spec: planning FB-15 FT-16
    assert_eq!(success_bonus(confidence(0.75), 1, 0), confidence(0.75));
    assert_eq!(success_bonus(confidence(0.75), 0, 1), confidence(0.75));
}

#[test]
fn failures_cost_what_the_table_says() {
    // spec: planning FB-03
    let costs: Vec<f64> = (0..6).map(failure_penalty).collect();
    for (cost, expected) in costs.iter().zip([0.0, -0.10, -0.20, -0.35, -0.50, -0.65]) {
        assert!((cost - expected).abs() < 1e-9, "{costs:?}");
    }
    assert_eq!(after_failures(confidence(0.85), 2), confidence(0.65));
    assert_eq!(after_failures(confidence(0.85), 3), confidence(0.50));
    assert_eq!(after_failures(confidence(0.2), 3), confidence(0.0));
}

#[test]
fn a_failure_that_a_revision_paid_for_costs_nothing_more() {
    // spec: planning FB-15
    let revised = confidence(0.85).shifted(-0.10);
    let ended = success_bonus(after_failures(revised, 0), 1, 0);
    assert_eq!(ended, confidence(0.75));
}

proptest! {
    #[test]
    fn more_failures_never_cost_less(start in 0.0..=1.0f64, failures in any::<u32>()) {
        let start = confidence(start);
        let more = failures.saturating_add(1);
        prop_assert!(failure_penalty(more) <= failure_penalty(failures));
        prop_assert!(after_failures(start, more) <= after_failures(start, failures));
        prop_assert!(after_failures(start, failures) <= start);
        prop_assert!(success_bonus(start, 0, 0) >= start);
    }
}
