//! Stopped, killed and taken up again while a remote agent is at work.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use crate::peers::peer::{Peer, RUN, knowing, plan, status};
use crate::support::{Candor, Events, Said};

/// Starts a run whose only task the peer has.
fn at_work(candor: &Candor, peer: &Peer, words: &str) -> Child {
    plan(candor, words, Some("far_agent"));
    let child = candor.start(RUN);
    peer.gets("message");
    child
}

fn signal(child: &Child, name: &str) {
    let kill =
        Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[test]
fn an_interrupted_run_has_its_task_canceled_at_the_peer() {
    // spec: beyond BY-07 BY-09
    for options in [&[][..], &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let candor = knowing(&peer.url, "");
        let child = at_work(&candor, &peer, "hang on");
        let hanging = peer.gets("hanging");
        signal(&child, "INT");
        let said = Said::of(child.wait_with_output().unwrap()).ended_with(130);
        said.tells(&["candor resume run_1"]);
        // It was canceled before the command ended.
        let canceled = peer.got("cancel");
        assert_eq!(canceled.len(), 1, "{canceled:?}");
        assert_eq!(canceled[0]["task"], hanging["task"]);
    }
}

#[test]
fn an_attempt_that_takes_too_long_is_canceled_at_the_peer() {
    // spec: beyond BY-09 BY-10
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "timeout = 2.0");
    plan(&candor, "hang on", Some("far_agent"));
    let events = Events(candor.run(RUN).lines());
    assert!(events.first_reason().contains("timeout after 2s"), "{}", events.first_reason());
    let tasks = |what: &str| peer.got(what).iter().map(|it| it["task"].clone()).collect::<Vec<_>>();
    let hanging = tasks("hanging");
    assert!(!hanging.is_empty());
    assert_eq!(tasks("cancel"), hanging);
}

/// Takes a run up after a kill, and looks that the peer got its task exactly once.
#[track_caller]
fn goes_on(candor: &Candor, peer: &Peer, mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status(candor), "executing");
    peer.go();
    candor.run(["resume", "run_1", "--yes"]).ended_with(0);
    assert_eq!(status(candor), "completed");
    let messages = peer.got("message");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(peer.got("cancel").is_empty());
}

#[test]
fn after_a_kill_the_task_is_followed_and_not_sent_again() {
    // spec: beyond BY-01
    for options in [&[][..], &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let candor = knowing(&peer.url, "");
        let mut child = at_work(&candor, &peer, "wait for me");
        // What is told is on the log: the peer's name for the task.
        let mut told = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(told.any(|line| line.contains("\"remote\"")));
        goes_on(&candor, &peer, child);
    }
}

#[test]
fn after_a_kill_in_the_middle_of_sending_the_task_is_found_at_the_peer() {
    // spec: beyond BY-01
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    let child = at_work(&candor, &peer, "wait for me");
    goes_on(&candor, &peer, child);
}

#[test]
fn a_cancelled_run_has_its_task_canceled_at_the_peer() {
    // spec: beyond BY-07
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    let child = at_work(&candor, &peer, "hang on");
    peer.gets("hanging");
    candor.run(["cancel", "run_1"]).ended_with(0);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_ne!(said.code, 0);
    assert_eq!(status(&candor), "cancelled");
    assert_eq!(peer.got("cancel").len(), 1);
}
