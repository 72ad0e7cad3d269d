//! A remote agent that runs, and an installation that knows its address and nothing else of it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Candor, Events, Said, until};

/// Somebody else, who is no help with what the peer does.
const MAILER: &str = "[[agents]]\nagent_type = \"mailer\"\nspecialization = \"Sends letters by mail\"\n\
    capabilities = [\"send_mail\"]\nbuiltin = \"noop\"\n";

/// A peer that runs, and ends with the test.
pub(crate) struct Peer {
    child: Child,
    pub(crate) url: String,
    log: PathBuf,
    _folder: TempDir,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Starts a peer; nothing, and a line that says so, if there is none on this machine.
    pub(crate) fn start(options: &[&str]) -> Option<Self> {
        let peers = or_skipped(Peers::find())?;
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/tests/a2a_peer.py");
        let mut command = Command::new(peers.python());
        command.arg(script).arg(&log).args(options).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let url = format!("http://127.0.0.1:{}", port.trim());
        Some(Self { child, url, log, _folder: folder })
    }

    /// What reached it, of one kind.
    pub(crate) fn got(&self, what: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        // Its last line may be half written.
        let entries = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        entries.filter(|entry| entry["what"] == what).collect()
    }

    /// Waits until something of this kind has reached it.
    #[track_caller]
    pub(crate) fn gets(&self, what: &str) -> Value {
        until(&format!("a {what} reaches the peer"), || !self.got(what).is_empty());
        self.got(what).remove(0)
    }

    /// Lets everyone go on who does `wait`.
    pub(crate) fn go(&self) {
        std::fs::write(self.log.with_extension("go"), "").unwrap();
    }
}

/// An installation with somebody who sends mail, and the agent at this address, with more lines about it.
pub(crate) fn knowing(url: &str, more: &str) -> Candor {
    let far = format!("[[agents]]\nagent_type = \"far_agent\"\na2a = \"{url}\"\n{more}\n");
    Candor::with_config(&format!("{MAILER}{far}"))
}

/// Writes a plan of one task in these words, for nobody in particular or for somebody.
pub(crate) fn plan(candor: &Candor, words: &str, agent: Option<&str>) {
    let mut task = json!({"task_id": "t", "description": words});
    if let Some(agent) = agent {
        task["agent_type"] = json!(agent);
    }
    candor.write("plan.json", json!({"subtasks": [task], "confidence_score": 0.9}).to_string());
}

/// The words that run the plan.
pub(crate) const RUN: [&str; 7] = ["run", "--plan", "plan.json", "--run-id", "run_1", "--yes", "--json"];

/// Has the agent elsewhere do a task.
pub(crate) fn carry_out(candor: &Candor, words: &str) -> (Said, Events) {
    plan(candor, words, Some("far_agent"));
    let said = candor.run(RUN);
    let events = Events(said.lines());
    (said, events)
}

/// Where the run stands.
pub(crate) fn status(candor: &Candor) -> String {
    candor.run(["status", "run_1", "--json"]).json()["status"].as_str().unwrap().to_owned()
}
