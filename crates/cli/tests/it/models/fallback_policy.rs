//! What happens to answers that are not as they should be: repaired, asked for again, asked of others, given up.

use candor_testkit::model_server::{Fault, Reply};
use serde_json::{Value, json};

use crate::models::scene::{
    Scene, USUAL, answer_to, level, outcome, sensible, spoken_by, step_of, steps, tasks,
};
use crate::support::{Events, texts};

/// A scene in which `parse_goal` is answered with these, and everything else sensibly.
fn goal_answered_with(replies: Vec<Reply>) -> Scene {
    let scene = Scene::new();
    let mut replies = replies.into_iter();
    scene.server.route(move |seen| match step_of(seen) {
        "parse_goal" => replies.next().unwrap_or_else(|| sensible(seen)),
        _ => sensible(seen),
    });
    scene
}

/// The steps of all questions with their events: what was told, in order.
fn told(events: &Events) -> Vec<&str> {
    let kinds = events.0.iter().map(|event| event["event"].as_str().unwrap());
    let wanted =
        ["model_asked", "model_consulted", "fell_back", "phase_degraded", "degraded", "goal_defined"];
    kinds.filter(|kind| wanted.contains(kind)).collect()
}

#[test]
fn broken_json_is_repaired_without_a_second_call_and_the_event_says_what_was_done() {
    // spec: beyond BY-14
    let good = answer_to("parse_goal").to_string();
    let fenced = format!("Sure, here it is:\n```json\n{good}\n```\nAnything else?");
    let trailing = good.replace('}', ",}");
    let quotes = good.replace('"', "'");
    let open = good.trim_end_matches('}').to_owned();
    for broken in [fenced, trailing, quotes, open] {
        let scene = goal_answered_with(vec![Reply::text(&broken)]);
        let events = scene.paris();
        assert_eq!(steps(&events, "parse_goal"), ["accepted"], "{broken}");
        let accepted = outcome(&events, "parse_goal", "accepted");
        assert!(!texts(&accepted["repairs"]).is_empty(), "{broken}");
        assert_eq!(accepted["value"]["destination"], "Paris");
        assert_eq!((scene.asked("parse_goal").len(), level(&events)), (1, 0));
        let call = &events.all("model_consulted")[0]["step"]["call"];
        assert_eq!(call["answer"], broken, "the model's own words stay on the log");
    }
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_once_more_with_what_is_wrong_with_it() {
    // spec: orchestrator FD-01 FD-03; planning GD-08
    let wrong = json!({ "destination": "Paris", "duration_days": 0, "budget": "plenty" });
    let scene = goal_answered_with(vec![Reply::json(wrong)]);
    let events = scene.paris();
    assert_eq!(steps(&events, "parse_goal"), ["ask_again", "accepted"]);
    let problems = outcome(&events, "parse_goal", "ask_again")["problems"].to_string();
    assert!(problems.contains("duration_days") && problems.contains("budget"), "{problems}");
    let asked = scene.asked("parse_goal");
    assert_eq!(asked.len(), 2);
    let again = asked[1].messages();
    let (role, words) = again.last().unwrap();
    assert_eq!(role, "user");
    for problem in texts(&outcome(&events, "parse_goal", "ask_again")["problems"]) {
        assert!(words.contains(problem), "{problem} is not in {words}");
    }
    assert_eq!((level(&events), spoken_by(&events, "evaluation")), (0, "model"));
}

#[test]
fn a_tier_that_cannot_do_it_hands_over_to_the_next_and_that_is_told() {
    // spec: orchestrator FD-01 ER-08 ER-09 DG-04 DG-12
    let scene = Scene::new();
    scene.server.route(|seen| match (step_of(seen), seen.model()) {
        ("parse_goal", "usual") => Reply::text("I would rather talk about the weather."),
        _ => sensible(seen),
    });
    let events = scene.paris();
    assert_eq!(steps(&events, "parse_goal"), ["ask_again", "fall_back", "accepted"]);
    let asked: Vec<_> = scene.asked("parse_goal").iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(asked, ["usual", "usual", "quick"]);
    let fell = events.only("fell_back");
    assert_eq!((&fell["what"], &fell["to"]), (&json!("parse_goal"), &json!("the fast tier")));
    assert_eq!(fell["from"], format!("the balanced tier ({USUAL})"));
    assert_eq!((level(&events), spoken_by(&events, "evaluation")), (1, "model"));
    let said = scene.plain_paris();
    for words in ["it is asked once more", "the fast tier", "Degradation level 1/5", "Output quality: normal"]
    {
        assert!(said.stdout.contains(words), "no `{words}` in {}", said.stdout);
    }
}

#[test]
fn two_steps_down_are_two_events_and_then_the_rules_speak() {
    // spec: orchestrator FD-01 ER-08 ER-09 DG-05 DG-06; beyond BY-25
    let scene = Scene::new();
    let mut n = 0;
    scene.server.route(move |seen| match step_of(seen) {
        "plan" => {
            n += 1;
            Reply::text(format!("Excuse number {n}."))
        }
        _ => sensible(seen),
    });
    let events = scene.paris();
    assert_eq!(
        steps(&events, "plan"),
        ["ask_again", "fall_back", "ask_again", "fall_back", "ask_again", "give_up"]
    );
    let steps: Vec<_> = events.all("fell_back").iter().map(|event| event["to"].clone()).collect();
    assert_eq!(steps, ["the balanced tier", "the fast tier"]);
    let reason = outcome(&events, "plan", "give_up")["reason"].as_str().unwrap();
    assert!(
        reason.contains("strong: ") && reason.contains("balanced: ") && reason.contains("fast: "),
        "{reason}"
    );
    assert_eq!((level(&events), spoken_by(&events, "planning")), (2, "heuristic"));
    assert_eq!(events.only("phase_degraded")["phase"], "planning");
    assert_eq!(spoken_by(&events, "decomposition"), "model");
    let notice = events.all("notified").into_iter().map(|event| event["notification"].to_string());
    let notice = notice.filter(|text| text.contains("works by rules")).count();
    assert_eq!(notice, 1);
}

#[test]
fn the_same_bad_answer_twice_is_not_asked_for_a_third_time() {
    // spec: beyond BY-14
    let scene = Scene::new();
    scene.server.answer("I am a teapot.");
    let events = scene.paris();
    let models: Vec<_> = scene.asked("parse_goal").iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(models, ["usual", "usual", "quick"], "the fast tier says the same, and is not asked again");
    assert_eq!(spoken_by(&events, "evaluation"), "heuristic");
}

#[test]
fn rules_alone_still_make_the_documents_plan_and_everything_is_told_in_order() {
    // spec: orchestrator DG-01 DG-02 DG-05 DG-07 DG-11 DG-12 FD-01; planning GD-08
    let scene = Scene::with_one_tier(crate::models::scene::EASY, "");
    scene.server.answer("Let me think about that.");
    let events = scene.paris();
    assert_eq!(
        told(&events)[..7],
        [
            "model_asked",
            "model_consulted",
            "model_asked",
            "model_consulted",
            "phase_degraded",
            "degraded",
            "goal_defined"
        ]
    );
    assert_eq!(tasks(&events)[1], "Find hotels in central Paris for 3 nights");
    assert_eq!(events.only("goal_defined")["goal"]["constraints"].as_array().unwrap().len(), 3);
    for phase in ["evaluation", "decomposition", "planning"] {
        assert_eq!(spoken_by(&events, phase), "heuristic", "{phase}");
    }
    let levels: Vec<&Value> = events.all("degraded").iter().map(|event| &event["level"]).collect();
    assert_eq!(levels, [2, 3]);
}

#[test]
fn every_page_about_a_degraded_run_still_works_and_names_the_degradation() {
    // spec: orchestrator DG-12 DG-13; beyond BY-10 BY-25
    let scene = Scene::with_one_tier(crate::models::scene::EASY, "");
    scene.server.route(|seen| match step_of(seen) {
        "decompose_task" => Reply::fault(Fault::ContentFilter),
        _ => sensible(seen),
    });
    let said = scene.run(&["run", crate::support::PARIS, "--plain", "--run-id", "run_1"]).ended_with(0);
    for words in [
        "Phase 3 (decomposition) works by rules",
        "content filter",
        "Degradation level 2/5",
        "Failed: phase 3 (decomposition)",
        "Output quality: degraded",
        "Recommendation: review",
    ] {
        assert!(said.stdout.contains(words), "no `{words}` in {}", said.stdout);
    }
    for page in ["report", "status", "explain"] {
        scene.run(&[page, "run_1"]).ended_with(0);
        scene.run(&[page, "run_1", "--json"]).ended_with(0).json();
    }
    scene.run(&["report", "run_1"]).ended_with(0).shows(&[
        "content filter",
        "## Models",
        "Degradation level 2/5",
        "phase 3 (decomposition)",
    ]);
    for page in ["report", "status"] {
        let degradation = &scene.run(&[page, "run_1", "--json"]).json()["degradation"];
        assert_eq!(
            (&degradation["level"], &degradation["degradedOutput"]),
            (&json!(2), &json!(true)),
            "{page}"
        );
    }
}

#[test]
fn a_chain_of_ones_own_says_who_is_asked_next() {
    // spec: orchestrator ER-08 ER-09 DG-14
    let before = format!("[models.fallback]\nbalanced = [\"strong\"]\n{}", crate::models::scene::EASY);
    let scene = Scene::with(&before, "");
    scene.server.route(|seen| match (step_of(seen), seen.model()) {
        ("parse_goal", "usual") | ("decompose_task", _) => Reply::fault(Fault::ContentFilter),
        _ => sensible(seen),
    });
    let events = scene.paris();
    let asked = |step: &str| scene.asked(step).iter().map(|seen| seen.model().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (asked("parse_goal"), asked("decompose_task")),
        (vec!["usual".to_owned(), "best".to_owned()], vec!["usual".to_owned(), "best".to_owned()])
    );
    assert_eq!(steps(&events, "parse_goal"), ["fall_back", "accepted"]);
    assert_eq!(steps(&events, "decompose_task"), ["fall_back", "give_up"]);
    let reason = outcome(&events, "decompose_task", "give_up")["reason"].as_str().unwrap();
    assert!(reason.contains("balanced: ") && reason.contains("strong: "), "{reason}");
}
