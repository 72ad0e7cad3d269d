//! Real MCP servers, over stdio and streamable HTTP.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use candor_model::{Carried, Seconds, ToolErrorKind};
use candor_ports::Toolbox;
use candor_tools::{ServerConfig, Tools};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{
    LONG, a_call, call, call_within, command, content, failure, many, one, peers, processes_with, until,
};

async fn names(tools: &Tools) -> Vec<String> {
    tools.tools().await.iter().map(|spec| spec.name.clone()).collect()
}

#[tokio::test]
async fn a_server_tells_its_tools_and_calls_give_text_and_data() {
    // spec: beyond BY-09
    let Some(peers) = peers() else { return };
    let tools = one("all", command(peers.everything()));
    let names = names(&tools).await;
    assert!(names.iter().any(|name| name == "all.echo"), "{names:?}");
    let echo = call(&tools, "all.echo", json!({ "message": "hello" })).await;
    assert_eq!(content(&echo), "Echo: hello");
    let sum = call(&tools, "all.get-sum", json!({ "a": 2, "b": 3 })).await;
    assert!(content(&sum).contains('5'), "{sum:?}");
    let weather = call(&tools, "all.get-structured-content", json!({ "location": "Chicago" })).await;
    assert!(weather.data.as_ref().is_some_and(|data| data["temperature"].is_number()), "{weather:?}");
    let image = call(&tools, "all.get-tiny-image", json!({})).await;
    assert!(content(&image).contains("[image image/png, "), "{image:?}");
    tools.shutdown().await;
}

#[tokio::test]
async fn arguments_are_checked_before_the_server_sees_them() {
    // spec: planning TA-36
    let Some(peers) = peers() else { return };
    let tools = one("all", command(peers.everything()));
    let (kind, said) = failure(&call(&tools, "all.get-sum", json!({ "a": "two" })).await);
    assert_eq!(kind, ToolErrorKind::InvalidArguments);
    assert!(said.contains("a: ") && said.contains("b") && said.contains("was not called"), "{said}");
    let (kind, said) = failure(&call(&tools, "all.nothing", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Unavailable);
    assert!(said.contains("all.echo"), "{said}");
    let (kind, said) = failure(&call(&tools, "some.thing", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Unavailable);
    assert!(said.contains("no server `some`"), "{said}");
    tools.shutdown().await;
}

#[tokio::test]
async fn a_long_call_ends_at_its_deadline_and_the_server_goes_on() {
    // spec: beyond BY-09
    let Some(peers) = peers() else { return };
    let tools = one("all", command(peers.everything()));
    tools.tools().await;
    let long = json!({ "duration": 600, "steps": 10 });
    let begun = std::time::Instant::now();
    let result =
        call_within(&tools, "all.trigger-long-running-operation", long.clone(), Duration::from_secs(1)).await;
    assert_eq!(failure(&result).0, ToolErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(30) && result.duration_ms >= 1_000, "{result:?}");
    let stop = CancellationToken::new();
    let stopper = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stopper.cancel();
    });
    let result = tools.call(&a_call("all.trigger-long-running-operation", long), LONG, stop).await;
    assert_eq!(failure(&result).0, ToolErrorKind::Cancelled);
    assert_eq!(
        content(&call(&tools, "all.echo", json!({ "message": "still here" })).await),
        "Echo: still here"
    );
    let health = tools.health(false).await;
    assert_eq!(
        (health[0].restarts, health[0].state.as_str(), health[0].breaker.as_str()),
        (0, "running", "closed")
    );
    tools.shutdown().await;
}

#[tokio::test]
async fn files_are_written_read_and_undone_and_hints_say_what_changes() {
    // spec: beyond BY-09
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut config = command(peers.filesystem(&root));
    config.overrides = toml::from_str(
        "[write_file.undo]\ntool = 'files.move_file'\n\
         arguments = { source = '${arguments.path}', destination = '${arguments.path}.undone' }\n\
         [write_file.check]\ntool = 'files.get_file_info'\narguments = { path = '${arguments.path}' }",
    )
    .unwrap();
    let tools = one("files", config);
    let specs = tools.tools().await;
    let hints = |name: &str| specs.iter().find(|spec| spec.name == name).unwrap().hints;
    assert!(!hints("files.read_text_file").changes() && hints("files.write_file").destroys());
    assert!(hints("files.write_file").idempotent_hint && !hints("files.create_directory").destroys());
    let path = root.join("a.txt").display().to_string();
    let write = a_call("files.write_file", json!({ "path": path, "content": "one line" }));
    assert_eq!(tools.verify(&write, LONG, CancellationToken::new()).await, Carried::NotDone);
    let written = tools.call(&write, LONG, CancellationToken::new()).await;
    assert!(written.success, "{written:?}");
    assert_eq!(tools.verify(&write, LONG, CancellationToken::new()).await, Carried::Done);
    let read = call(&tools, "files.read_text_file", json!({ "path": path })).await;
    assert_eq!(content(&read), "one line");
    let reading = a_call("files.read_text_file", json!({ "path": path }));
    assert_eq!(tools.verify(&reading, LONG, CancellationToken::new()).await, Carried::Unknown);
    let undo = written.undo.unwrap();
    assert_eq!(undo.arguments["destination"], format!("{path}.undone"));
    let undone = call(&tools, &undo.tool, undo.arguments.into()).await;
    assert!(undone.success && !Path::new(&path).exists(), "{undone:?}");
    let (kind, said) =
        failure(&call(&tools, "files.read_text_file", json!({ "path": "/etc/hostname" })).await);
    assert!(kind == ToolErrorKind::Failed && said.contains("denied"), "{said}");
    tools.shutdown().await;
}

#[tokio::test]
async fn an_agent_sees_and_calls_only_what_it_may() {
    // spec: planning TA-35
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut memory = command(peers.memory());
    memory.env.insert("MEMORY_FILE_PATH".to_owned(), folder.path().join("graph").display().to_string());
    memory.tools = Some(vec!["create_entities".to_owned(), "read_graph".to_owned(), "typo".to_owned()]);
    let tools = many(vec![("files", command(peers.filesystem(folder.path()))), ("memory", memory)]);
    let mine = tools.only(&["memory.*".to_owned(), "files.list_directory".to_owned()]);
    assert_eq!(names(&mine).await, ["files.list_directory", "memory.create_entities", "memory.read_graph"]);
    let entity = json!({ "name": "Ada", "entityType": "person", "observations": ["writes programs"] });
    let made = call(&mine, "memory.create_entities", json!({ "entities": [entity] })).await;
    assert!(made.success, "{made:?}");
    let graph = call(&mine, "memory.read_graph", json!({})).await;
    assert_eq!(graph.data.as_ref().unwrap()["entities"][0]["name"], "Ada", "{graph:?}");
    let path = folder.path().join("x").display().to_string();
    let (kind, said) =
        failure(&call(&mine, "files.write_file", json!({ "path": path, "content": "x" })).await);
    assert_eq!(kind, ToolErrorKind::Denied);
    assert!(
        said.contains("files.write_file") && said.contains("memory.*") && !Path::new(&path).exists(),
        "{said}"
    );
    let left_out = call(&mine, "memory.delete_entities", json!({ "entityNames": ["Ada"] })).await;
    assert_eq!(failure(&left_out).0, ToolErrorKind::Unavailable);
    let health = tools.health(false).await;
    assert_eq!(health[1].warnings, ["tools: the server has no tool `typo`"]);
    tools.shutdown().await;
}

#[tokio::test]
async fn the_time_is_told_and_a_wrong_time_zone_is_a_failure() {
    let Some(peers) = peers() else { return };
    let tools = one("time", command(peers.time()));
    let now = call(&tools, "time.get_current_time", json!({ "timezone": "Europe/Madrid" })).await;
    assert_eq!(now.data.as_ref().unwrap()["timezone"], "Europe/Madrid", "{now:?}");
    let (_, said) = failure(&call(&tools, "time.get_current_time", json!({ "timezone": "Mars/Base" })).await);
    assert!(said.contains("Mars/Base"), "{said}");
    tools.shutdown().await;
}

#[tokio::test]
async fn a_repository_is_looked_at() {
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()).status();
    if !made.is_ok_and(|status| status.success()) {
        candor_testkit::skips::skipped("there is no git");
        return;
    }
    std::fs::write(folder.path().join("new.txt"), "x").unwrap();
    let tools = one("git", command(peers.git(folder.path())));
    let repository = folder.path().display().to_string();
    let status = call(&tools, "git.git_status", json!({ "repo_path": repository })).await;
    assert!(content(&status).contains("new.txt"), "{status:?}");
    tools.shutdown().await;
}

/// A server on a port of its own, ended with the test.
struct HttpServer {
    child: std::process::Child,
    url: String,
}

impl HttpServer {
    fn start(words: &[String], port: u16) -> Self {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("PORT", port.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { child: command.spawn().unwrap(), url: format!("http://127.0.0.1:{port}/mcp") }
    }

    async fn ready(&self) {
        let address = self.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        until("the server listens", || std::net::TcpStream::connect(&address).is_ok()).await;
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.end();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_behind_an_address_is_reached_lost_and_reached_again() {
    // spec: beyond BY-09
    let Some(peers) = peers() else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = peers.everything_http();
    let mut server = HttpServer::start(&words, port);
    server.ready().await;
    let config = ServerConfig { url: Some(server.url.clone()), ..ServerConfig::default() };
    let tools = one("web", config);
    assert_eq!(content(&call(&tools, "web.echo", json!({ "message": "far" })).await), "Echo: far");
    server.end();
    let (kind, said) = failure(&call(&tools, "web.echo", json!({ "message": "gone" })).await);
    assert_eq!(kind, ToolErrorKind::Lost);
    assert!(said.contains("web") && said.contains("127.0.0.1"), "{said}");
    let server = HttpServer::start(&words, port);
    server.ready().await;
    assert_eq!(content(&call(&tools, "web.echo", json!({ "message": "back" })).await), "Echo: back");
    assert_eq!(tools.health(false).await[0].restarts, 1);
    tools.shutdown().await;
}

#[tokio::test]
async fn nothing_is_left_running_after_the_shutdown() {
    // spec: beyond BY-07
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let tools = one("files", command(peers.filesystem(folder.path())));
    assert!(processes_with(&mark).is_empty(), "nothing is started before it is needed");
    assert!(!tools.tools().await.is_empty());
    assert!(!processes_with(&mark).is_empty());
    tools.shutdown().await;
    assert_eq!(processes_with(&mark), [0; 0]);
    let (kind, said) = failure(&call(&tools, "files.list_allowed_directories", json!({})).await);
    assert!(kind == ToolErrorKind::Unavailable && said.contains("shut down"), "{said}");
    let again = one("files", command(peers.filesystem(folder.path())));
    assert!(!again.tools().await.is_empty());
    drop(again);
    until("a dropped server ends", || processes_with(&mark).is_empty()).await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_and_the_bounds_of_a_start_are_kept() {
    // spec: beyond BY-10
    let missing = command(vec!["candor-no-such-program".to_owned()]);
    let slow = ServerConfig {
        start_timeout: Seconds::from_millis(300),
        ..command(vec!["sleep".to_owned(), "600".to_owned()])
    };
    let tools = many(vec![("none", missing), ("slow", slow)]);
    let (kind, said) = failure(&call(&tools, "none.x", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Unavailable);
    assert!(said.contains("candor-no-such-program") && said.contains("no such program"), "{said}");
    let (_, said) = failure(&call(&tools, "slow.x", json!({})).await);
    assert!(said.contains("start_timeout"), "{said}");
    let health = tools.health(true).await;
    assert!(
        health.iter().all(|one| one.state == "failed to start" && one.last_error.is_some()),
        "{health:?}"
    );
    tools.shutdown().await;
}

/// A server that answers in plain JSON, wants a key in a header, and hangs when asked to.
const WITH_KEY: &str = r#"
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass
    def reply(self, status, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def do_GET(self):
        self.reply(405)
    def do_DELETE(self):
        self.reply(405)
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["X-Key"] != sys.argv[2]:
            return self.reply(401)
        if "id" not in request:
            return self.reply(202)
        method, params = request["method"], request.get("params", {})
        if method == "tools/call":
            time.sleep(600)
        result = {}
        if method == "initialize":
            result = {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "k", "version": "1"},
                      "capabilities": {"tools": {}}}
        if method == "tools/list":
            page = int(params.get("cursor") or 0)
            result = {"tools": [{"name": f"t{page}", "inputSchema": {"type": "object"}}]}
            if page < 2:
                result["nextCursor"] = str(page + 1)
        self.reply(200, {"jsonrpc": "2.0", "id": request["id"], "result": result})

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_header_takes_its_value_from_the_environment_and_all_pages_are_read() {
    // spec: beyond BY-09
    let Some(peers) = peers() else { return };
    // cargo sets this for tests; it stands for an access key.
    let key = std::env::var("CARGO_PKG_NAME").unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let python = peers.python().display().to_string();
    let words = [python, "-c".to_owned(), WITH_KEY.to_owned(), port.to_string(), key];
    let server = HttpServer::start(&words, port);
    server.ready().await;
    let bare = ServerConfig { url: Some(server.url.clone()), ..ServerConfig::default() };
    let mut keyed = ServerConfig { call_timeout: Seconds::from_millis(500), ..bare.clone() };
    keyed.headers_env.insert("X-Key".to_owned(), "CARGO_PKG_NAME".to_owned());
    let tools = many(vec![("bare", bare), ("keyed", keyed)]);
    assert_eq!(names(&tools).await, ["keyed.t0", "keyed.t1", "keyed.t2"]);
    let (kind, said) = failure(&call(&tools, "bare.t0", json!({})).await);
    assert!(kind == ToolErrorKind::Unavailable && said.contains("401"), "{said}");
    let (kind, said) = failure(&call(&tools, "keyed.t0", json!({})).await);
    assert!(kind == ToolErrorKind::Timeout && said.contains("call_timeout"), "{said}");
    tools.shutdown().await;
}
