//! Remote agents by A2A, with a real peer: `a2a_peer.py`, made with the protocol's own Python SDK.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::attempt_context::MemoryContext;
use crate::common::{connect, order};
use candor_agents::{A2aAgent, A2aConfig, A2aError};
use candor_model::{
    AgentAnswer, AgentNote, ChoiceKind, JsonMap, MessagePriority, Query, QueryType, RunId, TaskId, ToolCall,
    ToolHints, WorkOrder,
};
use candor_ports::{Agent, AgentFailure};
use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// How long a test waits for something that has to happen, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A peer that runs, and ends with the test.
struct Peer {
    child: Child,
    url: String,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Starts a peer; nothing, and a line that says so, if there is none on this machine.
    fn start(options: &[&str]) -> Option<Self> {
        let peers = or_skipped(Peers::find())?;
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/a2a_peer.py");
        let mut command = Command::new(peers.python());
        command.arg(script).arg(&log).args(options).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Some(Self { child, url: format!("http://127.0.0.1:{}", port.trim()), log, _folder: folder })
    }

    async fn agent(&self) -> A2aAgent {
        connect(&self.url, A2aConfig::default()).await.unwrap().0
    }

    /// What reached it, of one kind.
    fn got(&self, what: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        entries.filter(|entry| entry["what"] == what).collect()
    }

    /// Waits until something of this kind has reached it.
    async fn gets(&self, what: &str) -> Value {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(entry) = self.got(what).pop() {
                return entry;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("no {what} reached the peer");
    }

    /// Lets everyone go on who does `wait`.
    fn go(&self) {
        std::fs::write(self.log.with_extension("go"), "").unwrap();
    }
}

/// An order that begins with this word.
fn saying(description: &str) -> WorkOrder {
    WorkOrder { description: description.to_owned(), ..order(60.0) }
}

async fn perform(
    agent: &A2aAgent,
    order: &WorkOrder,
    cx: &Arc<MemoryContext>,
) -> Result<AgentAnswer, AgentFailure> {
    agent.perform_among(order, cx.clone(), CancellationToken::new()).await
}

async fn reason(agent: &A2aAgent, order: &WorkOrder, cx: &Arc<MemoryContext>) -> String {
    match perform(agent, order, cx).await {
        Err(AgentFailure::Failed(failure)) => failure.message,
        other => panic!("expected a failure, got {other:?}"),
    }
}

/// The question that an attempt has to end in.
async fn question(
    agent: &A2aAgent,
    order: &WorkOrder,
    cx: &Arc<MemoryContext>,
) -> candor_model::ChoiceRequest {
    match perform(agent, order, cx).await {
        Err(AgentFailure::Waiting { question }) => *question,
        other => panic!("expected a question, got {other:?}"),
    }
}

fn called() -> AgentNote {
    let call =
        ToolCall { key: order(1.0).idempotency_key, tool: "a2a.send".to_owned(), arguments: JsonMap::new() };
    AgentNote::Called { item: "a2a".to_owned(), call: Box::new(call), hints: ToolHints::default() }
}

/// The notes of an attempt up to the moment that the peer's task had a name.
fn until_named(cx: &MemoryContext) -> Vec<AgentNote> {
    let notes = cx.written();
    let named = notes.iter().position(|note| matches!(note, AgentNote::Remote { .. })).unwrap();
    notes[..=named].to_vec()
}

/// Begins an attempt, waits until the peer hangs in it, and drops it as the end of the process would.
async fn killed(peer: &Peer, order: &WorkOrder) -> Arc<MemoryContext> {
    let (agent, cx) = (peer.agent().await, MemoryContext::new());
    let attempt = tokio::spawn({
        let (cx, order) = (cx.clone(), order.clone());
        async move { agent.perform_among(&order, cx, CancellationToken::new()).await }
    });
    peer.gets("message").await;
    let start = Instant::now();
    while !cx.story().iter().any(|word| word.starts_with("remote")) {
        assert!(start.elapsed() < PATIENCE, "{:?}", cx.story());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    attempt.abort();
    assert!(attempt.await.unwrap_err().is_cancelled());
    cx
}

#[tokio::test]
async fn a_card_becomes_a_description() {
    let Some(peer) = Peer::start(&[]) else { return };
    let (_, described) = connect(&peer.url, A2aConfig::default()).await.unwrap();
    assert_eq!(
        (described.name.as_str(), described.description.as_str()),
        ("Test peer", "An agent for tests.")
    );
    assert_eq!(described.skills, ["echo", "repeat", "slow", "report"]);
    assert_eq!(described.examples, ["echo hello"]);
    assert!(described.streaming);
    assert_eq!(described.specialization(), "An agent for tests. Says what it was told. Works for a while");
    let card = format!("{}/.well-known/agent-card.json", peer.url);
    assert_eq!(connect(&card, A2aConfig::default()).await.unwrap().1, described);
}

#[tokio::test]
async fn a_task_is_sent_once_with_its_key_and_its_artifacts_are_the_outputs() {
    // spec: beyond BY-27
    for options in [[].as_slice(), &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let cx = MemoryContext::new();
        let answer = perform(&peer.agent().await, &saying("echo hello"), &cx).await.unwrap();
        assert_eq!(answer.outputs["flight_options"], "You said: echo");
        assert_eq!(answer.outputs["count"].to_string(), "3");
        assert_eq!(answer.outputs["received"]["inputs"], json!({ "destination": "Paris" }));
        assert_eq!(answer.outputs["received"]["expected_outputs"], json!(["flight_options"]));
        let messages = peer.got("message");
        assert_eq!(messages.len(), 1);
        assert_eq!(
            (messages[0]["id"].as_str(), messages[0]["context"].as_str()),
            (Some("run_1/task_001/1"), Some("run_1/task_001/1"))
        );
        assert!(messages[0]["text"].as_str().unwrap().starts_with("echo hello"));
        let story = cx.story();
        assert_eq!(story[0], "called run_1/task_001/1");
        assert!(story[1].starts_with("remote "), "{story:?}");
        assert_eq!(story[story.len() - 2..], ["remote completed", "returned true"]);
        // What is over is not asked for again, even if nobody is there any more.
        let agent = peer.agent().await;
        drop(peer);
        assert_eq!(perform(&agent, &saying("echo hello"), &cx).await.unwrap(), answer);
    }
}

#[tokio::test]
async fn a_stream_is_followed_and_a_handful_of_its_words_are_passed_on() {
    let Some(peer) = Peer::start(&[]) else { return };
    let cx = MemoryContext::new();
    let answer = perform(&peer.agent().await, &saying("slow"), &cx).await.unwrap();
    assert_eq!(Value::Object(answer.outputs), json!({ "flight_options": "one two three" }));
    let told = cx.told();
    assert_eq!(told.len(), 5, "{told:?}");
    assert_eq!(
        (told[0].content.as_str(), told[0].priority),
        ("Test peer: step 1 of 8", MessagePriority::Low)
    );
}

#[tokio::test]
async fn without_a_stream_the_peer_is_looked_at_until_it_is_done() {
    let Some(peer) = Peer::start(&["--plain"]) else { return };
    let (agent, cx, order) = (peer.agent().await, MemoryContext::new(), saying("wait"));
    let go = async {
        peer.gets("message").await;
        peer.go();
    };
    let (answer, ()) = tokio::join!(perform(&agent, &order, &cx), go);
    assert_eq!(answer.unwrap().outputs["flight_options"], "waited");
    assert_eq!(peer.got("message").len(), 1);
}

#[tokio::test]
async fn an_agent_that_answers_without_a_task_and_a_question_to_an_agent() {
    // spec: orchestrator AC-08
    let Some(peer) = Peer::start(&[]) else { return };
    let (agent, cx) = (peer.agent().await, MemoryContext::new());
    let answer = perform(&agent, &saying("message"), &cx).await.unwrap();
    assert_eq!(answer.outputs["flight_options"], "no task, just words");
    assert_eq!(cx.story(), ["called run_1/task_001/1", "returned true"]);
    let query = Query {
        id: "query_7".to_owned(),
        from_agent: "asker".to_owned(),
        task_id: TaskId::new("task_001").unwrap(),
        to_agent: "peer".to_owned(),
        query_type: QueryType::Data,
        query: "message, please".replace(',', " "),
        context: JsonMap::new(),
        timeout: 30_000,
    };
    let run = RunId::new("run_1").unwrap();
    let answer = agent.answer(&run, &query, CancellationToken::new()).await.unwrap();
    assert_eq!((answer.response, answer.confidence), (json!("no task, just words"), 70));
}

#[tokio::test]
async fn what_the_peer_asks_is_put_to_a_person_and_the_answer_goes_back() {
    // spec: beyond BY-03
    for options in [[].as_slice(), &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let (agent, cx, order) = (peer.agent().await, MemoryContext::new(), saying("ask"));
        let asked = question(&agent, &order, &cx).await;
        assert_eq!(asked.about, ChoiceKind::Agent);
        assert!(asked.text.contains("Test peer") && asked.text.contains("Which colour?"), "{}", asked.text);
        assert!(asked.option("answer").unwrap().takes_text && asked.option("cancel").is_some());
        assert_eq!(cx.story().last().unwrap(), "asked a2a.input");
        // Taken up before anybody answered: the same question, and nothing is sent or noted twice.
        let notes = cx.story();
        assert_eq!(question(&agent, &order, &cx).await, asked);
        assert_eq!((cx.story(), peer.got("message").len()), (notes, 1));
        // A second question in the same conversation, then the end.
        cx.answer("answer", "twice");
        let answered = cx.written();
        let asked = question(&agent, &order, &cx).await;
        assert!(asked.text.contains("which size"), "{}", asked.text);
        // The process died right after the answer was sent, and the peer has asked again meanwhile.
        assert_eq!(question(&agent, &order, &MemoryContext::left_with(answered)).await, asked);
        assert_eq!(peer.got("message").len(), 2);
        cx.answer("answer", "blue");
        let before = cx.written();
        let answer = perform(&agent, &order, &cx).await.unwrap();
        assert_eq!(answer.outputs["flight_options"], "painted blue");
        let messages = peer.got("message");
        assert_eq!(messages.len(), 3);
        assert!(
            messages.iter().all(|message| message["task"] == messages[0]["task"]
                && message["context"] == messages[0]["context"])
        );
        assert_eq!(messages[2]["id"], "run_1/task_001/1/answer/2");
        // The process died right after the answer was sent: it is not sent again.
        let again = perform(&agent, &order, &MemoryContext::left_with(before)).await.unwrap();
        assert_eq!(again.outputs, answer.outputs);
        assert_eq!(peer.got("message").len(), 3);
    }
}

#[tokio::test]
async fn a_person_can_cancel_instead_of_answering() {
    let Some(peer) = Peer::start(&[]) else { return };
    let (agent, cx, order) = (peer.agent().await, MemoryContext::new(), saying("ask"));
    question(&agent, &order, &cx).await;
    cx.answer("cancel", "");
    let told = reason(&agent, &order, &cx).await;
    assert!(told.contains("canceled instead"), "{told}");
    peer.gets("cancel").await;
    assert_eq!(cx.story().last().unwrap(), "returned false");
    assert_eq!(reason(&agent, &order, &cx).await, told);
    // Without a cx there is nobody to ask: it fails, and the peer does not wait for ever.
    let told =
        crate::common::reason(&agent, &WorkOrder { idempotency_key: "other".to_owned(), ..order }).await;
    assert!(told.contains("Which colour?") && told.contains("nobody to ask"), "{told}");
    assert_eq!(peer.got("cancel").len(), 2);
}

#[tokio::test]
async fn a_failure_is_told_in_the_peers_words() {
    // spec: beyond BY-10
    let Some(peer) = Peer::start(&[]) else { return };
    let agent = peer.agent().await;
    for (word, expected) in [
        ("fail", "the remote agent `Test peer` failed: the printer is on fire"),
        ("reject", "the remote agent `Test peer` rejected the task: not my department"),
        ("auth", "the remote agent `Test peer` wants to know who asks: sign in first"),
    ] {
        let cx = MemoryContext::new();
        let told = reason(&agent, &saying(word), &cx).await;
        assert!(told.starts_with(expected), "{told}");
        assert_eq!(cx.story().last().unwrap(), "returned false", "{word}");
    }
    assert_eq!(peer.got("cancel").len(), 1, "only the one that waits for a sign-in still ran");
}

#[tokio::test]
async fn a_stop_reaches_the_peer_before_the_attempt_ends() {
    // spec: beyond BY-07
    for options in [[].as_slice(), &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let (agent, cx, order, stop) =
            (peer.agent().await, MemoryContext::new(), saying("hang"), CancellationToken::new());
        let stopper = async {
            peer.gets("hanging").await;
            // Until the task has a name here, too.
            while cx.story().len() < 2 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            stop.cancel();
        };
        let (result, ()) = tokio::join!(agent.perform_among(&order, cx.clone(), stop.clone()), stopper);
        assert_eq!(result, Err(AgentFailure::Stopped));
        let canceled = peer.got("cancel");
        assert_eq!(canceled.len(), 1, "it had reached the peer when the attempt ended");
        assert_eq!(canceled[0]["task"], peer.got("hanging")[0]["task"]);
        assert_eq!(cx.story().last().unwrap(), "returned false");
        // Made again, the attempt is a new message: the old one is known to be canceled.
        let echo = saying("echo");
        perform(&agent, &echo, &cx).await.unwrap();
        assert_eq!(peer.got("message")[1]["id"], "run_1/task_001/1/2");
    }
}

#[tokio::test]
async fn a_deadline_ends_the_attempt_and_cancels_the_task() {
    // spec: planning EX-08, spec: beyond BY-09
    let Some(peer) = Peer::start(&[]) else { return };
    let (agent, cx) = (peer.agent().await, MemoryContext::new());
    let start = Instant::now();
    let told = reason(&agent, &WorkOrder { description: "hang".to_owned(), ..order(5.0) }, &cx).await;
    assert_eq!(told, "Agent timeout after 5s");
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(peer.got("cancel").len(), 1);
    assert_eq!(cx.told()[0].content, "Test peer: thinking");
}

#[tokio::test]
async fn a_peer_that_dies_at_work_is_told_as_such() {
    let Some(peer) = Peer::start(&[]) else { return };
    let (agent, cx) = (peer.agent().await, MemoryContext::new());
    let told = reason(&agent, &saying("die"), &cx).await;
    assert!(told.starts_with("agent unavailable: cannot connect to http://127.0.0.1:"), "{told}");
    // Nobody knows what became of it: no receipt.
    assert!(!cx.story().iter().any(|word| word.starts_with("returned")), "{:?}", cx.story());
    drop(peer);
}

#[tokio::test]
async fn a_task_that_has_a_name_is_taken_up_and_not_sent_again() {
    // spec: beyond BY-01, spec: beyond BY-12
    for options in [[].as_slice(), &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let order = saying("wait");
        let cx = MemoryContext::left_with(until_named(&*killed(&peer, &order).await));
        let (agent, taken_up) = (peer.agent().await, cx.clone());
        let go = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            peer.go();
        };
        let (answer, ()) = tokio::join!(perform(&agent, &order, &taken_up), go);
        assert_eq!(answer.unwrap().outputs["flight_options"], "waited");
        assert_eq!(peer.got("message").len(), 1);
        assert!(peer.got("cancel").is_empty());
        // Also when it was over before anybody looked.
        let late = MemoryContext::left_with(until_named(&cx));
        assert_eq!(perform(&agent, &order, &late).await.unwrap().outputs["flight_options"], "waited");
        assert_eq!(peer.got("message").len(), 1);
    }
}

#[tokio::test]
async fn a_task_that_the_peer_has_forgotten_is_told_as_such() {
    let Some(peer) = Peer::start(&[]) else { return };
    let remote =
        AgentNote::Remote { task: "gone".to_owned(), context: String::new(), state: "working".to_owned() };
    let cx = MemoryContext::left_with([called(), remote]);
    let told = reason(&peer.agent().await, &saying("echo"), &cx).await;
    assert!(told.contains("does not know the task any more"), "{told}");
    assert_eq!(cx.story().last().unwrap(), "returned false");
    assert!(peer.got("message").is_empty());
}

#[tokio::test]
async fn a_task_whose_sending_nobody_saw_the_end_of_is_found_at_the_peer() {
    // spec: beyond BY-27
    let Some(peer) = Peer::start(&[]) else { return };
    let order = saying("wait");
    killed(&peer, &order).await;
    peer.go();
    let cx = MemoryContext::left_with([called()]);
    let answer = perform(&peer.agent().await, &order, &cx).await.unwrap();
    assert_eq!(answer.outputs["flight_options"], "waited");
    assert_eq!(peer.got("message").len(), 1);
}

#[tokio::test]
async fn where_nobody_can_tell_whether_it_was_sent_a_person_decides() {
    // spec: beyond BY-27
    let Some(peer) = Peer::start(&[]) else { return };
    let (agent, order) = (peer.agent().await, saying("echo"));
    let cx = MemoryContext::left_with([called()]);
    let asked = question(&agent, &order, &cx).await;
    assert!(asked.option("again").is_some() && asked.default.is_none(), "{asked:?}");
    assert!(peer.got("message").is_empty());
    let given_up = MemoryContext::left_with(cx.written());
    given_up.answer("give_up", "");
    assert!(reason(&agent, &order, &given_up).await.contains("not to be sent again"));
    assert!(peer.got("message").is_empty());
    cx.answer("again", "");
    assert!(perform(&agent, &order, &cx).await.is_ok());
    assert_eq!(peer.got("message").len(), 1);
    assert_eq!(peer.got("message")[0]["id"], "run_1/task_001/1");
}

#[tokio::test]
async fn artifacts_without_end_are_refused() {
    for options in [[].as_slice(), &["--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let told = reason(&peer.agent().await, &saying("big"), &MemoryContext::new()).await;
        assert!(told.contains("1024 KiB"), "{told}");
    }
}

#[tokio::test]
async fn an_access_key_comes_from_the_environment_and_is_shown_nowhere() {
    let key = env!("CARGO_PKG_NAME");
    let Some(peer) = Peer::start(&["--key", key]) else { return };
    let error = connect(&peer.url, A2aConfig::default()).await.unwrap_err();
    assert!(error.to_string().contains("401") && error.to_string().contains("who are you?"), "{error}");
    let with = |variable: &str| A2aConfig {
        headers_env: [("X-Access".to_owned(), variable.to_owned())].into(),
        ..A2aConfig::default()
    };
    let (agent, _) = connect(&peer.url, with("CARGO_PKG_NAME")).await.unwrap();
    assert!(perform(&agent, &saying("echo"), &MemoryContext::new()).await.is_ok());
    assert!(!format!("{agent:?}").contains(key), "{agent:?}");
    let unset = A2aAgent::lazy(&peer.url, with("NO_SUCH_VARIABLE_HERE")).unwrap_err();
    assert!(
        matches!(unset, A2aError::Variable { .. }) && unset.to_string().contains("NO_SUCH_VARIABLE_HERE"),
        "{unset}"
    );
}
