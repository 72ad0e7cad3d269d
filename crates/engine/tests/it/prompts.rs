//! Better words: offered when the request is weak, at most twice, and everything after them is done anew.

use candor_engine::{Input, PhaseResult, Refusal};
use candor_model::{
    ENOUGH_QUALITY, EventBody, MessagePriority, MessageType, Phase, PromptSource, RunSettings, RunStatus,
};
use candor_testkit::fixtures::{self, paris_plan};
use candor_testkit::phase_fixtures;
use candor_testkit::scenario::Scenario;

/// What a phase says of a request with this score: it offers better words below what is enough.
fn judged(run: &Scenario, score: u8) -> PhaseResult {
    let words = run.state.request();
    PhaseResult::Goal {
        goal: Box::new(fixtures::paris_goal()),
        evaluation: Some(Box::new(phase_fixtures::evaluation(score))),
        enhancement: (score < ENOUGH_QUALITY).then(|| Box::new(phase_fixtures::offer(words, score))),
    }
}

/// A run whose request has this score.
fn scored(score: u8, settings: RunSettings) -> Scenario {
    let mut run = Scenario::start(settings);
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    let result = judged(&run, score);
    run.phase_done(Phase::Evaluation, result);
    run
}

fn evaluate(run: &mut Scenario, score: u8) {
    run.guard();
    let result = judged(run, score);
    run.phase_done(Phase::Evaluation, result);
}

#[test]
fn below_seventy_better_words_are_offered() {
    // spec: orchestrator PH-09 PE-02 PE-06
    let weak = scored(69, RunSettings::default());
    assert_eq!(weak.options(), ["A", "B", "C", "D", "E"]);
    assert!(weak.at_work().is_empty(), "the next phase waits");
    let (_, request) = weak.choice();
    assert!(request.option("A").unwrap().label.starts_with("90/100"));
    assert!(request.option("D").unwrap().label.contains("69/100"));
    assert!(request.option("E").unwrap().takes_text);
    let enough = scored(70, RunSettings::default());
    assert!(enough.state.open_questions().is_empty());
    assert_eq!(enough.at_work(), [Phase::Context]);
}

#[test]
fn a_variant_restarts_from_the_evaluation_and_keeps_the_first_phase() {
    // spec: orchestrator PE-07 PE-08 SM-06 SM-11
    let mut run = scored(40, RunSettings::default());
    let first = run.state.request().to_owned();
    run.choose("a", "");
    let words = run.state.request().to_owned();
    assert!(words.contains("for two people"));
    assert!(run.look().is_some(), "the guardrails look at the new words");
    evaluate(&mut run, 90);
    assert_eq!(run.at_work(), [Phase::Context], "phase 0 is not done again");
    let history: Vec<_> = run
        .state
        .prompts()
        .iter()
        .map(|it| (it.text.as_str(), it.source, it.variant.as_deref(), it.score))
        .collect();
    assert_eq!(
        history,
        [
            (first.as_str(), None, None, Some(40)),
            (words.as_str(), Some(PromptSource::Enhanced), Some("A"), Some(90)),
        ]
    );
    let scored = run.log.iter().find_map(|it| match &it.event.body {
        EventBody::PromptChanged { change } => change.score_before,
        _ => None,
    });
    assert_eq!(scored, Some(40));
}

#[test]
fn the_original_goes_on_without_a_restart() {
    // spec: orchestrator PE-07
    let mut run = scored(40, RunSettings::default());
    run.choose("D", "");
    assert_eq!(run.at_work(), [Phase::Context]);
    assert_eq!(run.state.prompts().len(), 1);
    assert_eq!(run.count(|body| matches!(body, EventBody::PromptChanged { .. })), 0);
}

#[test]
fn a_scorer_that_is_never_satisfied_asks_at_most_twice() {
    // spec: orchestrator PE-09
    let mut run = scored(50, RunSettings::default());
    assert!(matches!(run.try_choose("E", " "), Err(Refusal::WordsMissing { .. })));
    run.choose("E", "A trip");
    evaluate(&mut run, 50);
    run.choose("E", "A trip, please");
    evaluate(&mut run, 50);
    assert_eq!(run.at_work(), [Phase::Context], "it goes on");
    assert_eq!(run.count(|body| matches!(body, EventBody::HumanAsked { .. })), 2);
    let warned = run
        .last
        .iter()
        .any(|body| matches!(body, EventBody::GuardrailTripped { rule, .. } if rule == "prompt_quality"));
    assert!(warned);
    let mut run = scored(50, RunSettings::default());
    run.choose("B", "");
    evaluate(&mut run, 50);
    assert_eq!(
        run.count(|body| matches!(body, EventBody::HumanAsked { .. })),
        1,
        "a variant is offered once"
    );
}

#[test]
fn with_nobody_there_the_original_is_kept_on_record() {
    // spec: orchestrator PE-10 FD-08
    let mut run = scored(40, RunSettings { unattended: true, ..RunSettings::default() });
    assert_eq!(run.at_work(), [Phase::Context]);
    let logged = run.log.iter().any(|it| {
        matches!(&it.event.body, EventBody::DecisionMade { entry }
            if entry.operation == "answer_by_default" && entry.decision == "D")
    });
    assert!(logged);
    run.phase_done(Phase::Context, PhaseResult::Plain);
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    run.propose(paris_plan());
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn going_back_to_the_first_phase_after_new_words_evaluates_them() {
    // spec: orchestrator SM-06 SM-07
    let mut run = Scenario::start(RunSettings::default());
    // The evaluation is done first, so that what the first phase leaves has its result too.
    let result = judged(&run, 90);
    run.phase_done(Phase::Evaluation, result);
    run.phase_says(Phase::PreAnalysis, PhaseResult::Plain, |report| {
        report.handoff.flags.blockers.push("no budget".to_owned());
    });
    run.choose("reword", "Plan a trip to Rome");
    assert_eq!(run.state.goal(), None);
    run.guard();
    assert_eq!(run.at_work(), [Phase::Evaluation]);
    let result = judged(&run, 90);
    run.phase_done(Phase::Evaluation, result);
    let to = run.state.after_phase(Some(Phase::PreAnalysis)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    assert_eq!(run.at_work(), [Phase::Evaluation], "rollback 0 runs 1 again");
    assert_eq!((run.state.request(), run.state.goal()), ("Plan a trip to Rome", None));
}

#[test]
fn a_restart_takes_the_words_that_the_run_began_with() {
    // spec: orchestrator SM-09 SM-11
    let mut run = scored(40, RunSettings::default());
    let first = run.state.request().to_owned();
    run.choose("A", "");
    evaluate(&mut run, 90);
    run.take(Input::Restart { prompt: None });
    assert_eq!(run.state.request(), first);
    assert_eq!(run.state.prompts().len(), 3, "nothing is taken out of the history");
    run.guard();
    assert_eq!(run.at_work(), [Phase::PreAnalysis, Phase::Evaluation], "from phase 0");
    run.take(Input::Restart { prompt: Some("Plan a trip to Rome".to_owned()) });
    assert_eq!(run.state.request(), "Plan a trip to Rome");
    assert_eq!(run.state.prompts().last().unwrap().source, Some(PromptSource::Restarted));
    assert!(matches!(
        run.try_take(Input::Restart { prompt: Some(" ".to_owned()) }),
        Err(Refusal::EmptyRequest)
    ));
}

#[test]
fn a_contradiction_is_told_and_asked_about_and_has_no_default() {
    // spec: orchestrator AC-05 AC-06 FD-08
    let mut run = Scenario::start(RunSettings { unattended: true, ..RunSettings::default() });
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    let result = judged(&run, 40);
    run.phase_says(Phase::Evaluation, result, |report| {
        let says = "in Spanish, only English";
        report.messages.push(phase_fixtures::message(
            Phase::Evaluation,
            "prompt-quality-scorer",
            MessageType::Warning,
            MessagePriority::Critical,
            says,
        ));
    });
    let (_, request) = run.choice();
    assert_eq!(request.default, None, "only a person can say which holds");
    assert!(request.text.contains("in Spanish, only English"));
    assert_eq!(run.count(|body| matches!(body, EventBody::HumanAsked { .. })), 1, "one gate, not two");
    run.choose("clarify", "In English");
    assert!(run.state.request().ends_with("Clarification: In English"));
    assert_eq!(run.state.prompts().last().unwrap().source, Some(PromptSource::Clarified));
    assert!(run.look().is_some());
}

#[test]
fn new_words_take_other_questions_about_the_old_ones_back() {
    let mut run = Scenario::start(RunSettings::default());
    run.phase_says(Phase::PreAnalysis, PhaseResult::Plain, |report| {
        report.handoff.flags.needs_user_input = true;
    });
    let unclear = run.choice().0;
    let result = judged(&run, 40);
    run.phase_done(Phase::Evaluation, result);
    assert_eq!(run.state.open_questions().len(), 2);
    let offer = run.state.open_questions().keys().find(|gate| **gate != unclear).unwrap().clone();
    let choice = candor_model::Choice { option: "A".to_owned(), text: String::new(), by_default: false };
    run.take(Input::Answered { gate: offer, answer: candor_model::Answer::Choice(choice) });
    assert!(run.last.iter().any(|body| matches!(body, EventBody::QuestionWithdrawn { .. })));
    assert!(run.state.open_questions().is_empty() && run.look().is_some());
}

#[test]
fn a_choice_that_is_not_offered_is_refused_by_name() {
    // spec: orchestrator FD-04 FD-05
    let mut run = scored(40, RunSettings::default());
    let before = run.state.clone();
    match run.try_choose("F", "") {
        Err(Refusal::NotOffered { given, offered, .. }) => {
            assert_eq!((given.as_str(), offered.as_str()), ("F", "A, B, C, D, E"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(run.state, before);
}
