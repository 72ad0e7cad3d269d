//! Requests of any domain, read through the command: numbers, limits, conditions, order, coverage, batches.

use serde_json::{Value, json};

use crate::support::{Candor, texts};

/// Three agents of no domain that answer with the whole order that they were given.
const ECHO: &str = r#"
[[agents]]
agent_type = "analyst"
capabilities = ["analyse", "compare", "compute"]
specialization = "Compares, computes, reviews and finds things out"
command = ["python3", "-c", "import json,sys; o=json.load(sys.stdin); print(json.dumps({'outputs': {o['expected_outputs'][0]: o}}))"]
[[agents]]
agent_type = "editor"
capabilities = ["write", "recommend"]
specialization = "Writes, recommends and sends texts"
command = ["python3", "-c", "import json,sys; o=json.load(sys.stdin); print(json.dumps({'outputs': {o['expected_outputs'][0]: o}}))"]
[[agents]]
agent_type = "engineer"
capabilities = ["fix", "test", "deploy"]
specialization = "Fixes, tests, rotates, restarts and deploys things"
command = ["python3", "-c", "import json,sys; o=json.load(sys.stdin); print(json.dumps({'outputs': {o['expected_outputs'][0]: o}}))"]
"#;

/// The orders that agents were given, by task.
fn orders(goal: &str) -> Vec<Value> {
    let candor = Candor::with_config(ECHO);
    let (_, events) = candor.events(&["run", goal, "--unattended", "--yes"]);
    let mut orders: Vec<Value> = events
        .all("task_succeeded")
        .iter()
        .map(|it| it["feedback"]["actual_outputs"].as_object().unwrap().values().next().unwrap().clone())
        .collect();
    orders.sort_by_key(|order| order["task_id"].as_str().unwrap_or_default().to_owned());
    orders
}

fn plan(goal: &str) -> Value {
    let said = Candor::with_config(ECHO).run(["plan", goal, "--json"]);
    said.json()
}

#[test]
fn who_recommends_gets_the_comparison() {
    // spec: findings GL-03
    let orders = orders("Compare the two laboratory scales and recommend one");
    assert_eq!(orders.len(), 2, "{orders:?}");
    assert_eq!(orders[0]["upstream"], json!({}));
    let compared = &orders[1]["upstream"]["task_001"];
    assert!(compared.to_string().contains("laboratory scales"), "{compared}");
}

#[test]
fn conditions_and_prohibitions_reach_those_who_work() {
    // spec: findings GL-04
    let orders = orders(
        "Rotate the door codes and test them. Stop if a door stays open. Do not wake the night guard.",
    );
    assert_eq!(orders.len(), 2, "neither is a task: {orders:?}");
    for order in &orders {
        let boundaries = order["brief"]["boundaries"].to_string();
        assert!(boundaries.contains("Must not: wake the night guard"), "{boundaries}");
        assert!(boundaries.contains("Condition: Stop if a door stays open"), "{boundaries}");
    }
}

#[test]
fn what_stands_before_a_colon_reaches_those_who_work() {
    // spec: findings GL-05
    let orders =
        orders("Analyse last quarter's honey harvest CSV: find the weakest hives and compute the mean yield");
    assert!(!orders.is_empty());
    for order in &orders {
        assert_eq!(order["inputs"]["context"], "Analyse last quarter's honey harvest CSV", "{order}");
    }
}

#[test]
fn a_plan_says_where_each_clause_went() {
    // spec: findings GL-05
    let plan = plan(
        "Our choir moved in May. Find the missing scores, compute what new ones cost and send the list to Ines. \
         Never buy used ones.\napi_list:[{\"name\": \"x\"}]",
    );
    let places: Vec<(&str, &str)> = plan["coverage"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["in"].as_str().unwrap(), it["clause"].as_str().unwrap()))
        .collect();
    assert_eq!(places[0], ("context", "Our choir moved in May."));
    assert_eq!(places.iter().filter(|(place, _)| *place == "task").count(), 3, "{places:?}");
    assert!(places.contains(&("constraint", "Never buy used ones.")), "{places:?}");
    assert_eq!(plan["dropped"].as_array().unwrap().len(), 1);
    assert_eq!(plan["dropped"][0]["reason"], "data for a machine");
}

#[test]
fn what_is_in_no_task_lowers_confidence() {
    // spec: findings GL-05
    let confidence = |goal: &str| plan(goal)["plan"]["confidence_score"].as_f64().unwrap();
    let whole = confidence("Compare the two printers and compute their running costs");
    let buried = confidence(
        "My aunt has a printer. It was blue once. She had it for years and it was good. Nobody knew its name. \
         Compare the two printers and compute their running costs",
    );
    assert!(buried < whole, "{buried} {whole}");
}

#[test]
fn numbers_have_their_units() {
    // spec: findings GL-06
    let read =
        |text: &str| Candor::new().run(["goal", text, "--json"]).ended_with(0).json()["extracted"].clone();
    for text in [
        "Upgrade the beehive sensors to version 2.4.1",
        "The pump controller answers with 502s; find out why",
        "Tune the broker for 50k msg/s on 10.0.0.7:9092",
        "We pay $3,000 a month for cold storage; find out why",
    ] {
        let read = read(text);
        for field in ["dates", "deadline", "budget", "duration_days"] {
            assert!(read.get(field).is_none(), "{text}: {read}");
        }
    }
    assert_eq!(read("It begins on March 8th and concludes on March 14th, 2022")["end_date"], "2022-03-14");
    assert_eq!(read("It begins on March 8th and concludes on March 14th, 2022")["start_date"], "2022-03-08");
}

#[test]
fn goals_and_plans_are_read_in_batches() {
    let lines = concat!(
        "{\"id\": \"a\", \"text\": \"Compare the two kilns and recommend one\"}\n",
        "nonsense\n\n",
        "{\"id\": 7, \"text\": \"Plan a 3-day trip to Rome with a $900 budget\"}\n",
    );
    let goals = Candor::with_config(ECHO).feed(["goal", "--stdin", "--json"], lines).ended_with(2).lines();
    let ids: Vec<&Value> = goals.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [&json!("a"), &json!(null), &json!(7)]);
    assert_eq!(goals[0]["goal"]["goal_type"], "generic");
    assert_eq!(goals[1]["line"], 2);
    assert_eq!(goals[2]["goal"]["extracted"]["budget"], 900);
    let plans = Candor::with_config(ECHO).feed(["plan", "--stdin", "--json"], lines).ended_with(2).lines();
    let plan = &plans[0]["plan"];
    assert_eq!(plan["subtasks"][1]["dependencies"], json!(["task_001"]));
    assert_eq!(plan["coverage"].as_array().unwrap().len(), 2);
    assert!(plan["confidence"].is_number() && texts(&plan["dropped"]).is_empty(), "{plan}");
    assert_eq!(plans[2]["plan"]["goal_type"], "travel_planning");
    let ranked = Candor::with_config(ECHO).feed(["route", "--stdin", "--json"], lines).ended_with(2).lines();
    assert_eq!(ranked[0]["ranking"].as_array().unwrap().len(), 3);
}
