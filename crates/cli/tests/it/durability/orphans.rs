//! Children that outlive a killed Candor are stopped before their attempts are made again.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use crate::durability::support::{Place, is_running, successes, wait_for};
use crate::support::{Candor, until};

#[test]
fn an_orphan_is_stopped_before_its_attempt_is_made_again_under_the_same_key() {
    let place = Place::new();
    let plan = place.plan("plan", &[("first", "quick", &[]), ("long", "patient", &["first"])]);
    let running = place.start_run("run_orphan", &plan);
    let orphan = place.begun("run_orphan", "long");
    running.kill().expect("it was at work");
    assert!(is_running(orphan.pid), "a kill of Candor alone leaves its children");
    let looked = place.does("run_orphan", &["status", "run_orphan"]);
    assert!(
        looked.err.contains("no active driver"),
        "it is not running, whatever its log says: {}",
        looked.err
    );
    assert_eq!(successes("run_orphan", &place.log("run_orphan")), ["run_orphan/first/1"]);

    let resumed = place.start("run_orphan", &["resume", "run_orphan", "--json"]);
    wait_for("the second try", || place.ledger("run_orphan").len() == 3);
    assert!(!is_running(orphan.pid), "the orphan is gone before the attempt is made again");
    place.let_go("run_orphan");
    let done = resumed.end();
    assert_eq!(done.code(), Some(0), "{}", done.err);
    let keys: Vec<String> = place.ledger("run_orphan").into_iter().map(|entry| entry.key).collect();
    assert_eq!(keys, ["run_orphan/first/1", "run_orphan/long/1", "run_orphan/long/1"]);
}

#[test]
fn cancelling_a_run_whose_driver_was_killed_stops_what_it_left_running() {
    let place = Place::new();
    let plan = place.plan("plan", &[("long", "endless", &[]), ("longer", "endless", &[])]);
    let running = place.start_run("run_left", &plan);
    let orphans = [place.begun("run_left", "long"), place.begun("run_left", "longer")];
    running.kill().expect("it was at work");
    let done = place.does("run_left", &["cancel", "run_left"]);
    assert_eq!(done.code(), Some(0), "{}", done.err);
    assert!(done.err.contains("stopped 2 processes"), "{}", done.err);
    assert!(orphans.iter().all(|orphan| !is_running(orphan.pid)));
    assert_eq!(place.status("run_left"), "cancelled");
}

#[test]
fn the_orphans_of_one_run_are_no_concern_of_another() {
    let place = Place::new();
    let plan = place.plan("plan", &[("long", "patient", &[])]);
    let killed = place.start_run("run_a", &plan);
    let other = place.start_run("run_b", &plan);
    let (orphan, working) = (place.begun("run_a", "long"), place.begun("run_b", "long"));
    killed.kill().expect("it was at work");
    place.let_go("run_a");
    place.complete("run_a");
    assert!(!is_running(orphan.pid));
    assert!(is_running(working.pid), "it belongs to a run that is being driven");
    place.let_go("run_b");
    assert_eq!(other.end().code(), Some(0));
}

/// A command of a tool that takes long, with pre-warmed interpreters beside it.
const SLOW: &str = "[[agents]]\nagent_type = \"keeper\"\nspecialization = \"Waits\"\ntools = [\"run_command\"]\n\
    [[agents]]\nagent_type = \"coder\"\nspecialization = \"Computes\"\nkind = \"code\"\n\
    [tools.builtin]\nfolder = \"work\"\ncommands = [\"sleep\"]\n";

#[test]
fn nothing_is_left_in_the_temporary_folder_after_a_kill_and_a_resume_or_a_cancel() {
    // spec: findings DU-05
    ["resume", "cancel"].into_iter().for_each(killed_and);
}

fn killed_and(way: &str) {
    let candor = Candor::with_config(SLOW);
    for folder in ["work", "tmp"] {
        fs::create_dir(candor.path(folder)).unwrap();
    }
    let step =
        json!({"tool": "run_command", "parameters": {"command": ["sleep", "20"]}, "save_as": "result"});
    let task = json!({"task_id": "a", "description": "Wait", "agent_type": "keeper", "inputs": {"steps": [step]},
        "expected_outputs": ["result"]});
    candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    let command = |words: &[&str]| {
        let mut command = candor.command(words);
        command.env("TMPDIR", candor.path("tmp")).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let left = || fs::read_dir(candor.path("tmp")).unwrap().flatten().map(|it| it.path()).collect::<Vec<_>>();
    let run = ["run", "--plan", "plan.json", "--run-id", "run_1", "--unattended", "--allow", "irreversible"];
    let mut driver = command(&run).spawn().unwrap();
    let begun = || command(&["logs", "run_1", "a"]).status().unwrap().success();
    until("the task has begun", || !left().is_empty() && begun());
    driver.kill().unwrap();
    driver.wait().unwrap();
    // What no keeper can remove, since it was killed too: the folder is there, and nobody holds its lock.
    let lost = candor.path("tmp/candor-box-lost");
    fs::create_dir(&lost).unwrap();
    fs::write(lost.join("owner"), "").unwrap();
    assert!(command(&[way, "run_1"]).status().unwrap().code().is_some());
    until("everything is removed", || left().is_empty());
}
