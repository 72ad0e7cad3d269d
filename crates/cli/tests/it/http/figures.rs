//! Figures, alerts, money, traces and artifacts over the API: the same as by the commands. And the audit.

use std::io::Write;
use std::process::{Command, Stdio};

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, GENERAL, Said, has_keys, until};

const ALERT: &str = "[[kpi.alerts]]\nname = \"someone_worked\"\nwhen = \"depth > 0\"\n";

fn plan() -> Value {
    let task = |n: u32| json!({"task_id": format!("t{n}"), "description": "Count the hives", "agent_type": "counter"});
    json!({"plan": {"subtasks": [task(1), task(2)]}, "unattended": true})
}

fn counter() -> String {
    let script =
        "cat > /dev/null; echo '{\"outputs\":{\"hives\":7,\"note\":\"<b>seven</b>\"},\"cost\":0.25}'";
    format!(
        "[[agents]]\nagent_type = \"counter\"\nspecialization = \"Counts\"\ncommand = [\"sh\", \"-c\", {}]\n",
        json!(script)
    )
}

#[test]
fn figures_alerts_money_and_traces_are_the_same_as_by_the_commands() {
    // spec: orchestrator DB-10 DB-11 OB-14
    let candor = Candor::with_config(&format!("{}{ALERT}", counter()));
    let server = Server::start(&candor);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    until("its outcome is kept", || server.get(&format!("/api/v1/runs/{run}")).json()["driver"] == "nobody");
    let get = |path: &str| server.get(path).ended_with(200).json();
    let told = |words: &[&str]| {
        let said = candor.run(words);
        assert!(said.code <= 1, "{said:?}");
        said.json()
    };
    let kpis = get("/api/v1/kpis?since=7d");
    assert_eq!(
        kpis["report"]["kpis"],
        told(&["metrics", "--kpi", "--since", "7d", "--json"])["report"]["kpis"]
    );
    let alerts = get("/api/v1/alerts?all=true");
    assert_eq!(alerts["active"][0]["name"], "someone_worked");
    assert_eq!(alerts, told(&["alerts", "--all", "--json"]));
    assert_eq!(get("/api/v1/alerts"), told(&["alerts", "--json"]));
    let metrics = get("/api/v1/metrics?all=true");
    assert_eq!(metrics, told(&["metrics", "--all", "--json"]));
    assert_eq!((&metrics["runs"], &metrics["lastRun"]["taskId"]), (&json!(1), &json!(run)));
    assert_eq!(get("/api/v1/metrics?since=1h")["runs"], 1);
    let cost = get("/api/v1/cost");
    assert_eq!(cost, told(&["cost", "--json"]));
    assert_eq!(get(&format!("/api/v1/runs/{run}/trace")), told(&["trace", &run, "--json"]));
    let board = told(&["dashboard", "--json"]);
    let summary = get("/api/v1/summary");
    for key in ["tasksCompleted", "totalTokens", "totalCost", "byModel", "byPhase", "avgDuration"] {
        assert_eq!(summary[key], board["summary"][key], "{key}");
    }
    assert_eq!(summary["tasksCompleted"], 1);
    assert_eq!(summary["totalCost"], cost["total"]["cost"]);
    assert_eq!(get("/api/v1/efficiency"), board["efficiency"]);
    for wrong in [
        "/api/v1/kpis?since=soon",
        "/api/v1/cost?since=5",
        "/api/v1/alerts?al=true",
        "/api/v1/metrics?since=x",
    ] {
        server.get(wrong).refused(400, "bad-request");
    }
}

#[test]
fn prometheus_reads_the_metrics_with_a_token_and_not_without() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let metrics = server.get("/metrics").ended_with(200);
    assert!(metrics.headers.contains("content-type: text/plain; version=0.0.4"), "{metrics:?}");
    assert!(metrics.body.contains("# TYPE candor_"), "{metrics:?}");
    server.send_with("GET", "/metrics", &[], None).refused(401, "unauthorized");
}

/// Runs promtool with these words and this text.
fn promtool(words: &[&str], text: &str) -> Option<Said> {
    let program = or_skipped(Peers::find().and_then(|peers| peers.promtool()))?;
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/prometheus");
    let mut command = Command::new(program);
    command
        .args(words)
        .current_dir(rules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Some(Said::of(child.wait_with_output().unwrap()))
}

#[test]
fn promtool_accepts_the_live_metrics_and_the_rules_that_are_shipped() {
    // spec: orchestrator KP-06
    let candor = Candor::with_config(&format!("{}{ALERT}", counter()));
    let server = Server::start(&candor);
    for _ in 0..6 {
        let run = server.run(plan());
        server.wait_for(&run, "completed");
    }
    until("the alert is on record", || server.get("/metrics").body.contains("candor_alert_active{"));
    let metrics = server.get("/metrics").ended_with(200).body;
    assert!(
        metrics.contains("candor_kpi_ratio{kpi=\"taskCompletionRate\",group=\"quality\"} 1"),
        "{metrics}"
    );
    let Some(checked) = promtool(&["check", "metrics"], &metrics) else { return };
    assert_eq!((checked.code, checked.stderr.as_str()), (0, ""), "nothing to complain of: {checked:?}");
    let broken = metrics.replace("# TYPE candor_runs gauge", "# TYPE candor_runs nonsense");
    assert_ne!(promtool(&["check", "metrics"], &broken).unwrap().code, 0, "promtool looks");
    let rules = promtool(&["check", "rules", "candor.rules.yml"], "").unwrap();
    assert!(rules.code == 0 && rules.stdout.contains("5 rules found"), "{rules:?}");
    let tested = promtool(&["test", "rules", "candor.rules.test.yml"], "").unwrap();
    assert!(tested.code == 0 && tested.stdout.contains("SUCCESS"), "{tested:?}");
}

#[test]
fn what_a_run_produced_is_listed_and_given_out_one_by_one() {
    let candor = Candor::with_config(&counter());
    let server = Server::start(&candor);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    let listed = server.get(&format!("/api/v1/runs/{run}/artifacts")).ended_with(200).json();
    let all = listed["artifacts"].as_array().unwrap();
    let of = |task: &str, name: &str| {
        all.iter()
            .find(|it| it["task_id"] == task && it["name"] == name)
            .unwrap_or_else(|| panic!("{listed}"))
    };
    has_keys(of("t1", "hives"), &["artifact_id", "bytes", "media_type", "name", "task", "task_id"]);
    assert_eq!(of("t2", "note")["media_type"], "text/plain");
    let id = of("t2", "note")["artifact_id"].as_str().unwrap();
    let one = server.get(&format!("/api/v1/runs/{run}/artifacts/{id}")).ended_with(200);
    assert!(one.headers.contains("content-type: application/json"), "never a page: {one:?}");
    assert_eq!(one.json()["content"], "<b>seven</b>");
    server.get(&format!("/api/v1/runs/{run}/artifacts/nothing")).refused(404, "not-found");
}

#[test]
fn the_audit_of_an_earlier_version_is_taken_over_once() {
    let candor = Candor::with_config(GENERAL);
    std::fs::create_dir_all(candor.path("data")).unwrap();
    let old = json!({"at": "2026-01-02T03:04:05Z", "actor": "ana", "action": "cancel", "run_id": "run_1", "detail": "rain"});
    candor.write("data/audit.jsonl", format!("{old}\n"));
    for _ in 0..2 {
        let server = Server::start(&candor);
        let run = server.run(json!({"goal": "Count the bees", "unattended": true}));
        until("the start is noted", || {
            server.get("/api/v1/audit").json()["entries"][0]["run_id"] == run.as_str()
        });
        let entries = server.get("/api/v1/audit").json()["entries"].as_array().unwrap().clone();
        assert_eq!(entries.iter().filter(|entry| **entry == old).count(), 1, "{entries:?}");
        server.kill();
    }
    assert!(!candor.path("data/audit.jsonl").exists());
}

#[test]
fn pages_show_figures_that_lead_to_their_runs() {
    // spec: orchestrator DB-05 DB-07 DB-10
    let candor = Candor::with_config(&format!("{}{ALERT}", counter()));
    let server = Server::start(&candor);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    let page = |path: &str| server.get(path).ended_with(200).body;
    let kpis = page("/kpis");
    assert_eq!(kpis.matches("class=\"tile\"").count(), 27, "every figure");
    assert!(page("/kpis/depth").contains(&format!("href=\"/runs/{run}\"")));
    let cost = page("/cost");
    assert!(cost.contains(&format!("href=\"/runs/{run}\"")) && cost.contains("$0.50"), "{cost}");
    assert!(page("/alerts").contains("href=\"/kpis/depth\""));
    assert!(page("/schedules").contains("[[schedules]]"));
    server.get("/kpis/nonsense").ended_with(404);
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Authorization", bearer.as_str()), ("Accept-Language", "es-ES")];
    let spanish = server.send_with("GET", "/kpis", &headers, None);
    assert!(spanish.body.contains("Indicadores") && spanish.body.contains("Latencia P95"), "{spanish:?}");
}
