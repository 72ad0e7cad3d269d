//! When everyone who could do a task has failed, a model answers it in one pass, and that is told.

use candor_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::tools::bench::{Bench, outputs};
use crate::tools::models::{balanced, sensible, step_of};

/// An agent that always fails.
const HOPELESS: &str = "[[agents]]\nagent_type = \"hopeless\"\nspecialization = \"Writes poems\"\n\
    capabilities = [\"write\"]\ncommand = [\"sh\", \"-c\", \"cat >/dev/null; echo no luck today >&2; exit 1\"]\n\
    [breakers]\nfailure_threshold = 1000\n";

fn plan(bench: &Bench) {
    bench.plan_of(&[json!({"task_id": "a", "description": "Write a poem", "agent_type": "hopeless",
        "expected_outputs": ["poem"], "retry_policy": {"max_retries": 3, "backoff_seconds": 0.01}})]);
}

#[test]
fn a_model_answers_directly_and_the_report_says_so() {
    // spec: orchestrator DG-11 DG-05 ER-09
    let server = ModelServer::start().unwrap();
    server.route(|seen| match step_of(seen) {
        "direct_answer" => Reply::json(json!({ "outputs": { "poem": "roses are red" }, "doubts": [] })),
        _ => sensible(seen),
    });
    let bench = Bench::new(&["ask_person"], &format!("{HOPELESS}{}", balanced(&server)));
    plan(&bench);
    let events = bench.run(0);
    let fell = events.all("fell_back");
    assert!(fell.iter().any(|event| event["to"] == "direct_response"), "{fell:?}");
    let asked: Vec<Value> = server
        .seen()
        .iter()
        .filter(|seen| step_of(seen) == "direct_answer")
        .map(|seen| seen.body.clone())
        .collect();
    assert_eq!(asked.len(), 1, "in a single pass");
    assert_eq!(outputs(&events)["poem"], json!("roses are red"));
    let report = events.report();
    assert!(report["degradation"]["level"].as_u64().unwrap() >= 2, "{}", report["degradation"]);
    assert_eq!(report["degradation"]["degradedOutput"], json!(true));
    let told = bench.candor.run(["report", "run_1"]).ended_with(0).stdout;
    assert!(told.contains("direct"), "{told}");
}

#[test]
fn without_a_model_and_without_anybody_the_task_is_given_up() {
    // spec: orchestrator DG-11 DG-05
    let bench = Bench::new(&["ask_person"], HOPELESS);
    plan(&bench);
    let events = bench.run(1);
    assert!(events.all("fell_back").iter().all(|event| event["to"] != "direct_response"));
    assert_eq!(events.all("task_given_up").len(), 1);
}
