//! Several processes on one data folder: runs side by side, one driver per run, commands from elsewhere.

use std::collections::BTreeSet;

use candor_model::EventBody;
use rustix::process::{Flock, FlockType, fcntl_getlk};
use serde_json::Value;

use crate::durability::support::{Place, is_running, successes, wait_for};

#[test]
fn two_processes_drive_two_runs_in_one_folder() {
    let place = Place::new();
    let chain: Vec<String> = (1..=8).map(|n| format!("task_{n:03}")).collect();
    let after: Vec<Vec<&str>> =
        (0..8).map(|n| chain[..n].last().map(String::as_str).into_iter().collect()).collect();
    let tasks: Vec<(&str, &str, &[&str])> =
        chain.iter().zip(&after).map(|(task, after)| (task.as_str(), "quick", after.as_slice())).collect();
    let plan = place.plan("plan", &tasks);
    let (a, b) = (place.start_run("run_a", &plan), place.start_run("run_b", &plan));
    for (running, run) in [(a, "run_a"), (b, "run_b")] {
        let done = running.end();
        assert_eq!(done.code(), Some(0), "{run}: {}", done.err);
        assert_eq!(place.ledger(run).len(), 8);
        assert!(done.told().iter().all(|line| line.contains(&format!("\"run_id\":\"{run}\""))));
    }
    let list = place.does("", &["list", "--json"]);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    let text = list.to_string();
    assert!(text.contains("run_a") && text.contains("run_b"), "{text}");
}

#[test]
fn any_number_of_processes_may_be_the_first_in_a_folder() {
    for _ in 0..8 {
        let place = Place::new();
        let plan = place.plan("plan", &[("only", "quick", &[])]);
        let runs: Vec<String> = (1..=6).map(|n| format!("run_{n}")).collect();
        let running: Vec<_> = runs.iter().map(|run| place.start_run(run, &plan)).collect();
        for (run, running) in runs.iter().zip(running) {
            let done = running.end();
            assert_eq!(done.code(), Some(0), "{run}: {}", done.err);
        }
    }
}

/// Says a secret, the same in every run.
const TELLER: &str = "[[agents]]\nagent_type = \"teller\"\nspecialization = \"Tells things\"\ncapabilities = [\"tell\"]\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; echo '{\\\"outputs\\\": {\\\"key\\\": \\\"ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T\\\"}}'\"]\n";

#[test]
fn sixteen_processes_that_open_one_new_folder_at_once_all_succeed_and_share_one_key() {
    let place = Place::new();
    let config = std::fs::read_to_string(place.config()).unwrap();
    std::fs::write(place.config(), config + TELLER).unwrap();
    let plan = place.plan("plan", &[("first", "teller", &[]), ("second", "quick", &["first"])]);
    let runs: Vec<String> = (1..=16).map(|n| format!("run_{n}")).collect();
    let running: Vec<_> = runs.iter().map(|run| place.start_run(run, &plan)).collect();
    let mut marks = BTreeSet::new();
    for (run, running) in runs.iter().zip(running) {
        let done = running.end();
        assert_eq!(done.code(), Some(0), "{run}: {}", done.err);
        let (_, rest) = done.out.split_once("[redacted:github_token#").expect("it was told");
        marks.insert(rest.split(']').next().unwrap().to_owned());
    }
    assert_eq!(marks.len(), 1, "one secret has one mark: {marks:?}");
    for run in &runs {
        assert_eq!(successes(run, &place.log(run)).len(), 2);
    }
    assert_eq!(candor_store::verify(&place.data().join("candor.db")).unwrap().problems, [""; 0]);
}

#[test]
fn a_run_that_finds_the_new_log_held_says_that_it_waits_and_then_runs() {
    let place = Place::new();
    let plan = place.plan("plan", &[("only", "quick", &[])]);
    std::fs::create_dir(place.data()).unwrap();
    let holder = rusqlite::Connection::open(place.data().join("candor.db")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let running = place.start_run("run_1", &plan);
    // Longer than any one operation is waited for.
    std::thread::sleep(std::time::Duration::from_secs(7));
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    let done = running.end();
    assert_eq!(done.code(), Some(0), "{}", done.err);
    assert_eq!(done.err.matches("waiting for them").count(), 1, "{}", done.err);
}

/// Whether somebody has the lock by which SQLite tells that the index beside a log is in use.
fn holds_its_index(place: &Place) -> bool {
    let index = place.data().join("candor.db-shm");
    let index = std::fs::OpenOptions::new().read(true).write(true).open(index).unwrap();
    let mut lock = Flock::from(FlockType::WriteLock);
    (lock.start, lock.length) = (128, 1);
    fcntl_getlk(&index, &lock).unwrap().is_some()
}

#[test]
fn whoever_looks_at_a_run_does_not_end_its_driver() {
    let place = Place::new();
    let first = place.plan("first", &[("only", "quick", &[])]);
    assert_eq!(place.start_run("run_before", &first).end().code(), Some(0));
    // The log is there already: a driver looks at its files before it goes on in it.
    let plan = place.plan("plan", &[("long", "patient", &[]), ("next", "quick", &["long"])]);
    for n in 0..4 {
        let run = format!("run_{n}");
        let running = place.start_run(&run, &plan);
        place.begun(&run, "long");
        assert!(holds_its_index(&place), "another process would make the index anew, and the driver lose it");
        for _ in 0..4 {
            assert_eq!(place.does(&run, &["status", &run]).code(), Some(0));
        }
        place.let_go(&run);
        let done = running.end();
        assert_eq!(done.code(), Some(0), "{run} ended by a signal, or: {}", done.err);
    }
}

#[test]
fn a_run_is_driven_by_one_process_at_a_time() {
    let place = Place::new();
    let plan = place.plan("plan", &[("long", "patient", &[])]);
    let running = place.start_run("run_once", &plan);
    place.begun("run_once", "long");
    let holder = format!("process {}", running.pid());
    for args in [&["resume", "run_once"][..], &["resume", "last", "--json"]] {
        let refused = place.does("run_once", args);
        assert!(refused.code().is_some_and(|code| code != 0));
        refused.is_clear();
        assert!(refused.err.contains(&holder), "{}", refused.err);
        assert!(refused.err.contains("candor watch run_once"), "{}", refused.err);
    }
    let plan = plan.display().to_string();
    let again = place.does("run_once", &["run", "--run-id", "run_once", "--plan", &plan]);
    assert!(again.code().is_some_and(|code| code != 0), "a name is used once");
    again.is_clear();
    place.let_go("run_once");
    assert_eq!(running.end().code(), Some(0));
    assert_eq!(place.ledger("run_once").len(), 1);
}

#[test]
fn a_run_that_is_watched_from_elsewhere_is_seen_whole() {
    let place = Place::new();
    let plan = place.plan("plan", &[("first", "quick", &[]), ("long", "patient", &["first"])]);
    let running = place.start_run("run_seen", &plan);
    place.begun("run_seen", "long");
    let watching = place.start("run_seen", &["watch", "run_seen", "--json"]);
    wait_for("the watcher to see the first success", || watching.out().contains("task_succeeded"));
    place.let_go("run_seen");
    let (driven, watched) = (running.end(), watching.end());
    assert_eq!((driven.code(), watched.code()), (Some(0), Some(0)), "{}{}", driven.err, watched.err);
    assert_eq!(driven.told(), watched.told());
}

#[test]
fn a_pause_from_elsewhere_starts_no_new_task_until_the_run_is_resumed() {
    // spec: planning EX-13
    let place = Place::new();
    let plan = place.plan("plan", &[("long", "patient", &[]), ("next", "quick", &["long"])]);
    let running = place.start_run("run_paused", &plan);
    place.begun("run_paused", "long");
    let paused = place.does("run_paused", &["pause", "run_paused", "--reason", "lunch"]);
    assert_eq!(paused.code(), Some(0), "{}", paused.err);
    assert!(paused.err.contains("candor resume run_paused"), "{}", paused.err);
    place.let_go("run_paused");
    let done = running.end();
    assert_eq!(done.code(), Some(3), "{}", done.err);
    assert!(done.err.contains("candor resume run_paused"), "{}", done.err);
    assert_eq!(place.ledger("run_paused").len(), 1, "what ran goes on to its end, nothing new begins");
    assert_eq!(place.status("run_paused"), "paused");
    place.complete("run_paused");
    assert_eq!(successes("run_paused", &place.log("run_paused")).len(), 2);
}

#[test]
fn a_cancel_from_elsewhere_returns_when_every_child_has_stopped() {
    let place = Place::new();
    let plan = place.plan("plan", &[("a", "endless", &[]), ("b", "endless", &[]), ("c", "quick", &["a"])]);
    let running = place.start_run("run_off", &plan);
    let children = [place.begun("run_off", "a"), place.begun("run_off", "b")];
    let cancelled = place.does("run_off", &["cancel", "run_off", "--reason", "no longer needed"]);
    assert!(children.iter().all(|child| !is_running(child.pid)), "a child outlives the cancel");
    assert_eq!(cancelled.code(), Some(0), "{}", cancelled.err);
    assert!(cancelled.err.contains("cancelled"), "{}", cancelled.err);
    let done = running.end();
    assert_eq!(done.code(), Some(1), "{}", done.err);
    assert!(done.err.contains("no longer needed"), "{}", done.err);
    assert_eq!(place.status("run_off"), "cancelled");
    assert_eq!(place.ledger("run_off").len(), 2);
    let again = place.does("run_off", &["cancel", "run_off"]);
    assert!(again.code().is_some_and(|code| code != 0), "it has ended");
    again.is_clear();
}

#[test]
fn an_approval_from_elsewhere_lets_the_run_go_on() {
    // spec: planning HA-12
    let place = Place::with_limits("approval = \"always\"");
    let plan = place.plan("plan", &[("only", "quick", &[])]);
    let plan = plan.display().to_string();
    let waiting = place.does("run_ask", &["run", "--json", "--run-id", "run_ask", "--plan", &plan]);
    assert_eq!(waiting.code(), Some(3), "{}", waiting.err);
    assert!(waiting.err.contains("candor approve run_ask"), "{}", waiting.err);
    assert!(place.ledger("run_ask").is_empty(), "nothing runs before it is approved");
    let approved = place.does("run_ask", &["approve", "run_ask", "--json"]);
    assert_eq!(approved.code(), Some(0), "{}", approved.err);
    assert_eq!(place.status("run_ask"), "completed");
    let again = place.does("run_ask", &["approve", "run_ask"]);
    assert!(again.code().is_some_and(|code| code != 0));
    again.is_clear();
}

#[test]
fn an_answer_from_elsewhere_reaches_the_process_that_drives_the_run() {
    // spec: planning HA-12
    let place = Place::with_limits("escalate_after_failures = 1\nunattended = false");
    let plan = place.plan("plan", &[("bad", "hopeless", &[]), ("long", "patient", &[])]);
    let running = place.start_run("run_asked", &plan);
    place.begun("run_asked", "long");
    wait_for("the question", || running.out().contains("human_asked"));
    let tried = place.ledger("run_asked").len();
    let answered = place.does("run_asked", &["answer", "run_asked", "skip"]);
    assert_eq!(answered.code(), Some(0), "{}", answered.err);
    assert_eq!(place.ledger("run_asked").len(), tried, "a question is not answered by trying again");
    place.let_go("run_asked");
    let done = running.end();
    assert_eq!(done.code(), Some(0), "{}", done.err);
    assert!(done.out.contains("human_answered"));
}

#[test]
fn a_run_that_is_taken_up_finishes_what_was_under_way_before_it_waits_for_a_person() {
    let place = Place::with_limits("escalate_after_failures = 1\nunattended = false");
    let plan = place.plan("plan", &[("bad", "hopeless", &[]), ("long", "patient", &[])]);
    let running = place.start_run("run_both", &plan);
    place.begun("run_both", "long");
    wait_for("the question", || running.out().contains("human_asked"));
    running.kill().expect("it was at work");
    place.let_go("run_both");
    let waiting = place.does("run_both", &["resume", "run_both", "--json"]);
    assert_eq!(waiting.code(), Some(3), "{}", waiting.err);
    assert!(waiting.err.contains("candor answer run_both"), "{}", waiting.err);
    assert_eq!(successes("run_both", &place.log("run_both")), ["run_both/long/1"]);
    let answered = place.does("run_both", &["answer", "run_both", "skip", "--json"]);
    assert_eq!(answered.code(), Some(0), "{}", answered.err);
    assert_eq!(place.status("run_both"), "completed");
}

#[test]
fn of_two_processes_that_take_up_a_run_at_once_one_drives_it() {
    let place = Place::new();
    let plan = place.plan("plan", &[("long", "patient", &[])]);
    let running = place.start_run("run_race", &plan);
    place.begun("run_race", "long");
    running.kill().expect("it was at work");
    let resume = || place.start("run_race", &["resume", "run_race", "--json"]);
    let both = [resume(), resume()];
    wait_for("the second try", || place.ledger("run_race").len() == 2);
    std::thread::sleep(std::time::Duration::from_millis(300));
    place.let_go("run_race");
    let mut codes = both.map(|running| running.end().code().unwrap());
    codes.sort_unstable();
    assert_eq!(codes, [0, 1]);
    assert_eq!(place.ledger("run_race").len(), 2, "it was taken up once");
}

#[test]
fn commands_to_a_run_that_was_killed_are_taken_without_its_driver() {
    let place = Place::new();
    let plan = place.plan("plan", &[("long", "patient", &[]), ("next", "quick", &["long"])]);
    let running = place.start_run("run_dead", &plan);
    place.begun("run_dead", "long");
    running.kill().expect("it was at work");
    let paused = place.does("run_dead", &["pause", "run_dead"]);
    assert_eq!(paused.code(), Some(0), "{}", paused.err);
    assert_eq!(place.status("run_dead"), "paused");
    place.let_go("run_dead");
    place.complete("run_dead");
    let log = place.log("run_dead");
    let resumed = log.iter().filter(|recorded| matches!(recorded.event.body, EventBody::RunResumed {}));
    assert_eq!(resumed.count(), 1);
}
