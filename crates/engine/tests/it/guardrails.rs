//! The guardrails: before everything, three repetitions, then a person; and nothing without them.

use candor_engine::{Input, PhaseResult, Refusal, RunState, Stage, decide};
use candor_model::{
    Enforcement, Event, EventBody, GuardReport, Phase, PlanningError, RunId, RunSettings, RunStatus, Severity,
};
use candor_testkit::fixtures::{self, paris_plan};
use candor_testkit::phase_fixtures::finding;
use candor_testkit::scenario::Scenario;

fn unattended() -> RunSettings {
    RunSettings { unattended: true, ..RunSettings::default() }
}

/// A run that a guardrail has halted for good.
fn halted(settings: RunSettings) -> Scenario {
    let mut run = Scenario::begin(settings);
    for _ in 0..4 {
        run.guard_finds(vec![finding("no-secrets", Enforcement::Block, true)]);
    }
    run
}

#[test]
fn nothing_begins_before_the_guardrails_are_done() {
    // spec: orchestrator GR-01 PH-02
    let mut run = Scenario::begin(RunSettings::default());
    assert_eq!(run.log.len(), 1, "only the start is on record");
    assert_eq!((run.look(), run.at_work()), (Some(1), vec![]));
    let early = run.try_take(Input::PhaseFailed {
        phase: Phase::Evaluation,
        attempt: 1,
        reason: "in a hurry".to_owned(),
    });
    assert!(matches!(early, Err(Refusal::StalePhase { .. })));
    run.guard();
    assert!(matches!(run.last.first(), Some(EventBody::GuardrailsChecked { .. })));
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
}

#[test]
fn a_log_without_the_guardrails_word_dispatches_nothing() {
    // spec: orchestrator GR-06 GR-07
    let whole = Scenario::paris();
    assert!(!whole.running().is_empty());
    let mut state = RunState::new(RunId::new("run_test").unwrap());
    let kept = |event: &&Event| {
        !matches!(event.body, EventBody::GuardrailsChecked { .. } | EventBody::TaskDispatched { .. })
    };
    for event in whole.events().iter().filter(kept) {
        state.apply(event);
    }
    assert_eq!(*state.stage(), Stage::Executing, "the rest of the log is as it was");
    for input in [Input::Tick, Input::TakenUp] {
        let events = decide(&state, input, whole.now).unwrap();
        let started = events.iter().any(|event| matches!(event.body, EventBody::TaskDispatched { .. }));
        assert!(!started, "nothing may start");
    }
}

#[test]
fn a_tripwire_is_looked_at_four_times_and_then_one_person_is_asked() {
    // spec: orchestrator GR-08
    let mut run = Scenario::begin(RunSettings::default());
    for look in 1..=4 {
        assert!(run.state.open_questions().is_empty());
        assert_eq!(run.look(), Some(look));
        run.guard_finds(vec![finding("no-secrets", Enforcement::Block, true)]);
    }
    assert_eq!(run.look(), None, "it is a person's turn");
    let (_, request) = run.choice();
    assert!(request.text.contains("no-secrets was violated"), "{}", request.text);
    assert_eq!(run.options(), ["stop", "reword", "continue"]);
    assert_eq!(run.count(|body| matches!(body, EventBody::GuardrailsChecked { .. })), 4);
    assert_eq!(run.count(|body| matches!(body, EventBody::HumanAsked { .. })), 1);
    assert!(run.at_work().is_empty());
}

#[test]
fn a_violation_that_passes_by_itself_halts_nothing() {
    // spec: orchestrator GR-08
    let mut run = Scenario::begin(RunSettings::default());
    run.guard_finds(vec![finding("rate", Enforcement::Block, true)]);
    run.guard();
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
}

#[test]
fn the_same_violation_halts_or_only_warns() {
    // spec: orchestrator GR-02
    let mut run = Scenario::begin(RunSettings::default());
    run.guard_finds(vec![finding("no-secrets", Enforcement::Suggest, true)]);
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
    let warned = run.last.iter().any(
        |body| matches!(body, EventBody::GuardrailTripped { rule, reason, .. } if rule == "no-secrets" && reason.contains("violated")),
    );
    assert!(warned);
    let mut run = Scenario::begin(RunSettings::default());
    run.guard_finds(vec![finding("no-secrets", Enforcement::Block, false)]);
    assert_eq!(run.options().len(), 3, "without a tripwire there is nothing to repeat");
}

#[test]
fn a_person_overrules_on_record() {
    // spec: orchestrator GR-08
    let mut run = halted(RunSettings::default());
    run.choose("continue", "");
    let named = run.last.iter().any(|body| {
        matches!(body, EventBody::GuardrailTripped { rule, severity: Severity::Info, reason }
            if rule == "no-secrets" && reason.contains("overruled by a person"))
    });
    assert!(named);
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
    run.prepare();
    run.propose(paris_plan());
    assert!(!run.running().is_empty(), "what was overruled does not come back");
}

#[test]
fn other_words_are_looked_at_like_the_first() {
    // spec: orchestrator GR-01 SM-06 SM-11
    let mut run = halted(RunSettings::default());
    let refused = run.try_choose("reword", "  ");
    assert!(matches!(refused, Err(Refusal::WordsMissing { .. })));
    run.choose("reword", "Plan a trip to Rome");
    assert_eq!(run.state.request(), "Plan a trip to Rome");
    let look = run.look().unwrap();
    assert!(look > 4, "no look has the number of an earlier one");
    let late = run.try_take(Input::Guarded { attempt: 1, report: Box::default() });
    assert!(matches!(late, Err(Refusal::StaleGuard { attempt: 1 })), "a late word on the old words");
    for _ in 0..4 {
        assert!(run.state.open_questions().is_empty(), "the new words have their own three repetitions");
        run.guard_finds(vec![finding("no-secrets", Enforcement::Block, true)]);
    }
    run.choose("stop", "");
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn going_back_to_words_that_never_passed_has_them_looked_at() {
    // spec: orchestrator GR-01 SM-09
    let mut run = halted(RunSettings::default());
    let first = run.state.request().to_owned();
    run.choose("reword", "Plan a trip to Rome");
    run.guard();
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
    run.take(Input::Restart { prompt: None });
    assert_eq!(run.state.request(), first, "a restart begins with the first words");
    assert_eq!(run.state.prompts().last().unwrap().text, first, "and the history says so");
    assert!(run.at_work().is_empty(), "nothing runs before they were looked at");
    assert!(run.look().is_some());
}

#[test]
fn a_restart_during_a_look_does_not_get_around_it() {
    // spec: orchestrator GR-01 SM-09
    let mut run = Scenario::begin(RunSettings::default());
    run.take(Input::Restart { prompt: Some("Plan a trip to Rome".to_owned()) });
    let late = run.try_take(Input::Guarded { attempt: 1, report: Box::default() });
    assert!(matches!(late, Err(Refusal::StaleGuard { .. })), "that look was at the words before");
    assert!(run.at_work().is_empty());
    run.guard();
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation]);
}

#[test]
fn a_run_that_passed_is_not_looked_at_again_when_it_goes_back() {
    let mut run = Scenario::paris();
    let to = run.state.after_phase(Some(Phase::Evaluation)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    run.stop_all();
    assert_eq!((run.look(), run.at_work()), (None, vec![Phase::Context]));
}

#[test]
fn with_nobody_there_the_run_stops() {
    // spec: orchestrator FD-08
    let run = halted(unattended());
    assert_eq!(run.state.status(), RunStatus::Aborted);
    let logged = run.last.iter().any(
        |body| matches!(body, EventBody::DecisionMade { entry } if entry.operation == "answer_by_default" && entry.decision == "stop"),
    );
    assert!(logged, "what was done by default is on record");
    let ended = run.last.iter().any(|body| {
        matches!(body, EventBody::RunAborted { error, .. } if matches!(**error, PlanningError::Halted { .. }))
    });
    assert!(ended);
}

#[test]
fn words_that_cannot_be_worked_with_leave_no_trace() {
    // spec: orchestrator GR-12
    let long = "a".repeat(1_000_001);
    for (words, empty) in [("", true), ("  \n", true), ("with a \0 in it", false), (long.as_str(), false)] {
        let state = RunState::new(RunId::new("run_test").unwrap());
        let settings = Box::default();
        let start = Input::Start { request: words.to_owned(), settings, material: None, origin: None };
        let refusal = decide(&state, start, fixtures::time(fixtures::NOON)).unwrap_err();
        match refusal {
            Refusal::EmptyRequest => assert!(empty),
            Refusal::BadRequest { reason } => assert!(!empty && !reason.is_empty()),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_look_counts_once_and_a_stray_one_not_at_all() {
    let mut run = Scenario::begin(RunSettings::default());
    let stray = run.try_take(Input::Guarded { attempt: 7, report: Box::new(GuardReport::default()) });
    assert!(matches!(stray, Err(Refusal::StaleGuard { attempt: 7 })));
    run.guard();
    let twice = run.try_take(Input::Guarded { attempt: 1, report: Box::default() });
    assert!(matches!(twice, Err(Refusal::StaleGuard { attempt: 1 })));
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
}
