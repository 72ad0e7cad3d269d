//! Tickets are sorted by services. Every way in which a service fails, once and for ever.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stories::scene::{Story, Told, task};

const SORTS: &str = "Sorts incoming support tickets by urgency";

fn desk(script: Value, spare: bool) -> Story {
    let story = Story::new().service("sorter", SORTS, json!({ "*": script }));
    if spare { story.service("standby", SORTS, json!({})) } else { story }
}

fn sort(story: &Story) -> Told<'_> {
    story.plan(json!([task("sort", "sorter", "Sort the support tickets of today by urgency", &[])]))
}

#[test]
fn a_service_that_fails_once_is_called_once_more() {
    for once in ["status 503", "status 500", "drop", "garbage"] {
        sort(&desk(json!([once, "ok"]), true)).exit(0).agents(&["sorter", "sorter"]);
    }
}

#[test]
fn a_service_that_is_down_for_good_is_called_three_times_and_then_another_one() {
    for always in ["status 503", "drop"] {
        sort(&desk(json!([always]), true)).exit(0).agents(&["sorter", "sorter", "sorter", "standby"]);
    }
}

#[test]
fn a_service_that_asks_for_time_gets_it() {
    let story = desk(json!(["status 429 1", "ok"]), true);
    let start = Instant::now();
    sort(&story).exit(0).agents(&["sorter", "sorter"]);
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn a_request_that_the_service_refuses_goes_to_another_one_at_once() {
    for refused in ["status 400", "status 403", "status 422"] {
        sort(&desk(json!([refused]), true)).exit(0).agents(&["sorter", "standby"]);
    }
}

#[test]
fn a_refused_request_without_anybody_else_ends_the_run_with_the_reason() {
    sort(&desk(json!(["status 400"]), false))
        .exit(1)
        .agents(&["sorter"])
        .never_says(&["Goal reached"])
        .verdict("not_met");
}

#[test]
fn a_closed_port_is_told_and_another_service_does_the_work() {
    let story = Story::new().closed_port("sorter", SORTS).service("standby", SORTS, json!({}));
    sort(&story).exit(0).agents(&["standby"]);
}

#[test]
fn a_service_that_hangs_is_left_at_its_deadline() {
    let story =
        Story::with_limits("agent_timeout = 2").service("sorter", SORTS, json!({ "*": ["hang", "ok"] }));
    sort(&story).exit(0).agents(&["sorter", "sorter"]);
}

#[test]
fn a_second_run_against_a_dead_service_does_not_wait_longer_than_it_says() {
    // spec: findings RC-13
    let story = Story::new().closed_port("sorter", SORTS).service("standby", SORTS, json!({}));
    sort(&story).exit(0);
    let start = Instant::now();
    story.run(&["run", "--plan", "plan.json", "--run-id", "run_2", "--plain"]).exit(0);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn many_tasks_for_a_dead_service_do_not_wait_for_it_one_after_the_other() {
    // spec: findings RC-13
    let story =
        Story::with_limits("agent_timeout = 30\n[breakers]\nreset_timeout = 1").closed_port("sorter", SORTS);
    let tasks = (0..12).map(|n| task(&format!("sort_{n}"), "sorter", "Sort the tickets of one queue", &[]));
    story.plan(tasks.collect()).exit(1).verdict("not_met");
    let log = story.run(&["watch", "run_1", "--json"]).said.lines();
    let trials = log.iter().filter(|line| line["event"] == "breaker_tried").count();
    assert!((1..=5).contains(&trials), "{trials} trials");
}
