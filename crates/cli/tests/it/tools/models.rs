//! Missions that a model leads: it lists steps, decides, asks, and completes; and it is wrong, dear or slow.

use std::fs;
use std::time::Duration;

use candor_testkit::model_server::{ModelServer, Reply, SeenRequest, Usage};
use serde_json::{Value, json};

use crate::support::{Events, until};
use crate::tools::bench::{Bench, called, first_attempt, notes, outputs, question};

const FILES: &str = "[tools.builtin]\nfolder = \"work\"\n";

/// A configuration with one tier behind this server, and money enough.
pub(crate) fn balanced(server: &ModelServer) -> String {
    format!(
        "[limits]\nplanning_budget = 1.0\nrun_budget = 5.0\n[models.retry]\ninitial_delay = 0.01\n\
         [models.balanced]\nprovider = \"openai_compatible\"\nmodel = \"usual\"\nendpoint = \"{}\"\n\
         api_key_env = \"CANDOR_TEST_MODEL_KEY\"\nprice = {{ input = 5, output = 10, as_of = \"2026-11-01\" }}\n",
        server.openai_url()
    )
}

/// Which question a request is.
pub(crate) fn step_of(seen: &SeenRequest) -> &'static str {
    let schema = seen.body.pointer("/response_format/json_schema/name").and_then(Value::as_str);
    let known = [
        ("plan_steps", "Step: list the steps with which"),
        ("choose_action", "Step: decide what an agent"),
        ("replan_step", "Step: find a way around"),
        ("direct_answer", "Step: do a task yourself"),
        ("plan", "Step: judge a plan"),
        ("critique", "Step: judge the work"),
        ("route_task", "Step: choose the agent"),
    ];
    let is =
        |(name, words): &&(&str, &str)| schema.map_or_else(|| seen.says(words), |schema| schema == *name);
    known.iter().find(is).map_or("", |(name, _)| name)
}

/// Answers what the phases ask; everything else is the test's.
pub(crate) fn sensible(seen: &SeenRequest) -> Reply {
    match step_of(seen) {
        "plan" => {
            Reply::json(json!({ "strategy": "hybrid", "confidence": 0.9, "risks": ["None that is known"],
            "alternatives": [
                { "name": "One", "description": "Do it so.", "trade_off": "Slower." },
                { "name": "Two", "description": "Do it otherwise.", "trade_off": "Faster." }] }))
        }
        _ => Reply::text("ready"),
    }
}

/// A folder with a model that lists these steps and then decides these actions, one after the other.
fn led(mission: &str, steps: Value, actions: Vec<Value>) -> (Bench, ModelServer) {
    let server = ModelServer::start().unwrap();
    script(&server, steps, actions);
    let more = format!("max_cost = 1.0\n[agents.mission]\n{mission}\n{FILES}{}", balanced(&server));
    let bench = Bench::new(&["read_file", "list_files"], &more);
    fs::write(bench.candor.path("work/a.txt"), "alpha").unwrap();
    bench.plan_of(&[
        json!({"task_id": "a", "description": "Find out what a.txt says", "agent_type": "keeper",
        "expected_outputs": ["finding"]}),
    ]);
    (bench, server)
}

fn script(server: &ModelServer, steps: Value, actions: Vec<Value>) {
    let mut left = actions.into_iter();
    server.route(move |seen| {
        let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
        match step_of(seen) {
            "plan_steps" => Reply::json(json!({ "steps": steps })).with_usage(usage),
            "choose_action" => {
                Reply::json(left.next().unwrap_or(json!({"action": "complete"}))).with_usage(usage)
            }
            _ => sensible(seen),
        }
    });
}

fn asked(server: &ModelServer, step: &str) -> Vec<SeenRequest> {
    server.seen().into_iter().filter(|seen| step_of(seen) == step).collect()
}

/// The steps of a model's list: one without a tool.
fn open_step() -> Value {
    json!([{"id": "look", "description": "Look into the file"}])
}

fn complete() -> Value {
    json!({"thought": "done", "action": "complete", "summary": "It says alpha", "outputs": {"finding": "alpha"}})
}

fn read() -> Value {
    json!({"thought": "read it", "action": "tool_call", "tool": "read_file", "parameters": {"path": "a.txt"}})
}

/// What was paid is on the log, and is what the run says it has spent.
#[track_caller]
fn accounts_are_right(bench: &Bench) -> f64 {
    let log = bench.log();
    let charged: f64 = log.all("charged").iter().map(|event| event["amount"].as_f64().unwrap()).sum();
    let of_notes: f64 =
        notes(&log, "consulted").iter().filter_map(|note| note["step"]["call"]["cost"].as_f64()).sum();
    let of_rooms: f64 =
        log.all("model_consulted").iter().filter_map(|event| event["step"]["call"]["cost"].as_f64()).sum();
    let report = bench.candor.run(["report", "run_1", "--json"]).ended_with(0).json();
    let total = report["cost"]["total"].as_f64().unwrap();
    assert!((charged - total).abs() < 1e-9, "{charged} {total}");
    assert!((of_notes + of_rooms - total).abs() < 1e-9, "{of_notes} {of_rooms} {total}");
    of_notes
}

#[test]
fn a_model_lists_steps_decides_and_completes() {
    // spec: planning TA-02 beyond BY-06
    let (bench, server) = led("", open_step(), vec![read(), complete()]);
    let events = bench.run(0);
    assert_eq!(notes(&events, "planned")[0]["by"], json!("model"));
    assert_eq!(called(&events), ["read_file"]);
    assert_eq!(outputs(&events)["finding"], json!("alpha"));
    assert_eq!((asked(&server, "plan_steps").len(), asked(&server, "choose_action").len()), (1, 2));
    assert!(asked(&server, "choose_action")[1].says("alpha"), "the model sees what the tool gave");
    let paid = accounts_are_right(&bench);
    assert!((paid - 3.0 * 0.006).abs() < 1e-9, "{paid}");
}

#[test]
fn a_model_asks_a_person_and_goes_on_with_the_answer() {
    // spec: beyond BY-03
    let ask = json!({"action": "ask_user", "question": "Which file do you mean?"});
    let (bench, server) = led("", open_step(), vec![ask, read(), complete()]);
    let events = bench.run(3);
    assert_eq!(question(&events), "Which file do you mean?");
    let events = bench.answer(&["answer", "--text", "the one called a.txt"], 0);
    assert_eq!(outputs(&events)["finding"], json!("alpha"));
    assert_eq!(asked(&server, "plan_steps").len(), 1, "what was answered is not asked again");
    assert_eq!(asked(&server, "choose_action").len(), 3);
    assert!(asked(&server, "choose_action")[1].says("the one called a.txt"));
    accounts_are_right(&bench);
}

#[test]
fn a_wrong_decision_is_told_to_the_model_and_asked_for_again() {
    // spec: beyond BY-14
    let wrong = json!({"action": "tool_call", "tool": "raed_file", "parameters": {"path": "a.txt"}});
    let (bench, server) = led("", open_step(), vec![wrong, read(), complete()]);
    let events = bench.run(0);
    assert_eq!(called(&events), ["read_file"]);
    assert!(asked(&server, "choose_action")[1].says("there is no raed_file"), "it is told what was wrong");
    accounts_are_right(&bench);
}

#[test]
fn a_model_that_only_talks_leaves_the_step_failed_and_says_so() {
    // spec: beyond BY-14 BY-10
    let (bench, server) = led("", open_step(), Vec::new());
    server.route(|seen| match step_of(seen) {
        // It is of no use as the last resort either.
        "direct_answer" => Reply::json(json!({ "talk": "about the weather" })),
        _ => sensible(seen),
    });
    let events = bench.run(1);
    let warned: Vec<String> = notes(&events, "warned").iter().map(|note| note["text"].to_string()).collect();
    assert!(warned[0].contains("there is no list of steps"), "{warned:?}");
    assert!(warned[1].contains("no model decided what to do"), "{warned:?}");
    assert!(called(&events).is_empty());
    assert!(events.first_reason().contains("no model decided"), "{}", events.first_reason());
    accounts_are_right(&bench);
}

#[test]
fn a_model_can_have_its_step_planned_anew() {
    // spec: planning TA-02 TA-27 TA-21
    let steps = json!([{"id": "look", "description": "Look into the file"}]);
    let replan = json!({"action": "replan", "reason": "too large"});
    let (bench, server) = led("", steps.clone(), Vec::new());
    let mut actions = vec![replan, complete()].into_iter();
    server.route(move |seen| match step_of(seen) {
        "plan_steps" => Reply::json(json!({ "steps": steps })),
        "choose_action" => Reply::json(actions.next().unwrap()),
        "replan_step" => Reply::json(json!({"strategy_type": "DECOMPOSE_TASK", "confidence": 0.9,
            "rationale": "two are easier than one", "subtasks": [
                {"description": "List", "tool": "list_files", "parameters": {}},
                {"description": "Read", "tool": "read_file", "parameters": {"path": "a.txt"}}]})),
        _ => sensible(seen),
    });
    let events = bench.run(0);
    assert_eq!(called(&events), ["list_files", "read_file"]);
    let said = notes(&events, "said")[0]["text"].as_str().unwrap();
    assert!(said.starts_with("Replanned step 1: DECOMPOSE_TASK - two are easier than one"), "{said}");
    let (tried, ended) = (notes(&events, "replan_tried")[0], notes(&events, "replan_ended")[0]);
    assert_eq!((&tried["by"], &tried["confidence"]), (&json!("model"), &json!(0.9)));
    assert_eq!(ended["new_task_ids"].as_array().unwrap().len(), 2);
    assert!(asked(&server, "choose_action")[1].says("Replanned step 1"), "the model knows of it");
    accounts_are_right(&bench);
}

#[test]
fn a_limit_of_steps_gives_what_there_is_and_says_so() {
    // spec: beyond BY-08 BY-06 planning TA-08
    let steps = json!([{"id": "one", "description": "Look", "tool": "list_files", "parameters": {}},
                       {"id": "two", "description": "Think"}, {"id": "three", "description": "Think more"}]);
    let (bench, _server) = led("max_steps = 3", steps, vec![read(), read(), read(), complete()]);
    let said = bench
        .candor
        .command(["--data", "data", "run", "--plan", "plan.json", "--run-id", "run_1", "--json"])
        .env("CANDOR_TEST_MODEL_KEY", "x")
        .output()
        .unwrap();
    let said = crate::support::Said::of(said);
    let events = Events(said.lines());
    let told = events.0.iter().map(Value::to_string).collect::<String>();
    assert!(told.contains("the attempt used 3 of 3 steps"), "{told}");
    assert!(told.contains("Raise max_steps"), "{told}");
    let first = first_attempt(&events);
    assert_eq!(notes(&first, "consulted").iter().filter(|note| !note["step"]["call"].is_null()).count(), 2);
    assert_eq!(called(&first), ["list_files"]);
    assert!(accounts_are_right(&bench) > 0.0);
}

#[test]
fn an_answer_that_is_on_the_log_is_not_paid_for_again_after_a_kill() {
    // spec: beyond BY-01 BY-12 BY-28
    let (bench, server) = led("", open_step(), Vec::new());
    server.route(|seen| match step_of(seen) {
        "plan_steps" => Reply::json(json!({ "steps": open_step() })).with_usage(Usage::default()),
        "choose_action" => Reply::json(complete()).after(Duration::from_secs(60)),
        _ => sensible(seen),
    });
    let mut child = bench.start();
    until("a decision is asked for", || !asked(&server, "choose_action").is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    let paid_before = notes(&bench.log(), "consulted").len();
    script(&server, open_step(), vec![read(), complete()]);
    let events = bench.resume(0);
    assert_eq!(asked(&server, "plan_steps").len(), 1, "the list is on the log");
    assert_eq!(outputs(&events)["finding"], json!("alpha"));
    let asks: Vec<String> = notes(&bench.log(), "consulted")
        .iter()
        .map(|note| note["ask"].as_str().unwrap().to_owned())
        .collect();
    assert!(asks.len() > paid_before);
    assert_eq!(asks.iter().filter(|ask| *ask == "plan").count(), paid_before, "{asks:?}");
    accounts_are_right(&bench);
}

#[test]
fn the_tokens_of_such_tasks_are_told_as_a_range_once_three_are_known() {
    // spec: findings HE-12
    let (bench, _server) = led("", open_step(), vec![complete(); 4]);
    let mut events = bench.run(0);
    for run in ["run_2", "run_3", "run_4"] {
        let planned = events.0.iter().map(ToString::to_string).collect::<String>();
        assert!(!planned.contains("tokens, from"), "{planned}");
        events = bench.told(&["run", "--plan", "plan.json", "--run-id", run], 0);
    }
    let planned = events.0.iter().map(ToString::to_string).collect::<String>();
    assert!(planned.contains(" tokens, from 3 runs"), "{planned}");
}
