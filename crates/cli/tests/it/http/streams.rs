//! Live events: in order, once each, from any place on.

use std::io::{ErrorKind, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, GENERAL, until};

fn is_end(event: &Value) -> bool {
    ["run_completed", "run_failed", "run_aborted", "run_cancelled"]
        .iter()
        .any(|end| event["event"].get(end).is_some())
}

fn ended(events: &[(u64, Value)]) -> bool {
    events.last().is_some_and(|(_, event)| is_end(event))
}

#[test]
fn a_run_is_followed_from_its_start_or_from_any_place_and_nothing_comes_twice() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let run = server.run(json!({"goal": "Write a report on the tides", "unattended": true}));
    let path = format!("/api/v1/runs/{run}/events/stream");
    let live = server.follow(&path, None, ended);
    let page = server.get(&format!("/api/v1/runs/{run}/events")).json()["events"].as_array().unwrap().clone();
    let data: Vec<Value> = live.iter().map(|(_, event)| event.clone()).collect();
    assert_eq!(data, page);
    let ids: Vec<u64> = live.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
    let later = server.follow(&path, Some(4), ended);
    assert_eq!(later, live[4..]);
    let wrong = server.send_with(
        "GET",
        &path,
        &[("Authorization", &format!("Bearer {}", server.token)), ("Last-Event-ID", "x")],
        None,
    );
    wrong.refused(400, "bad-request");
}

#[test]
fn events_that_a_reader_may_wait_for_have_names_in_the_order_of_the_run() {
    // spec: orchestrator OB-10
    let alert = "[[kpi.alerts]]\nname = \"someone_worked\"\nwhen = \"depth > 0\"\n";
    let candor = Candor::with_config(&format!("{GENERAL}{alert}"));
    let server = Server::start(&candor);
    let mut stream = server.connect();
    let (host, token) = (&server.address, &server.token);
    write!(
        stream,
        "GET /api/v1/events/stream?after=0 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    let task =
        |name: &str| json!({"task_id": name, "description": "Mend the nets", "agent_type": "collector"});
    server.run(json!({"plan": {"subtasks": [task("t1"), task("t2")]}, "unattended": true}));
    let mut names: Vec<String> = Vec::new();
    for line in std::io::BufRead::lines(std::io::BufReader::new(stream)) {
        let line = line.unwrap();
        names.extend(line.strip_prefix("event: ").map(str::to_owned));
        if names.last().is_some_and(|name| name == "alert") {
            break;
        }
    }
    let count = |of: &str| names.iter().filter(|name| *name == of).count();
    assert_eq!((names[0].as_str(), count("task_started"), count("task_completed")), ("task_started", 1, 1));
    assert_eq!((count("agent_started"), count("agent_completed")), (2, 2), "{names:?}");
    assert!(count("phase_started") >= 7 && count("phase_completed") >= 7, "{names:?}");
    let at = |of: &str| names.iter().position(|name| name == of).unwrap();
    assert!(at("phase_started") < at("agent_started") && at("agent_started") < at("agent_completed"));
    assert!(at("agent_completed") < at("task_completed") && at("task_completed") < at("alert"), "{names:?}");
}

#[test]
fn all_runs_are_followed_together_also_those_that_another_process_drives() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let (all, runs) = std::thread::scope(|scope| {
        let all = scope.spawn(|| {
            server.follow("/api/v1/events/stream", Some(0), |events| {
                events.iter().filter(|(_, event)| is_end(event)).count() == 3
            })
        });
        let mut runs: Vec<String> = ["Write a report on the nets", "Send a letter about the boat"]
            .map(|goal| server.run(json!({"goal": goal, "unattended": true})))
            .to_vec();
        candor.run(["run", "Write a list of the catch", "--yes", "--run-id", "run_elsewhere"]);
        runs.push("run_elsewhere".to_owned());
        (all.join().unwrap(), runs)
    });
    assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0), "in the order of the log");
    for run in runs {
        let page =
            server.get(&format!("/api/v1/runs/{run}/events")).json()["events"].as_array().unwrap().clone();
        let seen: Vec<Value> = all
            .iter()
            .map(|(_, event)| event)
            .filter(|event| event["run_id"] == run.as_str())
            .cloned()
            .collect();
        assert_eq!(seen, page, "{run}");
    }
}

#[test]
fn a_reader_that_never_reads_holds_nobody_up() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let silent: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            let (host, token) = (&server.address, &server.token);
            write!(stream, "GET /api/v1/events/stream?after=0 HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n")
                .unwrap();
            stream
        })
        .collect();
    for _ in 0..3 {
        let run = server.run(json!({"goal": "Write a report on the tides", "unattended": true}));
        assert!(ended(&server.follow(&format!("/api/v1/runs/{run}/events/stream"), None, ended)));
    }
    drop(silent);
}

#[test]
fn a_reader_that_never_reads_a_large_log_is_cut_off() {
    let script = "cat > /dev/null; printf '{\"outputs\":{\"text\":\"'; head -c 200000 /dev/zero | tr '\\0' x; printf '\"}}'";
    let agent = "[[agents]]\nagent_type = \"talker\"\nspecialization = \"Talks\"\n";
    let candor = Candor::with_config(&format!("{agent}command = [\"sh\", \"-c\", {}]\n", json!(script)));
    let server = Server::start(&candor);
    let tasks: Vec<Value> = (0..40)
        .map(|n| json!({"task_id": format!("t{n}"), "description": "Talk", "agent_type": "talker"}))
        .collect();
    let run = server.run(json!({"plan": {"subtasks": tasks}, "unattended": true}));
    let whole = server.follow(&format!("/api/v1/runs/{run}/events/stream"), None, ended);
    let bytes: usize = whole.iter().map(|(_, event)| event.to_string().len()).sum();
    assert!(bytes > 7_000_000, "more than the buffers of a connection: {bytes}");
    let mut silent = server.connect();
    let (host, token) = (&server.address, &server.token);
    write!(silent, "GET /api/v1/runs/{run}/events/stream HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n")
        .unwrap();
    std::thread::sleep(Duration::from_secs(40));
    // The connection was closed: it ends, and not with everything. One that is open would wait for more.
    let mut read = Vec::new();
    silent.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let left = silent.read_to_end(&mut read).err().map(|error| error.kind());
    assert!(matches!(left, None | Some(ErrorKind::ConnectionReset)), "{left:?} after {} bytes", read.len());
    assert!(read.len() < bytes, "{} of {bytes}", read.len());
    server.get("/api/v1/runs").ended_with(200);
}

#[test]
fn a_thousand_readers_of_one_run_get_every_event_in_order() {
    const READERS: usize = 1000;
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let tasks: Vec<Value> = (0..30)
        .map(|n| json!({"task_id": format!("t{n}"), "description": "Count the waves", "agent_type": "collector"}))
        .collect();
    let plan = json!({"subtasks": tasks});
    let run = server.run(json!({"goal": "Wait for the tide", "plan": plan, "unattended": true}));
    let path = format!("/api/v1/runs/{run}/events/stream");
    let whole = server.follow(&path, None, ended);
    let go = AtomicBool::new(false);
    // Every reader is a connection; one thread reads a hundred of them.
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..10)
            .map(|_| {
                scope.spawn(|| {
                    let mut streams: Vec<_> = (0..READERS / 10).map(|_| server.connect()).collect();
                    for stream in &mut streams {
                        let (host, token) = (&server.address, &server.token);
                        write!(
                            stream,
                            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
                        )
                        .unwrap();
                    }
                    until("all are connected", || go.load(Ordering::Acquire));
                    streams.into_iter().map(|mut stream| places(&mut stream, whole.len())).collect::<Vec<_>>()
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(100));
        go.store(true, Ordering::Release);
        let wanted: Vec<u64> = (1..=whole.len() as u64).collect();
        for reader in readers {
            reader.join().unwrap().into_iter().for_each(|places| assert_eq!(places, wanted));
        }
    });
}

/// The places of the first events that come.
fn places(stream: &mut impl Read, enough: usize) -> Vec<u64> {
    let (mut text, mut buffer) = (String::new(), [0_u8; 16384]);
    loop {
        let places: Vec<u64> = text
            .lines()
            .filter_map(|line| line.strip_prefix("id: "))
            .filter_map(|id| id.parse().ok())
            .collect();
        if places.len() >= enough {
            return places;
        }
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "closed after {} of {enough}", places.len());
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
}
