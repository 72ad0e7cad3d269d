//! Real processes that start others, ignore signals, and are ended as a whole.

#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::process::Stdio;
use std::time::{Duration, Instant};

use candor_process::proc::{self, Stat, stat_field};
use candor_process::{Group, Pipes, as_pid, kill};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// Starts a script of the shell, and waits until it has written a line.
async fn start(script: &str) -> (Group, Pipes, String) {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (group, mut pipes) = Group::start(&mut command).unwrap();
    let mut line = String::new();
    BufReader::new(pipes.stdout.as_mut().unwrap()).read_line(&mut line).await.unwrap();
    (group, pipes, line.trim().to_owned())
}

fn runs(pid: u32) -> bool {
    Stat::of(pid).is_some_and(|stat| !matches!(stat.field(stat_field::STATE), Some("Z" | "X")))
}

#[tokio::test]
async fn a_group_ends_with_its_grandchildren_whatever_they_ignore() {
    let script = "sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' & echo $!; wait";
    let (mut group, _pipes, grandchild) = start(script).await;
    let grandchild: u32 = grandchild.parse().unwrap();
    assert!(runs(grandchild) && proc::group_runs(group.pid()) == Some(true));
    let status = group.end().await.unwrap();
    assert!(!status.success());
    assert!(!runs(grandchild) && !runs(group.pid()));
}

#[tokio::test]
async fn a_dropped_group_is_killed_whole() {
    let (group, _pipes, grandchild) = start("sleep 60 & echo $!; wait").await;
    drop(group);
    let (pid, begun): (u32, _) = (grandchild.parse().unwrap(), Instant::now());
    while runs(pid) && begun.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!runs(pid));
}

#[tokio::test]
async fn a_gentle_end_lets_a_program_finish_when_its_input_ends_and_kills_one_that_does_not() {
    let (mut polite, mut pipes, _) = start("echo ready; cat > /dev/null; exit 7").await;
    drop(pipes.stdin.take());
    assert_eq!(polite.end_gently().await.unwrap().code(), Some(7));
    let (mut asked, _pipes, _) = start("trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done").await;
    assert_eq!(asked.end_gently().await.unwrap().code(), Some(9), "it was asked before it was killed");
    let (mut deaf, _pipes, _) = start("trap '' TERM; echo ready; while :; do sleep 0.05; done").await;
    assert_eq!(deaf.end_gently().await.unwrap().code(), None, "killed");
}

#[tokio::test]
async fn the_end_of_a_leader_is_seen_and_its_children_are_left_to_whoever_ends_the_group() {
    let (mut group, _pipes, child) = start("sleep 60 & echo $!; exit 3").await;
    tokio::time::timeout(Duration::from_secs(10), group.ended()).await.unwrap();
    let child: u32 = child.parse().unwrap();
    assert!(runs(child), "only the leader has ended");
    assert_eq!(group.end().await.unwrap().code(), Some(3), "its own end is kept until it is asked for");
    assert!(!runs(child));
}

#[tokio::test]
async fn a_group_that_only_its_id_is_known_of_can_be_recognised_and_killed() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 60 & wait"]).env("CANDOR_TEST_WORD", "here");
    let (mut group, _pipes) = Group::start(&mut command).unwrap();
    let (pid, begun) = (group.pid(), Instant::now());
    // The environment is the new program's only once it has been started.
    while !proc::group_has(pid, "CANDOR_TEST_WORD=here") && begun.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(proc::group_has(pid, "CANDOR_TEST_WORD=here") && !proc::group_has(pid, "CANDOR_TEST_WORD=her"));
    assert!(proc::started(pid).is_some() && proc::boot().is_some());
    assert!(kill(pid));
    assert_eq!(proc::group_runs(pid), Some(false));
    group.end().await.unwrap();
}

#[test]
fn the_ids_that_mean_everyone_are_nobody() {
    assert!(as_pid(0).is_none() && as_pid(1).is_none() && as_pid(u32::MAX).is_none());
    assert!(!kill(0) && !kill(1));
}
