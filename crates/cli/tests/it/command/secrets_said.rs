//! What people say beside a request, and what `candor serve --mcp` answers: no secret of it is recorded or shown.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::command::mcp::Mcp;
use crate::support::{Candor, GENERAL, Said, VAGUE};

const SECRET: &str = "ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T";

/// The files of a folder that hold the secret.
fn files_with_it(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| {
        if path.is_dir() {
            return files_with_it(&path);
        }
        let holds = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).contains(SECRET);
        if holds { vec![path.display().to_string()] } else { Vec::new() }
    });
    found.collect()
}

#[track_caller]
fn has_none(name: &str, said: &Said) {
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(!all.contains(SECRET), "{name}: {all}");
    assert!(said.code < 100, "{name}: {said:?}");
}

#[test]
fn what_people_say_to_a_run_and_ask_of_it_leaves_no_secret() {
    // spec: findings SE-04
    let candor = Candor::with_config(GENERAL);
    let goal = format!("{VAGUE} with {SECRET}");
    for run in ["run_1", "run_2", "run_3"] {
        has_none("run", &candor.run(["run", &goal, "--run-id", run]).ended_with(3));
    }
    let words = format!("log in with {SECRET}");
    let steps: &[&[&str]] = &[
        &["ask", "run_1", &words],
        &["regenerate", "run_1", &words],
        &["modify", "run_1", &words],
        &["reject", "run_1", "--comments", &words],
        &["approve", "run_2", "--comments", &words],
        &["feedback", "run_2", "4", "--text", &words],
        &["feedback", "run_2", "5", "--text", &words, "--json"],
        &["fork", "run_2", "--run-id", "run_4", "--prompt", &words],
        &["restart", "run_2", "--prompt", &words],
        &["pause", "run_3", "--reason", &words],
        &["cancel", "run_3", "--reason", &words],
        &["plan", &goal],
        &["plan", &goal, "--json"],
        &["goal", &goal],
        &["goal", &goal, "--json"],
        &["route", &goal],
        &["route", &goal, "--json"],
        &["guard", &goal],
        &["guard", &goal, "--json"],
        &["explain", "--operation", SECRET],
        &["status", "run_2", "--json"],
        &["report", "run_1"],
        &["report", "run_2", "--format", "json"],
        &["explain", "run_2", "--timeline"],
        &["explain", "run_1", "--decisions"],
        &["logs", "run_2", "--json"],
        &["postmortem", "run_3"],
        &["list", "--json"],
        &["export", "state", "run_2", "-o", "kept"],
    ];
    for step in steps {
        has_none(&step.join(" "), &candor.run(*step));
    }
    assert_eq!(files_with_it(candor.folder()), [""; 0]);
    let listed = candor.run(["list", "--json"]).stdout;
    assert!(listed.contains("[redacted:github_token#"), "the words are on record without it: {listed}");
}

#[test]
fn a_value_has_the_same_mark_in_the_first_run_of_a_folder_and_in_all_others() {
    // spec: findings SE-04
    let candor = Candor::with_config(GENERAL);
    let goal = format!("{VAGUE} with {SECRET}");
    for run in ["run_1", "run_2", "run_3"] {
        candor.run(["run", &goal, "--run-id", run]).ended_with(3);
    }
    let runs = candor.run(["list", "--json"]).json();
    let requests: Vec<&str> =
        runs.as_array().unwrap().iter().map(|run| run["request"].as_str().unwrap()).collect();
    assert!(requests[0].contains("[redacted:github_token#"), "{requests:?}");
    assert!(requests.iter().all(|request| *request == requests[0]), "{requests:?}");
}

#[test]
fn clients_over_mcp_read_no_secret_of_requests_inputs_or_failures() {
    // spec: findings SE-04
    let leaky = format!(
        "[[agents]]\nagent_type = \"leaky\"\nspecialization = \"Logs in\"\ncapabilities = [\"log_in\"]\neffects = [\"read\"]\n\
         command = [\"sh\", \"-c\", \"cat > /dev/null; echo no login with {SECRET} >&2; exit 3\"]\n"
    );
    let candor = Candor::with_config(&format!("{GENERAL}{leaky}"));
    let mut mcp = Mcp::start(&candor);
    let goal = format!("{VAGUE} with {SECRET}");
    let mut said = Vec::new();
    for (tool, arguments) in [
        ("plan", json!({ "goal": goal })),
        ("run", json!({"goal": goal, "unattended": false})),
        ("run", json!({"goal": format!("Log in with {SECRET}"), "unattended": true, "wait_seconds": 20})),
        ("status", json!({})),
    ] {
        said.push(mcp.request("tools/call", json!({"name": tool, "arguments": arguments})));
    }
    let runs = candor.run(["list", "--json"]).json();
    for run in runs.as_array().unwrap() {
        said.push(
            mcp.request("tools/call", json!({"name": "status", "arguments": {"run_id": run["run_id"]}})),
        );
    }
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs}");
    said.append(&mut mcp.aside);
    let ended = mcp.close();
    said.extend(ended.rest);
    let all = said.iter().map(ToString::to_string).collect::<String>() + &ended.stderr;
    assert!(all.contains("[redacted:github_token#") && all.contains("no login with"), "{all}");
    assert!(!all.contains(SECRET), "{all}");
    assert_eq!(files_with_it(&candor.path("data")), [""; 0]);
}
