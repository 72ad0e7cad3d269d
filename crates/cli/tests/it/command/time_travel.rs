//! Pause, resume, cancel, rollback, restart.

use serde_json::{Value, json};

use crate::support::{ATTENDED, Candor, Events, GENERAL, PARIS, Said, VAGUE, until};

fn status(candor: &Candor) -> Value {
    candor.run(["status", "run_1", "--json"]).json()
}

/// A plan of two tasks for an agent that takes its time, until a file says that it may end.
fn slow_run() -> Candor {
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"worker\"\nspecialization = \"Does the thing\"\ncommand = [\"sh\", \"agent.sh\"]\n",
    );
    candor.write(
        "agent.sh",
        "echo $$ >> started; while [ ! -e go ]; do sleep 0.02; done; echo '{\"outputs\":{\"thing\":1}}'",
    );
    let task = |id: &str, needs: &[&str]| json!({"task_id": id, "description": "Do the thing", "agent_type": "worker", "dependencies": needs});
    candor.write("plan.json", json!({"subtasks": [task("a", &[]), task("b", &["a"])]}).to_string());
    candor
}

fn started(candor: &Candor) -> usize {
    std::fs::read_to_string(candor.path("started")).unwrap_or_default().lines().count()
}

#[test]
fn a_run_that_is_paused_finishes_what_runs_and_waits_and_resume_goes_on() {
    let candor = slow_run();
    let child = candor.start(["run", "--plan", "plan.json", "--run-id", "run_1"]);
    until("the first task runs", || started(&candor) == 1);
    candor.run(["pause", "run_1", "--reason", "lunch"]).ended_with(0).tells(&["candor resume run_1"]);
    candor.write("go", "");
    Said::of(child.wait_with_output().unwrap())
        .ended_with(3)
        .tells(&["paused", "candor resume run_1 --data data"]);
    assert_eq!(started(&candor), 1, "no new task begins");
    assert_eq!(status(&candor)["status"], "paused");
    let (said, events) = candor.events(&["resume", "run_1"]);
    said.ended_with(0);
    assert_eq!(events.dispatched(), ["b"], "what succeeded is not done again");
}

#[test]
fn a_run_that_is_cancelled_stops_its_agents_and_ends() {
    let candor = slow_run();
    let child = candor.start(["run", "--plan", "plan.json", "--run-id", "run_1"]);
    until("the first task runs", || started(&candor) == 1);
    candor.run(["cancel", "run_1", "--reason", "enough"]).ended_with(0).tells(&["run_1 is cancelled"]);
    let pid = std::fs::read_to_string(candor.path("started")).unwrap();
    assert!(
        !std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(),
        "cancel returns when all has stopped"
    );
    Said::of(child.wait_with_output().unwrap()).ended_with(1).tells(&["cancelled: enough"]);
    assert_eq!(status(&candor)["status"], "cancelled");
    candor.run(["resume", "run_1"]).refused(&["has ended", "candor rollback run_1", "candor restart run_1"]);
}

#[test]
fn a_run_that_waits_can_be_cancelled() {
    let candor = Candor::with_config(GENERAL);
    candor.run(["run", VAGUE, "--run-id", "run_1"]).ended_with(3);
    candor.run(["cancel", "run_1"]).ended_with(0).tells(&["run_1 is cancelled"]);
    candor.run(["cancel", "run_1"]).ended_with(2);
    candor.run(["pause", "run_1"]).ended_with(2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on_and_goes_on() {
    let candor = slow_run();
    let child = candor.start(["run", "--plan", "plan.json", "--run-id", "run_1"]);
    until("the first task runs", || started(&candor) == 1);
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    Said::of(child.wait_with_output().unwrap())
        .ended_with(130)
        .tells(&["interrupted", "candor resume run_1 --data data"]);
    candor.write("go", "");
    let (said, events) = candor.events(&["resume", "run_1"]);
    said.ended_with(0);
    assert_eq!(events.report()["summary"]["success"], true);
}

#[test]
fn two_processes_do_not_drive_one_run() {
    let candor = slow_run();
    let child = candor.start(["run", "--plan", "plan.json", "--run-id", "run_1"]);
    until("the first task runs", || started(&candor) == 1);
    let said = candor.run(["resume", "run_1"]);
    assert_ne!(said.code, 0, "{said:?}");
    said.tells(&["run_1"]);
    candor.write("go", "");
    Said::of(child.wait_with_output().unwrap()).ended_with(0);
}

#[test]
fn a_run_can_go_back_and_on_from_there() {
    let candor = Candor::with_config(ATTENDED);
    candor.run(["run", PARIS, "--run-id", "run_1", "--fault", "hotel_agent=error"]).ended_with(3);
    let checkpoints = status(&candor)["checkpoints"].as_array().unwrap().clone();
    let approved = checkpoints.iter().find(|it| it["label"] == "plan version 1 approved").unwrap();
    let number = approved["id"].to_string();
    let (said, events) = candor.events(&["rollback", "run_1", "--checkpoint", &number]);
    said.ended_with(0);
    assert_eq!(events.dispatched().len(), 4, "everything after the point is done anew");
    assert_eq!(events.report()["revisions"], json!([]));
    assert_eq!(status(&candor)["status"], "completed");
}

#[test]
fn a_run_that_has_ended_can_go_back_too() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let (said, events) = candor.events(&["rollback", "run_1", "--checkpoint", "0"]);
    said.ended_with(0);
    assert_eq!(events.only("rolled_back")["event"], "rolled_back");
    assert_eq!(events.texts("phase_started", "phase").first().unwrap(), "pre_analysis");
}

#[test]
fn a_point_that_is_not_there_is_refused() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let gone = ["rollback", "run_1", "--checkpoint", "99"];
    candor.run(gone).refused(&["no checkpoint 99", "plan version 1 approved"]);
    candor.run(["rollback", "run_1", "--checkpoint", "x"]).refused(&["x"]);
    candor.run(["rollback", "run_1", "0", "--budget", "-1"]).ended_with(2);
    assert_eq!(status(&candor)["status"], "completed");
}

#[test]
fn restart_begins_anew_under_the_same_name() {
    let candor = Candor::with_config(GENERAL);
    candor.run(["run", VAGUE, "--run-id", "run_1"]).ended_with(3);
    candor.run(["reject", "run_1"]).ended_with(1);
    let said = candor.run(["restart", "run_1", "--yes", "--json"]).ended_with(0);
    let events = Events(said.lines());
    assert_eq!(events.texts("phase_started", "phase").first().unwrap(), "pre_analysis");
    assert_eq!(status(&candor)["status"], "completed");
}

#[test]
fn watch_follows_a_run_that_another_process_drives() {
    let candor = slow_run();
    let child = candor.start(["run", "--plan", "plan.json", "--run-id", "run_1"]);
    until("the first task runs", || started(&candor) == 1);
    let watcher = candor.start(["watch", "run_1", "--json"]);
    candor.write("go", "");
    let seen = Said::of(watcher.wait_with_output().unwrap()).ended_with(0);
    Said::of(child.wait_with_output().unwrap()).ended_with(0);
    let events = Events(seen.lines());
    assert_eq!(events.0[0]["event"], "run_started");
    assert_eq!(events.0.last().unwrap()["event"], "run_completed");
    candor.run(["watch", "run_1"]).ended_with(0).shows(&["All tasks finished"]);
}
