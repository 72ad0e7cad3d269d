//! One model section is enough: agents for any goal are there, each with its role, and words are an answer.

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene, sensible, step_of};
use crate::support::Events;

const BEES: &str = "Write a welcome note for new beekeepers, then review it for mistakes";

/// A model that plans two tasks and does them in words.
fn beekeeper(seen: &SeenRequest) -> Reply {
    if seen.says("Step: do one task of a plan") {
        let reviews = seen.says("You are the agent `reviewer`");
        let text = if reviews {
            "The note holds.\nOpen: nobody checked the telephone number"
        } else {
            "Welcome to the hives."
        };
        return Reply::text(text);
    }
    if seen.says("Step: list the steps") {
        return Reply::json(
            json!({ "steps": [{ "id": "write", "description": "Write the note", "tool": "write_file",
            "parameters": { "path": "note.md", "content": "Welcome to the hives.", "mode": "create" }, "save_as": "note" }] }),
        );
    }
    if seen.says("Step: decide what an agent that has tools does next") {
        return Reply::json(
            json!({ "thought": "done", "action": "complete", "summary": "the note is written",
            "outputs": { "note": "Welcome to the hives." } }),
        );
    }
    match step_of(seen) {
        "parse_goal" => Reply::json(json!({ "goal_type": "generic", "preferences": [] })),
        "decompose_task" => Reply::json(json!({ "tasks": [
            { "description": "Write a welcome note for new beekeepers", "expected_outputs": ["note"] },
            { "description": "Review the note for mistakes", "dependencies": [0], "expected_outputs": ["review"] },
        ] })),
        _ => sensible(seen),
    }
}

fn working(scene: &Scene) -> Vec<SeenRequest> {
    scene.server.seen().into_iter().filter(|seen| seen.says("Step: do one task of a plan")).collect()
}

fn outputs<'a>(events: &'a Events, task: &str) -> &'a Value {
    let done = events.all("task_succeeded");
    let of = done.into_iter().find(|event| event["feedback"]["task_id"] == task);
    &of.unwrap()["feedback"]["actual_outputs"]
}

#[test]
fn one_model_is_enough_for_a_goal_of_any_kind() {
    // spec: findings GL-02 GL-09
    let scene = Scene::new();
    scene.server.route(beekeeper);
    let events = scene.finished(BEES);
    let who: Vec<_> = events.all("task_dispatched").iter().map(|event| event["agent_type"].clone()).collect();
    assert_eq!(who, ["writer", "reviewer"]);
    assert_eq!(outputs(&events, "task_001"), &json!({ "note": "Welcome to the hives." }));
    let asked = working(&scene);
    let (system, question) = (&asked[0].messages()[0].1, &asked[0].messages()[1].1);
    assert!(system.contains("You are the agent `writer`: Writes texts for people"), "{system}");
    assert!(system.contains("plain words, short sentences"), "its instructions: {system}");
    assert!(!system.contains("has failed") && !question.contains("has failed"), "nobody has failed");
    assert!(asked[0].body.get("response_format").is_none(), "words are an answer");
    assert!(asked[1].says("Welcome to the hives."), "what came before reaches the reviewer");
    // What a model leaves open beside a success is a warning, and no part of the result.
    assert_eq!(outputs(&events, "task_002"), &json!({ "review": "The note holds." }));
    scene.run(&["status", "run_1"]).ended_with(0).shows(&["nobody checked the telephone number"]);
}

#[test]
fn with_a_folder_that_may_be_written_the_writer_writes_files() {
    // spec: findings GL-09
    let scene = Scene::with(&format!("{EASY}[tools.builtin]\nfolder = \".\"\nwritable = true\n"), "");
    scene.server.route(beekeeper);
    scene.finished(BEES);
    assert_eq!(std::fs::read_to_string(scene.candor.path("note.md")).unwrap(), "Welcome to the hives.");
    let steps = scene.server.seen().into_iter().find(|seen| seen.says("Step: list the steps")).unwrap();
    assert!(steps.says("You are the agent `writer`"), "tool agents have their role too");
}

#[test]
fn agents_for_any_goal_are_left_out_and_replaced_by_name() {
    // spec: findings GL-09
    let agents = |config: &str| {
        let scene = Scene::with(config, "");
        let listed = scene.run(&["agents", "--json"]).ended_with(0).json();
        let named = listed["agents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|agent| agent["declared"]["agent_type"].as_str().unwrap().to_owned());
        named.filter(|name| !name.ends_with("_agent")).collect::<Vec<_>>()
    };
    let all = agents(EASY);
    for name in ["researcher", "analyst", "coder", "writer", "reviewer"] {
        assert!(all.contains(&name.to_owned()), "{name}: {all:?}");
    }
    assert!(!all.contains(&"operator".to_owned()), "no command is allowed: {all:?}");
    let commands = format!("{EASY}[tools.builtin]\nfolder = \".\"\ncommands = [\"ls\"]\n");
    assert!(agents(&commands).contains(&"operator".to_owned()));
    let without = agents(&format!("{EASY}[packs]\nwithout = [\"coder\"]\n"));
    assert!(!without.contains(&"coder".to_owned()) && without.contains(&"writer".to_owned()), "{without:?}");
    let own = "[[agents]]\nagent_type = \"writer\"\nspecialization = \"Writes sonnets\"\nmodel = \"fast\"\n";
    let declared = agents(&format!("{own}{EASY}"));
    assert!(!declared.contains(&"reviewer".to_owned()), "who declares agents has those: {declared:?}");
    let both = agents(&format!("{own}{EASY}[packs]\ngeneral = true\n"));
    assert_eq!(both.iter().filter(|name| *name == "writer").count(), 1, "{both:?}");
    assert!(both.contains(&"reviewer".to_owned()), "{both:?}");
}

#[test]
fn instructions_come_from_a_file_and_declared_outputs_are_asked_for_by_name() {
    // spec: findings GL-09
    let agent = "[[agents]]\nagent_type = \"cellar_master\"\nspecialization = \"Judges wines\"\nmodel = \"fast\"\n\
                 instructions = { file = \"cellar.md\" }\n";
    let scene = Scene::with(&format!("{agent}{EASY}"), "");
    scene.candor.write("cellar.md", "Speak like a cellar master.");
    let task = json!({ "task_id": "t", "description": "Judge the Riesling", "agent_type": "cellar_master",
        "expected_outputs": ["score", "notes"] });
    scene.candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    scene
        .server
        .route(|_| Reply::json(json!({ "outputs": { "score": 91, "notes": "slate" }, "doubts": [] })));
    let said = scene.run(&["run", "--plan", "plan.json", "--json", "--run-id", "run_1"]).ended_with(0);
    assert_eq!(outputs(&Events(said.lines()), "t"), &json!({ "score": 91, "notes": "slate" }));
    let asked = working(&scene);
    assert!(asked[0].says("Speak like a cellar master.") && asked[0].says("Judges wines"));
    let schema = asked[0].body["response_format"].to_string() + &asked[0].messages()[1].1;
    assert!(schema.contains("score") && schema.contains("notes"), "{schema}");

    scene
        .candor
        .write("candor.toml", "[[agents]]\nagent_type = \"a\"\ncommand = [\"true\"]\ninstructions = \"x\"\n");
    scene.run(&["agents"]).refused(&["`instructions` are for agents with `model`"]);
}

#[test]
fn a_known_model_has_its_price_and_planning_has_money_for_it() {
    // spec: findings GL-17
    let config = |url: &str| {
        format!(
            "[models.balanced]\nprovider = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\nendpoint = \"{url}\"\n\
                 api_key_env = \"CANDOR_TEST_MODEL_KEY\"\n"
        )
    };
    let scene = Scene::configured(config);
    scene.run(&["models"]).ended_with(0).shows(&["$3 in / $15 out per million tokens (2026-"]);
    scene.server.route(beekeeper);
    let events = scene.finished(BEES);
    let degraded = events.all("phase_degraded");
    assert!(degraded.is_empty(), "no call was refused for want of money: {degraded:?}");
}
