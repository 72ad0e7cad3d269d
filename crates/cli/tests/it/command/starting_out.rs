//! The first minutes: help, version, init, doctor, completions, and words that are no command.

use serde_json::json;

use crate::command::terminal::at_terminal_of;
use crate::support::{Candor, PARIS, Said};

/// A command in whose environment no model is to be found.
fn without_models(candor: &Candor, args: &[&str]) -> std::process::Command {
    let mut command = candor.command(["--data", "data"]);
    command.args(args).env("OLLAMA_HOST", "127.0.0.1:1");
    for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(name);
    }
    command
}

#[test]
fn init_writes_an_agent_and_a_plan_that_run() {
    // spec: findings UX-07
    let candor = Candor::new();
    let said = Said::of(without_models(&candor, &["init"]).output().unwrap()).ended_with(0);
    said.tells(&[
        "candor.toml",
        "agents/word_counter.py",
        "no model was found",
        "candor run --plan plan.json",
    ]);
    let doctor = candor.run(["doctor", "--json"]).ended_with(0).json();
    assert_eq!(doctor["ok"], true);
    candor.run(["run", "--plan", "plan.json", "--strict"]).ended_with(0).shows(&["2 of 2 criteria"]);
    candor.run(["run", PARIS]).ended_with(0);
    candor.run(["init", "--full", "all"]).ended_with(0);
    let full = std::fs::read_to_string(candor.path("all/candor.toml")).unwrap();
    assert!(full.contains("[limits.retry]") && full.contains("[guardrails]"), "every key is there");
}

/// A program of somebody's own that speaks the protocol.
const SORTER: &str =
    "import json, sys\norder = json.load(sys.stdin)\nprint(json.dumps({\"outputs\": {\"sorted\": 12}}))\n";

#[test]
fn init_sets_up_a_program_a_service_or_a_model_by_options() {
    // spec: findings UX-07
    let candor = Candor::new();
    candor.write("sort-seeds.py", SORTER);
    let init =
        |args: &[&str]| Said::of(without_models(&candor, &[&["init"], args].concat()).output().unwrap());
    init(&["--command", "python3 sort-seeds.py"]).refused(&["--does"]);
    init(&["--kind", "http", "--does", "Sorts"]).refused(&["--url"]);
    init(&["--kind", "model"]).refused(&["no model was found", "--model PROVIDER/NAME"]);
    init(&["--model", "deep-thought"]).refused(&["anthropic/NAME", "ollama/NAME"]);
    assert!(!candor.path("candor.toml").exists(), "nothing was written");
    init(&["--command", "python3 sort-seeds.py", "--does", "Sorts \"seeds\" by size", "--model", "none"])
        .ended_with(0);
    candor.run(["doctor"]).ended_with(0);
    let said = candor.run(["run", "--plan", "plan.json", "--run-id", "run_1"]).ended_with(0);
    said.shows(&["Sorts \"seeds\" by size"]);
    let report = candor.run(["report", "run_1", "--json"]).json();
    assert_eq!(report["plan"]["subtasks"][0]["agent_type"], "sort_seeds");
    init(&["away", "--url", "http://seeds.example:8080/tasks", "--does", "Sorts seeds", "--model", "none"])
        .ended_with(0);
    let agents = candor.run(["--config", "away/candor.toml", "agents", "--json"]).ended_with(0).json();
    assert!(agents["agents"].as_array().unwrap().iter().any(|it| it["declared"]["agent_type"] == "seeds"));
    init(&["asks", "--kind", "model", "--model", "openai/gpt-5-mini"])
        .ended_with(0)
        .tells(&["OPENAI_API_KEY is not set"]);
    assert!(!candor.path("asks/plan.json").exists(), "any goal will do");
    let models = candor.run(["--config", "asks/candor.toml", "models", "--json"]).ended_with(0).json();
    assert_eq!(models["tiers"][0]["model"], "gpt-5-mini", "{models}");
}

/// The commands of a shell that leave no model to be found.
const NO_MODELS: &str =
    "export OLLAMA_HOST=127.0.0.1:1; unset ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY; ";

#[test]
fn init_asks_on_a_terminal_what_to_set_up() {
    // spec: findings UX-07
    let candor = Candor::new();
    candor.write("sort-seeds.py", SORTER);
    let setup = format!("{NO_MODELS}export GEMINI_API_KEY=x; ");
    let answers = [
        ("4 model", "what\n"),
        ("Invalid choice: what", "?\n"),
        ("Nothing is written until the end", "c\n"),
        ("Its command [python3 sort-seeds.py]: ", "\n"),
        ("What does it do", "\n"),
        ("cannot be used here", "Sorts seeds by size\n"),
        ("Which model?", "none\n"),
    ];
    let seen = at_terminal_of(&setup, &candor, &["init"], &answers);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    assert!(seen.screen.contains("In this folder: sort-seeds.py"), "{}", seen.screen);
    candor.run(["run", "--plan", "plan.json"]).ended_with(0).shows(&["Sorts seeds by size"]);
    // What is there already is refused before anything is asked.
    let again = at_terminal_of(&setup, &candor, &["init"], &[]);
    assert_eq!(again.code, 2, "{}", again.screen);
    let left = at_terminal_of(NO_MODELS, &candor, &["init", "left"], &[("Which agent", "\u{4}")]);
    assert!(left.code == 2 && !candor.path("left").exists(), "{}", left.screen);
}

#[test]
fn init_finds_a_model_in_the_environment() {
    // spec: findings UX-07
    for (variable, provider) in
        [("ANTHROPIC_API_KEY", "anthropic"), ("OPENAI_API_KEY", "openai"), ("GEMINI_API_KEY", "gemini")]
    {
        let candor = Candor::new();
        let mut command = without_models(&candor, &["init"]);
        let said = Said::of(command.env(variable, "not-a-key").output().unwrap()).ended_with(0);
        said.tells(&[&format!("model {provider}/"), &format!("{variable} is set"), "candor run \""]);
        let written = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
        assert!(!written.contains("not-a-key"), "the key stays where it is");
        let agents = candor.run(["agents"]).ended_with(0);
        agents.shows(&["word_counter", "researcher", "writer", "reviewer"]);
    }
}

#[test]
fn a_goal_that_nobody_can_do_is_told_before_it_begins() {
    // spec: findings GL-02 UX-02
    let candor = Candor::new();
    let said = candor.run(["run", "Prune the apple trees and repaint the barn"]).ended_with(1);
    let said = said.tells(&[
        "no agent can do this yet",
        "1. Prune the apple trees",
        "2. ",
        "Three ways",
        "candor init",
    ]);
    assert_eq!(said.stderr.matches("no agent can").count(), 1, "{}", said.stderr);
    assert_eq!(said.stdout, "", "no phase has begun");
    assert_eq!(candor.run(["list", "--json"]).json(), json!([]), "there is no run of it");
    candor.run(["plan", "Prune the apple trees"]).ended_with(1).tells(&["no agent can do this yet"]);
}

#[test]
fn a_second_init_refuses_and_leaves_the_file_alone() {
    let candor = Candor::with_config("# mine\n");
    candor.run(["init"]).refused(&["candor.toml", "left as it is"]);
    assert_eq!(std::fs::read_to_string(candor.path("candor.toml")).unwrap(), "# mine\n");
}

#[test]
fn init_can_make_a_folder() {
    let candor = Candor::new();
    candor.run(["init", "new/project"]).ended_with(0);
    assert!(candor.path("new/project/candor.toml").is_file());
}

#[test]
fn doctor_says_what_is_wrong_and_what_to_do() {
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"ghost\"\nspecialization = \"x\"\ncommand = [\"no-such-program-here\"]\n",
    );
    let said = candor.run(["doctor"]).ended_with(1);
    said.shows(&["FAIL", "ghost", "no program no-such-program-here", "install it"]);
    let found = candor.run(["doctor", "--json"]).ended_with(1).json();
    assert_eq!(found["ok"], false);
    let checks = found["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["check"] == "ghost" && check["ok"] == json!(false)));
}

#[test]
fn doctor_reports_a_broken_configuration() {
    let candor = Candor::with_config("[limts]\n");
    candor.run(["doctor"]).ended_with(1).shows(&["FAIL", "candor.toml, line 1", "did you mean `limits`?"]);
}

#[test]
fn completions_come_for_a_shell() {
    let candor = Candor::new();
    candor.run(["completions", "bash"]).ended_with(0).shows(&["_candor", "postmortem"]);
    for shell in ["zsh", "fish"] {
        candor.run(["completions", shell]).ended_with(0).shows(&["postmortem"]);
    }
    candor.run(["completions", "cmd"]).refused(&["bash"]);
}

#[test]
fn help_and_version_are_answers_and_nonsense_is_not() {
    let candor = Candor::new();
    let said = candor.run(["--help"]).ended_with(0);
    said.shows(&["run ", "plan ", "postmortem", "--data", "CANDOR_DATA"]);
    let help = candor.run(["--help"]).ended_with(0).stdout;
    let titles = ["Run:\n", "Inspect:\n", "Decide:\n", "Time travel:\n", "Set up and serve:\n", "Options:\n"];
    let places: Vec<_> = titles.map(|title| help.find(title).unwrap()).into();
    assert!(places.is_sorted(), "{help}");
    candor.run(["run", "--help"]).ended_with(0).shows(&["--plan", "--unattended"]);
    // spec: findings UX-07
    let start = Said::of(candor.command([""; 0]).output().unwrap()).ended_with(0).stdout;
    assert!(start.lines().count() < 12 && start.contains("candor init"), "{start}");
    candor.run(["--version"]).ended_with(0).shows(&["candor 0."]);
    candor.run(["runn", "x"]).refused(&["runn", "'run'"]);
    candor.run(["status"]).refused(&["<RUN>"]);
    candor.run(["run", "--nonsense"]).refused(&["--nonsense"]);
    candor.run(["list", "--limit", "many"]).refused(&["many"]);
}

#[test]
fn every_command_explains_itself() {
    let candor = Candor::new();
    let commands = [
        "run",
        "plan",
        "goal",
        "route",
        "status",
        "list",
        "watch",
        "resume",
        "pause",
        "cancel",
        "approve",
        "reject",
        "adjust",
        "ask",
        "choose",
        "modify",
        "regenerate",
        "revert",
        "answer",
        "rollback",
        "restart",
        "fork",
        "report",
        "explain",
        "postmortem",
        "logs",
        "agents",
        "metrics",
        "config",
        "rules",
        "packs",
        "init",
        "doctor",
        "completions",
    ];
    for command in commands {
        candor.run([command, "--help"]).ended_with(0).shows(&["Usage: candor"]);
    }
}

#[test]
fn the_data_folder_can_come_from_the_environment() {
    let candor = Candor::new();
    let run = |args: &[&str]| {
        let mut command = candor.command(args);
        Said::of(command.env("CANDOR_DATA", "elsewhere").output().unwrap())
    };
    run(&["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    assert!(candor.path("elsewhere/candor.db").is_file());
    assert_eq!(run(&["list", "--json"]).json()[0]["run_id"], "run_1");
}

#[test]
fn without_a_named_folder_runs_are_kept_in_the_platforms() {
    let candor = Candor::new();
    let said = Said::of(candor.command(["run", PARIS]).output().unwrap());
    said.ended_with(0);
    if cfg!(target_os = "linux") {
        assert!(candor.path("share/candor/candor.db").is_file());
    }
}
