//! Agents that exist and can do their tasks.

use candor_model::{AgentType, Share, SubTask};
use candor_planning::assignment;
use candor_testkit::{arbitrary, fixtures};
use proptest::prelude::*;

#[test]
fn unknown_agents_and_tasks_without_one_are_named() {
    // spec: planning PV-12 EN-27
    let mut tasks = fixtures::paris_plan().subtasks;
    let agents = fixtures::paris_agents();
    let result = assignment::check(&tasks, &agents);
    assert!(result.is_valid && result.accuracy == Share::ALL);
    tasks[1].agent_type = fixtures::agent_type("teleport_agent");
    let result = assignment::check(&tasks, &agents);
    assert!(!result.is_valid);
    assert_eq!(result.accuracy.get(), 0.75);
    assert_eq!(result.errors, ["task_002 is assigned to teleport_agent, which is not registered"]);
    tasks[2].agent_type = AgentType::tbd();
    let result = assignment::check(&tasks, &agents);
    assert_eq!(result.accuracy.get(), 0.5);
    assert_eq!(result.errors[1], "task_003 has no agent yet");
}

#[test]
fn an_agent_that_its_ranking_rules_out_cannot_do_the_task() {
    // spec: planning PV-12
    for hopeless in [0.0, -0.1, f64::NAN] {
        let mut tasks = fixtures::paris_plan().subtasks;
        tasks[0].metadata.ranking[0].score = hopeless;
        let result = assignment::check(&tasks, &fixtures::paris_agents());
        assert_eq!(result.accuracy.get(), 0.75);
        assert!(result.errors[0].starts_with("task_001 is assigned to flight_agent, which cannot do it"));
    }
}

proptest! {
    #[test]
    fn accuracy_counts_the_tasks_without_an_error(plan in arbitrary::any_plan(8), known in 0..=6usize) {
        // spec: planning PV-12
        let agents = &fixtures::full_registry()[..known];
        let result = assignment::check(&plan.subtasks, agents);
        let registered = |task: &&SubTask| agents.iter().any(|agent| agent.agent_type == task.agent_type);
        let valid = plan.subtasks.iter().filter(registered).count();
        prop_assert_eq!(result.accuracy, Share::of(valid, plan.subtasks.len()));
        prop_assert_eq!(result.errors.len(), plan.subtasks.len() - valid);
    }
}
