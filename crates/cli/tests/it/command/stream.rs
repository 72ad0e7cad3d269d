//! `candor run --json`, `status --json`, `list --json`: what programs read while and after a run.

use serde_json::{Value, json};

use crate::support::{Candor, Events, GENERAL, PARIS, VAGUE, has_keys};

#[test]
fn every_line_is_an_event_with_a_name_and_the_last_is_the_report() {
    // spec: planning EN-26
    let (said, events) = Candor::new().events(&["run", PARIS, "--run-id", "run_1"]);
    let said = said.ended_with(0);
    assert_eq!(said.stderr, "", "people's words have no place here");
    let Events(lines) = &events;
    for (n, line) in (1_u64..).zip(&lines[..lines.len() - 1]) {
        assert!(line["event"].is_string(), "{line}");
        assert_eq!((&line["run_id"], &line["position"]), (&json!("run_1"), &json!(n)));
        assert!(line["timestamp"].as_str().unwrap().ends_with('Z'));
    }
    assert_eq!(lines[0]["event"], "run_started");
    assert_eq!(events.all("report").len(), 1);
    let report = events.report();
    has_keys(report, &["summary", "tasks", "revisions", "confidence_evolution", "lessons_learned", "run_id"]);
}

#[test]
fn a_run_that_waits_ends_with_its_report_so_far() {
    let (said, events) = Candor::with_config(GENERAL).events(&["run", VAGUE]);
    let said = said.ended_with(3).tells(&["candor approve"]);
    assert!(!said.stdout.contains("Answer with"), "words are for stderr");
    assert_eq!(events.report()["status"], "waiting_human");
}

#[test]
fn status_says_where_a_run_stands() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let status = candor.run(["status", "run_1", "--json"]).ended_with(0).json();
    assert_eq!((&status["run_id"], &status["status"]), (&json!("run_1"), &json!("completed")));
    assert_eq!(status["progress_percentage"], 100.0);
    assert_eq!(status["cost"], 0.05);
    assert_eq!(status["tasks"].as_array().unwrap().len(), 4);
    for task in status["tasks"].as_array().unwrap() {
        has_keys(task, &["task_id", "name", "status", "agent_type", "dependencies"]);
        assert_eq!(task["status"], "completed");
    }
    let start = &status["checkpoints"][0];
    assert_eq!((&start["id"], &start["label"], &start["position"]), (&json!(0), &json!("start"), &json!(1)));
    assert_eq!(start["command"], "candor rollback run_1 --checkpoint 0 --data data");
    let text = candor.run(["status", "run_1"]).ended_with(0);
    text.shows(&["completed", "100%", "4 of 4 tasks", "Hotel search", "candor report run_1"]);
}

#[test]
fn list_has_every_run_the_latest_first() {
    let candor = Candor::new();
    assert_eq!(candor.run(["list", "--json"]).ended_with(0).json(), json!([]));
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    candor.write("candor.toml", GENERAL);
    candor.run(["run", VAGUE, "--run-id", "run_2"]).ended_with(3);
    let runs = candor.run(["list", "--json"]).ended_with(0).json();
    let names: Vec<&Value> = runs.as_array().unwrap().iter().map(|run| &run["run_id"]).collect();
    assert_eq!(names, ["run_2", "run_1"]);
    has_keys(&runs[0], &["run_id", "status", "request", "started_at", "cost", "progress_percentage"]);
    let unfinished = candor.run(["list", "--json", "--unfinished"]).json();
    assert_eq!(unfinished.as_array().unwrap().len(), 1);
    assert_eq!(candor.run(["list", "--json", "--limit", "1"]).json().as_array().unwrap().len(), 1);
    candor.run(["list"]).ended_with(0).shows(&["run_1", "run_2", "completed", "waiting for a person"]);
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_run() {
    let candor = Candor::new();
    let mut child = candor.start(["run", PARIS, "--json", "--run-id", "run_1"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "completed");
}

#[test]
fn plain_lines_go_to_a_pipe_without_colours_or_cursor_moves() {
    let said = Candor::new().run(["run", PARIS]).ended_with(0);
    assert!(!said.stdout.contains('\u{1b}'));
    assert_eq!(said.stderr, "");
    said.shows(&["Flight search done", "100% done", "Goal reached", "candor report"]);
}

#[test]
fn several_words_are_one_goal_and_a_goal_can_come_from_a_file() {
    let candor = Candor::new();
    let (_, words) = candor.events(&["run", "Plan", "a", "trip", "to", "Paris"]);
    assert_eq!(words.0[0]["request"], "Plan a trip to Paris");
    candor.write("goal.txt", PARIS);
    let (said, file) = candor.events(&["run", "--goal", "goal.txt"]);
    said.ended_with(0);
    assert_eq!(file.only("goal_defined")["goal"]["goal_type"], "travel_planning");
}

#[test]
fn a_goal_that_was_read_before_can_be_run_as_it_is() {
    let candor = Candor::new();
    let goal = candor.run(["goal", PARIS, "--json"]).json();
    assert!(goal["evaluation"]["complexity"]["total"].as_u64().unwrap() > 0, "{goal}");
    candor.write("goal.json", goal.to_string());
    let (said, events) = candor.events(&["run", "--goal", "goal.json"]);
    said.ended_with(0);
    assert_eq!(events.only("goal_defined")["goal"]["goal_id"], goal["goal_id"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    // spec: findings DU-10
    let candor = Candor::new();
    let binary = env!("CARGO_BIN_EXE_candor");
    for args in [
        "completions bash",
        "completions zsh",
        "agents",
        "packs",
        "config",
        "--help",
        "run --help",
        "list",
        "no-such-command",
    ] {
        // The reader is gone before the first byte, on both streams.
        let script = format!("({binary} --data data {args} 2>&3; echo $? > code) 3>&1 | true; cat code");
        let output = candor.command::<&str>([]).get_current_dir().map(|folder| {
            std::process::Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap()
        });
        let output = output.unwrap();
        let code: i32 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
        assert!(code < 100, "{args}: ended with {code}");
    }
}

#[test]
fn figures_and_traces_end_quietly_when_their_reader_goes_away() {
    // spec: findings DU-10
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let binary = env!("CARGO_BIN_EXE_candor");
    let commands = [
        "cost",
        "cost run_1",
        "cost --json",
        "tokens",
        "tokens run_1 --json",
        "alerts",
        "alerts --json",
        "trace run_1",
        "trace run_1 --json",
        "dashboard",
        "dashboard run_1",
        "metrics",
        "metrics --kpi",
        "metrics --prometheus",
        "metrics --json",
        "report run_1",
        "logs run_1",
        "logs run_1 --json",
        "explain run_1",
        "postmortem run_1",
        "effects run_1",
        "doctor",
        "trust",
        "guard hello",
        "status run_1 --json",
        "explain run_1 --timeline",
        "list --json",
        "tools",
        "tools --json",
        "models",
        "schedules",
        "token list",
        "config show --json",
        "packs show travel",
        "feedback run_1 5 --json",
        "export state run_1 -o state",
        "plan Plan a trip to Paris in May",
        "goal Plan a trip to Paris in May --json",
        "man",
    ];
    for args in commands {
        for reader in ["true", "head -1"] {
            let script = format!(
                "({binary} --data data {args} 2> said; echo $? > code) | {reader} > /dev/null; cat code said"
            );
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &script]).current_dir(candor.folder()).env("LC_ALL", "C.UTF-8");
            let output = shell.env_remove("CANDOR_CONFIG").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said, "0\n", "{args} | {reader}");
        }
    }
}
