//! A run whose driver was killed says so everywhere, and old runs can be removed.

use serde_json::Value;

use crate::durability::support::{Place, wait_for};

fn listed(place: &Place) -> Value {
    serde_json::from_str(&place.does("", &["list", "--json"]).out).unwrap()
}

#[test]
fn a_killed_run_is_shown_as_interrupted_in_list_status_and_watch() {
    // spec: findings DU-04
    let place = Place::new();
    let plan = place.plan("plan", &[("only", "patient", &[])]);
    let running = place.start_run("run_cut", &plan);
    place.begun("run_cut", "only");
    assert_eq!(listed(&place)[0]["interrupted"], false, "it is driven");
    assert!(!place.does("", &["list"]).out.contains("interrupted"));
    let mut watching = place.candor("run_cut", &["watch", "run_cut"]);
    let watching = place.spawn(&mut watching);
    running.kill().unwrap();
    assert_eq!(listed(&place)[0]["interrupted"], true);
    assert!(place.does("", &["list"]).out.contains("interrupted"));
    let status = place.does("", &["status", "run_cut"]);
    assert!(status.out.contains("interrupted"), "{}", status.out);
    assert!(status.err.contains("candor resume run_cut"), "{}", status.err);
    wait_for("watch to say that the run has no active driver", || {
        watching.err().contains("no active driver")
    });
    place.let_go("run_cut");
    place.complete("run_cut");
    let watched = watching.end();
    assert_eq!(watched.code(), Some(0));
    assert_eq!(watched.err.matches("no active driver").count(), 1, "told once: {}", watched.err);
    assert_eq!(listed(&place)[0]["interrupted"], false);
}

#[test]
fn old_runs_are_removed_with_their_logs_and_their_space_is_given_back() {
    // spec: findings DU-07
    let place = Place::new();
    let plan = place.plan("plan", &[("one", "shaky", &[]), ("two", "quick", &[])]);
    for n in 0..4 {
        assert_eq!(place.start_run(&format!("run_{n}"), &plan).end().code(), Some(0));
    }
    let cut = place.plan("cut", &[("only", "patient", &[])]);
    let running = place.start_run("run_open", &cut);
    place.begun("run_open", "only");
    running.kill().unwrap();
    let usage = place.does("", &["prune"]);
    assert_eq!(usage.code(), Some(2), "{}", usage.err);
    assert!(usage.err.contains("--older-than"), "{}", usage.err);
    assert_eq!(place.does("", &["prune", "--older-than", "soon"]).code(), Some(2));
    let none = place.does("", &["prune", "--older-than", "30d"]);
    assert!(none.out.contains("0 runs removed"), "{}", none.out);
    let dry = place.does("", &["prune", "--older-than", "0d", "--keep", "1", "--dry-run"]);
    assert!(
        dry.out.contains("run_0") && !dry.out.contains("run_3") && !dry.out.contains("run_open"),
        "{}",
        dry.out
    );
    assert_eq!(listed(&place).as_array().unwrap().len(), 5, "a dry run removes nothing");
    assert!(place.data().join("logs/run_0").exists(), "the agent's words are kept");
    let pruned = place.does("", &["prune", "--older-than", "0d", "--keep", "1", "--json"]);
    let told: Value = serde_json::from_str(&pruned.out).unwrap();
    assert_eq!(told["runs"].as_array().unwrap().len(), 3, "{told}");
    let left: Vec<Value> = listed(&place).as_array().unwrap().clone();
    assert_eq!(left.len(), 2, "the latest, and the one that has not ended: {left:?}");
    assert!(!place.data().join("logs/run_0").exists());
    assert!(told["freed_bytes"].as_u64().unwrap() > 0, "{told}");
    place.let_go("run_open");
    place.complete("run_open");
}

#[test]
fn a_setting_removes_old_runs_when_the_next_begins() {
    // spec: findings DU-07
    let place = Place::new();
    let plan = place.plan("plan", &[("two", "quick", &[])]);
    assert_eq!(place.start_run("run_old", &plan).end().code(), Some(0));
    let config = std::fs::read_to_string(place.config()).unwrap();
    std::fs::write(place.config(), format!("[retention]\nolder_than = \"0h\"\n{config}")).unwrap();
    let next = place.start_run("run_next", &plan).end();
    assert!(next.err.contains("1 old runs removed"), "{}", next.err);
    assert_eq!(listed(&place).as_array().unwrap().len(), 1);
}
