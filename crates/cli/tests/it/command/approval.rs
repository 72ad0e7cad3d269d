//! Plans that are too unsure wait for a person: approve, reject, adjust.

use serde_json::json;

use crate::support::{Candor, Events, GENERAL, PARIS, Said, VAGUE, has_keys, texts};

/// A run that waits for approval of its plan.
fn waiting() -> (Candor, Said, Events) {
    let candor = Candor::with_config(GENERAL);
    let (said, events) = candor.events(&["run", VAGUE, "--run-id", "run_1"]);
    (candor, said.ended_with(3), events)
}

fn status(candor: &Candor) -> serde_json::Value {
    candor.run(["status", "run_1", "--json"]).json()["status"].clone()
}

#[test]
fn a_vague_goal_waits_for_approval_and_says_why() {
    // spec: planning HA-01 HA-02 HA-03 HA-04 EN-17
    let (candor, said, events) = waiting();
    // The words are weak too, and nobody is there to be asked about them: they are kept as they are.
    let asked = events.all("human_asked");
    assert_eq!(asked[0]["question"]["choice"]["about"], "enhancement");
    let request = &asked[1]["question"]["approval"]["request"];
    has_keys(request, &["plan_id", "confidence_score", "reasons", "plan_summary", "recommended_action"]);
    assert!(request["confidence_score"].as_f64().unwrap() < 0.5);
    assert_eq!(request["recommended_action"], "REVIEW_AND_ADJUST");
    assert!(!texts(&request["reasons"]).is_empty());
    assert!(events.dispatched().is_empty());
    said.tells(&["waits for your approval", "fits with", "% only", "candor approve run_1 --data data"]);
    assert_eq!(status(&candor), "waiting_human");
}

#[test]
fn the_printed_approval_runs_the_plan() {
    // spec: planning HA-05
    let (candor, said, _) = waiting();
    let said = Said::of(candor.command(said.printed_command("candor approve run_1")).output().unwrap());
    said.ended_with(0).shows(&["A person answered: approve", "the goal is not verified"]);
    let events = candor.run(["watch", "run_1", "--json"]).stdout;
    assert!(events.contains("approved by human despite confidence 0."), "{events}");
    assert_eq!(status(&candor), "completed");
}

#[test]
fn the_printed_rejection_ends_the_run() {
    // spec: planning HA-07
    let (candor, said, _) = waiting();
    let said = Said::of(candor.command(said.printed_command("candor reject run_1")).output().unwrap());
    said.ended_with(1).tells(&["Plan rejected by human reviewer", "candor postmortem run_1"]);
    let lessons = candor.run(["report", "run_1", "--json"]).json()["lessons_learned"].to_string();
    assert!(
        lessons.contains("this plan was not tried") && !lessons.contains("Use this plan again"),
        "{lessons}"
    );
    assert_eq!(status(&candor), "aborted");
}

#[test]
fn an_adjustment_changes_the_plan_and_runs_it() {
    // spec: planning HA-06 EN-19
    let (candor, ..) = waiting();
    let args =
        ["adjust", "run_1", "task_001", "priority", "10", "task_001", "inputs.max_price", "150", "--json"];
    let said = candor.run(args).ended_with(0);
    let events = Events(said.lines());
    let task = &events.report()["plan"]["subtasks"][0];
    assert_eq!((&task["priority"], &task["inputs"]["max_price"]), (&json!(10), &json!(150)));
}

#[test]
fn an_adjustment_can_give_the_task_to_another_agent() {
    let (candor, ..) = waiting();
    let said = candor.run(["adjust", "run_1", "task_001", "agent_type", "mailer", "--json"]).ended_with(0);
    let events = Events(said.lines());
    assert_eq!(events.only("task_dispatched")["agent_type"], "mailer");
}

#[test]
fn an_adjustment_that_does_not_fit_changes_nothing() {
    // spec: planning EN-19
    let (candor, ..) = waiting();
    let adjust = |words: [&str; 3]| candor.run([&["adjust", "run_1"], &words[..]].concat());
    adjust(["task_999", "priority", "10"]).refused(&["task_999", "no such task"]);
    adjust(["task_001", "priorty", "10"]).refused(&["priorty", "priority"]);
    adjust(["task_001", "priority", "11"]).refused(&["from 1 to 10"]);
    adjust(["task_001", "agent_type", "nobody"]).refused(&["nobody"]);
    candor.run(["adjust", "run_1", "task_001", "priority"]).refused(&["VALUE"]);
    candor.run(["adjust", "run_1", "task_001", "priority", "1", "task_001"]).refused(&["TASK FIELD VALUE"]);
    assert_eq!(status(&candor), "waiting_human");
}

#[test]
fn yes_approves_a_plan() {
    let (said, events) = Candor::with_config(GENERAL).events(&["run", VAGUE, "--yes"]);
    said.ended_with(0);
    let answers = events.all("human_answered");
    assert_eq!(answers[0]["answer"]["choice"], json!({"option": "D", "by_default": true}));
    assert_eq!(answers[1]["answer"]["approval"]["comments"], "approved by --yes");
}

#[test]
fn yes_does_not_approve_a_plan_that_nobody_should_trust() {
    let candor = Candor::with_config(GENERAL);
    let task = json!({"task_id": "a", "description": "Write a text"});
    candor.write("plan.json", json!({"confidence_score": 0.2, "subtasks": [task]}).to_string());
    let (said, events) = candor.events(&["run", "--plan", "plan.json", "--yes"]);
    said.ended_with(3).tells(&["candor approve"]);
    assert!(events.dispatched().is_empty());
}

#[test]
fn approval_can_be_asked_for_always() {
    let candor = Candor::with_config("[limits]\napproval = \"always\"\n");
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(3).tells(&["candor approve run_1"]);
    candor.run(["approve", "run_1", "--comments", "fine"]).ended_with(0);
}

#[test]
fn an_agent_that_nobody_knows_is_replaced_by_one_that_fits() {
    let candor = Candor::new();
    let plan = json!({"subtasks": [
        {"task_id": "a", "description": "Find hotels in central Paris", "agent_type": "nobody",
            "inputs": {"destination": "Paris"}},
        {"task_id": "b", "description": "Find hotels in central Paris", "agent_type": "activity_agent",
            "inputs": {"destination": "Paris"}}]});
    candor.write("plan.json", plan.to_string());
    let (said, events) = candor.events(&["run", "--plan", "plan.json", "--yes"]);
    said.ended_with(0);
    let given: Vec<(&str, &str)> = events
        .all("task_dispatched")
        .iter()
        .map(|event| (event["task_id"].as_str().unwrap(), event["agent_type"].as_str().unwrap()))
        .collect();
    assert!(given.contains(&("a", "hotel_agent")), "routed: {given:?}");
    assert!(given.contains(&("b", "activity_agent")), "respected: {given:?}");
}

#[test]
fn a_decision_comes_once() {
    let (candor, ..) = waiting();
    candor.run(["approve", "run_1"]).ended_with(0);
    candor.run(["approve", "run_1"]).refused(&["run_1", "does not wait for approval"]);
    candor.run(["reject", "run_1"]).refused(&["does not wait for approval"]);
}
