//! What agents tell everyone.

use std::sync::Arc;
use std::time::Duration;

use candor_model::{
    AgentAnswer, ChoiceKind, EventBody, FailureKind, JsonMap, MAX_TELLINGS, MessagePriority, MessageType,
    Phase, Question, RunStatus, Telling, WorkOrder,
};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::block_on;
use super::crew::{Crew, asked, choose, outputs, plan, told};

#[test]
fn a_pressing_discovery_arrives_before_the_listener_finishes() {
    // spec: orchestrator AC-01 AC-02 AC-04 AC-12
    block_on(async {
        let crew = Crew::new()
            .with(
                "listener",
                r#"
call({"listen": True})
mark("listening")
line.settimeout(10)
heard = receive()["message"]
done(heard=heard)
"#,
            )
            .with(
                "finder",
                r#"
wait_for("listening")
replies = [tell("discovery", "low", "a detail"), tell("completion", "high", "half is done"),
           tell("discovery", "high", "the contract has ended", implication="ask for a new one")]
done(replies=replies)
"#,
            );
        let log = crew.complete(plan(&[("listener", &[]), ("finder", &[])])).await;
        let heard = &outputs(&log, 1)["heard"];
        assert_eq!(heard["content"], "the contract has ended", "only what is pressing is pushed");
        assert_eq!(heard["fromAgent"], "finder", "who speaks is not theirs to say");
        assert_eq!(heard["taskId"], "task_002");
        assert_eq!(heard["data"]["implication"], "ask for a new one");
        assert_eq!(outputs(&log, 2)["replies"], json!([{"ok": true}, {"ok": true}, {"ok": true}]));
        let told = told(&log);
        assert_eq!(told.len(), 3, "as many on the log as were sent");
        assert!(
            told.iter().all(|message| message.phase == Phase::Execution && message.from_agent == "finder")
        );
        let place = |wanted: fn(&EventBody) -> bool| {
            log.iter().position(|recorded| wanted(&recorded.event.body)).unwrap()
        };
        let said = place(
            |body| matches!(body, EventBody::Broadcast { message } if message.content.contains("contract")),
        );
        let finished = place(
            |body| matches!(body, EventBody::TaskSucceeded { task_id, .. } if task_id.as_str() == "task_001"),
        );
        assert!(said < finished, "it is on the log before anyone acts on it");
    });
}

#[test]
fn a_critical_warning_opens_one_gate_and_nothing_new_begins() {
    // spec: orchestrator AC-06
    block_on(async {
        let crew = Crew::new()
            .with("careful", r#"tell("warning", "critical", "this deletes the customers"); done()"#)
            .with("next", r#"mark("begun"); done()"#);
        let run = crew.start(plan(&[("careful", &[]), ("next", &[1])])).await;
        let questions = asked(&run).await;
        assert_eq!(questions.len(), 1, "{questions:?}");
        let (gate, Question::Choice(request)) = &questions[0] else { panic!("{questions:?}") };
        assert_eq!(request.about, ChoiceKind::Warning);
        assert!(request.text.contains("careful (at task_001) warns: this deletes the customers"));
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!crew.folder().join("begun").exists(), "something new was begun");
        assert_eq!(run.snapshot().borrow().status, RunStatus::WaitingHuman);
        choose(&run, gate, "continue").await;
        let log = crew.ends(run).await;
        assert!(crew.folder().join("begun").exists());
        let gates = log.iter().filter(|it| matches!(it.event.body, EventBody::HumanAsked { .. })).count();
        assert_eq!(gates, 1);
    });
}

#[test]
fn what_a_final_answer_tells_is_told_before_its_outcome() {
    // spec: orchestrator AC-06 AC-12
    block_on(async {
        let crew = Crew::new().with(
            "silent",
            r#"
print(json.dumps({"outputs": {}, "messages": [
    {"messageType": "discovery", "priority": "low", "content": "first"},
    {"messageType": "warning", "priority": "critical", "content": "second"}]}))
"#,
        );
        let crew = crew.with("next", r#"done()"#);
        let run = crew.start(plan(&[("silent", &[]), ("next", &[1])])).await;
        let questions = asked(&run).await;
        let log = crew.read().await;
        let kinds: Vec<&str> = log
            .iter()
            .filter_map(|recorded| match &recorded.event.body {
                EventBody::Broadcast { message } if message.phase == Phase::Execution => {
                    message.task_id.as_ref().map(|_| "told")
                }
                EventBody::HumanAsked { .. } => Some("asked"),
                EventBody::TaskSucceeded { .. } => Some("succeeded"),
                _ => None,
            })
            .collect();
        assert_eq!(kinds, ["told", "told", "asked", "succeeded"]);
        choose(&run, &questions[0].0, "stop").await;
        assert_eq!(run.ended().await.unwrap(), RunStatus::Aborted);
    });
}

#[test]
fn an_attempt_may_say_so_much_and_no_more() {
    block_on(async {
        let crew = Crew::new().with(
            "chatterbox",
            r#"
replies = [tell("discovery", "low", str(n)) for n in range(1005)]
print(json.dumps({"outputs": {"ok": sum("ok" in reply for reply in replies), "last": replies[-1]},
    "messages": [{"messageType": "discovery", "content": "one more"}] * 3}))
"#,
        );
        let log = crew.complete(plan(&[("chatterbox", &[])])).await;
        let outputs = outputs(&log, 1);
        assert_eq!(outputs["ok"], MAX_TELLINGS);
        assert!(outputs["last"]["error"].as_str().unwrap().contains("at most 1000"), "{outputs}");
        let told = told(&log);
        assert_eq!(told.len(), MAX_TELLINGS + 1);
        let last = told.last().unwrap();
        assert_eq!((last.message_type, last.priority), (MessageType::Warning, MessagePriority::Medium));
        assert!(last.content.starts_with("3 more messages were left out"), "{}", last.content);
    });
}

/// An agent inside the process, which tells many things at once.
struct Choir;

impl Agent for Choir {
    fn perform<'a>(
        &'a self,
        _order: &'a WorkOrder,
        _stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(std::future::ready(Err(AgentFailure::failed(FailureKind::TaskError, "nobody to sing to"))))
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        colleagues: Arc<dyn AttemptContext>,
        _stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move {
            let mut voices = tokio::task::JoinSet::new();
            for voice in 0..100 {
                let (colleagues, content) = (Arc::clone(&colleagues), format!("{} {voice}", order.task_id));
                voices.spawn(async move {
                    let (message_type, priority) = (MessageType::Discovery, MessagePriority::Low);
                    let telling = Telling { message_type, priority, content, data: JsonMap::new() };
                    colleagues.tell(telling).await.unwrap();
                });
            }
            voices.join_all().await;
            Ok(AgentAnswer::success(
                [("heard".to_owned(), json!(colleagues.heard().len()))].into_iter().collect(),
            ))
        })
    }
}

#[test]
fn a_hundred_voices_at_once_lose_nothing() {
    // spec: orchestrator SS-05 AC-03 AC-12
    block_on(async {
        let crew = Crew::new().with_agent("choir", Arc::new(Choir));
        let log = crew.complete(plan(&[("choir", &[]), ("choir", &[]), ("choir", &[1, 2])])).await;
        let mut contents: Vec<String> = told(&log).into_iter().map(|message| message.content).collect();
        assert_eq!(contents.len(), 300);
        contents.sort();
        contents.dedup();
        assert_eq!(contents.len(), 300, "each exactly once");
        let all = log.iter().filter(|it| matches!(it.event.body, EventBody::Broadcast { .. })).count();
        assert!(all > 300, "the phases have told something too");
        assert_eq!(outputs(&log, 3)["heard"], 300, "what was told before, in this phase and no other");
    });
}

#[test]
fn an_agent_without_a_whole_brief_is_not_started() {
    // spec: orchestrator SC-11
    block_on(async {
        let crew = Crew::new().with("worker", r#"mark("begun"); done()"#);
        let mut plan = plan(&[("worker", &[])]);
        plan.subtasks[0].metadata.tools = vec![" ".to_owned()];
        let run = crew.start(plan).await;
        asked(&run).await;
        let log = crew.read().await;
        let errors: Vec<String> = log
            .iter()
            .filter_map(|recorded| match &recorded.event.body {
                EventBody::TaskFailed { feedback, .. } => Some(feedback.errors.join("; ")),
                _ => None,
            })
            .collect();
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|error| error.contains("its brief's `tools`")), "{errors:?}");
        assert!(!crew.folder().join("begun").exists());
        run.leave().await.unwrap();
    });
}
