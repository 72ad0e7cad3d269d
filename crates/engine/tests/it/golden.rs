//! Logs of format version 1, written when that version was current, replayed by every version since.

use std::collections::BTreeSet;
use std::path::Path;

use candor_engine::RunState;
use candor_model::{Event, RunId, RunSummary};
use candor_testkit::golden::{STORIES, essence};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1"))
}

fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| format!("{}: {error}", path.display()))
}

fn log(name: &str) -> Vec<Event> {
    read(&format!("{name}.jsonl")).lines().map_while(|line| Event::from_json(line).ok()).collect()
}

#[test]
fn every_golden_log_replays_to_the_state_it_had() {
    // spec: beyond BY-11 BY-12
    for (name, _) in STORIES {
        let lines = read(&format!("{name}.jsonl"));
        let mut state = RunState::new(RunId::new("run_test").unwrap());
        for (n, line) in (1..).zip(lines.lines()) {
            let event = Event::from_json(line).unwrap_or_else(|error| panic!("{name}, line {n}: {error}"));
            state.apply(&event);
        }
        let expected: serde_json::Value =
            serde_json::from_str(&read(&format!("{name}.expected.json"))).unwrap();
        assert_eq!(essence(&state), expected, "{name}");
    }
}

#[test]
fn what_is_read_is_written_as_it_was() {
    for (name, _) in STORIES {
        for line in read(&format!("{name}.jsonl")).lines() {
            assert_eq!(Event::from_json(line).unwrap().to_json().unwrap(), line, "{name}");
        }
    }
}

#[test]
fn the_golden_logs_hold_every_kind_of_event() {
    let kinds: BTreeSet<String> = STORIES
        .iter()
        .flat_map(|(name, _)| log(name))
        .map(|event| {
            let json = serde_json::to_value(&event).unwrap();
            json["event"].as_object().unwrap().keys().next().unwrap().clone()
        })
        .collect();
    let schema = serde_json::to_value(schemars::schema_for!(candor_model::EventBody)).unwrap();
    let known = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|variant| variant["required"].as_array().unwrap());
    let missing: Vec<_> =
        known.filter_map(|name| name.as_str()).filter(|name| !kinds.contains(*name)).collect();
    assert!(missing.is_empty(), "no golden log has {missing:?}: add a story to candor_testkit::golden");
}

#[test]
fn the_stories_of_today_still_end_as_they_did() {
    for (name, story) in STORIES {
        let mut state = RunState::new(RunId::new("run_test").unwrap());
        for event in story() {
            state.apply(&event);
        }
        let expected: serde_json::Value =
            serde_json::from_str(&read(&format!("{name}.expected.json"))).unwrap();
        assert_eq!(essence(&state)["status"], expected["status"], "{name}");
    }
}

#[test]
fn failures_of_logs_without_kinds_get_theirs_from_the_words_and_are_marked() {
    // spec: findings RC-01
    let mut kinds = BTreeSet::new();
    for (name, _) in STORIES {
        // Stories that were added since have kinds of their own.
        if ["given_up_and_resumed", "revised_by_a_model"].contains(&name) {
            continue;
        }
        let mut state = RunState::new(RunId::new("run_test").unwrap());
        log(name).iter().for_each(|event| state.apply(event));
        for feedback in state.feedback() {
            let failure = feedback.failure.as_ref();
            assert_eq!(failure.is_none(), feedback.feedback_type.is_success(), "{name}: {feedback:?}");
            assert!(failure.is_none_or(|failure| failure.derived), "{name}: {feedback:?}");
            kinds.extend(failure.map(|failure| failure.kind.as_str()));
        }
    }
    for kind in ["timeout", "task_error"] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
}

#[test]
fn what_does_not_move_a_summary_changes_nothing_but_its_time() {
    for (name, _) in STORIES {
        let mut summary = RunSummary::new(RunId::new("run_test").unwrap());
        for event in log(name) {
            let mut before = summary.clone();
            summary.absorb(&event);
            if before.started_at.is_some() && !RunSummary::is_moved_by(&event.body) {
                before.updated_at = summary.updated_at;
                assert_eq!(summary, before, "{name}: {event:?}");
            }
        }
    }
}
