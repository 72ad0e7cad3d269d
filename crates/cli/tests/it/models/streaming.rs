//! A model's words as they come: on the stream of events, and never on the log.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use serde_json::Value;

use crate::models::scene::{Scene, sensible, step_of};
use crate::support::{Events, PARIS};

#[test]
fn words_are_told_while_the_model_speaks_and_before_its_answer() {
    let scene = Scene::new();
    scene.server.route(|seen| sensible(seen).part_every(Duration::from_millis(5)));
    let events = scene.paris();
    let words = events.all("words");
    assert!(words.len() > 6, "{}", words.len());
    let said: String = words
        .iter()
        .filter(|event| event["ask"]["step"] == "decompose_task")
        .map(|event| event["words"].as_str().unwrap())
        .collect();
    let answers = events.all("model_consulted");
    assert_eq!(said, answers[1]["step"]["call"]["answer"]);
    let first = events.position(|event| event["event"] == "words");
    let answered = events.position(|event| event["event"] == "model_consulted");
    assert!(first < answered);
    assert!(scene.server.seen().iter().all(|seen| seen.wants_stream()));
}

#[test]
fn a_reader_hears_the_first_word_long_before_the_last() {
    let scene = Scene::new();
    scene.server.route(|seen| {
        let pace =
            if step_of(seen) == "decompose_task" { Duration::from_millis(200) } else { Duration::ZERO };
        sensible(seen).part_every(pace)
    });
    let mut child = scene.start(&["run", PARIS, "--json"]);
    let mut heard = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let of_step = |event: &Value| event["ask"]["step"] == "decompose_task";
        if event["event"] == "words" && of_step(&event) {
            heard += 1;
        }
        if heard == 2 || (event["event"] == "model_consulted" && of_step(&event)) {
            break;
        }
    }
    assert_eq!(heard, 2, "words come before the answer is complete");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn words_are_not_part_of_the_durable_log() {
    let scene = Scene::new();
    let live = scene.paris();
    assert!(!live.all("words").is_empty());
    let kept = scene.run(&["watch", "run_1", "--json"]).ended_with(0);
    let kept = Events(kept.lines());
    assert!(kept.all("words").is_empty());
    let durable: Vec<_> = live.0.iter().filter(|event| !event["position"].is_null()).collect();
    assert_eq!(durable.len(), kept.0.len());
    assert!(live.all("words").iter().all(|event| event["position"].is_null()));
}

#[test]
fn plain_lines_have_no_half_words() {
    let said = Scene::new().plain_paris();
    assert!(!said.stdout.contains("\"tasks\""), "{}", said.stdout);
}
