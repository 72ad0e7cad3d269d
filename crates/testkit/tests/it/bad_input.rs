//! Bad input from outside: each kind gets a typed error that says where, and changes nothing.

use candor_model::{Plan, PlanningError, RunSettings, from_json};
use candor_planning::validation::accept;
use candor_testkit::fixtures::{self, paris_plan, plan_of, simple_task};
use candor_testkit::load;
use serde_json::{Value, json};

/// The Paris plan as JSON, with one change.
fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut json = serde_json::to_value(paris_plan()).unwrap_or_default();
    change(&mut json);
    json.to_string()
}

fn field_of(text: &str) -> String {
    from_json::<Plan>(text).err().map(|error| error.field).unwrap_or_default()
}

#[test]
fn fields_that_are_unknown_missing_or_wrong_are_named_by_their_path() {
    assert_eq!(field_of(&changed(|plan| plan["colour"] = json!("red"))), "colour");
    assert_eq!(field_of(&changed(|plan| plan["subtasks"][1]["colour"] = json!("red"))), "subtasks[1].colour");
    let missing = changed(|plan| {
        plan["subtasks"][2].as_object_mut().unwrap().remove("description");
    });
    assert_eq!(field_of(&missing), "subtasks[2].description");
    assert_eq!(
        field_of(&changed(|plan| plan["subtasks"][0]["priority"] = json!("high"))),
        "subtasks[0].priority"
    );
    assert_eq!(
        field_of(&changed(|plan| plan["subtasks"][0]["priority"] = json!(300))),
        "subtasks[0].priority"
    );
    assert_eq!(field_of(&changed(|plan| plan["confidence_score"] = json!(1.5))), "confidence_score");
    assert_eq!(field_of(&changed(|plan| plan["confidence_score"] = Value::Null)), "confidence_score");
    assert_eq!(
        field_of(&changed(|plan| plan["subtasks"][0]["task_id"] = json!("a b"))),
        "subtasks[0].task_id"
    );
    assert_eq!(field_of(&changed(|plan| plan["created_at"] = json!("yesterday"))), "created_at");
    let negative = changed(|plan| plan["subtasks"][3]["estimated_duration_seconds"] = json!(-1));
    assert_eq!(field_of(&negative), "subtasks[3].estimated_duration_seconds");
}

/// What is wrong with a plan, all in one line.
fn verdict(plan: Plan) -> String {
    match accept(load::proposal(plan), &RunSettings::default()) {
        Err(error @ PlanningError::PlanInvalid { .. }) => error.to_string(),
        other => format!("not refused as invalid: {other:?}"),
    }
}

#[test]
fn plans_that_cannot_be_carried_out_are_refused_with_the_task() {
    let mut twice = paris_plan();
    twice.subtasks[1].task_id = fixtures::task_id("task_001");
    assert!(verdict(twice).contains("task_001"));
    let own = plan_of(vec![simple_task(7, "Do", &[7], "hotel_agent")], 0.9);
    assert!(verdict(own).contains("task_007"));
    let dangling = plan_of(vec![simple_task(1, "Do", &[999], "hotel_agent")], 0.9);
    assert!(verdict(dangling).contains("task_999"));
    let unknown = plan_of(vec![simple_task(1, "Do", &[], "nobody")], 0.9);
    assert!(verdict(unknown).contains("nobody"));
    let empty = plan_of(Vec::new(), 0.9);
    assert!(!verdict(empty).starts_with("not refused"));
    let cycles = (1..=4).map(|n| simple_task(n, "Do", &[n % 4 + 1, (n + 1) % 4 + 1], "hotel_agent"));
    assert!(verdict(plan_of(cycles.collect(), 0.9)).contains("Circular dependencies detected"));
}

#[test]
fn a_plan_over_the_size_limit_is_refused_with_both_numbers_and_the_limit_is_a_setting() {
    let mut plan = paris_plan();
    plan.subtasks[0].inputs.insert("notes".to_owned(), json!("x".repeat(1_000_000)));
    let error = verdict(plan.clone());
    assert!(error.contains("1000000") || error.contains("1,000,000"), "{error}");
    assert!(accept(load::proposal(plan), &load::settings()).is_ok());
}
