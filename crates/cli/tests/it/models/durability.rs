//! `kill -9` in the middle of a call: what was answered is never asked again.

use std::time::Duration;

use serde_json::json;

use crate::models::scene::{EASY, Scene, level, sensible, spoken_by, step_of, steps};
use crate::support::{Events, PARIS, until};

#[test]
fn a_run_that_is_killed_during_a_call_never_asks_again_for_what_was_answered() {
    // spec: beyond BY-01 BY-12
    let scene = Scene::new();
    scene.server.route(|seen| match step_of(seen) {
        "decompose_task" => sensible(seen).after(Duration::from_secs(60)),
        _ => sensible(seen),
    });
    let mut child = scene.start_unheard(&["run", PARIS, "--json", "--run-id", "run_1"]);
    until("the second question is put", || !scene.asked("decompose_task").is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    scene.server.route(sensible);
    let said = scene.run(&["resume", "run_1", "--json"]).ended_with(0);
    let events = Events(said.lines());
    events.only("run_completed");
    let asked = ["parse_goal", "decompose_task", "plan"].map(|step| scene.asked(step).len());
    assert_eq!(asked, [1, 2, 1]);
    assert_eq!(steps(&events, "decompose_task"), ["repeat", "accepted"]);
    let lost = events.all("model_consulted")[0]["step"]["rung"]["repeat"]["reason"].clone();
    assert!(lost.as_str().unwrap().contains("may have been paid"), "{lost}");
    assert_eq!((level(&events), spoken_by(&events, "decomposition")), (0, "model"));
}

#[test]
fn a_run_that_is_killed_again_and_again_never_overdraws_its_budget() {
    // spec: beyond BY-06 BY-28
    let limits = EASY.replace("planning_budget = 1.0", "planning_budget = 0.03");
    let scene = Scene::with(&limits, "");
    scene.server.route(|seen| sensible(seen).after(Duration::from_secs(60)));
    let mut child = scene.start_unheard(&["run", PARIS, "--json", "--run-id", "run_1"]);
    let mut kills = 0;
    // Each lost call may have been paid, so that the money for another one runs out.
    loop {
        let before = scene.server.seen().len();
        let mut ended = false;
        until("a call is made or none is", || {
            ended = child.try_wait().unwrap().is_some();
            ended || scene.server.seen().len() > kills.max(before)
        });
        if ended {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert!(kills < 20, "the money must run out");
        child = scene.start_unheard(&["resume", "run_1", "--json"]);
    }
    assert!(kills >= 2, "{kills}");
    let report = scene.run(&["report", "run_1", "--json"]).ended_with(0).json();
    assert_eq!(report["status"], json!("completed"), "{report}");
    assert_eq!(scene.server.seen().len(), kills);
}

#[test]
fn a_run_that_is_interrupted_during_a_call_stops_at_once_and_can_go_on() {
    let scene = Scene::new();
    scene.server.route(|seen| sensible(seen).after(Duration::from_secs(60)));
    let mut child = scene.start_unheard(&["run", PARIS, "--json", "--run-id", "run_1"]);
    until("a question is put", || !scene.server.seen().is_empty());
    interrupt(child.id());
    let mut code = None;
    until("it has ended", || {
        code = child.try_wait().unwrap();
        code.is_some()
    });
    assert_eq!(code.and_then(|status| status.code()), Some(130));
    scene.server.route(sensible);
    scene.run(&["resume", "run_1", "--json"]).ended_with(0);
}

/// Presses Ctrl-C for a process.
fn interrupt(pid: u32) {
    let sent = std::process::Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}
