//! A LangGraph graph, served by `adapters/python`, answers a task of the real `candor`; its interrupt is a question.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::json;

use crate::support::{Candor, Events};

/// The graph's server, which ends with the test.
struct Graph(Child);

impl Drop for Graph {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the graph; its address.
fn start() -> Option<(Graph, String)> {
    let peers = or_skipped(Peers::find())?;
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../adapters/python");
    let mut command = Command::new(peers.python());
    command.arg(package.join("tests/graph_agent.py")).env("PYTHONPATH", package.join("src"));
    let mut child = command.env("PYTHONDONTWRITEBYTECODE", "1").stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    Some((Graph(child), format!("http://127.0.0.1:{}", port.trim())))
}

#[test]
fn a_graph_answers_a_task_and_its_interrupt_is_answered_by_a_person() {
    let Some((_graph, url)) = start() else { return };
    let candor = Candor::with_config(&format!("[[agents]]\nagent_type = \"dyer\"\na2a = \"{url}\"\n"));
    candor.run(["agents"]).ended_with(0).shows(&["Dyes cloth"]);
    let task = json!({"task_id": "t", "description": "Dye the cloth", "agent_type": "dyer",
        "inputs": {"metres": 7}, "expected_outputs": ["cloth"]});
    candor.write("plan.json", json!({"subtasks": [task], "confidence_score": 0.9}).to_string());
    let said =
        candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--yes", "--json"]).ended_with(3);
    let told = Events(said.lines());
    assert!(said.stderr.contains("Which colour for 7 metres?"), "{}", said.stderr);
    let messages = told.all("broadcast");
    assert!(
        messages.iter().any(|it| it.to_string().contains("mix done")),
        "its nodes are told: {}",
        said.stdout
    );

    let said = candor.run(["answer", "run_1", "answer", "--text", "indigo", "--yes", "--json"]).ended_with(0);
    let events = Events(said.lines());
    let outputs = &events.only("task_succeeded")["feedback"]["actual_outputs"];
    assert_eq!(outputs["cloth"], "7 m of indigo cloth", "{outputs}");
}
