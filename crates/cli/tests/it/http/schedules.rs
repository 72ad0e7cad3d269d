//! Schedules: each due time once, whatever happens to the server.

use std::collections::BTreeSet;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, GENERAL, until};

const PLAN: &str =
    r#"{"subtasks": [{"task_id": "t1", "description": "Count the hives", "agent_type": "collector"}]}"#;

fn candor(more: &str) -> Candor {
    let candor = Candor::with_config(&format!(
        "{GENERAL}[[schedules]]\nname = \"hives\"\nplan = \"plan.json\"\n{more}\n"
    ));
    candor.write("plan.json", PLAN);
    candor
}

/// What is on record about the schedule, in order.
fn noted(candor: &Candor) -> Vec<Value> {
    let log = Connection::open(candor.path("data/candor.db")).unwrap();
    let mut rows = log.prepare("SELECT body FROM notes WHERE stream = 'schedules' ORDER BY seq").unwrap();
    let bodies = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
    bodies.map(|body| serde_json::from_str(&body.unwrap()).unwrap()).collect()
}

/// Leaves what a crash leaves between the start of a run and its note.
fn forget_last_start(candor: &Candor) {
    let log = Connection::open(candor.path("data/candor.db")).unwrap();
    let last = "SELECT max(seq) FROM notes WHERE stream = 'schedules' AND body LIKE '%started%'";
    log.execute(&format!("DELETE FROM notes WHERE seq = ({last})"), []).unwrap();
}

fn runs(server: &Server) -> Vec<Value> {
    server.get("/api/v1/runs?limit=200").ended_with(200).json()["runs"].as_array().unwrap().clone()
}

#[test]
fn a_due_time_begins_one_run_although_the_server_is_killed_again_and_again() {
    let candor =
        candor("cron = \"* * * * * *\"\noverlap = \"allow\"\ncatch_up = \"all\"\ncatch_up_limit = 100");
    for round in 1..=4 {
        let server = Server::start(&candor);
        let before = runs(&server).len();
        until("something began", || runs(&server).len() > before || round == 1 && !noted(&candor).is_empty());
        server.kill();
        forget_last_start(&candor);
    }
    let server = Server::start(&candor);
    until("runs began", || runs(&server).len() >= 4);
    server.post("/api/v1/schedules/hives/pause", json!({})).ended_with(202);
    let mut count = 0;
    until("nothing begins any more", || {
        let (before, now) = (count, runs(&server).len());
        count = now;
        std::thread::sleep(std::time::Duration::from_millis(1500));
        before == now
    });
    let started: Vec<(String, String)> = noted(&candor)
        .iter()
        .filter(|note| note["kind"] == "started")
        .map(|note| (note["upto"].as_str().unwrap().to_owned(), note["run"].as_str().unwrap().to_owned()))
        .collect();
    let due: BTreeSet<&String> = started.iter().map(|(due, _)| due).collect();
    let begun: BTreeSet<&String> = started.iter().map(|(_, run)| run).collect();
    assert_eq!(due.len(), started.len(), "each due time is handled once: {started:?}");
    assert_eq!(begun.len(), runs(&server).len(), "every run has a due time of its own");
    assert_eq!(begun.len(), due.len());
}

#[test]
fn what_passed_while_no_server_ran_is_caught_up_with_as_the_schedule_says() {
    for (policy, wanted) in [("skip", 0), ("once", 1), ("all", 3)] {
        // Due once an hour, ten minutes ago for the last time; a server was there five hours ago.
        let now = minutes();
        let minute = (now + 50) % 60;
        let cron = format!(
            "cron = \"{minute} * * * *\"\ncatch_up = \"{policy}\"\ncatch_up_limit = 3\noverlap = \"allow\""
        );
        let candor = candor(&cron);
        candor.run(["run", "--plan", "plan.json", "--run-id", "run_first", "--yes"]).ended_with(0);
        let log = Connection::open(candor.path("data/candor.db")).unwrap();
        let ago = i64::try_from(now * 60_000).unwrap() - 5 * 3_600_000;
        let upto = time(ago);
        log.execute(
            "INSERT INTO notes (stream, at, run, key, body) VALUES ('schedules', ?1, NULL, 'hives', ?2)",
            rusqlite::params![ago, json!({"kind": "seen", "upto": upto}).to_string()],
        )
        .unwrap();
        drop(log);
        let server = Server::start(&candor);
        until("it is dealt with", || noted(&candor).len() > 1);
        until("all began", || runs(&server).len() > wanted);
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(runs(&server).len(), wanted + 1, "{policy}");
        let last = server.get("/api/v1/schedules").json()["schedules"][0]["last"].clone();
        assert_eq!(last["problem"].is_string(), policy == "skip", "{last}");
        assert_eq!(last["run_id"].is_string(), policy != "skip", "{last}");
    }
}

/// Minutes since 1970.
fn minutes() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() / 60
}

fn time(millis: i64) -> String {
    candor_model::Timestamp::from_millis(millis).to_string()
}

#[test]
fn a_schedule_is_shown_paused_resumed_and_triggered_over_the_api_and_by_the_command() {
    let candor = candor("cron = \"0 3 1 1 *\"\ntimezone = \"Europe/Madrid\"");
    let server = Server::start(&candor);
    until("it is known", || !noted(&candor).is_empty());
    let shown = server.get("/api/v1/schedules").ended_with(200).json();
    assert_eq!(shown, candor.run(["schedules", "--json"]).ended_with(0).json());
    let next = shown["schedules"][0]["next"][0].as_str().unwrap();
    assert!(next.ends_with("-01-01T02:00:00Z"), "three o'clock in Madrid: {next}");
    let at = |act: &str| format!("/api/v1/schedules/hives/{act}");
    let run = server.post(&at("trigger"), json!({})).ended_with(201).json()["run_id"].clone();
    server.wait_for(run.as_str().unwrap(), "completed");
    server.post(&at("resume"), json!({})).refused(409, "conflict");
    server.post(&at("pause"), json!({})).ended_with(202);
    server.post(&at("pause"), json!({})).refused(409, "conflict");
    let shown = server.get("/api/v1/schedules").json()["schedules"][0].clone();
    assert_eq!(
        (&shown["paused"], &shown["next"], &shown["last"]["run_id"]),
        (&json!(true), &json!([]), &run)
    );
    assert_eq!(shown["paused_by"], "local");
    candor.run(["schedules"]).ended_with(0).shows(&["hives", "paused", run.as_str().unwrap()]);
    candor.run(["schedules", "resume", "hives"]).ended_with(0);
    assert_eq!(server.get("/api/v1/schedules").json()["schedules"][0]["paused"], false);
    let url = format!("http://{}", server.address);
    let remote = |words: &[&str]| candor.run([&["--server", &url], words].concat());
    remote(&["schedules", "trigger", "hives"]).ended_with(0).tells(&["began run_"]);
    remote(&["schedules", "pause", "hives"]).ended_with(0).tells(&["is paused"]);
    remote(&["schedules", "pause", "bees"]).ended_with(2).tells(&["no schedule bees"]);
    candor.run(["schedules", "trigger", "hives"]).refused(&["--server"]);
    server.post("/api/v1/schedules/bees/trigger", json!({})).refused(404, "not-found");
    let audit = server.get("/api/v1/audit").json();
    assert_eq!(audit["entries"][0]["action"], "pause_schedule");
}

#[test]
fn a_schedule_that_cannot_be_is_refused_with_its_place() {
    let refused = |text: &str, words: &[&str]| {
        let candor = Candor::with_config(&format!("[[schedules]]\nname = \"hives\"\n{text}\n"));
        candor.run(["schedules"]).refused(words);
    };
    refused("cron = \"hourly please\"\ngoal = \"x\"", &["[[schedules]] 1 (hives)", "hourly please"]);
    refused("cron = \"* * * * *\"\ngoal = \"x\"\ntimezone = \"Europe/Atlantis\"", &["Europe/Atlantis"]);
    refused("cron = \"* * * * *\"", &["neither `goal` nor `plan`"]);
    refused("cron = \"* * * * *\"\ngoal = \"x\"\ncatch_up = \"twice\"", &["twice"]);
}

#[test]
fn a_schedule_is_passed_over_while_its_run_is_under_way() {
    let slow =
        "[[agents]]\nagent_type = \"sleeper\"\nspecialization = \"Sleeps\"\ncommand = [\"sleep\", \"15\"]\n";
    let candor = candor(&format!("cron = \"* * * * * *\"\n{slow}"));
    candor.write("plan.json", PLAN.replace("collector", "sleeper"));
    let server = Server::start(&candor);
    until("a due time was passed over", || noted(&candor).iter().any(|note| note["kind"] == "skipped"));
    assert_eq!(runs(&server).len(), 1);
    let last = server.get("/api/v1/schedules").json()["schedules"][0]["last"].clone();
    assert!(last["problem"].as_str().unwrap().contains("has not ended"), "{last}");
}
