//! The plans that are measured, as a person would write them in a file.

use std::fmt::Write;

use candor_model::AgentCapability;
use candor_phases::plan_file::PlanFile;
use serde_json::{Value, json};

/// The words of the Paris run.
pub(crate) const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";

/// The agents of the Paris plan; all of them do nothing, at once.
const AGENTS: [(&str, &str); 4] = [
    ("flight_agent", "Searches flights"),
    ("hotel_agent", "Searches hotels"),
    ("activity_agent", "Plans activities"),
    ("validation_agent", "Checks the budget"),
];

/// How many tasks of a layered plan can run side by side.
const LAYER: usize = 10;

/// Whoever the plans need.
pub(crate) fn agents() -> Result<Vec<AgentCapability>, serde_json::Error> {
    let agent = |(name, words)| json!({"agent_type": name, "specialization": words});
    AGENTS.into_iter().map(|named| serde_json::from_value(agent(named))).collect()
}

/// A configuration with those agents that accepts large plans.
pub(crate) fn config() -> String {
    let mut text = "[limits]\nmax_plan_bytes = 100000000\n".to_owned();
    for (name, words) in AGENTS {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n[[agents]]\nagent_type = \"{name}\"\nspecialization = \"{words}\"\nbuiltin = \"noop\"\n"
        );
    }
    text
}

/// Flight and activities side by side, the hotel after the flight, the budget after all.
pub(crate) fn paris() -> Result<PlanFile, serde_json::Error> {
    plan(&[
        task("task_001", "Search round-trip flights", &[], "flight_agent"),
        task("task_002", "Find a hotel for the dates of the flight", &["task_001"], "hotel_agent"),
        task("task_003", "Plan activities", &[], "activity_agent"),
        task("task_004", "Check the budget", &["task_001", "task_002", "task_003"], "validation_agent"),
    ])
}

/// Each task after the one before it.
pub(crate) fn chain(tasks: usize) -> Result<PlanFile, serde_json::Error> {
    let names: Vec<String> = (1..=tasks).map(name).collect();
    let before = std::iter::once(None).chain(names.iter().map(Some));
    let link = |(name, before): (&String, Option<&String>)| {
        let needs: Vec<&str> = before.into_iter().map(String::as_str).collect();
        task(name, "Do a step", &needs, "flight_agent")
    };
    plan(&names.iter().zip(before).map(link).collect::<Vec<_>>())
}

/// Layers of ten; each task after two of the layer before it.
pub(crate) fn layers(tasks: usize) -> Value {
    let link = |n: usize| {
        let left = n.checked_sub(LAYER).filter(|left| *left > 0);
        let right = left.map(|left| if left.is_multiple_of(LAYER) { left - 1 } else { left + 1 });
        let needs: Vec<String> = left.into_iter().chain(right).map(name).collect();
        let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
        task(&name(n), "Do a step", &needs, "flight_agent")
    };
    json!({"confidence_score": 0.9, "subtasks": (1..=tasks).map(link).collect::<Vec<_>>()})
}

fn plan(subtasks: &[Value]) -> Result<PlanFile, serde_json::Error> {
    serde_json::from_value(json!({"confidence_score": 0.9, "subtasks": subtasks}))
}

fn task(name: &str, description: &str, needs: &[&str], agent: &str) -> Value {
    json!({"task_id": name, "description": description, "dependencies": needs, "agent_type": agent})
}

fn name(n: usize) -> String {
    format!("task_{n:03}")
}
