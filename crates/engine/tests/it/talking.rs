//! Agents talk: warnings that stop everything, advice that contradicts, questions that wait for each other.

use candor_engine::{Input, Refusal};
use candor_model::{
    Broadcast, ChoiceKind, EventBody, JsonMap, MessagePriority, MessageType, Phase, Query, QueryResponse,
    QueryType, RunSettings, RunStatus, Tier,
};
use candor_testkit::fixtures::{paris_plan, task_id};
use candor_testkit::phase_fixtures::{advice, message};
use candor_testkit::scenario::Scenario;
use serde_json::json;

fn tell(run: &mut Scenario, message: Broadcast) {
    run.take(Input::Broadcast { message: message.into(), rules: Box::default() });
}

fn warning(priority: MessagePriority) -> Broadcast {
    message(Phase::Execution, "flight_agent", MessageType::Warning, priority, "the card was charged twice")
}

fn query(id: &str, from: &str, to: &str) -> Input {
    Input::Query {
        query: Box::new(Query {
            id: id.to_owned(),
            from_agent: from.to_owned(),
            task_id: task_id("task_001"),
            to_agent: to.to_owned(),
            query_type: QueryType::Data,
            query: "which dates?".to_owned(),
            context: JsonMap::new(),
            timeout: 5_000,
        }),
    }
}

fn response(id: &str) -> Input {
    Input::QueryAnswered {
        response: Box::new(QueryResponse {
            from_agent: "hotel_agent".to_owned(),
            to_agent: "flight_agent".to_owned(),
            query_id: id.to_owned(),
            response: Ok(json!("5 to 8 May")),
            confidence: 90,
            processing_time: 12,
        }),
    }
}

#[test]
fn a_critical_warning_is_one_question_and_nothing_starts() {
    // spec: orchestrator AC-06
    let mut run = Scenario::paris();
    tell(&mut run, warning(MessagePriority::Critical));
    assert!(run.choice().1.text.contains("the card was charged twice"));
    tell(&mut run, warning(MessagePriority::Critical));
    assert_eq!(run.state.open_questions().len(), 1, "the same warning twice is one question");
    run.succeed("task_001");
    assert!(run.started().is_empty(), "the phase is paused");
    run.choose("continue", "");
    assert_eq!(run.started(), ["task_002"]);
    tell(&mut run, warning(MessagePriority::High));
    assert!(run.state.open_questions().is_empty(), "what is not critical is only told");
    assert_eq!(run.state.messages().len(), 3, "all messages are kept");
}

#[test]
fn with_nobody_there_a_critical_warning_stops_the_run() {
    // spec: orchestrator AC-06 FD-08
    let settings = RunSettings { unattended: true, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    tell(&mut run, warning(MessagePriority::Critical));
    run.stop_all();
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn nobody_is_asked_how_to_go_on_with_what_ends() {
    let mut run = Scenario::paris();
    run.take(Input::Cancel { reason: "enough".to_owned() });
    tell(&mut run, warning(MessagePriority::Critical));
    assert!(run.state.open_questions().is_empty());
    run.stop_all();
    assert_eq!(run.state.status(), RunStatus::Cancelled);
}

fn resolved(run: &Scenario) -> Option<String> {
    run.last.iter().find_map(|body| match body {
        EventBody::ConflictResolved(resolved) => Some(resolved.resolution.clone()),
        _ => None,
    })
}

#[test]
fn advice_that_contradicts_is_settled_by_rule() {
    // spec: orchestrator CR-01 CR-03 CR-04 CR-05 CR-11
    let cases = [
        (
            json!({ "topic": "model", "text": "a quick one", "model": Tier::Fast, "confidence": 90 }),
            json!({ "topic": "Model", "text": "a better one", "model": Tier::Balanced, "confidence": 60 }),
            "hotel_agent",
        ),
        (
            json!({ "topic": "page", "text": "write a new one", "confidence": 90,
                "approach": { "kind": "create", "filesCreated": 3 } }),
            json!({ "topic": "page", "text": "extend the old one", "confidence": 60,
                "approach": { "kind": "extend", "filesModified": 1 } }),
            "hotel_agent",
        ),
        (
            json!({ "topic": "order", "text": "polish the logo", "priority": "logo", "confidence": 80 }),
            json!({ "topic": "order", "text": "plan the trip to Paris in May", "priority": "trip to Paris",
                "confidence": 80 }),
            "hotel_agent",
        ),
    ];
    for (one, other, winner) in cases {
        let mut run = Scenario::paris();
        tell(&mut run, advice("flight_agent", &one));
        assert_eq!(resolved(&run), None, "one voice contradicts nobody");
        tell(&mut run, advice("hotel_agent", &other));
        let resolution = resolved(&run).unwrap();
        assert!(resolution.starts_with(winner), "{resolution}");
        assert!(run.state.open_questions().is_empty(), "nobody is asked");
        let on_record = run.last.iter().any(|body| {
            matches!(body, EventBody::DecisionMade { entry } if entry.operation == "conflict_resolution")
        });
        assert!(on_record);
        tell(&mut run, advice("hotel_agent", &other));
        assert_eq!(resolved(&run), None, "the same advice again changes nothing");
    }
}

#[test]
fn a_tie_and_a_risk_are_for_a_person() {
    // spec: orchestrator CR-06 CR-07
    let tie = |text: &str| json!({ "topic": "colour", "text": text, "confidence": 80 });
    let risky = |text: &str| json!({ "topic": "database", "text": text, "model": Tier::Strong, "confidence": 95, "risks": ["data_loss"] });
    let mut run = Scenario::paris();
    tell(&mut run, advice("flight_agent", &tie("red")));
    tell(&mut run, advice("hotel_agent", &tie("blue")));
    let (_, request) = run.choice();
    assert_eq!((request.about, request.default), (ChoiceKind::Conflict, None));
    run.choose("2", "");
    assert!(resolved(&run).unwrap().contains("blue"));
    let mut run = Scenario::paris();
    tell(&mut run, advice("flight_agent", &risky("drop the table")));
    tell(&mut run, advice("hotel_agent", &risky("keep the table")));
    assert_eq!(run.choice().1.default.as_deref(), Some("stop"), "what can do harm is not done by default");
    run.succeed("task_001");
    assert!(run.started().is_empty());
    run.choose("stop", "");
    run.stop_all();
    assert_eq!(run.state.status(), RunStatus::Aborted);
}

#[test]
fn agents_do_not_wait_for_each_other_in_circles() {
    // spec: orchestrator AC-08 AC-09 AC-10 AC-12
    let mut run = Scenario::paris();
    run.take(query("q1", "flight_agent", "hotel_agent"));
    let twice = run.try_take(query("q1", "flight_agent", "activity_agent"));
    assert!(matches!(twice, Err(Refusal::BadQuery { .. })));
    run.take(query("q2", "hotel_agent", "activity_agent"));
    let circle = run.try_take(query("q3", "activity_agent", "flight_agent"));
    assert!(matches!(circle, Err(Refusal::BadQuery { reason, .. }) if reason.contains("for ever")));
    let own = run.try_take(query("q4", "flight_agent", "flight_agent"));
    assert!(own.is_err(), "nobody waits for themselves");
    run.take(response("q1"));
    assert!(matches!(run.try_take(response("q1")), Err(Refusal::BadQuery { .. })), "answered once");
    run.take(query("q3", "activity_agent", "flight_agent"));
    assert_eq!(run.state.open_queries().count(), 2);
}

#[test]
fn questions_end_with_the_attempt_that_asked_them() {
    // spec: orchestrator AC-10
    let mut run = Scenario::paris();
    run.take(query("q1", "flight_agent", "hotel_agent"));
    run.succeed("task_001");
    assert_eq!(run.state.open_queries().count(), 0);
    run.take(query("q2", "hotel_agent", "flight_agent"));
}

#[test]
fn whoever_asked_asks_again_after_a_restart() {
    // spec: orchestrator AC-10
    let mut run = Scenario::paris();
    run.take(query("q1", "flight_agent", "hotel_agent"));
    run.take(Input::TakenUp);
    let told = run.last.iter().any(|body| {
        matches!(body, EventBody::QueryAnswered { response } if response.query_id == "q1" && response.response.is_err())
    });
    assert!(told);
    run.take(query("q1", "flight_agent", "hotel_agent"));
}

#[test]
fn advice_of_one_phase_is_not_heard_in_another() {
    // spec: orchestrator AC-03
    let mut run = Scenario::paris();
    let tie = |text: &str| json!({ "topic": "colour", "text": text, "confidence": 80 });
    let mut earlier = advice("flight_agent", &tie("red"));
    earlier.phase = Phase::Evaluation;
    tell(&mut run, earlier);
    tell(&mut run, advice("hotel_agent", &tie("blue")));
    assert!(run.state.open_questions().is_empty());
}
