//! `kind = "code"`: agents that write code, as nodes of a plan that pass their context on.

use serde_json::json;

use crate::code::bench::{Bench, Script};
use crate::support::Events;

const AGENT: &str = "[[agents]]\nagent_type = \"coder\"\nkind = \"code\"\n\
                     specialization = \"computes things from data\"\ncapabilities = [\"compute\"]\n";

// spec: code-agent ST-14, OR-13, OR-18
#[test]
fn the_next_node_gets_the_context_and_nothing_of_how_it_came_about() {
    let net = "context['net'] = context['gross'] - context['tax']\n";
    let doubled = "context['doubled'] = context['net'] * 2\n";
    let bench = Bench::new(Script::writing(&[net, doubled]), AGENT);
    let plan = json!({ "subtasks": [
        { "task_id": "first", "description": "Work out the net amount", "agent_type": "coder",
          "inputs": { "gross": 120, "tax": 20 }, "expected_outputs": ["net"] },
        { "task_id": "second", "description": "Double the net amount", "agent_type": "coder",
          "dependencies": ["first"], "expected_outputs": ["doubled"] },
    ] });
    bench.candor.write("plan.json", plan.to_string());
    let said = bench.run(&["run", "--plan", "plan.json", "--json", "--yes"]).ended_with(0);
    let events = Events(said.lines());
    let outputs: Vec<_> = events
        .all("task_succeeded")
        .iter()
        .map(|event| event["feedback"]["actual_outputs"].clone())
        .collect();
    assert_eq!(outputs[0], json!({ "gross": 120, "tax": 20, "net": 100 }));
    assert_eq!(outputs[1], json!({ "gross": 120, "tax": 20, "net": 100, "doubled": 200 }));
    for seen in bench.server.seen() {
        assert!(!seen.says("_ai_metadata"), "metadata is for the chain of work only");
    }
    let worked = events.all("agent_noted").into_iter().filter(|event| event["note"].get("worked").is_some());
    assert!(worked.count() >= 10, "the chain of work is on the log");
}

#[test]
fn a_code_agent_is_declared_like_any_other_and_wrong_kinds_are_refused() {
    let bench = Bench::new(Script::writing(&["pass"]), &AGENT.replace("\"code\"", "\"coed\""));
    bench.run(&["agents"]).ended_with(2).tells(&["coed", "code"]);
    let bench = Bench::new(Script::writing(&["pass"]), AGENT);
    bench.run(&["agents"]).ended_with(0).shows(&["coder"]);
    bench.run(&["doctor"]).shows(&["code", "Python 3"]);
}

#[test]
fn a_task_that_no_code_solves_is_written_three_times_in_all_also_in_a_plan() {
    // spec: findings RC-18
    let bench = Bench::new(Script::writing(&["raise ValueError('no column price')"]), AGENT);
    let task = json!({ "task_id": "t", "description": "Add up the prices", "agent_type": "coder",
        "inputs": { "rows": [1, 2] }, "expected_outputs": ["sum"] });
    bench.candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    let said = bench.run(&["run", "--plan", "plan.json", "--unattended", "--run-id", "run_1"]);
    said.ended_with(1).tells(&["no column price"]);
    assert_eq!(bench.asked("write_code").len(), 3);
    assert_eq!(bench.asked("analyse_input").len(), 1);
}

#[test]
fn the_failure_of_given_code_has_the_kind_of_what_happened_in_the_sandbox() {
    // spec: findings RC-01
    for (code, kind, transience, says) in [
        ("raise ValueError('row 7, http timeout=30s')", "task_error", "permanent", "ValueError: row 7"),
        ("while True: pass", "timeout", "transient", "1 s"),
        ("context = 7", "bad_output", "unknown", "context"),
        ("def broken(:", "bad_output", "unknown", "code_validation"),
    ] {
        let bench = Bench::new(Script::writing(&["pass"]), &format!("{AGENT}[code]\ntimeout = 1\n"));
        let task = json!({ "task_id": "t", "description": "Compute it", "agent_type": "coder",
            "inputs": { "python": code }, "expected_outputs": ["sum"] });
        bench.candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
        let said = bench.run(&["run", "--plan", "plan.json", "--json", "--yes"]);
        let events = Events(said.lines());
        let failure = &events.all("task_failed")[0]["feedback"]["failure"];
        assert_eq!(
            (&failure["kind"], &failure["transience"]),
            (&json!(kind), &json!(transience)),
            "{failure}"
        );
        assert!(failure["message"].as_str().unwrap().contains(says), "{failure}");
    }
}
