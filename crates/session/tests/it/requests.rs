//! What is requested from outside: once, until it is answered or nobody waits for it any more.

use candor_engine::Input;
use candor_model::{EventBody, RunStatus, Seconds};
use candor_session::{AttemptEnd, RequestId};

use crate::hand::{Hand, attempt, success, tasks_given_out};

#[test]
fn an_effect_is_given_out_once() {
    let mut hand = Hand::at_work(2);
    assert_eq!(tasks_given_out(&hand.effects()), 2);
    hand.command(Input::Tick).unwrap();
    hand.commit();
    assert_eq!(hand.effects(), []);
    assert!(hand.session.snapshot().busy);
}

#[test]
fn an_attempt_that_is_cancelled_ends_when_it_says_so() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    hand.command(Input::Cancel { reason: "enough".to_owned() }).unwrap();
    hand.commit();
    assert_eq!(hand.cancelled(), [RequestId::Attempt(attempt(1))]);
    assert_eq!(hand.session.snapshot().status, RunStatus::Stopping);
    assert_eq!(hand.commit(), 0, "it is waited for");
    hand.ends(1, AttemptEnd::Stopped);
    hand.commit();
    assert_eq!(hand.session.snapshot().status, RunStatus::Cancelled);
    assert!(!hand.session.snapshot().busy);
}

#[test]
fn a_success_that_comes_while_the_run_stops_is_kept() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    hand.command(Input::Cancel { reason: "enough".to_owned() }).unwrap();
    hand.commit();
    hand.ends(1, success());
    hand.commit();
    assert!(hand.has(|body| matches!(body, EventBody::TaskSucceeded { .. })));
}

#[test]
fn the_engines_own_deadline_comes_after_the_agents_and_stops_the_attempt() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    let deadline = hand.session.state().next_timeout().unwrap();
    let tick = hand.session.next_timeout().unwrap();
    assert_eq!(tick.since(deadline), Seconds::from_millis(80), "the agent's own end is heard first");
    hand.now = tick;
    hand.command(Input::Tick).unwrap();
    hand.commit();
    assert!(hand.has(|body| matches!(body, EventBody::TaskFailed { .. })));
    assert!(hand.cancelled().contains(&RequestId::Attempt(attempt(1))));
}

#[test]
fn a_session_that_is_folded_from_the_log_asks_for_the_same() {
    let mut hand = Hand::at_work(3);
    hand.effects();
    hand.ends(2, success());
    hand.commit();
    let run_id = hand.session.state().run_id().clone();
    let mut folded =
        candor_session::Session::open(run_id, crate::hand::deps(), Default::default(), &hand.log).unwrap();
    assert!(folded.append(hand.now).is_none());
    let lived: Vec<_> = hand.session.requested().collect();
    assert_eq!(lived.len(), 2);
    assert_eq!(lived, folded.requested().collect::<Vec<_>>());
}
