//! Commands and outcomes that come at the wrong time; pause, cancel, rollback, restart.

use candor_engine::{Input, PhaseResult, Refusal, RunState};
use candor_model::{
    CheckpointId, EventBody, FeedbackType, Phase, Position, Recorded, RunId, RunSettings, RunStatus,
    TaskStatus,
};
use candor_testkit::fixtures::{self, confidence, feedback, paris_plan, task_id};
use candor_testkit::scenario::{Scenario, phase_report};

#[test]
fn nothing_starts_while_the_run_is_paused_and_results_are_kept() {
    // spec: planning EX-13
    let mut run = Scenario::paris();
    run.take(Input::Pause { reason: "lunch".to_owned() });
    run.succeed("task_001");
    assert!(run.started().is_empty());
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert!(matches!(run.try_take(Input::Pause { reason: String::new() }), Err(Refusal::AlreadyPaused)));
    run.take(Input::Resume);
    assert_eq!(run.started(), ["task_002"]);
    assert!(matches!(run.try_take(Input::Resume), Err(Refusal::NotPaused)));
}

#[test]
fn a_run_is_cancelled_only_when_everything_has_stopped() {
    // spec: beyond BY-07
    let mut run = Scenario::paris();
    run.take(Input::Cancel { reason: "changed my mind".to_owned() });
    assert_eq!(run.state.status(), RunStatus::Stopping);
    assert!(matches!(run.try_take(Input::Cancel { reason: String::new() }), Err(Refusal::Stopping)));
    run.take(Input::AgentStopped { task_id: task_id("task_001"), attempt: 1 });
    assert_eq!(run.state.status(), RunStatus::Stopping);
    run.succeed("task_003");
    assert_eq!(run.state.status(), RunStatus::Cancelled);
    let kept = run.plan().task(&task_id("task_003")).unwrap().status;
    assert_eq!(kept, TaskStatus::Completed, "a result that came in time is kept");
}

#[test]
fn an_outcome_counts_once() {
    // spec: beyond BY-01
    let mut run = Scenario::paris();
    run.succeed("task_001");
    let before = run.state.clone();
    let again = Input::AgentReported {
        task_id: task_id("task_001"),
        attempt: 1,
        feedback: Box::new(feedback(1, FeedbackType::Failure, &["too late"])),
    };
    assert!(matches!(run.try_take(again), Err(Refusal::StaleOutcome { .. })));
    assert_eq!(run.state, before);
}

#[test]
fn a_late_answer_after_a_timeout_changes_nothing() {
    let mut run = Scenario::paris();
    run.wait(10.0);
    let late = Input::AgentReported {
        task_id: task_id("task_001"),
        attempt: 1,
        feedback: Box::new(feedback(1, FeedbackType::Success, &[])),
    };
    assert!(run.try_take(late).is_err());
}

#[test]
fn inputs_that_do_not_fit_are_refused_and_change_nothing() {
    // spec: planning WF-10 EX-10
    let mut run = Scenario::paris();
    let before = run.state.clone();
    let unknown = task_id("task_999");
    let success = Box::new(feedback(1, FeedbackType::Success, &[]));
    let inputs = [
        Input::Start { request: "again".to_owned(), settings: Box::default(), material: None, origin: None },
        Input::AgentReported { task_id: unknown, attempt: 1, feedback: success.clone() },
        Input::AgentReported { task_id: task_id("task_003"), attempt: 1, feedback: success.clone() },
        Input::AgentReported { task_id: task_id("task_001"), attempt: 2, feedback: success },
        Input::AgentStopped { task_id: task_id("task_001"), attempt: 1 },
        Input::Routed { task_id: task_id("task_001"), ranking: Ok(Vec::new()) },
        Input::PhaseFailed { phase: Phase::Context, attempt: 1, reason: String::new() },
        Input::RollBack { to: CheckpointId(999), run_budget: None },
        Input::Resume,
    ];
    for input in inputs {
        let refusal = run.try_take(input.clone()).unwrap_err();
        assert!(!refusal.to_string().is_empty());
        assert_eq!(run.state, before, "{input:?}");
    }
}

#[test]
fn a_run_must_be_started_with_words_and_only_once() {
    let mut state = RunState::new(RunId::new("run_1").unwrap());
    let now = fixtures::time(fixtures::NOON);
    let blank =
        Input::Start { request: " \n".to_owned(), settings: Box::default(), material: None, origin: None };
    assert_eq!(candor_engine::decide(&state, blank, now), Err(Refusal::EmptyRequest));
    let early = candor_engine::decide(&state, Input::Resume, now);
    assert_eq!(early, Err(Refusal::NotStarted));
    let start =
        Input::Start { request: "go".to_owned(), settings: Box::default(), material: None, origin: None };
    for event in candor_engine::decide(&state, start, now).unwrap() {
        state.apply(&event);
    }
    assert_eq!(state.status(), RunStatus::Preparing);
}

#[test]
fn a_rollback_goes_back_and_never_uses_a_key_twice() {
    let mut plan = paris_plan();
    plan.subtasks[2].metadata.ranking = plan.subtasks[0].metadata.ranking.clone();
    let mut run = Scenario::of(plan, RunSettings::default());
    run.succeed("task_001");
    run.fail("task_003", "Agent timeout after 10s");
    assert_eq!(run.state.confidence(), Some(confidence(0.75)));
    let approved = run.state.checkpoints().iter().find(|point| point.label.contains("approved")).unwrap().id;
    run.take(Input::RollBack { to: approved, run_budget: None });
    assert_eq!(run.state.status(), RunStatus::Stopping, "the hotel search must stop first");
    run.stop_all();
    assert_eq!(run.state.confidence(), Some(confidence(0.85)));
    assert_eq!(run.started(), ["task_001", "task_003"]);
    assert_eq!(run.attempt("task_001"), 2);
    assert_eq!(run.plan().metadata.revisions_made(), 0);
}

#[test]
fn a_finished_run_can_be_restarted_from_the_beginning() {
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.close();
    run.take(Input::Restart { prompt: None });
    assert_eq!(run.state.status(), RunStatus::Preparing);
    run.prepare();
    run.propose(paris_plan());
    assert_eq!(run.started(), ["task_001", "task_003"]);
    assert_eq!(run.attempt("task_001"), 2, "keys go on counting");
}

#[test]
fn a_phase_reports_once_and_what_it_owes() {
    let mut run = Scenario::start(RunSettings::default());
    let report = |result| Box::new(phase_report(result));
    let wrong = Input::PhaseDone { phase: Phase::Evaluation, attempt: 1, report: report(PhaseResult::Plain) };
    assert!(matches!(run.try_take(wrong), Err(Refusal::WrongPhaseResult { .. })));
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    let twice =
        Input::PhaseDone { phase: Phase::PreAnalysis, attempt: 1, report: report(PhaseResult::Plain) };
    assert!(matches!(run.try_take(twice), Err(Refusal::StalePhase { .. })));
    run.take(Input::PhaseFailed { phase: Phase::Evaluation, attempt: 1, reason: "no".to_owned() });
    assert_eq!(run.state.status(), RunStatus::Failed);
    assert!(run.told().iter().any(|notice| format!("{notice:?}").contains("evaluation")));
}

#[test]
fn a_log_with_a_hole_is_refused_with_its_position() {
    let run = Scenario::paris();
    let mut log = run.log.clone();
    log.remove(3);
    let error = RunState::fold(run.state.run_id().clone(), &log).unwrap_err();
    assert!(error.to_string().contains("position 4"), "{error}");
}

#[test]
fn events_that_do_not_fit_a_tampered_log_do_no_harm() {
    let run = Scenario::paris();
    for skip in 0..run.log.len() {
        let mut state = RunState::new(run.state.run_id().clone());
        for recorded in run.log.iter().skip(skip).chain(run.log.iter().rev()) {
            state.apply(&recorded.event);
            let _ = state.effects().count();
        }
    }
}

#[test]
fn any_prefix_of_a_log_is_a_state_from_which_the_run_can_go_on() {
    let mut run = Scenario::paris();
    run.report("task_001", fixtures::timeout_feedback());
    for end in 1..=run.log.len() {
        let prefix: Vec<Recorded> = run.log.iter().take(end).cloned().collect();
        let state = RunState::fold(run.state.run_id().clone(), &prefix).unwrap();
        assert_eq!(state.position(), Position(end as u64));
        assert!(candor_engine::decide(&state, Input::Cancel { reason: "stop".to_owned() }, run.now).is_ok());
        let effects: Vec<_> = state.effects().collect();
        assert_eq!(effects, state.effects().collect::<Vec<_>>());
    }
    assert!(run.log.iter().any(|recorded| matches!(recorded.event.body, EventBody::Replanned { .. })));
}

#[test]
fn the_time_in_which_nobody_drove_the_run_is_nobodys_failure() {
    let mut run = Scenario::paris();
    run.pass(3600.0);
    let told = run.take(Input::TakenUp).len();
    assert_eq!(told, 2, "both attempts under way get a new deadline");
    run.wait(9.9);
    assert_eq!(run.running(), ["task_001", "task_003"], "under the same key: {:?}", run.last);
    assert_eq!(run.attempt("task_001"), 1);
    run.wait(0.2);
    let failed = run.last.iter().find_map(|body| match body {
        EventBody::TaskFailed { feedback, .. } => feedback.errors.first().cloned(),
        _ => None,
    });
    assert_eq!(failed.as_deref(), Some("Agent timeout after 10s"));
}
