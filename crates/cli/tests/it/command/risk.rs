//! What cannot be undone is asked about first, and refused where nobody can be asked.

use serde_json::{Value, json};

use crate::support::{Candor, Events, Said};

/// Two agents that leave a trace when they run, and of which nothing else is known.
const KEEPER: &str = r#"
[[agents]]
agent_type = "keeper"
specialization = "Keeps, deletes, deploys and sends files, backups, records and letters"
capabilities = ["delete", "deploy", "send", "pay", "read", "write"]
command = ["sh", "-c", "cat > /dev/null; echo ran >> ran.txt; echo '{\"outputs\": {\"result\": \"ok\"}}'"]
[[agents]]
agent_type = "reader"
specialization = "Reads and summarises reports"
capabilities = ["read", "summarise"]
command = ["sh", "-c", "cat > /dev/null; echo '{\"outputs\": {\"result\": \"ok\"}}'"]
"#;

const BACKUPS: &str = "Delete all old backups in /var/backups without asking";

fn candor(more: &str) -> Candor {
    // Sections of the file come before the lists of agents.
    Candor::with_config(&format!("[planning]\nmin_agents = 1\n{more}\n{KEEPER}"))
}

fn ran(candor: &Candor) -> bool {
    candor.path("ran.txt").exists()
}

/// Runs a plan of one task with full confidence.
fn task(candor: &Candor, words: &str, inputs: &Value, args: &[&str]) -> (Said, Events) {
    let task = json!({"task_id": "t", "description": words, "agent_type": "keeper", "inputs": inputs,
        "expected_outputs": ["result"]});
    candor.write("plan.json", json!({"confidence_score": 0.99, "subtasks": [task]}).to_string());
    let mut all = vec!["run", "--plan", "plan.json"];
    all.extend(args);
    candor.events(&all)
}

#[test]
fn an_unattended_request_that_deletes_is_refused_and_says_what_allows_it() {
    // spec: findings SE-03
    let candor = candor("");
    let said = candor.run(["run", BACKUPS, "--run-id", "run_1", "--unattended"]).ended_with(1);
    assert!(!ran(&candor), "nothing ran");
    let all = format!("{}{}", said.stdout, said.stderr);
    for part in ["deletes (delete)", "--allow delete", "[approval] allow = [\"delete\"]"] {
        assert!(all.contains(part), "no `{part}` in {all}");
    }
    let report = candor.run(["status", "run_1", "--json"]).json();
    assert_eq!(report["status"], "aborted");
}

#[test]
fn approving_plans_unseen_does_not_approve_what_cannot_be_undone() {
    // spec: findings SE-03
    let candor = candor("[limits]\nunattended = false\n");
    candor.run(["run", BACKUPS, "--yes"]).ended_with(3);
    assert!(!ran(&candor));
}

#[test]
fn a_flag_or_a_key_allows_it_on_record() {
    // spec: findings SE-03
    let by_flag = candor("");
    let (said, events) = by_flag.events(&["run", BACKUPS, "--unattended", "--yes", "--allow", "delete"]);
    assert!(ran(&by_flag), "{said:?}");
    assert_eq!(events.only("run_started")["settings"]["allow"], json!(["delete"]));
    let approved = events.all("plan_approved");
    assert_eq!(approved[0]["risks"][0]["class"], "delete", "{approved:?}");

    let by_key = candor("[approval]\nallow = [\"delete\"]\n");
    by_key.run(["run", BACKUPS, "--unattended", "--yes"]);
    assert!(ran(&by_key));

    let other = candor("");
    other.run(["run", BACKUPS, "--unattended", "--yes", "--allow", "deploy"]).ended_with(1);
    assert!(!ran(&other), "what allows one class allows no other");
}

#[test]
fn a_person_is_asked_at_every_confidence_and_told_which_task_and_why() {
    // spec: findings SE-03
    let candor = candor("[limits]\nunattended = false\n");
    let (said, events) = task(&candor, "Drop the old users table", &json!({}), &["--run-id", "run_1"]);
    let said = said.ended_with(3);
    let request = &events.only("human_asked")["question"]["approval"]["request"];
    assert!(request["confidence_score"].as_f64().unwrap() > 0.5, "confidence does not ask: {request}");
    assert_eq!(request["risks"][0]["task_id"], "t");
    assert_eq!(request["risks"][0]["class"], "delete");
    said.tells(&["t deletes (delete): `drop the old users table`"]);
    assert!(!ran(&candor));
    candor.run(["approve", "run_1"]).ended_with(0);
    assert!(ran(&candor), "approved, it runs");
}

#[test]
fn the_words_and_the_commands_of_a_plans_tasks_count() {
    // spec: findings SE-03
    let none = json!({});
    let shell = json!({"command": "git push --force origin main"});
    for (words, inputs) in [
        ("Deploy version 2 to production", &none),
        ("Elimina las cuentas inactivas", &none),
        ("Send an email to all customers", &none),
        ("Transfer $500 to the landlord", &none),
        ("Grant admin rights to the intern", &none),
        ("Run `rm -rf /srv/data`", &none),
        ("Do the release step", &shell),
    ] {
        let candor = candor("");
        task(&candor, words, inputs, &["--unattended"]).0.ended_with(1);
        assert!(!ran(&candor), "{words}");
    }
}

#[test]
fn what_only_reads_or_writes_something_new_is_not_asked_about() {
    // spec: findings SE-03 UX-08
    for words in
        ["Read the deleted items report", "Compare deployment tools", "Write the result to a new file"]
    {
        let candor = candor("");
        task(&candor, words, &json!({}), &["--unattended"]).0.ended_with(0);
        assert!(ran(&candor), "{words}");
    }
}

#[test]
fn what_an_agent_declares_goes_before_words() {
    // spec: findings SE-03
    let harmless = KEEPER.replacen("command =", "effects = [\"read\", \"change\"]\ncommand =", 1);
    let candor = Candor::with_config(&harmless);
    task(&candor, "Delete all records of the sample", &json!({}), &["--unattended"]).0.ended_with(0);
    assert!(ran(&candor), "it declares that it deletes nothing");

    let sends = KEEPER.replacen("command =", "effects = [\"message\"]\ncommand =", 1);
    let candor = Candor::with_config(&sends);
    task(&candor, "Do the usual", &json!({}), &["--unattended"]).0.ended_with(1);
    assert!(!ran(&candor), "it declares that it does nothing but write to people");

    let removes =
        KEEPER.replacen("\"cat > /dev/null; echo ran", "\"rm -rf old; cat > /dev/null; echo ran", 1);
    let candor = Candor::with_config(&removes);
    task(&candor, "Do the usual", &json!({}), &["--unattended"]).0.ended_with(1);
    assert!(!ran(&candor), "its own command deletes");
}
