//! The workers of `examples/workers`, run as they are documented: what they tell is seen, what they ask is answered.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use candor_testkit::skips::skipped;
use serde_json::{Value, json};

use crate::support::{Candor, texts};

/// A worker that runs, and ends with the test.
struct Worker {
    child: Child,
    port: String,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workers").join(name)
}

/// Starts a worker on a free port; nothing, and a line that says so, where its interpreter is missing.
fn start(interpreter: &str, script: &Path) -> Option<Worker> {
    let mut command = Command::new(interpreter);
    let Ok(mut child) = command.arg(script).arg("0").stdout(Stdio::piped()).spawn() else {
        skipped(format!("{interpreter} is not installed"));
        return None;
    };
    let mut port = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
    Some(Worker { child, port: port.trim().to_owned() })
}

/// Has a worker do a task to which it needs an answer; its outputs, and what it told, which is seen as it comes.
fn asked_and_answered(worker: &Worker, inputs: &Value, question: &str, answer: &str) -> (Value, Vec<String>) {
    let candor = Candor::with_config(&format!(
        "[[agents]]\nagent_type = \"worker\"\nspecialization = \"Counts\"\nhttp = \"http://127.0.0.1:{}/\"\n",
        worker.port
    ));
    let task = json!({"task_id": "t", "description": "Count what there is", "agent_type": "worker", "inputs": inputs});
    candor.write("plan.json", json!({"subtasks": [task], "confidence_score": 0.9}).to_string());
    let said = candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--yes"]);
    said.ended_with(3).tells(&[question, "candor answer run_1"]);
    candor.run(["answer", "run_1", "somehow", "--yes"]).ended_with(2);
    let seen = candor.run(["answer", "run_1", answer, "--yes", "-v"]).ended_with(0);
    let log = candor.run(["logs", "run_1", "--json"]).ended_with(0).json();
    let told = texts(&log["told"]);
    assert!(told.iter().all(|told| seen.stdout.contains(told)), "{told:?} in {}", seen.stdout);
    candor.run(["logs", "run_1"]).ended_with(0).shows(&told);
    (log["outputs"].clone(), told.into_iter().map(str::to_owned).collect())
}

#[test]
fn the_python_worker_tells_how_far_it_is_and_asks() {
    let Some(worker) = start("python3", &example("worker.py")) else { return };
    let inputs = json!({"legs": [100, 20.5]});
    let (outputs, told) = asked_and_answered(&worker, &inputs, "Which unit?", "miles");
    assert_eq!(outputs, json!({"distance": 74.9, "unit": "miles"}));
    assert_eq!(told, ["leg 1 of 2: 100 km", "leg 2 of 2: 20.5 km"]);
}

#[test]
fn the_typescript_worker_tells_how_far_it_is_and_asks() {
    // Older versions of Node take no types: there are none in it, and its name is all that they refuse.
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("worker.mjs");
    std::fs::copy(example("worker.ts"), &script).unwrap();
    let Some(worker) = start("node", &script) else { return };
    let inputs = json!({"texts": ["one two", "three"]});
    let (outputs, told) = asked_and_answered(&worker, &inputs, "Count words or letters?", "words");
    assert_eq!(outputs, json!({"total": 3, "unit": "words"}));
    assert_eq!(told, ["2 words so far", "3 words so far"]);
}
