//! Quality gates of projects and packs: a planted secret, a failing lint and a failing test each fail validation.

use serde_json::Value;

use crate::support::{Candor, Events};

const REQUEST: &str = "Write the greeting module of the kiosk";

/// Writes a file of Python, and tells of it. What is in it depends on what was refused before.
const WRITER: &str = "import json, sys\n\
    order = json.load(sys.stdin)\n\
    again = 'refused' in json.dumps(order['brief'])\n\
    open('greeting.py', 'w').write(open('good.txt' if again and len(sys.argv) > 1 else 'first.txt').read())\n\
    print(json.dumps({'outputs': {'file': 'greeting.py', 'lines': 2}}))\n";

const GOOD: &str = "def greet():\n    return 'hello'\n";

fn folder(gates: &str, first: &str, learns: bool) -> Candor {
    let learns = if learns { ", \"learns\"" } else { "" };
    let candor = Candor::with_config(&format!(
        "[planning]\nmin_agents = 1\n[[agents]]\nagent_type = \"programmer\"\n\
         specialization = \"Writes modules in Python\"\ncapabilities = [\"write_module\"]\n\
         command = [\"python3\", \"writer.py\"{learns}]\n{gates}"
    ));
    candor.write("writer.py", WRITER);
    candor.write("first.txt", first);
    candor.write("good.txt", GOOD);
    candor.write("check.py", "from greeting import greet\nassert greet() == 'hello', 'greet() is wrong'\n");
    candor
}

fn gate(name: &str, check: &str, more: &str) -> String {
    format!("[[gates]]\nname = \"{name}\"\ncheck = \"{check}\"\n{more}\n")
}

const LINT: &str = "command: python3 -m py_compile greeting.py";
const TESTS: &str = "command: python3 check.py";
const SECRETS: &str = "no secrets in changed files";

fn criteria(events: &Events) -> Vec<Value> {
    events.only("outcome_recorded")["assessment"]["criteria"].as_array().unwrap().clone()
}

#[test]
fn a_planted_secret_a_failing_lint_and_a_failing_test_each_fail_validation() {
    // spec: orchestrator SX-05
    let planted = "KEY = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'\ndef greet():\n    return 'hello'\n";
    for (check, first, told) in [
        (SECRETS, planted, "greeting.py:1"),
        (LINT, "def greet(:\n", "SyntaxError"),
        (TESTS, "def greet():\n    return 'bye'\n", "greet() is wrong"),
    ] {
        let candor = folder(&gate("quality", check, ""), first, false);
        let said = candor.run(["run", REQUEST, "--yes", "--plain"]).ended_with(1);
        assert!(said.stdout.contains("gate quality") && said.stdout.contains(told), "{}", said.stdout);
        assert!(!said.stdout.contains("ghp_16C7"), "the value itself is not told");
        let (said, events) =
            folder(&gate("quality", check, ""), first, false).events(&["run", REQUEST, "--yes"]);
        said.ended_with(1);
        assert_eq!(events.only("outcome_recorded")["assessment"]["verdict"], "not_met", "{check}");
        let failed = criteria(&events).into_iter().find(|it| it["source"] == "gate").unwrap();
        assert_eq!(failed["result"], "does_not_hold");
        assert!(failed["criterion"].as_str().unwrap().contains(check) && !failed["evidence"].is_null());
    }
}

#[test]
fn an_agent_whose_file_does_not_pass_is_told_why_and_does_it_again() {
    let (said, events) =
        folder(&gate("lint", LINT, ""), "def greet(:\n", true).events(&["run", REQUEST, "--yes"]);
    said.ended_with(0);
    assert!(events.only("task_reopened")["reason"].as_str().unwrap().contains("gate lint failed"));
    assert!(criteria(&events).iter().any(|it| it["source"] == "gate" && it["result"] == "holds"));
}

#[test]
fn gates_that_hold_are_told_and_those_that_only_warn_do_not_fail_the_run() {
    let gates = [
        gate("lint", LINT, ""),
        gate("types", "output lines is a number", ""),
        gate("files", "file exists: greeting.py", ""),
        gate("secrets", SECRETS, ""),
        gate("style", "file exists: STYLE.md", "severity = \"warning\""),
        gate("audit", "command: no-such-audit-tool --all", "optional = true"),
    ]
    .concat();
    let (said, events) = folder(&gates, GOOD, false).events(&["run", REQUEST, "--yes"]);
    said.ended_with(0);
    let held =
        criteria(&events).iter().filter(|it| it["source"] == "gate" && it["result"] == "holds").count();
    assert_eq!(held, 4, "{:?}", criteria(&events));
    let completed = events.all("phase_completed").into_iter().find(|it| it["phase"] == "validation").unwrap();
    let warnings = completed["handoff"]["data"]["warnings"].to_string();
    assert!(warnings.contains("gate style") && warnings.contains("gate audit was skipped"), "{warnings}");
}

#[test]
fn a_coverage_below_what_is_wanted_fails_the_gate() {
    let tool = |percent: u8| {
        let check = format!("command: python3 -c 'print(\\\"TOTAL 10 2 {percent}%\\\")'");
        let candor = folder(&gate("tests", &check, "coverage = 80"), GOOD, false);
        candor.run(["run", REQUEST, "--yes", "--plain"])
    };
    let low = tool(71).ended_with(1);
    assert!(low.stdout.contains("coverage 71 %, at least 80 % wanted"), "{}", low.stdout);
    tool(92).ended_with(0);
}

#[test]
fn a_gate_that_could_never_be_checked_is_an_error_before_anything_runs() {
    let said =
        folder(&gate("odd", "it looks nice", ""), GOOD, false).run(["run", REQUEST, "--yes"]).ended_with(2);
    assert!(said.stderr.contains("gates[0].check"), "{}", said.stderr);
}
