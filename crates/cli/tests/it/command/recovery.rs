//! What happens after a failure, seen from outside: own agents, which attempts they get, how the run ends.

use serde_json::{Value, json};

use crate::support::{Candor, Said};

/// An agent in Python. `agent.py MODE` writes down what it was asked for, and fails as MODE says.
const AGENT: &str = r#"
import json, os, sys
mode, order = sys.argv[1], json.load(sys.stdin)
with open("calls.log", "a") as log:
    log.write(json.dumps([mode, order["task_id"], order["inputs"]]) + "\n")
calls = sum(json.loads(line)[:2] == [mode, order["task_id"]] for line in open("calls.log"))
def error(**what):
    print(json.dumps({"error": what})); sys.exit(0)
if mode == "once" and calls == 1:
    sys.exit("connection reset by peer")
if mode == "dead":
    sys.exit("ValueError: row 7 has no column 'price'")
if mode == "full" and not os.path.exists("space"):
    error(kind="task_error", message="/archive is full")
if mode == "batch" and len(order["inputs"].get("rows", [])) > 2:
    error(kind="too_complex", message="more than two rows")
if mode == "lacks" and "region" not in order["inputs"]:
    error(kind="task_error", message="no region", missing=["region"])
print(json.dumps({"outputs": {name: "north" for name in order["expected_outputs"]}}))
"#;

/// Agents of these names and modes, all for the same kind of work.
fn with_agents(modes: &[(&str, &str)]) -> Candor {
    let agents = modes.iter().map(|(name, mode)| {
        format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"Loads shards into the warehouse\"\n\
             capabilities = [\"load\"]\ncommand = [\"python3\", \"agent.py\", \"{mode}\"]\n"
        )
    });
    let retry = "[limits.retry]\nbackoff_seconds = 0.05\n";
    let candor = Candor::with_config(&(retry.to_owned() + &agents.collect::<String>()));
    candor.write("agent.py", AGENT);
    candor
}

fn task(id: &str, agent: &str, dependencies: &[&str], inputs: Value) -> Value {
    json!({"task_id": id, "description": format!("Load shard {id} into the warehouse"), "agent_type": agent,
        "dependencies": dependencies, "inputs": inputs, "expected_outputs": ["region"]})
}

fn run(candor: &Candor, tasks: &[Value]) -> Said {
    candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_1"])
}

/// Who was asked for what, in order: `mode task`.
fn calls(candor: &Candor) -> Vec<String> {
    let log = std::fs::read_to_string(candor.path("calls.log")).unwrap();
    let call = |line: &str| {
        let call: Value = serde_json::from_str(line).unwrap();
        format!("{} {}", call[0].as_str().unwrap(), call[1].as_str().unwrap())
    };
    log.lines().map(call).collect()
}

#[test]
fn a_program_that_fails_once_is_tried_once_more_and_nothing_is_revised() {
    // spec: findings RC-04
    let candor = with_agents(&[("loader", "once"), ("other", "ok")]);
    let said = run(&candor, &[task("a", "loader", &[], json!({}))]);
    said.ended_with(0).shows(&["connection reset by peer", "Retrying with the same agent"]);
    assert_eq!(calls(&candor), ["once a", "once a"]);
    let log = candor.run(["logs", "run_1", "--json"]).stdout;
    assert!(!log.contains("replanned"), "a repetition is no revision");
}

#[test]
fn forty_tasks_with_six_failures_that_pass_come_to_their_end() {
    // spec: findings RC-06
    let candor = with_agents(&[("loader", "once"), ("other", "ok")]);
    let agent = |n: usize| if n % 7 == 3 { "loader" } else { "other" };
    let tasks: Vec<_> = (1..=40).map(|n| task(&format!("t{n}"), agent(n), &[], json!({}))).collect();
    run(&candor, &tasks).ended_with(0);
    assert_eq!(calls(&candor).len(), 46);
}

#[test]
fn three_tasks_of_a_broken_agent_are_done_by_the_other_one() {
    // spec: findings RC-03 RC-05 RC-06
    let candor = with_agents(&[("loader", "dead"), ("other", "ok")]);
    let tasks: Vec<_> = ["a", "b", "c"].iter().map(|id| task(id, "loader", &[], json!({}))).collect();
    run(&candor, &tasks).ended_with(0).shows(&["Retrying with other"]);
    let mut calls = calls(&candor);
    calls.sort();
    let expected = [
        "dead a",
        "dead a",
        "dead b",
        "dead b",
        "dead c",
        "dead c",
        "ok a_retry",
        "ok b_retry",
        "ok c_retry",
    ];
    assert_eq!(calls, expected, "the same cause twice is for good, and nobody gets a task back");
    let asked = std::fs::read_to_string(candor.path("calls.log")).unwrap();
    assert!(!asked.contains("radius") && !asked.contains("alternative"), "{asked}");
    // spec: findings RC-13
    let agents = candor.run(["agents", "--json"]).ended_with(0).json();
    let state = &agents["agents"][0]["breaker"]["state"];
    assert!(*state != "OPEN", "whoever failed at a task was there to fail: {agents}");
}

#[test]
fn a_run_without_anybody_does_the_rest_and_is_resumed_once_the_cause_is_gone() {
    // spec: findings RC-06 RC-12
    let candor = with_agents(&[("archiver", "full"), ("other", "ok")]);
    let config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", format!("[limits]\nmin_backup_score = 0.99\n{config}"));
    let tasks = [
        task("a", "archiver", &[], json!({})),
        task("b", "other", &[], json!({})),
        task("c", "other", &["a", "b"], json!({})),
    ];
    let said = run(&candor, &tasks);
    said.ended_with(1).tells(&["/archive is full", "candor resume"]);
    let mut before = calls(&candor);
    before.sort();
    assert_eq!(before, ["full a", "ok b"], "what does not need it is done, at the same time");
    candor.write("space", "");
    candor.run(["resume", "run_1"]).ended_with(0);
    assert_eq!(calls(&candor)[2..], ["full a", "ok c"], "what succeeded is not done again");
}

#[test]
fn a_batch_that_is_too_large_is_halved() {
    // spec: findings RC-08
    let candor = with_agents(&[("loader", "batch")]);
    let tasks =
        [task("a", "loader", &[], json!({ "rows": [1, 2, 3, 4] })), task("b", "loader", &["a"], json!({}))];
    run(&candor, &tasks).ended_with(0);
    let asked = std::fs::read_to_string(candor.path("calls.log")).unwrap();
    assert!(asked.contains("{\"rows\": [1, 2]}") && asked.contains("{\"rows\": [3, 4]}"), "{asked}");
}

#[test]
fn an_input_that_another_task_has_found_is_handed_on() {
    let candor = with_agents(&[("finder", "ok"), ("loader", "lacks")]);
    run(&candor, &[task("a", "finder", &[], json!({})), task("b", "loader", &["a"], json!({}))])
        .ended_with(0);
    assert_eq!(calls(&candor), ["ok a", "lacks b", "lacks b_workaround"]);
}

#[test]
fn how_often_is_tried_is_said_by_the_task_the_agent_or_the_file() {
    let candor = with_agents(&[("loader", "dead")]);
    let mut tasks = [task("a", "loader", &[], json!({}))];
    tasks[0]["retry_policy"] = json!({ "max_retries": 3, "backoff_seconds": 0.01 });
    run(&candor, &tasks).ended_with(1);
    assert_eq!(calls(&candor).len(), 4);
    let config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", config + "retry = { max_retries = 0 }\n");
    std::fs::remove_file(candor.path("calls.log")).unwrap();
    tasks[0].as_object_mut().unwrap().remove("retry_policy");
    candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_2"]).ended_with(1);
    assert_eq!(calls(&candor).len(), 1);
}
