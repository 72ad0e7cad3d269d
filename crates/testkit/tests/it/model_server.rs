//! The scripted server as a command, asked over a plain socket.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use candor_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_model_server"));
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Sends one request and reads to the end of the connection.
fn ask(base: &str, method: &str, path: &str, body: &Value) -> String {
    let host = base.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_command_prints_its_addresses_and_follows_its_script() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script.json");
    let script = json!({
        "when": [{ "says": "goal", "reply": { "json": { "name": "Paris" } } }],
        "replies": [{ "fault": "rate_limit", "retry_after": "3" }, { "text": "later" }],
    });
    std::fs::write(&file, script.to_string()).unwrap();
    let mut running = Running(command(&["--script", file.to_str().unwrap()]).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let urls: Value = serde_json::from_str(&line).unwrap();
    let base = urls["openai"].as_str().unwrap();
    let say = |words: &str| json!({ "model": "m", "messages": [{ "role": "user", "content": words }] });
    let chat = |words: &str| ask(base, "POST", "/v1/chat/completions", &say(words));
    assert!(chat("hello").contains("Retry-After: 3"));
    assert!(chat("the goal is").contains(r#"{\"name\":\"Paris\"}"#));
    assert!(chat("hello").contains("later") && chat("hello").contains("later"));
}

#[test]
fn a_script_that_makes_no_sense_is_refused_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script.json");
    std::fs::write(&file, r#"[{ "txt": "x" }]"#).unwrap();
    let out = command(&["--script", file.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(said.contains("script.json") && said.contains("txt") && said.contains("usage"), "{said}");
    assert_eq!(command(&["--prot", "1"]).output().unwrap().status.code(), Some(2));
}

#[test]
fn models_embeddings_and_streams_have_the_form_of_openai() {
    let server = ModelServer::start().unwrap();
    let base = server.openai_url();
    assert!(ask(&base, "GET", "/v1/models", &Value::Null).contains(r#""id":"scripted""#));
    let texts = json!({ "input": ["a", "b"], "model": "m" });
    assert_eq!(ask(&base, "POST", "/v1/embeddings", &texts).matches(r#""embedding":["#).count(), 2);
    server.script(vec![Reply::text("one two")]);
    let streamed = ask(&base, "POST", "/v1/chat/completions", &json!({ "stream": true, "messages": [] }));
    assert!(streamed.contains(r#""content":"one ""#) && streamed.contains("data: [DONE]"), "{streamed}");
    assert_eq!(server.seen().len(), 3);
}
