//! The eight phases: each always, in order, with what it leaves; and back to any of them.

use candor_engine::{Input, PhaseResult, Refusal};
use candor_model::{CheckpointId, EventBody, Handoff, Phase, RunSettings, RunStatus};
use candor_testkit::fixtures::{self, paris_plan};
use candor_testkit::phase_fixtures::checks;
use candor_testkit::scenario::{Scenario, phase_report};

/// A run in which every phase judges its own work.
fn whole() -> Scenario {
    let mut run = Scenario::start(RunSettings::default());
    let judged = |report: &mut candor_engine::PhaseReport| report.critique = Some(Box::new(checks(0)));
    run.pass(1.0);
    run.phase_says(Phase::PreAnalysis, PhaseResult::Plain, judged);
    run.phase_says(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()), judged);
    run.phase_says(Phase::Context, PhaseResult::Plain, judged);
    run.phase_says(Phase::Decomposition, PhaseResult::Plain, judged);
    let proposal = candor_planning::validation::Proposal {
        plan: paris_plan(),
        agents: fixtures::full_registry(),
        categories: Vec::new(),
        calibration: candor_model::CalibrationMetrics::default(),
        brief: None,
        added: Vec::new(),
    };
    run.phase_says(Phase::Planning, PhaseResult::Plan(proposal), judged);
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    let holds = PhaseResult::Verdict { unmet: Vec::new(), failed: Vec::new() };
    run.phase_says(Phase::Validation, holds, judged);
    run.phase_says(Phase::Consolidation, PhaseResult::Plain, judged);
    run
}

fn phases_of(run: &Scenario, of: fn(&EventBody) -> Option<Phase>) -> Vec<Phase> {
    run.log.iter().filter_map(|recorded| of(&recorded.event.body)).collect()
}

#[test]
fn all_eight_phases_are_completed_with_a_handoff_figures_and_a_critique() {
    // spec: orchestrator PH-01 PH-03 PH-17 PM-05 SQ-03
    let run = whole();
    assert_eq!(run.state.status(), RunStatus::Completed);
    let completed = phases_of(&run, |body| match body {
        EventBody::PhaseCompleted { phase, handoff, metrics: Some(metrics) } => {
            assert_eq!(handoff.context.tokens_consumed, metrics.tokens_used);
            assert!(!handoff.summary.is_empty());
            Some(*phase)
        }
        _ => None,
    });
    assert_eq!(completed, Phase::ALL);
    let judged = phases_of(&run, |body| match body {
        EventBody::Critiqued { phase, checks: Some(_), .. } => Some(*phase),
        _ => None,
    });
    assert_eq!(judged, Phase::ALL);
    assert_eq!(run.state.completed_phases().iter().copied().collect::<Vec<_>>(), Phase::ALL);
}

#[test]
fn the_first_two_begin_side_by_side_and_each_other_after_the_one_before() {
    // spec: orchestrator PH-04 PH-05
    let mut run = Scenario::start(RunSettings::default());
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    assert_eq!(run.at_work(), [Phase::PreAnalysis], "the context waits for both");
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    assert_eq!(run.at_work(), [Phase::Context]);
    let whole = whole();
    let mut done: Vec<Phase> = Vec::new();
    for recorded in &whole.log {
        match &recorded.event.body {
            EventBody::PhaseStarted { phase, .. } if phase.number() >= 2 => {
                assert_eq!(done.len(), usize::from(phase.number()), "{phase} began after all before it");
            }
            EventBody::PhaseCompleted { phase, .. } => done.push(*phase),
            _ => {}
        }
    }
}

#[test]
fn a_failure_of_the_first_phase_keeps_the_second_and_is_told() {
    // spec: orchestrator PH-20 DG-06
    let mut run = Scenario::start(RunSettings::default());
    run.take(Input::PhaseFailed {
        phase: Phase::PreAnalysis,
        attempt: 1,
        reason: "the cache is broken".to_owned(),
    });
    assert_eq!(run.at_work(), [Phase::Evaluation], "neither cancels the other");
    assert!(run.last.iter().any(|body| matches!(body, EventBody::PhaseDegraded { .. })));
    let cached = run.last.iter().find_map(|body| match body {
        EventBody::PhaseCompleted { handoff, .. } => handoff.data.map().get("cached").cloned(),
        _ => None,
    });
    assert_eq!(cached, Some(serde_json::json!(false)));
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    run.phase_done(Phase::Context, PhaseResult::Plain);
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    run.propose(paris_plan());
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!((run.state.status(), run.state.degradation().level), (RunStatus::Completed, 2));
}

#[test]
fn going_back_to_a_phase_does_again_what_comes_after_it() {
    // spec: orchestrator SM-04 SM-07
    let mut run = whole();
    let to = run.state.after_phase(Some(Phase::Context)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    assert_eq!(run.at_work(), [Phase::Decomposition]);
    assert_eq!(run.state.phases_to_go_back_to(), "0 (pre_analysis), 1 (evaluation), 2 (context)");
    assert_eq!(run.state.after_phase(Some(Phase::Validation)), None, "later points are gone");
    let unknown = run.try_take(Input::RollBack { to: CheckpointId(999), run_budget: None });
    assert!(matches!(unknown, Err(Refusal::UnknownCheckpoint { .. })));
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    run.propose(paris_plan());
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn there_is_a_point_after_every_phase_that_something_follows() {
    // spec: orchestrator SM-04 SM-10
    let run = whole();
    let points: Vec<Phase> = run.state.checkpoints().iter().filter_map(|point| point.phase).collect();
    assert_eq!(points, &Phase::ALL[..7], "after the last there is nothing to go on to");
}

#[test]
fn going_back_to_the_evaluation_keeps_the_first_phase_whichever_was_done_first() {
    // spec: orchestrator SM-07
    let mut run = Scenario::start(RunSettings::default());
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    run.phase_done(Phase::Context, PhaseResult::Plain);
    let evaluation = run.state.after_phase(Some(Phase::Evaluation)).unwrap();
    run.take(Input::RollBack { to: evaluation, run_budget: None });
    assert_eq!(run.at_work(), [Phase::Context], "rollback 1 runs 2 again");
}

#[test]
fn each_phase_reports_what_is_its_own() {
    // spec: orchestrator PH-07 PH-08
    let mut run = Scenario::start(RunSettings::default());
    let wrong =
        |phase, result| Input::PhaseDone { phase, attempt: 1, report: Box::new(phase_report(result)) };
    for input in [
        wrong(Phase::Evaluation, PhaseResult::Plain),
        wrong(Phase::PreAnalysis, PhaseResult::goal(fixtures::paris_goal())),
        wrong(Phase::PreAnalysis, PhaseResult::Reply("hello".to_owned())),
    ] {
        assert!(matches!(run.try_take(input), Err(Refusal::WrongPhaseResult { .. })));
    }
    let early = wrong(Phase::Context, PhaseResult::Plain);
    assert!(matches!(run.try_take(early), Err(Refusal::StalePhase { .. })), "its turn has not come");
}

#[test]
fn tokens_and_money_of_a_phase_are_in_its_figures_and_its_handoff() {
    // spec: orchestrator PM-01 PM-05
    let mut run = Scenario::start(RunSettings::default());
    let key = candor_testkit::consulting::ask(Phase::Evaluation, "parse_goal");
    run.take(candor_testkit::consulting::consulting(&key, 1_000));
    let call = candor_testkit::consulting::answered("{}", 700);
    let tokens = call.tokens.total();
    let accepted = candor_testkit::consulting::accepted();
    run.take(candor_testkit::consulting::consulted(&key, 1, Some(call), accepted));
    run.pass(2.0);
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    let (handoff, metrics): (Handoff, _) = run
        .last
        .iter()
        .find_map(|body| match body {
            EventBody::PhaseCompleted { handoff, metrics: Some(metrics), .. } => {
                Some((Handoff::clone(handoff), metrics.clone()))
            }
            _ => None,
        })
        .unwrap();
    assert!(tokens > 0);
    assert_eq!((metrics.tokens_used, handoff.context.tokens_consumed), (tokens, tokens));
    assert_eq!((metrics.cost.micros(), metrics.duration), (700, fixtures::seconds(2.0)));
}
