//! The worked example from the sentence to the finished run.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::{Candor, Events, PARIS, QUICK, has_keys, texts};

/// The year of the May that comes next, by the wall clock.
fn year_of_may() -> i64 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let days = i64::try_from(seconds / 86_400).unwrap();
    // The civil calendar, counted in years that begin with March.
    let shifted = days + 719_468;
    let era_day = shifted.rem_euclid(146_097);
    let of_era = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
    let march_year = of_era + shifted.div_euclid(146_097) * 400;
    let day_of_year = era_day - (365 * of_era + of_era / 4 - of_era / 100);
    // From March to the end of May it is this year's, from June on next year's; January and February count
    // as the end of the year before.
    if day_of_year < 92 { march_year } else { march_year + 1 }
}

fn paris() -> Events {
    let (said, events) = Candor::new().events(&["run", PARIS]);
    said.ended_with(0);
    events
}

/// A timestamp without its zone and with all its digits, so that texts sort as times do.
fn instant(timestamp: &Value) -> String {
    let text = timestamp.as_str().unwrap().trim_end_matches('Z');
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{seconds}.{fraction:0<9}")
}

fn second_of_day(timestamp: &Value) -> f64 {
    let (_, time) = timestamp.as_str().unwrap().trim_end_matches('Z').split_once('T').unwrap();
    time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap())
}

fn plan(events: &Events) -> &Value {
    &events.only("plan_proposed")["plan"]
}

#[test]
fn the_goal_is_what_the_documents_read_from_the_sentence() {
    // spec: planning GD-02 GD-03 GD-04 GD-06
    let events = paris();
    let goal = &events.only("goal_defined")["goal"];
    let may = format!("May {}", year_of_may());
    assert_eq!(goal["goal_type"], "travel_planning");
    assert_eq!(goal["description"], PARIS);
    assert_eq!(goal["priority"], 7);
    assert_eq!(
        goal["constraints"],
        json!([{"type": "budget", "value": "2000 USD", "priority": 10},
            {"type": "duration", "value": "3 days", "priority": 9},
            {"type": "time", "value": may, "priority": 8}])
    );
    let criteria = texts(&goal["success_criteria"]);
    assert_eq!(criteria.len(), 4);
    assert!(
        criteria[1].contains("3 nights in central Paris") && criteria[3].contains("2000"),
        "{criteria:?}"
    );
    let extracted = &Candor::new().run(["goal", PARIS, "--json"]).json()["extracted"];
    assert_eq!((&extracted["destination"], &extracted["duration_days"]), (&json!("Paris"), &json!(3)));
    assert_eq!((&extracted["budget"], &extracted["currency"]), (&json!(2000), &json!("USD")));
    assert_eq!(extracted["dates"], may);
}

#[test]
fn the_plan_is_the_documents_plan() {
    // spec: planning TD-02 TD-05 TD-06 SR-05 PX-02
    let events = paris();
    let plan = plan(&events);
    assert_eq!(plan["execution_strategy"], "hybrid");
    assert_eq!(plan["estimated_total_duration"], 80.0);
    let task = |n: usize| {
        let task = &plan["subtasks"][n];
        json!([
            task["task_id"],
            task["description"],
            task["agent_type"],
            task["dependencies"],
            task["priority"],
            task["estimated_duration_seconds"]
        ])
    };
    assert_eq!(plan["subtasks"].as_array().unwrap().len(), 4);
    let flights = "Search for round-trip flights to Paris in May";
    assert_eq!(task(0), json!(["task_001", flights, "flight_agent", [], 10, 30.0]));
    let hotels = "Find hotels in central Paris for 3 nights";
    assert_eq!(task(1), json!(["task_002", hotels, "hotel_agent", ["task_001"], 9, 25.0]));
    let activities = "Recommend 5+ tourist activities in Paris";
    assert_eq!(task(2), json!(["task_003", activities, "activity_agent", [], 7, 20.0]));
    let all = ["task_001", "task_002", "task_003"];
    let budget = "Validate total cost against $2000 budget";
    assert_eq!(task(3), json!(["task_004", budget, "validation_agent", all, 10, 5.0]));
}

#[test]
fn the_stages_and_phases_come_in_their_order() {
    // spec: planning WF-01
    let events = paris();
    let phases = events.texts("phase_started", "phase");
    let order = ["pre_analysis", "evaluation", "context", "decomposition", "planning", "execution"];
    assert_eq!(phases[..6], order);
    assert_eq!(phases[6..], ["validation", "consolidation"]);
    assert_eq!(events.all("phase_completed").len(), 8);
    let at = |kind: &str| events.position(|event| event["event"] == kind);
    let completed =
        |phase: &str| events.position(|event| event["event"] == "phase_completed" && event["phase"] == phase);
    let stages = [
        at("goal_defined"),
        completed("decomposition"),
        completed("planning"),
        at("plan_proposed"),
        at("plan_approved"),
        at("task_dispatched"),
        at("outcome_recorded"),
        at("run_completed"),
    ];
    assert!(stages.is_sorted(), "{stages:?}");
}

#[test]
fn each_room_leaves_a_handoff_that_says_who_spoke() {
    for completed in paris().all("phase_completed") {
        let handoff = &completed["handoff"];
        assert_eq!(handoff["spoken_by"], "heuristic", "there is no model: {completed}");
        assert!(!handoff["summary"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_good_run_keeps_what_success_promises() {
    // spec: planning WF-06
    let events = paris();
    let at = |kind: &str| second_of_day(&events.only(kind)["timestamp"]);
    assert!((at("plan_approved") - at("run_started")).rem_euclid(86_400.0) < 3.0);
    let proposed = plan(&events);
    assert!(proposed["confidence_score"].as_f64().unwrap() >= 0.7);
    for task in proposed["subtasks"].as_array().unwrap() {
        assert_ne!(task["agent_type"], "TBD");
    }
    let charged = events.all("charged").into_iter().filter(|charge| charge["account"] != "execution");
    assert!(charged.map(|charge| charge["amount"].as_f64().unwrap()).sum::<f64>() < 0.01);
    let report = events.report();
    let done = report["tasks"].as_array().unwrap();
    assert!(done.len() == 4 && done.iter().all(|task| task["status"] == "completed"));
}

#[test]
fn tasks_are_handed_out_as_soon_as_what_they_need_is_there() {
    // spec: planning EX-01
    let candor = Candor::with_config(QUICK);
    let (said, events) = candor.events(&["run", PARIS, "--fault", "activity_agent=slow"]);
    said.ended_with(0);
    let at =
        |kind: &str, task: &str| events.position(|event| event["event"] == kind && event["task_id"] == task);
    let first_end = events.position(|event| event["event"] == "task_succeeded");
    assert!(at("task_dispatched", "task_001") < first_end && at("task_dispatched", "task_003") < first_end);
    assert!(at("task_succeeded", "task_001") < at("task_dispatched", "task_002"));
    assert!(at("task_dispatched", "task_002") < at("task_succeeded", "task_003"), "it need not wait for it");
    for needed in ["task_001", "task_002", "task_003"] {
        assert!(at("task_succeeded", needed) < at("task_dispatched", "task_004"));
    }
}

#[test]
fn every_task_gives_one_feedback_in_the_order_of_time() {
    // spec: planning EX-03 EX-04
    let events = paris();
    let feedback = events.report()["result"]["feedback"].as_array().unwrap().clone();
    let mut tasks: Vec<&str> = feedback.iter().map(|it| it["task_id"].as_str().unwrap()).collect();
    tasks.sort_unstable();
    assert_eq!(tasks, ["task_001", "task_002", "task_003", "task_004"]);
    for entry in &feedback {
        assert_eq!(entry["feedback_type"], "SUCCESS");
        assert!(entry["duration_seconds"].as_f64().unwrap() > 0.0 && entry["cost"].as_f64().unwrap() >= 0.0);
        assert!(entry["actual_outputs"].is_object());
    }
    assert!(feedback.is_sorted_by_key(|entry| instant(&entry["timestamp"])));
}

#[test]
fn the_money_of_the_run_adds_up_to_five_cents() {
    // spec: planning EX-14 EN-14
    let events = paris();
    let report = events.report();
    let cost = |value: &Value| value["cost"].as_f64().unwrap();
    let sum: f64 = report["result"]["feedback"].as_array().unwrap().iter().map(cost).sum();
    assert!((sum - 0.05).abs() < 1e-9);
    assert_eq!(report["summary"]["total_cost"], 0.05);
    has_keys(&report["result"], &["execution_id", "plan_id", "start_time", "end_time"]);
    has_keys(&report["result"], &["total_duration_seconds", "status", "feedback"]);
    assert_eq!(report["result"]["status"], "SUCCESS");
}

#[test]
fn the_sample_journey_costs_what_its_parts_cost() {
    // spec: planning EX-06 PX-08
    let events = paris();
    let feedback = events.report()["result"]["feedback"].as_array().unwrap().clone();
    let checked = &feedback.iter().find(|it| it["task_id"] == "task_004").unwrap()["actual_outputs"];
    assert_eq!(checked["budget_status"], "WITHIN_BUDGET");
    assert_eq!(checked["total_cost"], 1293);
    assert_eq!((&checked["breakdown"]["flight"], &checked["breakdown"]["hotel"]), (&json!(650), &json!(540)));
    assert_eq!(checked["breakdown"]["activities"], 103);
}

#[test]
fn the_budget_and_the_number_of_activities_are_checked_at_the_end() {
    // spec: planning EX-15
    let events = paris();
    let constraints = &events.report()["constraints"];
    let check = |what: &str| {
        let checks = constraints["checks"].as_array().unwrap();
        let found = checks.iter().find(|check| check["what"] == what).unwrap();
        (found["met"].clone(), found["found"].clone())
    };
    assert_eq!(check("budget"), (json!(true), json!("1293")));
    assert_eq!(check("activities"), (json!(true), json!("6")));
    assert_eq!((&constraints["succeeded"], &constraints["total"]), (&json!(4), &json!(4)));
}

#[test]
fn progress_is_told_after_each_task() {
    // spec: planning TR-01 TR-02 TR-03
    let events = paris();
    let updates: Vec<&Value> = events.all("progressed").iter().map(|event| &event["update"]).collect();
    let percentages: Vec<f64> =
        updates.iter().map(|update| update["progress_percentage"].as_f64().unwrap()).collect();
    assert_eq!(percentages, [25.0, 50.0, 75.0, 100.0]);
    for update in &updates {
        has_keys(update, &["task_id", "status", "progress_percentage", "estimated_remaining_time"]);
        assert_eq!(update["status"], "SUCCESS");
    }
    assert_eq!(updates[3]["estimated_remaining_time"], 0.0);
}

#[test]
fn the_report_says_what_happened_and_what_was_learned() {
    // spec: planning TR-10 TR-11
    let events = paris();
    let report = events.report();
    assert!(report["summary"]["total_duration"].as_f64().unwrap() > 0.0);
    assert_eq!(report["summary"]["success"], true);
    assert_eq!(report["tasks"].as_array().unwrap().len(), 4);
    assert_eq!(report["revisions"], json!([]));
    assert!(report["confidence_evolution"].as_array().unwrap().len() >= 2);
    for part in ["what_failed", "what_worked", "recommendations"] {
        assert!(!texts(&report["lessons_learned"][part]).is_empty(), "{part}");
    }
    assert!(report["plan"]["metadata"]["execution_report"].is_object());
}

#[test]
fn when_all_goes_well_confidence_rises_a_little() {
    // spec: planning FB-02
    let events = paris();
    let changed = events.only("confidence_changed");
    let (before, after) = (changed["before"].as_f64().unwrap(), changed["after"].as_f64().unwrap());
    assert!((after - before - 0.05).abs() < 1e-9, "{changed}");
}

#[test]
fn what_was_found_is_shown_and_said_to_be_sample_data() {
    let said = Candor::new().run(["run", PARIS]).ended_with(0);
    said.shows(&["Air France", "Hotel Le Marais", "Eiffel Tower", "total_cost 1293", "sample data"]);
}
