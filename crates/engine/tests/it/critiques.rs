//! What phases think of their own work, and what stands in the way of the next.

use candor_engine::{PhaseResult, Refusal};
use candor_model::{CritiqueVerdict, EventBody, Phase, RunSettings, RunStatus, SpokenBy};
use candor_testkit::fixtures::paris_plan;
use candor_testkit::phase_fixtures::checks;
use candor_testkit::scenario::Scenario;

/// A run at the context phase.
fn at_context() -> Scenario {
    let mut run = Scenario::start(RunSettings::default());
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    run.phase_done(Phase::Evaluation, PhaseResult::goal(candor_testkit::fixtures::paris_goal()));
    run
}

fn judged(run: &mut Scenario, failed: usize, spoken_by: SpokenBy) {
    run.phase_says(Phase::Context, PhaseResult::Plain, |report| {
        report.critique = Some(Box::new(checks(failed)));
        report.handoff.spoken_by = spoken_by;
    });
}

fn verdict(run: &Scenario) -> Option<CritiqueVerdict> {
    run.last.iter().find_map(|body| match body {
        EventBody::Critiqued { verdict, .. } => Some(*verdict),
        _ => None,
    })
}

#[test]
fn none_failed_goes_on_one_or_two_are_refined_three_stop() {
    // spec: orchestrator SQ-01 SQ-03 SQ-04
    let expected = [
        CritiqueVerdict::Continue,
        CritiqueVerdict::Refine,
        CritiqueVerdict::Refine,
        CritiqueVerdict::Stop,
        CritiqueVerdict::Stop,
        CritiqueVerdict::Stop,
    ];
    for (failed, expected) in expected.into_iter().enumerate() {
        let mut run = at_context();
        judged(&mut run, failed, SpokenBy::Model);
        assert_eq!(verdict(&run), Some(expected), "{failed} failed");
        let asked = !run.state.open_questions().is_empty();
        assert_eq!(asked, expected == CritiqueVerdict::Stop, "a person is asked only when it says stop");
        let next = match expected {
            CritiqueVerdict::Continue => vec![Phase::Decomposition],
            CritiqueVerdict::Refine => vec![Phase::Context],
            CritiqueVerdict::Stop => vec![],
        };
        assert_eq!(run.at_work(), next);
    }
}

#[test]
fn a_check_that_always_fails_leads_to_three_executions_and_not_more() {
    // spec: orchestrator SQ-05 SQ-06
    let mut run = at_context();
    for execution in 1..=3 {
        assert_eq!(run.at_work(), [Phase::Context], "execution {execution}");
        let known = run.state.to_refine(Phase::Context).len();
        assert_eq!(known, usize::from(execution > 1), "the room is told what failed before");
        judged(&mut run, 1, SpokenBy::Model);
    }
    assert_eq!(run.at_work(), [Phase::Decomposition]);
    let started = |body: &EventBody| matches!(body, EventBody::PhaseStarted { phase: Phase::Context, .. });
    assert_eq!(run.count(started), 3);
    let done = |body: &EventBody| matches!(body, EventBody::PhaseCompleted { phase: Phase::Context, .. });
    assert_eq!(run.count(done), 1, "work that is refined is not used");
    assert!(run.state.to_refine(Phase::Context).is_empty());
}

#[test]
fn rules_are_not_asked_twice() {
    // spec: orchestrator SQ-06
    let mut run = at_context();
    judged(&mut run, 2, SpokenBy::Heuristic);
    assert_eq!((verdict(&run), run.at_work()), (Some(CritiqueVerdict::Continue), vec![Phase::Decomposition]));
}

#[test]
fn a_stop_asks_what_is_to_be_done_and_each_answer_is_done() {
    // spec: orchestrator SQ-07 SM-07
    let stopped = || {
        let mut run = at_context();
        judged(&mut run, 3, SpokenBy::Model);
        run
    };
    let mut run = stopped();
    assert_eq!(run.options(), ["continue", "rollback", "reword", "stop"]);
    let (_, request) = run.choice();
    assert!(request.reason.contains("objectiveAlignment"), "{}", request.reason);
    run.choose("continue", "");
    assert_eq!(run.at_work(), [Phase::Decomposition]);
    let mut run = stopped();
    assert!(matches!(run.try_choose("rollback", "6"), Err(Refusal::UnknownPhase { .. })));
    run.choose("rollback", "1");
    assert_eq!(run.at_work(), [Phase::Context], "what comes after phase 1 is done again");
    let mut run = stopped();
    run.choose("reword", "Plan a trip to Rome");
    assert!(run.look().is_some());
    let mut run = stopped();
    run.choose("stop", "");
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn validation_that_doubts_itself_does_not_fail_the_run_for_it() {
    // spec: orchestrator SQ-07
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    let holds = PhaseResult::Verdict { unmet: Vec::new(), failed: Vec::new() };
    run.phase_says(Phase::Validation, holds, |report| report.critique = Some(Box::new(checks(3))));
    run.choose("continue", "");
    run.phase_done(Phase::Consolidation, PhaseResult::Plain);
    assert_eq!(run.state.status(), RunStatus::Completed, "no success criterion was found unmet");
}

#[test]
fn the_last_room_may_be_dissatisfied_too() {
    // spec: orchestrator SQ-07
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.phase_done(Phase::Validation, PhaseResult::Verdict { unmet: Vec::new(), failed: Vec::new() });
    run.phase_says(Phase::Consolidation, PhaseResult::Plain, |report| {
        report.critique = Some(Box::new(checks(4)));
    });
    assert_eq!(run.state.status(), RunStatus::WaitingHuman);
    run.choose("continue", "");
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn a_plan_that_its_own_room_doubts_waits_for_a_person() {
    // spec: orchestrator SQ-07
    let mut run = Scenario::start(RunSettings::default());
    run.prepare();
    let calibration = candor_model::CalibrationMetrics::default();
    let (plan, agents) = (paris_plan(), candor_testkit::fixtures::full_registry());
    let proposal = candor_planning::validation::Proposal {
        plan,
        agents,
        categories: Vec::new(),
        calibration,
        brief: None,
        added: Vec::new(),
    };
    run.phase_says(Phase::Planning, PhaseResult::Plan(proposal), |report| {
        report.critique = Some(Box::new(checks(3)));
    });
    assert!(run.running().is_empty());
    run.choose("continue", "");
    assert_eq!(run.started(), ["task_001", "task_003"]);
}

#[test]
fn what_blocks_a_phase_keeps_the_next_from_beginning() {
    // spec: orchestrator HO-06
    let mut run = at_context();
    run.phase_says(Phase::Context, PhaseResult::Plain, |report| {
        report.handoff.flags.blockers.push("the repository is locked".to_owned());
    });
    assert!(run.at_work().is_empty());
    assert!(run.choice().1.text.contains("the repository is locked"));
    run.choose("retry", "");
    assert_eq!(
        run.at_work(),
        [Phase::Context],
        "it is looked at again, and asked again if it is not settled"
    );
    run.phase_says(Phase::Context, PhaseResult::Plain, |report| {
        report.handoff.flags.blockers.push("the repository is locked".to_owned());
    });
    run.choose("continue", "");
    assert_eq!(run.at_work(), [Phase::Decomposition]);
}

#[test]
fn a_room_that_needs_a_word_gets_it() {
    // spec: orchestrator HO-06
    let mut run = at_context();
    run.phase_says(Phase::Context, PhaseResult::Plain, |report| {
        report.handoff.flags.needs_user_input = true;
        report.handoff.flags.uncertainty_areas.push("which Paris".to_owned());
    });
    assert!(run.choice().1.text.contains("which Paris"));
    assert_eq!(run.options(), ["clarify", "continue", "stop"]);
    run.choose("clarify", "The one in France");
    assert!(run.state.request().ends_with("Clarification: The one in France"));
}

#[test]
fn with_nobody_there_a_doubt_is_passed_over_and_a_blocker_is_not() {
    // spec: orchestrator FD-08 HO-06
    let start = || {
        let mut run = Scenario::start(RunSettings { unattended: true, ..RunSettings::default() });
        run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
        run.phase_done(Phase::Evaluation, PhaseResult::goal(candor_testkit::fixtures::paris_goal()));
        run
    };
    let mut run = start();
    run.phase_says(Phase::Context, PhaseResult::Plain, |report| report.handoff.flags.needs_user_input = true);
    assert_eq!(run.at_work(), [Phase::Decomposition]);
    let mut run = start();
    run.phase_says(Phase::Context, PhaseResult::Plain, |report| {
        report.handoff.flags.blockers.push("the repository is locked".to_owned());
    });
    assert_eq!(run.state.status(), RunStatus::Aborted);
}
