//! Faults on purpose.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{failure, order, perform, reason, sh, takes_less_than};
use candor_agents::{Fault, FaultKind, Faulty, builtin};
use candor_model::{FeedbackType, JsonMap};
use candor_ports::{Agent, AgentFailure};
use tokio_util::sync::CancellationToken;

fn faulty(kind: FaultKind, times: Option<u32>) -> Faulty {
    Faulty::new(builtin("noop", &JsonMap::new(), &|_| None).unwrap(), kind, times)
}

#[test]
fn faults_are_read_as_people_write_them() {
    let fault: Fault = "flight_agent=timeout:2".parse().unwrap();
    assert_eq!(
        (fault.agent_type.as_str(), fault.kind, fault.times),
        ("flight_agent", FaultKind::Timeout, Some(2))
    );
    for name in FaultKind::NAMES {
        let fault: Fault = format!("a={name}").parse().unwrap();
        assert_eq!((fault.kind.as_str(), fault.times), (*name, None));
    }
    let cases = [
        ("flight_agent", "AGENT=KIND"),
        ("a=time_out", "did you mean `timeout`?"),
        ("a=", "known: timeout"),
        ("=error", "must not be empty"),
        ("a b=error", "must not contain"),
        ("a=error:0", "above 0"),
        ("a=error:-1", "above 0"),
        ("a=error:x", "above 0"),
    ];
    for (text, problem) in cases {
        let error = text.parse::<Fault>().unwrap_err().to_string();
        assert!(error.contains(problem) && error.contains(text), "{error}");
    }
}

#[tokio::test]
async fn a_fault_strikes_as_often_as_asked_and_then_the_agent_works() {
    let agent = faulty(FaultKind::Error, Some(2));
    for _ in 0..2 {
        assert_eq!(reason(&agent, &order(5.0)).await, "injected error");
    }
    assert!(perform(&agent, &order(5.0)).await.is_ok());
    let always = faulty(FaultKind::Unavailable, None);
    for _ in 0..3 {
        assert!(reason(&always, &order(5.0)).await.contains("unavailable"));
    }
}

#[tokio::test]
async fn a_timeout_ends_at_the_deadline_or_when_stopped() {
    let agent = faulty(FaultKind::Timeout, None);
    let start = Instant::now();
    assert_eq!(reason(&agent, &order(0.2)).await, "Agent timeout after 0.2s");
    assert!(start.elapsed() >= Duration::from_millis(200));
    let stop = CancellationToken::new();
    stop.cancel();
    assert_eq!(agent.perform(&order(60.0), stop).await, Err(AgentFailure::Stopped));
}

#[tokio::test]
async fn a_crash_and_garbage_are_real() {
    let crash = reason(&faulty(FaultKind::Crash, None), &order(5.0)).await;
    assert!(crash.contains("SIGKILL") && crash.contains("injected crash"), "{crash}");
    let garbage = reason(&faulty(FaultKind::Garbage, None), &order(5.0)).await;
    assert!(garbage.contains("JSON") && garbage.contains("injected garbage"), "{garbage}");
}

#[tokio::test]
async fn a_slow_agent_keeps_the_deadline_of_the_whole_order() {
    let start = Instant::now();
    assert!(perform(&faulty(FaultKind::Slow, None), &order(0.4)).await.is_ok());
    assert!(start.elapsed() >= Duration::from_millis(200));
    let endless = Faulty::new(Arc::new(sh("echo hm >&2; sleep 60")), FaultKind::Slow, None);
    takes_less_than(Duration::from_millis(500), async || {
        let failure = failure(&endless, &order(0.4)).await;
        assert_eq!(failure.message, "Agent timeout after 0.4s");
        assert_eq!(failure.detail.as_deref(), Some("hm"));
    })
    .await;
}

#[tokio::test]
async fn there_is_a_fault_for_every_way_to_plan_anew() {
    let complex = perform(&faulty(FaultKind::TooComplex, None), &order(5.0)).await.unwrap();
    assert_eq!(
        (complex.verdict(), complex.errors[0].as_str()),
        (FeedbackType::Failure, "Task too complex to execute")
    );
    let booked = perform(&faulty(FaultKind::FullyBooked, None), &order(5.0)).await.unwrap();
    assert_eq!(booked.errors, ["Preferred option fully booked"]);
    assert!(!booked.outputs.is_empty(), "it says which choice was refused");
    let over = perform(&faulty(FaultKind::OverBudget, None), &order(5.0)).await.unwrap();
    assert_eq!(over.verdict(), FeedbackType::ConstraintViolation);
    assert_eq!(over.errors, ["Total cost $2150 exceeds budget $2000"]);
    assert_eq!(
        (over.outputs["overage"].as_i64(), over.outputs["breakdown"]["flight"].as_i64()),
        (Some(150), Some(720))
    );
}
