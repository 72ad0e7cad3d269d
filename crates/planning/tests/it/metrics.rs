//! How the phases do over all runs.
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    EventBody, Handoff, JsonMap, Money, Phase, PhaseMetrics, RunId, RunStatus, Seconds, SpokenBy, Timestamp,
};
use candor_planning::metrics::{
    self, Effort, PhaseHistory, SESSION_LINE_BYTES, SessionFigures, session_line,
};
use proptest::prelude::*;

fn ended(phase: Phase, millis: u64, tokens: u64, reasons: &[&str], criteria: &[(&str, f64)]) -> EventBody {
    let handoff = Handoff::new(SpokenBy::Heuristic, "done".to_owned(), JsonMap::new());
    let metrics = PhaseMetrics {
        duration: Seconds::from_millis(millis),
        tokens_used: tokens,
        cost: Money::ZERO,
        failure_reasons: reasons.iter().map(|&reason| reason.to_owned()).collect(),
        criteria: criteria.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
    };
    EventBody::PhaseCompleted { phase, handoff: Arc::new(handoff), metrics: Some(Box::new(metrics)) }
}

fn failed(phase: Phase) -> EventBody {
    EventBody::PhaseFailed { phase, reason: "no agents".to_owned() }
}

#[test]
fn three_runs_give_their_averages() {
    // spec: orchestrator PM-01 PM-02
    let mut history = PhaseHistory::default();
    for event in [
        ended(Phase::Evaluation, 1_000, 300, &["keyword_miss"], &[]),
        ended(Phase::Evaluation, 2_000, 600, &["keyword_miss", "complexity_underestimate"], &[]),
        failed(Phase::Evaluation),
    ] {
        history.apply(&event);
    }
    let record = history.record(Phase::Evaluation);
    assert!((record.success_rate.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!((record.avg_duration, record.tokens_used, record.runs), (Seconds::from_millis(1_000), 300, 3));
    assert_eq!(record.failure_reasons, ["complexity_underestimate", "keyword_miss", "phase_failed"]);
    assert!(!record.seed);
    let json = serde_json::to_value(&record).unwrap();
    for name in ["successRate", "avgDuration", "tokensUsed", "failureReasons", "runs", "seed"] {
        assert!(json.get(name).is_some(), "{name}");
    }
}

#[test]
fn without_data_the_seeds_stand_and_say_so() {
    // spec: orchestrator PM-08
    let history = PhaseHistory::default();
    let rows: Vec<(f64, u64)> = Phase::ALL
        .iter()
        .map(|phase| history.record(*phase))
        .inspect(|record| assert!(record.seed && record.runs == 0))
        .map(|record| (record.avg_duration.get(), record.tokens_used))
        .collect();
    let expected =
        [(0.3, 50), (1.2, 320), (0.8, 180), (1.5, 450), (1.5, 400), (3.2, 800), (1.8, 350), (0.4, 80)];
    assert_eq!(rows, expected);
    assert_eq!(history.record(Phase::PreAnalysis).success_rate, Some(0.95));
    assert_eq!(history.record(Phase::Evaluation).success_rate, Some(0.88));
    assert_eq!(history.record(Phase::Planning).success_rate, None);
}

#[test]
fn the_export_has_every_criterion_under_its_phase_whoever_told_it() {
    // spec: orchestrator PM-03
    let mut history = PhaseHistory::default();
    history.apply(&ended(
        Phase::Consolidation,
        1,
        0,
        &[],
        &[("keyword_precision", 0.5), ("execution_success", 1.0)],
    ));
    history.apply(&ended(Phase::Consolidation, 1, 0, &[], &[("keyword_precision", 1.0)]));
    let json = serde_json::to_value(history.export()).unwrap();
    let names = |phase: &str| {
        json["evaluationCriteria"][phase].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>()
    };
    assert_eq!(names("0"), ["budget_accuracy", "cache_hit_rate"]);
    assert_eq!(names("1"), ["complexity_calibration", "confidence_accuracy", "keyword_precision"]);
    assert_eq!(names("2"), ["context_relevance", "token_efficiency"]);
    assert_eq!((names("3"), names("4")), (vec!["decomposition_quality"], vec!["plan_completeness"]));
    assert_eq!(names("5"), ["artifact_quality", "execution_success"]);
    assert_eq!(names("6"), ["false_positive_rate", "validation_thoroughness"]);
    assert_eq!(names("7"), ["knowledge_persistence", "pattern_detection_accuracy"]);
    assert_eq!(json["evaluationCriteria"]["1"]["keyword_precision"], 0.75);
    assert_eq!(json["evaluationCriteria"]["0"]["cache_hit_rate"], serde_json::Value::Null);
    assert_eq!(json["phaseMetrics"].as_object().unwrap().len(), 8);
}

#[test]
fn what_was_learned_survives_a_restart() {
    // spec: orchestrator PM-06
    let mut history = PhaseHistory::default();
    history.apply(&ended(Phase::Planning, 700, 90, &["x"], &[("plan_completeness", 0.9)]));
    let again: PhaseHistory = serde_json::from_str(&serde_json::to_string(&history).unwrap()).unwrap();
    assert_eq!(again, history);
    assert_eq!(again.record(Phase::Planning).tokens_used, 90);
}

#[test]
fn every_formula_gives_its_share_and_nothing_of_nothing() {
    // spec: orchestrator PM-04
    type Formula = fn(u64, u64) -> Option<f64>;
    let shares: [Formula; 7] = [
        metrics::keyword_precision,
        metrics::context_relevance,
        metrics::token_efficiency,
        metrics::decomposition_quality,
        metrics::plan_completeness,
        metrics::execution_success,
        metrics::validation_thoroughness,
    ];
    for formula in shares {
        assert_eq!((formula(3, 4), formula(0, 4), formula(0, 0)), (Some(0.75), Some(0.0), None));
    }
    assert_eq!(metrics::budget_accuracy(100.0, 80.0), Some(0.8));
    assert_eq!(metrics::budget_accuracy(100.0, 300.0), Some(0.0), "never below nothing");
    assert_eq!(metrics::budget_accuracy(0.0, 5.0), None);
    assert_eq!(metrics::complexity_calibration(60.0, 40.0), Some(0.8));
    assert_eq!(metrics::confidence_accuracy(75.0, 1.0), Some(0.75));
    assert_eq!(metrics::artifact_quality(Some(80)), Some(0.8));
    assert_eq!(metrics::artifact_quality(None), None);
}

#[test]
fn more_effort_is_more_complexity_up_to_the_end_of_the_scale() {
    // spec: orchestrator CC-05
    let of = |n: u64| {
        metrics::actual_complexity(&Effort {
            tokens: 500 * n,
            files: n,
            subtasks: 2 * n,
            repetitions: n,
            seconds: n,
        })
    };
    assert!(of(0) == 0.0 && of(1) < of(2));
    assert_eq!(of(u64::MAX / 1_000), 100.0);
}

proptest! {
    #[test]
    fn a_line_of_the_history_is_short_whatever_was_asked(
        letters in prop::collection::vec(any::<char>(), 0..1_500), id in "[a-z0-9]{1,40}", tokens in any::<u64>(), millis in 0..10_000_000_000u64
    ) {
        // spec: orchestrator PM-07 X-37
        let request: String = letters.into_iter().collect();
        let took = PhaseMetrics { duration: Seconds::from_millis(millis), tokens_used: tokens, ..PhaseMetrics::default() };
        let phases: BTreeMap<Phase, PhaseMetrics> = Phase::ALL.iter().map(|phase| (*phase, took.clone())).collect();
        let run_id = RunId::new(format!("run_{id}")).unwrap();
        let line = session_line(&SessionFigures {
            run_id: &run_id, at: Timestamp::EPOCH, request: &request, status: RunStatus::Completed, phases: &phases,
        });
        prop_assert!(line.len() < SESSION_LINE_BYTES && !line.contains('\n'), "{}", line);
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(json["phases"].as_array().unwrap().len(), 8);
    }
}
