//! Validation: what fails its own criterion is done again, with what used its result, three times; then a person
//! decides.

use candor_engine::PhaseResult;
use candor_model::{EventBody, FeedbackType, Phase, RetryPolicy, RunSettings, RunStatus, Seconds};
use candor_testkit::fixtures::{self, confidence, paris_plan, task_id};
use candor_testkit::scenario::Scenario;
use serde_json::json;

fn validated() -> Scenario {
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run
}

fn too_few(run: &mut Scenario) {
    let failed = vec![(task_id("task_003"), "four activities, five were wanted".to_owned())];
    run.phase_done(Phase::Validation, PhaseResult::Verdict { unmet: Vec::new(), failed });
}

/// A task succeeds with another result each time.
fn succeed_otherwise(run: &mut Scenario, task: &str, number: u32) {
    let mut feedback = fixtures::feedback(1, FeedbackType::Success, &[]);
    feedback.actual_outputs = fixtures::object(json!({ "result": number }));
    run.report(task, feedback);
}

#[test]
fn whoever_gives_the_same_refused_result_again_is_not_asked_a_third_time() {
    // spec: findings RC-03
    let mut run = validated();
    too_few(&mut run);
    let order = run.state.work_order(&task_id("task_003"), 2).unwrap();
    let told = "Your last result was refused: four activities, five were wanted";
    assert!(order.brief.boundaries.iter().any(|line| line == told), "{:?}", order.brief);
    run.succeed("task_003");
    run.succeed("task_004");
    too_few(&mut run);
    assert_eq!(run.count(|body| matches!(body, EventBody::TaskReopened { .. })), 1);
    assert_eq!(run.options(), ["retry", "accept", "stop"]);
}

#[test]
fn what_failed_and_what_used_it_is_done_again() {
    // spec: orchestrator PH-14 X-10; findings HE-08
    let mut run = validated();
    too_few(&mut run);
    assert_eq!((run.started(), run.running()), (vec!["task_003".to_owned()], vec!["task_003".to_owned()]));
    assert_eq!(run.attempt("task_003"), 2, "with a key of its own");
    assert!(run.last.iter().any(|body| {
        matches!(body, EventBody::TaskReopened { task_id, reason, .. }
            if task_id.as_str() == "task_003" && reason.contains("five were wanted"))
    }));
    assert!(run.last.iter().any(|body| {
        matches!(body, EventBody::TaskReopened { dependants, .. }
            if dependants.len() == 1 && dependants[0].as_str() == "task_004")
    }));
    run.succeed("task_003");
    assert_eq!(run.running(), ["task_004"], "with the new result");
    run.succeed("task_004");
    assert_eq!(run.at_work(), [Phase::Validation], "and is judged again");
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
    assert_eq!(run.count(|body| matches!(body, EventBody::TaskDispatched { .. })), 6);
}

#[test]
fn after_three_more_tries_a_person_decides() {
    // spec: orchestrator PH-14
    let at_the_gate = || {
        let mut run = validated();
        for number in 0..3 {
            too_few(&mut run);
            succeed_otherwise(&mut run, "task_003", number);
            run.succeed("task_004");
        }
        too_few(&mut run);
        run
    };
    let mut run = at_the_gate();
    assert_eq!(run.count(|body| matches!(body, EventBody::TaskReopened { .. })), 3);
    assert_eq!(run.options(), ["retry", "accept", "stop"]);
    assert!(run.choice().1.text.contains("task_003"));
    run.choose("retry", "");
    assert_eq!(run.started(), ["task_003"]);
    run.succeed("task_003");
    run.succeed("task_004");
    too_few(&mut run);
    assert_eq!(run.options(), ["retry", "accept", "stop"], "and is asked again");
    let mut run = at_the_gate();
    run.choose("accept", "");
    assert_eq!(run.at_work(), [Phase::Consolidation]);
    run.phase_done(Phase::Consolidation, PhaseResult::Plain);
    assert_eq!(run.state.status(), RunStatus::Completed);
    let mut run = at_the_gate();
    run.choose("stop", "");
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn the_end_of_the_work_moves_confidence_once() {
    let mut run = validated();
    assert_eq!(run.state.confidence(), Some(confidence(0.9)));
    too_few(&mut run);
    run.succeed("task_003");
    assert_eq!(run.state.confidence(), Some(confidence(0.9)), "no second bonus");
}

#[test]
fn a_failure_that_a_retry_made_good_is_not_charged() {
    // spec: findings RC-14
    let mut plan = paris_plan();
    let policy = RetryPolicy { max_retries: 2, backoff_seconds: Seconds::ZERO };
    plan.task_mut(&task_id("task_001")).unwrap().retry_policy = Some(policy);
    let mut run = Scenario::of(plan, RunSettings::default());
    run.fail_for_now("task_001", "connection reset");
    run.wait(0.0);
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    assert_eq!(run.state.confidence(), Some(confidence(0.90)));
    too_few(&mut run);
    run.succeed("task_003");
    assert_eq!(
        run.state.confidence(),
        Some(confidence(0.90)),
        "the bonus was earned at the first end of the work"
    );
}

#[test]
fn tasks_that_are_no_longer_there_are_not_done_again() {
    let mut run = validated();
    let failed = vec![(task_id("task_999"), "nobody knows it".to_owned())];
    run.phase_done(Phase::Validation, PhaseResult::Verdict { unmet: Vec::new(), failed });
    assert_eq!(run.at_work(), [Phase::Consolidation]);
}

#[test]
fn reworks_are_no_refinements_of_the_room() {
    // spec: orchestrator SQ-06
    let mut run = validated();
    too_few(&mut run);
    run.succeed("task_003");
    assert!(run.state.to_refine(Phase::Validation).is_empty(), "the room did nothing wrong");
}

#[test]
fn an_unmet_criterion_of_an_earlier_look_is_forgotten_when_validation_looks_again() {
    let mut run = validated();
    let unmet = vec!["Total cost <= $2000".to_owned()];
    run.phase_says(Phase::Validation, PhaseResult::Verdict { unmet, failed: Vec::new() }, |report| {
        report.critique = Some(Box::new(candor_testkit::phase_fixtures::checks(3)));
    });
    run.choose("rollback", "5");
    assert_eq!(run.at_work(), [Phase::Validation]);
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
    assert_eq!(run.state.goal(), Some(&fixtures::paris_goal()));
}
