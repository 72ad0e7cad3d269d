//! The states of a node, and what components answer.
use std::time::Duration;

use candor_agents::code::{AgentResponse, Component, ContextState, ExecutionState, timed};
use candor_model::JsonMap;
use candor_ports::BoxFuture;
use serde_json::{Value, json};

fn map(value: Value) -> JsonMap {
    match value {
        Value::Object(map) => map,
        other => panic!("no map: {other}"),
    }
}

// spec: code-agent ST-01
#[test]
fn a_fresh_state_of_execution_is_empty() {
    let state = ExecutionState::new();
    for stage in [
        &state.input_analysis,
        &state.data_analysis,
        &state.code_generation,
        &state.code_validation,
        &state.execution_result,
        &state.output_validation,
    ] {
        assert_eq!(*stage, None);
    }
    assert_eq!((state.attempts, state.errors.len(), state.timings.len()), (0, 0, 0));
}

// spec: code-agent ST-02
#[test]
fn states_share_nothing() {
    let (mut one, other) = (ExecutionState::new(), ExecutionState::new());
    one.add_error("execution", "broken");
    one.add_timing("sandbox", 1.0);
    assert!(other.errors.is_empty() && other.timings.is_empty());
}

// spec: code-agent ST-03, QT-10
#[test]
fn a_time_is_kept_under_its_name_and_all_times_are_summed() {
    let mut state = ExecutionState::new();
    state.add_timing("InputAnalyzer", 123.45);
    assert_eq!(state.timings["InputAnalyzer"], 123.45);
    state.add_timing("InputAnalyzer", 100.0);
    assert_eq!(state.timings["InputAnalyzer"], 100.0);
    assert_eq!(state.timings["InputAnalyzer_total"], 223.45);
}

// spec: code-agent ST-04, OR-15
#[test]
fn an_error_is_kept_with_its_stage_and_attempt() {
    let mut state = ExecutionState { attempts: 1, ..ExecutionState::new() };
    state.add_error("code_validation", "Variable no definida");
    assert_eq!(state.errors.len(), 1);
    let entry = json!(state.errors[0]);
    assert_eq!(entry, json!({ "stage": "code_validation", "attempt": 1, "error": "Variable no definida" }));
}

// spec: code-agent ST-05
#[test]
fn the_time_since_the_beginning_grows() {
    let state = ExecutionState::new();
    std::thread::sleep(Duration::from_millis(2));
    let first = state.total_time_ms();
    std::thread::sleep(Duration::from_millis(2));
    assert!(first > 0.0 && state.total_time_ms() > first);
}

// spec: code-agent ST-06, NX-20
#[test]
fn the_state_as_a_map_has_these_keys_and_no_moment_of_beginning() {
    let state = ExecutionState {
        input_analysis: Some(map(json!({ "needs_analysis": true }))),
        attempts: 2,
        ..ExecutionState::new()
    };
    let dict = state.to_map();
    assert_eq!((&dict["input_analysis"]["needs_analysis"], &dict["attempts"]), (&json!(true), &json!(2)));
    assert!(dict["total_time_ms"].as_f64().is_some());
    let keys: Vec<&String> = dict.keys().collect();
    assert_eq!(
        keys,
        [
            "attempts",
            "code_generation",
            "code_validation",
            "data_analysis",
            "errors",
            "execution_result",
            "input_analysis",
            "output_validation",
            "timings",
            "total_time_ms"
        ]
    );
    assert!(serde_json::to_string(&dict).is_ok());
}

// spec: code-agent ST-08
#[test]
fn a_fresh_context_has_the_same_data_twice_and_no_insights() {
    let state = ContextState::new(map(json!({ "key1": "value1" })));
    assert_eq!(state.initial(), &state.current);
    assert_eq!(state.initial()["key1"], "value1");
    assert_eq!(state.data_insights, None);
}

// spec: code-agent ST-09, AR-04
#[test]
fn the_data_as_it_was_given_never_changes_also_inside() {
    let mut state = ContextState::new(map(json!({ "list": [1, { "a": 1 }] })));
    let before = state.initial().clone();
    state.current["list"][1]["a"] = json!(2);
    state.current["list"].as_array_mut().unwrap().push(json!(3));
    assert_eq!(state.initial(), &before);
    state.reset();
    assert_eq!(&state.current, state.initial());
}

// spec: code-agent ST-13
#[test]
fn inputs_stay_beside_what_is_added_and_insights_stay_apart() {
    let mut state = ContextState::new(map(json!({ "pdf_data_b64": "JVBERi0x", "client_name": "Acme" })));
    state.data_insights = Some(map(json!({ "type": "pdf", "pages": 1, "has_text_layer": true })));
    let added = json!({ "total_amount": "1234.56", "currency": "USD", "extraction_status": "success" });
    state.current.extend(map(added));
    let keys: Vec<&String> = state.current.keys().collect();
    assert_eq!(keys, ["client_name", "currency", "extraction_status", "pdf_data_b64", "total_amount"]);
}

// spec: code-agent BA-01
#[test]
fn a_success_has_no_error() {
    let response = AgentResponse::found("a", map(json!({ "result": 42 })), 0.5);
    assert!(response.success());
    assert_eq!((response.data()["result"].as_i64(), response.error()), (Some(42), None));
}

// spec: code-agent BA-02
#[test]
fn a_failure_always_has_an_error() {
    let response = AgentResponse::failed("a", "broken", 0.5);
    assert_eq!((response.success(), response.error()), (false, Some("broken")));
    let response = AgentResponse::failed("a", "  ", 0.5);
    assert_eq!(response.error(), Some("it failed without saying why"));
}

struct TestAgent;

impl Component<i64> for TestAgent {
    fn execute<'a>(&'a self, input: &'a i64) -> BoxFuture<'a, AgentResponse> {
        let name = Component::<i64>::name(self);
        let data = map(json!({ "result": input * 2 }));
        Box::pin(std::future::ready(AgentResponse::found(name, data, 1.0)))
    }
}

// spec: code-agent BA-03, BA-05
#[tokio::test]
async fn a_component_is_called_like_its_type_and_answers_once() {
    let response = TestAgent.execute(&21).await;
    assert_eq!((response.data()["result"].as_i64(), response.agent_name()), (Some(42), "TestAgent"));
}

// spec: code-agent BA-06
#[test]
fn a_response_has_the_name_and_the_time_of_its_component() {
    let response = AgentResponse::found("TestAgent", map(json!({ "key": "value" })), 100.0);
    assert_eq!((response.agent_name(), response.execution_time_ms()), ("TestAgent", 100.0));
    assert_eq!(response.data()["key"], "value");
    let failed = AgentResponse::failed("TestAgent", "", 1.0);
    assert!(failed.data().is_empty() && !failed.error().unwrap().is_empty());
}

// spec: code-agent BA-07
#[tokio::test]
async fn a_measured_operation_says_how_long_it_took() {
    let measured = timed(async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        7
    })
    .await;
    assert!(measured.result == 7 && measured.ms >= 20.0, "{}", measured.ms);
}

// spec: code-agent AR-02, AR-07
#[test]
fn every_part_has_its_public_name() {
    use candor_agents::code::{
        CachedExecutor, CodeAgent, CodeAgentConfig, CodeGenerator, CodeValidator, DataAnalyzer,
        Documentation, InputAnalyzer, MultiAgentOrchestrator, NodeExecutor, OutputValidator, ProvenCode,
        StaticExecutor,
    };
    fn name<T: ?Sized>() -> &'static str {
        std::any::type_name::<T>().rsplit("::").next().unwrap()
    }
    let names = [
        name::<InputAnalyzer>(),
        name::<DataAnalyzer>(),
        name::<CodeGenerator>(),
        name::<CodeValidator>(),
        name::<OutputValidator>(),
        name::<MultiAgentOrchestrator>(),
        name::<CachedExecutor>(),
        name::<StaticExecutor>(),
        name::<CodeAgent>(),
        name::<CodeAgentConfig>(),
        name::<dyn NodeExecutor>(),
        name::<dyn Documentation>(),
        name::<dyn ProvenCode>(),
    ];
    assert_eq!(names.len(), names.iter().collect::<std::collections::BTreeSet<_>>().len());
    assert!(names.contains(&"MultiAgentOrchestrator"));
}
