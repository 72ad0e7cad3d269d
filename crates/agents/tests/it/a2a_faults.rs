//! Remote agents by A2A whose peer misbehaves: a small server that says what a test wants it to say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::attempt_context::MemoryContext;
use crate::common::{connect, order, perform, reason};
use candor_agents::{A2aAgent, A2aConfig, A2aError};
use candor_model::Failure;
use candor_ports::{Agent, AgentFailure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// The result of a call.
    Result(Value),
    /// Events, and then the end of the stream.
    Events(Vec<String>),
    /// A head and a body, as they are.
    Raw(String, String),
    /// A head, and then this for ever.
    Endless(&'static str, &'static str),
    /// Nothing, for a long time.
    Silence,
    /// The end of the connection.
    Close,
}

/// What reached the server: `card` or a method, the head in lower case, the parameters.
type Seen = Arc<Mutex<Vec<(String, String, Value)>>>;

pub(crate) struct Server {
    url: String,
    seen: Seen,
}

impl Server {
    /// A server that replies like this to `card` and to every method.
    pub(crate) fn new(reply: impl Fn(&str, &Value, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (seen, reply) = (Seen::default(), Arc::new(reply));
        let (noted, base) = (seen.clone(), url.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (reply, seen, base) = (reply.clone(), noted.clone(), base.clone());
                std::thread::spawn(move || {
                    serve(stream.unwrap(), &seen, |what, params| reply(what, params, &base));
                });
            }
        });
        Self { url, seen }
    }

    /// One with a good card, that streams or does not, and replies like this to every method.
    pub(crate) fn peer(
        streaming: bool,
        reply: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |what, params, base| match what {
            "card" => raw("200 OK", &card(base, streaming).to_string()),
            method => reply(method, params),
        })
    }

    pub(crate) fn agent(&self) -> A2aAgent {
        A2aAgent::lazy(&self.url, A2aConfig::default()).unwrap()
    }

    /// The parameters of every call of a method.
    fn calls(&self, method: &str) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|(what, _, _)| what == method).map(|(_, _, params)| params.clone()).collect()
    }
}

fn serve(mut stream: TcpStream, seen: &Seen, reply: impl Fn(&str, &Value) -> Reply) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let call: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (what, params) = (call["method"].as_str().unwrap_or("card").to_owned(), call["params"].clone());
    seen.lock().unwrap().push((what.clone(), head, params.clone()));
    let mut say = |text: &str| stream.write_all(text.as_bytes());
    let _ = match reply(&what, &params) {
        Reply::Result(result) => {
            let body = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }).to_string();
            say(&format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            ))
        }
        Reply::Events(events) => {
            let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            say(&format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}"
            ))
        }
        Reply::Raw(head, body) => say(&format!(
            "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )),
        Reply::Endless(head, text) => {
            let text = text.repeat(1 + 60_000 / text.len());
            let mut sent = say(&format!("HTTP/1.1 200 OK\r\n{head}connection: close\r\n\r\n"));
            while sent.is_ok() {
                sent = say(&text);
            }
            sent
        }
        Reply::Silence => {
            std::thread::sleep(Duration::from_secs(20));
            Ok(())
        }
        Reply::Close => Ok(()),
    };
}

pub(crate) fn raw(status: &str, body: &str) -> Reply {
    Reply::Raw(status.to_owned(), body.to_owned())
}

fn card(base: &str, streaming: bool) -> Value {
    json!({ "name": "Odd peer", "version": "1", "capabilities": { "streaming": streaming },
        "supportedInterfaces": [{ "url": format!("{base}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }] })
}

pub(crate) fn task(state: &str) -> Value {
    json!({ "id": "t-1", "contextId": "run_1/task_001/1", "status": { "state": format!("TASK_STATE_{state}") },
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": "done" }] }] })
}

/// An event with this as its result.
fn event(result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string()
}

#[tokio::test]
async fn what_is_no_card_is_told_with_what_was_there_instead() {
    // spec: beyond BY-10
    let old = json!({ "name": "old", "url": "http://127.0.0.1/", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC" });
    for (reply, expected) in [
        (raw("200 OK", "<html>hello</html>"), "began with `<html>hello</html>`"),
        (raw("200 OK", ""), "is not an agent card"),
        (raw("200 OK", r#"{"error":"x"}"#), "missing field `name`"),
        (raw("404 Not Found", "no such page"), "status 404 Not Found: no such page"),
        (raw("302 Found\r\nlocation: http://127.0.0.1:1/", ""), "status 302"),
        (raw("200 OK", &old.to_string()), "offers protocol version 0.3.0; only JSON-RPC of A2A 1.0"),
        (raw("200 OK", &format!("{}{}", " ".repeat(256 * 1024), old)), "larger than 256 KiB"),
        (Reply::Endless("", "[[[["), "larger than 256 KiB"),
        (Reply::Close, "cannot get the agent card"),
        (Reply::Silence, "no answer after 0.5 s"),
    ] {
        let server = Server::new(move |_, _, _| reply.clone());
        let config = A2aConfig { card_timeout: Duration::from_millis(500), ..A2aConfig::default() };
        let error = connect(&server.url, config.clone()).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        // Declared all the same, it is an agent that is not there.
        let told = reason(&A2aAgent::lazy(&server.url, config).unwrap(), &order(30.0)).await;
        assert!(told.starts_with("agent unavailable: ") && told.contains(expected), "{expected}: {told}");
    }
}

#[tokio::test]
async fn a_card_that_cannot_be_had_yet_is_fetched_when_it_can() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = A2aAgent::lazy(&format!("http://user:secret@127.0.0.1:{port}"), A2aConfig::default()).unwrap();
    let told = reason(&gone, &order(30.0)).await;
    assert!(
        told.starts_with("agent unavailable: ") && told.contains("refused") && !told.contains("secret"),
        "{told}"
    );
    let fetched = AtomicUsize::new(0);
    let server = Server::new(move |what, _, base| match what {
        "card" if fetched.fetch_add(1, Ordering::SeqCst) == 0 => raw("503 Service Unavailable", "starting"),
        "card" => raw("200 OK", &card(base, false).to_string()),
        _ => Reply::Result(json!({ "task": task("COMPLETED") })),
    });
    let agent = server.agent();
    assert!(reason(&agent, &order(30.0)).await.contains("starting"));
    for _ in 0..2 {
        assert_eq!(perform(&agent, &order(30.0)).await.unwrap().outputs["flight_options"], "done");
    }
    assert_eq!(server.calls("card").len(), 2);
}

#[tokio::test]
async fn access_keys_go_to_no_other_host_that_a_card_names() {
    let elsewhere = |_: &str, _: &Value, base: &str| {
        let url = base.replace("127.0.0.1", "localhost");
        raw("200 OK", &card(&url, false).to_string())
    };
    let server = Server::new(elsewhere);
    assert!(connect(&server.url, A2aConfig::default()).await.is_ok());
    let mut config = A2aConfig {
        headers_env: [("X-Access".to_owned(), "CARGO_PKG_NAME".to_owned())].into(),
        ..A2aConfig::default()
    };
    let error = connect(&server.url, config.clone()).await.unwrap_err();
    assert!(matches!(&error, A2aError::Elsewhere { host, .. } if host == "localhost"), "{error}");
    config.trusted_hosts.insert("localhost".to_owned());
    assert!(connect(&server.url, config).await.is_ok());
    let bad = A2aConfig {
        headers_env: [("X Access".to_owned(), "CARGO_PKG_NAME".to_owned())].into(),
        ..A2aConfig::default()
    };
    assert!(matches!(A2aAgent::lazy(&server.url, bad), Err(A2aError::Header { .. })));
    assert!(matches!(A2aAgent::lazy("no address", A2aConfig::default()), Err(A2aError::Url { .. })));
}

#[tokio::test]
async fn what_cannot_be_understood_is_quoted_and_never_waited_for() {
    // spec: beyond BY-09
    let other = json!({ "statusUpdate": { "taskId": "t-2", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" } } });
    let strange =
        json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_ASLEEP" } } });
    let no =
        json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": "bad\u{1b}[31m input" } });
    let events = |events: &[String]| Reply::Events(events.to_vec());
    let cases = [
        (raw("200 OK", "hello"), "began with `hello`"),
        (raw("200 OK", "{}"), "found neither"),
        (raw("200 OK", &"[".repeat(100_000)), "no usable answer"),
        (raw("200 OK", &no.to_string()), "refused: bad input (error -32602)"),
        (raw("400 Bad Request", &no.to_string()), "refused: bad input"),
        (raw("500 Internal Server Error", "oops"), "status 500 Internal Server Error: oops"),
        (raw("503 Service Unavailable", ""), "agent unavailable: "),
        (raw("401 Unauthorized", ""), "headers_env"),
        (raw("307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/", ""), "redirects are not followed"),
        (Reply::Result(json!({ "job": 1 })), "no usable answer"),
        (Reply::Result(strange.clone()), "ASLEEP"),
        (Reply::Endless("", "1"), "more than 1024 KiB"),
    ];
    let streamed = [
        (events(&["{".to_owned()]), "no usable answer"),
        (
            events(&[event(&json!({ "task": task("WORKING") })), event(&other)]),
            "`t-2` where `t-1` was expected",
        ),
        (events(&[event(&strange)]), "ASLEEP"),
        (events(&[no.to_string()]), "refused: bad input"),
        (Reply::Endless("content-type: text/event-stream\r\n", ":"), "an event of more than 1024 KiB"),
        (
            Reply::Endless("content-type: text/event-stream\r\n", "data: x\n"),
            "an event of more than 1024 KiB",
        ),
        (
            Reply::Endless("content-type: text/event-stream\r\n", ": still here\n\n"),
            "more than 16 MiB in one stream",
        ),
    ];
    let cases =
        cases.into_iter().flat_map(|(reply, told)| [(false, reply.clone(), told), (true, reply, told)]);
    for (streaming, reply, expected) in
        cases.chain(streamed.into_iter().map(|(reply, told)| (true, reply, told)))
    {
        let server = Server::peer(streaming, move |method, _| match method {
            "SendMessage" | "SendStreamingMessage" => reply.clone(),
            _ => raw("404 Not Found", ""),
        });
        let told = reason(&server.agent(), &order(60.0)).await;
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_too_soon_is_followed_by_looking() {
    let looks = AtomicUsize::new(0);
    let server = Server::peer(true, move |method, _| match method {
        "SendStreamingMessage" => Reply::Events(vec![event(&json!({ "task": task("WORKING") }))]),
        "SubscribeToTask" => raw("200 OK", r#"{"error":{"code":-32004,"message":"not that"}}"#),
        // It is away for a moment, still at it, and done.
        "GetTask" => match looks.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::Close,
            1 => Reply::Result(task("WORKING")),
            _ => Reply::Result(task("COMPLETED")),
        },
        _ => panic!("{method} was not expected"),
    });
    let cx = MemoryContext::new();
    let order = order(60.0);
    let answer = server.agent().perform_among(&order, cx.clone(), CancellationToken::new()).await.unwrap();
    assert_eq!(answer.outputs["flight_options"], "done");
    assert_eq!(
        cx.story(),
        ["called run_1/task_001/1", "remote working", "remote completed", "returned true"]
    );
    assert_eq!(server.calls("SubscribeToTask").len(), 1, "whoever says no is not asked again");
    let seen = server.seen.lock().unwrap();
    assert!(
        seen.iter()
            .filter(|(what, _, _)| what != "card")
            .all(|(_, head, _)| head.contains("a2a-version: 1.0"))
    );
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_not_sent_again_without_a_person() {
    // spec: beyond BY-27
    for reply in [Reply::Close, raw("504 Gateway Timeout", ""), Reply::Events(vec![])] {
        let server = Server::peer(true, move |method, _| match method {
            "SendStreamingMessage" => reply.clone(),
            "ListTasks" => Reply::Result(json!({ "tasks": [] })),
            _ => panic!("{method} was not expected"),
        });
        let (cx, order) = (MemoryContext::new(), order(60.0));
        let result = server.agent().perform_among(&order, cx.clone(), CancellationToken::new()).await;
        let Err(AgentFailure::Waiting { question }) = result else { panic!("{result:?}") };
        assert!(question.option("again").is_some(), "{question:?}");
        assert_eq!(cx.story(), ["called run_1/task_001/1", "asked a2a.send"]);
        assert_eq!(server.calls("SendStreamingMessage").len(), 1);
        assert_eq!(server.calls("ListTasks")[0]["contextId"], "run_1/task_001/1");
    }
    // It did arrive.
    let server = Server::peer(false, |method, _| match method {
        "SendMessage" => Reply::Close,
        "ListTasks" => Reply::Result(json!({ "tasks": [task("WORKING"), { "id": 3 }] })),
        _ => Reply::Result(task("COMPLETED")),
    });
    assert_eq!(perform(&server.agent(), &order(60.0)).await.unwrap().outputs["flight_options"], "done");
}

#[tokio::test]
async fn a_stop_finds_and_cancels_a_task_that_has_no_name_yet() {
    // spec: beyond BY-07
    let server = Server::peer(false, |method, _| match method {
        "SendMessage" => Reply::Silence,
        "ListTasks" => Reply::Result(json!({ "tasks": [task("WORKING")] })),
        "CancelTask" => Reply::Result(task("CANCELED")),
        _ => panic!("{method} was not expected"),
    });
    let (agent, order, stop) = (server.agent(), order(60.0), CancellationToken::new());
    let cx = MemoryContext::new();
    let stopper = async {
        while server.calls("SendMessage").is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        stop.cancel();
    };
    let (result, ()) = tokio::join!(agent.perform_among(&order, cx.clone(), stop.clone()), stopper);
    assert_eq!(result, Err(AgentFailure::Stopped));
    assert_eq!(server.calls("CancelTask"), [json!({ "id": "t-1" })]);
    assert_eq!(cx.story(), ["called run_1/task_001/1", "returned false"]);
}

#[tokio::test]
async fn a_peer_that_says_nothing_at_all_keeps_nobody() {
    // spec: planning EX-08, spec: beyond BY-09
    for streaming in [false, true] {
        let server = Server::peer(streaming, |_, _| Reply::Silence);
        let agent = server.agent();
        agent.describe().await.unwrap();
        let start = Instant::now();
        let cx = MemoryContext::new();
        let order = order(0.5);
        let result = agent.perform_among(&order, cx.clone(), CancellationToken::new()).await;
        assert_eq!(result, Err(Failure::timed_out(order.deadline_seconds).into()));
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!(cx.story(), ["called run_1/task_001/1"], "nobody knows what became of it");
    }
}

#[tokio::test]
async fn an_agent_that_reads_only_text_gets_only_text() {
    let server = Server::new(|what, _, base| match what {
        "card" => {
            let mut card = card(base, false);
            card["defaultInputModes"] = json!(["text/plain"]);
            card["supportedInterfaces"][0]["tenant"] = json!("acme");
            raw("200 OK", &card.to_string())
        }
        _ => Reply::Result(json!({ "task": task("COMPLETED") })),
    });
    perform(&server.agent(), &order(60.0)).await.unwrap();
    let call = &server.calls("SendMessage")[0];
    assert_eq!(call["tenant"], "acme");
    let parts = call["message"]["parts"].as_array().unwrap();
    assert_eq!(parts[0]["text"], "Search for flights");
    assert!(parts.len() == 2 && parts[1]["text"].as_str().unwrap().contains("Paris"), "{parts:?}");
}
