//! Questions to models: money before the call, the answer on the log before its use, every step down told.

use candor_engine::{Input, PhaseResult, Refusal};
use candor_model::{
    AskKey, AskStep, EventBody, ModelErrorKind, Money, Notification, Phase, RunSettings, RunStatus, Seconds,
};
use candor_testkit::consulting::{
    accepted, answered, ask, consulted, consulting, failed, fall_back, give_up,
};
use candor_testkit::fixtures;
use candor_testkit::scenario::Scenario;

fn started() -> Scenario {
    Scenario::start(RunSettings::default())
}

fn count(run: &Scenario, matches: impl Fn(&EventBody) -> bool) -> usize {
    run.events().iter().filter(|event| matches(&event.body)).count()
}

#[test]
fn an_answer_is_on_the_log_with_what_it_cost_and_a_resumed_run_still_has_it() {
    // spec: planning BC-01; beyond BY-12
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 4_000));
    run.take(consulted(&key, 1, Some(answered("{\"destination\":\"Paris\"}", 2_000)), accepted()));
    assert_eq!(run.state.spent().micros(), 2_000);
    assert_eq!(run.state.open_calls().count(), 0);
    run.take(Input::TakenUp);
    assert!(run.state.consulted(&key)[0].outcome.is_final(), "nothing is asked again");
    let bill = &run.state.bills()[0];
    assert_eq!((bill.0.to_string().as_str(), bill.1.micros()), ("parse_goal by acme/medium", 2_000));
}

#[test]
fn what_calls_side_by_side_can_cost_is_set_aside_before_they_are_made() {
    // spec: planning BC-02; beyond BY-06 BY-28
    let mut run = started();
    let (first, second) = (ask(Phase::Evaluation, "parse_goal"), ask(Phase::PreAnalysis, "look_up"));
    run.take(consulting(&first, 6_000));
    let refused = run.try_take(consulting(&second, 6_000));
    assert!(matches!(refused, Err(Refusal::NoMoney { .. })), "{refused:?}");
    assert_eq!(run.state.money_for_models().micros(), 4_000);
    run.take(consulted(&first, 1, Some(answered("{}", 1_000)), accepted()));
    run.take(consulting(&second, 6_000));
    let twice = run.try_take(consulting(&second, 1));
    assert!(matches!(twice, Err(Refusal::AlreadyAsked { .. })), "{twice:?}");
}

#[test]
fn the_runs_own_budget_counts_too() {
    let settings = RunSettings { run_budget: Some(Money::from_micros(3_000)), ..RunSettings::default() };
    let mut run = Scenario::start(settings);
    let refused = run.try_take(consulting(&ask(Phase::Evaluation, "parse_goal"), 3_001));
    assert!(matches!(refused, Err(Refusal::NoMoney { .. })), "{refused:?}");
    run.take(consulting(&ask(Phase::Evaluation, "parse_goal"), 3_000));
}

#[test]
fn a_bill_above_the_budget_ends_planning_with_what_was_spent_and_on_what() {
    // spec: planning BC-04 BC-05 BC-06
    let mut run = started();
    for (n, (step, cost)) in (1..).zip([("parse_goal", 2_000), ("decompose_task", 5_000), ("again", 5_500)]) {
        let key = ask(Phase::Evaluation, step);
        run.take(consulting(&key, 1_000));
        assert_eq!(run.state.status(), RunStatus::Preparing, "before call {n}");
        run.take(consulted(&key, 1, Some(answered("{}", cost)), accepted()));
    }
    assert_eq!(run.state.status(), RunStatus::Aborted);
    let told: Vec<String> = run
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::RunAborted { error, suggestion, .. } => Some(format!("{error}\n{suggestion}")),
            _ => None,
        })
        .collect();
    let text = "Planning cost $0.0125 exceeds budget $0.01. Consider simplifying goal or increasing budget.";
    assert!(told[0].contains(text), "{told:?}");
    assert!(told[0].contains("decompose_task by acme/medium $0.0050"), "{told:?}");
    let late = run.try_take(consulting(&ask(Phase::Evaluation, "more"), 1));
    assert!(late.is_err(), "no call is made after that");
}

#[test]
fn every_step_down_is_told_and_the_level_only_rises() {
    // spec: orchestrator ER-09 DG-02 DG-04 DG-05 DG-06 DG-07 FD-01; beyond BY-25
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 1_000));
    run.take(consulted(&key, 1, Some(failed(ModelErrorKind::Auth)), fall_back("auth: no key")));
    assert!(
        run.last.iter().any(|body| matches!(body, EventBody::FellBack { from, to, .. }
        if from == "the balanced tier (acme/medium)" && to == "the fast tier")),
        "{:?}",
        run.last
    );
    assert!(run.last.iter().any(|body| matches!(body, EventBody::Degraded { level: 1, .. })));
    run.take(consulted(&key, 2, None, give_up("no tier answers")));
    assert!(
        run.last.iter().any(|body| matches!(body, EventBody::PhaseDegraded { phase: Phase::Evaluation, .. }))
    );
    assert!(run.last.iter().any(|body| matches!(body, EventBody::Degraded { level: 2, .. })));
    let notified = run.last.iter().any(|body| match body {
        EventBody::Notified { notification } => {
            matches!(&**notification, Notification::Announcement(text) if text.text.contains("parse_goal") && text.suggestion.is_some())
        }
        _ => false,
    });
    assert!(notified, "people are told: {:?}", run.last);
    // The rules' result counts as the phase's own.
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    run.phase_done(Phase::Context, PhaseResult::Plain);
    let key = ask(Phase::Decomposition, "decompose_task");
    run.take(consulted(&key, 1, None, give_up("no tier answers")));
    assert_eq!(run.state.degradation().level, 3);
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    run.propose(fixtures::paris_plan());
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
    let plan = run.state.plan().unwrap();
    let degradation = plan.metadata.execution_report.unwrap().degradation.unwrap();
    assert_eq!((degradation.level, degradation.degraded_output), (3, true));
    assert_eq!(degradation.failed_components.len(), 3, "{:?}", degradation.failed_components);
}

#[test]
fn a_phase_that_neither_models_nor_rules_can_do_is_the_lowest_level() {
    // spec: orchestrator DG-09
    let mut run = started();
    run.take(consulted(&ask(Phase::Evaluation, "parse_goal"), 1, None, give_up("all down")));
    run.take(Input::PhaseFailed { phase: Phase::Evaluation, attempt: 1, reason: "nothing found".to_owned() });
    assert!(run.last.iter().any(|body| matches!(body, EventBody::Degraded { level: 5, .. })));
    assert_eq!(run.state.status(), RunStatus::Failed);
}

#[test]
fn a_call_that_a_dead_process_made_may_have_been_paid() {
    // spec: beyond BY-28
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 6_000));
    run.take(Input::TakenUp);
    assert_eq!(run.state.open_calls().count(), 0);
    assert!(matches!(run.state.consulted(&key)[0].outcome, AskStep::Repeat { .. }));
    assert_eq!(run.state.money_for_models().micros(), 4_000, "it stays set aside");
    run.take(consulting(&key, 4_000));
    run.take(consulted(&key, 2, Some(answered("{}", 1_000)), accepted()));
    assert_eq!(run.state.spent().micros(), 1_000, "only what is known is called spent");
}

#[test]
fn an_answer_that_comes_too_late_or_twice_is_paid_but_not_used() {
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 4_000));
    run.take(consulted(&key, 1, Some(answered("{}", 500)), accepted()));
    let twice = run.try_take(consulted(&key, 1, Some(answered("{}", 500)), accepted()));
    assert!(matches!(twice, Err(Refusal::StaleAsk { .. })), "{twice:?}");
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    run.take(consulted(&key, 1, Some(answered("{}", 700)), accepted()));
    assert_eq!(run.state.spent().micros(), 1_200);
    assert_eq!(count(&run, |body| matches!(body, EventBody::ModelConsulted { .. })), 1);
}

#[test]
fn whoever_is_left_in_peace_gets_no_new_task_and_that_is_a_step_down() {
    // spec: orchestrator ER-02; beyond BY-26
    let mut run = started();
    run.prepare();
    let agent_type = fixtures::full_registry()[0].agent_type.clone();
    let until = run.now.plus(Seconds::whole(30));
    let opened = Some(("three failures".to_owned(), until));
    run.take(Input::Breaker { agent_type: agent_type.clone(), opened: opened.clone() });
    run.take(Input::Breaker { agent_type: agent_type.clone(), opened });
    assert_eq!(count(&run, |body| matches!(body, EventBody::BreakerOpened { .. })), 1, "told once");
    run.propose(fixtures::paris_plan());
    assert!(
        run.last
            .iter()
            .any(|body| matches!(body, EventBody::FellBack { from, .. } if *from == agent_type.to_string())),
        "{:?}",
        run.last
    );
    assert_eq!(run.state.degradation().level, 1);
    run.take(Input::Breaker { agent_type, opened: None });
    assert!(run.state.open_circuits().is_empty());
}

#[test]
fn a_wait_between_calls_is_part_of_the_log() {
    // spec: orchestrator ER-07
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 100));
    let repeat =
        AskStep::Repeat { number: 1, max: 3, delay: Seconds::whole(1), reason: "timeout".to_owned() };
    run.take(consulted(&key, 1, Some(failed(ModelErrorKind::Timeout)), repeat.clone()));
    let logged = run.events().into_iter().any(|event| match event.body {
        EventBody::ModelConsulted { step, .. } => step.outcome == repeat,
        _ => false,
    });
    assert!(logged && run.state.degradation().level == 0);
}

#[test]
fn a_task_that_only_a_resting_agent_can_do_waits_and_then_one_at_a_time_is_tried() {
    // spec: orchestrator ER-03 ER-04
    let mut run = started();
    run.prepare();
    let worker = fixtures::full_registry()[0].agent_type.clone();
    let until = run.now.plus(Seconds::whole(30));
    run.take(Input::Breaker { agent_type: worker.clone(), opened: Some(("down".to_owned(), until)) });
    let tasks =
        (1..=3).map(|n| fixtures::simple_task(n, &format!("Search flights {n}"), &[], worker.as_str()));
    run.propose(fixtures::plan_of(tasks.collect(), 0.9));
    let dispatched = |run: &Scenario| count(run, |body| matches!(body, EventBody::TaskDispatched { .. }));
    assert_eq!(dispatched(&run), 0, "nobody else can do it");
    assert_eq!(run.state.next_timeout(), Some(until), "it is not forgotten");
    run.wait(30.0);
    assert_eq!(dispatched(&run), 1, "one finds out whether it works again");
    run.succeed("task_001");
    assert_eq!(dispatched(&run), 2);
    run.take(Input::Breaker { agent_type: worker, opened: None });
    assert_eq!(dispatched(&run), 3, "all of them, once it does");
}

#[test]
fn what_has_its_answer_is_not_asked_again() {
    // spec: beyond BY-12
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 1_000));
    run.take(consulted(&key, 1, Some(answered("{}", 500)), accepted()));
    let again = run.try_take(consulting(&key, 1_000));
    assert!(matches!(again, Err(Refusal::StaleAsk { .. })), "{again:?}");
    let on = run.try_take(consulted(&key, 2, None, give_up("no tier answers")));
    assert!(matches!(on, Err(Refusal::StaleAsk { .. })), "{on:?}");
}

#[test]
fn a_call_that_nobody_waits_for_any_more_may_still_be_paid() {
    // spec: beyond BY-28
    let mut run = started();
    let key = ask(Phase::Evaluation, "parse_goal");
    run.take(consulting(&key, 6_000));
    run.take(Input::Restart { prompt: None });
    assert_eq!(run.state.open_calls().count(), 0);
    assert_eq!(run.state.money_for_models().micros(), 4_000, "it stays set aside");
    run.take(Input::Cancel { reason: "enough".to_owned() });
    run.take(consulted(&key, 1, Some(answered("{}", 2_000)), accepted()));
    assert_eq!(run.state.spent().micros(), 2_000, "it was paid, also after the end");
}

#[test]
fn a_run_that_has_ended_during_a_call_is_taken_up_without_a_word() {
    let mut run = started();
    run.take(consulting(&ask(Phase::Evaluation, "parse_goal"), 6_000));
    run.take(Input::Cancel { reason: "enough".to_owned() });
    run.take(Input::TakenUp);
    assert_eq!(count(&run, |body| matches!(body, EventBody::ModelConsulted { .. })), 0);
}

#[test]
fn a_ready_task_whose_agent_rests_keeps_no_other_from_starting() {
    let mut run = Scenario::start(RunSettings { max_parallel_tasks: 1, ..RunSettings::default() });
    run.prepare();
    let agents = fixtures::full_registry();
    let (resting, awake) = (agents[0].agent_type.clone(), agents[1].agent_type.clone());
    let until = run.now.plus(Seconds::whole(30));
    run.take(Input::Breaker { agent_type: resting.clone(), opened: Some(("down".to_owned(), until)) });
    let tasks = [(1, &resting), (2, &awake)]
        .map(|(n, agent)| fixtures::simple_task(n, &format!("Search flights {n}"), &[], agent.as_str()));
    run.propose(fixtures::plan_of(tasks.to_vec(), 0.9));
    assert_eq!(count(&run, |body| matches!(body, EventBody::TaskDispatched { .. })), 1, "{:?}", run.last);
}

#[test]
fn nobody_waits_for_a_model_that_was_asked_about_a_task_that_is_done_again() {
    // spec: beyond BY-06
    let settings = RunSettings { unattended: true, revise_with_model: true, ..RunSettings::default() };
    let mut tasks = fixtures::paris_plan().subtasks;
    for later in &mut tasks[1..] {
        later.dependencies = vec![fixtures::task_id("task_001")];
    }
    let mut run = Scenario::of(fixtures::plan_of(tasks, 0.9), settings);
    run.succeed("task_001");
    run.fail("task_003", "the disk is full");
    let about = AskKey { attempt: 1, ..ask(Phase::Execution, "revise") };
    run.take(consulting(&about, 1_000));
    run.report("task_004", fixtures::over_budget_feedback());
    let (task_id, proposal) = (fixtures::task_id("task_004"), Err("no model could answer".to_owned()));
    run.take(Input::Revised { task_id, number: 2, proposal });
    assert_eq!(run.state.open_calls().count(), 0);
    // It is under way all the same, and paid for when its bill comes.
    let before = run.state.spent().micros();
    run.take(consulted(&about, 1, Some(answered("{}", 700)), accepted()));
    assert_eq!(run.state.spent().micros(), before + 700);
}
