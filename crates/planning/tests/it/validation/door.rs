//! The one door to execution.

use candor_model::{
    AgentType, Confidence, ErrorKind, Plan, RepairKind, RunSettings, Seconds, Share, TaskId, Text,
};
use candor_planning::completeness::{self, CategoryTask};
use candor_planning::dependencies;
use candor_planning::validation::{self, Accepted};
use candor_testkit::{arbitrary, fixtures};
use proptest::prelude::*;

use super::support::{accept, category, chain_of, metro_pass, proposal, refusal, transport, with_transport};

/// A change that makes the plan bad, and the beginning of what is said about it.
type Spoiled = (fn(&mut Plan), &'static str);

fn plan_with(change: impl FnOnce(&mut Plan)) -> Plan {
    let mut plan = fixtures::paris_plan();
    change(&mut plan);
    plan
}

#[test]
fn the_example_passes_unchanged() {
    // spec: planning PV-01 TD-07
    let accepted = accept(proposal(fixtures::paris_plan())).unwrap();
    assert_eq!(accepted.plan, fixtures::paris_plan());
    assert_eq!(accepted.raw_confidence.get(), 0.85);
    assert!(accepted.repairs.is_empty());
}

#[test]
fn each_check_keeps_a_bad_plan_out_and_the_earlier_one_speaks() {
    // spec: planning PV-01 TD-07 EN-28
    let settings = RunSettings { max_plan_bytes: 100, ..RunSettings::default() };
    let mut bad = proposal(plan_with(|plan| {
        plan.subtasks[0].agent_type = fixtures::agent_type("teleport_agent");
        plan.subtasks[1].dependencies.push(TaskId::numbered(999));
    }));
    bad.categories = vec![transport(None)];
    assert!(refusal(validation::accept(bad.clone(), &settings)).starts_with("Plan too large: "));
    assert!(refusal(accept(bad.clone())).starts_with("Invalid dependencies: task_002 depends on task_999"));
    bad.plan.subtasks[1].dependencies.pop();
    assert_eq!(refusal(accept(bad.clone())), "Plan incomplete: transportation_booking");
    bad.categories.clear();
    assert!(
        refusal(accept(bad.clone())).starts_with("Invalid assignments: task_001 is assigned to teleport")
    );
    bad.plan.subtasks[0].agent_type = fixtures::agent_type("flight_agent");
    assert!(accept(bad).is_ok());
}

#[test]
fn a_plan_must_be_smaller_than_the_limit() {
    // spec: planning PV-02
    let plan = fixtures::paris_plan();
    let bytes = serde_json::to_string(&plan).unwrap().len() as u64;
    assert!(validation::check_size(&plan, bytes + 1).is_ok());
    let error = validation::check_size(&plan, bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("Plan too large: {bytes} bytes, and it must be smaller than {bytes}")
    );
    let huge = plan_with(|plan| plan.subtasks[0].description = Text::new("x".repeat(1_000_000)).unwrap());
    let text = refusal(accept(proposal(huge)));
    assert!(text.starts_with("Plan too large: 100") && text.ends_with("smaller than 1000000"), "{text}");
}

#[test]
fn a_plan_without_tasks_is_refused() {
    // spec: planning TD-08
    let text = refusal(accept(proposal(plan_with(|plan| plan.subtasks.clear()))));
    assert!(text.contains("subtasks"), "{text}");
}

#[test]
fn bad_decompositions_are_refused_and_name_the_task() {
    // spec: planning TD-08
    let cases: [Spoiled; 3] = [
        (|plan| plan.subtasks[1].dependencies.push(TaskId::numbered(10)), "task_002 depends on task_010"),
        (|plan| plan.subtasks[1].dependencies.push(TaskId::numbered(2)), "task_002 depends on itself"),
        (|plan| plan.subtasks.push(plan.subtasks[1].clone()), "task_002 is the id of an earlier task"),
    ];
    for (change, expected) in cases {
        let text = refusal(accept(proposal(plan_with(change))));
        assert!(text.starts_with(&format!("Invalid dependencies: {expected}")), "{text}");
    }
}

#[test]
fn a_cycle_is_repaired_once_without_costing_confidence() {
    // spec: planning PV-06 TD-07
    let accepted = accept(proposal(plan_with(|plan| {
        plan.subtasks[1].dependencies.push(TaskId::numbered(4));
    })))
    .unwrap();
    assert_eq!(accepted.plan, fixtures::paris_plan());
    assert_eq!(accepted.repairs.len(), 1);
    assert_eq!(accepted.repair_kinds, [RepairKind::DependencyRemoved].into());
    assert_eq!(accepted.plan.metadata.revisions_made(), 0);
}

#[test]
fn a_plan_with_two_cycles_is_refused_with_both() {
    // spec: planning PV-06 PV-03
    let mut tangled = proposal(fixtures::paris_plan());
    tangled.categories.clear();
    tangled.plan.subtasks = chain_of(&[&[2], &[1], &[4], &[3]]);
    let text = refusal(accept(tangled));
    let expected = "Invalid dependencies: Circular dependencies detected: [task_001, task_002, task_001]; \
        Circular dependencies detected: [task_003, task_004, task_003]";
    assert_eq!(text, expected);
}

#[test]
fn missing_tasks_are_added_and_the_estimate_grows() {
    // spec: planning PV-09 PV-11
    let mut lacking = proposal(fixtures::paris_plan());
    lacking.categories = with_transport();
    let accepted = accept(lacking).unwrap();
    let result = completeness::check(&accepted.plan.subtasks, &with_transport());
    assert_eq!(result.score, Share::ALL);
    assert_eq!(fixtures::paris_plan().estimated_total_duration, Seconds::whole(80));
    assert_eq!(accepted.plan.estimated_total_duration, Seconds::whole(95));
    assert_eq!(accepted.repairs.len(), 1);
    assert_eq!(accepted.repair_kinds, [RepairKind::TaskAdded].into());
    assert_eq!(accepted.plan.confidence_score.get(), 0.85);
}

#[test]
fn a_category_that_no_task_can_cover_ends_the_plan() {
    // spec: planning PV-08
    let mut hopeless = proposal(fixtures::paris_plan());
    hopeless.categories.extend([transport(None), category("visa", &[])]);
    assert_eq!(refusal(accept(hopeless)), "Plan incomplete: transportation_booking, visa");
}

#[test]
fn templates_that_wait_for_each_other_are_refused() {
    let mut knotted = proposal(fixtures::paris_plan());
    let template = |needs: &str| CategoryTask { depends_on_category: vec![needs.to_owned()], ..metro_pass() };
    knotted.categories = ["x_one", "x_two"].map(|name| category(name, &[])).to_vec();
    knotted.categories[0].task = Some(template("x_two"));
    knotted.categories[1].task = Some(template("x_one"));
    assert!(refusal(accept(knotted)).starts_with("Invalid dependencies: Circular"));
}

#[test]
fn an_added_task_may_not_push_the_plan_over_the_limit() {
    // spec: planning PV-02
    let mut lacking = proposal(fixtures::paris_plan());
    lacking.categories = with_transport();
    let bytes = serde_json::to_string(&lacking.plan).unwrap().len() as u64;
    let settings = RunSettings { max_plan_bytes: bytes + 10, ..RunSettings::default() };
    assert!(refusal(validation::accept(lacking, &settings)).starts_with("Plan too large"));
}

#[test]
fn confidence_is_calibrated_and_the_raw_value_kept() {
    // spec: planning PV-13
    let mut proposal = proposal(fixtures::paris_plan());
    proposal.calibration.sample_size = 20;
    proposal.calibration.over_confidence_rate = Share::new(0.2).unwrap();
    let accepted = accept(proposal).unwrap();
    assert_eq!(accepted.plan.confidence_score.get(), 0.83);
    assert_eq!(accepted.raw_confidence.get(), 0.85);
}

#[test]
fn tasks_without_an_agent_pass_because_they_are_routed_later() {
    let unrouted = plan_with(|plan| plan.subtasks[2].agent_type = AgentType::tbd());
    assert!(accept(proposal(unrouted)).is_ok());
}

#[test]
fn a_revised_plan_is_checked_again() {
    // spec: planning PV-14
    let settings = RunSettings::default();
    assert!(validation::recheck(&fixtures::paris_plan(), &settings).is_ok());
    let bad: [Spoiled; 4] = [
        (|plan| drop(plan.subtasks.remove(0)), "Invalid dependencies: task_002 depends on task_001"),
        (|plan| plan.subtasks[1].dependencies.push(TaskId::numbered(4)), "Invalid dependencies: Circular"),
        (|plan| plan.subtasks[0].metadata.ranking[0].score = 0.0, "Invalid assignments: task_001"),
        (|plan| plan.subtasks.clear(), "Plan has no tasks"),
    ];
    for (change, expected) in bad {
        let error = validation::recheck(&plan_with(change), &settings).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let small = RunSettings { max_plan_bytes: 100, ..settings };
    assert!(validation::recheck(&fixtures::paris_plan(), &small).is_err());
}

#[test]
fn planning_needs_as_many_agents_as_are_wanted_but_no_history() {
    // spec: planning WF-04
    let mut agents = fixtures::paris_agents();
    assert!(validation::check_preconditions(&agents, 3).is_ok());
    agents.truncate(3);
    assert!(validation::check_preconditions(&agents, 3).is_ok());
    agents[0].capabilities.clear();
    agents[0].specialization.clear();
    let error = validation::check_preconditions(&agents, 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PreconditionError);
    assert!(error.to_string().contains("agent registry has 2 agents"), "{error}");
    assert!(accept(proposal(fixtures::paris_plan())).is_ok(), "with an empty calibrator");
}

proptest! {
    #[test]
    fn what_passes_the_door_is_sound_and_passes_again(plan in arbitrary::any_plan(8), rate in 0.0..=1.0f64) {
        // spec: planning PV-01 PV-14
        let mut proposal = proposal(plan);
        proposal.categories = vec![transport(Some(metro_pass()))];
        proposal.calibration.sample_size = 50;
        proposal.calibration.over_confidence_rate = Share::new(rate).unwrap();
        let raw: Confidence = proposal.plan.confidence_score;
        match accept(proposal) {
            Ok(Accepted { plan, raw_confidence, .. }) => {
                prop_assert_eq!(raw_confidence, raw);
                prop_assert!(dependencies::check(&plan.subtasks).is_valid);
                prop_assert_eq!(plan.estimated_total_duration, plan.total_estimate());
                prop_assert!(validation::recheck(&plan, &RunSettings::default()).is_ok());
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::PlanValidationError),
        }
    }

    #[test]
    fn the_size_counted_is_the_size_written(plan in arbitrary::any_plan(5)) {
        // spec: planning PV-02
        let bytes = serde_json::to_string(&plan).unwrap().len() as u64;
        prop_assert!(validation::check_size(&plan, bytes + 1).is_ok());
        prop_assert!(validation::check_size(&plan, bytes).is_err());
    }
}
