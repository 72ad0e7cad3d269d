//! Runs that begin where another one once was.

use serde_json::{Value, json};

use crate::support::{ATTENDED, Candor, PARIS};

fn finished() -> Candor {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    candor
}

fn status(candor: &Candor, run: &str) -> Value {
    candor.run(["status", run, "--json"]).ended_with(0).json()
}

#[test]
fn a_fork_goes_on_from_a_phase_and_leaves_the_original_as_it_was() {
    let candor = finished();
    let before = candor.run(["watch", "run_1", "--json"]).ended_with(0).stdout;
    let said = candor.run(["fork", "run_1", "--phase", "3", "--run-id", "run_2"]).ended_with(0);
    said.shows(&["Run run_2, forked from run_1 at checkpoint", "Plan with 4 tasks", "Goal reached"]);
    assert_eq!(candor.run(["watch", "run_1", "--json"]).stdout, before, "the original is untouched");
    let fork = status(&candor, "run_2");
    assert_eq!((&fork["status"], &fork["forked_from"]["run_id"]), (&json!("completed"), &json!("run_1")));
    assert_eq!(fork["workflow"]["taskId"], "run_2");
    assert_eq!(fork["workflow"]["originalPrompt"], PARIS);
    candor.run(["status", "run_2"]).shows(&["Forked from", "run_1 at checkpoint"]);
    let listed = candor.run(["list", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[test]
fn a_fork_without_a_point_or_name_begins_at_the_last_checkpoint_under_a_new_name() {
    let candor = finished();
    let (said, events) = candor.events(&["fork", "run_1"]);
    said.ended_with(0);
    let forked = events.only("forked");
    let new = forked["run_id"].as_str().unwrap();
    assert!(new.starts_with("run_") && new != "run_1", "{new}");
    assert_eq!(events.texts("phase_started", "phase"), ["consolidation"]);
    assert_eq!(status(&candor, new)["status"], "completed");
}

#[test]
fn a_fork_can_go_on_with_other_words() {
    // spec: orchestrator SM-06 SM-11
    let candor = finished();
    let other = "Plan a 2-day trip to Rome in June with a $1500 budget";
    candor.run(["fork", "run_1", "--prompt", other, "--run-id", "run_2"]).ended_with(0);
    let fork = status(&candor, "run_2")["workflow"].clone();
    assert_eq!((&fork["originalPrompt"], &fork["currentPrompt"]), (&json!(PARIS), &json!(other)));
    assert_eq!(status(&candor, "run_1")["workflow"]["currentPrompt"], PARIS);
}

#[test]
fn a_fork_can_begin_at_a_checkpoint_of_a_run_that_failed() {
    let candor = Candor::with_config(ATTENDED);
    candor.run(["run", PARIS, "--run-id", "run_1", "--fault", "hotel_agent=error"]).ended_with(3);
    candor.run(["answer", "run_1", "abort"]).ended_with(1);
    let points = status(&candor, "run_1")["checkpoints"].as_array().unwrap().clone();
    let approved = points.iter().find(|it| it["label"] == "plan version 1 approved").unwrap();
    let number = approved["id"].to_string();
    candor.run(["fork", "run_1", "--checkpoint", &number, "--run-id", "run_2"]).ended_with(0);
    assert_eq!(status(&candor, "run_1")["status"], "aborted");
    assert_eq!(status(&candor, "run_2")["status"], "completed");
}

#[test]
fn a_fork_that_cannot_be_made_is_refused_and_leaves_no_run() {
    // spec: orchestrator FD-04 FD-05
    let candor = finished();
    candor.run(["fork", "run_1", "--phase", "x"]).refused(&["--phase x", "0 to 7"]);
    candor.run(["fork", "run_1", "--phase", "7"]).refused(&["7", "0 (pre_analysis)"]);
    candor.run(["fork", "run_1", "--checkpoint", "99"]).refused(&["no checkpoint 99"]);
    candor.run(["fork", "run_1", "--phase", "1", "--checkpoint", "1"]).ended_with(2);
    candor.run(["fork", "run_1", "--run-id", "run_1"]).refused(&["run_1", "already"]);
    candor.run(["fork", "run_1", "--prompt", ""]).refused(&["--prompt", "empty"]);
    candor.run(["fork", "run_1", "--run-id", "a b"]).refused(&["--run-id"]);
    candor.run(["fork", "nobody"]).refused(&["nobody"]);
    assert_eq!(candor.run(["list", "--json"]).json().as_array().unwrap().len(), 1);
}
