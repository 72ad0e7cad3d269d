//! Calls that need a person's leave.

use std::fs;

use serde_json::json;

use crate::tools::bench::{Bench, called, errors, question};

const FILES: &str = "[tools.builtin]\nfolder = \"work\"\nwritable = true\n";
/// With `--json` nobody could be asked.
const ATTENDED: &str = "[limits]\nunattended = false\n";

fn two_writes() -> serde_json::Value {
    let write = |id: &str| {
        json!({"id": id, "tool": "write_file",
        "parameters": {"path": format!("{id}.txt"), "content": id, "mode": "overwrite"}, "save_as": id})
    };
    json!([write("one"), write("two")])
}

fn bench(mission: &str) -> Bench {
    let bench = Bench::new(&["write_file"], &format!("{mission}\n{FILES}{ATTENDED}"));
    bench.plan_of(&[json!({"task_id": "a", "description": "Write", "agent_type": "keeper",
        "inputs": { "steps": two_writes() }, "expected_outputs": ["two"]})]);
    bench
}

fn written(bench: &Bench) -> Vec<bool> {
    ["one", "two"].map(|name| bench.candor.path(&format!("work/{name}.txt")).exists()).to_vec()
}

#[test]
fn each_call_that_can_destroy_is_asked_for_unless_all_are_allowed() {
    // spec: beyond BY-03 BY-15
    let bench = bench("");
    let events = bench.run(3);
    assert!(
        question(&events)
            .starts_with("May write_file be called? It changes something for good (irreversible).")
    );
    assert!(question(&events).contains("one.txt"), "what is allowed is shown");
    assert_eq!(written(&bench), [false, false]);
    let events = bench.answer(&["allow"], 3);
    assert!(question(&events).contains("two.txt"), "leave for one call is not leave for another");
    assert_eq!(written(&bench), [true, false]);
    let events = bench.answer(&["allow"], 0);
    assert_eq!(called(&events), ["write_file"], "what was done is not done again");
    assert_eq!(written(&bench), [true, true]);
}

#[test]
fn a_new_file_is_made_without_asking() {
    // spec: findings UX-08
    let bench = Bench::new(&["write_file"], FILES);
    let write = json!([{"id": "one", "tool": "write_file", "parameters": {"path": "one.txt", "content": "x"}, "save_as": "one"}]);
    bench.plan_of(&[json!({"task_id": "a", "description": "Write", "agent_type": "keeper",
        "inputs": { "steps": write }, "expected_outputs": ["one"]})]);
    let events = bench.run(0);
    assert!(events.all("human_asked").is_empty());
    assert!(bench.candor.path("work/one.txt").exists());
}

#[test]
fn leave_for_the_tool_holds_for_all_its_calls() {
    // spec: beyond BY-15
    let bench = bench("");
    bench.run(3);
    let events = bench.answer(&["all"], 0);
    assert!(events.all("human_asked").is_empty());
    assert_eq!(written(&bench), [true, true]);
}

#[test]
fn nobody_is_asked_where_the_configuration_allows_the_class() {
    // spec: beyond BY-15 findings SE-03
    let allowed = bench("[approval]\nallow = [\"irreversible\"]");
    let events = allowed.run(0);
    assert!(events.all("human_asked").is_empty());
    assert_eq!(written(&allowed), [true, true]);

    let other = bench("[agents.mission]\napprove = \"never\"");
    other.run(3);
    assert_eq!(written(&other), [false, false], "what cannot be undone is left to `allow`");
}

#[test]
fn unattended_a_call_that_cannot_be_undone_is_refused_at_once_with_the_flag_that_allows_it() {
    // spec: findings SE-03
    let refused = bench("");
    let run = ["run", "--plan", "plan.json", "--run-id", "run_1", "--unattended"];
    refused.told(&run, 1);
    assert_eq!(written(&refused), [false, false]);
    let told = errors(&refused.log());
    assert!(told.contains("without --allow irreversible"), "{told}");
    let shown = refused.candor.run(["status", "run_1"]);
    let shown: Vec<&str> = shown.stdout.split_whitespace().collect();
    assert!(shown.join(" ").contains("--allow irreversible"), "{shown:?}");
    assert!(called(&refused.log()).is_empty(), "{:?}", called(&refused.log()));

    let allowed = bench("");
    allowed.told(&[&run[..], &["--allow", "irreversible"]].concat(), 0);
    assert_eq!(written(&allowed), [true, true]);
}

#[test]
fn a_call_that_is_denied_is_not_made_and_that_is_told() {
    // spec: beyond BY-10 BY-15
    let bench = bench("");
    bench.run(3);
    let events = bench.answer(&["deny", "--text", "not on a Sunday"], 3);
    assert!(question(&events).contains("two.txt"), "the other step still has its turn");
    let events = bench.answer(&["allow"], 0);
    assert_eq!(written(&bench), [false, true]);
    let log = bench.log();
    let told = errors(&log) + &events.0.iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("a person did not allow it: not on a Sunday"), "{told}");
    assert_eq!(fs::read_dir(bench.candor.path("work")).unwrap().count(), 1);
}

#[test]
fn a_tool_that_is_not_among_an_agents_tools_is_denied_and_that_is_on_record() {
    // spec: orchestrator AG-03
    let bench = Bench::new(&["read_file"], FILES);
    bench.plan_of(&[json!({"task_id": "a", "description": "Write", "agent_type": "keeper",
        "inputs": { "steps": two_writes() }, "expected_outputs": ["two"]})]);
    let events = bench.run(1);
    assert_eq!(written(&bench), [false, false]);
    let told = errors(&bench.log()) + &events.0.iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("there is no tool write_file that this task may use"), "{told}");
}
