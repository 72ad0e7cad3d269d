//! A model that answers as it should: it is believed, paid for, and named.

use candor_testkit::model_server::{Reply, Usage};
use serde_json::json;

use crate::models::scene::{
    EASY, KEY, SECRET, Scene, USUAL, answer_to, level, sensible, spoken_by, step_of, steps, tasks, tiers,
};
use crate::support::PARIS;

#[test]
fn the_phases_say_that_a_model_spoke_and_its_tasks_are_done_by_the_packs_agents() {
    // spec: planning TD-01 TD-03; orchestrator DG-03
    let scene = Scene::new();
    let events = scene.paris();
    for phase in ["evaluation", "decomposition", "planning"] {
        assert_eq!(spoken_by(&events, phase), "model", "{phase}");
    }
    assert_eq!(spoken_by(&events, "validation"), "heuristic");
    let plan = &events.only("plan_proposed")["plan"];
    let hotel = &plan["subtasks"][1];
    assert_eq!(hotel["description"], "Choose a hotel near the river in Paris");
    assert_eq!((&hotel["agent_type"], &hotel["dependencies"]), (&json!("hotel_agent"), &json!(["task_001"])));
    let activities = &plan["subtasks"][2];
    assert_eq!(
        (&activities["priority"], &activities["estimated_duration_seconds"]),
        (&json!(5), &json!(30.0))
    );
    assert_eq!(events.all("task_succeeded").len(), 4);
    assert_eq!((level(&events), events.all("fell_back").len()), (0, 0));
    let handoff = events.all("phase_completed")[4]["handoff"].to_string();
    assert!(handoff.contains("Fares rise in May") && handoff.contains("By train"), "{handoff}");
}

#[test]
fn the_provider_sees_the_request_as_data_and_which_keys_are_wanted() {
    // spec: planning GD-01 TD-01
    let scene = Scene::new();
    scene.paris();
    assert_eq!(
        scene.server.seen().iter().map(step_of).collect::<Vec<_>>(),
        ["parse_goal", "decompose_task", "plan"]
    );
    let asked = scene.asked("parse_goal");
    let messages = asked[0].messages();
    let (system, user) = (&messages[0], &messages[1]);
    assert_eq!((system.0.as_str(), user.0.as_str()), ("system", "user"));
    for key in ["destination", "duration_days", "budget", "dates", "preferences"] {
        assert!(system.1.contains(&format!("\"{key}\"")), "{key}");
    }
    assert!(user.1.contains(&format!("<data name=\"request\">\n{PARIS}\n</data>")), "{}", user.1);
    assert_eq!(asked[0].body["response_format"]["type"], "json_schema");
    assert_eq!(asked[0].headers["authorization"], format!("Bearer {SECRET}"));
    let tasks = scene.asked("decompose_task");
    assert!(tasks[0].says(PARIS) && tasks[0].says("budget: 2000 USD") && tasks[0].says("duration: 3 days"));
}

#[test]
fn each_call_is_charged_by_its_tokens_at_the_price_of_its_tier() {
    // spec: planning BC-01 BC-03
    let scene = Scene::new();
    let events = scene.paris();
    let planning: Vec<_> =
        events.all("charged").into_iter().filter(|event| event["account"] == "planning").collect();
    let bills: Vec<_> =
        planning.iter().map(|event| (event["what"].clone(), event["amount"].clone())).collect();
    assert_eq!(bills[0], (json!(format!("parse_goal by {USUAL}")), json!(0.002)));
    assert_eq!(bills[1], (json!(format!("decompose_task by {USUAL}")), json!(0.005)));
    assert_eq!(bills[2], (json!("plan by openai_compatible/best"), json!(0.00545)));
    assert_eq!(planning[2]["total"], 0.01245);
    let call = &events.all("model_consulted")[0]["step"]["call"];
    assert_eq!(
        (&call["tier"], &call["model"], &call["prompt"]),
        (&json!("balanced"), &json!(USUAL), &json!("parse_goal@3"))
    );
    assert_eq!(call["tokens"], json!({ "input": 200, "output": 100, "cached_read": 0, "cached_write": 0 }));
    assert_eq!(call["cost"], 0.002);
}

#[test]
fn an_answer_is_on_the_log_before_anything_is_made_of_it() {
    let events = Scene::new().paris();
    let at = |kind: &str, step: &str| {
        let named =
            |event: &serde_json::Value| event["ask"]["step"] == step || event["call"]["ask"]["step"] == step;
        events.position(|event| event["event"] == kind && named(event))
    };
    let goal = events.position(|event| event["event"] == "goal_defined");
    assert!(at("model_asked", "parse_goal") < at("model_consulted", "parse_goal"));
    assert!(at("model_consulted", "parse_goal") < goal && goal < at("model_asked", "decompose_task"));
    assert!(at("model_consulted", "plan") < events.position(|event| event["event"] == "plan_proposed"));
}

/// A configuration with Anthropic's form and cheaper cached tokens.
fn anthropic(url: &str) -> String {
    format!(
        "[limits]\nplanning_budget = 1.0\n[models]\nprompts = \"own\"\n[models.balanced]\n\
         provider = \"anthropic\"\nmodel = \"sonnet\"\nendpoint = \"{url}\"\napi_key_env = \"{KEY}\"\n\
         price = {{ input = 3, output = 15, cached_read = 0.3, as_of = \"2026-11-01\" }}\n"
    )
}

#[test]
fn anthropics_form_is_spoken_with_its_own_key_cache_marks_and_cheaper_cached_tokens() {
    // spec: orchestrator AG-05 PC-02 PC-04
    let scene = Scene::configured(anthropic);
    std::fs::create_dir(scene.candor.path("own")).unwrap();
    let long = "Step: read a request. Read it well. ".repeat(200);
    scene.candor.write(
        "own/parse_goal.md",
        format!("version: 2\n# System\n{long}\n# Question\nThe request:\n{{{{request}}}}\nJSON only.\n"),
    );
    scene.server.route(|seen| {
        sensible(seen).with_usage(Usage { input: 100, output: 100, cached_read: 1000, cached_write: 0 })
    });
    let events = scene.paris();
    assert_eq!(spoken_by(&events, "decomposition"), "model");
    let seen = scene.asked("parse_goal");
    assert!(seen[0].path.ends_with("/v1/messages"), "{}", seen[0].path);
    assert_eq!(seen[0].headers["x-api-key"], SECRET);
    assert!(seen[0].headers.contains_key("anthropic-version"));
    assert_eq!(seen[0].body["system"][0]["cache_control"]["type"], "ephemeral");
    assert!(!seen[0].body["messages"].to_string().contains("cache_control"), "questions are never cached");
    let short = &scene.asked("decompose_task")[0];
    assert!(!short.body.to_string().contains("cache_control"), "a short prefix is not worth a mark");
    let call = &events.all("model_consulted")[0]["step"]["call"];
    assert_eq!(call["model"], "anthropic/sonnet");
    // 100 × $3 + 1,000 × $0.30 + 100 × $15 per million; the cached ones would have cost $0.003.
    assert_eq!((&call["cost"], &call["saved"]), (&json!(0.0021), &json!(0.0027)));
}

#[test]
fn a_tier_that_is_missing_is_covered_by_the_next_one() {
    // spec: orchestrator AG-05
    let scene = Scene::with_one_tier(EASY, "");
    let events = scene.paris();
    let models: Vec<_> = scene.server.seen().iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(models, ["usual", "usual", "usual"]);
    assert_eq!((steps(&events, "plan"), level(&events)), (vec!["accepted".to_owned()], 0));
}

#[test]
fn without_models_nobody_is_asked_and_nothing_is_degraded() {
    let scene = Scene::new();
    let said = scene.run(&["run", PARIS, "--no-models", "--plain"]).ended_with(0);
    assert!(scene.server.seen().is_empty());
    assert!(!said.stdout.contains("Degradation"), "{}", said.stdout);
}

#[test]
fn plain_lines_say_who_answered_how_fast_and_for_how_much() {
    let said = Scene::new().plain_paris();
    let line = said.stdout.lines().find(|line| line.contains("answered parse_goal")).unwrap();
    assert!(line.contains(USUAL) && line.contains("for $0.0020 (200 tokens in, 100 out)"), "{line}");
    assert!(!said.stdout.contains("Degradation"), "{}", said.stdout);
}

#[test]
fn a_model_that_doubts_its_plan_lowers_confidence_and_says_why() {
    let scene = Scene::new();
    let sure = scene.paris();
    let doubting = Scene::new();
    doubting.server.route(|seen| match step_of(seen) {
        "plan" => {
            let mut answer = answer_to("plan");
            answer["confidence"] = json!(0.6);
            Reply::json(answer)
        }
        _ => sensible(seen),
    });
    let unsure = doubting.paris();
    let confidence = |events: &crate::support::Events| {
        events.only("plan_proposed")["plan"]["confidence_score"].as_f64().unwrap()
    };
    assert!(confidence(&unsure) < confidence(&sure), "{} {}", confidence(&unsure), confidence(&sure));
    assert_eq!(tasks(&unsure), tasks(&sure));
}

#[test]
fn a_model_chooses_where_the_figures_do_not_tell_two_agents_apart() {
    // spec: beyond BY-22
    let twin = |name: &str| {
        format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"Searches flights, hotels and activities, \
             and checks the total cost against a budget\"\ncapabilities = [\"search\"]\nbuiltin = \"noop\"\n"
        )
    };
    let scene = Scene::configured(|url| {
        format!("{EASY}{}{}{}{}", tiers(url, ""), twin("helper_1"), twin("helper_2"), twin("helper_3"))
    });
    let choose = |task| json!({ "task_id": task, "agent_type": "helper_3", "reason": "she knows Paris" });
    let choices = ["task_001", "task_002", "task_003", "task_004"].map(choose);
    scene.server.route(move |seen| match step_of(seen) {
        "route_task" => Reply::json(json!({ "choices": choices })),
        _ => sensible(seen),
    });
    let events = scene.paris();
    assert_eq!(steps(&events, "route_task"), ["accepted"]);
    // Their names are part of what they mean, so that their order may differ.
    let messages = scene.asked("route_task")[0].messages();
    let offers: Vec<&str> = messages
        .iter()
        .flat_map(|(_, words)| words.lines())
        .filter(|line| line.contains("(offered: "))
        .collect();
    let all_three = |line: &&str| ["helper_1", "helper_2", "helper_3"].iter().all(|name| line.contains(name));
    assert!(offers.len() == 4 && offers.iter().all(all_three), "{offers:?}");
    assert_eq!(scene.asked("route_task")[0].model(), "quick");
    let chosen: Vec<_> =
        events.all("task_dispatched").iter().map(|event| event["agent_type"].clone()).collect();
    assert_eq!(chosen, ["helper_3"; 4]);
    let decisions = format!("{:?}", events.all("decision_made"));
    assert!(decisions.contains("she knows Paris"), "{decisions}");
}
