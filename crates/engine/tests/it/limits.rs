//! Limits: revisions, confidence, money, time; each ends the run with its own kind of error and a way forward.

use candor_engine::{Input, PhaseResult, Refusal};
use candor_model::{
    Account, ApprovalAction, CheckpointId, ErrorKind, EventBody, FeedbackType, Notification, Payee, Phase,
    PlanningError, RunSettings, RunStatus, TaskStatus, Transience,
};
use candor_testkit::fixtures::{self, dollars, feedback, paris_plan, plan_of, simple_task, task_id};
use candor_testkit::scenario::Scenario;

fn aborted_with(run: &Scenario) -> Option<(PlanningError, String)> {
    run.last.iter().find_map(|body| match body {
        EventBody::RunAborted { error, suggestion, .. } => {
            Some((PlanningError::clone(error), suggestion.clone()))
        }
        _ => None,
    })
}

/// So many tasks that do not need each other, each with an agent and another one that fits.
fn with_backups(count: usize, confidence: f64) -> candor_model::Plan {
    let tasks = (1..=count).map(|n| {
        let mut task = simple_task(n, "Search flights", &[], "flight_agent");
        task.metadata.ranking = paris_plan().subtasks[0].metadata.ranking.clone();
        task
    });
    plan_of(tasks.collect(), confidence)
}

fn unattended() -> RunSettings {
    RunSettings { unattended: true, ..RunSettings::default() }
}

#[test]
fn a_fourth_revision_is_refused_and_the_person_is_told_what_to_do() {
    // spec: planning AB-01 AB-02 AB-03 WF-07
    let mut run = Scenario::of(with_backups(4, 1.0), unattended());
    for n in 1..=3 {
        run.fail(&format!("task_00{n}"), "Error 1");
        assert_eq!(run.plan().metadata.revisions_made(), n);
    }
    run.fail("task_004", "Error 9");
    // spec: findings RC-06
    assert_eq!(run.running().len(), 3, "what does not need the failed task goes on");
    for n in 1..=3 {
        run.succeed(&format!("task_00{n}_retry"));
    }
    let (error, suggestion) = aborted_with(&run).unwrap();
    assert_eq!(error.kind(), ErrorKind::MaxRevisionsExceeded);
    assert!(error.to_string().contains("Error 9") && error.to_string().contains('3'));
    assert!(!suggestion.is_empty());
    assert!(run.told().iter().any(|notice| matches!(notice, Notification::Announcement(_))));
    let done = run.plan().subtasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
    assert_eq!(done, 3, "what succeeded is kept");
}

#[test]
fn a_large_plan_may_be_revised_once_for_every_four_of_its_tasks() {
    // spec: findings RC-06
    let settings = RunSettings { max_parallel_tasks: 40, ..unattended() };
    let mut run = Scenario::of(with_backups(20, 1.0), settings);
    for n in 1..=5 {
        run.fail(&format!("task_{n:03}"), "Error 1");
        assert_eq!(run.plan().metadata.revisions_made(), n);
    }
    run.fail("task_006", "Error 1");
    assert_eq!(run.plan().metadata.revisions_made(), 5);
}

#[test]
fn at_a_limit_a_person_is_asked_where_one_is_there() {
    let mut run = Scenario::of(with_backups(4, 1.0), RunSettings::default());
    for n in 1..=4 {
        run.fail(&format!("task_00{n}"), "Error 1");
    }
    let (_, candor_model::Question::Guidance(request)) = run.question() else { panic!("nobody is asked") };
    assert_eq!(request.task_id, task_id("task_004"));
    let actions = request.suggested_actions.join("\n");
    assert!(actions.contains("backup_flight_agent") && actions.contains("Skip"), "{actions}");
    run.guide(candor_model::GuidanceAction::Retry, Some("backup_flight_agent"));
    for task in ["task_001_retry", "task_002_retry", "task_003_retry", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn a_person_may_leave_a_task_out_at_the_limit() {
    let settings = RunSettings { max_revisions: 0, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.fail("task_001", "Error 1");
    run.guide(candor_model::GuidanceAction::Skip, None);
    assert_eq!(run.started(), ["task_002"], "what needs it does without");
    for task in ["task_002", "task_003", "task_004"] {
        run.succeed(task);
    }
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn what_failed_is_tried_again_when_an_ended_run_is_resumed() {
    let mut run = Scenario::of(paris_plan(), unattended());
    run.fail("task_003", "the disk is full");
    run.succeed("task_001");
    run.succeed("task_002");
    assert_eq!(aborted_with(&run).unwrap().0.kind(), ErrorKind::Unrecovered);
    assert_eq!(run.state.status(), RunStatus::Aborted);
    run.take(Input::Resume);
    assert_eq!(run.started(), ["task_003"], "what succeeded is not done again");
    // It has a fresh budget of repetitions.
    run.fail_for_now("task_003", "busy");
    run.wait(2.0);
    assert_eq!(run.started(), ["task_003"]);
    run.succeed("task_003");
    run.succeed("task_004");
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
    assert!(matches!(run.try_take(Input::Resume), Err(Refusal::Ended { .. })), "all of it is done");
}

#[test]
fn another_plan_counts_the_attempts_of_the_one_before() {
    // spec: beyond BY-01
    let settings = RunSettings { approval_threshold: fixtures::confidence(0.8), ..RunSettings::default() };
    let mut run = Scenario::of(plan_of(paris_plan().subtasks, 0.6), settings);
    run.decide_on_plan(ApprovalAction::Approve, Vec::new());
    run.fail("task_003", "the disk is full");
    run.guide(candor_model::GuidanceAction::Abort, None);
    run.stop_all();
    assert_eq!(run.state.status(), RunStatus::Aborted);
    run.take(Input::Resume);
    run.try_say(ApprovalAction::Regenerate, |decision| decision.comments = "anew".to_owned()).unwrap();
    run.propose(paris_plan());
    run.decide_on_plan(ApprovalAction::Approve, Vec::new());
    assert_eq!(run.attempt("task_001"), 2, "no key of an attempt stands for two");
}

#[test]
fn a_plan_that_revisions_made_too_unsure_is_given_up() {
    // spec: planning AB-04 WF-07
    let settings = RunSettings { approval_threshold: candor_model::Confidence::NONE, ..unattended() };
    let mut run = Scenario::of(with_backups(4, 0.35), settings);
    run.fail("task_001", "Error 1");
    assert_eq!(run.state.confidence(), Some(fixtures::confidence(0.25)));
    run.fail("task_002", "Error 2");
    for task in ["task_001_retry", "task_003", "task_004"] {
        run.succeed(task);
    }
    let (error, _) = aborted_with(&run).unwrap();
    assert_eq!(error.kind(), ErrorKind::LowConfidenceError);
    assert_eq!(error.to_string(), "Plan confidence 0.25 too low after 1 revisions. Aborting.");
}

#[test]
fn planning_that_costs_too_much_is_aborted_with_what_there_is() {
    // spec: planning BC-04 BC-05 BC-06 BC-07 WF-07
    let mut run = Scenario::start(RunSettings::default());
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    let mut spend = |what: &str, dollars_spent: f64| {
        let (account, amount) = (Account::Planning, dollars(dollars_spent));
        run.take(Input::Spent { account, payee: Payee::Other(what.to_owned()), amount });
    };
    spend("parse_goal", 0.002);
    spend("decompose_task", 0.005);
    spend("decompose_task", 0.0055);
    let (error, _) = aborted_with(&run).unwrap();
    assert_eq!(
        error.to_string(),
        "Planning cost $0.0125 exceeds budget $0.01. Consider simplifying goal or increasing budget."
    );
    let PlanningError::PlanningBudgetExceeded { partial, .. } = error else { panic!("{error}") };
    assert!(partial.goal.is_some());
    assert_eq!(run.state.effects().count(), 0, "no phase goes on working");
    let refusal =
        run.try_take(Input::PhaseFailed { phase: Phase::Context, attempt: 1, reason: String::new() });
    assert!(matches!(refusal, Err(Refusal::Ended { status: RunStatus::Aborted })));
}

#[test]
fn a_budget_spent_exactly_is_not_exceeded() {
    // spec: planning BC-02
    let mut run = Scenario::start(RunSettings::default());
    let payee = Payee::Other("x".to_owned());
    run.take(Input::Spent { account: Account::Planning, payee, amount: dollars(0.01) });
    assert_eq!(run.state.status(), RunStatus::Preparing);
}

#[test]
fn planning_that_takes_too_long_is_cancelled() {
    // spec: planning WF-07 WF-08
    let mut run = Scenario::start(RunSettings::default());
    run.wait(2.9);
    assert!(run.last.is_empty());
    run.wait(0.1);
    assert_eq!(aborted_with(&run).unwrap().0.kind(), ErrorKind::PlanningTimeout);
}

#[test]
fn a_plan_with_a_cycle_that_cannot_be_repaired_never_reaches_an_agent() {
    // spec: planning PV-01 WF-07
    let tasks = vec![
        simple_task(1, "Do", &[2, 3], "hotel_agent"),
        simple_task(2, "Do", &[1, 3], "hotel_agent"),
        simple_task(3, "Do", &[1, 2], "hotel_agent"),
    ];
    let run = Scenario::of(plan_of(tasks, 0.9), RunSettings::default());
    let Some(EventBody::RunFailed { error, .. }) = run.last.last() else { panic!("{:?}", run.last) };
    assert_eq!(error.kind(), ErrorKind::PlanValidationError);
    assert!(run.running().is_empty());
}

#[test]
fn a_repaired_cycle_is_put_on_record() {
    let tasks = vec![
        simple_task(1, "Search flights", &[], "flight_agent"),
        simple_task(2, "Find hotels", &[1, 4], "hotel_agent"),
        simple_task(3, "Recommend activities", &[], "activity_agent"),
        simple_task(4, "Validate total cost", &[1, 2, 3], "validation_agent"),
    ];
    let run = Scenario::of(plan_of(tasks, 0.9), RunSettings::default());
    assert_eq!(run.started(), ["task_001", "task_003"]);
    assert!(
        run.last.iter().any(
            |body| matches!(body, EventBody::DecisionMade { entry } if entry.operation == "repair_plan")
        )
    );
    assert_eq!(run.state.confidence(), Some(fixtures::confidence(0.9)), "repairs cost no confidence");
}

#[test]
fn a_cap_on_money_is_reserved_before_each_call() {
    // spec: beyond BY-06 BY-08 BY-28
    let settings = RunSettings { run_budget: Some(dollars(0.025)), ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    assert_eq!(run.started(), ["task_001"], "the flight's $0.02 leave too little for the activities' $0.01");
    let mut answer = feedback(1, FeedbackType::Success, &[]);
    answer.cost = dollars(0.005);
    run.report("task_001", answer);
    assert_eq!(run.started(), ["task_002"], "less was spent than was set aside");
    let mut answer = feedback(1, FeedbackType::Success, &[]);
    answer.cost = dollars(0.015);
    run.report("task_002", answer);
    let (error, suggestion) = aborted_with(&run).unwrap();
    assert_eq!(error.kind(), ErrorKind::RunBudgetExceeded);
    assert!(!suggestion.is_empty());
    assert_eq!(run.state.spent(), dollars(0.02));
    // The results so far are kept, and the run can go on from the last checkpoint with more money.
    let to = run.state.checkpoints().last().unwrap().id;
    run.take(Input::RollBack { to, run_budget: Some(dollars(1.0)) });
    assert_eq!(run.state.status(), RunStatus::Executing);
}

#[test]
fn a_late_tick_starts_what_was_waited_for() {
    // The cheap task is due first and fits beside the one at work; the dear one, due later, comes first and does
    // not. A tick in time and a late one start the same.
    let start = || {
        let settings = RunSettings { run_budget: Some(dollars(0.04)), ..RunSettings::default() };
        let tasks: Vec<_> = ["flight_agent", "transportation_agent", "hotel_agent"]
            .iter()
            .enumerate()
            .map(|(n, agent)| simple_task(n + 1, "Do a step", &[], agent))
            .collect();
        let mut run = Scenario::of(plan_of(tasks, 0.9), settings);
        assert_eq!(run.running(), ["task_001", "task_002", "task_003"]);
        run.fail_for_now("task_002", "busy");
        run.pass(0.5);
        let mut answer = feedback(1, FeedbackType::Failure, &["busy"]);
        answer.cost = dollars(0.01);
        answer.failure = answer.failure.map(|failure| failure.with_transience(Transience::Transient));
        run.report("task_001", answer);
        run
    };
    for late in [1.0, 9.0] {
        let mut run = start();
        let due = run.state.next_timeout();
        assert!(due.is_some_and(|at| at <= run.now.plus(fixtures::seconds(late))), "{due:?}");
        run.wait(late);
        assert_eq!(run.started(), ["task_002"], "after {late} s");
        assert_ne!(run.state.next_timeout(), due);
    }
}

#[test]
fn an_agent_that_costs_more_than_is_left_stops_the_run() {
    let settings = RunSettings { run_budget: Some(dollars(0.05)), ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    let mut answer = feedback(1, FeedbackType::Success, &[]);
    answer.cost = dollars(0.5);
    run.report("task_001", answer);
    assert!(run.last.iter().any(|body| matches!(body, EventBody::BudgetExceeded { .. })));
    assert_eq!(run.state.status(), RunStatus::Stopping);
    assert!(run.started().is_empty());
}

#[test]
fn what_is_spent_after_the_end_is_still_counted() {
    let mut run = Scenario::start(RunSettings::default());
    run.take(Input::Cancel { reason: "enough".to_owned() });
    run.take(Input::Spent {
        account: Account::Execution,
        payee: Payee::Other("late bill".to_owned()),
        amount: dollars(0.5),
    });
    assert_eq!(run.state.spent(), dollars(0.5));
    assert_eq!(run.state.status(), RunStatus::Cancelled);
    let to = CheckpointId(7);
    let refusal = run.try_take(Input::RollBack { to, run_budget: None }).unwrap_err();
    assert!(refusal.to_string().contains("start"), "the error lists the points there are: {refusal}");
    assert!(run.try_take(Input::AgentStopped { task_id: task_id("task_001"), attempt: 1 }).is_err());
}

#[test]
fn an_agent_gets_no_more_at_once_than_it_takes_on() {
    let tasks: Vec<_> = (1..=5)
        .map(|n| simple_task(n, "Do a step", &[], if n == 4 { "flight_agent" } else { "hotel_agent" }))
        .collect();
    let mut agents = fixtures::full_registry();
    for agent in agents.iter_mut().filter(|agent| agent.agent_type.as_str() == "hotel_agent") {
        agent.max_concurrent = Some(2);
    }
    let mut run = Scenario::start(RunSettings::default());
    run.prepare();
    let calibration = candor_model::CalibrationMetrics::default();
    let plan = plan_of(tasks, 0.9);
    let proposal = candor_planning::validation::Proposal {
        plan,
        agents,
        categories: Vec::new(),
        calibration,
        brief: None,
        added: Vec::new(),
    };
    run.phase_done(Phase::Planning, PhaseResult::Plan(proposal));
    assert_eq!(run.running(), ["task_001", "task_002", "task_004"], "others go past those that must wait");
    run.succeed("task_001");
    assert_eq!(run.running(), ["task_002", "task_003", "task_004"]);
    run.succeed("task_004");
    assert_eq!(run.running(), ["task_002", "task_003"]);
    run.succeed("task_002");
    run.succeed("task_003");
    run.succeed("task_005");
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn a_machine_without_resources_slows_down_and_nobody_has_failed() {
    // spec: findings RC-17
    let tasks = (1..=6).map(|n| simple_task(n, "Do a step", &[], "hotel_agent")).collect();
    let mut run = Scenario::of(plan_of(tasks, 0.9), RunSettings::default());
    let short = |run: &mut Scenario, task: &str| {
        let reason = "cannot start `agent`: Too many open files".to_owned();
        let attempt = run.attempt(task);
        run.take(Input::AgentNotStarted { task_id: task_id(task), attempt, reason });
    };
    short(&mut run, "task_005");
    let told: Vec<_> = run.told().into_iter().cloned().collect();
    let Some(Notification::Announcement(notice)) = told.first() else { panic!("{told:?}") };
    assert!(notice.title.contains("resources") && notice.text.contains("Too many open files"), "{notice:?}");
    short(&mut run, "task_006");
    assert!(run.told().is_empty(), "it is told once");
    run.wait(3.0);
    assert!(run.started().is_empty(), "four at once is what the machine bears");
    run.succeed("task_001");
    assert_eq!(run.started(), ["task_005"]);
    for task in ["task_002", "task_003", "task_004", "task_005", "task_006"] {
        run.succeed(task);
    }
    assert_eq!(run.count(|body| matches!(body, EventBody::TaskFailed { .. })), 0);
    run.close();
    assert_eq!(run.state.status(), RunStatus::Completed);
}
