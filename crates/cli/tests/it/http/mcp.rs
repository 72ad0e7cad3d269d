//! MCP over streamable HTTP, used by the official Python SDK.

use std::process::Command;

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, Said};

/// What the client does.
const CLIENT: &str = include_str!("mcp_client.py");

/// Runs a Python program of a test in a folder; what it printed, unless its SDK is not at hand.
pub(super) fn seen_by_python(candor: &Candor, program: &str, arguments: &[&str]) -> Option<Value> {
    let peers = or_skipped(Peers::find())?;
    candor.write("client.py", program);
    let mut client = Command::new(peers.python());
    client.arg("client.py").args(arguments);
    let output = client.current_dir(candor.folder()).output().unwrap();
    Some(Said::of(output).ended_with(0).json())
}

/// Makes a token of a scope, which the server knows within a second.
pub(super) fn token(candor: &Candor, name: &str, scope: &str) -> String {
    let said = candor.run(["token", "add", name, "--scope", scope]).ended_with(0);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    said.stdout.trim().to_owned()
}

#[test]
fn the_python_client_plans_runs_and_answers_as_far_as_its_token_allows() {
    // spec: beyond BY-02 BY-15
    let candor = Candor::with_config("[limits]\napproval = \"always\"\n");
    let server = Server::start(&candor);
    let answerer = token(&candor, "bo", "answer");
    let url = format!("http://{}/mcp", server.address);
    let arguments = [url.as_str(), server.token.trim(), &answerer];
    let Some(seen) = seen_by_python(&candor, CLIENT, &arguments) else { return };
    let admin = &seen["admin"];
    assert_eq!(admin["initialized"]["serverInfo"]["name"], "candor");
    assert_eq!(admin["tools"], json!(["plan", "run", "status", "approve", "cancel", "resume"]));
    assert_eq!(admin["plan"]["validation"]["is_valid"], true);
    assert_eq!(admin["waiting"]["status"], "waiting_human");
    assert_eq!(admin["refused"]["isError"], true);
    assert_eq!(admin["approved"]["status"], "completed");
    assert!(!admin["progress"].as_array().unwrap().is_empty(), "{admin}");
    assert_eq!(admin["status"]["tasks"], admin["approved"]["tasks"]);

    let answerer = &seen["answerer"];
    assert_eq!(answerer["tools"], json!(["status", "approve"]));
    let refused = (&answerer["run"]["isError"], answerer["run"]["text"].as_str().unwrap());
    assert!(*refused.0 == true && refused.1.contains("scope admin"), "{refused:?}");
    assert_eq!(answerer["rejected"]["run_id"], admin["left"]);

    // It is the same log as everywhere else, and who did what is known.
    let runs = server.get("/api/v1/runs").json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2);
    let audit = server.get("/api/v1/audit").json()["entries"].as_array().unwrap().clone();
    let did =
        |actor: &str, action: &str| audit.iter().any(|it| it["actor"] == actor && it["action"] == action);
    assert!(did("local", "start") && did("local", "answer") && did("bo", "answer"), "{audit:?}");
    assert!(!did("bo", "start"), "{audit:?}");
}

#[test]
fn a_call_over_mcp_outlives_its_client_and_the_server_that_took_it() {
    let candor = Candor::with_config("[limits]\napproval = \"always\"\n");
    let server = Server::start(&candor);
    let call = |tool: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let send = |server: &Server, body: &Value| {
        let bearer = format!("Bearer {}", server.token);
        let headers = [("Authorization", bearer.as_str()), ("Accept", "application/json, text/event-stream")];
        server.send_with("POST", "/mcp", &headers, Some(body)).ended_with(200).body
    };
    let goal = json!({"goal": "Plan a 3-day trip to Paris in May with a $2000 budget", "wait_seconds": 0});
    let told = send(&server, &call("run", goal));
    assert!(told.contains("run_"), "{told}");
    let run = server.get("/api/v1/runs").json()["runs"][0]["run_id"].as_str().unwrap().to_owned();
    server.wait_for(&run, "waiting_human");
    let address = server.address.clone();
    server.kill();
    // No session to lose: the next server answers the same client.
    let server = Server::start_at(&candor, &address);
    let told = send(&server, &call("status", json!({"run_id": run, "wait_seconds": 0})));
    assert!(told.contains("waiting_human"), "{told}");
}
