//! Loop detection.
use candor_model::LoopGuard;
use candor_planning::loop_guard::{Outcome, TripKind, Watch, fingerprint};
use candor_testkit::fixtures::{agent_type, object};
use proptest::prelude::*;
use serde_json::json;

const LIMITS: LoopGuard = LoopGuard { identical_calls: 3, steps_without_progress: 12 };

fn fail(watch: &mut Watch, call: &str, why: &str) -> Option<TripKind> {
    watch.note(call, Outcome::Failed(why), &LIMITS).map(|trip| trip.kind)
}

#[test]
fn the_third_identical_failure_trips_once() {
    let mut watch = Watch::default();
    assert_eq!(fail(&mut watch, "a", "timeout after 10s"), None);
    assert_eq!(fail(&mut watch, "a", "timeout after 11s"), None);
    let trip = watch.note("a", Outcome::Failed("timeout after 12s"), &LIMITS).unwrap();
    assert_eq!(trip.kind, TripKind::Identical { times: 3 });
    assert!(trip.text.contains("3 times") && trip.text.contains("timeout"), "{}", trip.text);
    assert_eq!(fail(&mut watch, "a", "timeout after 13s"), None, "what tripped is forgotten");
}

#[test]
fn calls_that_take_turns_at_failing_trip_too() {
    for period in 2..=4 {
        let mut watch = Watch::default();
        let trips: Vec<_> =
            (0..period * 3).filter_map(|n| fail(&mut watch, &format!("c{}", n % period), "no")).collect();
        assert_eq!(trips.len(), period, "each of the {period} calls was made three times");
        assert!(trips.iter().all(|trip| *trip == TripKind::Identical { times: 3 }));
    }
}

#[test]
fn twelve_steps_without_progress_trip_whatever_they_are() {
    let mut watch = Watch::default();
    let trips: Vec<_> = (0..24).map(|n| fail(&mut watch, &format!("call {n}"), "no")).collect();
    let places: Vec<_> = (0..24).filter(|n| trips[*n].is_some()).collect();
    assert_eq!(places, [11, 23]);
    assert_eq!(trips[11], Some(TripKind::NoProgress { steps: 12 }));
}

#[test]
fn success_resets_and_another_kind_of_failure_is_another_call() {
    let mut watch = Watch::default();
    fail(&mut watch, "a", "timeout");
    fail(&mut watch, "a", "timeout");
    assert_eq!(watch.note("a", Outcome::Succeeded, &LIMITS), None);
    assert_eq!(watch, Watch::default());
    for why in ["timeout", "timeout", "no such hotel", "no such hotel"] {
        assert_eq!(fail(&mut watch, "a", why), None);
    }
}

#[test]
fn a_limit_of_zero_is_off() {
    let off = LoopGuard { identical_calls: 0, steps_without_progress: 0 };
    let mut watch = Watch::default();
    assert!((0..100).all(|_| watch.note("a", Outcome::Failed("x"), &off).is_none()));
}

#[test]
fn a_fingerprint_tells_calls_apart_by_agent_words_and_inputs() {
    let of = |agent: &str, words: &str, inputs| fingerprint(&agent_type(agent), words, &object(inputs));
    let one = of("a", "Find hotels", json!({ "city": "Paris", "nights": 3 }));
    assert_eq!(one, of("a", "find  hotels", json!({ "nights": 3, "city": "Paris" })));
    assert_ne!(one, of("b", "Find hotels", json!({ "city": "Paris", "nights": 3 })));
    assert_ne!(one, of("a", "Find hotels", json!({ "city": "Rome", "nights": 3 })));
    assert_ne!(one, of("a", "Find flights", json!({ "city": "Paris", "nights": 3 })));
}

proptest! {
    #[test]
    fn a_restart_between_any_two_steps_changes_nothing(steps in prop::collection::vec((0..4u8, 0..3u8), 0..60)) {
        let (mut lasting, mut restarted) = (Watch::default(), Watch::default());
        for (call, how) in steps {
            let why = format!("error {how}x");
            let outcome = if how == 0 { Outcome::Succeeded } else { Outcome::Failed(&why) };
            let first = lasting.note(&call.to_string(), outcome, &LIMITS);
            restarted = serde_json::from_str(&serde_json::to_string(&restarted).unwrap()).unwrap();
            prop_assert_eq!(restarted.note(&call.to_string(), outcome, &LIMITS), first);
            prop_assert_eq!(&restarted, &lasting);
        }
    }

    #[test]
    fn failing_alone_always_trips_within_the_limit(calls in prop::collection::vec(0..50u8, 12..13)) {
        let mut watch = Watch::default();
        let trips = calls.iter().filter(|call| fail(&mut watch, &call.to_string(), "no").is_some()).count();
        prop_assert!(trips >= 1);
    }
}
