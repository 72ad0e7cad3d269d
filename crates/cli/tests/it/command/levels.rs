//! How much a run tells: at most 15 lines for four tasks, the result only, or everything.

use crate::support::{Candor, PARIS, QUICK};

#[test]
fn a_run_of_four_tasks_takes_at_most_15_lines() {
    // spec: findings UX-01
    let candor = Candor::new();
    let usual = candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let lines: Vec<&str> = usual.stdout.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(lines.len() <= 15, "{}", usual.stdout);
    usual.shows(&["Plan with 4 tasks", "Flight search done", "Budget check done", "Goal reached"]);
    let all = candor.run(["run", PARIS, "--run-id", "run_2", "-v"]).ended_with(0);
    all.shows(&["Decomposition:", "Flight search started", "Goal reached"]);
}

#[test]
fn quiet_tells_the_result_and_what_went_wrong_for_good() {
    // spec: findings UX-01
    let candor = Candor::new();
    let said = candor.run(["run", PARIS, "-q"]).ended_with(0);
    assert!(!said.stdout.contains("Flight search done"), "{}", said.stdout);
    said.shows(&["Goal reached"]);
    let candor = Candor::with_config(QUICK);
    let said = candor.run(["run", PARIS, "-q", "--unattended", "--fault", "hotel_agent=error"]);
    said.ended_with(1).shows(&["Hotel search failed"]);
    candor.run(["run", PARIS, "-q", "-v"]).ended_with(2);
}
