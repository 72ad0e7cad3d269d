//! What everyone at work on a run may know.
use std::sync::{Arc, Mutex};

use candor_model::{
    Account, Broadcast, Event, EventBody, FeedbackType, Handoff, JsonMap, MessagePriority, MessageType,
    Money, Phase, PhaseMetrics, Query, QueryResponse, QueryType, ReadFile, RunId, RunSettings, Seconds,
    SpokenBy, Timestamp,
};
use candor_planning::shared::SharedState;
use candor_testkit::fixtures::{agent_type, dollars, feedback, object, task_id};
use serde_json::json;

fn run(name: &str) -> RunId {
    RunId::new(name).unwrap()
}

fn second(n: i64) -> Timestamp {
    Timestamp::from_millis(n * 1_000)
}

fn state() -> SharedState {
    let mut state = SharedState::new(run("run_1"));
    let body = EventBody::RunStarted {
        run_id: run("run_1"),
        request: "Plan a trip".to_owned(),
        settings: Box::new(RunSettings::default()),
        flags: [].into(),
        material: None,
        forked_from: None,
        origin: None,
    };
    state.apply(&Event::new(second(1), body));
    state
}

fn told(kind: MessageType, from: &str, content: &str) -> EventBody {
    EventBody::Broadcast {
        message: Arc::new(Broadcast {
            phase: Phase::Execution,
            from_agent: from.to_owned(),
            task_id: None,
            message_type: kind,
            priority: MessagePriority::High,
            content: content.to_owned(),
            data: JsonMap::new(),
        }),
    }
}

fn ended(phase: Phase, tokens: u64, millis: u64) -> EventBody {
    let mut handoff = Handoff::new(
        SpokenBy::Heuristic,
        format!("{phase} done"),
        object(json!({ "left_by": phase, "cached": false })),
    );
    handoff.context.tools_used = vec!["search".to_owned()];
    let metrics = PhaseMetrics {
        tokens_used: tokens,
        duration: Seconds::from_millis(millis),
        ..PhaseMetrics::default()
    };
    EventBody::PhaseCompleted { phase, handoff: Arc::new(handoff), metrics: Some(Box::new(metrics)) }
}

fn read(path: &str, text: &str, modified: Option<Timestamp>) -> EventBody {
    let bytes = text.len() as u64;
    let file =
        ReadFile { path: path.to_owned(), bytes, modified, hash: String::new(), text: Ok(text.to_owned()) };
    EventBody::FilesRead { files: vec![file] }
}

fn succeeded(outputs: serde_json::Value) -> EventBody {
    let mut done = feedback(1, FeedbackType::Success, &[]);
    done.actual_outputs = object(outputs);
    done.cost = dollars(0.02);
    EventBody::TaskSucceeded { task_id: task_id("task_001"), attempt: 1, feedback: Arc::new(done) }
}

fn apply(state: &mut SharedState, at: i64, bodies: impl IntoIterator<Item = EventBody>) {
    bodies.into_iter().for_each(|body| state.apply(&Event::new(second(at), body)));
}

#[test]
fn two_runs_do_not_see_each_other() {
    // spec: orchestrator SS-01 X-89
    let (mut one, other) = (state(), SharedState::new(run("run_2")));
    apply(&mut one, 2, [told(MessageType::Discovery, "a", "a secret")]);
    assert_eq!((one.context.discoveries.len(), other.context.discoveries.len()), (1, 0));
    assert_eq!((one.task_id.as_str(), one.start_time), ("run_1", Some(second(1))));
    let note = &one.context.discoveries[0];
    // spec: orchestrator X-86
    assert_eq!((note.id.as_str(), note.source.as_str(), note.at), ("discovery_1", "a", second(2)));
}

#[test]
fn counts_of_handoffs_messages_and_questions_match_what_happened() {
    // spec: orchestrator HO-11 AC-01 AC-09 AC-12 SS-04
    let mut state = state();
    apply(&mut state, 2, Phase::ALL.iter().map(|phase| ended(*phase, 10, 500)));
    apply(&mut state, 3, [told(MessageType::Warning, "a", "w"), told(MessageType::Completion, "a", "c")]);
    let query = |id: &str| EventBody::AgentQueried {
        query: Box::new(Query {
            id: id.to_owned(),
            from_agent: "a".to_owned(),
            task_id: task_id("task_001"),
            to_agent: "b".to_owned(),
            query_type: QueryType::Opinion,
            query: "?".to_owned(),
            context: JsonMap::new(),
            timeout: 5_000,
        }),
    };
    let answer = QueryResponse {
        from_agent: "b".to_owned(),
        to_agent: "a".to_owned(),
        query_id: "q1".to_owned(),
        response: Ok(json!("yes")),
        confidence: 90,
        processing_time: 3,
    };
    apply(&mut state, 4, [query("q1"), query("q2"), EventBody::QueryAnswered { response: Box::new(answer) }]);
    let talk = &state.communication;
    assert_eq!((talk.handoffs.len(), talk.broadcasts.len(), talk.queries.len()), (8, 2, 2));
    assert_eq!(talk.handoffs[0].to, Some(Phase::Context));
    assert!(talk.queries[0].response.is_some() && talk.queries[1].response.is_none());
    assert_eq!((state.context.warnings.len(), state.context.discoveries.len()), (1, 0));
}

#[test]
fn totals_equal_sums() {
    // spec: orchestrator SS-03
    let mut state = state();
    apply(&mut state, 2, [ended(Phase::Evaluation, 300, 1_200), ended(Phase::Planning, 100, 800)]);
    let charged = |amount| EventBody::Charged {
        account: Account::Execution,
        what: "x".to_owned(),
        amount,
        total: Money::ZERO,
        payee: None,
    };
    apply(&mut state, 3, [charged(dollars(0.5)), charged(dollars(0.25))]);
    let given = EventBody::TaskDispatched {
        task_id: task_id("task_001"),
        attempt: 1,
        agent_type: agent_type("hotel_agent"),
        deadline: second(99),
        reserved: Money::ZERO,
    };
    apply(&mut state, 4, [given, succeeded(json!({}))]);
    let metrics = &state.metrics;
    assert_eq!(metrics.total_tokens, metrics.phase_metrics.values().map(|it| it.tokens_used).sum::<u64>());
    assert_eq!(metrics.total_duration, metrics.phase_metrics.values().map(|it| it.duration).sum());
    assert_eq!((metrics.total_tokens, metrics.total_duration.get()), (400, 2.0));
    assert_eq!(metrics.total_cost, dollars(0.75));
    let agent = metrics.agent_metrics[&agent_type("hotel_agent")];
    assert_eq!((agent.attempts, agent.successes, agent.cost), (1, 1, dollars(0.02)));
}

#[test]
fn both_contents_of_an_edited_file_are_kept() {
    // spec: orchestrator SS-02
    let mut state = state();
    apply(&mut state, 2, [read("a.rs", "old", Some(second(0)))]);
    let edit = |text: &str| json!({ "files_modified": [{ "path": "a.rs", "new": text }, "b.rs"] });
    apply(&mut state, 3, [succeeded(edit("newer")), succeeded(edit("newest"))]);
    let file = &state.context.files_modified["a.rs"];
    assert_eq!((file.original.as_deref(), file.new.as_deref()), (Some("old"), Some("newest")));
    assert!(state.context.files_modified.contains_key("b.rs"));
    assert_eq!(state.context.files_read["a.rs"].content, "newest", "what was written is known");
}

#[test]
fn a_restored_state_goes_on_as_if_nothing_had_happened() {
    // spec: orchestrator SS-08
    let mut lasting = state();
    apply(&mut lasting, 2, [told(MessageType::Discovery, "a", "found"), read("a.rs", "x", None)]);
    let mut restored: SharedState = serde_json::from_str(&serde_json::to_string(&lasting).unwrap()).unwrap();
    for state in [&mut lasting, &mut restored] {
        apply(state, 3, [told(MessageType::Discovery, "b", "more"), ended(Phase::Context, 5, 5)]);
    }
    assert_eq!(restored, lasting);
    assert_eq!(restored.context.discoveries.len(), 2);
}

#[test]
fn a_hundred_writers_at_once_lose_nothing() {
    // spec: orchestrator SS-05
    let state = Mutex::new(state());
    std::thread::scope(|scope| {
        for n in 0..100 {
            let state = &state;
            scope.spawn(move || state.lock().unwrap().add_discovery("a", &format!("{n}"), second(2)));
        }
    });
    let state = state.into_inner().unwrap();
    let ids: std::collections::BTreeSet<&str> =
        state.context.discoveries.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), 100);
}
