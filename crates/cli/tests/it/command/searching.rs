//! Finding runs, decisions and output again: filters, search over all runs, following, man pages.

use std::io::{BufRead, BufReader};

use crate::http::client::Server;
use crate::support::{Candor, GENERAL, PARIS, until};

fn two_runs() -> Candor {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_good"]).ended_with(0);
    candor.run(["run", PARIS, "--run-id", "run_bad", "--fault", "activity_agent=error"]).ended_with(1);
    candor
}

#[test]
fn runs_are_found_by_status_time_and_words() {
    let candor = two_runs();
    let listed = |args: &[&str]| {
        let said = candor.run([&["list", "--json"], args].concat()).ended_with(0).json();
        let runs = said.as_array().unwrap().iter();
        runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["--status", "completed"]), ["run_good"]);
    assert_eq!(listed(&["--status", "aborted", "--status", "failed"]), ["run_bad"]);
    assert_eq!(listed(&["--since", "1h"]).len(), 2);
    assert_eq!(listed(&["--until", "1h"]), Vec::<String>::new());
    assert_eq!(listed(&["--since", "1999-12-31", "--limit", "1"]), ["run_bad"]);
    assert_eq!(listed(&["--request", "PARIS"]).len(), 2);
    assert_eq!(listed(&["--request", "Rome"]), Vec::<String>::new());
    candor.run(["list", "--since", "yesterday"]).refused(&["yesterday", "2026-05-31", "30d"]);
    candor.run(["list", "--status", "happy"]).refused(&["happy", "completed"]);
}

#[test]
fn decisions_are_searched_over_all_runs() {
    // spec: findings UX-12
    let candor = two_runs();
    let found = |args: &[&str]| {
        let said = candor.run([&["explain", "--json"], args].concat()).ended_with(0).json();
        said.as_array().unwrap().clone()
    };
    let decomposed = found(&["--operation", "decompose_task"]);
    let runs: Vec<&str> = decomposed.iter().map(|it| it["run_id"].as_str().unwrap()).collect();
    assert_eq!(runs, ["run_bad", "run_good"], "the newest first");
    let about = found(&["--task", "task_003", "--since", "1h"]);
    assert!(!about.is_empty() && about.iter().all(|it| it["task_id"] == "task_003"));
    assert!(found(&["--operation", "decompose_task", "--limit", "1"]).len() == 1);
    let shown = candor.run(["explain", "--task", "task_003", "--operation", "give_up_task"]).ended_with(0);
    shown.shows(&["run_bad: Plan a 3-day trip", "give_up_task", "injected error"]);
    candor.run(["explain"]).refused(&["<RUN>"]);
}

#[test]
fn output_is_followed_while_an_agent_writes_it() {
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"digger\"\nspecialization = \"Digs a well\"\ncapabilities = [\"dig\"]\n\
         command = [\"sh\", \"-c\", \"cat >/dev/null; echo first metre >&2; while [ ! -e stop ]; do sleep 0.05; done; \
         echo water >&2; echo '{\\\"outputs\\\": {\\\"thing\\\": 7}}'\"]\n",
    );
    candor.write(
        "plan.json",
        r#"{"subtasks": [{"task_id": "dig", "description": "Dig a well", "agent_type": "digger", "expected_outputs": ["thing"]}]}"#,
    );
    let mut run = candor.start(["run", "--plan", "plan.json", "--run-id", "run_1", "-q"]);
    until("the task is there", || candor.run(["logs", "run_1", "dig"]).code == 0);
    let mut follow = candor.start(["logs", "run_1", "dig", "-f"]);
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "dig | first metre", "before the attempt has ended");
    candor.write("stop", "");
    let rest: Vec<String> = lines.collect();
    let rest = rest.join("\n");
    assert!(rest.contains("succeeded") && rest.contains("water") && !rest.contains("first metre"), "{rest}");
    assert_eq!(follow.wait().unwrap().code(), Some(0));
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_report_is_opened_in_the_browser_that_is_set() {
    let candor = two_runs();
    candor.write("browser", "#!/bin/sh\ncp \"$1\" seen.html\n");
    let path = candor.path("browser");
    std::process::Command::new("chmod").arg("+x").arg(&path).status().unwrap();
    let mut command = candor.command(["--data", "data", "open", "run_good"]);
    assert!(command.env("BROWSER", &path).status().unwrap().success());
    until("the browser has it", || {
        std::fs::read_to_string(candor.path("seen.html")).is_ok_and(|page| page.contains("</html>"))
    });
    let printed = candor.run(["open", "--print", "run_bad"]).ended_with(0).stdout;
    assert!(printed.trim().ends_with("run_bad.html") && std::path::Path::new(printed.trim()).is_absolute());
}

#[test]
fn a_run_is_opened_on_the_page_of_the_server_that_runs() {
    let candor = two_runs();
    let opened = |args: &[&str]| {
        let said = candor.run([&["open", "--print", "run_good"], args].concat()).ended_with(0);
        said.stdout.trim().to_owned()
    };
    {
        let server = Server::start(&candor);
        let page = format!("http://{}/runs/run_good", server.address);
        assert_eq!(opened(&[]), page, "a server works on the folder");
        assert_eq!(opened(&["--server", &format!("http://{}", server.address)]), page);
        assert!(server.get("/runs/run_good").ended_with(200).body.contains("run_good"));
        // Killed, it leaves its address behind; nothing answers there.
        server.kill();
    }
    assert!(opened(&[]).ends_with("run_good.html"), "{}", opened(&[]));
}

#[test]
fn man_pages_come_from_the_same_source_as_the_help() {
    let candor = Candor::with_config(GENERAL);
    candor.run(["man"]).ended_with(0).shows(&[".TH candor 1", "candor\\-run(1)"]);
    candor.run(["man", "pages"]).ended_with(0);
    let page = std::fs::read_to_string(candor.path("pages/candor-logs.1")).unwrap();
    assert!(page.contains("\\-\\-follow"), "{page}");
}

#[test]
fn a_doctor_fails_where_a_run_would() {
    // spec: findings UX-06
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"thinker\"\nspecialization = \"Thinks\"\nmodel = \"strong\"\n\
         [[agents]]\nagent_type = \"mender\"\nspecialization = \"Mends nets\"\ntools = [\"no_such_tool\"]\n\
         [[agents]]\nagent_type = \"caller\"\nspecialization = \"Calls\"\nhttp = \"http://127.0.0.1:9/tasks\"\n",
    );
    let said = candor.run(["doctor", "--json"]).ended_with(1).json();
    for (agent, words) in
        [("thinker", "[models.strong]"), ("mender", "no_such_tool"), ("caller", "does not answer")]
    {
        let checks = said["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["check"] == agent).unwrap();
        assert_eq!(check["ok"], false, "{check}");
        assert!(check["message"].as_str().unwrap().contains(words), "{check}");
    }
}

#[test]
fn a_failure_is_told_once() {
    // spec: findings UX-02
    let candor = two_runs();
    let said =
        candor.run(["run", PARIS, "--run-id", "run_x", "--fault", "activity_agent=error"]).ended_with(1);
    assert_eq!(
        said.stdout.matches("injected error").count(),
        2,
        "as it happens, and at the end: {}",
        said.stdout
    );
    let lines = said.stdout.lines().filter(|line| !line.trim().is_empty());
    assert!(lines.count() <= 15, "{}", said.stdout);
    // Where both are read in one place, standard error repeats nothing.
    let mut command = std::process::Command::new("sh");
    let binary = env!("CARGO_BIN_EXE_candor");
    let line = format!("{binary} --data data run \"$0\" --fault activity_agent=error 2>&1");
    let both = command.args(["-c", &line, PARIS]).current_dir(candor.folder()).output().unwrap();
    let both = String::from_utf8(both.stdout).unwrap();
    assert_eq!(both.matches("injected error").count(), 2, "{both}");
    assert_eq!(both.matches("candor postmortem").count(), 1, "{both}");
}
