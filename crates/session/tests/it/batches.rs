//! What is decided on together is appended together, and decided on again when someone else wrote in between.

use candor_engine::{Input, Refusal};
use candor_model::{EventBody, Phase};
use candor_session::Answer;

use crate::hand::{Hand, deps, dry, success, tasks_given_out};

#[test]
fn answers_that_come_together_are_one_append() {
    let mut hand = Hand::at_work(3);
    assert_eq!(tasks_given_out(&hand.effects()), 3);
    for task in 1..=3 {
        hand.ends(task, success());
    }
    let append = hand.append();
    let successes =
        append.events.iter().filter(|event| matches!(event.body, EventBody::TaskSucceeded { .. }));
    assert_eq!(successes.count(), 3);
}

#[test]
fn from_the_start_to_the_first_task_is_one_append_and_no_effect_comes_before_it() {
    let mut hand = Hand::started(2, deps());
    let append = hand.append();
    assert!(append.events.iter().any(|event| matches!(event.body, EventBody::PlanProposed { .. })));
    assert_eq!(hand.effects(), [], "nothing is durable yet");
    let recorded = hand.session.committed(append);
    assert_eq!(recorded[0].position.0, 1);
}

#[test]
fn whoever_waits_gets_an_answer_when_it_is_durable_and_not_before() {
    let mut hand = Hand::at_work(1);
    let ticket = hand.command(Input::Pause { reason: "lunch".to_owned() }).unwrap();
    let append = hand.append();
    assert!(hand.session.poll_reply().is_none());
    hand.session.committed(append);
    let (of, reply) = hand.session.poll_reply().unwrap();
    assert_eq!(of, ticket);
    assert!(matches!(reply, Ok(Answer::Durable)));
}

#[test]
fn what_was_decided_on_a_stale_log_is_decided_on_again() {
    let mut hand = Hand::at_work(2);
    hand.effects();
    hand.ends(1, success());
    let stale = hand.append();
    hand.elsewhere(Input::Pause { reason: "elsewhere".to_owned() });
    assert!(stale.from.0 < hand.log.len() as u64, "the log refuses it");
    let log = hand.log.clone();
    hand.session.conflict(&log, hand.now).unwrap();
    assert!(hand.session.state().is_paused(), "what the other wrote counts");
    assert!(hand.commit() > 0);
    assert!(hand.has(|body| matches!(body, EventBody::TaskSucceeded { .. })), "and so does what came in");
    // The next conflict needs only what is new.
    hand.ends(2, success());
    hand.append();
    hand.elsewhere(Input::Resume);
    let from = hand.session.conflict_from().0 as usize;
    assert_eq!(from, 0, "a durable append forgets what was folded for the last conflict");
}

#[test]
fn an_input_that_the_other_writer_made_impossible_is_refused_after_all() {
    let mut hand = Hand::at_work(1);
    let ticket = hand.command(Input::Pause { reason: "here".to_owned() }).unwrap();
    hand.append();
    hand.elsewhere(Input::Pause { reason: "elsewhere".to_owned() });
    let log = hand.log.clone();
    hand.session.conflict(&log, hand.now).unwrap();
    let (of, reply) = hand.session.poll_reply().unwrap();
    assert_eq!(of, ticket);
    assert!(matches!(reply, Err(Refusal::AlreadyPaused)), "{reply:?}");
}

#[test]
fn a_dry_run_ends_after_its_last_phase_and_gives_nobody_a_task() {
    let mut hand = Hand::started(2, dry(Phase::Planning));
    hand.commit();
    assert!(hand.has(|body| matches!(body, EventBody::PlanProposed { .. })));
    assert_eq!(hand.effects(), []);
    assert!(!hand.session.snapshot().busy);
    let mut hand = Hand::started(2, dry(Phase::Evaluation));
    hand.commit();
    assert!(!hand.has(|body| matches!(body, EventBody::PlanProposed { .. })));
}
