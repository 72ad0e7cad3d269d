//! What a model proposes about a failure, checked against the plan.

use std::collections::BTreeMap;

use candor_model::{
    ExecutionFeedback, Failure, FailureKind, Plan, ReplanStrategy, RevisionProposal, RunSettings, Seconds,
    TaskStatus,
};
use candor_planning::recovery::proposal;
use candor_planning::replan::{Agents, ReplanContext, Replanned};
use candor_testkit::fixtures;
use serde_json::{Value, json};

fn failed() -> (Plan, ExecutionFeedback) {
    let mut plan = fixtures::paris_plan();
    let task = plan.task_mut(&fixtures::task_id("task_002")).unwrap();
    task.status = TaskStatus::Failed;
    task.agent_type = fixtures::agent_type("hotel_agent");
    task.metadata.failed_agents.push(task.agent_type.clone());
    let failure = Failure::new(FailureKind::TaskError, "the list is empty");
    let now = fixtures::time("2025-01-10T12:00:07Z");
    (plan, ExecutionFeedback::failed(fixtures::task_id("task_002"), failure, Seconds::whole(1), now))
}

fn apply(proposal: Value) -> Result<Replanned, String> {
    let (plan, feedback) = failed();
    let proposal: RevisionProposal = serde_json::from_value(proposal).unwrap();
    let known: BTreeMap<_, _> =
        fixtures::full_registry().into_iter().map(|agent| (agent.agent_type.clone(), agent)).collect();
    let (settings, open) = (RunSettings::default(), BTreeMap::new());
    let agents = Some(Agents { known: &known, open: &open });
    let now = feedback.timestamp;
    let context =
        ReplanContext { goal: None, settings: &settings, now, agents, reports: &[], by_person: false };
    proposal::apply(&plan, &feedback, &proposal, &context)
}

fn same_words() -> String {
    failed().0.task(&fixtures::task_id("task_002")).unwrap().description.to_string()
}

fn single(more: &Value) -> Value {
    let mut task = json!({ "description": same_words() });
    task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "why": "the cause is gone then", "tasks": [task] })
}

#[test]
fn another_input_goes_to_the_same_agent_and_those_who_wait_wait_for_it() {
    // spec: findings RC-07
    let replanned = apply(single(&json!({ "inputs": { "rows": 10 } }))).unwrap();
    assert_eq!(replanned.revision.details.strategies, [ReplanStrategy::AdjustParameters]);
    let task = replanned.plan.task(&fixtures::task_id("task_002_workaround")).unwrap();
    assert_eq!((task.agent_type.as_str(), &task.inputs["rows"]), ("hotel_agent", &json!(10)));
    assert_eq!(replanned.revision.changes[0], "Replace task task_002 by task_002_workaround by hotel_agent");
    let last = replanned.plan.task(&fixtures::task_id("task_004")).unwrap();
    assert!(last.dependencies.contains(&fixtures::task_id("task_002_workaround")), "{last:?}");
}

#[test]
fn what_has_failed_is_refused() {
    // spec: findings RC-03
    for same in [json!({}), json!({ "agent": "hotel_agent" })] {
        assert!(apply(single(&same)).unwrap_err().contains("hotel_agent has failed at exactly this"));
    }
    assert!(apply(single(&json!({ "agent": "activity_agent" }))).is_ok(), "somebody else has not");
}

#[test]
fn nobody_is_made_up_and_nothing_that_is_over_changes() {
    assert!(apply(single(&json!({ "agent": "ghost" }))).unwrap_err().contains("there is no `ghost`"));
    let part = json!({ "description": "Search again", "agent": "activity_agent" });
    let twice = json!({ "why": "", "tasks": [part.clone(), part] });
    assert!(apply(twice).unwrap_err().contains("the same as an earlier one"));
    assert!(apply(json!({ "why": "", "tasks": [] })).unwrap_err().starts_with("tasks:"));
    let nothing = json!({ "why": "", "tasks": [], "nothing_helps": "it burnt down" });
    assert_eq!(apply(nothing).unwrap_err(), "nothing helps: it burnt down");
    let mut circle = single(&json!({ "inputs": { "rows": 10 } }));
    circle["changes"] = json!([{ "task_id": "task_003", "dependencies": ["task_004"] }]);
    assert!(apply(circle).unwrap_err().contains("not sound"));
    let mut own = single(&json!({ "inputs": { "rows": 10 } }));
    own["changes"] = json!([{ "task_id": "task_002", "description": "x" }]);
    assert!(apply(own).unwrap_err().starts_with("changes[0]"));
}

#[test]
fn smaller_steps_run_in_their_order_and_put_out_what_was_expected() {
    // spec: findings RC-08
    let replanned = apply(json!({ "why": "in two steps", "tasks": [
        { "description": "List the streets", "agent": "hotel_agent", "expected_outputs": ["streets"] },
        { "description": "Search each street", "agent": "hotel_agent", "after": [0] },
    ]}))
    .unwrap();
    let ids: Vec<&str> = replanned.revision.new_subtasks.iter().map(|task| task.task_id.as_str()).collect();
    assert_eq!(ids, ["task_002_1", "task_002_2"]);
    let last = replanned.plan.task(&fixtures::task_id("task_002_2")).unwrap();
    assert!(last.dependencies.contains(&fixtures::task_id("task_002_1")), "{last:?}");
    let (plan, _) = failed();
    let before = plan.task(&fixtures::task_id("task_002")).unwrap();
    assert_eq!(last.expected_outputs, before.expected_outputs);
    assert_eq!(replanned.revision.details.strategies, [ReplanStrategy::DecomposeFurther]);
}
