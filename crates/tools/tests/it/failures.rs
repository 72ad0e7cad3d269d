//! Servers that fail on purpose: each in its own way, and what is said and done about it.

use std::fs;
use std::time::{Duration, Instant};

use candor_model::{BreakerSettings, Seconds, ToolErrorKind};
use candor_ports::Toolbox;
use candor_tools::ServerConfig;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{
    LONG, a_call, by_hand, call, command, content, failure, kill, one, peers, processes_with, until,
};

#[tokio::test]
async fn a_missing_library_and_wrong_parameters_are_told_apart() {
    // spec: planning TA-36
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("server.py");
    let program = "from typing import Annotated\n\
        from mcp.server.mcpserver import MCPServer\n\
        from pydantic import Field\n\
        server = MCPServer('lab')\n\
        @server.tool()\ndef plot(points: list[int]) -> str:\n    import candor_no_such_library\n    return 'never'\n\
        @server.tool()\ndef strict(kind: Annotated[str, Field(pattern='^[0-9]+$')]) -> str:\n    return kind\n\
        server.run()\n";
    fs::write(&script, program).unwrap();
    let tools = one("lab", command(vec![peers.python().display().to_string(), script.display().to_string()]));
    let (kind, said) = failure(&call(&tools, "lab.plot", json!({ "points": [1] })).await);
    assert_eq!(kind, ToolErrorKind::MissingDependency, "{said}");
    assert!(said.contains("candor_no_such_library"), "{said}");
    let (kind, said) = failure(&call(&tools, "lab.plot", json!({ "points": "many" })).await);
    assert_eq!(kind, ToolErrorKind::InvalidArguments, "{said}");
    let (kind, said) = failure(&call(&tools, "lab.strict", json!({ "kind": "word" })).await);
    assert_eq!(kind, ToolErrorKind::InvalidArguments, "{said}");
    assert_eq!(tools.health(false).await[0].breaker, "closed", "a server that answers works");
    tools.shutdown().await;
}

#[tokio::test]
async fn a_tool_that_was_taken_away_is_unavailable() {
    // spec: planning TA-36
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"work": {"type": "object"}, "swap": {"type": "object"}}
def run(name, arguments, request):
    if name == "swap":
        del TOOLS["work"]
        TOOLS["other"] = {"type": "object"}
        send({"method": "notifications/tools/list_changed"})
    return text(name)
"#,
    );
    let tools = one("s", config);
    assert_eq!(content(&call(&tools, "s.work", json!({})).await), "work");
    assert_eq!(content(&call(&tools, "s.swap", json!({})).await), "swap");
    let (kind, said) = failure(&call(&tools, "s.work", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Unavailable);
    assert!(said.contains("s.other"), "{said}");
    let names: Vec<_> = tools.tools().await.iter().map(|spec| spec.name.clone()).collect();
    assert_eq!(names, ["s.swap", "s.other"]);
    tools.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_in_mid_call_is_told_of_at_once_and_started_again() {
    // spec: beyond BY-09 BY-10
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"wait": {"type": "object"}, "pid": {"type": "object"}}
def run(name, arguments, request):
    if name == "pid":
        return text(str(os.getpid()))
    print("the last words of the server", file=sys.stderr, flush=True)
    open(os.path.join(os.path.dirname(__file__), "waiting"), "w").close()
    time.sleep(600)
"#,
    );
    let tools = one("s", ServerConfig { call_timeout: Seconds::whole(300), ..config });
    let first = content(&call(&tools, "s.pid", json!({})).await).to_owned();
    let waiting = folder.path().join("waiting");
    let killer = tokio::spawn(async move {
        until("the call is under way", || waiting.exists()).await;
        kill(first.parse().unwrap());
        Instant::now()
    });
    let (kind, said) = failure(&call(&tools, "s.wait", json!({})).await);
    assert!(killer.await.unwrap().elapsed() < Duration::from_secs(20));
    assert_eq!(kind, ToolErrorKind::Lost);
    assert!(said.contains("the last words of the server") && said.contains("SIGKILL"), "{said}");
    assert!(call(&tools, "s.pid", json!({})).await.success);
    let health = tools.health(false).await;
    assert_eq!((health[0].restarts, health[0].state.as_str()), (1, "running"));
    assert!(health[0].last_error.as_ref().is_some_and(|error| error.contains("last words")), "{health:?}");
    tools.shutdown().await;
    assert_eq!(processes_with(&mark), [0; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_is_left_in_peace_ended_and_tried_again() {
    // spec: beyond BY-09 BY-26
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("hang");
    fs::write(&flag, "").unwrap();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"work": {"type": "object"}}
def run(name, arguments, request):
    if os.path.exists(os.path.join(os.path.dirname(__file__), "hang")):
        time.sleep(600)
    return text("done")
"#,
    );
    let breaker = BreakerSettings { reset_timeout: Seconds::whole(10), ..BreakerSettings::default() };
    let times = (Seconds::from_millis(300), Seconds::whole(5));
    // It is the timed-out call that makes someone ask, not the passing of time.
    let ping_every = Seconds::whole(3_600);
    let config = ServerConfig { call_timeout: times.0, ping_timeout: times.1, ping_every, breaker, ..config };
    let tools = one("s", config);
    let mark = folder.path().display().to_string();
    for _ in 0..3 {
        let (kind, said) = failure(&call(&tools, "s.work", json!({})).await);
        assert!(kind == ToolErrorKind::Timeout && said.contains("call_timeout"), "{said}");
    }
    let begun = Instant::now();
    let (kind, said) = failure(&call(&tools, "s.work", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Unavailable);
    assert!(said.contains("circuit open after 3 failures, retry in"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(2), "it fails fast");
    assert!(tools.health(false).await[0].breaker.starts_with("open: "));
    assert!(tools.tools().await.is_empty(), "nor is it asked for its tools");
    until("the hung server is ended", || processes_with(&mark).is_empty()).await;
    fs::remove_file(&flag).unwrap();
    let begun = Instant::now();
    let mut result = call(&tools, "s.work", json!({})).await;
    while !result.success && begun.elapsed() < LONG {
        tokio::time::sleep(Duration::from_millis(200)).await;
        result = call(&tools, "s.work", json!({})).await;
    }
    assert_eq!(content(&result), "done");
    let health = tools.health(false).await;
    assert_eq!((health[0].breaker.as_str(), health[0].restarts), ("closed", 1));
    assert!(health[0].last_error.as_ref().is_some_and(|error| error.contains("ping")), "{health:?}");
    tools.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_work_that_stops_answering_is_noticed() {
    // spec: beyond BY-09
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"work": {"type": "object"}}
def run(name, arguments, request):
    send({"id": request["id"], "result": text("done")})
    os.kill(os.getpid(), signal.SIGSTOP)
"#,
    );
    let times = (Seconds::from_millis(200), Seconds::whole(2));
    let tools = one("s", ServerConfig { ping_every: times.0, ping_timeout: times.1, ..config });
    let mark = folder.path().display().to_string();
    assert_eq!(content(&call(&tools, "s.work", json!({})).await), "done");
    until("the silent server is ended", || processes_with(&mark).is_empty()).await;
    assert_eq!(content(&call(&tools, "s.work", json!({})).await), "done");
    tools.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_stopped_is_cancelled_at_the_server_and_carries_its_key() {
    // spec: beyond BY-07 BY-09
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"work": {"type": "object"}}
def note(words):
    with open(os.path.join(os.path.dirname(__file__), "heard"), "a") as file:
        file.write(words + "\n")
def heard(notification):
    note(notification["method"] + " " + str(notification.get("params", {}).get("requestId")))
def run(name, arguments, request):
    note("call " + str(request["id"]) + " " + request["params"]["_meta"]["candor/idempotencyKey"])
"#,
    );
    let tools = one("s", config);
    let heard = folder.path().join("heard");
    let read = move || fs::read_to_string(&heard).unwrap_or_default();
    let stop = CancellationToken::new();
    let (stopper, look) = (stop.clone(), read.clone());
    tokio::spawn(async move {
        until("the call has come", || look().contains("call ")).await;
        stopper.cancel();
    });
    let result = tools.call(&a_call("s.work", json!({})), LONG, stop).await;
    assert_eq!(failure(&result).0, ToolErrorKind::Cancelled);
    until("the cancellation has come", || read().contains("notifications/cancelled")).await;
    let text = read();
    let id = text.lines().find_map(|line| line.strip_prefix("call ")).unwrap();
    let (id, key) = id.split_once(' ').unwrap();
    assert_eq!(key, "run/task/1");
    assert!(text.contains(&format!("notifications/cancelled {id}")), "{text}");
    let (kind, _) =
        failure(&crate::common::call_within(&tools, "s.work", json!({}), Duration::from_millis(500)).await);
    assert_eq!(kind, ToolErrorKind::Timeout);
    until("that is cancelled too", || read().matches("notifications/cancelled").count() == 2).await;
    tools.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_are_cut_or_end_the_connection() {
    // spec: beyond BY-09 BY-10
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"much": {"type": "object"}, "garbage": {"type": "object"}, "endless": {"type": "object"}}
def run(name, arguments, request):
    if name == "much":
        return text("x" * 1000000)
    if name == "garbage":
        for _ in range(1000):
            sys.stdout.write("no message " * 500 + "\n")
        return text("after garbage")
    while True:
        sys.stdout.write("x" * 65536)
"#,
    );
    let tools =
        one("s", ServerConfig { max_output_bytes: 10_000, call_timeout: Seconds::whole(60), ..config });
    let much = call(&tools, "s.much", json!({})).await;
    assert!(much.cut && content(&much).len() < 10_100, "{}", much.content.len());
    assert!(much.content.ends_with("[cut: the first 10000 of 1000000 bytes are shown]"));
    assert_eq!(content(&call(&tools, "s.garbage", json!({})).await), "after garbage");
    let (kind, said) = failure(&call(&tools, "s.endless", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Lost);
    assert!(said.contains("4194304 bytes"), "{said}");
    assert_eq!(content(&call(&tools, "s.garbage", json!({})).await), "after garbage");
    tools.shutdown().await;
    assert_eq!(processes_with(&folder.path().display().to_string()), [0; 0]);
}

#[tokio::test]
async fn secrets_of_the_environment_are_not_handed_on() {
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
TOOLS = {"env": {"type": "object"}}
def run(name, arguments, request):
    return text(json.dumps(dict(os.environ)))
"#,
    );
    // cargo sets this for tests; it stands for a secret that nobody gave to the server.
    let secret = "CARGO_MANIFEST_DIR";
    assert!(std::env::var_os(secret).is_some());
    let mut given = config.clone();
    given.pass_env = vec![secret.to_owned()];
    given.env.insert("OWN".to_owned(), "mine".to_owned());
    let mut missing = config.clone();
    missing.pass_env = vec!["CANDOR_NO_SUCH_VARIABLE".to_owned()];
    let whole = ServerConfig { inherit_env: true, ..config.clone() };
    let tools = crate::common::many(vec![
        ("plain", config),
        ("given", given),
        ("missing", missing),
        ("whole", whole),
    ]);
    let plain = call(&tools, "plain.env", json!({})).await.data.unwrap();
    assert!(plain["PATH"].is_string() && plain.get(secret).is_none(), "{plain}");
    let given = call(&tools, "given.env", json!({})).await.data.unwrap();
    assert!(given[secret].is_string() && given["OWN"] == "mine", "{given}");
    assert!(call(&tools, "whole.env", json!({})).await.data.unwrap()[secret].is_string());
    let (_, said) = failure(&call(&tools, "missing.env", json!({})).await);
    assert!(said.contains("pass_env") && said.contains("CANDOR_NO_SUCH_VARIABLE"), "{said}");
    tools.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_starts_ends_with_it() {
    // spec: beyond BY-07
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let config = by_hand(
        &peers,
        folder.path(),
        r#"
import subprocess
TOOLS = {"die": {"type": "object"}, "work": {"type": "object"}}
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", __file__])
def run(name, arguments, request):
    if name == "die":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    return text("done")
"#,
    );
    let tools = one("s", config);
    assert_eq!(content(&call(&tools, "s.work", json!({})).await), "done");
    assert_eq!(processes_with(&mark).len(), 2);
    // The child holds the pipes open: the end of the server shows only in its process.
    let (_, said) = failure(&call(&tools, "s.die", json!({})).await);
    assert!(said.contains("exit status: 3") && said.contains("out of memory"), "{said}");
    assert_eq!(processes_with(&mark), [0; 0]);
    assert_eq!(content(&call(&tools, "s.work", json!({})).await), "done");
    tools.shutdown().await;
    assert_eq!(processes_with(&mark), [0; 0]);
}

#[tokio::test]
async fn a_server_that_ends_at_once_is_not_started_without_end() {
    // spec: beyond BY-10
    let words = ["sh", "-c", "echo cannot read the settings >&2; exit 7"].map(str::to_owned);
    let breaker = BreakerSettings { failure_threshold: 100, ..BreakerSettings::default() };
    let tools = one("s", ServerConfig { breaker, ..command(words.into()) });
    let (kind, said) = failure(&call(&tools, "s.x", json!({})).await);
    assert_eq!(kind, ToolErrorKind::Unavailable);
    assert!(said.contains("exit status: 7") && said.contains("cannot read the settings"), "{said}");
    for _ in 0..20 {
        call(&tools, "s.x", json!({})).await;
    }
    let health = tools.health(false).await;
    assert!(health[0].restarts < 10, "{health:?}");
    tools.shutdown().await;
}
