//! A laboratory reads its instruments through MCP tools.

use serde_json::{Value, json};

use crate::stories::scene::{Story, Told, task};

const READS: &str = "Reads the instruments of the laboratory";

/// A tool agent that needs no model: its task names the step.
fn reading() -> Value {
    let mut task = task("read", "meter", "Read the spectrometer", &[]);
    task["inputs"] =
        json!({ "steps": [{ "id": "one", "tool": "meter.work", "parameters": { "task": "read" } }] });
    task
}

fn lab(script: Value, spare: bool) -> Story {
    let story = Story::new().tools("meter", READS, json!({ "*": script }));
    if spare { story.command("assistant", READS, json!({})) } else { story }
}

fn read(story: &Story) -> Told<'_> {
    story.plan(json!([reading()]))
}

#[test]
fn a_tool_that_fails_once_is_called_again() {
    let story = lab(json!(["error lamp is warming up", "ok"]), true);
    read(&story).exit(0);
    let agents: Vec<Value> = story.received().iter().map(|call| call["agent"].clone()).collect();
    assert_eq!(agents, ["meter", "meter"]);
}

#[test]
fn a_tool_that_fails_for_good_is_no_success() {
    // spec: findings HE-03
    read(&lab(json!(["error lamp is broken"]), false))
        .exit(1)
        .never_says(&["Goal reached"])
        .verdict("not_met");
}

#[test]
fn what_a_tool_cannot_do_another_agent_does() {
    let story = lab(json!(["error lamp is broken"]), true);
    read(&story).exit(0);
    assert_eq!(story.received().last().unwrap()["agent"], "assistant");
}

#[test]
fn a_server_that_dies_is_started_again() {
    read(&lab(json!(["die", "ok"]), false)).exit(0).calls(&[("meter", 2)]);
}
