//! Every way out of a failure, watched through `--fault`.

use serde_json::{Value, json};

use crate::support::{Candor, Events, GENERAL, PARIS, QUICK, has_keys, texts};

/// The Paris run with these faults; it comes to a good end.
fn paris_with(faults: &[&str]) -> Events {
    let candor = Candor::with_config(QUICK);
    let mut args = vec!["run", PARIS];
    faults.iter().for_each(|fault| args.extend(["--fault", fault]));
    let (said, events) = candor.events(&args);
    said.ended_with(0);
    assert_eq!(events.report()["summary"]["success"], true);
    events
}

fn revision(events: &Events) -> &Value {
    &events.only("replanned")["revision"]
}

/// The only change of the plan, as told.
fn change(events: &Events) -> String {
    texts(&revision(events)["changes"]).join("; ")
}

fn confidence_fell_by(events: &Events, points: f64) {
    let changed = events.only("confidence_changed");
    let fall = changed["before"].as_f64().unwrap() - changed["after"].as_f64().unwrap();
    assert!((fall - points).abs() < 1e-9, "{changed}");
}

#[test]
fn a_timeout_goes_to_the_backup_agent() {
    // spec: planning EX-08 FT-06 FT-11 RP-02 RP-05 RP-10 RP-11 RP-12 RP-13 RP-14 SR-07
    let events = paris_with(&["flight_agent=timeout:1"]);
    assert_eq!(events.first_reason(), "Agent timeout after 0.6s");
    assert_eq!(events.only("task_failed")["feedback"]["cost"], 0);
    let told = events.failures_told();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["error_summary"], "Flight search failed: Agent timeout");
    assert!(told[0]["recovery_strategy"].as_str().unwrap().contains("Retrying with backup"));
    let revision = revision(&events);
    assert_eq!(revision["trigger"], "1 failures, 0 violations");
    assert_eq!(revision["changes"], json!(["Retry task task_001 with agent backup_flight_agent"]));
    assert_eq!(revision["removed_task_ids"], json!(["task_001"]));
    let retry = &revision["new_subtasks"][0];
    assert_eq!(
        (&retry["task_id"], &retry["agent_type"]),
        (&json!("task_001_retry"), &json!("backup_flight_agent"))
    );
    assert!(retry["description"].as_str().unwrap().ends_with(" (retry)"));
    assert_eq!(retry["retry_policy"], json!({"max_retries": 1, "backoff_seconds": 5.0}));
    confidence_fell_by(&events, 0.10);
    assert_eq!(events.report()["plan"]["subtasks"][0]["task_id"], "task_001_retry");
}

#[test]
fn a_failure_and_its_notice_come_together_and_before_the_recovery() {
    // spec: planning WF-02 FT-08 FT-09 EN-21 EN-22
    let events = paris_with(&["flight_agent=timeout:1"]);
    let failed = events.position(|event| event["event"] == "task_failed");
    let next = &events.0[failed + 1];
    let notice = &next["notification"]["failure"];
    has_keys(notice, &["severity", "timestamp", "task_id", "error_summary", "recovery_strategy"]);
    has_keys(notice, &["estimated_delay", "logs_url"]);
    assert_eq!((&notice["severity"], &notice["logs_url"]), (&json!("ERROR"), &json!("/logs/task_001")));
    assert!(failed < events.position(|event| event["event"] == "replanned"));
    let recovery = events.recoveries_told();
    assert_eq!(recovery.len(), 1);
    for part in ["what_were_doing", "why", "expected_impact", "confidence_adjustment"] {
        assert!(!recovery[0][part].as_str().unwrap().is_empty(), "{part}");
    }
    assert_eq!(recovery[0]["title"], "Recovery Strategy");
}

#[test]
fn a_broken_budget_tightens_the_searches_that_spent_it() {
    // spec: planning RP-30 RP-31 RP-32 RP-33 RP-34 RP-35 EX-07 EX-12
    let events = paris_with(&["validation_agent=over_budget:1"]);
    assert_eq!(events.first_reason(), "Total cost $2150 exceeds budget $2000");
    assert_eq!(events.strategies(), ["ADJUST_PARAMETERS"]);
    let revision = revision(&events);
    assert_eq!(revision["modified_task_ids"], json!(["task_001", "task_002"]));
    assert_eq!(revision["trigger"], "0 failures, 1 violations");
    let change = change(&events);
    assert!(change.contains("max_price") && change.contains("max_price_per_night"), "{change}");
    let subtasks = &events.report()["plan"]["subtasks"];
    assert_eq!(subtasks[0]["inputs"]["max_price"], 600);
    assert_eq!(subtasks[1]["inputs"]["max_price_per_night"], 150);
    let dispatched = events.dispatched();
    let times = |task: &str| dispatched.iter().filter(|it| *it == task).count();
    assert_eq!((times("task_001"), times("task_002"), times("task_003"), times("task_004")), (2, 2, 1, 2));
    let last = events.report()["result"]["feedback"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["actual_outputs"]["total_cost"], 1133);
    confidence_fell_by(&events, 0.08);
}

#[test]
fn what_is_fully_booked_is_looked_for_elsewhere() {
    // spec: planning RP-40 RP-41 RP-42 RP-43 RP-44 RP-46
    let events = paris_with(&["hotel_agent=fully_booked:1"]);
    assert_eq!(events.strategies(), ["FIND_WORKAROUND"]);
    let workaround = &revision(&events)["new_subtasks"][0];
    assert_eq!(workaround["task_id"], "task_002_workaround");
    let description = workaround["description"].as_str().unwrap();
    assert!(description.contains("alternative") && description.contains("nearby"), "{description}");
    assert_eq!(workaround["expected_outputs"], json!(["hotel_options"]));
    assert_eq!(workaround["inputs"]["radius_km"], 10);
    assert_eq!(workaround["inputs"]["exclude"], json!(["Hotel Le Marais"]));
    let change = change(&events);
    assert!(change.contains("workaround") && change.contains("fully booked"), "{change}");
    confidence_fell_by(&events, 0.15);
}

#[test]
fn what_a_task_before_left_unusable_is_made_again() {
    // spec: planning RP-50
    let events = paris_with(&["hotel_agent=dependency_failed:1"]);
    assert_eq!(events.strategies(), ["FIX_DEPENDENCIES"]);
    assert!(change(&events).contains("task_001"), "{}", change(&events));
}

#[test]
fn what_is_too_complex_is_broken_down() {
    // spec: planning RP-20 RP-21 RP-22 RP-23 RP-24 RP-25
    let candor = Candor::with_config(GENERAL);
    let task = json!({"task_id": "task_001", "description": "Write the report, the summary and the letter",
        "agent_type": "writer", "expected_outputs": ["texts"]});
    candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    let (said, events) = candor.events(&["run", "--plan", "plan.json", "--fault", "writer=too_complex:1"]);
    said.ended_with(0);
    assert_eq!(events.strategies(), ["DECOMPOSE_FURTHER"]);
    let revision = revision(&events);
    let parts = revision["new_subtasks"].as_array().unwrap();
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert_eq!(revision["removed_task_ids"], json!(["task_001"]));
    for part in parts {
        assert!(part["estimated_duration_seconds"].as_f64().unwrap() < 30.0);
        // spec: findings RC-08
        assert!(part["description"].as_str().unwrap().contains("Write the report"), "{part}");
    }
    assert_eq!(parts[1]["dependencies"], json!([parts[0]["task_id"]]));
    let outputs = texts(&parts.last().unwrap()["expected_outputs"]).join(" ");
    assert!(outputs.contains("texts"), "{outputs}");
    let subtasks = events.report()["plan"]["subtasks"].as_array().unwrap().clone();
    assert!(subtasks.iter().all(|task| task["agent_type"] != "TBD"));
    confidence_fell_by(&events, 0.05);
}

#[test]
fn an_agent_that_is_not_there_is_replaced() {
    let events = paris_with(&["flight_agent=unavailable:1"]);
    assert_eq!(events.strategies(), ["RETRY_DIFFERENT_AGENT"]);
}

#[test]
fn a_crash_and_garbage_are_failures_with_a_reason() {
    // spec: planning FT-16
    for (fault, words) in [
        ("flight_agent=crash:1", ["signal 9", "injected crash"]),
        ("flight_agent=garbage:1", ["JSON", "injected garbage"]),
    ] {
        let events = paris_with(&[fault]);
        let reason = events.first_reason();
        assert!(words.iter().all(|word| reason.contains(word)), "{reason}");
        assert_eq!(events.failures_told().len(), 1);
        assert_eq!(events.strategies(), ["RETRY_DIFFERENT_AGENT"]);
    }
}

#[test]
fn an_error_is_a_failure_and_slowness_is_none() {
    let error = paris_with(&["flight_agent=error:1"]);
    assert!(error.first_reason().contains("injected error"));
    let slow = paris_with(&["hotel_agent=slow:1"]);
    assert!(slow.all("task_failed").is_empty());
}

#[test]
fn a_run_with_faults_keeps_both_attempts_and_says_what_it_learned() {
    // spec: planning FB-01 FB-15 TR-13
    let events = paris_with(&["flight_agent=timeout:1"]);
    let feedback = events.report()["result"]["feedback"].as_array().unwrap().clone();
    let tasks: Vec<&str> = feedback.iter().map(|it| it["task_id"].as_str().unwrap()).collect();
    assert!(tasks.contains(&"task_001") && tasks.contains(&"task_001_retry"), "{tasks:?}");
    let lessons = &events.report()["lessons_learned"];
    let failed = texts(&lessons["what_failed"]).join(" ");
    assert!(failed.contains("task_001") && failed.contains("timeout"), "{failed}");
    let advice = texts(&lessons["recommendations"]).join(" ");
    assert!(advice.contains("backup flight agent"), "{advice}");
}

#[test]
fn people_see_the_failure_and_what_is_done_about_it() {
    let candor = Candor::with_config(QUICK);
    let said = candor.run(["run", PARIS, "-v", "--fault", "flight_agent=timeout:1"]).ended_with(0);
    said.shows(&[
        "Flight search failed: Agent timeout — Retrying with backup flight agent",
        "Plan revised",
        "Confidence 0.87 → 0.77",
        "1 failed attempt",
    ]);
}

#[test]
fn a_run_that_cannot_be_saved_ends_and_says_why() {
    // spec: planning AB-01 AB-02 AB-03 EX-16
    let candor =
        Candor::with_config("[limits]\nagent_timeout = 0.6\nmax_revisions = 1\n[packs]\nagents = true\n");
    let (said, events) = candor.events(&[
        "run",
        PARIS,
        "--fault",
        "flight_agent=error",
        "--fault",
        "backup_flight_agent=error",
    ]);
    let said = said.ended_with(1).tells(&["exceeded 1 revisions", "injected error", "candor postmortem"]);
    assert!(!said.stderr.contains("Answer with"));
    assert_eq!(events.report()["status"], "aborted");
    assert_eq!(events.report()["summary"]["success"], false);
}

#[test]
fn a_fault_that_does_not_exist_is_refused_with_what_does() {
    let candor = Candor::new();
    let fault = |fault: &str| candor.run(["run", PARIS, "--fault", fault]);
    fault("hotl_agent=error").refused(&["no agent hotl_agent", "hotel_agent"]);
    fault("hotel_agent=timeot").refused(&["timeot", "did you mean `timeout`?"]);
    fault("hotel_agent=explode").refused(&["explode", "timeout, error, crash, garbage, slow"]);
    fault("hotel_agent=error:0").refused(&["TIMES", "above 0"]);
    fault("hotel_agent=error:x").refused(&["TIMES"]);
    fault("hotel_agent").refused(&["AGENT=KIND"]);
    fault("=error").refused(&["name"]);
    assert_eq!(candor.run(["list", "--json"]).json(), json!([]), "nothing was started");
}
