//! Looking back: report, explain, postmortem, agents, packs.

use serde_json::{Value, json};

use crate::support::{ATTENDED, Candor, PARIS, QUICK, has_keys};

/// A finished run with one failure in it.
fn finished() -> Candor {
    let candor = Candor::with_config(QUICK);
    candor.run(["run", PARIS, "--run-id", "run_1", "--fault", "flight_agent=timeout:1"]).ended_with(0);
    candor
}

#[test]
fn the_report_for_people_draws_the_plan_and_tells_the_story() {
    let candor = finished();
    let said = candor.run(["report", "run_1"]).ended_with(0);
    assert_eq!(said.stderr, "");
    said.shows(&[
        "# Plan a 3-day trip to Paris",
        "## Plan",
        "```mermaid",
        "## Timeline",
        "## Revisions",
        "Retry task task_001 with agent backup_flight_agent",
        "## Confidence over time",
        "## Cost",
        "## Lessons",
    ]);
}

#[test]
fn the_report_for_programs_is_the_documented_one() {
    // spec: planning EN-26 TR-11
    let candor = finished();
    let report = candor.run(["report", "run_1", "--json"]).ended_with(0).json();
    has_keys(&report, &["summary", "tasks", "revisions", "confidence_evolution", "lessons_learned"]);
    assert_eq!(report["tasks"].as_array().unwrap().len(), 5, "one entry per attempt");
    assert_eq!(report["revisions"].as_array().unwrap().len(), 1);
    let scores = report["confidence_evolution"].as_array().unwrap();
    assert!(scores[1]["confidence"].as_f64() < scores[0]["confidence"].as_f64());
}

#[test]
fn a_report_can_be_written_to_a_file() {
    let candor = finished();
    let said = candor.run(["report", "run_1", "-o", "report.md"]).ended_with(0);
    assert_eq!(said.stdout, "");
    assert!(std::fs::read_to_string(candor.path("report.md")).unwrap().starts_with("# Plan a 3-day trip"));
    candor.run(["report", "run_1", "--json", "-o", "report.json"]).ended_with(0);
    let report: Value = serde_json::from_slice(&std::fs::read(candor.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["run_id"], "run_1");
    candor.run(["report", "run_1", "-o", "no/such/report.md"]).refused(&["no/such/report.md"]);
}

#[test]
fn explain_says_why() {
    let candor = finished();
    candor.run(["explain", "run_1"]).ended_with(0).shows(&[
        "Why this plan",
        "Why these agents",
        "backup flight agent",
        "Why the plan changed",
        "Agent timeout",
    ]);
    let why = candor.run(["explain", "run_1", "--json"]).ended_with(0).json();
    has_keys(&why, &["run_id", "tasks", "failures", "decisions"]);
    assert_eq!(why["failures"].as_array().unwrap().len(), 1);
}

#[test]
fn explain_has_a_timeline() {
    let candor = finished();
    let said = candor.run(["explain", "run_1", "--timeline"]).ended_with(0);
    said.shows(&[
        "task_001_retry",
        "failed",
        "done",
        "Guardrails",
        "Evaluation",
        "Consolidation",
        "Goal reached",
    ]);
    let timeline = candor.run(["explain", "run_1", "--timeline", "--json"]).ended_with(0).json();
    let is_attempt = |entry: &&Value| entry["task_id"].is_string();
    let (attempts, way): (Vec<&Value>, Vec<&Value>) =
        timeline.as_array().unwrap().iter().partition(is_attempt);
    let phases = way.iter().filter(|entry| entry["event"] == "phase_completed").count();
    assert_eq!((attempts.len(), phases), (5, 8));
    for attempt in attempts {
        has_keys(attempt, &["task_id", "agent_type", "attempt", "outcome", "started_at", "ended_at"]);
    }
}

#[test]
fn every_change_of_the_plan_is_a_decision_with_its_reasoning() {
    // spec: planning EN-24 TR-07 TR-08 TR-09
    let candor = finished();
    let decisions = |more: &[&str]| {
        let args = [&["explain", "run_1", "--decisions", "--json"], more].concat();
        candor.run(args).ended_with(0).json().as_array().unwrap().clone()
    };
    let replans = decisions(&["--operation", "replan"]);
    assert_eq!(replans.len(), 1);
    let replan = &replans[0];
    has_keys(replan, &["timestamp", "operation", "input", "decision", "reasoning", "confidence", "cost"]);
    has_keys(replan, &["plan_id", "task_id"]);
    assert!(!replan["reasoning"].as_str().unwrap().is_empty());
    assert!(decisions(&["--task", "task_001"]).iter().all(|it| it["task_id"] == "task_001"));
    assert_eq!(decisions(&["--operation", "nothing"]), Vec::<Value>::new());
    candor.run(["explain", "run_1", "--decisions"]).ended_with(0).shows(&["replan", "confidence"]);
}

#[test]
fn explain_can_look_at_one_task() {
    let candor = finished();
    let said = candor.run(["explain", "run_1", "--task", "task_001"]).ended_with(0);
    let said = said.shows(&["Search for round-trip flights", "flight agent", "task_001_retry"]);
    assert!(!said.stdout.contains("Activity search"));
}

#[test]
fn postmortem_names_the_first_cause_and_the_ways_to_go_on() {
    let candor = Candor::with_config(ATTENDED);
    candor.run(["run", PARIS, "--run-id", "run_1", "--fault", "hotel_agent=error"]).ended_with(3);
    candor.run(["answer", "run_1", "abort"]).ended_with(1);
    candor.run(["postmortem", "run_1"]).ended_with(0).shows(&[
        "What happened",
        "Root cause",
        "Hotel search failed: injected error",
        "What was tried",
        "candor restart run_1",
        "candor rollback run_1",
    ]);
    let story = candor.run(["postmortem", "run_1", "--json"]).ended_with(0).json();
    assert_eq!(story["first_cause"]["task_id"], "task_002");
    assert_eq!(story["status"], "aborted");
}

#[test]
fn measured_figures_move_with_the_runs() {
    let candor = Candor::new();
    let hotel = || {
        let agents = candor.run(["agents", "--json"]).ended_with(0).json();
        let found = agents["agents"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["declared"]["agent_type"] == "hotel_agent");
        found.unwrap().clone()
    };
    let before = hotel();
    assert_eq!(before["measured"], Value::Null);
    assert_eq!(before["known"]["avg_latency_ms"], 1200);
    candor.run(["run", PARIS]).ended_with(0);
    let after = hotel();
    assert_eq!((&after["measured"]["attempts"], &after["measured"]["successes"]), (&json!(1), &json!(1)));
    assert!(after["known"]["avg_latency_ms"].as_f64() < before["known"]["avg_latency_ms"].as_f64());
    assert!(after["known"]["success_rate"].as_f64() > before["known"]["success_rate"].as_f64());
    assert_eq!(after["declared"], before["declared"]);
    candor.run(["agents"]).ended_with(0).shows(&["hotel_agent", "attempts"]);
}

#[test]
fn faults_on_purpose_teach_nothing() {
    let candor = finished();
    let agents = candor.run(["agents", "--json"]).json();
    assert!(agents["agents"].as_array().unwrap().iter().all(|agent| agent["measured"].is_null()), "{agents}");
}

#[test]
fn an_agent_has_the_documented_fields() {
    // spec: planning EN-09
    let agents = Candor::new().run(["agents", "--json"]).json();
    for agent in agents["agents"].as_array().unwrap() {
        has_keys(&agent["declared"], &["agent_type", "capabilities", "specialization"]);
        has_keys(&agent["declared"], &["cost_per_invocation", "avg_latency_ms", "success_rate"]);
    }
}

#[test]
fn the_travel_pack_is_there_and_says_that_its_data_is_a_sample() {
    let candor = Candor::new();
    let packs = candor.run(["packs", "--json"]).ended_with(0).json();
    let travel = &packs["packs"][0];
    assert_eq!((&travel["name"], &travel["sample_data"]), (&json!("travel"), &json!(true)));
    assert_eq!(travel["agents"].as_array().unwrap().len(), 6);
    candor.run(["packs"]).ended_with(0).shows(&["travel", "sample data only"]);
}

#[test]
fn logs_show_answers_of_agents_that_wrote_nothing_else() {
    let candor = finished();
    let said = candor.run(["logs", "run_1"]).ended_with(0);
    said.shows(&["task_001 attempt 1", "flight agent", "succeeded after", "answer", "flight_options"]);
}
