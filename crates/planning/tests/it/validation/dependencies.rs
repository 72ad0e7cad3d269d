//! Soundness of dependencies and the graph underneath.

use std::collections::BTreeSet;

use candor_model::{SubTask, TaskId, Text};
use candor_planning::dependencies;
use candor_planning::graph::{TaskGraph, TaskIndex};
use candor_testkit::{arbitrary, fixtures};
use proptest::prelude::*;

use super::support::{chain_of, ids, reaches};

#[test]
fn the_example_is_sound() {
    // spec: planning EN-27
    let result = dependencies::check(&fixtures::paris_plan().subtasks);
    assert!(result.is_valid && result.errors.is_empty() && result.cycles.is_empty());
}

#[test]
fn a_cycle_is_written_as_ids_with_the_first_repeated() {
    // spec: planning PV-03 EN-27
    let mut plan = fixtures::paris_plan();
    plan.subtasks[1].dependencies.push(TaskId::numbered(4));
    let result = dependencies::check(&plan.subtasks);
    assert!(!result.is_valid);
    assert_eq!(result.cycles, [ids(&[2, 4, 2])]);
    assert_eq!(result.errors, ["Circular dependencies detected: [task_002, task_004, task_002]"]);
}

#[test]
fn every_knot_is_reported_by_its_shortest_cycle() {
    // spec: planning PV-03
    let tasks = chain_of(&[&[2], &[3, 1], &[1], &[5, 1], &[4], &[6], &[]]);
    let result = dependencies::check(&tasks);
    assert_eq!(result.cycles, [ids(&[1, 2, 1]), ids(&[4, 5, 4])]);
    assert!(result.errors.contains(&"task_006 depends on itself".to_owned()));
    assert_eq!(result.errors.len(), 3);
}

#[test]
fn a_dependency_on_nothing_is_named() {
    // spec: planning PV-04 TD-08
    let mut plan = fixtures::paris_plan();
    plan.subtasks[1].dependencies.push(TaskId::numbered(999));
    let result = dependencies::check(&plan.subtasks);
    assert!(!result.is_valid);
    assert_eq!(result.errors, ["task_002 depends on task_999, which is not in the plan"]);
}

#[test]
fn an_id_used_twice_is_named_with_its_position() {
    // spec: planning TD-08
    let mut plan = fixtures::paris_plan();
    plan.subtasks[2].task_id = TaskId::numbered(2);
    plan.subtasks[3].dependencies.pop();
    let result = dependencies::check(&plan.subtasks);
    assert_eq!(result.errors, ["task_002 is the id of an earlier task and again of subtasks[2]"]);
}

#[test]
fn a_chain_of_a_hundred_thousand_tasks_is_no_problem() {
    let count = 100_000;
    let mut tasks: Vec<_> =
        (1..=count).map(|n| SubTask::new(TaskId::numbered(n), Text::or("", "Work"), Vec::new())).collect();
    for n in 1..count {
        tasks[n - 1].dependencies = ids(&[n + 1]);
    }
    assert!(dependencies::check(&tasks).is_valid);
    let graph = TaskGraph::new(&tasks);
    assert_eq!(graph.affected_by(&[TaskIndex(99_999)]).len(), count);
    tasks[count - 1].dependencies = ids(&[1]);
    assert_eq!(dependencies::check(&tasks).cycles[0].len(), count + 1);
    assert!(dependencies::repair_cycle(&tasks).is_some());
}

#[test]
fn only_dependencies_that_others_imply_are_unnecessary() {
    // spec: planning PV-05
    let tasks = chain_of(&[&[2, 3], &[3], &[]]);
    assert_eq!(dependencies::unnecessary(&tasks), [(TaskId::numbered(1), TaskId::numbered(3))]);
    let paris = dependencies::unnecessary(&fixtures::paris_plan().subtasks);
    assert_eq!(paris, [(TaskId::numbered(4), TaskId::numbered(1))]);
    assert!(dependencies::unnecessary(&chain_of(&[&[2], &[3, 1], &[]])).is_empty());
}

#[test]
fn unnecessary_dependencies_are_found_in_plans_of_several_blocks() {
    // spec: planning PV-05
    let count = 1_500;
    let mut tasks: Vec<_> = (1..=count)
        .map(|n| {
            let before: Vec<_> = (n > 1).then(|| n - 1).into_iter().collect();
            fixtures::simple_task(n, "Work", &before, "hotel_agent")
        })
        .collect();
    for earlier in [1, 600, 1_100, 1_499] {
        tasks[count - 1].dependencies.push(TaskId::numbered(earlier));
    }
    let last = TaskId::numbered(count);
    let expected = [1, 600, 1_100].map(|n| (last.clone(), TaskId::numbered(n)));
    assert_eq!(dependencies::unnecessary(&tasks), expected);
}

proptest! {
    #[test]
    fn sound_plans_are_called_sound(plan in arbitrary::sound_plan(12)) {
        prop_assert!(dependencies::check(&plan.subtasks).is_valid);
        prop_assert!(dependencies::repair_cycle(&plan.subtasks).is_none());
    }

    #[test]
    fn a_plan_is_sound_exactly_if_nothing_dangles_and_no_task_reaches_itself(plan in arbitrary::any_plan(8)) {
        // spec: planning PV-03 PV-04
        let tasks = &plan.subtasks;
        let known: BTreeSet<_> = tasks.iter().map(|task| &task.task_id).collect();
        let dangling = tasks.iter().flat_map(|task| &task.dependencies).filter(|id| !known.contains(id)).count();
        let circular = tasks.iter().any(|task| reaches(tasks, &task.task_id, &task.task_id));
        let result = dependencies::check(tasks);
        prop_assert_eq!(result.is_valid, dangling == 0 && !circular);
        prop_assert_eq!(result.is_valid, result.errors.is_empty());
        for cycle in &result.cycles {
            prop_assert!(cycle.len() > 2 && cycle.first() == cycle.last());
            for pair in cycle.windows(2) {
                prop_assert!(plan.task(&pair[0]).unwrap().dependencies.contains(&pair[1]));
            }
        }
    }

    #[test]
    fn unnecessary_dependencies_can_go_without_changing_who_waits_for_whom(plan in arbitrary::sound_plan(10)) {
        // spec: planning PV-05
        let tasks = &plan.subtasks;
        let unnecessary: BTreeSet<_> = dependencies::unnecessary(tasks).into_iter().collect();
        for task in tasks {
            for dependency in &task.dependencies {
                let others = task.dependencies.iter().filter(|other| *other != dependency);
                let implied = others.into_iter().any(|other| reaches(tasks, other, dependency));
                let pair = (task.task_id.clone(), dependency.clone());
                prop_assert_eq!(unnecessary.contains(&pair), implied);
            }
        }
    }

    #[test]
    fn dependents_mirror_dependencies(plan in arbitrary::any_plan(10)) {
        let graph = TaskGraph::new(&plan.subtasks);
        prop_assert_eq!(graph.len(), plan.subtasks.len());
        let all = || (0..graph.len()).map(|at| TaskIndex(u32::try_from(at).unwrap()));
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            let listed = graph.dependencies(a).contains(&b);
            prop_assert_eq!(listed, graph.dependents(b).contains(&a));
            let wanted = plan.subtasks[a.as_usize()].dependencies.contains(&plan.subtasks[b.as_usize()].task_id);
            prop_assert_eq!(listed, wanted && a != b);
        }
    }

    #[test]
    fn the_affected_are_those_that_reach_a_seed(plan in arbitrary::any_plan(10), seed in any::<prop::sample::Index>()) {
        let tasks = &plan.subtasks;
        let seed = &tasks[seed.index(tasks.len())].task_id;
        let graph = TaskGraph::new(tasks);
        let affected = graph.affected_by(&[graph.index_of(seed).unwrap()]);
        prop_assert!(affected.is_sorted());
        for task in tasks {
            let expected = task.task_id == *seed || reaches(tasks, &task.task_id, seed);
            prop_assert_eq!(affected.contains(&graph.index_of(&task.task_id).unwrap()), expected);
        }
    }
}
