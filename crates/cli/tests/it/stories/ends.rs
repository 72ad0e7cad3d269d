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

#[test]
fn what_waited_for_a_failure_is_no_failure_of_its_own_in_any_account() {
    // spec: findings HE-04 UX-02
    let story = Story::new()
        .command(
            "press",
            "Prints and binds",
            json!({ "bind": [{ "error": {
            "kind": "task_error", "message": "the glue is cold", "retryable": false } }] }),
        )
        .command("packer", "Packs catalogues in boxes", json!({ "*": ["ok"] }));
    story
        .plan(json!([
            task("print", "press", "Print 500 catalogues", &[]),
            task("bind", "press", "Bind the printed sheets", &["print"]),
            task("pack", "packer", "Pack the catalogues in boxes", &["bind"])
        ]))
        .exit(1);
    let run = |args: &[&str]| story.candor.run(args).ended_with(0).json();
    let listed = run(&["list", "--json"])[0].clone();
    assert_eq!(listed["last_failure"], "Bind the printed sheets failed: the glue is cold");
    let status = run(&["status", "run_1", "--json"]);
    assert_eq!((&listed["failures"], &status["failures"]), (&json!(1), &json!(1)));
    assert_eq!(status["phases"][5]["status"], "failed", "the run ended in it");
    assert_eq!(status["phases"][6]["status"], "pending");
    let spanish = story.candor.run(["--lang", "es", "postmortem", "run_1"]).ended_with(0);
    let text = spanish.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let told =
        ["La tarea bind falló y no queda nada que intentar", "Elimina la causa; después `candor resume"];
    assert!(told.iter().all(|part| text.contains(part)) && text.contains("the glue is cold"), "{text}");
    let english = ["Informado", "Dependency bind failed", "nothing is left"];
    assert!(!english.iter().any(|part| text.contains(part)), "{text}");
    let lessons = run(&["report", "run_1", "--json"])["lessons_learned"].clone();
    assert_eq!(lessons["what_worked"], json!(["1 of 2 attempts succeeded"]), "{lessons}");
    let advice = lessons["recommendations"].as_array().unwrap();
    assert!(
        !advice.is_empty() && advice.iter().all(|it| !it.as_str().unwrap().contains("pack")),
        "{advice:?}"
    );
}
