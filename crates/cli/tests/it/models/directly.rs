//! Where there is nobody but a model: it answers directly, and everyone is told what that is worth.

use candor_testkit::model_server::{Fault, Reply};
use serde_json::json;

use crate::models::scene::{EASY, Scene, level, sensible, step_of};
use crate::support::Events;

/// A goal that no agent of the travel pack is for.
const GOAL: &str = "Write a short note that explains to new colleagues how our weekly meetings work";

#[test]
fn without_agents_a_model_answers_directly_and_says_so() {
    // spec: orchestrator DG-08 DG-12
    let scene = Scene::with(&format!("[packs]\ngeneral = false\n{EASY}"), "");
    scene.server.route(|seen| {
        if seen.says("Step: do a task yourself") {
            Reply::json(
                json!({ "outputs": { "result": "We meet on Mondays." }, "doubts": ["the day is a guess"] }),
            )
        } else if step_of(seen) == "parse_goal" {
            Reply::json(json!({ "goal_type": "other", "preferences": [] }))
        } else if step_of(seen) == "decompose_task" {
            Reply::json(json!({ "tasks": [
                { "description": "Write the note on weekly meetings", "expected_outputs": ["result"] },
            ] }))
        } else {
            sensible(seen)
        }
    });
    let events = scene.finished(GOAL);
    assert_eq!(level(&events), 4, "the way through agents was left out");
    let dispatched = events.all("task_dispatched");
    assert!(dispatched.iter().all(|event| event["agent_type"] == "direct_response"), "{dispatched:?}");
    let told = events.all("broadcast");
    let warned =
        told.iter().any(|event| event["message"]["content"].to_string().contains("in a single pass"));
    assert!(warned, "{told:?}");
    let succeeded = events.all("task_succeeded");
    assert_eq!(succeeded[0]["feedback"]["feedback_type"], "PARTIAL_SUCCESS", "a doubt is no certainty");
}

#[test]
fn without_agents_and_without_a_model_it_is_said_what_is_missing() {
    let scene = Scene::new();
    scene.run(&["run", GOAL, "--no-models"]).ended_with(1).tells(&["no agent can do this yet", "Three ways"]);
}

#[test]
fn the_failure_of_a_model_that_answers_directly_has_the_providers_kind() {
    for (reply, kind, transience, retry) in [
        (Reply::rate_limit("30"), "rate_limited", "transient", json!(30.0)),
        (Reply::fault(Fault::WrongKey), "denied", "permanent", json!(null)),
        (Reply::text("service unavailable"), "bad_output", "unknown", json!(null)),
    ] {
        let scene = Scene::with(&format!("[packs]\ngeneral = false\n{EASY}"), "");
        scene.server.route(move |seen| {
            if seen.says("Step: do a task yourself") {
                reply.clone()
            } else if step_of(seen) == "parse_goal" {
                Reply::json(json!({ "goal_type": "other", "preferences": [] }))
            } else if step_of(seen) == "decompose_task" {
                Reply::json(
                    json!({ "tasks": [{ "description": "Write the note", "expected_outputs": ["result"] }] }),
                )
            } else {
                sensible(seen)
            }
        });
        let said = scene.run(&["run", GOAL, "--json", "--run-id", "run_1"]);
        let events = Events(said.lines());
        let failure = &events.all("task_failed")[0]["feedback"]["failure"];
        assert_eq!(
            (&failure["kind"], &failure["transience"]),
            (&json!(kind), &json!(transience)),
            "{failure}"
        );
        assert_eq!(failure["retry_after"], retry, "{failure}");
        assert!(failure["message"].as_str().unwrap().starts_with("No model answered"), "{failure}");
    }
}

#[test]
fn a_model_that_there_is_no_money_for_fails_over_budget() {
    let scene = Scene::new();
    let config = std::fs::read_to_string(scene.candor.path("candor.toml")).unwrap();
    let agent = "[[agents]]\nagent_type = \"note_writer\"\nspecialization = \"Writes notes\"\nmodel = \"fast\"\n\
                 max_cost = 0.000001\n";
    scene.candor.write("candor.toml", format!("{config}\n{agent}"));
    let task = json!({ "task_id": "t", "description": "Write the note", "agent_type": "note_writer",
        "expected_outputs": ["result"] });
    scene.candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    let said = scene.run(&["run", "--plan", "plan.json", "--json", "--run-id", "run_1"]);
    let events = Events(said.lines());
    let failure = &events.all("task_failed")[0]["feedback"]["failure"];
    assert_eq!(
        (&failure["kind"], &failure["transience"]),
        (&json!("over_budget"), &json!("permanent")),
        "{failure}"
    );
    assert!(
        failure["message"].as_str().unwrap().contains("can cost")
            && failure["message"].as_str().unwrap().contains("raise `max_cost`"),
        "{failure}"
    );
}
