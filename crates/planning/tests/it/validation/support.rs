//! What the tests of validation share.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    CalibrationMetrics, ErrorKind, Plan, PlanningError, Priority, RunSettings, Seconds, SubTask, TaskId, Text,
};
use candor_planning::completeness::{Category, CategoryTask};
use candor_planning::validation::{self, Accepted, Proposal};
use candor_testkit::fixtures;
use serde_json::json;

/// The ids of the n-th tasks.
pub(crate) fn ids(numbers: &[usize]) -> Vec<TaskId> {
    numbers.iter().copied().map(TaskId::numbered).collect()
}

/// Tasks 1, 2, … with these dependencies.
pub(crate) fn chain_of(dependencies: &[&[usize]]) -> Vec<SubTask> {
    let task =
        |(at, numbers): (usize, &&[usize])| fixtures::simple_task(at + 1, "Work", numbers, "hotel_agent");
    dependencies.iter().enumerate().map(task).collect()
}

/// A category without a template.
pub(crate) fn category(name: &str, keywords: &[&str]) -> Category {
    Category { name: name.to_owned(), keywords: keywords.iter().map(|&k| k.to_owned()).collect(), task: None }
}

/// What a journey needs.
pub(crate) fn travel_categories() -> Vec<Category> {
    vec![
        category("flight_booking", &["flight"]),
        category("hotel_booking", &["hotel"]),
        category("activity_planning", &["activit"]),
        category("budget_validation", &["validate total cost"]),
    ]
}

/// The template of the example.
pub(crate) fn metro_pass() -> CategoryTask {
    CategoryTask {
        description: Text::new("Book Paris Metro 3-day pass".to_owned()).unwrap(),
        name: None,
        depends_on_category: vec!["flight_booking".to_owned()],
        inputs: fixtures::object(json!({ "duration": "3 days" })),
        expected_outputs: vec!["metro_pass".to_owned()],
        priority: Priority::new(6).unwrap(),
        estimated_duration_seconds: Seconds::whole(15),
    }
}

/// Local transport, with or without a template.
pub(crate) fn transport(template: Option<CategoryTask>) -> Category {
    Category { task: template, ..category("transportation_booking", &["metro", "transport"]) }
}

/// What a journey needs, transport included.
pub(crate) fn with_transport() -> Vec<Category> {
    let mut categories = travel_categories();
    categories.push(transport(Some(metro_pass())));
    categories
}

/// The plan with every agent, the usual categories and no history.
pub(crate) fn proposal(plan: Plan) -> Proposal {
    Proposal {
        plan,
        agents: fixtures::full_registry(),
        categories: travel_categories(),
        calibration: CalibrationMetrics::default(),
        brief: None,
        added: Vec::new(),
    }
}

/// Knocks at the door with the usual settings.
pub(crate) fn accept(proposal: Proposal) -> Result<Accepted, PlanningError> {
    validation::accept(proposal, &RunSettings::default())
}

/// The text of the refusal of the example's plan.
#[track_caller]
pub(crate) fn refusal(result: Result<Accepted, PlanningError>) -> String {
    let error = result.expect_err("the plan should have been refused");
    assert_eq!(error.kind(), ErrorKind::PlanValidationError);
    assert!(matches!(&error, PlanningError::PlanInvalid { plan_id, errors }
        if plan_id.as_str() == "plan_xyz789" && !errors.is_empty()));
    error.to_string()
}

/// Whether following dependencies from `from` leads to `to`, by plain search.
pub(crate) fn reaches(tasks: &[SubTask], from: &TaskId, to: &TaskId) -> bool {
    let by_id: BTreeMap<_, _> = tasks.iter().map(|task| (&task.task_id, task)).collect();
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(id) = open.pop() {
        for dependency in by_id.get(id).map_or(&[][..], |task| &task.dependencies) {
            if dependency == to {
                return true;
            }
            if seen.insert(dependency) {
                open.push(dependency);
            }
        }
    }
    false
}
