//! A person talks about the plan before they approve it: versions, rounds, digests, and answers that do not fit.

use candor_engine::{Input, PhaseResult, Refusal, Stage};
use candor_model::{
    Adjustment, Answer, ApprovalAction, CalibrationMetrics, EventBody, HumanApprovalDecision, Phase, Plan,
    PlanVersion, Question, RunSettings, RunStatus, Text,
};
use candor_planning::validation::Proposal;
use candor_testkit::fixtures::{self, paris_plan, plan_of, task_id};
use candor_testkit::phase_fixtures;
use candor_testkit::scenario::Scenario;
use serde_json::json;

/// The Paris plan, with other words for its activities.
fn plan_that(says: &str) -> Plan {
    let mut plan = plan_of(paris_plan().subtasks, 0.45);
    for task in plan.subtasks.iter_mut().filter(|task| task.task_id.as_str() == "task_003") {
        task.description = Text::or(says, "Recommend");
    }
    plan
}

fn propose(run: &mut Scenario, says: &str) {
    let (plan, agents) = (plan_that(says), fixtures::full_registry());
    let (categories, calibration) = (Vec::new(), CalibrationMetrics::default());
    let brief = Some(Box::new(phase_fixtures::brief()));
    let proposal = Proposal { plan, agents, categories, calibration, brief, added: Vec::new() };
    run.phase_done(Phase::Planning, PhaseResult::Plan(proposal));
}

/// A run whose plan is shown.
fn shown() -> Scenario {
    let mut run = Scenario::start(RunSettings::default());
    run.prepare();
    propose(&mut run, "Recommend activities");
    run
}

fn say(run: &mut Scenario, action: ApprovalAction) {
    run.say(action, |decision| {
        decision.comments = "more museums".to_owned();
        decision.alternative = Some("b".to_owned());
    });
}

fn version(run: &Scenario) -> u32 {
    run.shown().0.0
}

#[test]
fn question_alternative_change_and_yes_make_versions_one_one_two_three() {
    // spec: orchestrator IP-01 IP-05 IP-06
    let mut run = shown();
    let mut versions = vec![version(&run)];
    say(&mut run, ApprovalAction::Ask);
    assert_eq!(run.at_work(), [Phase::Planning]);
    run.phase_done(Phase::Planning, PhaseResult::Reply("it is quicker".to_owned()));
    versions.push(version(&run));
    assert_eq!(run.shown().1.reply.as_deref(), Some("it is quicker"));
    say(&mut run, ApprovalAction::Alternative);
    propose(&mut run, "Recommend activities one after the other");
    versions.push(version(&run));
    say(&mut run, ApprovalAction::Modify);
    propose(&mut run, "Recommend museums");
    versions.push(version(&run));
    assert_eq!(versions, [1, 1, 2, 3]);
    say(&mut run, ApprovalAction::Approve);
    let locked = run.last.iter().find_map(|body| match body {
        EventBody::PlanApproved { version, gate: Some(_), .. } => Some(version.0),
        _ => None,
    });
    assert_eq!(locked, Some(3));
    assert_eq!(run.plan().task(&task_id("task_003")).unwrap().description.as_str(), "Recommend museums");
    assert_eq!(run.started(), ["task_001", "task_003"]);
}

#[test]
fn all_ways_to_decide_are_offered() {
    // spec: orchestrator IP-03 IP-05
    let run = shown();
    let (_, request) = run.shown();
    for action in [
        ApprovalAction::Approve,
        ApprovalAction::Ask,
        ApprovalAction::Alternative,
        ApprovalAction::Modify,
        ApprovalAction::Regenerate,
    ] {
        assert!(request.choices.contains(&action), "{action}");
    }
    assert!(!request.choices.contains(&ApprovalAction::Version), "there is no earlier version yet");
    assert_eq!(request.brief.unwrap().alternatives.len(), 3);
}

#[test]
fn an_alternative_that_is_not_there_is_refused() {
    // spec: orchestrator FD-05
    let mut run = shown();
    let refusal = run.try_say(ApprovalAction::Alternative, |decision| {
        decision.alternative = Some("Z".to_owned());
    });
    assert!(matches!(refusal, Err(Refusal::NotOffered { offered, .. }) if offered == "A, B, C"));
    let silent = run.try_say(ApprovalAction::Ask, |_| {});
    assert!(matches!(silent, Err(Refusal::WordsMissing { .. })));
    assert_eq!(*run.state.stage(), Stage::Proposed, "nothing has changed");
}

#[test]
fn after_five_rounds_only_what_is_there_can_be_chosen() {
    // spec: orchestrator IP-07 IP-08
    let mut run = shown();
    for round in 1..=5 {
        say(&mut run, ApprovalAction::Ask);
        run.phase_done(Phase::Planning, PhaseResult::Reply("because".to_owned()));
        say(&mut run, ApprovalAction::Modify);
        propose(&mut run, &format!("Recommend museums, round {round}"));
    }
    let (last, request) = run.shown();
    assert_eq!((request.round, last), (5, PlanVersion(6)));
    for gone in [ApprovalAction::Modify, ApprovalAction::Alternative, ApprovalAction::Regenerate] {
        assert!(!request.choices.contains(&gone));
        let refusal = run.try_say(gone, |decision| {
            decision.comments = "more".to_owned();
            decision.alternative = Some("A".to_owned());
        });
        assert!(matches!(refusal, Err(Refusal::NotOffered { .. })), "{gone}");
    }
    for left in
        [ApprovalAction::Approve, ApprovalAction::Version, ApprovalAction::Adjust, ApprovalAction::Reject]
    {
        assert!(request.choices.contains(&left), "{left}");
    }
    run.try_say(ApprovalAction::Version, |decision| decision.version = Some(PlanVersion(2))).unwrap();
    assert_eq!(version(&run), 7, "an earlier plan is a version of its own");
    let task = run.plan().task(&task_id("task_003")).unwrap().clone();
    assert_eq!(task.description.as_str(), "Recommend museums, round 1");
    say(&mut run, ApprovalAction::Reject);
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn an_unknown_version_is_refused() {
    // spec: orchestrator FD-05
    let mut run = shown();
    say(&mut run, ApprovalAction::Modify);
    propose(&mut run, "Recommend museums");
    let refusal = run.try_say(ApprovalAction::Version, |decision| decision.version = Some(PlanVersion(9)));
    assert!(matches!(refusal, Err(Refusal::NotOffered { offered, .. }) if offered == "1, 2"));
}

#[test]
fn an_approval_holds_for_the_plan_that_was_shown_and_once() {
    // spec: orchestrator IP-06 IP-12
    let mut run = shown();
    let (gate, first) = (run.question().0, run.shown().1.digest);
    say(&mut run, ApprovalAction::Modify);
    propose(&mut run, "Recommend museums");
    let second = run.shown().1.digest;
    assert_ne!(first, second);
    let refusal = run.try_say(ApprovalAction::Approve, |decision| decision.digest = Some(first.clone()));
    assert!(
        matches!(refusal, Err(Refusal::OtherPlan { shown, given }) if (&shown, &given) == (&second, &first))
    );
    let old = HumanApprovalDecision::new(paris_plan().plan_id, ApprovalAction::Approve);
    let old = Answer::Approval(old);
    let refusal = run.try_take(Input::Answered { gate, answer: old.clone() });
    assert!(matches!(refusal, Err(Refusal::UnknownGate { .. })), "the question about the first plan is over");
    let gate = run.question().0;
    run.try_say(ApprovalAction::Approve, |decision| decision.digest = Some(second)).unwrap();
    let again = run.try_take(Input::Answered { gate, answer: old });
    assert!(matches!(again, Err(Refusal::UnknownGate { .. })), "an approval is used once");
}

#[test]
fn a_change_by_field_is_shown_again_and_is_a_version_to_go_back_from() {
    // spec: orchestrator IP-06
    let mut run = shown();
    let bad =
        Adjustment { task_id: task_id("task_001"), field: "colour".to_owned(), new_value: json!("red") };
    let refused = run.try_say(ApprovalAction::Modify, |decision| decision.adjustments = vec![bad]);
    assert!(matches!(refused, Err(Refusal::Adjustment(_))));
    let good = Adjustment { task_id: task_id("task_001"), field: "priority".to_owned(), new_value: json!(3) };
    run.try_say(ApprovalAction::Modify, |decision| decision.adjustments = vec![good]).unwrap();
    let (two, request) = run.shown();
    assert_eq!((two, request.round), (PlanVersion(2), 1));
    assert!(run.running().is_empty(), "it is shown, not executed");
    assert!(request.choices.contains(&ApprovalAction::Version));
    run.try_say(ApprovalAction::Version, |decision| decision.version = Some(PlanVersion(1))).unwrap();
    assert_eq!(run.plan().task(&task_id("task_001")).unwrap().priority.get(), 10);
    run.try_say(ApprovalAction::Version, |decision| decision.version = Some(PlanVersion(2))).unwrap();
    assert_eq!(run.plan().task(&task_id("task_001")).unwrap().priority.get(), 3);
}

#[test]
fn a_plan_that_cannot_be_made_is_an_answer_and_not_the_end() {
    // spec: orchestrator IP-06
    let mut run = shown();
    say(&mut run, ApprovalAction::Regenerate);
    let attempt = run.phase_attempt(Phase::Planning);
    run.take(Input::PhaseFailed { phase: Phase::Planning, attempt, reason: "no agents".to_owned() });
    assert!(run.shown().1.reply.unwrap().contains("no agents"));
    say(&mut run, ApprovalAction::Modify);
    let (mut plan, agents) = (plan_that("Recommend"), fixtures::full_registry());
    plan.subtasks.clear();
    let (categories, calibration) = (Vec::new(), CalibrationMetrics::default());
    let empty = Proposal { plan, agents, categories, calibration, brief: None, added: Vec::new() };
    run.phase_done(Phase::Planning, PhaseResult::Plan(empty));
    assert!(run.shown().1.reply.unwrap().contains("would not stand"));
    assert_eq!(version(&run), 1, "the plan that there was is shown again");
    say(&mut run, ApprovalAction::Approve);
    assert_eq!(run.started(), ["task_001", "task_003"]);
}

#[test]
fn planning_that_takes_too_long_in_a_talk_is_given_up() {
    let mut run = shown();
    run.pass(3600.0);
    say(&mut run, ApprovalAction::Regenerate);
    let attempt = run.phase_attempt(Phase::Planning);
    run.wait(1.0);
    assert_eq!(run.at_work(), [Phase::Planning], "the time in which people think is not planning's");
    run.wait(60.0);
    assert!(run.shown().1.reply.unwrap().contains("longer than"));
    let late =
        run.try_take(Input::PhaseFailed { phase: Phase::Planning, attempt, reason: "late".to_owned() });
    assert!(matches!(late, Err(Refusal::StalePhase { .. })));
    assert_eq!(run.state.status(), RunStatus::WaitingHuman);
}

#[test]
fn a_locked_plan_cannot_be_edited() {
    // spec: orchestrator IP-10 PH-12
    let mut run = shown();
    let gate = run.question().0;
    say(&mut run, ApprovalAction::Approve);
    let version = run.plan();
    let decision = HumanApprovalDecision {
        comments: "more museums".to_owned(),
        ..HumanApprovalDecision::new(paris_plan().plan_id, ApprovalAction::Modify)
    };
    let refusal = run.try_take(Input::Answered { gate, answer: Answer::Approval(decision) });
    assert!(matches!(refusal, Err(Refusal::UnknownGate { .. })));
    let stale = run.try_take(Input::PhaseDone {
        phase: Phase::Planning,
        attempt: 1,
        report: Box::new(candor_testkit::scenario::phase_report(PhaseResult::Reply("late".to_owned()))),
    });
    assert!(matches!(stale, Err(Refusal::StalePhase { .. })));
    assert_eq!(run.plan(), version);
    let to = run.state.after_phase(Some(Phase::Decomposition)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    run.stop_all();
    propose(&mut run, "Recommend museums");
    assert!(run.shown().0 > PlanVersion(1), "a change takes a rollback and a new version");
}

#[test]
fn a_plan_that_was_talked_about_is_shown_even_when_it_is_sure() {
    // spec: orchestrator IP-07
    let mut run = shown();
    say(&mut run, ApprovalAction::Regenerate);
    run.propose(paris_plan());
    assert!(run.running().is_empty());
    assert!(matches!(run.question().1, Question::Approval { .. }));
}

#[test]
fn a_revision_during_the_work_is_decided_on_and_not_talked_about() {
    // spec: orchestrator IP-10
    let mut run = shown();
    say(&mut run, ApprovalAction::Approve);
    run.fail("task_001", "Agent timeout after 10s");
    let (_, request) = run.shown();
    assert_eq!(request.choices, [ApprovalAction::Approve, ApprovalAction::Adjust, ApprovalAction::Reject]);
    let refusal = run.try_say(ApprovalAction::Ask, |decision| decision.comments = "why?".to_owned());
    assert!(matches!(refusal, Err(Refusal::NotOffered { .. })));
}

#[test]
fn other_words_forget_what_was_said_of_the_old_plan() {
    // spec: orchestrator SM-06
    let mut run = shown();
    say(&mut run, ApprovalAction::Modify);
    let (plan, agents) = (plan_that("Recommend"), fixtures::full_registry());
    let (categories, calibration) = (Vec::new(), CalibrationMetrics::default());
    let proposal = Proposal { plan, agents, categories, calibration, brief: None, added: Vec::new() };
    run.phase_says(Phase::Planning, PhaseResult::Plan(proposal), |report| {
        report.handoff.flags.blockers.push("no guide speaks French".to_owned());
    });
    run.choose("reword", "Plan a trip to Rome");
    assert!(run.state.shown_plans().is_empty() && run.state.talk().is_none());
    run.guard();
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    run.phase_done(Phase::Context, PhaseResult::Plain);
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    run.propose(paris_plan());
    assert_eq!(run.started(), ["task_001", "task_003"], "nobody has said anything to this plan");
}

#[test]
fn what_is_shown_after_going_back_is_the_plan_of_then() {
    // spec: orchestrator SM-07
    let mut run = shown();
    say(&mut run, ApprovalAction::Approve);
    let to = run.state.after_phase(Some(Phase::Planning)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    run.stop_all();
    assert_eq!(run.shown().1.brief, Some(Box::new(phase_fixtures::brief())));
    say(&mut run, ApprovalAction::Ask);
    run.phase_done(Phase::Planning, PhaseResult::Reply("because".to_owned()));
    say(&mut run, ApprovalAction::Approve);
    assert_eq!(run.started(), ["task_001", "task_003"]);
}
