//! The API as a program uses it: start, look, answer, steer.

use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, GENERAL, PARIS, has_keys, until};

/// Somebody is asked, although nobody sits there.
const ASKING: &str = "[limits]\napproval = \"always\"\n";

#[test]
fn a_run_is_started_followed_and_read_like_with_the_command() {
    // spec: orchestrator DB-10
    let candor = Candor::new();
    let server = Server::start(&candor);
    let started = server.post("/api/v1/runs", json!({"goal": PARIS, "unattended": true})).ended_with(201);
    let run = started.json()["run_id"].as_str().unwrap().to_owned();
    assert!(started.headers.contains(&format!("location: /api/v1/runs/{run}")), "{started:?}");
    let status = server.wait_for(&run, "completed");
    // The same data as the command gives, but for the commands to type.
    let told = candor.run(["status", &run, "--json"]).json();
    for key in ["verdict", "tasks", "phases", "cost", "failures", "progress_percentage", "goal", "prompts"] {
        assert_eq!(status[key], told[key], "{key}");
    }
    for (path, command) in [("report", "report"), ("postmortem", "postmortem")] {
        let got = server.get(&format!("/api/v1/runs/{run}/{path}")).ended_with(200).json();
        let told = match command {
            "report" => candor.run(["report", &run, "--format", "json"]).json(),
            _ => candor.run(["postmortem", &run, "--json"]).json(),
        };
        assert_eq!(got["outcome"], told["outcome"], "{path}");
        assert_eq!(got["cost"], told["cost"], "{path}");
    }
    for path in ["explanation", "timeline", "cost", "tasks", "plans", "questions", "effects"] {
        server.get(&format!("/api/v1/runs/{run}/{path}")).ended_with(200).json();
    }
    let listed = server.get("/api/v1/runs?status=completed&q=paris").ended_with(200).json();
    assert_eq!(listed["runs"][0]["run_id"], run);
    assert_eq!(server.get("/api/v1/runs?status=failed").json()["runs"], json!([]));
    assert_eq!(server.get("/api/v1/agents").json(), candor.run(["agents", "--json"]).json());
    assert_eq!(server.get("/api/v1/packs").json(), candor.run(["packs", "--json"]).json());
    assert_eq!(
        server.get("/api/v1/config").json()["limits"],
        candor.run(["config", "show", "--json"]).json()["limits"]
    );
}

#[test]
fn events_come_in_pages_and_a_list_of_runs_has_a_cursor() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let goals = ["Water the ferns", "Sharpen the chisels", "Count the bees"];
    let runs: Vec<String> = goals.map(|goal| server.run(json!({"goal": goal, "unattended": true}))).to_vec();
    let run = &runs[0];
    let ended = |status: &Value| status["status"] != "executing" && status["status"] != "preparing";
    until("all have come to rest", || {
        runs.iter().all(|run| ended(&server.get(&format!("/api/v1/runs/{run}")).json()))
    });
    let all = server.get(&format!("/api/v1/runs/{run}/events")).json()["events"].as_array().unwrap().clone();
    let (mut paged, mut after) = (Vec::new(), json!(0));
    while !after.is_null() {
        let page = server.get(&format!("/api/v1/runs/{run}/events?after={after}&limit=3")).json();
        paged.extend(page["events"].as_array().unwrap().clone());
        after = page["next"].clone();
    }
    assert_eq!(paged, all);
    assert_eq!(all[0]["position"], 1);
    has_keys(&all[0], &["at", "event", "position", "run_id", "seq", "v"]);
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("/api/v1/runs?limit=1{cursor}")).json();
        found.extend(
            page["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()),
        );
        if page["next"].is_null() {
            break;
        }
        cursor = format!("&cursor={}", page["next"]);
    }
    found.sort_unstable();
    let mut wanted = runs.clone();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

#[test]
fn the_same_key_begins_one_run_and_another_body_with_it_is_refused() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "order-17")];
    let goal = json!({"goal": "Press the olives", "unattended": true});
    let post = |body: &Value| server.send_with("POST", "/api/v1/runs", &headers, Some(body));
    let first = post(&goal).ended_with(201).json();
    assert_eq!(post(&goal).ended_with(200).json()["run_id"], first["run_id"]);
    post(&json!({"goal": "Press the grapes"})).refused(422, "invalid");
    assert_eq!(server.get("/api/v1/runs").json()["runs"].as_array().unwrap().len(), 1);
    // After a crash between the start and the answer the key still names the run.
    server.kill();
    let server = Server::start(&candor);
    let again = server.send_with("POST", "/api/v1/runs", &headers, Some(&goal)).ended_with(200).json();
    assert_eq!(again["run_id"], first["run_id"]);
}

#[test]
fn a_plan_is_shown_in_the_inbox_and_approved_by_its_digest_only() {
    let candor = Candor::with_config(&format!("{ASKING}{GENERAL}"));
    let server = Server::start(&candor);
    let run = server.run(json!({"goal": "Write a letter to the beekeepers"}));
    server.wait_for(&run, "waiting_human");
    let inbox = server.get("/api/v1/questions").ended_with(200).json();
    let question = &inbox["questions"][0];
    assert_eq!((&question["run_id"], &question["kind"]), (&json!(run), &json!("plan")));
    let path = format!("/api/v1/runs/{run}/questions/{}", question["gate"].as_str().unwrap());
    server.post(&path, json!({"decision": "approve"})).refused(422, "invalid");
    server.post(&path, json!({"decision": "approve", "digest": "other"})).refused(422, "invalid");
    server.post(&path, json!({"decision": "levitate", "digest": question["digest"]})).refused(422, "invalid");
    let unknown = format!("/api/v1/runs/{run}/questions/gate_nine");
    server.post(&unknown, json!({"decision": "approve"})).refused(404, "not-found");
    server.post(&path, json!({"decision": "approve", "digest": question["digest"]})).ended_with(202);
    let status = server.wait_for(&run, "completed");
    assert_eq!(status["open_questions"], json!([]));
    // Answered once is answered.
    server
        .post(&path, json!({"decision": "approve", "digest": question["digest"]}))
        .refused(404, "not-found");
    let audit = server.get("/api/v1/audit").ended_with(200).json();
    let actions: Vec<&str> =
        audit["entries"].as_array().unwrap().iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["answer", "start"]);
    assert_eq!(audit["entries"][0]["actor"], "local");
    assert!(audit["entries"][0]["detail"].as_str().unwrap().ends_with(": approve"), "{audit}");
}

#[test]
fn runs_are_paused_resumed_cancelled_rolled_back_restarted_and_forked() {
    let candor = Candor::with_config(&format!("{ASKING}{GENERAL}"));
    let server = Server::start(&candor);
    let run = server.run(json!({"goal": "Write a letter to the beekeepers"}));
    server.wait_for(&run, "waiting_human");
    let at = |act: &str| format!("/api/v1/runs/{run}/{act}");
    let forked = server.post(&at("fork"), json!({"phase": 1})).ended_with(201).json();
    let forked = forked["run_id"].as_str().unwrap();
    server.wait_for(forked, "waiting_human");
    server.post(&at("rollback"), json!({"phase": 9})).refused(409, "conflict");
    server.post(&at("rollback"), json!({})).refused(422, "invalid");
    server.post(&at("rollback"), json!({"phase": 2})).ended_with(202);
    server.wait_for(&run, "waiting_human");
    server.post(&at("restart"), json!({"prompt": "Write a poem for the beekeepers"})).ended_with(202);
    let status = server.wait_for(&run, "waiting_human");
    assert_eq!(status["request"], "Write a poem for the beekeepers");
    server.post(&at("pause"), json!({"reason": "lunch"})).ended_with(202);
    server.post(&at("resume"), json!({})).ended_with(202);
    server.post(&at("cancel"), json!({"reason": "rain"})).ended_with(202);
    server.wait_for(&run, "cancelled");
    server.post(&at("cancel"), json!({})).refused(409, "conflict");
    server.post(&at("resume"), json!({})).refused(409, "conflict");
    let plans = server.get(&format!("/api/v1/runs/{forked}/plans")).json();
    assert_eq!(plans["plans"][0]["cause"], "proposed");
    server.get(&format!("/api/v1/runs/{forked}/plans/diff")).refused(404, "not-found");
}

#[test]
fn a_plan_of_ones_own_is_carried_out_and_a_bad_one_is_refused_with_its_place() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let task = json!({"task_id": "t1", "description": "Count the hives", "agent_type": "collector"});
    let run = server.run(json!({"plan": {"subtasks": [task]}, "unattended": true}));
    server.wait_for(&run, "completed");
    let bad =
        server.post("/api/v1/runs", json!({"plan": {"subtasks": [{"task_id": 5}]}})).refused(422, "invalid");
    assert!(bad.json()["detail"].as_str().unwrap().contains("subtasks[0]"), "{bad:?}");
    for body in [json!({}), json!({"goal": " "}), json!({"goal": 5}), json!({"gaol": "x"}), json!([])] {
        server.post("/api/v1/runs", body).refused(422, "invalid");
    }
    server.get("/api/v1/runs/run_nobody").refused(404, "not-found");
    server.get("/api/v1/runs?limit=0").refused(400, "bad-request");
    server.get("/api/v1/runs?statsu=failed").refused(400, "bad-request");
    server.get("/api/v1/nonsense").refused(404, "not-found");
}
