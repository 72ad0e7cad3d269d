//! How attempts end: at their deadline, when they are stopped, and with nothing left behind.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{content, failure, is_running, order, perform, reason, sh, takes_less_than};
use candor_agents::{AttemptFolder, stop_orphans};
use candor_model::RunId;
use candor_ports::{Agent, AgentFailure};
use tokio_util::sync::CancellationToken;

/// A folder, and the path of a file in it to which a child writes the id of a process.
fn pid_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pid");
    (folder, path)
}

#[tokio::test]
async fn silence_past_the_deadline_is_a_timeout_right_then() {
    // spec: planning EX-08
    takes_less_than(Duration::from_millis(600), async || {
        let failure = failure(&sh("echo still thinking >&2; trap '' TERM; sleep 60"), &order(0.5)).await;
        assert_eq!(failure.message, "Agent timeout after 0.5s");
        assert_eq!(failure.detail.as_deref(), Some("still thinking"));
    })
    .await;
}

#[tokio::test]
async fn a_timeout_without_a_log_says_nothing_else() {
    // spec: planning EX-08
    assert_eq!(reason(&sh("sleep 60"), &order(0.0)).await, "Agent timeout after 0s");
    let mut order = order(0.0);
    order.deadline_seconds = candor_model::Seconds::whole(1);
    assert_eq!(reason(&sh("sleep 60"), &order).await, "Agent timeout after 1s");
}

#[tokio::test]
async fn endless_noise_on_stderr_does_not_put_off_the_deadline() {
    takes_less_than(Duration::from_millis(600), async || {
        let reason = reason(&sh("yes >&2"), &order(0.5)).await;
        assert!(reason.starts_with("Agent timeout"), "{reason}");
    })
    .await;
}

#[tokio::test]
async fn grandchildren_die_at_the_deadline() {
    let (_folder, pid) = pid_file();
    let script = format!("(trap '' TERM; sleep 60) & echo $! > {}; wait", pid.display());
    reason(&sh(&script), &order(0.5)).await;
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn grandchildren_do_not_outlive_a_child_that_answered_nor_keep_us_waiting() {
    let (_folder, pid) = pid_file();
    let script = format!("sleep 60 & echo $! > {}; printf '{{\"outputs\":{{}}}}'", pid.display());
    let start = Instant::now();
    assert!(perform(&sh(&script), &order(30.0)).await.is_ok());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn one_that_left_the_group_and_holds_the_pipes_does_not_keep_us_waiting() {
    let (_folder, pid) = pid_file();
    let script = format!(
        "setsid sh -c 'echo $$ > {}; exec sleep 5' & while ! test -s {0}; do sleep 0.01; done
        printf '{{\"outputs\":{{}}}}'",
        pid.display()
    );
    let start = Instant::now();
    assert!(perform(&sh(&script), &order(30.0)).await.is_ok());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_stop_returns_when_all_are_gone_even_if_they_ignore_it() {
    let (_folder, pid) = pid_file();
    let script = format!("trap '' TERM; sleep 60 & echo $! > {}; wait; sleep 60", pid.display());
    let (agent, order, stop) = (sh(&script), order(30.0), CancellationToken::new());
    let attempt = agent.perform(&order, stop.clone());
    let stopper = async {
        content(&pid).await;
        stop.cancel();
        Instant::now()
    };
    let (result, stopped_at) = tokio::join!(attempt, stopper);
    assert_eq!(result, Err(AgentFailure::Stopped));
    assert!(stopped_at.elapsed() < Duration::from_secs(2), "{:?}", stopped_at.elapsed());
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn a_stop_lets_a_child_tidy_up() {
    let (folder, ready) = pid_file();
    let tidy = folder.path().join("tidy");
    let script = format!(
        "trap 'echo done > {}; exit 0' TERM; echo 1 > {}; while :; do sleep 0.01; done",
        tidy.display(),
        ready.display()
    );
    let (agent, order, stop) = (sh(&script), order(30.0), CancellationToken::new());
    let stopper = async {
        content(&ready).await;
        stop.cancel();
    };
    let (result, ()) = tokio::join!(agent.perform(&order, stop.clone()), stopper);
    assert_eq!(result, Err(AgentFailure::Stopped));
    assert_eq!(fs::read_to_string(&tidy).unwrap(), "done\n");
}

#[tokio::test]
async fn a_stop_before_the_start_starts_nothing() {
    let (_folder, pid) = pid_file();
    let stop = CancellationToken::new();
    stop.cancel();
    let agent = sh(&format!("echo $$ > {}", pid.display()));
    assert_eq!(agent.perform(&order(5.0), stop).await, Err(AgentFailure::Stopped));
    assert!(!pid.exists());
}

#[tokio::test]
async fn an_attempt_that_nobody_waits_for_any_more_dies_with_its_children() {
    let (_folder, pid) = pid_file();
    let agent = sh(&format!("sleep 60 & echo $! > {}; wait", pid.display()));
    let order = order(30.0);
    let attempt = agent.perform(&order, CancellationToken::new());
    tokio::select! {
        _ = attempt => panic!("ended by itself"),
        text = content(&pid) => drop(text),
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn a_running_attempt_has_a_file_and_an_ended_one_has_not() {
    let folder = tempfile::tempdir().unwrap();
    let agent = sh("ls -R \"$1\" >&2; exit 1".replace("$1", folder.path().to_str().unwrap()).as_str())
        .noted_in(AttemptFolder(folder.path().to_owned()));
    // The shell may be quicker than the note, but not quicker than its order.
    let agent_waits = sh(&format!("read -r order; ls -R {} >&2; exit 1", folder.path().display()))
        .noted_in(AttemptFolder(folder.path().to_owned()));
    let reason = reason(&agent_waits, &order(10.0)).await;
    assert!(reason.contains("task_001.1.pid"), "{reason}");
    perform(&agent, &order(10.0)).await.unwrap_err();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn orphans_of_the_run_are_ended_and_those_of_other_runs_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let attempts = AttemptFolder(folder.path().join("attempts"));
    let mut running = Vec::new();
    for run in ["run_1", "run_2"] {
        let pid = folder.path().join(run);
        let agent = sh(&format!("echo $$ > {}; exec sleep 60", pid.display())).noted_in(attempts.clone());
        let mut order = order(30.0);
        order.run_id = RunId::new(run).unwrap();
        running.push(tokio::spawn(async move { perform(&agent, &order).await }));
    }
    let ours = content(&folder.path().join("run_1")).await;
    let theirs = content(&folder.path().join("run_2")).await;
    assert_eq!(stop_orphans(&attempts, &RunId::new("run_1").unwrap()).unwrap(), 1);
    let result = running.remove(0).await.unwrap();
    assert!(result.unwrap_err().to_string().contains("SIGKILL"));
    assert!(!is_running(&ours) && is_running(&theirs));
    assert_eq!(stop_orphans(&attempts, &RunId::new("run_1").unwrap()).unwrap(), 0);
}

#[test]
fn an_orphan_is_found_by_the_children_it_left_too() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run_1");
    fs::create_dir_all(&run).unwrap();
    let pid = folder.path().join("pid");
    let mut leader = Command::new("sh")
        .args(["-c", &format!("sleep 60 & echo $! > {}", pid.display())])
        .env("CANDOR_IDEMPOTENCY_KEY", "k")
        .process_group(0)
        .spawn()
        .unwrap();
    leader.wait().unwrap();
    let left = fs::read_to_string(&pid).unwrap();
    fs::write(run.join("task_001.1.pid"), note(leader.id(), 1, &boot())).unwrap();
    assert!(is_running(&left));
    let stopped = stop_orphans(&AttemptFolder(folder.path().to_owned()), &RunId::new("run_1").unwrap());
    assert_eq!(stopped.unwrap(), 1);
    assert!(!is_running(&left));
}

/// What a running attempt's file says.
fn note(pid: u32, started: u64, boot: &str) -> String {
    format!(r#"{{"pid":{pid},"started":{started},"boot":"{}","key":"k"}}"#, boot.trim())
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap()
}

#[test]
fn a_note_of_someone_else_or_of_nobody_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run_1");
    fs::create_dir_all(&run).unwrap();
    let mut stranger = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
    let boot = boot();
    let notes = [
        note(stranger.id(), 1, &boot),
        note(0, 1, &boot),
        note(1, 1, &boot),
        note(u32::MAX, 1, &boot),
        note(stranger.id(), 1, "other"),
        "{\"pid\":".to_owned(),
        String::new(),
    ];
    for (n, text) in notes.iter().enumerate() {
        fs::write(run.join(format!("{n}.pid")), text).unwrap();
    }
    assert_eq!(
        stop_orphans(&AttemptFolder(folder.path().to_owned()), &RunId::new("run_1").unwrap()).unwrap(),
        0
    );
    assert!(is_running(&stranger.id().to_string()));
    assert!(!run.exists());
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
