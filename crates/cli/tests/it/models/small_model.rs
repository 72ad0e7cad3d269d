//! A real model of 135 million parameters. Nearly everything it says is wrong, and the run must end well.

use std::time::{Duration, Instant};

use candor_testkit::skips::or_skipped;
use candor_testkit::smol::SmolServer;

use crate::models::scene::{Scene, level, spoken_by, tasks};
use crate::support::{Events, PARIS};

/// A scene whose only model is the tiny one.
fn tiny(server: &SmolServer) -> Scene {
    Scene::configured(|_| {
        format!(
            "[limits]\nplanning_timeout = 110\n[models.retry]\nmax_retries = 0\n[models.balanced]\n\
             provider = \"openai_compatible\"\nmodel = \"smollm2\"\nendpoint = \"{}\"\n\
             max_output_tokens = 90\ntimeout = 50\n",
            server.url()
        )
    })
}

#[test]
fn the_worked_example_ends_well_with_a_tiny_model_and_every_degradation_is_told() {
    // spec: orchestrator DG-01 DG-05 DG-12 FD-01; beyond BY-25
    let Some(server) = or_skipped(SmolServer::start()) else { return };
    let scene = tiny(&server);
    let began = Instant::now();
    let said = scene.run(&["run", PARIS, "--json", "--run-id", "run_1"]).ended_with(0);
    assert!(began.elapsed() < Duration::from_secs(170), "{:?}", began.elapsed());
    let events = Events(said.lines());
    events.only("run_completed");
    assert!(!tasks(&events).is_empty());
    let by_rules = ["evaluation", "decomposition", "planning"]
        .into_iter()
        .filter(|phase| spoken_by(&events, phase) == "heuristic")
        .count();
    println!("{by_rules} of 3 phases by rules in {:.1} s", began.elapsed().as_secs_f64());
    assert_eq!(events.all("phase_degraded").len(), by_rules, "each is told");
    let expected = match by_rules {
        0 => 0,
        1 => 2,
        _ => 3,
    };
    assert_eq!(level(&events), expected);
    let report = scene.run(&["report", "run_1"]).ended_with(0);
    for event in events.all("phase_degraded") {
        let phase = event["phase"].as_str().unwrap();
        assert!(report.stdout.to_lowercase().contains(phase), "no {phase} in {}", report.stdout);
    }
}

#[test]
fn agents_for_any_goal_with_a_tiny_model_may_fail_and_the_end_is_told_truthfully() {
    // spec: findings GL-02 HE-01
    let Some(server) = or_skipped(SmolServer::start()) else { return };
    let scene = tiny(&server);
    let goal = "Write two sentences about beekeeping for beginners";
    let said = scene.run(&["run", goal, "--json", "--unattended", "--run-id", "run_1"]);
    let status = scene.run(&["status", "run_1", "--json"]).ended_with(0).json();
    let events = Events(said.lines());
    let roster = ["researcher", "analyst", "coder", "writer", "reviewer", "direct_response"];
    for event in events.all("task_dispatched") {
        let agent = event["agent_type"].as_str().unwrap();
        assert!(roster.contains(&agent), "{agent}");
    }
    let (verdict, code) = (status["verdict"].as_str().unwrap_or_default(), said.code);
    let succeeded = events.all("task_succeeded").len();
    println!("{succeeded} tasks succeeded, exit code {code}, {verdict}");
    match code {
        0 => assert!(["verified", "unverified"].contains(&verdict) && succeeded > 0, "{status}"),
        1 => assert!(verdict == "not_met" && !said.stderr.is_empty(), "{status} {}", said.stderr),
        other => panic!("nobody is there to be waited for: {other} {}", said.stderr),
    }
}
