//! Configuration and agent files with mistakes: which file, where in it, which name, and what was meant.

use crate::support::{Candor, PARIS, Said};

/// What a run says to this configuration.
fn config(text: &str) -> Said {
    let candor = Candor::with_config(text);
    let said = candor.run(["run", PARIS]);
    assert!(!candor.has_data(), "nothing is begun with a configuration that cannot be read");
    said
}

/// What `route` says to this list of agents.
fn agents(name: &str, text: impl AsRef<[u8]>) -> Said {
    let candor = Candor::new();
    candor.write(name, text);
    candor.run(["route", "--agents", name, "--json", "anything"])
}

#[test]
fn an_unknown_key_gets_the_nearest_name() {
    config("[limits]\nmax_paralel_tasks = 3\n").refused(&[
        "candor.toml, line 2",
        "max_paralel_tasks",
        "did you mean `max_parallel_tasks`?",
    ]);
    config("[limts]\n").refused(&["line 1", "did you mean `limits`?"]);
    config("[planning]\nmin_agnts = 3\n").refused(&["line 2", "did you mean `min_agents`?"]);
    config("\n\n[packs]\nfoldrs = []\n").refused(&["line 4", "did you mean `folders`?"]);
    config("[[agents]]\nagent_type = \"a\"\ncomand = [\"x\"]\n")
        .refused(&["line 3", "did you mean `command`?"]);
}

#[test]
fn broken_toml_is_told_with_its_place() {
    config("[limits]\na = = 3\n").refused(&["candor.toml, line 2, column 5"]);
    let candor = Candor::new();
    candor.write("candor.toml", [0xff]);
    candor.run(["run", PARIS]).refused(&["candor.toml", "not UTF-8"]);
}

#[test]
fn a_configuration_that_was_named_must_be_there() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--config", "nowhere.toml"]).refused(&["nowhere.toml"]);
    candor.run(["run", PARIS]).ended_with(0);
}

#[test]
fn an_agent_needs_one_way_to_be_reached() {
    let agent = |more: &str| config(&format!("[[agents]]\nagent_type = \"a\"\n{more}\n"));
    agent("").refused(&[
        "candor.toml",
        "[[agents]] 1 (a)",
        "`command`, `http`, `tools`, `model`, `a2a`, `kind`, `builtin`",
    ]);
    agent("command = []").refused(&["[[agents]] 1 (a)", "`command` is empty"]);
    agent("http = \"http://x\"\ncommand = [\"x\"]").refused(&["[[agents]] 1 (a)", "more than one"]);
    agent("builtin = \"noop\"\n[[agents]]\nagent_type = \"a\"\nbuiltin = \"noop\"")
        .refused(&["[[agents]] 2 (a)", "twice"]);
}

#[test]
fn too_few_agents_for_a_goal_is_said_with_the_number() {
    // spec: planning WF-04
    let one = "[[agents]]\nagent_type = \"a\"\nspecialization = \"x\"\nbuiltin = \"noop\"\n";
    let candor = Candor::with_config(&format!("[planning]\nmin_agents = 3\n{one}"));
    let said = candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(1);
    said.tells(&["agents", "3"]);
    let report = candor.run(["report", "run_1"]).ended_with(0);
    assert!(report.stdout.contains("**A plan** — ") && !report.stdout.contains("Every task was done"));
}

#[test]
fn one_agent_without_a_list_of_capabilities_is_enough_for_a_goal() {
    // spec: findings GL-02
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"vet\"\nspecialization = \"Examines animals and writes down what it finds\"\n\
         builtin = \"noop\"\n",
    );
    let said = candor.run(["run", "Examine the dog and write down its weight", "--unattended", "--yes"]);
    said.ended_with(0).shows(&["vet"]);
}

#[test]
fn a_list_of_agents_in_toml_is_checked_line_by_line() {
    agents("a.toml", "[[agents]]\nagent_type = \"a\"\nspecialisation = \"x\"\n").refused(&[
        "a.toml, line 3",
        "specialisation",
        "did you mean `specialization`?",
    ]);
    agents("a.toml", "[[agents]]\nspecialization = \"x\"\n").refused(&["a.toml, line 1", "agent_type"]);
    agents("a.toml", "[[agents]]\nagent_type = \"a\"\n").refused(&[
        "a.toml",
        "agent a",
        "`specialization` or `capabilities`",
    ]);
    agents("a.toml", "agents = 3\n").refused(&["a.toml, line 1"]);
    agents("a.toml", "").refused(&["a.toml", "agents"]);
    agents("a.toml", "[[agents]\n").refused(&["a.toml, line 1"]);
    agents("a.toml", [0xff]).refused(&["a.toml", "UTF-8"]);
}

#[test]
fn a_list_of_agents_in_json_is_checked_field_by_field() {
    agents("a.json", r#"[{"agent_type": "a", "specialization": 3}]"#).refused(&[
        "a.json",
        "[0].specialization",
        "string",
    ]);
    agents("a.json", r#"[{"agent_type": "a"}]"#).refused(&[
        "a.json",
        "agent a",
        "`specialization` or `capabilities`",
    ]);
    agents("a.json", r#"[{"specialization": "a"}]"#).refused(&["a.json", "agent_type"]);
    agents("a.json", r#"[{"agent_type": "", "specialization": "a"}]"#).refused(&["[0].agent_type", "empty"]);
    agents("a.json", "[]").refused(&["a.json", "no agents"]);
    agents("a.json", "[\n{,\n").refused(&["a.json", "line 2"]);
    agents("a.json", [0xff]).refused(&["a.json", "UTF-8"]);
    Candor::new().run(["route", "--agents", "nowhere.json", "x"]).refused(&["nowhere.json"]);
}

#[test]
fn a_pack_that_is_not_there_is_named() {
    config("[packs]\nfolders = [\"nowhere\"]\n").refused(&["nowhere/pack.toml"]);
}

#[test]
fn runs_that_are_not_there_are_named_with_a_way_to_find_one() {
    let candor = Candor::new();
    for command in [
        "status",
        "report",
        "explain",
        "postmortem",
        "logs",
        "watch",
        "resume",
        "restart",
        "pause",
        "cancel",
        "approve",
        "reject",
    ] {
        candor.run([command, "run_9"]).refused(&["no run run_9", "candor list"]);
    }
    candor.run(["answer", "run_9", "retry"]).refused(&["no run run_9"]);
    candor.run(["rollback", "run_9", "0"]).refused(&["no run run_9"]);
    candor.run(["adjust", "run_9", "a", "b", "c"]).refused(&["no run run_9"]);
    candor.run(["status", "last"]).refused(&["no runs"]);
    assert!(!candor.has_data(), "looking makes no folder");
}

#[test]
fn the_beginning_of_a_name_is_enough_if_it_is_one_runs_only() {
    let candor = Candor::new();
    for name in ["run_abc", "run_abd"] {
        candor.run(["run", PARIS, "--run-id", name]).ended_with(0);
    }
    let status = |name: &str| candor.run(["status", name, "--json"]);
    assert_eq!(status("run_abc").ended_with(0).json()["run_id"], "run_abc");
    assert_eq!(status("abc").ended_with(0).json()["run_id"], "run_abc");
    assert_eq!(status("last").ended_with(0).json()["run_id"], "run_abd");
    status("run_ab").refused(&["several runs", "run_abc", "run_abd"]);
}

#[test]
fn a_name_that_cannot_be_one_is_refused_and_one_that_is_taken_too() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "bad name"]).refused(&["--run-id", "bad name"]);
    candor.run(["run", PARIS, "--run-id", "../run"]).refused(&["--run-id"]);
    candor.run(["run", PARIS, "--run-id", ""]).refused(&["--run-id"]);
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let again = candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(2);
    again.tells(&["started before"]);
}
