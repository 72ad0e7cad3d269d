//! Files of rules, the configuration that names them, and what both say when they are wrong.

use serde_json::{Value, json};

use crate::command::phases::TRIPWIRE;
use crate::support::{Candor, PARIS, has_keys};

/// A matrix with a hole at 31.
const HOLE: &str = "[[matrix]]\ncomplexity = { min = 0, max = 30 }\nfiles = { min = 0, max = 1 }\n\
    agents = { min = 1, max = 1 }\nexecution = \"sequential\"\nmodels = { fast = 100 }\n";

fn config(section: &str, file: &str, content: &str) -> Candor {
    let candor = Candor::with_config(&format!("[{section}]\nrules = \"{file}\"\n"));
    candor.write(file, content);
    candor
}

#[test]
fn everything_starts_without_a_file_and_shows_its_defaults() {
    // spec: orchestrator SF-02
    let shown = Candor::new().run(["config", "show", "--json"]).ended_with(0).json();
    has_keys(&shown, &["limits", "guardrails", "scaling", "conflicts", "roster", "validation", "breakers"]);
    assert_eq!(shown["file"], Value::Null);
    assert_eq!(shown["guardrails"]["injection"], "suggest");
    assert_eq!(shown["guardrails"]["rules"].as_array().unwrap().len(), 8);
    assert_eq!(shown["scaling"]["matrix"].as_array().unwrap().len(), 5);
    assert_eq!(shown["limits"]["rooms"]["max_plan_rounds"], 5);
    assert_eq!(shown["limits"]["rooms"]["loop_guard"]["identical_calls"], 3);
    let said = Candor::new().run(["config", "show"]).ended_with(0);
    said.shows(&["limits.rooms.token_budget = 50000", "conflicts.security.auto = false"]);
}

#[test]
fn what_the_files_say_holds() {
    // spec: orchestrator SF-02
    let candor = Candor::with_config(
        "[limits.rooms]\nmax_request_bytes = 40\ntoken_budget = 7\n[limits.rooms.loop_guard]\n\
         steps_without_progress = 0\n[guardrails]\nrules = \"rules.json\"\nsecrets = \"block\"\n\
         [validation]\nallowed_commands = [\"cargo\"]\n",
    );
    candor.write("rules.json", TRIPWIRE);
    let shown = candor.run(["config", "show", "--json"]).ended_with(0).json();
    assert_eq!(
        (&shown["guardrails"]["secrets"], &shown["guardrails"]["file"]),
        (&json!("block"), &json!("rules.json"))
    );
    assert_eq!(shown["guardrails"]["rules"][8]["skillId"], "no-trade-secrets");
    assert_eq!(shown["limits"]["rooms"]["token_budget"], 7);
    assert_eq!(shown["limits"]["rooms"]["loop_guard"]["steps_without_progress"], 0);
    assert_eq!(shown["validation"]["allowed_commands"], json!(["cargo"]));
    candor.run(["run", PARIS]).refused(&["53 bytes", "40"]);
}

#[test]
fn a_bad_file_of_rules_stops_every_command_with_file_line_and_field() {
    // spec: orchestrator GR-03 SC-15 SF-03
    let bad = TRIPWIRE.replace("\"block\"", "\"forbid\"");
    let candor = config("guardrails", "rules.json", &bad);
    let said =
        candor.run(["run", PARIS]).refused(&["guardrails.rules", "rules.json:1:", "enforcement", "forbid"]);
    assert_eq!(said.stderr.lines().count(), 1, "one message: {}", said.stderr);
    assert!(!candor.has_data());
    let candor = config(
        "guardrails",
        "rules.json",
        &TRIPWIRE.replace("\"tripwire\"", "\"dependsOn\": [\"nobody\"], \"tripwire\""),
    );
    candor.run(["run", PARIS]).refused(&["rules.json:", "dependsOn", "nobody"]);
    let candor = config("scaling", "scaling.toml", HOLE);
    candor.run(["run", PARIS]).refused(&["scaling.rules", "scaling.toml:", "matrix"]);
    let candor = config("conflicts", "conflicts.toml", "[security]\nauto = true\n");
    candor.run(["status", "last"]).ended_with(2);
    candor.run(["run", PARIS]).refused(&["conflicts.toml:2: security.auto"]);
    let candor =
        config("roster", "roster.toml", "[[agents]]\nname = \"x\"\ndescription = \"y\"\nmodel = \"huge\"\n");
    candor.run(["agents"]).refused(&["roster.toml:4: agents[0].model", "huge"]);
}

#[test]
fn a_bad_section_names_the_file_and_the_key() {
    // spec: orchestrator SF-03
    let refused = |text: &str, words: &[&str]| {
        Candor::with_config(text).run(["run", PARIS]).refused(&["candor.toml"]).tells(words);
    };
    refused("[guardrails]\ninjection = \"shout\"\n", &["line 2", "injection"]);
    refused("[guardrails]\nrule = \"x.json\"\n", &["rule", "did you mean `rules`"]);
    refused("[guardrails]\nrules = \"nowhere.json\"\n", &["guardrails.rules", "nowhere.json"]);
    refused("[scaling]\nrules = \"candor.toml.txt\"\n", &["scaling.rules"]);
    refused("[validation]\nallowed_commands = [\"cargo\", \"\"]\n", &["allowed_commands[1]", "is empty"]);
    refused("[limits.rooms]\ntoken_budget = -1\n", &["line 2", "token_budget"]);
}

#[test]
fn a_file_of_rules_can_be_checked_alone() {
    // spec: orchestrator CM-04 GR-03 SC-15
    let candor = Candor::new();
    candor.write("rules.json", TRIPWIRE);
    candor.run(["rules", "check", "rules.json"]).ended_with(0).shows(&["rules.json: guardrails, 9 rules"]);
    let told = candor.run(["rules", "check", "rules.json", "--json"]).ended_with(0).json();
    assert_eq!((&told["kind"], &told["ok"]), (&json!("guardrails"), &json!(true)));
    candor.write(
        "cycle.json",
        TRIPWIRE.replace("\"tripwire\"", "\"dependsOn\": [\"no-trade-secrets\"], \"tripwire\""),
    );
    candor.run(["rules", "check", "cycle.json"]).refused(&["cycle.json:2:", "dependsOn"]);
    candor.write("phase.json", TRIPWIRE.replace("no-trade-secrets", "phase-9-sleep"));
    candor.run(["rules", "check", "phase.json"]).refused(&["unknown phase", "phase-9-sleep"]);
    candor.write("hole.toml", HOLE);
    candor.run(["rules", "check", "hole.toml"]).refused(&["hole.toml:", "matrix"]);
    candor.write("broken.json", "{\n\"rules\": [\n");
    candor.run(["rules", "check", "broken.json"]).refused(&["broken.json:", "not valid JSON"]);
    candor.write("what.toml", "color = \"blue\"\n");
    candor.run(["rules", "check", "what.toml"]).refused(&["what.toml", "--kind"]);
    candor.run(["rules", "check", "what.toml", "--kind", "scaling"]).refused(&["what.toml:1: color"]);
    candor.run(["rules", "check", "rules.yaml"]).refused(&["rules.yaml"]);
    candor.run(["rules", "check", "rules.json", "--kind", "laws"]).refused(&["laws"]);
    assert!(!candor.has_data());
}

#[test]
fn the_roster_is_listed_by_phase() {
    // spec: orchestrator AG-02
    let candor = Candor::new();
    let roster = candor.run(["agents", "--roster", "--json"]).ended_with(0).json();
    let of = |phase: usize| -> Vec<String> {
        let agents = roster["phases"][phase]["agents"].as_array().unwrap();
        agents.iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
    };
    let expected: [(usize, &[&str]); 6] = [
        (
            1,
            &[
                "keyword-detector",
                "complexity-scorer",
                "prompt-quality-scorer",
                "confidence-assessor",
                "prompt-enhancer-agent",
            ],
        ),
        (2, &["context-loader", "memory-retriever"]),
        (3, &["task-lister-agent", "task-decomposer-agent"]),
        (4, &["strategy-planner", "plan-iterator-agent"]),
        (6, &["validation-agent"]),
        (7, &["pattern-detector", "knowledge-consolidator"]),
    ];
    for (phase, names) in expected {
        let there = of(phase);
        for name in names {
            assert!(there.iter().any(|it| it == name), "{name} is not in phase {phase}: {there:?}");
        }
    }
    candor.run(["agents", "--roster"]).ended_with(0).shows(&["1 evaluation", "keyword-detector", "balanced"]);
}

#[test]
fn metrics_are_averages_over_the_runs_and_seeds_before() {
    // spec: orchestrator PM-01 PM-03 PM-05 PM-06 PM-08
    let candor = Candor::new();
    let empty = candor.run(["metrics", "--json"]).ended_with(0).json();
    assert_eq!((&empty["runs"], &empty["phaseMetrics"]["1"]["seed"]), (&json!(0), &json!(true)));
    assert_eq!(empty["phaseMetrics"]["1"]["tokensUsed"], 320);
    assert!(!candor.has_data(), "looking makes nothing");
    candor.run(["metrics"]).ended_with(0).shows(&["No runs yet", "first guess"]);
    for run in ["run_1", "run_2", "run_3"] {
        candor.run(["run", PARIS, "--run-id", run]).ended_with(0);
    }
    let metrics = candor.run(["metrics", "--all", "--json"]).ended_with(0).json();
    assert_eq!(metrics["runs"], 3);
    for phase in 0..8 {
        let record = &metrics["phaseMetrics"][phase.to_string()];
        assert_eq!(
            (&record["runs"], &record["seed"], &record["successRate"]),
            (&json!(3), &json!(false), &json!(1.0))
        );
    }
    has_keys(&metrics["evaluationCriteria"]["5"], &["execution_success", "artifact_quality"]);
    assert_eq!(metrics["sessions"].as_array().unwrap().len(), 3);
    assert_eq!(metrics["lastRun"]["taskId"], "run_3");
    // What a fork shares with another run is counted once.
    candor.run(["fork", "run_1", "--phase", "4", "--run-id", "run_4"]).ended_with(0);
    let metrics = candor.run(["metrics", "--json"]).json();
    assert_eq!(metrics["phaseMetrics"]["1"]["runs"], 3);
    assert_eq!(metrics["phaseMetrics"]["5"]["runs"], 4);
    candor.run(["metrics", "--all"]).ended_with(0).shows(&["run_4", "execution", "last run (run_4)"]);
}

#[test]
fn figures_over_runs_that_have_ended_do_not_read_their_events_again() {
    // spec: findings DU-07
    let candor = Candor::new();
    for run in ["run_1", "run_2", "run_3"] {
        candor.run(["run", PARIS, "--run-id", run]).ended_with(0);
    }
    let log = || rusqlite::Connection::open(candor.path("data/candor.db")).unwrap();
    let kept = || -> i64 {
        let sql = "SELECT count(*) FROM notes WHERE stream = 'run_metrics'";
        log().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(kept(), 3, "kept as each run ended");
    let shown = candor.run(["metrics", "--all", "--json"]).ended_with(0).json();
    // As after an update: nothing was kept, and everything is computed from the events, once.
    log().execute("DELETE FROM notes WHERE stream = 'run_metrics'", []).unwrap();
    assert_eq!(candor.run(["metrics", "--all", "--json"]).ended_with(0).json(), shown);
    assert_eq!(kept(), 3, "kept for the next time");
    // A run that went on is computed again.
    candor.run(["restart", "run_2"]).ended_with(0);
    let again = candor.run(["metrics", "--json"]).ended_with(0).json();
    assert_eq!(again["phaseMetrics"]["5"]["runs"], 4);
    // The events of the others are not looked at: nobody notices that they are gone.
    log().execute("UPDATE events SET body = '' WHERE run = 'run_1' AND position > 3", []).unwrap();
    assert_eq!(candor.run(["metrics", "--json"]).ended_with(0).json(), again);
}
