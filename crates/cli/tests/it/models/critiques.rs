//! What a run makes of its own results: rules find what is no answer, a model finds what does not serve the request.

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene, step_of, tiers};
use crate::support::{Candor, Events};

const REQUEST: &str = "Summarise the complaints about the elevators of the north building";

/// Puts out nothing worth having, and something better once it was told what was wrong.
const LEARNS: &str = "import json, sys\n\
    order = json.load(sys.stdin)\n\
    told = json.dumps(order['brief'])\n\
    text = 'People wait for the elevators.' if 'refused' in told else sys.argv[1]\n\
    print(json.dumps({'outputs': {order['expected_outputs'][0]: text}}))\n";
const STUBBORN: &str = "import json, sys\n\
    order = json.load(sys.stdin)\n\
    print(json.dumps({'outputs': {order['expected_outputs'][0]: sys.argv[1]}}))\n";

fn agent(first: &str) -> String {
    format!(
        "[[agents]]\nagent_type = \"clerk\"\nspecialization = \"Summarises complaints\"\n\
         capabilities = [\"summarise_complaints\"]\ncommand = [\"python3\", \"clerk.py\", \"{first}\"]\n"
    )
}

/// A folder without models, with an agent that begins with these words.
fn folder(program: &str, first: &str) -> Candor {
    let candor = Candor::with_config(&format!("[planning]\nmin_agents = 1\n{}", agent(first)));
    candor.write("clerk.py", program);
    candor
}

fn verdicts_on<'a>(events: &'a Events, phase: &str) -> Vec<&'a str> {
    let of_phase = events.all("critiqued").into_iter().filter(|event| event["phase"] == phase);
    of_phase.map(|event| event["verdict"].as_str().unwrap()).collect()
}

fn verdict(events: &Events) -> &Value {
    &events.only("outcome_recorded")["assessment"]["verdict"]
}

#[test]
fn a_result_that_is_no_answer_is_done_again_by_an_agent_that_is_told_why() {
    // spec: findings GL-12
    for first in [
        "TODO",
        "I cannot read these files.",
        "It is a fine day for a walk, and all birds in my garden sing to me.",
    ] {
        let (said, events) = folder(LEARNS, first).events(&["run", REQUEST, "--yes"]);
        said.ended_with(0);
        assert_eq!(verdicts_on(&events, "execution"), ["refine", "continue"], "{first}");
        assert_eq!(events.all("task_succeeded").len(), 2, "{first}");
        assert_ne!(verdict(&events), "not_met", "{first}");
    }
}

#[test]
fn a_result_that_stays_no_answer_ends_as_not_met() {
    // spec: findings GL-12
    let (said, events) = folder(STUBBORN, "TBD").events(&["run", REQUEST, "--yes"]);
    said.ended_with(1);
    assert_eq!(
        verdicts_on(&events, "execution"),
        ["refine", "continue"],
        "the same again is not asked for again"
    );
    assert_eq!(verdict(&events), "not_met");
    let screen = folder(STUBBORN, "TBD").run(["run", REQUEST, "--yes", "--plain"]).ended_with(1);
    assert!(screen.stdout.contains("placeholder or a refusal"), "{}", screen.stdout);
}

#[test]
fn an_ordinary_result_is_left_alone() {
    let (said, events) =
        folder(STUBBORN, "Fourteen people wait for the elevators.").events(&["run", REQUEST, "--yes"]);
    said.ended_with(0);
    assert_eq!(verdicts_on(&events, "execution"), ["continue"]);
    assert_eq!(events.all("task_succeeded").len(), 1);
}

fn with_model(serves: impl Fn(&SeenRequest) -> bool + Send + Sync + 'static) -> Scene {
    let scene = Scene::configured(|url| {
        format!(
            "{EASY}[planning]\nmin_agents = 1\n[validation]\ncritique_by_model = true\n{}{}",
            tiers(url, ""),
            agent("Elevators exist.")
        )
    });
    scene.candor.write("clerk.py", LEARNS);
    scene.server.route(move |seen| answer(seen, &serves));
    scene
}

fn answer(seen: &SeenRequest, serves: &dyn Fn(&SeenRequest) -> bool) -> Reply {
    let schema = seen.body.pointer("/response_format/json_schema/name").and_then(Value::as_str);
    match schema.unwrap_or_default() {
        "critique_results" => Reply::json(json!({
            "serves": serves(seen), "reason": "it names no complaint" })),
        "critique" => Reply::json(json!({
            "objectiveAlignment": { "pass": true, "confidence": 90, "reason": "fits" },
            "consistencyWithProject": { "pass": true, "issues": [] },
            "similarToPastError": { "pass": true, "matchedErrors": [] },
        })),
        "parse_goal" => Reply::json(json!({ "goal_type": "generic" })),
        "decompose_task" => Reply::json(json!({ "tasks": [
            { "description": "Summarise the complaints", "expected_outputs": ["summary"] }] })),
        _ => Reply::text("no"),
    }
}

#[test]
fn a_model_sends_back_results_that_do_not_serve_the_request() {
    // spec: findings GL-12
    let scene = with_model(|seen| seen.says("People wait"));
    let events = Events(scene.run(&["run", REQUEST, "--json", "--yes"]).ended_with(0).lines());
    let asked: Vec<SeenRequest> =
        scene.server.seen().into_iter().filter(|seen| seen.says("Step: compare the results")).collect();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|seen| seen.says(REQUEST)) && asked[0].says("Elevators exist."));
    assert!(events.only("task_reopened")["reason"].as_str().unwrap().contains("it names no complaint"));
    assert_eq!(verdicts_on(&events, "validation"), ["continue", "refine", "continue"]);
    assert!(scene.server.seen().iter().any(|seen| step_of(seen) == "parse_goal"));
}

#[test]
fn results_that_never_serve_the_request_end_as_not_met() {
    let scene = with_model(|_| false);
    let events = Events(scene.run(&["run", REQUEST, "--json", "--yes"]).ended_with(1).lines());
    assert_eq!(verdict(&events), "not_met");
    let criteria = events.only("outcome_recorded")["assessment"]["criteria"].to_string();
    assert!(criteria.contains("the results serve the request") && criteria.contains("it names no complaint"));
}

#[test]
fn what_models_took_is_compared_with_such_phases_of_past_runs() {
    // spec: findings GL-12
    let scene = with_model(|_| true);
    let cost = |events: &Events| {
        let planning = events.all("critiqued").into_iter().find(|event| event["phase"] == "evaluation");
        planning.unwrap()["checks"]["costEfficiency"].clone()
    };
    let run = || Events(scene.run(&["run", REQUEST, "--json", "--yes"]).ended_with(0).lines());
    for _ in 0..3 {
        assert_eq!(cost(&run())["expected"], 0, "three runs make a history");
    }
    let fourth = cost(&run());
    assert!(fourth["expected"].as_u64().unwrap() > 0 && fourth["pass"] == json!(true), "{fourth}");
}
