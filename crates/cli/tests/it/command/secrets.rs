//! No secret reaches the log, the screen, a report, JSON or an agent's log; agents at work still get it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::mcp::Mcp;
use crate::http::receiver::Receiver;
use crate::support::{Candor, Said};

/// Planted secrets: their shapes are real, their values are not.
const PLANTED: &[&str] = &[
    "sk-proj-a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4",
    "sk-ant-api03-Zt81kVq0PmX44rLwB72nYcQe",
    "ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T",
    "glpat-Zt81kVq0PmX44rLwB72n",
    "AKIAQ7ZX2M4NVB6KPL9D",
    "AIzaSyB7Zt81kVq0PmX44rLwB72nYcQe0PmX44rL",
    "xoxb-731904825516-Qm7Zt2Lx9Vb4",
    "sk_live_9aQx72LmVt04KpZr81Wc",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5MDQ4In0.dozjgNryP4J3jVmNHl0w5N",
    "winter-river-19",
    "Blue-Harbour7",
    "plain-value-of-the-environment-1",
    "MIIEowIBAAKCAQEAplanted",
    "778-90-1234",
];

/// Says every secret on both streams and in its answer, and gives one to the next task.
const LEAKY: &str = r#"
import json, os, sys
order = json.load(sys.stdin)
with open("seen.txt", "a") as file:
    file.write(json.dumps({"inputs": order["inputs"], "upstream": order["upstream"]}) + "\n")
told = """PLANTED_LINES
password=winter-river-19
postgres://app:Blue-Harbour7@db.internal/orders
-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEAplanted
-----END RSA PRIVATE KEY-----
""" + os.environ["MY_SERVICE_TOKEN"]
print(told, file=sys.stderr)
if order["inputs"].get("fail") or os.path.exists("fail.txt"):
    print(json.dumps({"outputs": {}, "error": {"message": "could not log in: " + told.replace("\n", " ")}}))
else:
    print(json.dumps({"outputs": {"result": told, "token": "ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T",
        "db": {"password": "winter-river-19", "ssn": "778-90-1234"}}}))
"#;

pub(crate) fn candor() -> Candor {
    configured("")
}

/// The variable that holds a secret of the list.
pub(crate) const VARIABLE: (&str, &str) = ("MY_SERVICE_TOKEN", "plain-value-of-the-environment-1");

/// An installation with the agent that says every secret, and these lines after it.
pub(crate) fn configured(more: &str) -> Candor {
    let candor = Candor::with_config(&format!(
        "[limits]\nunattended = true\n[limits.retry]\nmax_retries = 0\n[secrets]\nfields = [\"ssn\"]\n\
         [[agents]]\nagent_type = \"leaky\"\nspecialization = \"Reads things\"\ncapabilities = [\"read\"]\n\
         effects = [\"read\"]\ncommand = [\"python3\", \"leaky.py\"]\n{more}"
    ));
    let shaped: Vec<&str> = PLANTED.iter().take(9).copied().collect();
    candor.write("leaky.py", LEAKY.replace("PLANTED_LINES", &shaped.join("\n")));
    candor
}

fn run(candor: &Candor, args: &[&str]) -> Said {
    let mut command = candor.command(["--data", "data"]);
    command.args(args).env(VARIABLE.0, VARIABLE.1);
    Said::of(command.output().unwrap())
}

/// The secrets in these bytes.
pub(crate) fn planted_in(bytes: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    PLANTED.iter().copied().filter(|secret| text.contains(secret)).collect()
}

/// The secrets in any file of a folder.
fn in_files(folder: &Path) -> Vec<(String, Vec<&'static str>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(in_files(&path));
        } else {
            let planted = planted_in(&fs::read(&path).unwrap());
            if !planted.is_empty() {
                found.push((path.display().to_string(), planted));
            }
        }
    }
    found
}

fn plan(candor: &Candor) {
    candor.write("plan.json", leaky_plan().to_string());
}

/// Two tasks that succeed and one that fails, each of which says every secret.
pub(crate) fn leaky_plan() -> Value {
    let task = |id: &str, after: &[&str], inputs| {
        json!({"task_id": id, "description": "Read it", "agent_type": "leaky", "dependencies": after,
            "inputs": inputs, "expected_outputs": ["result"]})
    };
    let tasks = [
        task("one", &[], json!({"password": "winter-river-19"})),
        task("two", &["one"], json!({})),
        task("three", &["two"], json!({"fail": true})),
    ];
    json!({"confidence_score": 0.95, "subtasks": tasks})
}

#[test]
fn planted_secrets_are_nowhere_to_be_found() {
    // spec: findings SE-04
    let candor = candor();
    plan(&candor);
    let lines = run(&candor, &["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
    let views: Vec<Vec<&str>> = vec![
        vec!["status", "run_1"],
        vec!["status", "run_1", "--json"],
        vec!["report", "run_1"],
        vec!["report", "run_1", "--format", "html"],
        vec!["report", "run_1", "--format", "json"],
        vec!["logs", "run_1", "--full"],
        vec!["logs", "run_1", "--json"],
        vec!["explain", "run_1"],
        vec!["postmortem", "run_1"],
        vec!["list"],
        vec!["trace", "run_1"],
        vec!["trace", "run_1", "--json"],
        vec!["dashboard", "run_1"],
    ];
    let mut told = vec![("run --json".to_owned(), lines)];
    told.extend(views.iter().map(|view| (view.join(" "), run(&candor, view))));
    told.push(("run".to_owned(), run(&candor, &["run", "--plan", "plan.json", "--run-id", "run_2"])));
    for (name, said) in &told {
        assert_eq!(planted_in(said.stdout.as_bytes()), [""; 0], "{name} stdout: {}", said.stdout);
        assert_eq!(planted_in(said.stderr.as_bytes()), [""; 0], "{name} stderr: {}", said.stderr);
    }
    assert_eq!(in_files(&candor.path("data")), []);
    let last = &told.last().unwrap().1.stderr;
    assert!(last.contains("secrets were taken out"), "it is counted: {last}");
}

#[test]
fn agents_at_work_get_the_value_and_equal_values_have_equal_marks() {
    // spec: findings SE-04
    let candor = candor();
    plan(&candor);
    let said = run(&candor, &["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
    let seen = fs::read_to_string(candor.path("seen.txt")).unwrap();
    let mut orders = seen.lines();
    assert!(orders.next().unwrap().contains("winter-river-19"), "the input as it was written: {seen}");
    assert!(orders.next().unwrap().contains("ghp_a8Kd02mVbQ71"), "the result of the task before: {seen}");
    let marks: Vec<&str> = said
        .stdout
        .match_indices("[redacted:github_token#")
        .map(|(at, _)| &said.stdout[at..at + 30])
        .collect();
    assert!(marks.len() > 2 && marks.iter().all(|mark| mark == &marks[0]), "{marks:?}");
}

#[test]
fn a_resumed_run_says_that_it_has_no_secrets_to_hand_on() {
    // spec: findings SE-04
    let candor = candor();
    let task = json!({"task_id": "one", "description": "Read it", "agent_type": "leaky",
        "inputs": {"password": "winter-river-19"}, "expected_outputs": ["result"]});
    candor.write("plan.json", json!({"confidence_score": 0.35, "subtasks": [task]}).to_string());
    run(&candor, &["run", "--plan", "plan.json", "--run-id", "run_1"]).ended_with(3);
    let said = run(&candor, &["approve", "run_1"]);
    assert!(said.stderr.contains("secrets of this run were not recorded"), "{}", said.stderr);
    let seen = fs::read_to_string(candor.path("seen.txt")).unwrap();
    assert!(seen.contains("[redacted:secret#"), "{seen}");
}

#[test]
fn exported_traces_have_no_secrets_even_with_texts() {
    // spec: findings SE-04
    let (candor, backend) = (candor(), Receiver::start());
    plan(&candor);
    run(&candor, &["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
    let mut export =
        candor.command(["--data", "data", "export", "otlp", "run_1", "--endpoint", &backend.url]);
    export.env("CANDOR_TRACE_CONTENT", "1");
    Said::of(export.output().unwrap()).ended_with(0);
    let sent: Vec<u8> = backend.posts().into_iter().flat_map(|post| post.body).collect();
    let text = String::from_utf8_lossy(&sent);
    assert!(text.contains("[redacted:github_token#"), "texts are sent: {text}");
    assert_eq!(planted_in(&sent), [""; 0]);
}

#[test]
fn a_client_over_mcp_gets_no_secret_of_results_failures_questions_or_progress() {
    // spec: findings SE-04
    let candor = candor();
    let mut mcp = Mcp::start_with(&candor, &[VARIABLE]);
    let mut answers = Vec::new();
    for (fails, status) in [(false, "completed"), (true, "waiting_human")] {
        if fails {
            candor.write("fail.txt", "");
        }
        let arguments =
            json!({"goal": "Read the harbour register and say what it holds", "unattended": false});
        let params = json!({"name": "run", "arguments": arguments, "_meta": {"progressToken": "p"}});
        let mut said = mcp.request("tools/call", params);
        let run = |said: &Value| said["result"]["structuredContent"].clone();
        let id = run(&said)["run_id"].clone();
        if run(&said)["questions"][0]["digest"].is_string() {
            answers.push(said.clone());
            let digest = &run(&said)["questions"][0]["digest"];
            let approve = json!({"run_id": id, "decision": "approve", "digest": digest});
            said = mcp.request("tools/call", json!({"name": "approve", "arguments": approve}));
        }
        assert_eq!(run(&said)["status"], status, "{said}");
        answers.push(said);
        answers.push(mcp.call("status", json!({"run_id": id})));
        answers.push(mcp.call("status", json!({})));
    }
    answers.append(&mut mcp.aside);
    let ended = mcp.close();
    answers.extend(ended.rest);
    for answer in &answers {
        assert_eq!(planted_in(answer.to_string().as_bytes()), [""; 0], "{answer}");
    }
    let all: String = answers.iter().map(Value::to_string).collect();
    assert!(all.contains("notifications/progress") && all.contains("could not log in: "), "{all}");
    assert!(all.contains("[redacted:github_token#"), "results are told: {all}");
    assert_eq!(planted_in(ended.stderr.as_bytes()), [""; 0], "{}", ended.stderr);
    assert_eq!(in_files(&candor.path("data")), []);
}
