//! Agents that are programs, and what they do to a run when they misbehave.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Candor, Events, Said, keys, until};

/// A candor with one agent, which is this shell script.
fn with_agent(script: &str) -> Candor {
    let candor = Candor::with_config(
        "[limits]\nagent_timeout = 2\nunattended = false\n[limits.retry]\nmax_retries = 1\nbackoff_seconds = 0.01\n[[agents]]\nagent_type = \"worker\"\n\
         specialization = \"Does the thing\"\ncommand = [\"sh\", \"agent.sh\"]\n",
    );
    candor.write("agent.sh", script);
    candor
}

/// The same with more time, for what takes long on a busy machine.
fn given(seconds: u32, candor: Candor) -> Candor {
    let config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", config.replace("agent_timeout = 2", &format!("agent_timeout = {seconds}")));
    candor
}

/// Adds a second agent for the same kind of work that always answers.
fn with_backup(script: &str) -> Candor {
    let candor = with_agent(script);
    let mut config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    config.push_str(
        "\n[[agents]]\nagent_type = \"backup\"\nspecialization = \"Does the thing\"\n\
         command = [\"sh\", \"-c\", \"echo '{\\\"outputs\\\":{\\\"thing\\\":2}}'\"]\n",
    );
    candor.write("candor.toml", config);
    candor
}

/// The agent fails every time: each failure is told, and as nobody else is there a person is asked.
fn fails_and_asks(script: &str, reason: &[&str]) -> (Candor, Said, Events) {
    let candor = with_agent(script);
    let (said, events) = candor.task_for("worker");
    let said = said.ended_with(3).tells(&["has failed", "candor answer run_1 retry"]);
    let causes: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("  - ")).collect();
    let different: std::collections::BTreeSet<_> = causes.iter().collect();
    assert!(!causes.is_empty() && causes.len() == different.len(), "the same cause once: {causes:?}");
    let first = events.first_reason();
    for part in reason {
        assert!(first.contains(part), "no `{part}` in: {first}");
    }
    let failed = events.all("task_failed");
    assert!(failed.iter().all(|event| event["feedback"]["feedback_type"] == "FAILURE"));
    assert!((1..=2).contains(&failed.len()), "{failed:?}");
    assert_eq!(events.failures_told().len(), failed.len(), "every failure is told");
    (candor, said, events)
}

#[test]
fn an_agent_that_prints_garbage_fails() {
    fails_and_asks("echo last words >&2; echo 'not { json'", &["not JSON", "not { json", "last words"]);
}

#[test]
fn an_agent_that_prints_binary_fails() {
    fails_and_asks(r"echo last words >&2; printf '\377\376\001'", &["not text", "last words"]);
}

#[test]
fn an_agent_that_prints_nothing_fails() {
    fails_and_asks("echo last words >&2", &["found nothing", "last words"]);
}

#[test]
fn an_agent_that_answers_without_outputs_fails() {
    fails_and_asks("echo last words >&2; echo '{}'", &["`outputs`", "missing", "last words"]);
    fails_and_asks("echo last words >&2; echo '[1]'", &["expected one JSON object", "last words"]);
    fails_and_asks(r#"echo '{"outputs":{"thing":1}} {}'"#, &["JSON"]);
}

#[test]
fn an_agent_that_exits_with_a_code_fails() {
    let good = r#"echo '{"outputs":{"thing":1}}'; echo sorry >&2; exit 7"#;
    fails_and_asks(good, &["exited with code 7", "sorry"]);
}

#[test]
fn an_agent_that_dies_of_a_signal_fails() {
    fails_and_asks("echo dying >&2; kill -TERM $$", &["signal 15 (SIGTERM)", "dying"]);
}

#[test]
fn an_agent_that_prints_a_gigabyte_is_stopped_early() {
    let script = "echo flooding >&2; yes | head -c 1000000000; echo over > flooded";
    let candor = given(60, with_backup(script));
    let (_, events) = candor.task_for("worker");
    let reason = events.first_reason();
    assert!(reason.contains("more than 10 MB") && reason.contains("flooding"), "{reason}");
    assert!(!candor.path("flooded").exists(), "it was killed while it printed");
}

#[test]
fn an_agent_that_floods_its_log_does_not_fill_the_disk() {
    let script = r#"yes noise | head -c 30000000 >&2; echo '{"outputs":{"thing":1}}'"#;
    let candor = given(60, with_agent(script));
    let (said, _) = candor.task_for("worker");
    said.ended_with(0);
    let logged = folder_size(&candor.path("data/logs"));
    assert!((1..15_000_000).contains(&logged), "{logged} bytes");
}

fn folder_size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { folder_size(&path) } else { path.metadata().unwrap().len() }).sum()
}

/// Whether a process is there and not only waits to be buried.
fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[test]
fn an_agent_that_never_ends_is_killed_with_its_children() {
    let script = "echo $$ >> pids; sleep 300 & echo $! >> pids; echo waiting >&2; wait";
    let candor = given(5, with_backup(script));
    let (said, events) = candor.task_for("worker");
    said.ended_with(0);
    assert_eq!(events.first_reason(), "Agent timeout after 5s");
    assert_eq!(events.all("task_failed")[0]["feedback"]["failure"]["detail"], "waiting");
    assert_eq!(events.strategies(), ["RETRY_DIFFERENT_AGENT"]);
    let pids = std::fs::read_to_string(candor.path("pids")).unwrap();
    assert_eq!(pids.lines().count(), 4, "it was tried twice");
    until("the whole group is gone", || !pids.lines().any(lives));
}

#[test]
fn children_that_an_agent_leaves_behind_are_killed_and_its_answer_counts() {
    let candor = with_agent(r#"sleep 300 & echo $! > pids; echo '{"outputs":{"thing":1}}'"#);
    let (said, events) = candor.task_for("worker");
    said.ended_with(0);
    assert!(events.all("task_failed").is_empty());
    let pids = std::fs::read_to_string(candor.path("pids")).unwrap();
    until("the child is gone", || !pids.lines().any(lives));
}

#[test]
fn an_agent_that_closes_its_stdin_can_still_answer() {
    let candor = with_agent(r#"exec 0<&-; echo '{"outputs":{"thing":1}}'"#);
    let (said, events) = candor.task_for("worker");
    said.ended_with(0);
    assert_eq!(events.only("task_succeeded")["feedback"]["actual_outputs"], json!({"thing": 1}));
}

#[test]
fn a_program_that_is_not_there_is_replaced_by_another_agent() {
    let candor = with_backup("");
    let config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", config.replace("\"sh\", \"agent.sh\"", "\"/no/such/program\""));
    let (said, events) = candor.task_for("worker");
    said.ended_with(0);
    let reason = events.first_reason();
    assert!(reason.contains("/no/such/program") && reason.contains("no such program"), "{reason}");
    assert_eq!(events.strategies(), ["RETRY_DIFFERENT_AGENT"]);
    assert_eq!(events.all("task_dispatched")[1]["agent_type"], "backup");
}

#[test]
fn an_agent_can_report_a_violation_and_its_cost() {
    let script = r#"echo '{"outputs":{"thing":1},"cost":0.5,"feedback_type":"CONSTRAINT_VIOLATION","errors":["too dear"],"suggested_adjustments":"look elsewhere"}'"#;
    let candor = with_agent(script);
    let (_, events) = candor.task_for("worker");
    let feedback = &events.all("task_failed")[0]["feedback"];
    assert_eq!(
        (&feedback["feedback_type"], &feedback["cost"]),
        (&json!("CONSTRAINT_VIOLATION"), &json!(0.5))
    );
    assert_eq!(
        (&feedback["errors"], &feedback["suggested_adjustments"]),
        (&json!(["too dear"]), &json!("look elsewhere"))
    );
}

/// A plan of two tasks, the second of which needs the first.
fn two_tasks(candor: &Candor) -> (Said, Events) {
    let plan = json!({"subtasks": [
        {"task_id": "a", "description": "Do the thing", "agent_type": "worker", "inputs": {"size": 3},
            "expected_outputs": ["thing"]},
        {"task_id": "b", "description": "Do the thing again", "agent_type": "worker", "dependencies": ["a"]}]});
    candor.write("plan.json", plan.to_string());
    candor.events(&["run", "--plan", "plan.json", "--run-id", "run_1"])
}

#[test]
fn an_agent_gets_the_documented_order_and_nothing_else() {
    let candor = with_agent(r#"cat >> orders; echo >> orders; echo '{"outputs":{"thing":1}}'"#);
    let (said, _) = two_tasks(&candor);
    said.ended_with(0);
    let orders = std::fs::read_to_string(candor.path("orders")).unwrap();
    let orders: Vec<Value> = orders.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        keys(&orders[0]),
        [
            "attempt",
            "brief",
            "deadline_seconds",
            "description",
            "expected_outputs",
            "idempotency_key",
            "inputs",
            "run_id",
            "task_id",
            "upstream"
        ]
    );
    assert_eq!(keys(&orders[0]["brief"]), ["boundaries", "objective", "outputFormat", "tools"]);
    assert_eq!((&orders[0]["run_id"], &orders[0]["task_id"]), (&json!("run_1"), &json!("a")));
    assert_eq!((&orders[0]["inputs"], &orders[0]["upstream"]), (&json!({"size": 3}), &json!({})));
    assert_eq!((&orders[0]["attempt"], &orders[0]["deadline_seconds"]), (&json!(1), &json!(2.0)));
    assert_eq!(orders[0]["expected_outputs"], json!(["thing"]));
    assert_eq!(orders[1]["upstream"], json!({"a": {"thing": 1}}));
    assert_ne!(orders[0]["idempotency_key"], orders[1]["idempotency_key"]);
}

#[test]
fn an_agent_takes_on_no_more_at_once_than_it_says() {
    let candor = with_agent(
        r#"mkdir busy || { echo crowded >&2; exit 1; }; sleep 0.05; rmdir busy; echo '{"outputs":{"thing":1}}'"#,
    );
    let config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", config.replace("command =", "max_concurrent = 1\ncommand ="));
    let task =
        |n: u32| json!({"task_id": format!("t{n}"), "description": "Do the thing", "agent_type": "worker"});
    candor.write("plan.json", json!({ "subtasks": (0..5).map(task).collect::<Vec<_>>() }).to_string());
    let (said, events) = candor.events(&["run", "--plan", "plan.json"]);
    said.ended_with(0);
    assert!(events.all("task_failed").is_empty());
}

#[test]
fn what_an_agent_writes_to_stderr_is_kept() {
    let candor = with_agent(r#"echo "working on $CANDOR_TASK_ID" >&2; echo '{"outputs":{"thing":1}}'"#);
    let (said, _) = two_tasks(&candor);
    said.ended_with(0);
    candor.run(["logs", "run_1"]).ended_with(0).shows(&["a attempt 1", "working on a", "working on b"]);
    let one = candor.run(["logs", "run_1", "b", "--json"]).ended_with(0).lines();
    assert_eq!(one.len(), 1);
    assert_eq!((&one[0]["task_id"], &one[0]["attempt"]), (&json!("b"), &json!(1)));
    assert_eq!(one[0]["text"].as_str().unwrap().trim(), "working on b");
}
