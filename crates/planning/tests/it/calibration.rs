//! What past outcomes teach.
use std::collections::BTreeMap;

use candor_model::{CalibrationMetrics, PlanId, PlanOutcome, Share};
use candor_planning::calibration::{adjust, metrics};
use candor_testkit::fixtures::{confidence, dollars, seconds};
use proptest::prelude::*;

fn outcome(score: f64, success: bool) -> PlanOutcome {
    PlanOutcome {
        phase_tokens: BTreeMap::new(),
        request: None,
        plan_id: PlanId::new("plan_xyz789").unwrap(),
        confidence_score: confidence(score),
        success,
        execution_time: seconds(3.0),
        cost: dollars(0.05),
    }
}

fn outcomes(pairs: &[(f64, bool)]) -> Vec<PlanOutcome> {
    pairs.iter().map(|&(score, success)| outcome(score, success)).collect()
}

fn rates(over: f64, under: f64) -> CalibrationMetrics {
    CalibrationMetrics {
        over_confidence_rate: Share::new(over).unwrap(),
        under_confidence_rate: Share::new(under).unwrap(),
        sample_size: 10,
        ..CalibrationMetrics::default()
    }
}

#[test]
fn nine_outcomes_teach_nothing_and_ten_do() {
    // spec: planning FB-05 FB-06
    let failed = vec![outcome(0.9, false); 10];
    assert_eq!(adjust(confidence(0.9), &metrics(&failed[..9])), confidence(0.9));
    assert_eq!(adjust(confidence(0.9), &metrics(&failed)), confidence(0.8));
}

#[test]
fn over_confidence_is_failures_among_the_very_sure() {
    // spec: planning FB-07
    let mut some = outcomes(&[(0.81, true), (0.9, true), (0.95, true), (1.0, true), (0.85, false)]);
    some.extend(outcomes(&[(0.8, false), (0.8, false)]));
    assert_eq!(metrics(&some).over_confidence_rate.get(), 0.2);
    assert_eq!(metrics(&outcomes(&[(0.8, false)])).over_confidence_rate.get(), 0.0);
}

#[test]
fn under_confidence_is_successes_among_the_unsure() {
    // spec: planning FB-08
    let mut some = outcomes(&[(0.1, false), (0.2, false), (0.3, false), (0.49, true)]);
    some.extend(outcomes(&[(0.5, true), (0.5, true)]));
    assert_eq!(metrics(&some).under_confidence_rate.get(), 0.25);
    assert_eq!(metrics(&outcomes(&[(0.5, true)])).under_confidence_rate.get(), 0.0);
}

#[test]
fn over_confidence_lowers_only_high_values_and_only_beyond_tolerance() {
    // spec: planning FB-09 FB-11
    assert_eq!(adjust(confidence(0.85), &rates(0.20, 0.0)), confidence(0.83));
    assert_eq!(adjust(confidence(0.85), &rates(0.15, 0.0)), confidence(0.85));
    assert_eq!(adjust(confidence(0.8), &rates(0.9, 0.0)), confidence(0.8));
}

#[test]
fn under_confidence_raises_only_low_values() {
    // spec: planning FB-10 FB-11
    assert_eq!(adjust(confidence(0.40), &rates(0.0, 0.25)), confidence(0.425));
    assert_eq!(adjust(confidence(0.40), &rates(0.0, 0.15)), confidence(0.40));
    assert_eq!(adjust(confidence(0.5), &rates(0.9, 0.9)), confidence(0.5));
    assert_eq!(adjust(confidence(0.6), &rates(0.9, 0.9)), confidence(0.6));
}

#[test]
fn correlation_and_its_p_value_are_those_of_a_statistics_book() {
    // spec: planning FB-12 EN-16
    let known = outcomes(&[(0.2, false), (0.4, false), (0.5, true), (0.6, false), (0.8, true), (0.9, true)]);
    let metrics = metrics(&known);
    // By hand: r = 0.5 / sqrt(1/3 × 1.5) = 1 / sqrt(2), so t = 2 with 4 degrees of freedom.
    assert!((metrics.correlation.unwrap() - 0.5_f64.sqrt()).abs() < 1e-9, "{metrics:?}");
    assert!((metrics.p_value.unwrap() - 0.116_116_523_5).abs() < 1e-9, "{metrics:?}");
    assert_eq!(metrics.sample_size, 6);
}

#[test]
fn all_five_metrics_are_there_for_twenty_mixed_outcomes() {
    // spec: planning EN-16
    let mixed: Vec<PlanOutcome> = (0..20).map(|n| outcome(f64::from(n) / 20.0, n % 3 == 0)).collect();
    let metrics = metrics(&mixed);
    assert!(metrics.correlation.is_some() && metrics.p_value.is_some());
    assert_eq!(metrics.sample_size, 20);
    assert!(metrics.over_confidence_rate.get() > 0.0 && metrics.under_confidence_rate.get() > 0.0);
}

#[test]
fn where_correlation_is_undefined_there_is_none() {
    // spec: planning FB-12
    for undefined in [
        vec![],
        outcomes(&[(0.5, true)]),
        outcomes(&[(0.1, true), (0.5, true), (0.9, true)]),
        outcomes(&[(0.1, true), (0.1, false), (0.1, true)]),
    ] {
        let metrics = metrics(&undefined);
        assert_eq!((metrics.correlation, metrics.p_value), (None, None), "{undefined:?}");
    }
    let perfect = metrics(&outcomes(&[(0.1, false), (0.1, false), (0.9, true)]));
    assert!((perfect.correlation.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(perfect.p_value, Some(0.0));
    let two = metrics(&outcomes(&[(0.1, false), (0.9, true)]));
    assert_eq!(two.p_value, None, "two points always lie on a line");
}

proptest! {
    #[test]
    fn any_history_gives_sane_metrics(pairs in prop::collection::vec((0.0..=1.0f64, any::<bool>()), 0..150), raw in 0.0..=1.0f64) {
        let history = outcomes(&pairs);
        let found = metrics(&history);
        prop_assert!(found.correlation.is_none_or(|r| (-1.0..=1.0).contains(&r)));
        prop_assert!(found.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)));
        let raw = confidence(raw);
        let moved = adjust(raw, &found).get() - raw.get();
        prop_assert!(moved.abs() <= 0.1 + 1e-9);
        prop_assert!(pairs.len() >= 10 || moved == 0.0);
        prop_assert!(!(0.5..=0.8).contains(&raw.get()) || moved == 0.0);
    }

    #[test]
    fn the_order_of_outcomes_does_not_matter(pairs in prop::collection::vec((0.0..=1.0f64, any::<bool>()), 0..50)) {
        let mut backwards = outcomes(&pairs);
        backwards.reverse();
        let (one, other) = (metrics(&outcomes(&pairs)), metrics(&backwards));
        prop_assert_eq!(one.over_confidence_rate, other.over_confidence_rate);
        prop_assert_eq!(one.under_confidence_rate, other.under_confidence_rate);
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-6,
            (a, b) => a.is_none() && b.is_none(),
        };
        prop_assert!(near(one.correlation, other.correlation));
    }
}
