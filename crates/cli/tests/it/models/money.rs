//! Money: set aside before a call, charged after it, and never more than is allowed.

use candor_testkit::model_server::{Reply, Usage};
use serde_json::Value;

use crate::models::scene::{
    EASY, Scene, answer_to, level, outcome, sensible, spoken_by, step_of, steps, tasks, tier, tiers,
};
use crate::support::{Candor, Events, PARIS, Said};

/// What was set aside for each call, in order.
fn reserved(events: &Events) -> Vec<f64> {
    events.all("model_asked").iter().map(|event| event["call"]["reserved"].as_f64().unwrap()).collect()
}

/// What models cost.
fn spent(events: &Events) -> f64 {
    let planning = events.all("charged").into_iter().filter(|event| event["account"] == "planning");
    planning.map(|event| event["amount"].as_f64().unwrap()).sum()
}

#[test]
fn a_budget_that_allows_no_call_is_kept_by_making_none() {
    // spec: planning BC-04; beyond BY-06
    let scene = Scene::with("[limits]\nplanning_budget = 0.0001\n", "");
    let events = scene.paris();
    assert!(scene.server.seen().is_empty());
    assert!(events.all("model_asked").is_empty() && spent(&events) == 0.0);
    let reason = outcome(&events, "parse_goal", "give_up")["reason"].as_str().unwrap();
    assert!(reason.contains("can cost $") && reason.contains("$0.0001"), "{reason}");
    assert_eq!((spoken_by(&events, "evaluation"), level(&events), tasks(&events).len()), ("heuristic", 3, 4));
}

#[test]
fn the_default_budget_allows_a_model_to_plan_and_no_budget_is_overdrawn() {
    // spec: planning BC-02; beyond BY-06 BY-28; findings GL-17
    let budget = |events: &Events| events.only("run_started")["settings"]["planning_budget"].clone();
    assert_eq!(budget(&Scene::with("", "").paris()), 0.25);
    let by_rules = Said::of(Candor::new().command(["run", PARIS, "--json"]).output().unwrap());
    assert_eq!(budget(&Events(by_rules.lines())), 0.01);
    let scene = Scene::with("[limits]\nplanning_budget = 0.01\n", "");
    let events = scene.paris();
    // What is set aside for a call fits into what is left after all earlier calls.
    let mut left = 0.01_f64;
    for event in &events.0 {
        if event["event"] == "model_asked" {
            let aside = event["call"]["reserved"].as_f64().unwrap();
            assert!(aside <= left + 1e-9, "{aside} of {left}");
        } else if event["event"] == "charged" && event["account"] == "planning" {
            left -= event["amount"].as_f64().unwrap();
        }
    }
    assert!(left >= 0.0);
    assert!(!reserved(&events).is_empty());
}

#[test]
fn a_small_budget_is_spent_on_cheaper_tiers_first_and_then_on_none() {
    // spec: orchestrator ER-08; beyond BY-06
    let cheap = Scene::configured(|url| {
        let dear =
            tier("balanced", "usual", url, "").replace("input = 5, output = 10", "input = 500, output = 900");
        format!(
            "{dear}{}",
            tier("fast", "quick", url, "").replace("input = 5, output = 10", "input = 0.1, output = 0.2")
        )
    });
    let events = cheap.paris();
    assert_eq!(steps(&events, "parse_goal"), ["fall_back", "accepted"]);
    let asked: Vec<_> = cheap.server.seen().iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(asked, ["quick", "quick", "quick"]);
    assert!(spent(&events) <= 0.01);
}

#[test]
fn a_provider_that_charges_more_than_was_asked_for_ends_planning_with_the_bill() {
    // spec: planning BC-04 BC-05 BC-06 BC-07
    let scene = Scene::configured(|url| {
        let cheap = tiers(url, "").replace("input = 5, output = 10", "input = 1, output = 2");
        format!("[limits]\nplanning_budget = 0.01\n{cheap}")
    });
    scene.server.route(|seen| {
        let (input, output) = match step_of(seen) {
            "parse_goal" => (1000, 500),
            _ => (4500, 3000),
        };
        sensible(seen).with_usage(Usage { input, output, ..Usage::default() })
    });
    let said = scene.run(&["run", PARIS, "--plain", "--run-id", "run_1"]).ended_with(1);
    let said = said.tells(&[
        "Planning cost $0.0125 exceeds budget $0.01. Consider simplifying goal or increasing budget.",
        "Spent on: parse_goal by openai_compatible/usual $0.0020, decompose_task by openai_compatible/usual $0.0105",
    ]);
    assert!(
        said.stdout.contains("the run ended early: Planning cost $0.0125 exceeds budget"),
        "{}",
        said.stdout
    );
    let steps: Vec<_> = scene.server.seen().iter().map(step_of).collect();
    assert_eq!(steps, ["parse_goal", "decompose_task"], "nothing is asked after the budget is gone");
    let events = Events(scene.run(&["watch", "run_1", "--json"]).lines());
    let partial = &events.only("run_aborted")["error"];
    assert!(partial.to_string().contains("travel_planning"), "what was found out is not lost: {partial}");
    assert!(events.all("task_dispatched").is_empty());
}

#[test]
fn what_is_set_aside_covers_what_an_honest_provider_can_charge() {
    // spec: beyond BY-06
    let scene = Scene::with(EASY, "max_output_tokens = 300");
    scene.server.route(|seen| {
        // As dear as it gets: a token for every three letters of all that was sent, and the longest answer.
        let letters: u64 = seen.messages().iter().map(|(_, words)| words.chars().count() as u64).sum();
        let schema = seen.body["response_format"].to_string().len() as u64;
        let most = seen.body["max_tokens"].as_u64().or(seen.body["max_completion_tokens"].as_u64()).unwrap();
        sensible(seen).with_usage(Usage { input: (letters + schema) / 4, output: most, ..Usage::default() })
    });
    let events = scene.paris();
    let costs = events
        .all("model_consulted")
        .into_iter()
        .map(|event| event["step"]["call"]["cost"].as_f64().unwrap());
    for (cost, aside) in costs.zip(reserved(&events)) {
        assert!(cost <= aside, "{cost} of {aside}");
    }
}

#[test]
fn failed_and_repeated_calls_are_charged_once_each_for_what_they_took() {
    // spec: planning BC-01
    let scene = Scene::new();
    let mut first = true;
    scene.server.route(move |seen| {
        if std::mem::take(&mut first) {
            let usage = Usage { input: 1000, output: 100, ..Usage::default() };
            return Reply::text("no idea").with_usage(usage);
        }
        sensible(seen)
    });
    let events = scene.paris();
    let bills: Vec<&Value> = events
        .all("charged")
        .into_iter()
        .filter(|event| event["account"] == "planning")
        .map(|event| &event["amount"])
        .collect();
    assert_eq!(bills, [0.006, 0.002, 0.005, 0.00545]);
    let total = events
        .all("model_consulted")
        .into_iter()
        .map(|event| event["step"]["call"]["cost"].as_f64().unwrap());
    assert!((total.sum::<f64>() - spent(&events)).abs() < 1e-9);
    assert_eq!(steps(&events, "parse_goal"), ["ask_again", "accepted"]);
    assert_eq!(outcome(&events, "plan", "accepted")["value"], answer_to("plan"));
}
