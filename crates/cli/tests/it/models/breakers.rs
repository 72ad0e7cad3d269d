//! Models that keep failing: their circuit opens for every process, and is half-open later.

use std::time::{Duration, Instant};

use candor_testkit::model_server::{Fault, Reply};

use crate::models::scene::{Scene, USUAL, level, outcome, sensible, spoken_by, steps};
use crate::support::{Events, PARIS};

fn config(reset_timeout: &str) -> String {
    format!(
        "[limits]\nplanning_budget = 1.0\n[models.retry]\nmax_retries = 0\n[breakers]\nreset_timeout = {reset_timeout}\n"
    )
}

fn run(scene: &Scene) -> Events {
    Events(scene.run(&["run", PARIS, "--json"]).ended_with(0).lines())
}

#[test]
fn a_model_that_keeps_failing_is_not_asked_by_the_next_process() {
    // spec: orchestrator ER-01 ER-02 ER-03 ER-10; beyond BY-26
    let scene = Scene::with_one_tier(&config("60"), "");
    scene.server.route(|_| Reply::fault(Fault::Server));
    let first = run(&scene);
    assert_eq!(scene.server.seen().len(), 3, "three questions, three failures");
    assert_eq!(first.only("model_breaker_opened")["model"], USUAL);
    scene.server.route(sensible);
    let second = run(&scene);
    assert_eq!(scene.server.seen().len(), 3, "the fourth call is not made");
    let reason = outcome(&second, "parse_goal", "give_up")["reason"].as_str().unwrap();
    assert!(reason.contains("circuit open") && reason.contains(USUAL), "{reason}");
    assert_eq!((level(&second), spoken_by(&second, "planning")), (3, "heuristic"));
    let said = scene.plain_paris();
    assert!(said.stdout.contains("circuit open"), "{}", said.stdout);
}

#[test]
fn an_open_breaker_moves_to_the_next_tier_without_a_call() {
    // spec: orchestrator ER-10
    let scene = Scene::with(&config("60"), "");
    scene.server.route(|seen| match seen.model() {
        "usual" => Reply::fault(Fault::Server),
        _ => sensible(seen),
    });
    // Two questions of a run go to the usual tier: the second run has the third failure.
    run(&scene);
    run(&scene);
    let before = scene.server.seen().len();
    let third = run(&scene);
    let models: Vec<_> = scene.server.seen()[before..].iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(models, ["quick", "quick", "best"]);
    assert_eq!(steps(&third, "parse_goal"), ["fall_back", "accepted"]);
    assert_eq!(level(&third), 1);
}

#[test]
fn after_its_time_a_model_is_tried_again_and_used_if_it_answers() {
    // spec: orchestrator ER-03 ER-04
    let scene = Scene::with_one_tier(&config("1"), "");
    scene.server.route(|_| Reply::fault(Fault::Server));
    run(&scene);
    let opened = Instant::now();
    scene.server.route(sensible);
    // Waits for the clock, as people would.
    std::thread::sleep(Duration::from_millis(1_100).saturating_sub(opened.elapsed()));
    let before = scene.server.seen().len();
    let events = run(&scene);
    assert_eq!(scene.server.seen().len() - before, 3);
    assert_eq!(events.only("model_breaker_closed")["model"], USUAL);
    assert_eq!((level(&events), spoken_by(&events, "evaluation")), (0, "model"));
}

#[test]
fn a_series_of_repetitions_counts_once() {
    // spec: orchestrator ER-10
    let scene = Scene::with_one_tier(
        "[limits]\nplanning_budget = 1.0\n[models.retry]\ninitial_delay = 0.01\n[breakers]\nfailure_threshold = 4\n",
        "",
    );
    scene.server.route(|_| Reply::fault(Fault::Server));
    let events = run(&scene);
    assert_eq!(scene.server.seen().len(), 12, "three questions, each with three repetitions");
    assert!(events.all("model_breaker_opened").is_empty());
}

#[test]
fn a_prompt_that_the_model_must_refuse_says_nothing_about_the_model() {
    let scene = Scene::with_one_tier(&config("60"), "");
    scene.server.route(|_| Reply::fault(Fault::ContentFilter));
    run(&scene);
    scene.server.route(sensible);
    let events = run(&scene);
    assert_eq!((scene.server.seen().len(), level(&events)), (6, 0));
}
