//! The figures that were promised, over a batch of runs.
use candor_engine::Input;
use candor_model::{Account, CalibrationMetrics, Event, Payee, RunSettings};
use candor_planning::targets::{Target, TargetFigures};
use candor_testkit::fixtures::{dollars, paris_plan};
use candor_testkit::scenario::Scenario;

const PARIS: [&str; 4] = ["task_001", "task_003", "task_002", "task_004"];

fn well() -> Vec<Event> {
    let mut run = Scenario::paris();
    PARIS.iter().for_each(|task| _ = run.succeed(task));
    run.close();
    run.events()
}

/// The flight agent fails, and a backup does it.
fn revised() -> Vec<Event> {
    let mut run = Scenario::paris();
    run.fail("task_001", "Agent timeout after 10s");
    let retry = run.running().into_iter().find(|task| task.starts_with("task_001")).unwrap();
    run.succeed(&retry);
    run.succeed("task_003");
    while let Some(task) = run.running().first().cloned() {
        run.succeed(&task);
    }
    run.close();
    run.events()
}

fn figure(figures: &TargetFigures, name: &str) -> Target {
    let all = figures.targets(&CalibrationMetrics::default());
    all.into_iter().find(|target| target.name == name).unwrap()
}

#[test]
fn figures_are_measured_over_runs_and_held_against_what_was_promised() {
    // spec: planning QT-01 QT-02 QT-03 QT-04
    let mut figures = TargetFigures::default();
    assert!(figures.targets(&CalibrationMetrics::default()).iter().all(|target| target.value.is_none()));
    for _ in 0..8 {
        figures.add_run(&well());
    }
    figures.add_run(&revised());
    figures.add_run(&revised());
    let revised = figure(&figures, "plans_revised");
    assert_eq!((revised.value, revised.met), (Some(0.2), Some(false)), "two of ten are one too many");
    let saved = figure(&figures, "revision_success_rate");
    assert_eq!((saved.value, saved.met), (Some(1.0), Some(true)));
    assert_eq!(figure(&figures, "revision_limit_reached").value, Some(0.0));
    assert_eq!(figure(&figures, "agent_assignment_accuracy").value, Some(1.0 - 2.0 / 40.0));
    assert!(figure(&figures, "replanning_p95_seconds").met.unwrap());
    assert!(figure(&figures, "planning_cycle_p95_seconds").met.unwrap());
    assert_eq!(figure(&figures, "dependency_accuracy").value, Some(1.0));
}

#[test]
fn a_limit_that_was_reached_and_money_that_was_spent_are_told() {
    // spec: planning QT-03 QT-04
    let mut run = Scenario::of(
        paris_plan(),
        RunSettings { max_revisions: 0, unattended: true, ..RunSettings::default() },
    );
    run.fail("task_001", "Agent timeout after 10s");
    run.succeed("task_003");
    let mut figures = TargetFigures::default();
    figures.add_run(&run.events());
    let limit = figure(&figures, "revision_limit_reached");
    assert_eq!((limit.value, limit.met), (Some(1.0), Some(false)));
    let mut run = Scenario::start(RunSettings::default());
    for (operation, cost) in [("decompose_task", 0.005), ("route_task", 0.002)] {
        let payee = Payee::Call { operation: operation.to_owned(), model: "test".to_owned() };
        run.take(Input::Spent { account: Account::Planning, payee, amount: dollars(cost) });
    }
    run.prepare();
    run.propose(paris_plan());
    let mut figures = TargetFigures::default();
    figures.add_run(&run.events());
    assert_eq!(figure(&figures, "planning_cost_per_plan").value, Some(0.007));
    assert_eq!(figure(&figures, "routing_cost_per_task").value, Some(0.002 / 4.0));
    assert_eq!(figure(&figures, "cost_per_run").met, None, "nothing is promised");
}
