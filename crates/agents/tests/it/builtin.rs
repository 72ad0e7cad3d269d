//! Built-in agents, described by data as a pack describes them.

use std::sync::Arc;

use crate::common::{order, perform};
use candor_agents::{BuiltinError, builtin};
use candor_model::{AgentAnswer, FeedbackType, TaskId, WorkOrder};
use candor_ports::{Agent, AgentFailure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const FLIGHTS: &str = r#"{ "note": "sample data", "records": [
    { "airline": "United", "destination": "Paris", "price": 720 },
    { "airline": "Air France", "destination": ["Paris", "Lyon"], "price": 650 },
    { "airline": "Low Cost", "destination": "paris", "price": 579.5, "stops": 2 },
    { "airline": "Iberia", "destination": "Madrid", "price": 100 },
    { "airline": "Charter", "destination": "*", "price": 900 }
] }"#;

const HOTELS: &str = r#"[
    { "name": "Hotel Le Marais", "city": "Paris", "price_per_night": 180 },
    { "name": "Hotel Louvre", "city": "Paris", "price_per_night": 220 },
    { "name": "Auberge", "city": "Paris", "price_per_night": 150 }
]"#;

const ACTIVITIES: &str = r#"[
    { "name": "Eiffel Tower", "price": 25, "rating": 4.9 },
    { "name": "Louvre Museum", "price": 20, "rating": 4.8 },
    { "name": "Arc de Triomphe", "price": 13, "rating": 4.5 },
    { "name": "Seine River Cruise", "price": 15, "rating": 4.6 },
    { "name": "Montmartre Walking Tour", "price": 30, "rating": 4.7 },
    { "name": "Notre-Dame exterior", "price": 0, "rating": 4.4 }
]"#;

fn made(kind: &str, options: Value) -> Result<Arc<dyn Agent>, BuiltinError> {
    let files = |name: &str| match name {
        "flights.json" => Some(FLIGHTS.to_owned()),
        "hotels.json" => Some(HOTELS.to_owned()),
        "activities.json" => Some(ACTIVITIES.to_owned()),
        "broken.json" => Some("[{\"price\": ]".to_owned()),
        "text.json" => Some("\"flights\"".to_owned()),
        _ => None,
    };
    builtin(kind, options.as_object().unwrap(), &files)
}

fn with(inputs: Value) -> WorkOrder {
    let mut order = order(10.0);
    order.inputs = inputs.as_object().unwrap().clone();
    order
}

async fn answer(kind: &str, options: Value, order: &WorkOrder) -> AgentAnswer {
    perform(&*made(kind, options).unwrap(), order).await.unwrap()
}

fn flights() -> Value {
    json!({
        "file": "flights.json", "where": { "destination": "to" }, "filter": "item.price <= inputs.max_price",
        "sort": "price", "limit": 5, "output": "flight_options", "choose": "selected_flight",
        "empty_error": "No flights to {inputs.to} found under ${inputs.max_price}",
        "suggestion": "Raise the price limit"
    })
}

fn names(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_noop_gives_what_is_expected_and_an_echo_what_it_got() {
    let order = order(10.0);
    assert_eq!(answer("noop", json!({}), &order).await.outputs["flight_options"], true);
    assert_eq!(answer("echo", json!({}), &order).await.outputs, order.inputs);
}

#[tokio::test]
async fn a_catalogue_answers_what_fits_in_order() {
    let found = answer("catalogue", flights(), &with(json!({ "to": "PARÍS" }))).await.outputs;
    assert_eq!(names(&found["flight_options"], "airline"), ["Low Cost", "Air France", "United", "Charter"]);
    assert_eq!(found["selected_flight"]["price"], 579.5);
    let found =
        answer("catalogue", flights(), &with(json!({ "to": "Lyon", "max_price": 700 }))).await.outputs;
    assert_eq!(names(&found["flight_options"], "airline"), ["Air France"]);
    let found = answer("catalogue", flights(), &with(json!({ "to": null, "max_price": null }))).await.outputs;
    assert_eq!(found["flight_options"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_catalogue_in_which_nothing_fits_says_so_and_what_would_help() {
    let empty = answer("catalogue", flights(), &with(json!({ "to": "Paris", "max_price": 99.5 }))).await;
    assert_eq!(empty.verdict(), FeedbackType::Failure);
    assert_eq!(empty.errors, ["No flights to Paris found under $99.50"]);
    assert_eq!(empty.suggested_adjustments.as_deref(), Some("Raise the price limit"));
}

#[tokio::test]
async fn a_catalogue_tells_what_does_not_fit_from_what_it_does_not_have() {
    let mut options = flights();
    options["file"] = json!("hotels.json");
    options["where"] = json!({ "city": "to" });
    options["unknown_error"] = json!("Nothing is known of {inputs.to}");
    options["filter"] = json!("item.price_per_night <= inputs.max_price");
    let word = |answer: &AgentAnswer| answer.failure().unwrap().reported_kind.unwrap();
    let order = with(json!({ "to": "Oslo", "max_price": 500 }));
    let unknown = answer("catalogue", options.clone(), &order).await;
    assert_eq!(
        (unknown.errors[0].as_str(), word(&unknown).as_str()),
        ("Nothing is known of Oslo", "not_in_catalogue")
    );
    let dear = answer("catalogue", options, &with(json!({ "to": "Paris", "max_price": 1 }))).await;
    assert_eq!(
        (dear.errors[0].as_str(), word(&dear).as_str()),
        ("No flights to Paris found under $1", "no_match")
    );
}

#[tokio::test]
async fn what_an_input_lists_is_left_out() {
    // spec: findings RC-11
    let mut options = flights();
    options["exclude"] = json!({ "airline": "without" });
    let order = with(json!({ "to": "Paris", "without": ["low cost", "United"] }));
    let found = answer("catalogue", options.clone(), &order).await.outputs;
    assert_eq!(names(&found["flight_options"], "airline"), ["Air France", "Charter"]);
    let order = with(json!({ "to": "Paris", "without": null }));
    let found = answer("catalogue", options, &order).await.outputs;
    assert_eq!(found["flight_options"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn what_is_found_is_spread_over_days_and_days_are_counted() {
    let options = json!({
        "file": "activities.json", "output": "found", "spread": { "day": "inputs.days" }, "sort": "-rating",
        "add": { "until": "plus_days(inputs.from, 3)", "never": "plus_days('soon', 3)" }
    });
    let order = with(json!({ "days": 4, "from": "2027-12-30" }));
    let found = answer("catalogue", options.clone(), &order).await.outputs;
    let days: Vec<&Value> = found["found"].as_array().unwrap().iter().map(|item| &item["day"]).collect();
    assert_eq!(days, [1, 1, 2, 3, 3, 4], "no day is empty");
    let first = &found["found"][0];
    assert_eq!((&first["until"], first.get("never")), (&json!("2028-01-02"), None));
    let found = answer("catalogue", options, &with(json!({}))).await.outputs;
    assert_eq!((found["found"][0].get("day"), found["found"][0].get("until")), (None, None));
}

#[tokio::test]
async fn a_record_without_the_field_does_not_fit_but_an_input_that_is_missing_asks_for_nothing() {
    let mut options = flights();
    options["filter"] = json!(["item.stops <= inputs.max_stops", "item.price > 0"]);
    let with_stops = with(json!({ "max_stops": 3 }));
    let found = answer("catalogue", options.clone(), &with_stops).await.outputs;
    assert_eq!(names(&found["flight_options"], "airline"), ["Low Cost"]);
    let found = answer("catalogue", options, &with(json!({}))).await.outputs;
    assert_eq!(found["flight_options"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn computed_fields_and_totals_are_data_too() {
    // spec: planning PX-07 PX-08
    let hotels = json!({
        "file": "hotels.json", "where": { "city": "destination" },
        "filter": "item.price_per_night <= inputs.max_price_per_night",
        "add": { "total": "item.price_per_night * inputs.nights" }, "sort": "-price_per_night", "limit": 2,
        "output": "hotel_options", "choose": "selected_hotel", "outputs": { "hotel_total": "chosen.total" }
    });
    let inputs = json!({ "destination": "Paris", "nights": 3, "max_price_per_night": 200 });
    let found = answer("catalogue", hotels, &with(inputs)).await.outputs;
    assert_eq!(names(&found["hotel_options"], "name"), ["Hotel Le Marais", "Auberge"]);
    assert_eq!(found["hotel_total"], 540);
    let activities = json!({
        "file": "activities.json", "sort": ["-rating", "price"],
        "limit": "has(inputs.wanted) ? inputs.wanted : 6", "output": "activities",
        "outputs": { "total_cost": "sum(found.map(x, x.price))", "count": "size(found)" }
    });
    let found = answer("catalogue", activities.clone(), &with(json!({}))).await.outputs;
    assert_eq!((&found["total_cost"], &found["count"]), (&json!(103), &json!(6)));
    let found = answer("catalogue", activities, &with(json!({ "wanted": 2 }))).await.outputs;
    assert_eq!(names(&found["activities"], "name"), ["Eiffel Tower", "Louvre Museum"]);
}

fn budget() -> Value {
    json!({
        "require": ["results.selected_flight"],
        "outputs": {
            "breakdown": {
                "flight": "results.selected_flight.price",
                "hotel": "results.selected_hotel.total",
                "activities": "sum(results.activities.map(x, x.price))",
                "transport": "results.selected_transport.price",
                "buffer": "inputs.buffer"
            },
            "total_cost": "sum(outputs.breakdown)",
            "budget_status": "outputs.total_cost > inputs.budget ? 'EXCEEDED' : 'WITHIN_BUDGET'"
        },
        "violations": [{
            "when": "outputs.total_cost > inputs.budget",
            "error": "Total cost ${outputs.total_cost} exceeds budget ${inputs.budget}",
            "suggestion": "Choose a cheaper flight or hotel",
            "outputs": { "budget": "inputs.budget", "overage": "outputs.total_cost - outputs.budget" }
        }]
    })
}

fn trip(flight: f64, hotel: f64, inputs: Value) -> WorkOrder {
    let mut order = with(inputs);
    let task = |n: usize, outputs: Value| (TaskId::numbered(n), outputs.as_object().unwrap().clone());
    order.upstream = [
        task(1, json!({ "selected_flight": { "price": flight } })),
        task(2, json!({ "selected_hotel": { "total": hotel } })),
        task(3, json!({ "activities": serde_json::from_str::<Value>(ACTIVITIES).unwrap() })),
    ]
    .into();
    order
}

#[tokio::test]
async fn a_budget_that_is_kept_is_reported_with_its_parts() {
    // spec: planning EX-06 PX-09
    let order = trip(650.0, 540.0, json!({ "budget": 2000, "buffer": 150 }));
    let checked = answer("check", budget(), &order).await;
    assert_eq!(checked.verdict(), FeedbackType::Success);
    let expected = json!({
        "budget_status": "WITHIN_BUDGET", "total_cost": 1443,
        "breakdown": { "flight": 650, "hotel": 540, "activities": 103, "buffer": 150 }
    });
    assert_eq!(Value::Object(checked.outputs), expected);
}

#[tokio::test]
async fn a_budget_that_is_exceeded_is_a_violation_with_its_overage() {
    // spec: planning EX-06 EX-07
    let order = trip(1387.0, 660.0, json!({ "budget": 2000 }));
    let checked = answer("check", budget(), &order).await;
    assert_eq!(checked.verdict(), FeedbackType::ConstraintViolation);
    assert_eq!(checked.errors, ["Total cost $2150 exceeds budget $2000"]);
    assert_eq!(checked.suggested_adjustments.as_deref(), Some("Choose a cheaper flight or hotel"));
    assert_eq!(checked.outputs["budget_status"], "EXCEEDED");
    assert_eq!((&checked.outputs["budget"], &checked.outputs["overage"]), (&json!(2000), &json!(150)));
}

#[tokio::test]
async fn a_check_without_what_it_is_about_fails_and_without_a_budget_breaks_nothing() {
    let failure =
        perform(&*made("check", budget()).unwrap(), &with(json!({ "budget": 1 }))).await.unwrap_err();
    assert!(failure.to_string().contains("results.selected_flight"), "{failure}");
    let checked = answer("check", budget(), &trip(1.0, 2.0, json!({}))).await;
    assert_eq!(checked.verdict(), FeedbackType::Success);
    assert_eq!(checked.outputs["total_cost"], 106);
    assert!(!checked.outputs.contains_key("budget_status"));
}

#[tokio::test]
async fn an_expression_that_makes_no_sense_for_its_values_fails_in_plain_words() {
    let cases = [
        ("inputs.a + 'x'", "inputs.a + 'x'"),
        ("1 / inputs.zero", "divided by zero"),
        ("nobody.knows", "nobody"),
        ("unknown(1)", "unknown"),
        ("sum(inputs.a)", "needs a list"),
    ];
    for (expression, problem) in cases {
        let agent = made("check", json!({ "outputs": { "x": expression } })).unwrap();
        let failure = perform(&*agent, &with(json!({ "a": 1, "zero": 0 }))).await.unwrap_err();
        assert!(failure.to_string().contains(problem), "{expression}: {failure}");
    }
}

#[tokio::test]
async fn the_longest_expression_that_is_accepted_can_be_computed() {
    for (one, many) in
        [("1", "+1"), ("inputs.n", " == 0 ? 1 : 2"), ("inputs.list", "[0]"), ("!true", "||!true")]
    {
        let longest = (0..100).map(|n| format!("{one}{}", many.repeat(n)));
        let made = longest.rev().find_map(|text| made("check", json!({ "outputs": { "x": text } })).ok());
        // Whether it has a value does not matter here, only that asking for it is survived.
        let _ = perform(&*made.unwrap(), &with(json!({ "n": 1, "list": [1] }))).await;
    }
}

#[tokio::test]
async fn whole_and_decimal_numbers_mix() {
    let outputs = json!({
        "a": "inputs.whole + inputs.part", "b": "inputs.whole * 2 + size(inputs.list)", "c": "inputs.list[0]",
        "d": "round(inputs.part)", "e": "max(1, inputs.part)", "f": "outputs.a - 0.5",
        "g": "[1,2].exists(x, x > 1)"
    });
    let order = with(json!({ "whole": 2, "part": 1.5, "list": [7, 8] }));
    let got = answer("check", json!({ "outputs": outputs }), &order).await.outputs;
    let expected = json!({ "a": 3.5, "b": 6, "c": 7, "d": 2, "e": 1.5, "f": 3, "g": true });
    assert_eq!(Value::Object(got), expected);
}

#[test]
fn a_wrong_description_names_its_key_and_the_nearest_that_is_known() {
    let cases = [
        ("catalog", json!({}), "builtin", "did you mean `catalogue`?"),
        ("banana", json!({}), "builtin", "known: catalogue, check, echo, noop"),
        ("noop", json!({ "x": 1 }), "x", "no options"),
        ("catalogue", json!({ "fille": "x" }), "fille", "did you mean `file`?"),
        ("catalogue", json!({ "output": "o" }), "file", "missing"),
        ("catalogue", json!({ "file": "flights.json" }), "output", "missing"),
        ("catalogue", json!({ "file": "gone.json", "output": "o" }), "file", "`gone.json`"),
        ("catalogue", json!({ "file": "broken.json", "output": "o" }), "file", "line 1"),
        ("catalogue", json!({ "file": "text.json", "output": "o" }), "file", "JSON array"),
        ("catalogue", json!({ "records": [], "output": "o", "filter": 3 }), "filter", "list of texts"),
        (
            "catalogue",
            json!({ "records": [], "output": "o", "filter": "item. <" }),
            "filter",
            "not a CEL expression",
        ),
        ("catalogue", json!({ "records": [], "output": "o", "limit": 0 }), "limit", "above 0"),
        ("catalogue", json!({ "records": [], "output": "o", "add": { "t": 1 } }), "add.t", "expression"),
        (
            "catalogue",
            json!({ "records": [], "output": "o", "empty_error": "a { b" }),
            "empty_error",
            "partner",
        ),
        ("check", json!({}), "violations", "at least one"),
        ("check", json!({ "outputs": { "a": { "b": "1 +" } } }), "outputs.a.b", "not a CEL expression"),
        ("check", json!({ "outputs": { "a": "outputs.b", "b": "outputs.a" } }), "outputs", "circle"),
        ("check", json!({ "violations": [{ "when": "true" }] }), "violations[0].error", "missing"),
        ("check", json!({ "violations": [{ "when": "(", "error": "" }] }), "violations[0].when", "CEL"),
        ("check", json!({ "outputs": { "a": "x".repeat(3000) } }), "outputs.a", "at most"),
        (
            "check",
            json!({ "outputs": { "a": format!("{}1{}", "(".repeat(900), ")".repeat(900)) } }),
            "outputs.a",
            "CEL",
        ),
        (
            "check",
            json!({ "outputs": { "a": "[1].map(a, [1].map(b, [1].map(c, c)))" } }),
            "outputs.a",
            "deeper",
        ),
    ];
    for (kind, options, key, problem) in cases {
        let error =
            made(kind, options.clone()).err().unwrap_or_else(|| panic!("{kind} {options} was accepted"));
        assert_eq!(error.key, key, "{error}");
        assert!(error.problem.contains(problem), "{error}");
    }
}

#[tokio::test]
async fn a_computation_ends_when_it_is_stopped_or_out_of_time() {
    let records: Vec<Value> =
        (0..10_000).map(|n| json!({ "price": n, "tags": [1, 2, 3, 4, 5, 6, 7, 8, 9] })).collect();
    let filter = "item.tags.all(a, item.tags.exists(b, a + b >= 0))";
    let agent = made("catalogue", json!({ "records": records, "filter": filter, "output": "o" })).unwrap();
    let failure = perform(&*agent, &order(0.001)).await.unwrap_err();
    assert_eq!(failure.to_string(), "Agent timeout after 0.001s");
    let stop = CancellationToken::new();
    stop.cancel();
    assert_eq!(agent.perform(&order(10.0), stop).await, Err(AgentFailure::Stopped));
}
