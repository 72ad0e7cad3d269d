//! A server that is killed: everything goes on, and readers come back without a gap.

use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, until};

/// An agent that takes a moment, so that runs are under way when the server dies.
const SLOW: &str = "[[agents]]\nagent_type = \"digger\"\nspecialization = \"Digs\"\n\
    command = [\"sh\", \"-c\", \"sleep 0.3; echo '{\\\"outputs\\\":{\\\"dug\\\":true}}'\"]\n";

const RUNS: usize = 50;

fn plan() -> Value {
    let task = |n: u32, after: Value| {
        json!({"task_id": format!("t{n}"), "description": "Dig a hole", "agent_type": "digger",
            "dependencies": after})
    };
    json!({"subtasks": [task(1, json!([])), task(2, json!(["t1"])), task(3, json!(["t2"]))]})
}

#[test]
fn fifty_runs_go_on_after_a_kill_and_a_reader_misses_nothing_and_sees_nothing_twice() {
    // spec: beyond BY-15
    let candor = Candor::with_config(SLOW);
    let server = Server::start(&candor);
    let runs: Vec<String> =
        (0..RUNS).map(|_| server.run(json!({"plan": plan(), "unattended": true}))).collect();
    let some = |events: &[(u64, Value)]| events.len() >= 200;
    let before = server.follow("/api/v1/events/stream", Some(0), some);
    server.kill();
    let server = Server::start(&candor);
    let last = before.last().unwrap().0;
    let is_end = |(_, event): &(u64, Value)| event["event"].get("run_completed").is_some();
    let done = before.iter().filter(|event| is_end(event)).count();
    let after = server.follow("/api/v1/events/stream", Some(last), |events| {
        done + events.iter().filter(|event| is_end(event)).count() == RUNS
    });
    let seen: Vec<&Value> = before.iter().chain(&after).map(|(_, event)| event).collect();
    for run in &runs {
        assert_eq!(server.wait_for(run, "completed")["failures"], 0, "{run}");
        let page = server.get(&format!("/api/v1/runs/{run}/events")).json();
        let page: Vec<&Value> = page["events"].as_array().unwrap().iter().collect();
        let of_run: Vec<&Value> =
            seen.iter().copied().filter(|event| event["run_id"] == run.as_str()).collect();
        // What follows the end of the last run need not be waited for.
        assert!(of_run.len() <= page.len() && of_run == page[..of_run.len()], "{run}: a gap or a double");
        assert!(page.len() - of_run.len() <= 3, "{run}: {} of {} events", of_run.len(), page.len());
        let dispatched = page.iter().filter(|event| event["event"].get("task_succeeded").is_some()).count();
        assert_eq!(dispatched, 3, "{run}: what succeeded is not done again");
    }
    until("they have no active driver", || {
        runs.iter().all(|run| server.get(&format!("/api/v1/runs/{run}")).json()["driver"] == "nobody")
    });
}
