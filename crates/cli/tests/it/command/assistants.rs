//! The real `candor` with coding assistants as agents. They are stand-ins that speak the formats which the real ones
//! document (`agents/tests/assistants.py`): none of those is at hand here.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Candor, Events, until};

/// An installation whose only agent is this assistant.
fn with_assistant(preset: &str, more: &str) -> Candor {
    let candor = Candor::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/tests/assistants.py");
    symlink(script, candor.path(preset)).unwrap();
    let (program, home) = (candor.path(preset), candor.folder().to_owned());
    candor.write(
        "candor.toml",
        format!(
            "[[agents]]\nagent_type = \"coder\"\nspecialization = \"Changes code\"\nkind = \"cli\"\n\
             preset = \"{preset}\"\nprogram = \"{}\"\nenv = {{ STANDIN_HOME = \"{}\" }}\n{more}\n",
            program.display(),
            home.display()
        ),
    );
    candor
}

fn plan(candor: &Candor, tasks: &[(&str, &[&str])]) {
    let task = |(number, (words, after)): (usize, &(&str, &[&str]))| {
        json!({"task_id": format!("t{}", number + 1), "description": words, "agent_type": "coder",
            "dependencies": after, "expected_outputs": ["report"]})
    };
    let tasks: Vec<Value> = tasks.iter().enumerate().map(task).collect();
    candor.write("plan.json", json!({"subtasks": tasks, "confidence_score": 0.9}).to_string());
}

const RUN: [&str; 6] = ["run", "--plan", "plan.json", "--run-id", "run_1", "--yes"];

/// What the stand-in was started with.
fn calls(candor: &Candor) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(candor.path("calls")).unwrap_or_default();
    let words = |line: &str| {
        let call: Value = serde_json::from_str(line).unwrap();
        call["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    text.lines().map(words).collect()
}

/// The word behind an option.
fn option<'c>(call: &'c [String], name: &str) -> Option<&'c String> {
    call.iter().position(|word| word == name).and_then(|at| call.get(at + 1))
}

#[test]
fn an_assistant_that_was_killed_with_candor_goes_on_in_its_session() {
    let candor = with_assistant("claude", "");
    plan(&candor, &[("fix the first", &[]), ("wait for the second", &["t1"])]);
    let mut running = candor.start(RUN);
    until("the second task is at work", || candor.path("waiting").exists());
    running.kill().unwrap();
    running.wait().unwrap();

    candor.run(["resume", "run_1", "--yes"]).ended_with(0);
    let calls = calls(&candor);
    assert_eq!(calls.len(), 3, "the first task is not done again: {calls:?}");
    let (first, second) = (option(&calls[0], "--session-id"), option(&calls[1], "--session-id"));
    assert!(first.is_some() && first != second, "each task has a session: {calls:?}");
    assert_eq!(option(&calls[2], "--resume"), second, "the second goes on in its own: {calls:?}");
    let status = candor.run(["status", "run_1", "--json"]).json();
    assert_eq!((&status["status"], &status["cost"]), (&json!("completed"), &json!(0.5)), "{status}");
    candor.run(["report", "run_1"]).ended_with(0).shows(&["did for the second at start 2"]);
    let log = candor.run(["logs", "run_1"]).ended_with(0);
    assert!(log.stdout.contains(second.unwrap()) && log.stdout.contains("[Edit]"), "{}", log.stdout);
}

#[test]
fn what_an_assistant_costs_and_how_it_fails_is_told() {
    let candor = with_assistant("claude", "retry = { max_retries = 0 }");
    plan(&candor, &[("turns and turns", &[])]);
    let said = candor.run(RUN.into_iter().chain(["--json"]));
    let events = Events(said.lines());
    let failure = &events.all("task_failed")[0]["feedback"]["failure"];
    assert_eq!((&failure["kind"], &failure["exit_code"]), (&json!("over_budget"), &json!(1)), "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("--max-turns"), "{failure}");
    let status = candor.run(["status", "run_1", "--json"]).json();
    assert_eq!(status["cost"], json!(0.5), "what it cost is paid although it failed: {status}");
}

#[test]
fn assistants_are_checked_and_say_what_they_may_do() {
    let candor = with_assistant("codex", "model = \"o-best\"\ninstructions = \"Prefer small commits\"");
    candor.run(["doctor"]).shows(&["codex assistant", "changes something, with undo (change)"]);
    candor.run(["agents"]).ended_with(0).shows(&["coder", "change"]);
    plan(&candor, &[("fix it", &[])]);
    candor.run(RUN).ended_with(0);
    assert_eq!(option(&calls(&candor)[0], "--model").unwrap(), "o-best");
    let prompt = std::fs::read_to_string(candor.path("calls")).unwrap();
    assert!(prompt.contains("Changes code\\nPrefer small commits"), "{prompt}");

    let candor = with_assistant("gemini", "effects = [\"read\"]");
    plan(&candor, &[("look at it", &[])]);
    candor.run(RUN).ended_with(0);
    assert_eq!(option(&calls(&candor)[0], "--approval-mode").unwrap(), "default");

    std::fs::remove_file(candor.path("gemini")).unwrap();
    candor.run(["doctor"]).ended_with(1).shows(&["there is no program", "install it, or set `program`"]);
}

#[test]
fn a_wrong_declaration_is_refused_with_what_to_do() {
    let agent = "[[agents]]\nagent_type = \"coder\"\n";
    let wrong = [
        ("kind = \"cli\"", "needs `preset`: claude, codex, gemini or goose"),
        ("kind = \"cli\"\npreset = \"cloude\"", "cloude"),
        ("preset = \"claude\"\nmodel = \"fast\"", "add `kind = \"cli\"`"),
        ("model = \"sonnet\"", "`model` is a tier (fast, balanced or strong), not `sonnet`"),
    ];
    for (lines, told) in wrong {
        let candor = Candor::with_config(&format!("{agent}{lines}\n"));
        candor.run(["agents"]).refused(&[told]);
    }
}
