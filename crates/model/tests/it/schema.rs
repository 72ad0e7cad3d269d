//! Every entity has a JSON Schema that speaks of the fields it is written with.

use candor_model as model;
use schemars::{JsonSchema, schema_for};

/// The names that a type's schema knows, and those it requires.
fn names<T: JsonSchema>(part: &str) -> Vec<String> {
    let schema = serde_json::to_value(schema_for!(T)).unwrap_or_default();
    let mut names: Vec<String> = match schema.get(part) {
        Some(serde_json::Value::Object(fields)) => fields.keys().cloned().collect(),
        Some(serde_json::Value::Array(names)) => {
            names.iter().filter_map(|name| name.as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    names.sort();
    names
}

#[test]
fn the_schema_of_a_task_names_its_fields_and_what_is_required() {
    // spec: planning EN-05
    let fields = names::<model::SubTask>("properties");
    for field in
        ["task_id", "description", "agent_type", "dependencies", "inputs", "expected_outputs", "priority"]
    {
        assert!(fields.iter().any(|name| name == field), "{field}");
    }
    assert_eq!(
        names::<model::SubTask>("required"),
        ["agent_type", "description", "expected_outputs", "task_id"]
    );
}

#[test]
fn numbers_with_a_rule_have_it_in_their_schema() {
    let confidence = serde_json::to_value(schema_for!(model::Confidence)).unwrap();
    assert_eq!((&confidence["minimum"], &confidence["maximum"]), (&0.into(), &1.into()));
    let priority = serde_json::to_value(schema_for!(model::Priority)).unwrap();
    assert_eq!((&priority["minimum"], &priority["maximum"]), (&1.into(), &10.into()));
    let strategy = serde_json::to_value(schema_for!(model::ReplanStrategy)).unwrap();
    assert_eq!(strategy["enum"].as_array().map(Vec::len), Some(6));
}

#[test]
fn every_entity_has_a_schema_with_fields() {
    // spec: planning EN-29
    let entities = [
        names::<model::Constraint>("properties"),
        names::<model::Goal>("properties"),
        names::<model::RetryPolicy>("properties"),
        names::<model::Plan>("properties"),
        names::<model::AgentCapability>("properties"),
        names::<model::ExecutionFeedback>("properties"),
        names::<model::PlanRevision>("properties"),
        names::<model::ExecutionResult>("properties"),
        names::<model::PlanOutcome>("properties"),
        names::<model::CalibrationMetrics>("properties"),
        names::<model::HumanApprovalRequest>("properties"),
        names::<model::HumanApprovalDecision>("properties"),
        names::<model::Adjustment>("properties"),
        names::<model::FailureEscalationRequest>("properties"),
        names::<model::FailureNotification>("properties"),
        names::<model::RecoveryNotification>("properties"),
        names::<model::ProgressUpdate>("properties"),
        names::<model::DecisionEntry>("properties"),
        names::<model::FailureLogEntry>("properties"),
        names::<model::ExecutionReport>("properties"),
        names::<model::DependencyResult>("properties"),
        names::<model::CompletenessResult>("properties"),
        names::<model::AssignmentResult>("properties"),
        names::<model::RunSettings>("properties"),
        names::<model::RunSummary>("properties"),
        names::<model::Event>("properties"),
    ];
    for (n, fields) in entities.iter().enumerate() {
        assert!(fields.len() >= 2, "entity {n} of the list has {fields:?}");
    }
}
