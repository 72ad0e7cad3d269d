//! The stages alone: `candor goal` and `candor plan` ask models too, keep to the budget, and say where rules
//! spoke.

use candor_testkit::model_server::{Fault, Reply};
use serde_json::{Value, json};

use crate::models::scene::{Scene, sensible, step_of};
use crate::support::{Candor, PARIS};

fn descriptions(plan: &Value) -> Vec<&str> {
    let tasks = plan["plan"]["subtasks"].as_array().or_else(|| plan["subtasks"].as_array()).unwrap();
    tasks.iter().map(|task| task["description"].as_str().unwrap()).collect()
}

#[test]
fn a_goal_is_read_by_the_model_and_a_plan_is_made_of_its_tasks() {
    // spec: planning GD-01 TD-01
    let scene = Scene::new();
    let goal = scene.run(&["goal", PARIS, "--json"]).ended_with(0);
    assert_eq!(
        (goal.json()["extracted"]["destination"].clone(), goal.stderr),
        (json!("Paris"), String::new())
    );
    assert_eq!(scene.server.seen().iter().map(step_of).collect::<Vec<_>>(), ["parse_goal"]);
    let plan = scene.run(&["plan", PARIS, "--json"]).ended_with(0).json();
    assert_eq!(descriptions(&plan)[1], "Choose a hotel near the river in Paris");
    assert!(!scene.candor.path("data").join("candor.db").exists(), "nothing is kept");
}

#[test]
fn a_stage_whose_model_fails_is_done_by_rules_and_says_so_beside_its_json() {
    // spec: orchestrator DG-05; beyond BY-10
    let scene = Scene::new();
    scene.server.route(|seen| match step_of(seen) {
        "decompose_task" => Reply::fault(Fault::WrongKey),
        _ => sensible(seen),
    });
    let said = scene.run(&["plan", PARIS, "--json"]).ended_with(0);
    let said = said.tells(&[
        "asking the fast tier",
        "no model could answer decompose_task, the rule-based fallback is used",
    ]);
    let by_rules = Candor::new().run(["plan", PARIS, "--json"]).ended_with(0).json();
    assert_eq!(descriptions(&said.json()), descriptions(&by_rules));
}

#[test]
fn a_stage_keeps_to_the_budget_and_to_no_models_at_all() {
    // spec: beyond BY-06
    let scene = Scene::with("[limits]\nplanning_budget = 0.0001\n", "");
    scene.run(&["plan", PARIS, "--json"]).ended_with(0).tells(&["can cost $"]);
    scene.run(&["plan", PARIS, "--json", "--no-models"]).ended_with(0);
    assert!(scene.server.seen().is_empty());
}

#[test]
fn a_stage_is_recorded_and_played_back() {
    let scene = Scene::new();
    let live = scene.run(&["plan", PARIS, "--json", "--record", "kept"]).ended_with(0).json();
    scene.server.route(|_| Reply::fault(Fault::Server));
    let asked = scene.server.seen().len();
    let played = scene.run(&["plan", PARIS, "--json", "--replay", "kept"]).ended_with(0).json();
    assert_eq!((descriptions(&live), scene.server.seen().len()), (descriptions(&played), asked));
}
