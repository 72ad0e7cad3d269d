//! Exchanges that are kept and played back: no network, no key, and the same answers to the byte.

use candor_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::models::scene::{SECRET, Scene, level, outcome, sensible, spoken_by, step_of, steps};
use crate::support::{Events, PARIS, Said};

/// Records the worked example, then takes the provider away.
fn recorded() -> (Scene, Events) {
    let scene = Scene::new();
    // Something to repair, so that the model's own words and the answer differ.
    scene.server.route(|seen| match step_of(seen) {
        "parse_goal" => {
            Reply::text(format!("```json\n{}\n```", crate::models::scene::answer_to("parse_goal")))
        }
        _ => sensible(seen),
    });
    let said = scene.run(&["run", PARIS, "--json", "--record", "kept"]).ended_with(0);
    (scene, Events(said.lines()))
}

/// Plays the recording back where there is neither provider nor key.
fn replay(scene: Scene, folder: &str) -> (Said, Events) {
    let Scene { candor, server } = scene;
    let said = {
        let alone = Scene { candor, server: candor_testkit::model_server::ModelServer::start().unwrap() };
        drop(server);
        let said = alone.keyless(&["run", PARIS, "--json", "--replay", folder]).output().unwrap();
        assert!(alone.server.seen().is_empty());
        Said::of(said)
    };
    let events = Events(said.lines());
    (said, events)
}

/// What each question's steps say, without how long they took.
fn answers(events: &Events) -> Vec<Value> {
    let steps = events.all("model_consulted").into_iter();
    steps
        .map(|event| {
            let call = &event["step"]["call"];
            json!([
                event["ask"],
                call["model"],
                call["request"],
                call["answer"],
                call["tokens"],
                event["step"]["rung"]
            ])
        })
        .collect()
}

/// The tasks of the plan, without the figures by which agents were ranked: those follow what was learned since.
fn plan(events: &Events) -> Value {
    let mut tasks = events.only("plan_proposed")["plan"]["subtasks"].clone();
    for task in tasks.as_array_mut().unwrap() {
        task["metadata"]["ranking"].take();
    }
    tasks
}

#[test]
fn a_run_is_played_back_byte_for_byte_without_network_and_key() {
    let (scene, live) = recorded();
    assert_eq!(
        outcome(&live, "parse_goal", "accepted")["repairs"].as_array().map(Vec::is_empty),
        Some(false)
    );
    let (said, played) = replay(scene, "kept");
    said.ended_with(0);
    assert_eq!(answers(&live), answers(&played));
    assert_eq!(plan(&live), plan(&played));
    assert_eq!((level(&played), spoken_by(&played, "decomposition")), (0, "model"));
}

#[test]
fn failures_are_recorded_and_played_back_too() {
    let scene = Scene::new();
    scene.server.route(|seen| match seen.model() {
        "usual" => Reply::fault(candor_testkit::model_server::Fault::ContentFilter),
        _ => sensible(seen),
    });
    let live = Events(scene.run(&["run", PARIS, "--json", "--record", "kept"]).ended_with(0).lines());
    let (said, played) = replay(scene, "kept");
    said.ended_with(0);
    assert_eq!(steps(&played, "parse_goal"), ["fall_back", "accepted"]);
    assert_eq!(answers(&live), answers(&played));
}

#[test]
fn a_recording_that_lacks_a_step_is_told_and_the_rules_speak() {
    // spec: orchestrator DG-05; beyond BY-10
    let (scene, _) = recorded();
    let kept = scene.candor.path("kept");
    for entry in std::fs::read_dir(&kept).unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read_to_string(&path).unwrap().contains("Step: split a goal") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let (said, events) = replay(scene, "kept");
    said.ended_with(0);
    let reason = outcome(&events, "decompose_task", "give_up")["reason"].as_str().unwrap();
    assert!(
        reason.contains("lacks the step `decompose_task`") && reason.contains("record the run again"),
        "{reason}"
    );
    assert_eq!(
        (spoken_by(&events, "evaluation"), spoken_by(&events, "decomposition")),
        ("model", "heuristic")
    );
    assert_eq!(level(&events), 3, "the plan that the rules make was not judged when it was recorded");
}

#[test]
fn a_recording_has_the_question_and_the_answer_and_no_key() {
    let (scene, _) = recorded();
    let files: Vec<_> = std::fs::read_dir(scene.candor.path("kept")).unwrap().collect();
    assert_eq!(files.len(), 3);
    let bytes = scene.bytes_below("kept");
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("3-day trip to Paris") && text.contains("near the river"));
    assert!(!text.contains(SECRET));
}

#[test]
fn folders_that_cannot_be_used_are_refused_before_anything_starts() {
    // spec: orchestrator FD-04
    let scene = Scene::new();
    scene.run(&["run", PARIS, "--replay", "nowhere"]).refused(&["--replay", "nowhere"]);
    scene.candor.write("file", "");
    scene.run(&["run", PARIS, "--record", "file/below"]).refused(&["--record", "file/below"]);
    scene.run(&["run", PARIS, "--record", "a", "--replay", "b"]).refused(&["--record", "--replay"]);
    scene.run(&["run", PARIS, "--no-models", "--record", "a"]).refused(&["--record"]);
    assert!(!scene.candor.has_data() && scene.server.seen().is_empty());
}

#[test]
fn a_recording_that_cannot_be_kept_costs_no_run_and_is_told() {
    // spec: beyond BY-10
    let scene = Scene::new();
    let kept = scene.candor.path("kept");
    scene.server.route(move |seen| {
        // What stood there is gone, and nothing can be put in its place.
        if kept.is_dir() {
            std::fs::remove_dir_all(&kept).unwrap();
            std::fs::write(&kept, "").unwrap();
        }
        sensible(seen)
    });
    let said = scene.run(&["run", PARIS, "--json", "--record", "kept"]).ended_with(0);
    assert_eq!(level(&Events(said.lines())), 0);
    said.tells(&["the recording is not complete", "kept"]);
}

#[test]
fn a_broken_recording_is_named_and_the_run_goes_on_by_rules() {
    let (scene, _) = recorded();
    for entry in std::fs::read_dir(scene.candor.path("kept")).unwrap() {
        std::fs::write(entry.unwrap().path(), "{\"half\": ").unwrap();
    }
    let (said, events) = replay(scene, "kept");
    said.ended_with(0);
    let reason = outcome(&events, "parse_goal", "give_up")["reason"].as_str().unwrap();
    assert!(reason.contains("kept") && reason.contains(".json"), "{reason}");
    assert_eq!(level(&events), 3);
}
