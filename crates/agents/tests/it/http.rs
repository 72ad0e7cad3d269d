//! HTTP services as agents, with a real server on the loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::attempt_context::MemoryContext;
use crate::common::{order, perform, reason, takes_less_than};
use candor_agents::HttpAgent;
use candor_model::{AgentAnswer, AgentNote, FailureKind};
use candor_ports::{Agent, AgentFailure};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What a server got: its head in lower case, and its body.
pub(crate) struct Request {
    head: String,
    body: Vec<u8>,
}

/// A server that answers every request in this way; its address, and what it gets.
pub(crate) fn server(answer: impl Fn(&mut TcpStream) + Send + 'static) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/agent?key=secret", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
            let mut body = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let _ = sender.send(Request { head, body });
            answer(&mut stream);
        }
    });
    (address, requests)
}

/// A server that answers with this status line and body.
pub(crate) fn saying(status: &str, body: &str) -> (String, Receiver<Request>) {
    let text =
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    server(move |stream| drop(stream.write_all(text.as_bytes())))
}

fn agent(url: &str) -> HttpAgent {
    HttpAgent::new(url).unwrap()
}

#[tokio::test]
async fn an_order_is_posted_as_json_with_its_key_and_the_answer_is_read() {
    let (url, requests) = saying("200 OK", r#"{"outputs":{"flights":3},"cost":0.02}"#);
    let agent = agent(&url).with_header("X-Access", "token").unwrap();
    let answer = perform(&agent, &order(10.0)).await.unwrap();
    assert_eq!(answer.outputs["flights"], 3);
    let request = requests.recv().unwrap();
    for line in [
        "post /agent?key=secret http/1.1",
        "idempotency-key: run_1/task_001/1",
        "content-type: application/json",
        "accept: application/json",
        "x-access: token",
    ] {
        assert!(request.head.contains(line), "{line} is not in {}", request.head);
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, serde_json::to_value(order(10.0)).unwrap());
}

#[tokio::test]
async fn a_refusal_is_told_with_its_status_and_the_start_of_its_body() {
    let (url, _requests) = saying("400 Bad Request", "no such\u{1b}[31m city");
    let told = reason(&agent(&url), &order(10.0)).await;
    assert!(told.contains("400") && told.ends_with("no such city"), "{told}");
    assert!(!told.contains("unavailable") && !told.contains("secret"), "{told}");
    for status in
        ["503 Service Unavailable", "502 Bad Gateway", "504 Gateway Timeout", "429 Too Many Requests"]
    {
        let (url, _requests) = saying(status, "");
        assert!(reason(&agent(&url), &order(10.0)).await.contains("agent unavailable"), "{status}");
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_is_unavailable() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let told = reason(&agent(&format!("http://user:secret@127.0.0.1:{port}/x")), &order(10.0)).await;
    assert!(told.starts_with("agent unavailable") && told.contains("refused"), "{told}");
    assert!(!told.contains("secret"), "{told}");
    let told = reason(&agent("http://no-such-host.invalid/"), &order(10.0)).await;
    assert!(told.contains("unavailable"), "{told}");
}

#[tokio::test]
async fn an_answer_that_is_none_is_quoted() {
    for (body, problem) in
        [("hello", "`hello`"), ("", "found nothing"), ("[]", "other JSON"), ("{}", "`outputs`")]
    {
        let (url, _requests) = saying("200 OK", body);
        let told = reason(&agent(&url), &order(10.0)).await;
        assert!(told.contains(problem), "{body}: {told}");
    }
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let (elsewhere, requests) = saying("200 OK", r#"{"outputs":{}}"#);
    let (url, _requests) = server(move |stream| {
        let text =
            format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
    });
    let told = reason(&agent(&url), &order(10.0)).await;
    assert!(told.contains("307") && told.contains("not followed"), "{told}");
    assert!(requests.try_recv().is_err());
}

#[tokio::test]
async fn an_endless_body_is_cut_off() {
    let (url, _requests) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
    });
    let start = Instant::now();
    let told = reason(&agent(&url), &order(30.0)).await;
    assert!(told.contains("more than 10 MB"), "{told}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn silence_ends_at_the_deadline_and_a_broken_answer_at_once() {
    // spec: planning EX-08
    let (url, _requests) = server(|stream| {
        let stream = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(5));
            drop(stream);
        });
    });
    takes_less_than(Duration::from_millis(600), async || {
        assert_eq!(reason(&agent(&url), &order(0.5)).await, "Agent timeout after 0.5s");
    })
    .await;
    let (url, _requests) =
        server(|stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")));
    let told = reason(&agent(&url), &order(10.0)).await;
    assert!(told.contains("was lost"), "{told}");
}

#[tokio::test]
async fn a_stop_ends_the_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let agent = agent(&format!("http://{}", listener.local_addr().unwrap()));
    let (order, stop) = (order(30.0), CancellationToken::new());
    let stopper = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stop.cancel();
    };
    let start = Instant::now();
    let (result, ()) = tokio::join!(agent.perform(&order, stop.clone()), stopper);
    assert_eq!(result, Err(AgentFailure::Stopped));
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn an_address_that_is_none_is_refused() {
    for url in ["", "agent", "ftp://host/x", "http://", "file:///etc/passwd"] {
        let error = HttpAgent::new(url).unwrap_err().to_string();
        assert!(error.contains("http://127.0.0.1:8080/agent"), "{error}");
    }
    let agent = agent("http://127.0.0.1/");
    let error = agent.with_header("X-Key", "two\nlines").unwrap_err().to_string();
    assert!(error.contains("X-Key") && !error.contains("lines\n"), "{error}");
}

#[tokio::test]
async fn a_question_is_posted_and_its_answer_read() {
    // spec: orchestrator AC-08 AC-09 AC-10
    let query = |timeout| candor_model::Query {
        id: "query_7".to_owned(),
        from_agent: "asker".to_owned(),
        task_id: candor_model::TaskId::new("task_001").unwrap(),
        to_agent: "service".to_owned(),
        query_type: candor_model::QueryType::Data,
        query: "How many?".to_owned(),
        context: Default::default(),
        timeout,
    };
    let run = candor_model::RunId::new("run_1").unwrap();
    let (url, requests) = saying("200 OK", r#"{"response":3,"confidence":70}"#);
    let answer = agent(&url).answer(&run, &query(5_000), CancellationToken::new()).await.unwrap();
    assert_eq!((answer.response, answer.confidence), (serde_json::json!(3), 70));
    let request = requests.recv().unwrap();
    assert!(request.head.contains("idempotency-key: run_1/query_7"), "{}", request.head);
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["query"]["query"], "How many?");
    let (url, _requests) = saying("500 Internal Server Error", "no");
    let error = agent(&url).answer(&run, &query(5_000), CancellationToken::new()).await.unwrap_err();
    assert!(error.contains("status 500"), "{error}");
    let (url, _requests) = server(|_| std::thread::sleep(Duration::from_secs(5)));
    let began = Instant::now();
    let error = agent(&url).answer(&run, &query(200), CancellationToken::new()).await.unwrap_err();
    assert!(error.contains("after 200 ms") && began.elapsed() < Duration::from_secs(3), "{error}");
}

/// A worker that answers one request after the other with these lines.
fn working(rounds: Vec<&'static [&'static str]>) -> (String, Receiver<Request>) {
    let rounds = std::sync::Mutex::new(rounds.into_iter());
    server(move |stream| {
        let Some(lines) = rounds.lock().unwrap().next() else { return };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson; charset=utf-8\r\nconnection: close\r\n\r\n";
        let _ = stream.write_all(format!("{head}{}", lines.join("\n")).as_bytes());
    })
}

async fn among(url: &str, cx: &Arc<MemoryContext>) -> Result<AgentAnswer, AgentFailure> {
    agent(url).perform_among(&order(30.0), Arc::clone(cx) as _, CancellationToken::new()).await
}

fn sent(requests: &Receiver<Request>) -> Value {
    serde_json::from_slice(&requests.recv().unwrap().body).unwrap()
}

#[tokio::test]
async fn a_worker_tells_while_it_works_and_its_last_line_is_the_answer() {
    let lines: &[&str] = &[
        r#"{"tell":{"messageType":"discovery","content":"a third"}}"#,
        "",
        r#"{"tell":{"messageType":"warning","priority":"high","content":"slow"}}"#,
        r#"{"outputs":{"n":3}}"#,
    ];
    let (url, _requests) = working(vec![lines]);
    let cx = MemoryContext::new();
    assert_eq!(among(&url, &cx).await.unwrap().outputs["n"], 3);
    let told: Vec<String> = cx.told().into_iter().map(|it| it.content).collect();
    assert_eq!(told, ["a third", "slow"]);
    // Nobody listens to an attempt on its own; it is made all the same.
    let (url, _requests) = working(vec![lines]);
    assert_eq!(perform(&agent(&url), &order(30.0)).await.unwrap().outputs["n"], 3);
}

#[tokio::test]
async fn a_question_waits_for_a_person_and_the_order_comes_again_with_the_answer() {
    let asks: &[&str] = &[r#"{"question":{"text":"Which?","options":["red","blue"],"default":"red"}}"#];
    let (url, requests) = working(vec![asks, asks, &[r#"{"outputs":{"n":1}}"#]]);
    let cx = MemoryContext::new();
    // Asked twice without an answer in between, as after a crash, it is one question.
    for _ in 0..2 {
        let Err(AgentFailure::Waiting { question }) = among(&url, &cx).await else { panic!("it asks") };
        assert_eq!((question.text.as_str(), question.default.as_deref()), ("Which?", Some("red")));
        let options: Vec<&str> = question.options.iter().map(|option| option.id.as_str()).collect();
        assert_eq!(options, ["red", "blue", "cancel"]);
        assert!(sent(&requests).get("answers").is_none());
    }
    assert_eq!(cx.story(), ["asked Which?"]);
    cx.answer("blue", "");
    assert_eq!(among(&url, &cx).await.unwrap().outputs["n"], 1);
    let order = sent(&requests);
    assert_eq!(order["answers"], json!([{ "question": "Which?", "answer": "blue" }]));
    assert_eq!(order["idempotency_key"], "run_1/task_001/1");
}

#[tokio::test]
async fn a_question_that_a_person_cancels_ends_the_attempt() {
    let cx = MemoryContext::left_with([AgentNote::Asked { about: "Which?".to_owned() }]);
    cx.answer("cancel", "");
    let (url, requests) = working(vec![&[r#"{"outputs":{}}"#]]);
    let Err(AgentFailure::Failed(failure)) = among(&url, &cx).await else { panic!("it failed") };
    assert_eq!(failure.kind, FailureKind::Cancelled);
    assert!(requests.try_recv().is_err(), "nothing is sent");
}

#[tokio::test]
async fn what_a_worker_asks_another_agent_comes_with_the_next_request() {
    let rounds: Vec<&[&str]> = vec![
        &[r#"{"ask":{"toAgent":"clerk","query":"How many?"}}"#],
        &[r#"{"listen":true}"#],
        &[r#"{"outputs":{"n":1}}"#],
    ];
    let (url, requests) = working(rounds);
    assert_eq!(among(&url, &MemoryContext::new()).await.unwrap().outputs["n"], 1);
    assert!(sent(&requests).get("replies").is_none());
    let reply = json!([{ "query": "How many?", "error": "nobody is here" }]);
    assert_eq!(sent(&requests)["replies"], reply);
    let last = sent(&requests);
    assert_eq!((&last["replies"], &last["messages"]), (&reply, &json!([])));
}

#[tokio::test]
async fn a_worker_that_says_nonsense_or_nothing_is_told_apart() {
    let cases: [(&[&str], &str); 5] = [
        (&[r#"{"tell":{"content":"no type"}}"#], "messageType"),
        (&[r#"{"tell":{"messageType":"discovery","content":"x"}}"#], "ended without an answer"),
        (&[r#"{"question":{"text":""}}"#], "needs a `text`"),
        (&[r#"{"question":{"text":"a?","options":["b"],"default":"c"}}"#], "none of its options"),
        (&[r#"{"output":{}}"#], "field `outputs`"),
    ];
    for (lines, told) in cases {
        let (url, _requests) = working(vec![lines]);
        let Err(AgentFailure::Failed(failure)) = among(&url, &MemoryContext::new()).await else {
            panic!("{told}")
        };
        assert_eq!(failure.kind, FailureKind::BadOutput, "{told}");
        assert!(failure.message.contains(told), "{}", failure.message);
    }
    let endless: Vec<&[&str]> = vec![&[r#"{"listen":true}"#]; 40];
    let (url, _requests) = working(endless);
    let Err(AgentFailure::Failed(failure)) = among(&url, &MemoryContext::new()).await else {
        panic!("endless")
    };
    assert!(failure.message.contains("32 times"), "{}", failure.message);
}
