//! A model whose plan forgets what the pack says such a goal needs.

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};

use crate::models::scene::{Scene, sensible, step_of};
use crate::support::{PARIS, texts};

/// The sensible model, but nobody looks for a place to sleep.
fn forgetful(seen: &SeenRequest) -> Reply {
    if step_of(seen) != "decompose_task" {
        return sensible(seen);
    }
    Reply::json(json!({ "tasks": [
        { "description": "Compare round-trip flights to Paris in May", "priority": 10,
          "estimated_duration_seconds": 30, "expected_outputs": ["flight_options"] },
        { "description": "Collect activities for rainy days in Paris", "expected_outputs": ["activities"] },
        { "description": "Check the total cost against the budget of 2000 dollars", "dependencies": [0, 1],
          "priority": 10, "estimated_duration_seconds": 5, "expected_outputs": ["budget_status"] },
    ] }))
}

fn category(task: &Value) -> &str {
    task["metadata"]["category"].as_str().unwrap_or_default()
}

#[test]
fn what_the_models_plan_lacks_is_added_from_the_packs_template_and_costs_no_confidence() {
    // spec: planning PV-07 PV-09; findings RC-10
    let scene = Scene::new();
    let whole = scene.paris();
    let scene = Scene::new();
    scene.server.route(forgetful);
    let events = scene.paris();
    let proposed = events.only("plan_proposed");
    let tasks = proposed["plan"]["subtasks"].as_array().unwrap();
    assert_eq!(
        tasks.iter().map(category).collect::<Vec<_>>(),
        ["flight_booking", "activity_planning", "hotel_booking", "budget_validation"]
    );
    let hotel = &tasks[2];
    assert_eq!(hotel["description"], "Find hotels in central Paris for 3 nights");
    assert_eq!((&hotel["agent_type"], &hotel["dependencies"]), (&json!("hotel_agent"), &json!(["task_001"])));
    assert_eq!((&hotel["inputs"]["destination"], &hotel["inputs"]["nights"]), (&json!("Paris"), &json!(3)));
    let id = hotel["task_id"].as_str().unwrap();
    assert!(texts(&tasks[3]["dependencies"]).contains(&id), "the check waits for it");
    let repairs = texts(&proposed["repairs"]);
    assert_eq!(repairs, [format!("Added {id} for hotel_booking, which no task covered: Hotel search")]);
    let confidence = |events: &crate::support::Events| {
        events.only("plan_proposed")["plan"]["confidence_score"].as_f64().unwrap()
    };
    assert!(
        confidence(&events) >= confidence(&whole) - 0.05,
        "{} {}",
        confidence(&events),
        confidence(&whole)
    );
    assert!(events.all("replanned").is_empty() && events.all("confidence_changed").len() <= 1);
}

#[test]
fn the_addition_is_told_in_one_line() {
    let scene = Scene::new();
    scene.server.route(forgetful);
    let told = |said: crate::support::Said| {
        let all = format!("{}{}", said.stdout, said.stderr);
        let lines: Vec<String> =
            all.lines().filter(|line| line.contains("Added task_00")).map(str::to_owned).collect();
        assert_eq!(lines.len(), 1, "{all}");
        assert!(lines[0].chars().count() <= 100, "{}", lines[0]);
    };
    told(scene.run(&["run", PARIS, "--plain"]).ended_with(0));
    told(scene.run(&["plan", PARIS]).ended_with(0));
}
