//! When a plan is given up, and what a person can do then.
use candor_model::{
    ErrorKind, Goal, NonEmpty, PartialResult, Penalty, Phase, Plan, PlanRevision, PlanningError, RevisionId,
    RunId, RunSettings,
};
use candor_planning::limits::{check_before_replan, suggestion};
use candor_planning::texts::abort_announcement;
use candor_testkit::{arbitrary, fixtures};
use fixtures::{confidence, dollars, paris_goal, paris_plan, seconds, task_id, time};
use proptest::prelude::*;

fn revised(times: u32, score: f64) -> Plan {
    let mut plan = paris_plan();
    plan.metadata.revision_count = times;
    plan.confidence_score = confidence(score);
    plan
}

fn check(plan: &Plan) -> Result<(), PlanningError> {
    check_before_replan(plan, &RunSettings::default(), &["Error 3".to_owned()])
}

/// One error of every kind.
fn every_error() -> Vec<PlanningError> {
    let plan_id = paris_plan().plan_id;
    let (spent, budget) = (dollars(0.0125), dollars(0.01));
    vec![
        PlanningError::PlanInvalid { plan_id: plan_id.clone(), errors: vec!["cycle".to_owned()] },
        PlanningError::MaxRevisions {
            plan_id: plan_id.clone(),
            limit: 3,
            errors: vec!["Error 3".to_owned()],
        },
        PlanningError::TaskRevisions {
            task_id: task_id("task_002"),
            limit: 3,
            errors: vec!["no".to_owned()],
        },
        PlanningError::Unrecovered { task_id: task_id("task_002"), reason: "no".to_owned() },
        PlanningError::LowConfidence { plan_id: plan_id.clone(), confidence: confidence(0.25), revisions: 2 },
        PlanningError::PlanRejected { plan_id, comments: "too dear".to_owned() },
        PlanningError::BudgetExceeded { spent, budget },
        PlanningError::PlanningBudgetExceeded { spent, budget, partial: PartialResult::default() },
        PlanningError::PlanningTimeout { limit: seconds(3.0) },
        PlanningError::RunBudgetExceeded { spent, budget, needed: dollars(0.02) },
        PlanningError::Routing { task_id: task_id("task_002"), reason: "nobody fits".to_owned() },
        PlanningError::Precondition { missing: "agent registry".to_owned() },
        PlanningError::PhaseFailed { phase: Phase::Context, reason: "no memory".to_owned() },
        PlanningError::GivenUp { task_id: task_id("task_002"), comments: String::new() },
        PlanningError::CriteriaUnmet { unmet: vec!["At least 5 activities planned".to_owned()] },
    ]
}

fn advice_on(error: &PlanningError, goal: Option<&Goal>) -> String {
    suggestion(error, goal, &RunId::new("run_1").unwrap())
}

#[test]
fn three_revisions_are_allowed_and_the_fourth_is_refused() {
    // spec: planning AB-01 AB-02 WF-07
    assert_eq!(check(&revised(2, 0.55)), Ok(()));
    let error = check(&revised(3, 0.55)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MaxRevisionsExceeded);
    assert_eq!(error.to_string(), "Plan plan_xyz789 exceeded 3 revisions. Latest errors: Error 3");
}

#[test]
fn the_limit_of_revisions_is_a_setting() {
    // spec: planning AB-01
    let settings = RunSettings { max_revisions: 1, ..RunSettings::default() };
    assert!(check_before_replan(&revised(0, 0.85), &settings, &[]).is_ok());
    let error = check_before_replan(&revised(1, 0.85), &settings, &[]).unwrap_err();
    assert!(matches!(error, PlanningError::MaxRevisions { limit: 1, .. }), "{error}");
}

#[test]
fn a_revised_plan_that_is_too_unsure_is_given_up_with_a_suggestion() {
    // spec: planning AB-04 WF-07
    let plan = revised(2, 0.25);
    let error = check(&plan).unwrap_err();
    assert_eq!(error.to_string(), "Plan confidence 0.25 too low after 2 revisions. Aborting.");
    assert!(matches!(&error, PlanningError::LowConfidence { plan_id, .. } if *plan_id == plan.plan_id));
    let advice = advice_on(&error, Some(&paris_goal()));
    assert!(advice.starts_with("Relax constraints or change goal."), "{advice}");
    assert!(advice.contains("budget 2000 USD"), "{advice}");
    assert_eq!(advice_on(&error, None), "Relax constraints or change goal.");
}

#[test]
fn an_unsure_plan_that_was_never_revised_may_be_revised() {
    // spec: planning AB-04
    assert_eq!(check(&revised(0, 0.25)), Ok(()));
    assert_eq!(check(&revised(1, 0.3)), Ok(()), "exactly the threshold is not below it");
}

#[test]
fn low_confidence_is_tested_before_the_limit() {
    // spec: planning AB-05
    assert_eq!(check(&revised(3, 0.25)).unwrap_err().kind(), ErrorKind::LowConfidenceError);
    assert_eq!(check(&revised(3, 0.55)).unwrap_err().kind(), ErrorKind::MaxRevisionsExceeded);
}

#[test]
fn counted_and_stored_revisions_both_block() {
    // spec: planning AB-07
    assert!(check(&revised(3, 0.55)).is_err(), "a count without revisions is honoured");
    let mut stored = revised(0, 0.55);
    stored.metadata.revisions = (1..=3)
        .map(|n| PlanRevision {
            revision_id: RevisionId::numbered(n),
            original_plan_id: stored.plan_id.clone(),
            trigger: "1 failures, 0 violations".to_owned(),
            changes: NonEmpty::one("c".to_owned()),
            new_subtasks: vec![],
            removed_task_ids: vec![],
            modified_task_ids: vec![],
            confidence_delta: Penalty::new(-0.1).unwrap(),
            details: candor_model::RevisionDetails::default(),
        })
        .collect();
    assert!(check(&stored).is_err(), "revisions without a count are honoured");
}

#[test]
fn three_retries_lead_to_the_limit_and_not_to_low_confidence() {
    // spec: planning AB-08
    let mut plan = paris_plan();
    let mut path = vec![plan.confidence_score.get()];
    while check(&plan).is_ok() {
        plan.confidence_score = plan.confidence_score.shifted(-0.10);
        plan.metadata.revision_count += 1;
        path.push(plan.confidence_score.get());
    }
    assert_eq!(path, [0.85, 0.75, 0.65, 0.55]);
    assert_eq!(check(&plan).unwrap_err().kind(), ErrorKind::MaxRevisionsExceeded);
}

#[test]
fn a_plan_that_is_not_feasible_comes_with_other_dates_and_a_larger_budget() {
    // spec: planning AB-03
    let error = check(&revised(3, 0.55)).unwrap_err();
    let advice = advice_on(&error, Some(&paris_goal()));
    assert!(advice.contains("June instead of May"), "{advice}");
    assert!(advice.contains("a larger budget (now 2000 USD)"), "{advice}");
    let told = abort_announcement(&error, &advice, time(fixtures::NOON));
    assert!(told.text.contains("not feasible") && told.text.contains("Error 3"), "{told:?}");
    assert_eq!(told.suggestion, Some(advice));
}

#[test]
fn the_year_turns_after_december() {
    // spec: planning AB-03
    let mut goal = paris_goal();
    goal.constraints[2].value = candor_model::Text::or("December 2025", "-");
    let advice = advice_on(&every_error()[1], Some(&goal));
    assert!(advice.contains("January instead of December"), "{advice}");
}

#[test]
fn every_kind_of_error_has_a_way_forward() {
    // spec: planning AB-03
    for error in every_error() {
        for goal in [None, Some(&paris_goal())] {
            let advice = advice_on(&error, goal);
            assert!(advice.len() > 10, "{error}: {advice}");
            let told = abort_announcement(&error, &advice, time(fixtures::NOON));
            assert!(!told.title.is_empty() && !told.text.is_empty(), "{error}");
        }
    }
}

#[test]
fn each_end_in_failure_has_its_own_kind() {
    // spec: planning EN-28
    let kinds: std::collections::BTreeSet<ErrorKind> =
        every_error().iter().map(PlanningError::kind).collect();
    assert_eq!(kinds.len(), every_error().len());
}

proptest! {
    #[test]
    fn a_plan_passes_exactly_when_neither_limit_is_met(plan in arbitrary::any_plan(5), revisions in 0..6u32) {
        let mut plan = plan;
        plan.metadata.revision_count = revisions;
        let settings = RunSettings::default();
        let unsure = revisions > 0 && plan.confidence_score.get() < 0.3;
        prop_assert_eq!(check(&plan).is_ok(), !unsure && revisions < settings.max_revisions);
    }
}
