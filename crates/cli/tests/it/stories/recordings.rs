//! What a person sees in a terminal of 80 columns and 24 rows, kept as text: a success, a retry, another agent, a
//! model's revision, a limit, and a question. `UPDATE_SNAPSHOTS=1` writes the recordings again.

use std::fs;
use std::path::Path;

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};
use vt100::Parser;

use crate::models::scene::sensible;
use crate::stories::scene::{Story, task};

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;
/// Rows that have left the screen at its top and are kept.
const ABOVE: usize = 1_000;

/// Everything that is on the screen in the end, and what has left it at its top.
fn rows(bytes: &str) -> Vec<String> {
    let mut terminal = Parser::new(ROWS, COLUMNS, ABOVE);
    terminal.process(bytes.as_bytes());
    let screen = terminal.screen_mut();
    screen.set_scrollback(usize::MAX);
    let mut rows = Vec::new();
    for above in (1..=screen.scrollback()).rev() {
        screen.set_scrollback(above);
        rows.extend(screen.rows(0, COLUMNS).next());
    }
    screen.set_scrollback(0);
    rows.extend(screen.rows(0, COLUMNS));
    rows
}

/// The same without what differs from run to run: times.
fn settled(bytes: &str) -> String {
    let time = regex::Regex::new(r"(\d+m )?\d+(\.\d+)? ?(ms|s)\b").unwrap();
    let rows = rows(bytes).into_iter().map(|row| time.replace_all(row.trim_end(), "T").into_owned());
    rows.collect::<Vec<_>>().join("\n").trim().to_owned() + "\n"
}

#[track_caller]
fn recorded(name: &str, screen: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/stories/recordings/{name}.txt"));
    let seen = settled(screen);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &seen).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(seen, kept, "the screen of `{name}` has changed; UPDATE_SNAPSHOTS=1 records it again");
}

/// A bakery: one weighs, one bakes, one packs.
fn bakery(oven: Value) -> Story {
    Story::new()
        .command("weigher", "Weighs flour and water", json!({ "*": ["ok"] }))
        .command("oven", "Bakes bread in the oven", oven)
        .command("packer", "Packs bread into boxes", json!({ "*": ["ok"] }))
}

fn order_of_the_day() -> Value {
    json!([
        task("weigh", "weigher", "Weigh the flour for sixty loaves", &[]),
        task("bake", "oven", "Bake sixty loaves of rye bread", &["weigh"]),
        task("pack", "packer", "Pack the loaves into boxes", &["bake"]),
    ])
}

fn for_good(message: &str) -> Value {
    json!({ "error": { "kind": "task_error", "message": message, "retryable": false } })
}

#[test]
fn a_success() {
    let seen = bakery(json!({ "*": ["ok"] })).seen(order_of_the_day(), &[]);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    recorded("success", &seen.screen);
}

#[test]
fn one_retry() {
    let seen = bakery(json!({ "*": ["exit 1 the flame went out", "ok"] })).seen(order_of_the_day(), &[]);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    recorded("retry", &seen.screen);
}

#[test]
fn another_agent() {
    let story = bakery(json!({ "*": [for_good("the door of oven 1 does not close")] })).command(
        "second_oven",
        "Bakes rye bread and loaves in the oven",
        json!({ "*": ["ok"] }),
    );
    let seen = story.seen(order_of_the_day(), &[]);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    recorded("other_agent", &seen.screen);
}

#[test]
fn a_revision_by_a_model() {
    let revision = json!({ "why": "the oven holds forty loaves at a time", "tasks": [
        { "description": "Bake forty loaves of rye bread", "agent": "oven", "inputs": { "loaves": 40 } },
        { "description": "Bake twenty loaves of rye bread", "agent": "oven", "inputs": { "loaves": 20 }, "after": [0] }] });
    let story =
        bakery(json!({ "bake_": ["ok"], "bake": [for_good("sixty loaves do not fit into the oven")] }))
            .model(move |seen: &SeenRequest| {
                if seen.says("Step: find another approach to a task") {
                    Reply::json(revision.clone())
                } else {
                    sensible(seen)
                }
            });
    let seen = story.seen(order_of_the_day(), &[]);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    recorded("revision", &seen.screen);
}

#[test]
fn a_limit() {
    let seen = bakery(json!({ "*": ["exit 1 the flame went out"] })).seen(order_of_the_day(), &[]);
    assert_eq!(seen.code, 1, "{}", seen.screen);
    recorded("limit", &seen.screen);
}

#[test]
fn a_question() {
    let story = bakery(json!({ "*": [for_good("the gas is off"), "ok"] }));
    let seen = story.seen(order_of_the_day(), &[("? help", "retry\n")]);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    recorded("question", &seen.screen);
}
