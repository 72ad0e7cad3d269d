//! A studio makes podcasts, with a model that revises what failed.

use std::sync::atomic::{AtomicU32, Ordering};

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};

use crate::models::scene::sensible;
use crate::stories::scene::{Story, task};

const CUTS: &str = "Cuts audio recordings";

/// The words by which a request for a revision is recognised.
const REVISE: &str = "Step: find another approach to a task";

/// A studio whose cutter fails for good unless it is told the sample rate, and a model that answers so to revisions.
fn studio(limits: &str, script: Value, revision: Value) -> Story {
    Story::with_limits(&format!("agent_timeout = 30\nplanning_budget = 1.0\n{limits}"))
        .command("cutter", CUTS, script)
        .model(
            move |seen: &SeenRequest| {
                if seen.says(REVISE) { Reply::json(revision.clone()) } else { sensible(seen) }
            },
        )
}

fn final_error(message: &str) -> Value {
    json!({ "error": { "kind": "task_error", "message": message, "retryable": false } })
}

fn cutting() -> Value {
    let mut cut = task("cut", "cutter", "Cut the interview to twenty minutes", &[]);
    cut["inputs"] = json!({ "rate": 96000 });
    cut
}

#[test]
fn a_model_that_sees_the_cause_changes_the_input() {
    // spec: findings RC-07
    let revision = json!({ "why": "the file has 44.1 kHz", "tasks": [{
        "description": "Cut the interview to twenty minutes", "agent": "cutter", "inputs": { "rate": 44100 } }] });
    let story =
        studio("", json!({ "*": [final_error("96000 Hz, but the file has 44100 Hz"), "ok"] }), revision);
    let told = story.plan(json!([cutting()])).exit(0).agents(&["cutter", "cutter"]);
    told.screen(&["the file has 44.1 kHz"]);
    assert_eq!(story.received()[1]["order"]["inputs"]["rate"], 44100);
    let asked = story.asked(REVISE);
    assert_eq!(asked.len(), 1);
    for part in ["96000 Hz, but the file has 44100 Hz", "task_error", "cutter", "Cut the interview"] {
        assert!(asked[0].says(part), "the model is told of `{part}`");
    }
}

#[test]
fn a_model_that_splits_a_task_keeps_the_order() {
    // spec: findings RC-08
    let revision = json!({ "why": "one step at a time", "tasks": [
        { "description": "Cut the silence out of the interview", "agent": "cutter", "expected_outputs": ["short"] },
        { "description": "Cut the rest to twenty minutes", "agent": "cutter", "after": [0] }] });
    let story =
        studio("", json!({ "cut_": ["ok"], "cut": [final_error("too many edits at once")] }), revision);
    story.plan(json!([cutting()])).exit(0).agents(&["cutter", "cutter", "cutter"]);
    let last = story.received().pop().unwrap();
    assert!(last["order"]["upstream"].to_string().contains("short by cutter"), "{last}");
    assert_eq!(last["order"]["expected_outputs"], json!(["result"]), "what was asked for is still asked for");
}

#[test]
fn a_model_that_proposes_what_failed_is_not_believed() {
    // spec: findings RC-03
    let revision = json!({ "why": "maybe now", "tasks": [
        { "description": "Cut the interview to twenty minutes", "agent": "cutter", "inputs": {} }] });
    let story = studio("", json!({ "*": [final_error("no such codec")] }), revision);
    story.plan(json!([cutting()])).exit(1).agents(&["cutter"]).verdict("not_met");
}

#[test]
fn a_model_that_names_nobody_we_know_is_asked_again_and_then_not_believed() {
    let revision = json!({ "why": "a better cutter", "tasks": [
        { "description": "Cut it by hand", "agent": "editor_in_chief", "inputs": {} }] });
    let story = studio("", json!({ "*": [final_error("no such codec")] }), revision);
    story.plan(json!([cutting()])).exit(1).agents(&["cutter"]);
    assert!(story.asked(REVISE).len() > 1);
}

#[test]
fn a_model_that_says_that_nothing_helps_is_believed() {
    let revision = json!({ "why": "", "tasks": [], "nothing_helps": "the recording is lost" });
    let story = studio("", json!({ "*": [final_error("no such file")] }), revision);
    story.plan(json!([cutting()])).exit(1).agents(&["cutter"]).screen(&["nothing helps: the recording is"]);
    assert_eq!(story.asked(REVISE).len(), 1);
}

#[test]
fn an_agent_that_fits_is_asked_before_a_model() {
    let story = studio("", json!({ "*": [final_error("no such codec")] }), json!({})).command(
        "other_cutter",
        CUTS,
        json!({}),
    );
    story.plan(json!([cutting()])).exit(0).agents(&["cutter", "other_cutter"]);
    assert!(story.asked(REVISE).is_empty());
}

#[test]
fn revisions_of_one_task_have_an_end() {
    let asked = AtomicU32::new(0);
    let story = Story::with_limits("agent_timeout = 30\nplanning_budget = 1.0")
        .command("cutter", CUTS, json!({ "*": [final_error("no such codec")] }))
        .model(move |seen: &SeenRequest| {
            if !seen.says(REVISE) {
                return sensible(seen);
            }
            let rate = asked.fetch_add(1, Ordering::Relaxed);
            Reply::json(json!({ "why": "another rate", "tasks": [{ "agent": "cutter",
                "description": "Cut the interview to twenty minutes", "inputs": { "rate": rate } }] }))
        });
    story.plan(json!([cutting()])).exit(1).calls(&[("cutter", 3)]).verdict("not_met");
}

#[test]
fn without_money_for_the_model_the_rules_decide() {
    let revision = json!({ "why": "x", "tasks": [{ "description": "Cut it", "inputs": { "rate": 1 } }] });
    let story = studio("run_budget = 0.000001", json!({ "*": [final_error("no such codec")] }), revision);
    story.plan(json!([cutting()])).exit(1).agents(&["cutter"]);
    assert!(story.asked(REVISE).is_empty());
}
