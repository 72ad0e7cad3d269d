//! The command with `--server`: the same words over the API.

use serde_json::json;

use super::client::Server;
use crate::support::{Candor, GENERAL, Said};

/// A command elsewhere, which knows nothing but the address and the token.
fn elsewhere(server: &Server, args: &[&str]) -> Said {
    let away = Candor::new();
    let mut command = away.command(args);
    command.env("CANDOR_TOKEN", &server.token).env("CANDOR_SERVER", format!("http://{}", server.address));
    Said::of(command.output().unwrap())
}

#[test]
fn a_run_is_started_watched_listed_and_looked_at_from_elsewhere() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let said =
        elsewhere(&server, &["run", "Write a report on the tides", "--unattended", "--json"]).ended_with(0);
    let events = said.lines();
    let run = events[0]["run_id"].as_str().unwrap().to_owned();
    // What is told over there is what the log says here.
    let told = candor.run(["watch", &run, "--json"]);
    let told = told.lines();
    assert_eq!(events[..told.len()], told[..]);
    assert_eq!(events.last().unwrap()["event"], "report");
    assert_eq!(elsewhere(&server, &["watch", "last", "--json"]).ended_with(0).lines(), told);
    let status = elsewhere(&server, &["status", &run, "--json"]).ended_with(0).json();
    assert_eq!(status["tasks"], candor.run(["status", &run, "--json"]).json()["tasks"]);
    elsewhere(&server, &["list"]).ended_with(0).shows(&[&run, "Write a repo"]);
    elsewhere(&server, &["postmortem", &run, "--json"]).ended_with(0);
    elsewhere(&server, &["status", "run_nobody"]).refused(&["there is no run run_nobody"]);
}

#[test]
fn a_plan_is_approved_from_elsewhere_and_a_command_that_needs_the_folder_says_so() {
    let candor = Candor::with_config(&format!("[limits]\napproval = \"always\"\n{GENERAL}"));
    let server = Server::start(&candor);
    let said = elsewhere(&server, &["run", "Write a letter to the beekeepers"]).ended_with(3);
    let said = said.tells(&["waits for an answer: candor answer run_"]);
    let run = said.stderr.split("candor: run ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    elsewhere(&server, &["answer", &run, "levitate"]).refused(&["no decision on a plan"]);
    elsewhere(&server, &["answer", &run, "approve"]).ended_with(0);
    server.wait_for(&run, "completed");
    let run = server.run(json!({"goal": "Write a second letter to the beekeepers"}));
    server.wait_for(&run, "waiting_human");
    elsewhere(&server, &["doctor"]).refused(&["--server: this command works on a data folder"]);
    let away = Candor::new();
    let mut command = away.command(["list", "--server", "http://candor.example"]);
    Said::of(command.env("CANDOR_TOKEN", "x").output().unwrap()).refused(&["only over https"]);
    let mut command = away.command(["list", "--server", "http://127.0.0.1:1"]);
    Said::of(command.env("CANDOR_TOKEN", "x").output().unwrap()).ended_with(1).tells(&["candor serve"]);
    let mut command = away.command(["list", "--server", &format!("http://{}", server.address)]);
    Said::of(command.env("CANDOR_TOKEN", "x").output().unwrap()).refused(&["send a token"]);
}
