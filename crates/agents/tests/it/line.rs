//! The line between a command at work and the others: real children, a real socket, peers of the test's own.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::{content, is_running, order, reason, sh};
use candor_agents::{AttemptFolder, CommandAgent, FaultKind, Faulty, stop_orphans};
use candor_model::{
    AgentAnswer, AgentNote, AgentType, Asking, Broadcast, MessagePriority, Money, Noted, Phase, Query,
    QueryAnswer, QueryType, RunId, Seconds, TaskId, Telling,
};
use candor_ports::{Agent, AgentFailure, Ask, AttemptContext, BoxFuture, PeerChannel};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What every agent of these tests begins with.
const CLIENT: &str = r#"
import json, os, socket, stat, sys, time
order = json.load(sys.stdin)
path = os.environ["CANDOR_BUS"]
line = socket.socket(socket.AF_UNIX)
line.connect(path)
file = line.makefile("rwb")
def send(text):
    file.write(text if isinstance(text, bytes) else text.encode())
    file.flush()
def receive():
    return json.loads(file.readline())
def call(request):
    send(json.dumps(request) + "\n")
    return receive()
def done(**outputs):
    print(json.dumps({"outputs": outputs}))
"#;

fn python(script: &str) -> CommandAgent {
    CommandAgent::new(["python3", "-c", &format!("{CLIENT}\n{script}")]).unwrap()
}

/// Everyone else, as one of them hears and answers.
struct Others {
    told: watch::Sender<Vec<Broadcast>>,
    asked: Mutex<Vec<Asking>>,
    /// How long they think about a question.
    thinking: Duration,
}

impl Others {
    fn new() -> Arc<Self> {
        Self::thinking(Duration::ZERO)
    }

    fn thinking(thinking: Duration) -> Arc<Self> {
        Arc::new(Self { told: watch::Sender::default(), asked: Mutex::default(), thinking })
    }

    fn say(&self, task: &str, telling: Telling) {
        let Telling { message_type, priority, content, data } = telling;
        let message = Broadcast {
            phase: Phase::Execution,
            from_agent: "someone".to_owned(),
            task_id: Some(TaskId::new(task).unwrap()),
            message_type,
            priority,
            content,
            data,
        };
        self.told.send_modify(|told| told.push(message));
    }

    fn contents(&self) -> Vec<String> {
        self.told.borrow().iter().map(|message| message.content.clone()).collect()
    }
}

impl AttemptContext for Others {
    fn notes(&self) -> Vec<Noted> {
        Vec::new()
    }

    fn note(&self, _note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Err("there is no log here".to_owned())))
    }

    fn consult(
        &self,
        _name: String,
        _ask: Ask,
        _left: Money,
        _within: Seconds,
    ) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(std::future::ready(Err("there are no models here".to_owned())))
    }

    fn has_models(&self) -> bool {
        false
    }
}

impl PeerChannel for Others {
    fn tell(&self, telling: Telling) -> BoxFuture<'_, Result<(), String>> {
        self.say("task_001", telling);
        Box::pin(std::future::ready(Ok(())))
    }

    fn ask(&self, asking: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(async move {
            tokio::time::sleep(self.thinking).await;
            let known = asking.to_agent == "oracle";
            self.asked.lock().unwrap().push(asking);
            if known {
                Ok(QueryAnswer { response: json!(42), confidence: 90 })
            } else {
                Err("nobody".to_owned())
            }
        })
    }

    fn heard(&self) -> Vec<Broadcast> {
        self.told.borrow().clone()
    }

    fn listen(&self, known: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        let mut told = self.told.subscribe();
        Box::pin(async move {
            told.wait_for(|told| told.len() > known).await.unwrap();
            told.borrow().iter().skip(known).cloned().collect()
        })
    }
}

async fn among(agent: &dyn Agent, others: &Arc<Others>) -> Result<AgentAnswer, AgentFailure> {
    let peers = Arc::clone(others) as Arc<dyn AttemptContext>;
    agent.perform_among(&order(20.0), peers, CancellationToken::new()).await
}

fn discovery(priority: &str, content: &str) -> Telling {
    let priority = serde_json::from_value::<MessagePriority>(json!(priority)).unwrap();
    Telling {
        message_type: candor_model::MessageType::Discovery,
        priority,
        content: content.to_owned(),
        data: Default::default(),
    }
}

#[tokio::test]
async fn an_agent_tells_asks_and_goes_on_when_there_is_no_answer() {
    // spec: orchestrator AC-02 AC-08 AC-09 AC-10
    let agent = python(
        r#"
told = call({"tell": {"messageType": "discovery", "priority": "high", "content": "found", "data": {"n": 1}}})
answer = call({"ask": {"toAgent": "oracle", "queryType": "ask_for_opinion", "query": "why?", "context": {"a": 1}, "timeout": 700}})
nobody = call({"ask": {"toAgent": "ghost", "query": "there?"}})
done(told=told, answer=answer, nobody=nobody)
"#,
    );
    let others = Others::new();
    let outputs = among(&agent, &others).await.unwrap().outputs;
    assert_eq!(outputs["told"], json!({ "ok": true }));
    assert_eq!(outputs["answer"], json!({ "response": 42, "confidence": 90 }));
    assert_eq!(outputs["nobody"], json!({ "error": "nobody" }));
    let told = others.told.borrow().clone();
    assert_eq!((told.len(), told[0].data["n"].clone()), (1, json!(1)));
    let asked = others.asked.lock().unwrap().clone();
    assert_eq!((asked[0].query_type, asked[0].timeout), (QueryType::Opinion, 700));
    assert_eq!(asked[1].timeout, 5_000);
}

#[tokio::test]
async fn a_listener_gets_what_was_told_and_then_pressing_discoveries_as_they_come() {
    // spec: orchestrator AC-04
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let agent = python(&format!(
        r#"
send('{{"listen": true}}\n')
first, second, end = receive(), receive(), receive()
open({ready:?}, "w").write("yes\n")
line.settimeout(10)
done(first=first["message"]["content"], second=second["message"]["content"], end=end,
     pushed=[receive()["message"]["content"] for _ in range(2)])
"#
    ));
    let others = Others::new();
    others.say("task_002", discovery("low", "earlier, of little weight"));
    others.say("task_001", discovery("high", "earlier, of its own"));
    let speak = async {
        content(&ready).await;
        others.say("task_002", discovery("medium", "not pushed"));
        others.say("task_001", discovery("critical", "its own words"));
        others.say("task_002", discovery("high", "pushed"));
        others.say("task_003", discovery("critical", "pushed too"));
    };
    let (answer, ()) = tokio::join!(among(&agent, &others), speak);
    let outputs = answer.unwrap().outputs;
    assert_eq!(outputs["first"], "earlier, of little weight");
    assert_eq!(outputs["second"], "earlier, of its own");
    assert_eq!(outputs["end"], json!({ "ok": true }));
    assert_eq!(outputs["pushed"], json!(["pushed", "pushed too"]));
}

#[tokio::test]
async fn who_waits_for_an_answer_hears_what_is_new_meanwhile() {
    // spec: orchestrator AC-04
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let agent = python(&format!(
        r#"
call({{"listen": True}})
send('{{"ask": {{"toAgent": "oracle", "query": "why?"}}}}\n')
open({ready:?}, "w").write("yes\n")
done(lines=[receive(), receive()])
"#
    ));
    let others = Others::thinking(Duration::from_secs(1));
    let speak = async {
        content(&ready).await;
        others.say("task_002", discovery("high", "news"));
    };
    let (answer, ()) = tokio::join!(among(&agent, &others), speak);
    let lines = answer.unwrap().outputs["lines"].clone();
    assert_eq!(lines[0]["message"]["content"], "news");
    assert_eq!(lines[1]["response"], 42);
}

#[tokio::test]
async fn a_bad_line_is_answered_and_the_line_stays_open() {
    let agent = python(
        r#"
replies = []
for bad in [b"nonsense\n", b"\xff\xfe\n", b"{}\n", b"[]\n", b'{"shout": 1}\n', b"\n",
            b'{"tell": {"messageType": "gossip", "content": "x"}}\n',
            b'{"tell": {"content": "x"}}\n', b'{"ask": {"query": "x"}}\n', b'{"listen": 7}\n',
            b'{"tell": "' + b"x" * 300000 + b'"}\n']:
    send(bad)
    replies.append(receive()["error"])
told = call({"tell": {"messageType": "completion", "content": "still here"}})
done(replies=replies, told=told)
"#,
    );
    let others = Others::new();
    let outputs = among(&agent, &others).await.unwrap().outputs;
    let replies: Vec<&str> =
        outputs["replies"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(replies.len(), 11);
    assert!(replies[0].contains(r#"{"tell":…}"#), "{}", replies[0]);
    assert!(replies[4].contains("shout"), "{}", replies[4]);
    assert!(replies[6].contains("messageType"), "{}", replies[6]);
    assert!(replies[8].contains("toAgent"), "{}", replies[8]);
    assert_eq!(replies[10], "a line may have at most 65536 bytes");
    assert_eq!(outputs["told"], json!({ "ok": true }));
    assert_eq!(others.contents(), ["still here"]);
}

#[tokio::test]
async fn what_an_agent_says_and_does_not_wait_for_is_heard() {
    // spec: orchestrator AC-12
    let agent = python(
        r#"
for n in range(50):
    send(json.dumps({"tell": {"messageType": "discovery", "content": str(n)}}) + "\n")
# One more, over a connection that was never accepted before the end.
other = socket.socket(socket.AF_UNIX)
other.connect(path)
other.send(b'{"tell": {"messageType": "completion", "content": "last"}}')
done()
sys.stdout.flush()
os._exit(0)
"#,
    );
    let others = Others::new();
    among(&agent, &others).await.unwrap();
    let mut contents = others.contents();
    contents.retain(|content| content != "last");
    assert_eq!(contents, (0..50).map(|n| n.to_string()).collect::<Vec<_>>(), "all, and in order");
    assert!(others.contents().contains(&"last".to_owned()));
}

#[tokio::test]
async fn the_socket_is_private_and_goes_with_the_attempt() {
    let script = r#"
folder = os.path.dirname(path)
done(path=path, mode=stat.S_IMODE(os.stat(folder).st_mode))
"#;
    let others = Others::new();
    let outputs = among(&python(script), &others).await.unwrap().outputs;
    assert_eq!(outputs["mode"], 0o700);
    let path = Path::new(outputs["path"].as_str().unwrap());
    assert!(!path.exists() && !path.parent().unwrap().exists());
    // Nor does it stay when the attempt is not waited for.
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let hangs = python(&format!("open({note:?}, 'w').write(path + '\\n')\ntime.sleep(60)"));
    let path = tokio::select! {
        _ = among(&hangs, &others) => panic!("ended by itself"),
        path = content(&note) => path,
    };
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!Path::new(path.trim()).parent().unwrap().exists());
}

#[tokio::test]
async fn an_agent_that_dies_while_it_waits_for_an_answer_keeps_nobody() {
    let agent = python(
        r#"
send('{"ask": {"toAgent": "oracle", "query": "why?"}}\n')
time.sleep(0.2)
os._exit(1)
"#,
    );
    let others = Others::thinking(Duration::from_secs(30));
    let began = Instant::now();
    assert!(among(&agent, &others).await.is_err());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn without_colleagues_there_is_no_line_and_nobody_misses_it() {
    let agent = sh(r#"printf '{"outputs":{"bus":"%s"}}' "$CANDOR_BUS""#);
    let agent = agent.with_env([("CANDOR_BUS".to_owned(), "stale".to_owned())]);
    assert_eq!(crate::common::perform(&agent, &order(5.0)).await.unwrap().outputs["bus"], "");
}

#[tokio::test]
async fn an_answer_can_carry_messages() {
    // spec: orchestrator AC-02
    let said =
        r#"{"outputs":{},"messages":[{"messageType":"warning","priority":"critical","content":"fire"}]}"#;
    let answer = crate::common::perform(&sh(&format!("echo '{said}'")), &order(5.0)).await.unwrap();
    assert_eq!(answer.messages[0].content, "fire");
    let wrong = r#"{"outputs":{},"messages":[{"messageType":"rumour","content":"fire"}]}"#;
    let reason = reason(&sh(&format!("echo '{wrong}'")), &order(5.0)).await;
    assert!(reason.contains("messages[0].messageType"), "{reason}");
}

fn query(timeout: u64) -> Query {
    Query {
        id: "query_1".to_owned(),
        from_agent: "asker".to_owned(),
        task_id: TaskId::new("task_001").unwrap(),
        to_agent: "oracle".to_owned(),
        query_type: QueryType::Validation,
        query: "Is it right?".to_owned(),
        context: Default::default(),
        timeout,
    }
}

async fn answer(agent: &dyn Agent, timeout: u64) -> Result<QueryAnswer, String> {
    agent.answer(&RunId::new("run_1").unwrap(), &query(timeout), CancellationToken::new()).await
}

#[tokio::test]
async fn a_question_is_put_to_a_command_instead_of_an_order() {
    // spec: orchestrator AC-08 AC-09
    let agent =
        sh(r#"read -r q; printf '{"response":{"q":%s,"run":"%s"},"confidence":80}' "$q" "$CANDOR_RUN_ID""#);
    let said = answer(&agent, 5_000).await.unwrap();
    assert_eq!(said.confidence, 80);
    assert_eq!(said.response["run"], "run_1");
    assert_eq!(said.response["q"]["query"]["query"], "Is it right?");
    assert_eq!(said.response["q"]["query"]["queryType"], "ask_for_validation");
    let unsaid = answer(&sh(r#"echo '{"response":null}'"#), 5_000).await.unwrap();
    assert_eq!((unsaid.response, unsaid.confidence), (Value::Null, 50));
    // A fault is one of attempts, not of answers.
    let faulty = Faulty::new(Arc::new(sh(r#"echo '{"response":1}'"#)), FaultKind::Error, None);
    assert_eq!(answer(&faulty, 5_000).await.unwrap().response, 1);
}

#[tokio::test]
async fn a_question_that_finds_no_answer_says_why() {
    // spec: orchestrator AC-10
    let says = async |script: &str| answer(&sh(script), 5_000).await.unwrap_err();
    assert_eq!(says(r#"echo '{"error":"I do not know"}'"#).await, "I do not know");
    assert!(says(r#"echo '{"outputs":{}}'"#).await.contains("response"));
    assert!(says(r#"echo '{"response":1,"confidence":101}'"#).await.contains("not from 0 to 100"));
    assert!(says("echo oops >&2; exit 3").await.contains("exited with code 3; the end of its stderr: oops"));
    assert!(says("true").await.contains("found nothing"));
    let none: AgentType = AgentType::new("noop").unwrap();
    let builtin = candor_agents::builtin(none.as_str(), &Default::default(), &|_| None).unwrap();
    assert_eq!(answer(&*builtin, 100).await.unwrap_err(), "it does not answer questions");
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_ended_with_all_its_children() {
    // spec: orchestrator AC-10
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let agent = sh(&format!("sleep 60 & echo $! > {}; wait", pid.display()));
    let began = Instant::now();
    assert!(answer(&agent, 300).await.unwrap_err().contains("no answer after 300 ms"));
    assert!(began.elapsed() < Duration::from_secs(3));
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn an_answer_in_the_making_is_found_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let (pid, attempts) = (folder.path().join("pid"), AttemptFolder(folder.path().join("attempts")));
    let agent = sh(&format!("echo $$ > {}; exec sleep 60", pid.display())).noted_in(attempts.clone());
    let running = tokio::spawn(async move { answer(&agent, 60_000).await });
    let child = content(&pid).await;
    assert_eq!(stop_orphans(&attempts, &RunId::new("run_1").unwrap()).unwrap(), 1);
    assert!(running.await.unwrap().unwrap_err().contains("SIGKILL"));
    assert!(!is_running(&child));
}
