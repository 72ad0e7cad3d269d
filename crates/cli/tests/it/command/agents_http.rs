//! Agents behind a URL, against a server of a few lines.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::support::{Candor, Said, keys};

/// What a request said.
struct Request {
    line: String,
    headers: BTreeMap<String, String>,
    body: Value,
}

/// Reads one request.
fn read(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut text).unwrap(), 0, "the request broke off");
    }
    let mut lines = text.lines();
    let line = lines.next().unwrap().to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    Request { line, headers, body: serde_json::from_slice(&body).unwrap() }
}

/// A server that answers each request with the next of these, and hands on what it was asked.
fn serve(answers: Vec<(&'static str, String)>) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/tasks", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let request = read(&stream);
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            // Who has gone away by now has had enough.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            let _ = sender.send(request);
        }
    });
    (address, requests)
}

fn with_agent(address: &str) -> Candor {
    Candor::with_config(&format!(
        "[limits]\nagent_timeout = 2\n[[agents]]\nagent_type = \"service\"\nspecialization = \"Does the thing\"\n\
         http = \"{address}\"\n"
    ))
}

fn good() -> String {
    json!({"outputs": {"thing": 1}, "cost": 0.25}).to_string()
}

#[test]
fn a_service_gets_the_documented_order_with_its_key_in_a_header() {
    let (address, requests) = serve(vec![("200 OK", good())]);
    let (said, events) = with_agent(&address).task_for("service");
    said.ended_with(0);
    let request = requests.recv().unwrap();
    assert_eq!(request.line, "POST /tasks HTTP/1.1");
    assert_eq!(request.headers["content-type"], "application/json");
    let order = &request.body;
    assert_eq!(
        keys(order),
        [
            "attempt",
            "brief",
            "deadline_seconds",
            "description",
            "expected_outputs",
            "idempotency_key",
            "inputs",
            "run_id",
            "task_id",
            "upstream"
        ]
    );
    assert_eq!(order["idempotency_key"], request.headers["idempotency-key"]);
    assert!(order["idempotency_key"].as_str().unwrap().contains("run_1"));
    assert_eq!((&order["run_id"], &order["task_id"]), (&json!("run_1"), &json!("t")));
    let feedback = &events.only("task_succeeded")["feedback"];
    assert_eq!((&feedback["cost"], &feedback["actual_outputs"]), (&json!(0.25), &json!({"thing": 1})));
}

#[test]
fn a_status_that_is_no_success_is_a_failure_that_quotes_the_answer() {
    let (address, _requests) =
        serve(vec![("500 Internal Server Error", "out of paper".to_owned()), ("200 OK", good())]);
    let (said, events) = with_agent(&address).task_for("service");
    let reason = events.first_reason();
    assert!(reason.contains("500") && reason.contains("out of paper"), "{reason}");
    assert_eq!(events.failures_told().len(), 1);
    assert!([0, 3].contains(&said.code), "it goes on or asks");
}

#[test]
fn an_answer_that_is_not_the_contract_is_a_failure() {
    let (address, _requests) = serve(vec![("200 OK", "<html>".to_owned()), ("200 OK", good())]);
    let (_, events) = with_agent(&address).task_for("service");
    let reason = events.first_reason();
    assert!(reason.contains("no usable answer") && reason.contains("<html>"), "{reason}");
}

#[test]
fn a_body_without_end_is_cut_off() {
    let (address, _requests) = serve(vec![("200 OK", "x".repeat(11_000_000)), ("200 OK", good())]);
    let (_, events) = with_agent(&address).task_for("service");
    assert!(events.first_reason().contains("more than 10 MB"), "{}", events.first_reason());
}

#[test]
fn a_service_that_never_answers_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (_, events) = with_agent(&format!("http://{}/", listener.local_addr().unwrap())).task_for("service");
    assert_eq!(events.first_reason(), "Agent timeout after 2s");
}

#[test]
fn a_service_that_is_not_there_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let (_, events) = with_agent(&address).task_for("service");
    assert!(events.first_reason().contains("unavailable"), "{}", events.first_reason());
}

#[test]
fn headers_come_from_the_environment_and_a_key_that_is_said_back_is_not_kept() {
    let key = "sesame-open-4711";
    let said_back = json!({"outputs": {"thing": format!("you sent {key}")}}).to_string();
    let (address, requests) = serve(vec![("200 OK", said_back)]);
    let candor = with_agent(&address);
    let config = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", format!("{config}headers_env = {{ X-Access = \"SERVICE_KEY\" }}\n"));
    candor.write(
        "plan.json",
        json!({"subtasks": [{"task_id": "t", "description": "Do the thing",
        "agent_type": "service", "expected_outputs": ["thing"]}]})
        .to_string(),
    );
    let run = ["--data", "data", "run", "--plan", "plan.json", "--json"];
    let unset = Said::of(candor.command(run).env_remove("SERVICE_KEY").output().unwrap()).ended_with(2);
    assert!(unset.stderr.contains("`SERVICE_KEY` is not set"), "{}", unset.stderr);
    let said = Said::of(candor.command(run).env("SERVICE_KEY", key).output().unwrap()).ended_with(0);
    assert_eq!(requests.recv().unwrap().headers["x-access"], key);
    assert!(said.stdout.contains("you sent") && !said.stdout.contains(key), "{}", said.stdout);
}
