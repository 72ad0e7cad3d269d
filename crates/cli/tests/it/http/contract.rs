//! The API against its own description, by a tool that others wrote: schemathesis.

use std::process::Command;

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::json;

use super::client::Server;
use crate::support::{Candor, GENERAL};

/// What a request that fits its schema may still be answered with: the run is unknown or stands elsewhere, the words
/// cannot be a goal, a plan has a cycle.
const SETTINGS: &str =
    "[checks]\npositive_data_acceptance.expected-statuses = [\"2xx\", \"404\", \"409\", \"422\", \"429\"]\n";

#[test]
fn schemathesis_finds_nothing_that_differs_from_the_description() {
    let Some(peers) = or_skipped(Peers::find().and_then(|peers| peers.schemathesis())) else { return };
    let candor = Candor::with_config(GENERAL);
    candor.write("schemathesis.toml", SETTINGS);
    let server = Server::start(&candor);
    server.run(json!({"goal": "Write a report on the tides", "unattended": true}));
    let mut tool = Command::new(peers);
    tool.arg("run").arg(format!("http://{}/api/v1/openapi.json", server.address));
    tool.arg("-H").arg(format!("Authorization: Bearer {}", server.token));
    tool.args(["--checks", "all", "--exclude-path-regex", "stream$", "--max-examples", "10", "--seed", "7"]);
    let said = tool.current_dir(candor.folder()).output().unwrap();
    let told = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{}", &told[told.len().saturating_sub(6000)..]);
    assert!(told.contains("Tested: "), "{told}");
    server.get("/health").ended_with(200);
}
