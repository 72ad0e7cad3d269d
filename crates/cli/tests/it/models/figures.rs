//! Figures of an installation: key figures, alerts, spending, traces. Each is compared with what the events say.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene};
use crate::support::PARIS;

/// The pack's agents, quick to give up, with models and somebody whose name is on the runs.
const CONFIG: &str = "[project]\nname = \"trips\"\n[packs]\nagents = true\n";

/// A few runs: some go well, some have to try again, one fails. Returns all their events.
fn several(scene: &Scene) -> String {
    let mut events = String::new();
    for nth in 0..6 {
        let name = format!("run_{nth}");
        let mut args = vec!["run", PARIS, "--json", "--run-id", &name, "--user", "ada"];
        if nth % 3 == 1 {
            args.extend(["--fault", "flight_agent=error:1"]);
        }
        events += &scene.run(&args).stdout;
    }
    events
}

/// What the independent computation makes of events.
fn computed(events: &str) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/models/figures.py");
    let mut python =
        Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    python.stdin.take().unwrap().write_all(events.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn key_figures_equal_an_independent_computation_and_alerts_are_raised_once() {
    // spec: orchestrator KP-01 KP-02 KP-04 KP-05 KP-09 KP-10 KP-11
    let rule = "[[kpi.alerts]]\nname = \"any_call\"\nwhen = \"p50 >= 0 ms\"\nseverity = \"error\"\n";
    let scene = Scene::with(&format!("{EASY}{CONFIG}{rule}"), "");
    let expected = computed(&several(&scene));
    let shown = scene.run(&["metrics", "--kpi", "--json", "--since", "1h"]).ended_with(0).json();
    let kpis = shown["report"]["kpis"].as_array().unwrap();
    assert!(kpis.len() >= 18, "{}", kpis.len());
    for (name, expected) in expected.as_object().unwrap() {
        let kpi = kpis.iter().find(|kpi| kpi["name"] == **name).unwrap();
        match expected.as_f64() {
            None => assert_eq!(kpi["value"], Value::Null, "{name}"),
            Some(expected) => {
                let value = kpi["value"].as_f64().unwrap_or_else(|| panic!("{name} has no value"));
                assert!(
                    (value - expected).abs() <= 1e-3 * expected.abs().max(1e-3),
                    "{name}: {value} {expected}"
                );
            }
        }
    }
    assert!(expected["retryRate"].as_f64().unwrap() > 0.0 && expected["costPerTask"].as_f64().unwrap() > 0.0);
    for _ in 0..3 {
        let alerts = scene.run(&["alerts", "--json"]).ended_with(1).json();
        assert_eq!(alerts["active"].as_array().unwrap().len(), 1, "{alerts}");
    }
    let all = scene.run(&["alerts", "--all", "--json"]).ended_with(1).json();
    assert_eq!(all["history"].as_array().unwrap().len(), 1, "{all}");
    let text = scene.run(&["metrics", "--prometheus"]).ended_with(0).stdout;
    assert!(text.contains("candor_kpi_seconds{kpi=\"p95\",group=\"latency\"} "), "{text}");
    assert!(text.contains("candor_alert_active{name=\"any_call\",severity=\"error\"} 1"), "{text}");
}

#[test]
fn money_adds_up_by_model_phase_and_task_and_outlives_runs_that_are_removed() {
    // spec: orchestrator DB-11 DB-09 SF-01
    let scene = Scene::with(&format!("{EASY}{CONFIG}"), "");
    let events = scene.run(&["run", PARIS, "--json", "--run-id", "run_1", "--user", "ada"]).ended_with(0);
    let charged = events.lines().into_iter().filter(|event| event["event"] == "charged");
    let charged: f64 = charged.map(|event| event["amount"].as_f64().unwrap()).sum();
    let cost = scene.run(&["cost", "run_1", "--json"]).ended_with(0).json();
    let sum = |list: &str| -> f64 {
        cost[list].as_array().unwrap().iter().map(|row| row["cost"].as_f64().unwrap()).sum()
    };
    assert!(charged > 0.0);
    for sum in [sum("by_model"), sum("by_phase"), sum("by_task"), cost["total"]["cost"].as_f64().unwrap()] {
        assert!((sum - charged).abs() < 1e-9, "{sum} {charged}");
    }
    let all = scene.run(&["cost", "--json"]).ended_with(0).json();
    assert_eq!(all["by_user"][0]["name"], "ada");
    assert_eq!(all["by_project"][0]["name"], "trips");
    scene.run(&["prune", "--older-than", "0h"]).ended_with(0);
    let kept = scene.run(&["cost", "--json"]).ended_with(0).json();
    assert_eq!((&kept["total"], &kept["runs"]), (&all["total"], &all["runs"]), "figures outlive the log");
    assert_eq!(scene.run(&["list", "--json"]).json(), serde_json::json!([]));
    let tokens = scene.run(&["tokens"]).ended_with(0).stdout;
    assert!(tokens.contains("openai_compatible/") && tokens.contains("evaluation"), "{tokens}");
}

#[test]
fn nothing_is_shown_as_nothing_where_there_is_no_data() {
    // spec: orchestrator KP-10 DB-09
    let scene = Scene::with(EASY, "");
    let text = scene.run(&["metrics", "--kpi"]).ended_with(0).stdout;
    let p95 = text.lines().find(|line| line.trim_start().starts_with("p95 ")).unwrap();
    assert!(p95.contains('–') && !p95.contains('✓') && !p95.contains('✗'), "{p95}");
    scene.run(&["alerts"]).ended_with(0);
    assert!(scene.run(&["cost"]).ended_with(0).stdout.contains("No runs"));
    let config = "[kpi.targets]\nretriRate = \"< 5%\"\n";
    Scene::with(config, "").run(&["metrics", "--kpi"]).refused(&["kpi.targets", "retriRate", "retryRate"]);
    let config = "[[kpi.alerts]]\nname = \"x\"\nwhen = \"speed > 3\"\n";
    Scene::with(config, "").run(&["alerts"]).refused(&["speed"]);
}

#[test]
fn the_dashboard_says_what_the_other_commands_say() {
    // spec: orchestrator DB-01 DB-02 DB-03 DB-04 DB-05 DB-06 DB-10
    let scene = Scene::with(&format!("{EASY}{CONFIG}"), "");
    scene.run(&["run", PARIS, "--json", "--run-id", "run_1"]).ended_with(0);
    let board = scene.run(&["dashboard", "--json"]).ended_with(0).json();
    let cost = scene.run(&["cost", "run_1", "--json"]).ended_with(0).json();
    let phases = board["run"]["phases"].as_array().unwrap();
    let sum: f64 = phases.iter().map(|phase| phase["cost"].as_f64().unwrap()).sum();
    assert_eq!(phases.len(), 8);
    assert!(phases.iter().all(|phase| phase["status"] == "complete" || phase["status"] == "degraded"));
    assert!((sum - cost["total"]["cost"].as_f64().unwrap()).abs() < 1e-9 && sum > 0.0, "{sum}");
    let tiles: Vec<&str> =
        board["run"]["tiles"].as_array().unwrap().iter().map(|tile| tile["name"].as_str().unwrap()).collect();
    assert_eq!(tiles, ["tokens", "latency", "cost"]);
    let kpis = scene.run(&["metrics", "--kpi", "--json"]).ended_with(0).json();
    let names = |value: &Value| -> Vec<(Value, Value)> {
        let kpis = value.as_array().unwrap().iter();
        kpis.map(|kpi| (kpi["name"].clone(), kpi["samples"].clone())).collect()
    };
    assert_eq!(names(&board["kpis"]["kpis"]), names(&kpis["report"]["kpis"]));
    let text = scene.run(&["dashboard", "run_1"]).ended_with(0).stdout;
    for word in ["✓ 0 Pre-analysis", "✓ 7 Consolidation", "tokens", "no limit", "phase-1-parse_goal"] {
        assert!(text.contains(word), "no {word} in:\n{text}");
    }
    // spec: orchestrator DB-07 DB-08
    let summary = &board["summary"];
    let by_model = summary["byModel"].as_object().unwrap().values();
    let charged: f64 = by_model.map(|model| model["cost"].as_f64().unwrap()).sum();
    assert!((charged - summary["totalCost"].as_f64().unwrap()).abs() < 1e-9 && (charged - sum).abs() < 1e-9);
    assert_eq!((&summary["tasksCompleted"], summary["byPhase"].as_object().unwrap().len()), (&json!(1), 8));
    let kinds = board["efficiency"]["types"].as_array().unwrap();
    assert_eq!(kinds.len(), usize::try_from(board["efficiency"]["judged"].as_u64().unwrap()).unwrap());
    assert!(
        text.contains("Completed 1 of 1: ") && text.contains("\nEfficiency") != kinds.is_empty(),
        "{text}"
    );
    let empty = Scene::with(EASY, "").run(&["dashboard"]).ended_with(0).stdout;
    assert!(empty.contains("No runs yet"), "{empty}");
}
