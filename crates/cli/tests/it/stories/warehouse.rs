//! A warehouse is loaded by programs. Every way in which a program fails, once and for ever, with and without another
//! that can do the same.

use serde_json::{Value, json};

use crate::stories::scene::{Story, Told, task};

const LOADS: &str = "Loads shards of data into the warehouse";

/// A loader with this script, and another loader if there is one.
fn loader(script: Value, spare: bool) -> Story {
    let story = Story::new().command("loader", LOADS, json!({ "*": script }));
    if spare { story.command("spare", LOADS, json!({})) } else { story }
}

fn load(story: &Story) -> Told<'_> {
    story.plan(json!([task("load", "loader", "Load shard 7 into the warehouse", &[])]))
}

#[test]
fn a_program_that_fails_once_is_started_once_more() {
    // spec: findings RC-04
    for once in ["exit 1 disk hiccup", "exit 75 try later", "kill", "garbage"] {
        let story = loader(json!([once, "ok"]), true);
        load(&story).exit(0).agents(&["loader", "loader"]).never_says(&["revised"]);
        let orders: Vec<Value> = story.received().into_iter().map(|call| call["order"].clone()).collect();
        assert_eq!(orders[0]["inputs"], orders[1]["inputs"], "{once}: it is the same order");
        assert_eq!(orders[0]["description"], orders[1]["description"], "{once}");
    }
}

#[test]
fn a_program_that_hangs_once_is_started_once_more() {
    let story =
        Story::with_limits("agent_timeout = 2").command("loader", LOADS, json!({ "*": ["hang", "ok"] }));
    load(&story).exit(0).agents(&["loader", "loader"]).screen(&["failed: Agent timeout"]);
}

#[test]
fn the_same_cause_twice_is_permanent_and_another_agent_gets_the_task() {
    // spec: findings RC-03
    for always in ["exit 1 column price is missing", "kill", "garbage"] {
        let story = loader(json!([always]), true);
        load(&story).exit(0).agents(&["loader", "loader", "spare"]);
    }
}

#[test]
fn what_may_pass_is_tried_three_times_before_another_agent_gets_it() {
    let story = loader(json!(["exit 75 the queue is full"]), true);
    load(&story).exit(0).agents(&["loader", "loader", "loader", "spare"]);
}

#[test]
fn nothing_is_repeated_where_nothing_can_change() {
    // spec: findings RC-03 HE-01
    let story = loader(json!(["exit 1 column price is missing"]), false);
    load(&story)
        .exit(1)
        .agents(&["loader", "loader"])
        .never_says(&["nearby", "alternative", "Goal reached"])
        .verdict("not_met");
}

#[test]
fn what_the_agent_itself_calls_final_is_not_repeated() {
    let error = json!({ "error": { "kind": "task_error", "message": "the shard is empty" } });
    load(&loader(json!([error]), false)).exit(1).agents(&["loader"]).verdict("not_met");
    load(&loader(json!([error]), true)).exit(0).agents(&["loader", "spare"]);
}

#[test]
fn what_the_agent_itself_calls_temporary_is_repeated() {
    let busy =
        json!({ "error": { "kind": "unavailable", "message": "index is rebuilt", "retryable": true } });
    load(&loader(json!([busy, "ok"]), false)).exit(0).agents(&["loader", "loader"]);
    load(&loader(json!([busy]), false)).exit(1).agents(&["loader", "loader", "loader"]);
}

#[test]
fn what_is_denied_is_not_repeated() {
    let denied = json!({ "error": { "kind": "denied", "message": "no right to write" } });
    load(&loader(json!([denied]), true)).exit(0).agents(&["loader", "spare"]);
}

#[test]
fn a_program_that_is_not_installed_costs_no_second_start() {
    let story = Story::new().missing("loader", LOADS).command("spare", LOADS, json!({}));
    load(&story).exit(0).agents(&["spare"]).screen(&["there is no such program"]);
}

#[test]
fn no_word_of_another_domain_reaches_an_agent() {
    // spec: findings RC-05
    let story = loader(json!(["exit 1 column price is missing"]), true);
    load(&story).exit(0);
    let given = json!(story.received()).to_string();
    for word in ["nearby", "alternative", "search_radius", "hotel", "flight", "night"] {
        assert!(!given.contains(word), "`{word}` in {given}");
    }
}

#[test]
fn those_who_wait_get_what_the_other_agent_made() {
    let story = loader(json!(["exit 1 column price is missing"]), true).command(
        "reporter",
        "Writes reports on loads",
        json!({}),
    );
    let tasks = json!([
        task("load", "loader", "Load shard 7 into the warehouse", &[]),
        task("report", "reporter", "Write a report on the load", &["load"]),
    ]);
    story.plan(tasks).exit(0).agents(&["loader", "loader", "spare", "reporter"]);
    let last = story.received().pop().unwrap();
    assert!(last["order"]["upstream"].to_string().contains("result by spare"), "{last}");
}

#[test]
fn forty_tasks_with_six_hiccups_finish() {
    // spec: findings RC-06
    let names: Vec<String> = (0..40).map(|n| format!("shard{n:02}")).collect();
    let script: serde_json::Map<String, Value> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            (name.clone(), if n % 7 == 3 { json!(["exit 1 hiccup", "ok"]) } else { json!(["ok"]) })
        })
        .collect();
    let story = Story::new().command("loader", LOADS, Value::Object(script));
    let tasks: Vec<Value> = names
        .iter()
        .map(|name| task(name, "loader", &format!("Load {name} into the warehouse"), &[]))
        .collect();
    story.plan(json!(tasks)).exit(0).calls(&[("loader", 46)]).never_says(&["revised", "smaller goal"]);
}

#[test]
fn three_tasks_on_a_dead_agent_are_all_done_by_the_other() {
    // spec: findings RC-06
    let story = loader(json!(["exit 1 no licence"]), true);
    let tasks: Vec<Value> = ["north", "south", "west"]
        .iter()
        .map(|region| task(region, "loader", &format!("Load the shards of {region} into the warehouse"), &[]))
        .collect();
    story.plan(json!(tasks)).exit(0).calls(&[("spare", 3)]);
}

#[test]
fn what_succeeded_is_kept_and_a_later_resume_does_the_rest() {
    let story = loader(json!(["exit 1 no licence"]), false).command("lister", "Lists the shards", json!({}));
    let tasks = json!([
        task("list", "lister", "List the shards", &[]),
        task("load", "loader", "Load the listed shards into the warehouse", &["list"]),
    ]);
    story.plan(tasks).exit(1).agents(&["lister", "loader", "loader"]).verdict("not_met");
    story.now("loader", json!({ "*": ["ok"] }));
    story.run(&["resume", "run_1", "--plain"]).exit(0).agents(&["lister", "loader", "loader", "loader"]);
}

#[test]
fn a_branch_that_cannot_go_on_does_not_stop_the_others() {
    // spec: findings RC-06
    let story = loader(json!(["exit 1 no licence"]), false).command("lister", "Lists the shards", json!({}));
    let tasks = json!([
        task("load", "loader", "Load shard 7 into the warehouse", &[]),
        task("list", "lister", "List the shards", &[]),
        task("count", "lister", "Count the listed shards", &["list"]),
    ]);
    story.plan(tasks).exit(1).calls(&[("loader", 2), ("lister", 2)]).verdict("not_met");
}
