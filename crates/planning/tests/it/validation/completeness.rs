//! Coverage of categories and the tasks that are added.

use candor_model::{AgentType, Seconds, Share, SubTask, TaskId, TaskStatus, Text};
use candor_planning::completeness::{self, CategoryTask};
use candor_planning::dependencies;
use candor_testkit::{arbitrary, fixtures};
use proptest::prelude::*;
use serde_json::json;

use super::support::{category, ids, metro_pass, transport, travel_categories, with_transport};

#[test]
fn the_example_covers_what_a_journey_needs() {
    // spec: planning PV-07 EN-27
    let tasks = fixtures::paris_plan().subtasks;
    let result = completeness::check(&tasks, &travel_categories());
    assert!(result.is_complete);
    assert_eq!(result.score, Share::ALL);
    let result = completeness::check(&tasks, &with_transport());
    assert!(!result.is_complete);
    assert_eq!(result.score.get(), 0.8);
    assert_eq!(result.missing_categories, ["transportation_booking"]);
}

#[test]
fn from_ninety_five_percent_on_a_plan_is_complete() {
    // spec: planning PV-07
    let tasks = fixtures::paris_plan().subtasks;
    let mut categories = vec![category("flight_booking", &["flight"]); 19];
    categories.push(transport(None));
    assert!(completeness::check(&tasks, &categories).is_complete, "19 of 20");
    categories.pop();
    categories.pop();
    categories.push(transport(None));
    assert!(!completeness::check(&tasks, &categories).is_complete, "18 of 19");
    assert!(completeness::check(&[], &[]).is_complete, "nothing is expected");
}

#[test]
fn words_are_found_at_their_beginning_in_any_case_and_in_all_three_places() {
    let covered = |change: fn(&mut SubTask), keyword| {
        let mut task = fixtures::simple_task(1, "Do the work", &[], "some_agent");
        change(&mut task);
        completeness::check(&[task], &[category("x_y", &[keyword])]).is_complete
    };
    assert!(covered(|task| task.description = Text::or("", "Fix the AIR-conditioning"), "air conditioning"));
    assert!(covered(|task| task.expected_outputs = vec!["air_ticket".to_owned()], "Air"));
    assert!(covered(|task| task.agent_type = fixtures::agent_type("air_agent"), "air"));
    assert!(covered(|task| task.expected_outputs = vec!["x_y".to_owned()], "unused"), "by its name");
    assert!(!covered(|task| task.description = Text::or("", "Repair the car"), "air"));
    assert!(!covered(|task| task.expected_outputs = vec!["a b".into(), "c d".into()], "b c"));
    assert!(!covered(|_| (), " - "), "a keyword without a letter is found nowhere");
    assert!(!covered(|task| task.agent_type = AgentType::tbd(), "tbd"));
}

#[test]
fn a_label_decides_alone() {
    let mut task = fixtures::simple_task(1, "Search flights", &[], "flight_agent");
    let covers = |task: &SubTask, name| {
        completeness::check(std::slice::from_ref(task), &[category(name, &["flight"])])
    };
    task.metadata.other.insert("category".to_owned(), "Hotel_Booking".into());
    assert!(covers(&task, "hotel_booking").is_complete);
    assert!(!covers(&task, "flight_booking").is_complete);
    task.metadata.other.insert("category".to_owned(), json!(["hotel_booking", "flight_booking"]));
    assert!(covers(&task, "hotel_booking").is_complete && covers(&task, "flight_booking").is_complete);
}

#[test]
fn a_missing_task_is_added_from_the_template() {
    // spec: planning PV-09
    let tasks = fixtures::paris_plan().subtasks;
    let (all, notes) = completeness::add_missing(&tasks, &with_transport());
    let added = all.iter().find(|task| task.task_id.as_str() == "task_005").unwrap();
    assert_eq!(added.description.as_str(), "Book Paris Metro 3-day pass");
    assert!(added.agent_type.is_tbd());
    assert_eq!(added.dependencies, ids(&[1]));
    assert_eq!(added.inputs, fixtures::object(json!({ "duration": "3 days" })));
    assert_eq!(added.expected_outputs, ["metro_pass"]);
    assert_eq!(added.priority.get(), 6);
    assert_eq!(added.estimated_duration_seconds, Seconds::whole(15));
    assert_eq!(added.status, TaskStatus::Pending);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("task_005") && notes[0].contains("transportation_booking"), "{notes:?}");
}

#[test]
fn a_new_task_goes_before_the_validation_which_waits_for_it() {
    // spec: planning PV-10
    let tasks = fixtures::paris_plan().subtasks;
    let (all, _) = completeness::add_missing(&tasks, &with_transport());
    let order: Vec<_> = all.iter().map(|task| task.task_id.clone()).collect();
    assert_eq!(order, ids(&[1, 2, 3, 5, 4]));
    assert_eq!(all[4].dependencies, ids(&[1, 2, 3, 5]));
    assert_eq!(all[..3], tasks[..3], "nothing else changes");
}

#[test]
fn a_task_that_needs_the_validation_goes_after_it() {
    let mut categories = with_transport();
    categories[4].task.as_mut().unwrap().depends_on_category = vec!["budget_validation".to_owned()];
    let (all, _) = completeness::add_missing(&fixtures::paris_plan().subtasks, &categories);
    assert_eq!(all[4].dependencies, ids(&[4]));
    assert!(dependencies::check(&all).is_valid);
}

#[test]
fn a_missing_validation_becomes_the_last_task_and_waits_for_the_other_new_ones() {
    let mut tasks = fixtures::paris_plan().subtasks;
    tasks.pop();
    let mut categories = with_transport();
    categories[3].task = Some(CategoryTask {
        description: Text::or("", "Validate total cost"),
        depends_on_category: vec!["hotel_booking".to_owned(), "transportation_booking".to_owned()],
        ..metro_pass()
    });
    let (all, notes) = completeness::add_missing(&tasks, &categories);
    let order: Vec<_> = all.iter().map(|task| task.task_id.clone()).collect();
    assert_eq!(order, ids(&[1, 2, 3, 5, 4]));
    assert_eq!(all[4].dependencies, ids(&[2, 5]), "each once");
    assert_eq!(notes.len(), 2);
    assert!(dependencies::check(&all).is_valid);
}

#[test]
fn ids_that_are_taken_are_passed_over() {
    let mut tasks = fixtures::paris_plan().subtasks;
    tasks[0].task_id = TaskId::numbered(5);
    let (all, _) = completeness::add_missing(&tasks, &with_transport());
    assert!(all.iter().any(|task| task.task_id.as_str() == "task_006"));
}

#[test]
fn a_category_without_a_template_stays_missing() {
    let tasks = fixtures::paris_plan().subtasks;
    assert_eq!(completeness::add_missing(&tasks, &[transport(None)]), (tasks, Vec::new()));
}

proptest! {
    #[test]
    fn completing_a_sound_plan_leaves_it_sound_and_complete(plan in arbitrary::sound_plan(8)) {
        // spec: planning PV-09 PV-10 PV-11
        let mut categories = travel_categories();
        for category in &mut categories {
            category.task = Some(CategoryTask { description: Text::or("", "Validate it"), ..metro_pass() });
        }
        categories.push(transport(Some(metro_pass())));
        let before = completeness::check(&plan.subtasks, &categories);
        let (all, notes) = completeness::add_missing(&plan.subtasks, &categories);
        prop_assert_eq!(all.len(), plan.subtasks.len() + before.missing_categories.len());
        prop_assert_eq!(notes.len(), before.missing_categories.len());
        prop_assert_eq!(completeness::check(&all, &categories).score, Share::ALL);
        prop_assert!(dependencies::check(&all).is_valid, "{:?}", dependencies::check(&all));
    }
}
