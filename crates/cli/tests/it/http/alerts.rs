//! Alerts of a server: judged by itself, acknowledged by whoever may answer, and told to whoever asked for it.

use serde_json::{Value, json};

use super::client::Server;
use super::mcp::token;
use crate::support::{Candor, GENERAL, until};

const ALERT: &str = "[[kpi.alerts]]\nname = \"someone_worked\"\nwhen = \"depth > 0\"\n";

fn plan() -> Value {
    let task = json!({"task_id": "t1", "description": "Sort the seeds", "agent_type": "collector"});
    json!({"plan": {"subtasks": [task]}, "unattended": true})
}

/// The active alerts on record. Figures of another window are only looked at: this judges nothing.
fn on_record(server: &Server) -> Vec<Value> {
    server.get("/api/v1/kpis?since=7d").ended_with(200).json()["alerts"].as_array().unwrap().clone()
}

#[test]
fn a_server_judges_alerts_although_nobody_looks_and_nobody_is_told() {
    // spec: orchestrator KP-11
    let candor = Candor::with_config(&format!("{GENERAL}{ALERT}"));
    let server = Server::start(&candor);
    assert_eq!(on_record(&server), [] as [Value; 0]);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    until("the alert is on record", || !on_record(&server).is_empty());
    let raised = on_record(&server).remove(0);
    assert_eq!((&raised["name"], &raised["severity"]), (&json!("someone_worked"), &json!("warning")));
    assert_eq!(raised["level"], raised["severity"]);
    let next = server.run(plan());
    server.wait_for(&next, "completed");
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    let all = server.get("/api/v1/alerts?all=true").json();
    assert_eq!(all["history"].as_array().unwrap().len(), 1, "raised once: {all}");
}

#[test]
fn an_alert_is_acknowledged_over_the_api_by_the_page_and_by_the_command() {
    // spec: orchestrator SX-07 KP-07
    let more = "[[kpi.alerts]]\nname = \"any_run\"\nwhen = \"fanOut > 0\"\nseverity = \"critical\"\n";
    let third = "[[kpi.alerts]]\nname = \"deep\"\nwhen = \"averageDepth >= 0\"\n";
    let candor = Candor::with_config(&format!("{GENERAL}{ALERT}{more}{third}"));
    let server = Server::start(&candor);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    until("both alerts are on record", || on_record(&server).len() >= 2);
    let (bo, eve) = (token(&candor, "bo", "answer"), token(&candor, "eve", "read"));
    let as_of = |token: &str| format!("Bearer {token}");
    let ack = |token: &str, name: &str| {
        let bearer = as_of(token);
        let path = format!("/api/v1/alerts/{name}/ack");
        server.send_with("POST", &path, &[("Authorization", &bearer)], Some(&json!({})))
    };
    ack(&eve, "someone_worked").refused(403, "forbidden");
    ack(&bo, "nothing").refused(404, "not-found");
    assert_eq!(ack(&bo, "someone_worked").ended_with(202).json()["acknowledged"]["by"], "bo");
    assert_eq!(
        ack(&server.token, "someone_worked").ended_with(202).json()["acknowledged"]["by"],
        "bo",
        "once"
    );
    let audit = server.get("/api/v1/audit").json();
    let noted = |entry: &&Value| entry["action"] == "acknowledge_alert" && entry["actor"] == "bo";
    assert_eq!(audit["entries"].as_array().unwrap().iter().find(noted).unwrap()["detail"], "someone_worked");
    // By the page: whoever only reads has no button.
    let page = |token: &str| {
        let bearer = as_of(token);
        server.send_with("GET", "/alerts", &[("Authorization", &bearer)], None).ended_with(200).body
    };
    assert!(page(&bo).contains("/alerts/any_run/ack") && !page(&eve).contains("/ack"), "{}", page(&eve));
    assert!(page(&eve).contains("ℹ") && page(&eve).contains("bo") && page(&eve).contains("⚠"));
    let bearer = as_of(&bo);
    server.send_with("POST", "/alerts/any_run/ack", &[("Authorization", &bearer)], None).ended_with(303);
    assert!(!page(&bo).contains("/alerts/any_run/ack"), "{}", page(&bo));
    // By the command: it still exits with 1, since the alert is active.
    let mut command = candor.command(["--data", "data", "alerts", "ack", "any_run"]);
    let said = crate::support::Said::of(command.env("CANDOR_USER", "ines").output().unwrap()).ended_with(0);
    assert!(said.stdout.contains("ℹ") && said.stdout.contains("investigated by bo"), "{said:?}");
    let list = candor.run(["alerts"]).ended_with(1);
    assert!(list.stdout.contains("investigated by bo"), "{list:?}");
    let all = candor.run(["alerts", "--all"]).ended_with(1);
    assert!(all.stdout.contains("acknowledged") && all.stdout.contains('⚠'), "{all:?}");
    let board = candor.run(["dashboard", "--once"]).ended_with(0);
    assert!(board.stdout.contains("investigated by bo"), "{board:?}");
    candor.run(["alerts", "ack", "gone"]).refused(&["gone"]);
    candor.run(["--lang", "es", "alerts", "ack", "gone"]).refused(&["no hay ninguna alerta activa"]);
}

#[test]
fn an_alert_that_is_resolved_is_marked_so() {
    // spec: orchestrator SX-07
    let candor = Candor::with_config(&format!("{GENERAL}{ALERT}"));
    candor.write("plan.json", plan()["plan"].to_string());
    candor.run(["run", "--plan", "plan.json", "--unattended", "--yes"]).ended_with(0);
    candor.run(["alerts"]).ended_with(1);
    candor.run(["alerts", "ack", "someone_worked", "--user", "ines"]).ended_with(0);
    candor.write("candor.toml", GENERAL);
    assert!(candor.run(["alerts"]).ended_with(0).stdout.contains("No active alerts"));
    let all = candor.run(["alerts", "--all"]).ended_with(0).stdout;
    let marks: Vec<char> = all.lines().filter_map(|line| line.chars().next()).collect();
    assert_eq!(marks, ['✓', 'ℹ', '⚠'], "{all}");
}
