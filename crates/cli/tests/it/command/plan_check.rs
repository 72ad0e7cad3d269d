//! `candor plan check`: 0 valid, 1 invalid, 2 unreadable, and everything that is wrong at once.

use serde_json::{Value, json};

use crate::support::{Candor, Said, has_keys, texts};

fn check(plan: &Value) -> Said {
    let candor = Candor::new();
    candor.write("plan.json", plan.to_string());
    candor.run(["plan", "check", "plan.json", "--json"])
}

fn tasks(tasks: &[(&str, &[&str])]) -> Value {
    let task = |(id, needs): &(&str, &[&str])| json!({"task_id": id, "description": format!("Do {id}"), "dependencies": needs});
    json!({ "subtasks": tasks.iter().map(task).collect::<Vec<_>>() })
}

fn errors(verdict: &Value) -> String {
    texts(&verdict["errors"]).join("\n")
}

#[test]
fn a_plan_needs_only_tasks_with_a_name_and_a_description() {
    let said = check(&json!({"subtasks": [{"task_id": "a", "description": "Find hotels in Rome"}]}));
    let verdict = said.ended_with(0).json();
    has_keys(&verdict, &["is_valid", "errors", "dependencies", "completeness", "assignments"]);
    assert_eq!((&verdict["is_valid"], &verdict["errors"]), (&json!(true), &json!([])));
    has_keys(&verdict["dependencies"], &["is_valid", "errors", "cycles"]);
    has_keys(&verdict["completeness"], &["is_complete", "missing_categories", "score"]);
    has_keys(&verdict["assignments"], &["is_valid", "errors", "accuracy"]);
}

#[test]
fn a_cycle_is_written_with_its_first_task_again_at_the_end() {
    // spec: planning PV-03
    let verdict = check(&tasks(&[("a", &["b"]), ("b", &["a"])])).ended_with(1).json();
    assert_eq!(verdict["is_valid"], false);
    assert_eq!(verdict["dependencies"]["cycles"], json!([["a", "b", "a"]]));
    assert!(errors(&verdict).starts_with("Circular dependencies detected: ["), "{verdict}");
}

#[test]
fn a_task_that_needs_itself_is_named() {
    let verdict = check(&tasks(&[("a", &["a"])])).ended_with(1).json();
    assert!(errors(&verdict).contains("a depends on itself"), "{verdict}");
}

#[test]
fn a_dependency_that_is_not_there_is_named() {
    // spec: planning PV-04
    let verdict = check(&tasks(&[("a", &["task_999"])])).ended_with(1).json();
    assert_eq!(verdict["dependencies"]["is_valid"], false);
    assert!(errors(&verdict).contains("task_999"), "{verdict}");
}

#[test]
fn a_dependency_that_others_imply_is_noted_and_the_plan_stays_valid() {
    // spec: planning PV-05
    let verdict = check(&tasks(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).ended_with(0).json();
    let note = texts(&verdict["notes"]).join("\n");
    assert!(note.contains("task a: its dependency on c is implied by others"), "{verdict}");
    assert!(!note.contains("dependency on b"), "{verdict}");
}

#[test]
fn two_tasks_of_one_name_are_an_error() {
    let verdict = check(&tasks(&[("a", &[]), ("a", &[])])).ended_with(1).json();
    assert!(errors(&verdict).contains("subtasks[1]"), "{verdict}");
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let verdict = check(&tasks(&[("a", &["a"]), ("b", &["z"]), ("b", &[])])).ended_with(1).json();
    assert!(texts(&verdict["errors"]).len() >= 3, "{verdict}");
}

#[test]
fn a_plan_without_tasks_is_not_valid() {
    let verdict = check(&json!({"subtasks": []})).ended_with(1).json();
    assert!(errors(&verdict).contains("no tasks"), "{verdict}");
}

#[test]
fn a_plan_for_a_journey_must_take_care_of_all_of_it() {
    let plan = json!({"goal_type": "travel_planning",
        "subtasks": [{"task_id": "a", "description": "Find hotels in Paris"}]});
    let verdict = check(&plan).ended_with(0).json();
    let missing = texts(&verdict["completeness"]["missing_categories"]);
    assert!(missing.contains(&"flight_booking") && missing.contains(&"activity_planning"), "{missing:?}");
    assert!(!missing.contains(&"hotel_booking"), "{missing:?}");
    let notes = texts(&verdict["notes"]).join("; ");
    assert!(notes.contains("no task covers flight_booking: a run adds one"), "{verdict}");
}

#[test]
fn a_known_agent_is_respected_and_an_unknown_one_is_routed() {
    let known =
        json!({"subtasks": [{"task_id": "a", "description": "Find flights", "agent_type": "hotel_agent"}]});
    let verdict = check(&known).ended_with(0).json();
    assert_eq!(verdict["notes"], json!([]));
    let unknown =
        json!({"subtasks": [{"task_id": "a", "description": "Find flights", "agent_type": "nobody"}]});
    let verdict = check(&unknown).ended_with(0).json();
    let note = texts(&verdict["notes"]).join("");
    assert!(note.contains("nobody") && note.contains("flight_agent"), "{note}");
}

#[test]
fn what_is_no_plan_cannot_be_read() {
    let candor = Candor::new();
    let refuse = |text: &str, words: &[&str]| {
        candor.write("plan.json", text);
        candor.run(["plan", "check", "plan.json", "--json"]).refused(words);
    };
    refuse(r#"{"subtasks":[{"task_id":"a"}]}"#, &["plan.json", "subtasks[0]", "description", "line 1"]);
    refuse(r#"{"subtasks":[{"task_id":"a","description":3}]}"#, &["subtasks[0].description", "line 1"]);
    refuse(r#"{"subtasks":[{"task_id":"a","description":"A","agentype":"x"}]}"#, &["agentype", "agent_type"]);
    refuse(
        r#"{"subtasks":[{"task_id":"a","description":"A","priority":11}]}"#,
        &["priority", "from 1 to 10"],
    );
    refuse(r#"{"tasks":[]}"#, &["tasks", "subtasks"]);
    refuse("{}", &["subtasks"]);
    refuse("", &["plan.json"]);
    refuse("{\n\"subtasks\": [\n}", &["line 3"]);
    candor.write("plan.json", [0xff, 0xfe]);
    candor.run(["plan", "check", "plan.json"]).refused(&["plan.json", "not UTF-8"]);
    candor.run(["plan", "check", "nowhere.json"]).refused(&["nowhere.json"]);
}

#[test]
fn the_size_limit_is_a_setting() {
    // spec: planning PV-02
    let candor = Candor::new();
    let plan = json!({"subtasks": [{"task_id": "a", "description": "x".repeat(1_000_000)}]});
    candor.write("plan.json", plan.to_string());
    let verdict = candor.run(["plan", "check", "plan.json", "--json"]).ended_with(1).json();
    assert!(errors(&verdict).contains("too large") && errors(&verdict).contains("max_plan_bytes"));
    candor.run(["run", "--plan", "plan.json"]).refused(&["plan.json", "too large", "max_plan_bytes"]);
    candor.write("candor.toml", "[limits]\nmax_plan_bytes = 2000000\n");
    candor.run(["plan", "check", "plan.json", "--json"]).ended_with(0);
}

#[test]
fn a_plan_can_come_on_standard_input() {
    let plan = tasks(&[("a", &[])]).to_string();
    let said = Candor::new().feed(["plan", "check", "-", "--json"], plan).ended_with(0);
    assert_eq!(said.json()["is_valid"], true);
}

#[test]
fn people_are_told_in_lines() {
    let candor = Candor::new();
    candor.write("plan.json", tasks(&[("a", &["a"])]).to_string());
    let said = candor.run(["plan", "check", "plan.json"]).ended_with(1);
    said.shows(&["error: a depends on itself", "the plan is not valid"]);
}

#[test]
fn a_plan_that_candor_made_is_a_plan_that_candor_reads() {
    let candor = Candor::new();
    let planned = candor.run(["plan", crate::support::PARIS, "--json"]).json();
    candor.write("plan.json", planned["plan"].to_string());
    assert_eq!(candor.run(["plan", "check", "plan.json", "--json"]).ended_with(0).json()["is_valid"], true);
    let (said, events) = candor.events(&["run", "--plan", "plan.json"]);
    said.ended_with(0);
    assert_eq!(events.report()["summary"]["success"], true);
}
