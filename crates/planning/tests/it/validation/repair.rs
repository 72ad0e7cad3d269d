//! Which dependency goes when there is a cycle.

use candor_model::{AgentType, TaskId};
use candor_planning::dependencies;
use candor_testkit::{arbitrary, fixtures};
use proptest::prelude::*;

use super::support::{chain_of, ids};

#[test]
fn the_edge_to_the_validation_goes_and_its_inputs_stay() {
    // spec: planning PV-06
    let mut plan = fixtures::paris_plan();
    plan.subtasks[1].dependencies.push(TaskId::numbered(4));
    let repair = dependencies::repair_cycle(&plan.subtasks).unwrap();
    assert_eq!(repair.tasks, fixtures::paris_plan().subtasks);
    assert!(repair.note.contains("task_002 on task_004"), "{}", repair.note);
}

#[test]
fn a_validation_is_known_by_its_words_before_it_has_an_agent() {
    // spec: planning PV-06
    let mut tasks = fixtures::paris_plan().subtasks;
    tasks[3].agent_type = AgentType::tbd();
    tasks.rotate_right(1);
    tasks[1].dependencies.push(TaskId::numbered(4));
    let repair = dependencies::repair_cycle(&tasks).unwrap();
    assert!(repair.tasks[1].dependencies.is_empty(), "although the validation now comes first in the plan");
    assert_eq!(repair.tasks[0].dependencies, ids(&[1, 2, 3]));
}

#[test]
fn without_a_validation_the_edge_to_the_later_task_goes() {
    // spec: planning PV-06
    let repair = dependencies::repair_cycle(&chain_of(&[&[], &[1, 3], &[2]])).unwrap();
    assert_eq!(repair.tasks, chain_of(&[&[], &[1], &[2]]));
}

#[test]
fn of_several_suspects_the_one_that_frees_the_whole_plan_goes() {
    let repair = dependencies::repair_cycle(&chain_of(&[&[2], &[3], &[1, 2]])).unwrap();
    assert_eq!(repair.tasks, chain_of(&[&[2], &[], &[1, 2]]));
}

#[test]
fn validations_that_wait_for_each_other_are_repaired_too() {
    let mut tasks = chain_of(&[&[2], &[1]]);
    for task in &mut tasks {
        task.agent_type = fixtures::agent_type("validation_agent");
    }
    let repair = dependencies::repair_cycle(&tasks).unwrap();
    assert!(repair.tasks[0].dependencies.is_empty());
    assert_eq!(repair.tasks[1].dependencies, ids(&[1]));
}

#[test]
fn an_input_of_the_validation_stays_even_if_its_removal_would_free_the_whole_plan() {
    // spec: planning PV-06
    let mut tasks = chain_of(&[&[2], &[1, 3], &[1]]);
    tasks[0].agent_type = fixtures::agent_type("validation_agent");
    let repair = dependencies::repair_cycle(&tasks).unwrap();
    assert_eq!(repair.tasks[0].dependencies, ids(&[2]));
    assert_eq!(repair.tasks[1].dependencies, ids(&[3]));
}

#[test]
fn a_plan_without_a_cycle_has_nothing_to_repair() {
    assert_eq!(dependencies::repair_cycle(&fixtures::paris_plan().subtasks), None);
    assert_eq!(dependencies::repair_cycle(&chain_of(&[&[1, 9]])), None);
}

proptest! {
    #[test]
    fn a_repair_removes_exactly_one_dependency_and_it_was_on_a_cycle(plan in arbitrary::any_plan(8)) {
        // spec: planning PV-06
        let found = dependencies::check(&plan.subtasks);
        let repair = dependencies::repair_cycle(&plan.subtasks);
        prop_assert_eq!(repair.is_some(), !found.cycles.is_empty());
        if let Some(repair) = repair {
            let changed: Vec<_> =
                plan.subtasks.iter().zip(&repair.tasks).filter(|(before, after)| before != after).collect();
            prop_assert_eq!(changed.len(), 1);
            let (before, after) = changed[0];
            let removed: Vec<_> =
                before.dependencies.iter().filter(|id| !after.dependencies.contains(id)).collect();
            prop_assert_eq!(removed.len(), 1);
            prop_assert!(found.cycles[0].windows(2).any(|pair| pair == [before.task_id.clone(), removed[0].clone()]));
        }
    }

    #[test]
    fn a_sound_plan_with_one_wrong_edge_can_be_repaired(
        plan in arbitrary::sound_plan(10), early in any::<prop::sample::Index>(), late in any::<prop::sample::Index>()
    ) {
        // spec: planning PV-06
        let mut tasks = plan.subtasks;
        let (a, b) = (early.index(tasks.len()), late.index(tasks.len()));
        let (early, late) = (a.min(b), a.max(b));
        prop_assume!(early < late);
        let (first, second) = (tasks[early].task_id.clone(), tasks[late].task_id.clone());
        tasks[late].dependencies.push(first);
        tasks[early].dependencies.push(second);
        for task in &mut tasks {
            task.metadata.other.insert("category".to_owned(), "work".into());
        }
        let repair = dependencies::repair_cycle(&tasks).unwrap();
        prop_assert!(dependencies::check(&repair.tasks).is_valid);
    }
}
