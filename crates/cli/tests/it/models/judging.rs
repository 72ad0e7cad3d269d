//! Criteria of models: executed where they can be, judged by a model on another tier where they cannot, and never
//! believed without words that the results have.

use candor_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene, outcome, sensible, step_of, steps, tiers};
use crate::support::Events;

const GOAL: &str = "Compose a poem about the harbour for the newsletter";

/// A poet, whose poem is always the same, and two others.
fn scene() -> Scene {
    let agent = |name: &str| {
        format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"Composes poems for the newsletter\"\n\
             capabilities = [\"{name}\"]\ncommand = [\"sh\", \"-c\", \"echo '{{\\\"outputs\\\": {{\\\"poem\\\": \\\"Grey gulls over the harbour wall\\\"}}}}'\"]\n"
        )
    };
    Scene::configured(|url| {
        let agents: String = ["poet", "printer", "editor"].map(agent).concat();
        format!("{EASY}\n{agents}\n{}", tiers(url, ""))
    })
}

/// Answers with these criteria, these tasks' criteria and this judgement.
fn answering(scene: &Scene, criteria: Value, validation: &'static str, judgement: Value) {
    scene.server.route(move |seen| match step_of(seen) {
        "parse_goal" => Reply::json(json!({ "goal_type": "generic", "success_criteria": criteria })),
        "decompose_task" => {
            let mut task = json!({ "description": GOAL, "expected_outputs": ["poem"] });
            if !validation.is_empty() {
                task["validation"] = json!(validation);
            }
            Reply::json(json!({ "tasks": [task] }))
        }
        "judge_result" => Reply::json(json!({ "judgements": [judgement] })),
        _ => sensible(seen),
    });
}

fn run(scene: &Scene) -> (i32, Events, Value) {
    let said = scene.run(&["run", GOAL, "--json", "--run-id", "run_1", "--yes", "--unattended"]);
    let events = Events(said.lines());
    let status = scene.run(&["status", "run_1", "--json"]).json();
    (said.code, events, status)
}

#[test]
fn what_a_model_proposes_is_executed_or_judged_with_a_quotation() {
    // spec: findings HE-01
    let judged = |holds: Value, quote: &str| json!({ "criterion": 1, "holds": holds, "quote": quote, "reason": "it says so" });
    for (judgement, verdict) in [
        (judged(json!(true), "gulls over the harbour"), "verified"),
        (judged(json!(true), "waves over the pier"), "unverified"),
        (judged(json!(null), ""), "unverified"),
        (judged(json!(false), "Grey gulls"), "not_met"),
    ] {
        let scene = scene();
        let criteria = json!(["answer contains \"harbour\"", "The poem is about the harbour"]);
        answering(&scene, criteria, "", judgement.clone());
        let shown = scene.run(&["plan", GOAL]);
        shown.shows(&["reached when: answer contains \"harbour\"", "judge: The poem is about the harbour"]);
        let (code, events, status) = run(&scene);
        assert_eq!(status["verdict"], verdict, "{judgement}: {}", status["assessment"]);
        assert_eq!(code, i32::from(verdict == "not_met"));
        assert_eq!(steps(&events, "judge_result"), ["accepted"]);
        let asked = scene.asked("judge_result");
        assert_eq!(asked[0].model(), "best", "another tier than the one that planned the work");
        let found = status["assessment"]["criteria"].as_array().unwrap();
        assert!(found.iter().all(|it| it["source"] == "model"), "{found:?}");
        assert_eq!(found[0]["result"], "holds");
    }
}

#[test]
fn a_misspelt_criterion_of_a_model_is_asked_for_again_and_then_dropped_with_a_word() {
    // spec: findings HE-05
    let scene = scene();
    answering(&scene, json!([]), "outptus present: poem", json!({}));
    let (_, events, status) = run(&scene);
    let problems = outcome(&events, "decompose_task", "ask_again")["problems"].to_string();
    assert!(problems.contains("did you mean `outputs present: NAME, NAME`?"), "{problems}");
    let told = events.0.iter().map(Value::to_string).collect::<String>();
    assert!(told.contains("It was dropped"), "the plan is kept, and it is told");
    assert_eq!(status["verdict"], "unverified");
}

#[test]
fn what_a_models_plan_names_is_executed_or_lowers_the_verdict() {
    // spec: findings HE-09
    let scene = scene();
    answering(&scene, json!([]), "command: touch ran", json!({}));
    let (code, _, status) = run(&scene);
    assert_eq!((code, &status["verdict"]), (0, &json!("unverified")), "{}", status["assessment"]);
    assert!(!scene.candor.path("ran").exists(), "nobody allowed the program");
    assert!(status["assessment"]["criteria"].to_string().contains("not run"), "{}", status["assessment"]);
    let scene = self::scene();
    answering(&scene, json!([]), "file exists: poem.txt", json!({}));
    let (code, _, status) = run(&scene);
    assert_eq!((code, &status["verdict"]), (1, &json!("not_met")), "{}", status["assessment"]);
}
