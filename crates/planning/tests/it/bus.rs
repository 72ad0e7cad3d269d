//! Which messages are pushed, and agents that would wait for each other.
use candor_model::{Broadcast, JsonMap, MessagePriority, MessageType, Phase, Query, QueryType};
use candor_planning::bus::would_wait_in_circles;
use candor_testkit::fixtures::task_id;
use proptest::prelude::*;

fn message(phase: Phase, from: &str, message_type: MessageType, priority: MessagePriority) -> Broadcast {
    Broadcast {
        phase,
        from_agent: from.to_owned(),
        task_id: None,
        message_type,
        priority,
        content: "…".to_owned(),
        data: JsonMap::new(),
    }
}

fn query(from: &str, to: &str) -> Query {
    Query {
        id: format!("{from}-{to}"),
        from_agent: from.to_owned(),
        task_id: task_id("task_001"),
        to_agent: to.to_owned(),
        query_type: QueryType::Data,
        query: "?".to_owned(),
        context: JsonMap::new(),
        timeout: 5_000,
    }
}

#[test]
fn only_discoveries_that_matter_are_pushed() {
    // spec: orchestrator AC-04 X-88
    for kind in MessageType::ALL {
        for priority in MessagePriority::ALL {
            let high = matches!(priority, MessagePriority::High | MessagePriority::Critical);
            let expected = *kind == MessageType::Discovery && high;
            assert_eq!(
                message(Phase::Evaluation, "a", *kind, *priority).is_pressing(),
                expected,
                "{kind} {priority}"
            );
        }
    }
}

#[test]
fn waiting_in_circles_is_seen_before_it_happens() {
    // spec: orchestrator AC-10
    let open = [query("a", "b"), query("b", "c")];
    assert!(would_wait_in_circles(&open, &query("c", "a")));
    assert!(would_wait_in_circles(&[], &query("a", "a")));
    assert!(!would_wait_in_circles(&open, &query("a", "c")));
    assert!(!would_wait_in_circles(&open, &query("d", "a")));
}

proptest! {
    #[test]
    fn questions_that_are_let_through_never_close_a_circle(pairs in prop::collection::vec((0..6u8, 0..6u8), 0..30)) {
        // spec: orchestrator AC-10
        let mut open: Vec<Query> = Vec::new();
        for (from, to) in pairs {
            let new = query(&from.to_string(), &to.to_string());
            if !would_wait_in_circles(&open, &new) {
                open.push(new);
            }
        }
        // Whoever waits for nobody answers, until nobody waits: a circle would be left over.
        while !open.is_empty() {
            let before = open.len();
            let waiting: Vec<String> = open.iter().map(|query| query.from_agent.clone()).collect();
            open.retain(|query| waiting.contains(&query.to_agent));
            prop_assert!(open.len() < before, "left over: {:?}", open);
        }
    }
}
