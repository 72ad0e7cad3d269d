//! What the tests of MCP servers share: servers by name, calls, and a look at which processes are left.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_model::{JsonMap, Seconds, ToolCall, ToolErrorKind, ToolResult};
use candor_ports::Toolbox;
use candor_testkit::peers::Peers;
use candor_tools::{McpServer, ServerConfig, ToolSource, Tools};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// More than anything takes on a loaded machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The real servers; where there are none, the test is reported as skipped.
pub(crate) fn peers() -> Option<Peers> {
    candor_testkit::skips::or_skipped(Peers::find())
}

/// A server with this command and a start that takes as long as it takes.
pub(crate) fn command(words: Vec<String>) -> ServerConfig {
    ServerConfig { command: Some(words), start_timeout: Seconds::whole(60), ..ServerConfig::default() }
}

/// A toolbox with one server.
pub(crate) fn one(name: &str, config: ServerConfig) -> Tools {
    many(vec![(name, config)])
}

/// A toolbox with several servers.
pub(crate) fn many(servers: Vec<(&str, ServerConfig)>) -> Tools {
    let source = |(name, config)| Arc::new(McpServer::new(name, config).unwrap()) as Arc<dyn ToolSource>;
    Tools::new(servers.into_iter().map(source).collect())
}

/// A call of a tool.
pub(crate) fn a_call(tool: &str, arguments: Value) -> ToolCall {
    let arguments: JsonMap = arguments.as_object().unwrap().clone();
    ToolCall { key: "run/task/1".to_owned(), tool: tool.to_owned(), arguments }
}

/// Calls a tool with all the time in the world.
pub(crate) async fn call(tools: &Tools, tool: &str, arguments: Value) -> ToolResult {
    call_within(tools, tool, arguments, LONG).await
}

/// Calls a tool within a time.
pub(crate) async fn call_within(tools: &Tools, tool: &str, arguments: Value, within: Duration) -> ToolResult {
    tools.call(&a_call(tool, arguments), within, CancellationToken::new()).await
}

/// The kind of a failure and what it says.
#[track_caller]
pub(crate) fn failure(result: &ToolResult) -> (ToolErrorKind, String) {
    assert!(!result.success, "it should have failed: {result:?}");
    let problem = result.error.clone().unwrap();
    (problem.kind, problem.message)
}

/// The content of a call that went well.
#[track_caller]
pub(crate) fn content(result: &ToolResult) -> &str {
    assert!(result.success, "it should have gone well: {result:?}");
    &result.content
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "it never came to be: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The processes that run with this text in their arguments.
pub(crate) fn processes_with(mark: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| *pid != std::process::id() && runs_with(*pid, mark)).collect()
}

fn runs_with(pid: u32, mark: &str) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    // A dead process that nobody has collected yet has no arguments any more.
    String::from_utf8_lossy(&words).contains(mark)
}

/// Sends a signal that cannot be ignored.
pub(crate) fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A small server in Python that speaks the protocol by hand, so that it can break it. `tools` is Python that
/// defines `TOOLS` (name to schema) and `run(name, arguments, request)`, which gives a result or nothing at all.
pub(crate) fn by_hand(peers: &Peers, folder: &Path, tools: &str) -> ServerConfig {
    let script = folder.join("server.py");
    fs::write(&script, format!("{BY_HAND}\n{tools}\nserve()\n")).unwrap();
    let words = [peers.python().display().to_string(), "-u".to_owned(), script.display().to_string()];
    command(words.into())
}

const BY_HAND: &str = r#"
import json, os, signal, sys, time

def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}

def answer(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "by-hand", "version": "1"},
                "capabilities": {"tools": {"listChanged": True}}}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": schema} for name, schema in TOOLS.items()]}
    if method == "tools/call":
        return run(params["name"], params.get("arguments", {}), request)
    return {}

def serve():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            heard(request)
        elif "method" in request:
            result = answer(request)
            if result is not None:
                send({"id": request["id"], "result": result})

def heard(notification):
    pass
"#;
