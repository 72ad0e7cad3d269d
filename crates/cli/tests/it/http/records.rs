//! Records of runs by their documented names, what people think of runs, and what the API shows beside the commands.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::Server;
use super::mcp::token;
use crate::support::{Candor, GENERAL, until};

fn plan(words: &str) -> Value {
    let task = |name: &str| json!({"task_id": name, "description": words, "agent_type": "collector"});
    json!({"subtasks": [task("t1"), task("t2")]})
}

fn run(candor: &Candor, name: &str) {
    candor.write("plan.json", plan("Label the jars").to_string());
    candor.run(["run", "--plan", "plan.json", "--unattended", "--yes", "--run-id", name]).ended_with(0);
}

#[test]
fn the_records_of_a_run_are_written_by_their_names_and_are_the_same_in_the_next_process() {
    // spec: orchestrator SF-01
    let candor = Candor::with_config(GENERAL);
    run(&candor, "run_1");
    run(&candor, "run_2");
    let export = || candor.run(["export", "state", "run_2"]).ended_with(0).json();
    let records: BTreeMap<String, String> = serde_json::from_value(export()).unwrap();
    assert_eq!(json!(records), export(), "made from the log, each time the same");
    let read = |name: &str| -> Value { serde_json::from_str(&records[name]).unwrap() };
    assert_eq!(
        (&read("workflow_state.json")["run_id"], &read("workflow_state.json")["status"]),
        (&json!("run_2"), &json!("completed"))
    );
    for phase in 0..8 {
        let snapshot = read(&format!("phase_snapshots/phase_{phase}_complete.json"));
        assert!(snapshot.is_object(), "{phase}: {snapshot}");
    }
    assert!(!read("rollback_points.json").as_array().unwrap().is_empty());
    let lines = |name: &str| -> Vec<Value> {
        records[name].lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert!(lines("prompt_history.jsonl")[0]["prompt"].is_string());
    let sessions = lines("session_history.jsonl");
    let runs: Vec<&Value> = sessions.iter().map(|line| &line["run"]).collect();
    assert_eq!(runs, ["run_1", "run_2"], "one line per run, the oldest first");
    assert_eq!(read("phase_metrics.json")["evaluationCriteria"].as_object().unwrap().len(), 8);
    let calibration = read("complexity_calibration.json");
    assert!(
        calibration
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["predicted"].is_number() && it["actual"].is_number())
    );
    let metrics = read("metrics/run_2.json");
    assert_eq!(
        (metrics["phases"].as_array().unwrap().len(), &metrics["totals"]["agentsExecuted"]),
        (8, &json!(2))
    );
    assert_eq!(read("metrics_summary.json")["tasksCompleted"], 2);
    assert_eq!(read("cost_tracking.json"), candor.run(["cost", "--json"]).json());
    candor.run(["export", "state", "run_2", "-o", "records"]).ended_with(0);
    for (name, text) in &records {
        assert_eq!(std::fs::read_to_string(candor.path("records").join(name)).unwrap(), *text, "{name}");
    }
}

#[test]
fn every_command_of_figures_says_something_on_a_seeded_store_and_on_an_empty_one() {
    // spec: orchestrator CM-02 DB-09
    let (seeded, empty) = (Candor::with_config(GENERAL), Candor::with_config(GENERAL));
    run(&seeded, "run_1");
    let commands: [(&[&str], &str, &str); 6] = [
        (&["dashboard"], "run_1", "No runs yet"),
        (&["metrics"], "execution", "No runs yet"),
        (&["metrics", "--all"], "run_1", "No runs yet"),
        (&["cost"], "spent by 1 run", "No runs"),
        (&["tokens"], "by 1 run", "No runs"),
        (&["alerts"], "No active alerts", "No active alerts"),
    ];
    for (command, with_data, without) in commands {
        seeded.run(command).ended_with(0).shows(&[with_data]);
        empty.run(command).ended_with(0).shows(&[without]);
    }
}

#[test]
fn what_people_think_of_a_run_is_on_record_and_a_score_of_its_trace() {
    // spec: orchestrator OB-06
    let candor = Candor::with_config(GENERAL);
    run(&candor, "run_1");
    let score = || -> Option<Value> {
        let trace = candor.run(["trace", "run_1", "--json"]).ended_with(0).json();
        let scores = trace["scores"].as_array().unwrap().clone();
        scores
            .into_iter()
            .find(|score| score["name"] == "user_satisfaction")
            .map(|score| score["value"].clone())
    };
    assert_eq!(score(), None, "nobody said anything yet");
    candor.run(["feedback", "run_1", "2", "--text", "labels upside down"]).ended_with(0).shows(&["rated 2"]);
    assert_eq!(score(), Some(json!(0.25)));
    candor.run(["feedback", "run_1", "6"]).refused(&["6"]);
    candor.run(["feedback", "run_9", "3"]).refused(&["run_9"]);
    let server = Server::start(&candor);
    let reader = format!("Bearer {}", token(&candor, "ana", "read"));
    let path = "/api/v1/runs/run_1/feedback";
    server
        .send_with("POST", path, &[("Authorization", &reader)], Some(&json!({"rating": 5})))
        .refused(403, "forbidden");
    assert_eq!(server.post(path, json!({"rating": 5})).ended_with(202).json()["by"], "local");
    assert_eq!(server.post(path, json!({"rating": 0})).status / 100, 4);
    assert_eq!(score(), Some(json!(1.0)), "the last word counts");
    let audit = server.get("/api/v1/audit").json();
    assert_eq!(
        (&audit["entries"][0]["action"], &audit["entries"][0]["detail"]),
        (&json!("rate"), &json!("5"))
    );
}

#[test]
fn the_dashboard_of_the_api_is_the_one_of_the_command() {
    // spec: orchestrator DB-10
    let candor = Candor::with_config(GENERAL);
    run(&candor, "run_1");
    run(&candor, "run_2");
    let server = Server::start(&candor);
    for (path, words) in [
        ("/api/v1/dashboard", vec!["dashboard", "--json"]),
        ("/api/v1/runs/run_1/dashboard", vec!["dashboard", "run_1", "--json"]),
    ] {
        let (mut shown, mut told) =
            (server.get(path).ended_with(200).json(), candor.run(words).ended_with(0).json());
        // The window ends when somebody looks.
        for board in [&mut shown, &mut told] {
            board["kpis"]["window"].take();
            board["summary"]["period"].take();
        }
        assert_eq!(shown, told);
    }
    server.get("/api/v1/runs/run_9/dashboard").refused(404, "not-found");
}

#[test]
fn a_plan_is_changed_over_the_api_shown_as_a_difference_and_run_as_adjusted() {
    let candor = Candor::with_config(&format!("[limits]\napproval = \"always\"\n{GENERAL}"));
    let server = Server::start(&candor);
    let run = server.run(json!({"plan": plan("Label the jars")}));
    let asked = || {
        until("it asks", || server.get("/api/v1/questions").json()["questions"][0]["digest"].is_string());
        server.get("/api/v1/questions").json()["questions"][0].clone()
    };
    let answer = |question: &Value, mut body: Value| {
        body["digest"] = question["digest"].clone();
        let gate = question["gate"].as_str().unwrap();
        server.post(&format!("/api/v1/runs/{run}/questions/{gate}"), body).ended_with(202);
    };
    let first = asked();
    answer(
        &first,
        json!({"decision": "modify", "changes": [{"task_id": "t2", "field": "priority", "value": 9}]}),
    );
    until("the changed plan is shown", || {
        let next = server.get("/api/v1/questions").json()["questions"][0]["digest"].clone();
        next.is_string() && next != first["digest"]
    });
    let diff = server.get(&format!("/api/v1/runs/{run}/plans/diff?from=1&to=2")).ended_with(200);
    assert!(
        diff.body.contains("t2") && diff.body.contains("priority") && diff.body.contains('9'),
        "{diff:?}"
    );
    answer(
        &asked(),
        json!({"decision": "adjust", "changes": [{"task_id": "t1", "field": "priority", "value": 2}]}),
    );
    server.wait_for(&run, "completed");
    let plans = server.get(&format!("/api/v1/runs/{run}/plans")).ended_with(200).json();
    let last = plans["plans"].as_array().unwrap_or_else(|| panic!("{plans}")).last().unwrap().clone();
    assert!(last.to_string().contains("\"priority\":2"), "{plans}");
    let trace = server.get(&format!("/api/v1/runs/{run}/trace")).ended_with(200).json();
    let kinds: Vec<&Value> = trace["spans"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|span| span["name"] == "user_interaction")
        .map(|span| &span["metadata"]["type"])
        .collect();
    // spec: orchestrator OB-05
    assert_eq!(kinds, ["modify", "modify"]);
    let planning = trace["spans"].as_array().unwrap().iter().find(|span| span["name"] == "phase_4_planning");
    let facts = &planning.unwrap()["metadata"];
    // spec: orchestrator OB-03
    assert_eq!((&facts["user_iterations"], &facts["approved"]), (&json!(2), &json!(true)), "{facts}");
    // spec: orchestrator OB-09
    assert_eq!(facts["plan_version"], plans["plans"].as_array().unwrap().len());
    let other = server.run(json!({"plan": plan("Label the jars")}));
    let question = asked();
    let gate = question["gate"].as_str().unwrap();
    let approval = json!({"decision": "approve", "digest": question["digest"]});
    server.post(&format!("/api/v1/runs/{other}/questions/{gate}"), approval).ended_with(202);
    server.wait_for(&other, "completed");
    let planning = &server.get("/api/v1/metrics").ended_with(200).json()["reports"]["planning"];
    let most = facts["plan_version"].as_f64().unwrap();
    let expected = json!({"runs": 2, "averageVersion": (most + 1.0) / 2.0, "maximumVersion": most as u64});
    assert_eq!(planning, &expected);
}
