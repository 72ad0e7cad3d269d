//! `candor serve --mcp`, used by a client that others wrote: the official Python SDK.

use std::process::Command;

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};

use crate::support::{Candor, Said};

/// What the client does.
const CLIENT: &str = include_str!("serve_client.py");

/// Lets the client do its work in a folder; what it saw, unless it is not at hand.
fn seen_by_python(candor: &Candor) -> Option<Value> {
    let peers = or_skipped(Peers::find())?;
    candor.write("client.py", CLIENT);
    let mut client = Command::new(peers.python());
    client.arg("client.py").arg(env!("CARGO_BIN_EXE_candor")).arg(candor.folder());
    let output = client.current_dir(candor.folder()).output().unwrap();
    Some(Said::of(output).ended_with(0).json())
}

#[test]
fn the_python_client_plans_runs_approves_and_cancels() {
    // spec: beyond BY-02 BY-15
    let candor = Candor::with_config("[limits]\napproval = \"always\"\n");
    let Some(seen) = seen_by_python(&candor) else { return };
    assert_eq!(seen["initialized"]["serverInfo"]["name"], "candor");
    assert_eq!(seen["tools"], json!(["plan", "run", "status", "approve", "cancel", "resume"]));
    assert_eq!(seen["plan"]["validation"]["is_valid"], true);
    assert_eq!(seen["waiting"]["status"], "waiting_human");
    assert_eq!(seen["refused"]["isError"], true);
    assert!(seen["refused"]["text"].as_str().unwrap().contains("the digest wrong"), "{}", seen["refused"]);
    assert_eq!(seen["approved"]["status"], "completed");
    assert_eq!(seen["status"]["tasks"], seen["approved"]["tasks"]);
    assert_eq!(seen["cancelled"]["status"], "cancelled");
    assert_eq!(seen["runs"]["runs"].as_array().unwrap().len(), 2);

    // The client went away while a run waited: it waits on, and anybody can answer.
    let left = seen["left"].as_str().unwrap();
    let status = candor.run(["status", left, "--json"]).json();
    assert_eq!((&status["status"], &status["driven"]), (&json!("waiting_human"), &json!(false)));
    candor.run(["approve", left]).ended_with(0);
}
