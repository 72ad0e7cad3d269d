//! Who began a run, where, and after which other: by the command, the API, MCP and A2A.

use serde_json::{Value, json};

use super::client::Server;
use super::mcp::token;
use crate::support::{Candor, GENERAL, Said};

const PROJECT: &str = "[project]\nname = \"orchard\"\n";

fn plan() -> Value {
    let task = json!({"task_id": "t1", "description": "Prune the trees", "agent_type": "collector"});
    json!({"subtasks": [task]})
}

/// The origin that a run's log begins with.
fn origin(server: &Server, run: &str) -> Value {
    let events = server.get(&format!("/api/v1/runs/{run}/events?limit=1")).ended_with(200).json();
    let first = &events["events"][0]["event"]["run_started"];
    assert!(first.is_object(), "{events}");
    first["origin"].clone()
}

#[test]
fn a_run_over_the_api_belongs_to_its_token_and_follows_what_it_says() {
    let candor = Candor::with_config(&format!("{PROJECT}{GENERAL}"));
    let server = Server::start(&candor);
    let bearer = format!("Bearer {}", token(&candor, "kiosk", "admin"));
    let start =
        |body: Value| server.send_with("POST", "/api/v1/runs", &[("Authorization", &bearer)], Some(&body));
    let named = |answer: super::client::Answer| answer.json()["run_id"].as_str().unwrap().to_owned();
    let first = named(start(json!({"plan": plan(), "unattended": true})).ended_with(201));
    assert_eq!(origin(&server, &first), json!({"user": "kiosk", "project": "orchard"}));
    server.wait_for(&first, "completed");
    let second = named(start(json!({"plan": plan(), "unattended": true, "follows": first})).ended_with(201));
    assert_eq!(origin(&server, &second)["follows"], first.as_str());
    server.wait_for(&second, "completed");
    // A program that starts one run after the other need not mean that they belong together.
    let third = named(start(json!({"plan": plan(), "unattended": true})).ended_with(201));
    assert_eq!(origin(&server, &third).get("follows"), None);
    start(json!({"plan": plan(), "follows": "run_nowhere"})).refused(422, "invalid");
    // The command on a server: whose token it has.
    candor.write("plan.json", plan().to_string());
    let mut command = candor.command(["run", "--plan", "plan.json", "--unattended", "--follows", &second]);
    command.args(["--server", &format!("http://{}", server.address)]);
    command.env("CANDOR_TOKEN", server.token.trim());
    Said::of(command.output().unwrap()).ended_with(0);
    let last = server.get("/api/v1/runs?limit=1").json()["runs"][0]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(origin(&server, &last)["follows"], second.as_str());
}

#[test]
fn a_run_over_a2a_and_mcp_belongs_to_its_token_too() {
    let candor = Candor::with_config(&format!("{PROJECT}{GENERAL}"));
    let server = Server::start(&candor);
    let bearer = format!("Bearer {}", token(&candor, "far", "admin"));
    let headers = [("Authorization", bearer.as_str()), ("A2A-Version", "1.0")];
    let send = |id: &str, refers: &[&str]| {
        let message = json!({"messageId": id, "role": "ROLE_USER", "referenceTaskIds": refers,
            "parts": [{"data": {"plan": plan()}}]});
        let params = json!({"message": message, "configuration": {"returnImmediately": true}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params});
        server.send_with("POST", "/a2a", &headers, Some(&body)).ended_with(200).json()
    };
    let first = send("m1", &[])["result"]["task"]["id"].as_str().unwrap().to_owned();
    assert_eq!(origin(&server, &first)["user"], "far");
    let second = send("m2", &[&first])["result"]["task"]["id"].as_str().unwrap().to_owned();
    assert_eq!(origin(&server, &second)["follows"], first.as_str());
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "run", "arguments": {"goal": "Write a note on pruning", "wait_seconds": 0, "follows": second}}});
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    let answer = server.send_with("POST", "/mcp", &headers, Some(&call)).ended_with(200);
    let data = answer
        .body
        .lines()
        .find_map(|line| line.strip_prefix("data: {"))
        .map_or_else(|| answer.body.clone(), |rest| format!("{{{rest}"));
    let data: Value = serde_json::from_str(&data).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    let third = data["result"]["structuredContent"]["run_id"].as_str().unwrap_or_else(|| panic!("{data}"));
    let third = origin(&server, third);
    assert_eq!((&third["user"], &third["follows"]), (&json!("far"), &json!(second)));
}

#[test]
fn a_run_by_the_command_follows_the_users_last_one_in_the_project_unless_told_otherwise() {
    let candor = Candor::with_config(&format!("{PROJECT}{GENERAL}"));
    candor.write("plan.json", plan().to_string());
    let run = |name: &str, user: &str, more: &[&str]| -> Value {
        let mut command = candor.command(["--data", "data", "run", "--plan", "plan.json", "--json"]);
        command.args(["--run-id", name, "--unattended", "--yes"]).args(more).env("CANDOR_USER", user);
        Said::of(command.output().unwrap()).ended_with(0).lines()[0]["origin"].clone()
    };
    assert_eq!(run("run_1", "ada", &[]), json!({"user": "ada", "project": "orchard"}));
    assert_eq!(run("run_2", "bob", &[]).get("follows"), None, "another user");
    assert_eq!(run("run_3", "ada", &[])["follows"], "run_1");
    assert_eq!(run("run_4", "ada", &["--follows", "none"]).get("follows"), None);
    assert_eq!(run("run_5", "ada", &["--follows", "run_2"])["follows"], "run_2");
    assert_eq!(run("run_6", "ada", &["--follows", "last"])["follows"], "run_5");
    assert_eq!(run("run_7", "ada", &["--user", "eve"]), json!({"user": "eve", "project": "orchard"}));
    candor.write("candor.toml", format!("[project]\nname = \"cellar\"\n{GENERAL}"));
    assert_eq!(run("run_8", "ada", &[]).get("follows"), None, "another project");
}

#[test]
fn a_run_has_a_kind_of_work_from_a_closed_list_of_words() {
    let candor = Candor::with_config(GENERAL);
    for (words, kind) in [
        ("Translate the menu of the bakery into Catalan", "translate"),
        ("Compara dos molinos de café", "compare"),
        ("Fix the crash in till.py when the drawer is empty", "fix"),
        ("Ponder the meaning of the tides", "general"),
    ] {
        let goal = candor.run(["goal", words, "--json"]).ended_with(0).json();
        assert_eq!(goal["task_type"], kind, "{words}");
    }
    candor.run(["run", "Translate the menu of the bakery into Catalan", "--unattended", "--yes"]);
    let trace = candor.run(["trace", "last", "--json"]).ended_with(0).json();
    assert_eq!(trace["spans"][0]["metadata"]["taskType"], "translate", "{trace}");
}
