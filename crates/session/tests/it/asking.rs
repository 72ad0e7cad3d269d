//! Agents at work ask models through the same loop as phases.

use candor_model::{
    AgentNote, Ask, AskId, AskStep, Consulted, Effect, EventBody, FailureKind, ModelErrorKind, Money,
    Seconds, Tier,
};
use candor_session::{AgentRequest, Answer, Outcome, SessionInput, Ticket};
use candor_testkit::consulting;
use serde_json::{Value, json};

use crate::hand::{Hand, attempt, success};

fn ask(hand: &mut Hand, cents: u64) -> Ticket {
    ask_as(hand, "act_1", cents)
}

fn ask_as(hand: &mut Hand, name: &str, cents: u64) -> Ticket {
    let ask = Box::new(Ask::expecting::<Value>("act", Tier::Balanced));
    let (left, within) = (Money::from_micros(cents), Seconds::whole(20));
    let request = AgentRequest::Consult { name: name.to_owned(), ask, left, within };
    hand.session.handle(SessionInput::Agent { from: attempt(1), request }, hand.now).unwrap()
}

fn call(hand: &mut Hand) -> Option<(AskId, u32)> {
    hand.commit();
    hand.effects().into_iter().find_map(|effect| match effect {
        Effect::AskModel(request) => Some((request.id, request.number)),
        _ => None,
    })
}

fn answer(hand: &mut Hand, (ask, number): (AskId, u32), step: Consulted) {
    let outcome = Outcome::Model { ask, number, step: Box::new(step) };
    hand.session.handle(SessionInput::Outcome(outcome), hand.now).unwrap();
    hand.commit();
}

fn reply(hand: &mut Hand, to: Ticket) -> Option<Result<Value, String>> {
    std::iter::from_fn(|| hand.session.poll_reply()).find_map(|(ticket, reply)| match reply {
        Ok(Answer::Model { answer, .. }) if ticket == to => Some(answer),
        _ => None,
    })
}

fn accepted() -> Consulted {
    Consulted {
        call: Some(consulting::answered("{}", 60)),
        outcome: consulting::accepted_as(json!({ "a": 1 })),
    }
}

#[test]
fn an_answer_is_on_the_log_before_it_is_given_out_and_is_not_asked_for_again() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    let ticket = ask(&mut hand, 1_000);
    let open = call(&mut hand).expect("a model is called");
    assert_eq!(reply(&mut hand, ticket), None);
    answer(&mut hand, open, accepted());
    assert_eq!(reply(&mut hand, ticket), Some(Ok(json!({ "a": 1 }))));
    let again = ask(&mut hand, 1_000);
    assert_eq!(call(&mut hand), None, "what was answered under that name is known");
    assert_eq!(reply(&mut hand, again), Some(Ok(json!({ "a": 1 }))));
}

#[test]
fn a_repetition_is_another_call_and_what_was_spent_is_gone() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    let ticket = ask(&mut hand, 150);
    let open = call(&mut hand).unwrap();
    let repeat = AskStep::AskAgain { problems: vec!["`a` is missing".to_owned()] };
    answer(&mut hand, open, Consulted { call: Some(consulting::answered("{", 60)), outcome: repeat });
    // 90 are left, and a call can cost 100.
    assert_eq!(call(&mut hand), None);
    let told = reply(&mut hand, ticket).unwrap().unwrap_err();
    assert!(told.contains("are left"), "{told}");
}

#[test]
fn a_call_that_is_not_made_says_of_which_kind_the_reason_is() {
    let gave_up = |money: u64, seconds: u32| {
        let mut hand = Hand::at_work(1);
        hand.effects();
        let ask = Box::new(Ask::expecting::<Value>("act", Tier::Balanced));
        let (left, within) = (Money::from_micros(money), Seconds::whole(seconds));
        let request = AgentRequest::Consult { name: "act_1".to_owned(), ask, left, within };
        hand.session.handle(SessionInput::Agent { from: attempt(1), request }, hand.now).unwrap();
        assert_eq!(call(&mut hand), None);
        hand.log.iter().find_map(|recorded| match &recorded.event.body {
            EventBody::AgentNoted { note, .. } => match note.as_ref() {
                AgentNote::Consulted { step, .. } => match &step.outcome {
                    AskStep::GiveUp { kind, .. } => *kind,
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
    };
    assert_eq!(gave_up(10, 20), Some(FailureKind::OverBudget));
    assert_eq!(gave_up(1_000, 0), Some(FailureKind::Timeout));
}

#[test]
fn a_model_that_keeps_failing_is_not_called_while_its_circuit_is_open() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    for n in 1..=3 {
        ask_as(&mut hand, &format!("act_{n}"), 1_000);
        let open = call(&mut hand).expect("the circuit is closed");
        let failed = Some(consulting::failed(ModelErrorKind::Timeout));
        answer(&mut hand, open, Consulted { call: failed, outcome: consulting::give_up("timeout") });
    }
    let ticket = ask_as(&mut hand, "act_4", 1_000);
    assert_eq!(call(&mut hand), None);
    assert!(reply(&mut hand, ticket).unwrap().is_err());
    assert!(hand.has(|body| matches!(body, EventBody::ModelBreakerOpened { .. })), "the run is told");
}

#[test]
fn a_model_whose_answers_are_of_no_use_is_still_there() {
    // spec: findings RC-13
    for useless in [consulting::answered("no JSON", 0), consulting::failed(ModelErrorKind::RateLimit)] {
        let mut hand = Hand::at_work(1);
        hand.effects();
        for n in 1..=4 {
            ask_as(&mut hand, &format!("act_{n}"), 1_000);
            let open = call(&mut hand).expect("the circuit is closed");
            let call = Some(useless.clone());
            answer(&mut hand, open, Consulted { call, outcome: consulting::give_up("no JSON") });
        }
    }
}

#[test]
fn when_the_attempt_ends_its_questions_end_with_it() {
    let mut hand = Hand::at_work(1);
    hand.effects();
    let ticket = ask(&mut hand, 1_000);
    let open = call(&mut hand).unwrap();
    hand.ends(1, success());
    hand.commit();
    assert!(reply(&mut hand, ticket).unwrap().is_err());
    assert_eq!(hand.cancelled().len(), 1, "the call is cancelled");
    // Its answer comes all the same, and harms nobody.
    answer(&mut hand, open, accepted());
}
