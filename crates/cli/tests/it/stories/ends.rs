//! How stories end: what was checked, and what was only said.

use serde_json::{Value, json};

use crate::stories::scene::{Story, task};

const WRITES: &str = "Writes minutes of meetings";

fn minutes(validation: Option<&str>) -> Value {
    let mut minutes = task("minutes", "clerk", "Write the minutes of the meeting", &[]);
    if let Some(validation) = validation {
        minutes["metadata"] = json!({ "validation": validation });
    }
    minutes
}

#[test]
fn an_agent_that_lies_about_a_file_does_not_reach_the_goal() {
    // spec: findings HE-02
    let lie = json!({ "outputs": { "result": "I wrote minutes.txt", "file": "minutes.txt" } });
    let story = Story::new().command("clerk", WRITES, json!({ "*": [lie] }));
    story.plan(json!([minutes(None)])).exit(1).never_says(&["Goal reached"]).verdict("not_met");
}

#[test]
fn a_file_that_is_there_is_evidence() {
    // spec: findings HE-01
    let done = json!({ "write": { "minutes.txt": "All agreed." }, "outputs": { "result": "done" } });
    let story = Story::new().command("clerk", WRITES, json!({ "*": [done] }));
    story.plan(json!([minutes(Some("file exists: minutes.txt"))])).exit(0).verdict("verified");
}

#[test]
fn what_nobody_checked_is_not_reached_and_strict_says_so_with_its_exit_code() {
    // spec: findings HE-01
    let story = Story::new().command("clerk", WRITES, json!({}));
    let told = story.plan(json!([minutes(None)])).exit(0).never_says(&["Goal reached"]);
    told.verdict("unverified");
    story.run(&["run", "--plan", "plan.json", "--run-id", "run_2", "--plain", "--strict"]).exit(1);
}

#[test]
fn a_missing_output_is_not_met() {
    // spec: findings HE-02
    let empty = json!({ "outputs": { "result": "done" } });
    let story = Story::new().command("clerk", WRITES, json!({ "*": [empty] }));
    story.plan(json!([minutes(Some("outputs present: decisions"))])).exit(1).verdict("not_met");
}
