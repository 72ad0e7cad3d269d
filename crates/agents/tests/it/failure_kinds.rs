//! The kind of every failure, adapter by adapter: real processes and real servers, each failing in its own way.
//!
//! Tool agents and the code agent have their tables beside their other tests; models, tool servers and sandboxes
//! are in the tests of the command, which has all of them.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use candor_agents::{
    A2aAgent, A2aConfig, CommandAgent, CommandLimits, FaultKind, Faulty, HttpAgent, builtin,
};
use candor_model::{Failure, FailureKind, Seconds, Transience};
use candor_ports::{Agent, AgentFailure};
use serde_json::{Value, json};

use crate::a2a_faults::{Reply, Server, raw, task};
use crate::common::{order, perform, sh};
use crate::http::{saying, server};
use FailureKind as Kind;
use Transience::{Permanent, Transient, Unknown};

/// The failure that an attempt has to end in, be it told by the adapter or by the agent's own answer.
async fn failure_within(agent: &dyn Agent, seconds: f64) -> Failure {
    match perform(agent, &order(seconds)).await {
        Err(AgentFailure::Failed(failure)) => *failure,
        Ok(answer) => answer.failure().unwrap_or_else(|| panic!("it did not fail: {answer:?}")),
        other => panic!("expected a failure, got {other:?}"),
    }
}

async fn failure(agent: &dyn Agent) -> Failure {
    failure_within(agent, 20.0).await
}

/// Checks a row of a table: kind, transience, when to come again, and the end of the message.
#[track_caller]
fn check(row: &str, failure: &Failure, kind: Kind, transience: Transience, retry: Option<f64>, says: &str) {
    assert_eq!((failure.kind, failure.transience), (kind, transience), "{row}: {failure:?}");
    assert_eq!(failure.retry_after.map(Seconds::get), retry, "{row}: {failure:?}");
    assert!(failure.message.contains(says), "{row}: no `{says}` in {failure:?}");
    assert!(!failure.message.contains('\n') && !failure.derived, "{row}: {failure:?}");
}

const PYTHON: &str = r#"
import sys
print("connecting http timeout=30s", file=sys.stderr)
def load(row):
    raise ValueError(f"row {row} has no column 'price'")
try:
    load(7)
except ValueError:
    import traceback
    traceback.print_exc()
    sys.exit(3)
"#;

const NODE: &str = "connecting http timeout=30s\n/srv/agent.js:3\n    throw new TypeError('x')\n    ^\n\n\
                    TypeError: row 7 has no price\n    at main (/srv/agent.js:3:11)\n    \
                    at node:internal/main/run_main_module:22:49\n\nNode.js v22.1.0\n";

#[tokio::test]
async fn programs_that_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let gone = folder.path().join("gone");
    for (agent, says) in [
        (CommandAgent::new(["/no/such/program"]).unwrap(), "there is no such program"),
        (CommandAgent::new([file.display().to_string()]).unwrap(), "it may not be run"),
        (sh("true").in_folder(&gone), "does not exist"),
    ] {
        check(says, &failure(&agent).await, Kind::Unavailable, Permanent, None, says);
    }
}

#[tokio::test]
async fn programs_that_crash_are_told_with_the_line_that_says_why() {
    // spec: findings RC-01 RC-02
    let python = CommandAgent::new(["python3", "-c", PYTHON]).unwrap();
    let node = sh(&format!("cat >&2 <<'END'\n{NODE}END\nexit 1"));
    for (agent, code, says) in [
        (python, 3, "exited with code 3: ValueError: row 7 has no column 'price'"),
        (node, 1, "exited with code 1: TypeError: row 7 has no price"),
        (sh("echo one >&2; echo two >&2; echo >&2; exit 7"), 7, "exited with code 7: two"),
        (sh("exit 1"), 1, "`sh` exited with code 1"),
    ] {
        let failure = failure(&agent).await;
        check(says, &failure, Kind::Crashed, Unknown, None, says);
        assert!(failure.message.ends_with(says), "{failure:?}");
        assert_eq!((failure.exit_code, failure.signal), (Some(code), None));
        let detail = failure.detail.unwrap_or_default();
        assert_eq!(
            detail.contains("at main") || detail.contains("Traceback"),
            code == 3 || says.contains("Type")
        );
    }
    let temporary = failure(&sh("echo busy >&2; exit 75")).await;
    check("75", &temporary, Kind::Crashed, Transient, None, "exited with code 75: busy");
    let killed = failure(&sh("echo out of memory >&2; kill -9 $$")).await;
    check("kill", &killed, Kind::Crashed, Unknown, None, "signal 9 (SIGKILL): out of memory");
    assert_eq!((killed.exit_code, killed.signal), (None, Some(9)));
}

#[tokio::test]
async fn programs_whose_answer_is_late_or_cannot_be_used() {
    let late = failure_within(&sh("echo still reading >&2; sleep 30"), 0.5).await;
    check("late", &late, Kind::Timeout, Transient, None, "Agent timeout after 0.5s");
    assert_eq!(late.detail.as_deref(), Some("still reading"));
    let small = CommandLimits { stdout_bytes: 1_000, ..CommandLimits::default() };
    for (agent, says) in [
        (sh("echo not JSON"), "found text that is not JSON"),
        (sh("echo sorry >&2"), "found nothing; the last line of its stderr: sorry"),
        (sh(r"printf '\377'"), "bytes that are not text"),
        (sh("echo '{}'"), "`outputs`"),
        (sh("head -c 5000 /dev/zero").with_limits(small), "printed more than 1000 bytes"),
    ] {
        check(says, &failure(&agent).await, Kind::BadOutput, Unknown, None, says);
    }
}

#[tokio::test]
async fn an_agent_says_itself_what_kind_of_failure_it_is() {
    let said = |error: Value, exit: i32| {
        let answer = json!({ "error": error }).to_string();
        sh(&format!("cat <<'END'\n{answer}\nEND\nexit {exit}"))
    };
    let full =
        |kind: &str, retryable: bool| json!({ "kind": kind, "message": "no luck", "retryable": retryable });
    for (error, exit, kind, transience) in [
        (full("rate_limited", true), 0, Kind::RateLimited, Transient),
        (full("unavailable", false), 0, Kind::Unavailable, Permanent),
        (full("fully_booked", true), 0, Kind::TaskError, Transient),
        (json!({ "kind": "denied", "message": "no luck" }), 0, Kind::Denied, Permanent),
        (
            json!({ "kind": "constraint_violated", "message": "no luck" }),
            0,
            Kind::ConstraintViolated,
            Permanent,
        ),
        (json!({ "message": "no luck" }), 0, Kind::TaskError, Permanent),
        (json!("no luck"), 0, Kind::TaskError, Permanent),
        (full("timeout", true), 1, Kind::Timeout, Transient),
        (json!({ "message": "no luck" }), 1, Kind::TaskError, Permanent),
        (json!({ "message": "no luck" }), 75, Kind::TaskError, Transient),
    ] {
        let failure = failure(&said(error.clone(), exit)).await;
        check(&error.to_string(), &failure, kind, transience, None, "no luck");
        assert_eq!(failure.exit_code, Some(exit).filter(|exit| *exit != 0));
        let own = error.get("kind").and_then(Value::as_str).filter(|kind| *kind == "fully_booked");
        assert_eq!(failure.reported_kind.as_deref(), own);
    }
}

#[tokio::test]
async fn services_that_refuse() {
    let rows: [(&str, &str, Kind, Transience, Option<f64>); 13] = [
        ("429 Too Many Requests\r\nretry-after: 7", "", Kind::RateLimited, Transient, Some(7.0)),
        ("429 Too Many Requests", "", Kind::RateLimited, Transient, None),
        ("503 Service Unavailable\r\nretry-after: 120", "", Kind::Unavailable, Transient, Some(120.0)),
        ("502 Bad Gateway", "", Kind::Unavailable, Transient, None),
        ("500 Internal Server Error", "http timeout=30s", Kind::Unavailable, Unknown, None),
        ("504 Gateway Timeout", "", Kind::Timeout, Transient, None),
        ("408 Request Timeout", "", Kind::Timeout, Transient, None),
        ("401 Unauthorized", "", Kind::Denied, Permanent, None),
        ("403 Forbidden", "", Kind::Denied, Permanent, None),
        ("404 Not Found", "", Kind::Unavailable, Permanent, None),
        ("307 Temporary Redirect\r\nlocation: /x", "", Kind::Unavailable, Permanent, None),
        ("400 Bad Request", "service unavailable", Kind::TaskError, Permanent, None),
        (
            "422 Odd",
            r#"{"error":{"kind":"too_complex","message":"split it"}}"#,
            Kind::TaskError,
            Permanent,
            None,
        ),
    ];
    for (head, body, kind, transience, retry) in rows {
        let (url, _requests) = saying(head, body);
        let failure = failure(&HttpAgent::new(&url).unwrap()).await;
        let status = format!("answered with status {}", head.split("\r\n").next().unwrap_or_default());
        let status =
            if head.starts_with("422") { "422 Unprocessable Entity: split it".to_owned() } else { status };
        check(head, &failure, kind, transience, retry, &status);
        assert_eq!(failure.is_too_complex(), head.starts_with("422"));
    }
    let (url, _requests) = saying("429 Slow\r\nretry-after: Sun, 06 Nov 1994 08:49:37 GMT", "");
    assert_eq!(failure(&HttpAgent::new(&url).unwrap()).await.retry_after, Some(Seconds::ZERO));
    let (url, _requests) = saying("200 OK", r#"{"error":{"kind":"over_budget","message":"no money"}}"#);
    let said = failure(&HttpAgent::new(&url).unwrap()).await;
    check("said", &said, Kind::OverBudget, Permanent, None, "no money");
}

/// An address where nobody listens.
fn closed() -> String {
    format!("127.0.0.1:{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port())
}

/// An address where somebody answers every connection like this.
fn answering(with: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || listener.incoming().flatten().for_each(with));
    address
}

#[tokio::test]
async fn services_that_cannot_be_reached_or_break_off() {
    let agent = |url: String| HttpAgent::new(&url).unwrap();
    let refused = failure(&agent(format!("http://{}/", closed()))).await;
    check("closed", &refused, Kind::Unavailable, Transient, None, "cannot connect to");
    let garbage =
        answering(|mut stream| drop(stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\nhttp timeout=30s\r\n")));
    let tls = failure(&agent(format!("https://{garbage}/"))).await;
    check("TLS", &tls, Kind::Unavailable, Permanent, None, "cannot connect to https://");
    let (url, _requests) = server(|stream| {
        let stream = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(5));
            drop(stream);
        });
    });
    let silent = failure_within(&agent(url), 0.5).await;
    check("silent", &silent, Kind::Timeout, Transient, None, "Agent timeout after 0.5s");
    let (url, _requests) =
        server(|stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")));
    check("cut", &failure(&agent(url)).await, Kind::Unavailable, Transient, None, "was lost");
    let (url, _requests) = saying("200 OK", "service unavailable");
    check("words", &failure(&agent(url)).await, Kind::BadOutput, Unknown, None, "not JSON");
    let (url, _requests) = server(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
    });
    check("endless", &failure(&agent(url)).await, Kind::BadOutput, Unknown, None, "more than 10 MB");
}

#[tokio::test]
async fn remote_agents_without_a_usable_card() {
    let agent = |url: String| A2aAgent::lazy(&url, A2aConfig::default()).unwrap();
    let gone = failure(&agent(format!("http://{}", closed()))).await;
    check("closed", &gone, Kind::Unavailable, Transient, None, "cannot get the agent card");
    for (head, kind, transience, retry) in [
        ("503 Busy\r\nretry-after: 9", Kind::Unavailable, Transient, Some(9.0)),
        ("401 Unauthorized", Kind::Denied, Permanent, None),
        ("404 Not Found", Kind::Unavailable, Permanent, None),
        ("200 OK", Kind::Unavailable, Permanent, None),
    ] {
        let peer = Server::new(move |_, _, _| raw(head, "<html>"));
        check(head, &failure(&peer.agent()).await, kind, transience, retry, "agent card");
    }
}

#[tokio::test]
async fn remote_agents_that_fail_at_a_task() {
    let refused = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": "no timeout" } });
    let broken = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32603, "message": "broken" } });
    let ended = |state: &str| Reply::Result(json!({ "task": task(state) }));
    let rows = [
        ("429", raw("429 Slow\r\nretry-after: 3", ""), Kind::RateLimited, Transient, Some(3.0)),
        ("503", raw("503 Busy", ""), Kind::Unavailable, Transient, None),
        ("403", raw("403 Forbidden", ""), Kind::Denied, Permanent, None),
        ("refused", raw("200 OK", &refused.to_string()), Kind::TaskError, Permanent, None),
        ("broken", raw("200 OK", &broken.to_string()), Kind::Unavailable, Unknown, None),
        ("garbage", raw("200 OK", "service unavailable"), Kind::BadOutput, Unknown, None),
        ("failed", ended("FAILED"), Kind::TaskError, Permanent, None),
        ("rejected", ended("REJECTED"), Kind::TaskError, Permanent, None),
        ("canceled", ended("CANCELED"), Kind::Cancelled, Permanent, None),
        ("AUTH", ended("AUTH_REQUIRED"), Kind::Denied, Permanent, None),
    ];
    for (row, reply, kind, transience, retry) in rows {
        let peer = Server::peer(false, move |_, _| reply.clone());
        check(row, &failure(&peer.agent()).await, kind, transience, retry, "");
    }
    let silent = Server::peer(false, |_, _| Reply::Silence);
    let late = failure_within(&silent.agent(), 0.5).await;
    check("silent", &late, Kind::Timeout, Transient, None, "Agent timeout after 0.5s");
}

#[tokio::test]
async fn built_in_kinds() {
    let of = |kind: &str, options: Value| builtin(kind, options.as_object().unwrap(), &|_| None).unwrap();
    let violated = json!({ "violations": [{ "when": "1 < 2", "error": "too dear, timeout" }] });
    let unknown = json!({ "outputs": { "a": "inputs.destination * 2" } });
    let lacking = json!({ "require": ["inputs.budget"], "outputs": { "a": "1" } });
    for (kind, options, expected) in [
        ("check", violated, Kind::ConstraintViolated),
        ("check", unknown, Kind::TaskError),
        ("check", lacking, Kind::TaskError),
    ] {
        let failure = failure(&*of(kind, options.clone())).await;
        check(&options.to_string(), &failure, expected, Permanent, None, "");
    }
    let late = failure_within(&*of("echo", json!({})), 0.0).await;
    check("late", &late, Kind::Timeout, Transient, None, "Agent timeout after 0s");
}

#[tokio::test]
async fn faults_on_purpose() {
    let noop = || builtin("noop", &Default::default(), &|_| None).unwrap();
    for (fault, kind, transience) in [
        (FaultKind::Timeout, Kind::Timeout, Transient),
        (FaultKind::Error, Kind::TaskError, Permanent),
        (FaultKind::Crash, Kind::Crashed, Unknown),
        (FaultKind::Garbage, Kind::BadOutput, Unknown),
        (FaultKind::TooComplex, Kind::TaskError, Permanent),
        (FaultKind::Unavailable, Kind::Unavailable, Transient),
        (FaultKind::FullyBooked, Kind::TaskError, Permanent),
        (FaultKind::OverBudget, Kind::ConstraintViolated, Permanent),
        (FaultKind::DependencyFailed, Kind::DependencyFailed, Permanent),
    ] {
        let agent: Arc<dyn Agent> = Arc::new(Faulty::new(noop(), fault, None));
        let seconds = if fault == FaultKind::Timeout { 0.3 } else { 20.0 };
        let failure = failure_within(&*agent, seconds).await;
        check(fault.as_str(), &failure, kind, transience, None, "");
        assert_eq!(failure.is_too_complex(), fault == FaultKind::TooComplex);
    }
}
