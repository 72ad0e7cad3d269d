//! What people say to a plan before they approve it: questions, other ways, changes, and back again.

use serde_json::{Value, json};

use crate::support::{Candor, Events, GENERAL, Said, VAGUE, texts};

/// A run that waits for approval of its plan.
fn waiting() -> (Candor, Said, Events) {
    let candor = Candor::with_config(GENERAL);
    let (said, events) = candor.events(&["run", VAGUE, "--run-id", "run_1"]);
    (candor, said.ended_with(3), events)
}

fn asked(candor: &Candor) -> Value {
    candor.run(["status", "run_1", "--json"]).json()["open_questions"][0].clone()
}

fn digest(candor: &Candor) -> String {
    asked(candor)["question"]["approval"]["request"]["digest"].as_str().unwrap().to_owned()
}

#[test]
fn a_plan_offers_its_choices_with_the_commands_that_make_them() {
    // spec: orchestrator IP-05
    let (candor, said, _) = waiting();
    let asked = asked(&candor);
    let choices = texts(&asked["question"]["approval"]["request"]["choices"]);
    for choice in ["APPROVE", "ASK", "ALTERNATIVE", "MODIFY", "REGENERATE"] {
        assert!(choices.contains(&choice), "{choices:?}");
    }
    let commands = texts(&asked["commands"]).join("\n");
    for command in
        ["approve run_1", "ask run_1", "modify run_1", "regenerate run_1", "adjust run_1", "reject run_1"]
    {
        assert!(commands.contains(&format!("candor {command}")), "{commands}");
        assert!(said.stderr.contains(&format!("candor {command}")), "{}", said.stderr);
    }
}

#[test]
fn a_question_is_answered_and_the_plan_waits_on() {
    // spec: orchestrator IP-06
    let (candor, ..) = waiting();
    let before = digest(&candor);
    let said = candor.run(["ask", "run_1", "Why", "this strategy?"]).ended_with(3);
    said.shows(&["Asked about plan version 1: Why this strategy?"]).tells(&["candor approve run_1"]);
    assert_eq!(digest(&candor), before, "the plan stays as it is");
    assert!(asked(&candor)["question"]["approval"]["request"]["reply"].is_string());
    candor.run(["ask", "run_1"]).refused(&["QUESTION"]);
    candor.run(["ask", "run_1", " "]).refused(&["words of your own"]);
}

#[test]
fn a_change_by_field_is_shown_again_as_the_next_version() {
    // spec: orchestrator IP-05 IP-06
    let (candor, ..) = waiting();
    let before = digest(&candor);
    let said = candor.run(["modify", "run_1", "--set", "task_001", "priority", "10"]).ended_with(3);
    said.tells(&["candor approve run_1"]);
    let asked = asked(&candor);
    assert_eq!(asked["question"]["approval"]["version"], 2);
    assert_ne!(digest(&candor), before);
    candor.run(["modify", "run_1", "--set", "task_999", "priority", "1"]).refused(&["task_999"]);
    candor.run(["modify", "run_1", "words", "--set", "task_001", "priority", "1"]).ended_with(2);
    candor.run(["modify", "run_1"]).ended_with(2);
    let (said, events) = candor.events(&["approve", "run_1"]);
    said.ended_with(0);
    assert_eq!(events.report()["plan"]["subtasks"][0]["priority"], 10);
}

#[test]
fn an_earlier_version_can_be_taken_up_again() {
    let (candor, ..) = waiting();
    let first = digest(&candor);
    candor.run(["revert", "run_1", "1"]).refused(&["VERSION", "APPROVE"]);
    let said = candor.run(["modify", "run_1", "--set", "task_001", "priority", "10"]).ended_with(3);
    said.tells(&["candor revert run_1 VERSION"]);
    assert_eq!(asked(&candor)["question"]["approval"]["version"], 2);
    candor.run(["revert", "run_1", "9"]).refused(&["version 9"]);
    candor.run(["revert", "run_1", "x"]).refused(&["x"]);
    candor.run(["revert", "run_1", "1"]).ended_with(3);
    assert_eq!(asked(&candor)["question"]["approval"]["version"], 3);
    assert_eq!(digest(&candor), first);
}

#[test]
fn an_approval_is_for_the_plan_that_was_seen_and_no_other() {
    // spec: orchestrator IP-06
    let (candor, ..) = waiting();
    let seen = digest(&candor);
    candor.run(["modify", "run_1", "--set", "task_001", "priority", "10"]).ended_with(3);
    let said = candor.run(["approve", "run_1", "--digest", &seen]);
    said.refused(&["digest", &seen, &digest(&candor), "candor status"]);
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "waiting_human");
    let now = digest(&candor);
    let (said, events) = candor.events(&["approve", "run_1", "--digest", &now]);
    said.ended_with(0);
    assert_eq!(events.only("human_answered")["answer"]["approval"]["digest"], json!(now));
    candor.run(["approve", "run_1", "--digest", &now]).refused(&["does not wait for approval"]);
}

#[test]
fn what_is_not_waited_for_cannot_be_said() {
    let candor = Candor::new();
    candor.run(["run", crate::support::PARIS, "--run-id", "run_1"]).ended_with(0);
    for words in [
        &["ask", "run_1", "why"][..],
        &["choose", "run_1", "A"],
        &["modify", "run_1", "less"],
        &["regenerate", "run_1"],
        &["revert", "run_1", "1"],
    ] {
        candor.run(words).refused(&["run_1", "does not wait for approval"]);
    }
}

#[test]
fn an_alternative_that_is_not_there_is_refused() {
    let (candor, ..) = waiting();
    candor.run(["choose", "run_1", "Z"]).refused(&["alternative Z"]);
    assert_eq!(asked(&candor)["question"]["approval"]["version"], 1);
}

#[test]
fn a_secret_in_what_is_said_is_not_recorded() {
    let (candor, ..) = waiting();
    let secret = "sk-proj-Zq8wX1vB7nM3kL5jH9gF2dS4aP6oI0uY";
    let said = candor.run(["regenerate", "run_1", "with the key", secret, "please"]).ended_with(3);
    said.tells(&["looks like a secret"]);
    let log =
        candor.run(["report", "run_1", "--json"]).stdout + &candor.run(["status", "run_1", "--json"]).stdout;
    let file = std::fs::read(candor.path("data/candor.db")).unwrap();
    assert!(!log.contains(secret) && !file.windows(secret.len()).any(|part| part == secret.as_bytes()));
}

/// A plan of two tasks that waits for approval, of which the second needs nothing of the first.
fn two_tasks() -> Candor {
    let config = format!("[limits]\napproval = \"always\"\nunattended = false\n{GENERAL}");
    let candor = Candor::with_config(&config);
    let task = |id: &str, what: &str, after: &[&str]| json!({"task_id": id, "description": what, "dependencies": after});
    let plan = json!({ "subtasks": [
        task("figures", "Collect the figures of the harbour", &[]),
        task("summary", "Write a summary of the harbour", &["figures"]),
        task("poster", "Write a poster about cranes", &[]),
    ] });
    candor.write("plan.json", plan.to_string());
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_1"]).ended_with(3);
    candor
}

#[test]
fn questions_are_answered_from_the_plan_or_it_says_that_the_plan_does_not_tell() {
    // spec: findings GL-16
    let candor = two_tasks();
    let reply = |words: &str| {
        candor.run(["ask", "run_1", words]).ended_with(3);
        asked(&candor)["question"]["approval"]["request"]["reply"].as_str().unwrap().to_owned()
    };
    let answer = reply("Why do cats purr?");
    assert!(answer.contains("The plan does not tell") && answer.contains("cats purr"), "{answer}");
    let answer = reply("Why is summary after figures?");
    assert!(answer.contains("summary") && answer.contains("waits for figures"), "{answer}");
    let answer = reply("Why is poster after figures?");
    assert!(answer.contains("Neither waits for the other"), "{answer}");
    candor.run(["modify", "run_1", "make it nicer"]).ended_with(3);
    let request = asked(&candor)["question"]["approval"]["request"].clone();
    assert!(request["reply"].as_str().unwrap().contains("Nothing was changed"), "{request}");
    assert_eq!(asked(&candor)["question"]["approval"]["version"], 1);
}

#[test]
fn only_ways_that_differ_are_offered_and_risks_are_of_this_plan() {
    // spec: findings GL-13
    // spec: orchestrator SX-02
    let shown = |candor: &Candor| asked(candor)["question"]["approval"]["request"]["brief"].clone();
    let brief = shown(&two_tasks());
    let ways: Vec<&str> =
        brief["alternatives"].as_array().unwrap().iter().map(|way| way["name"].as_str().unwrap()).collect();
    assert!(ways.contains(&"all sequential") && !ways.iter().any(|way| way.contains("cheapest")), "{ways:?}");
    let (candor, said, _) = waiting();
    assert_eq!(shown(&candor)["alternatives"].as_array().unwrap().len(), 1, "one task has one order");
    assert!(
        !said.stderr.contains("Alternatives:") && !said.stderr.contains("candor choose"),
        "{}",
        said.stderr
    );
    let risks = shown(&candor)["risks"].to_string();
    assert!(risks.contains("fits with") && !brief["risks"].to_string().contains("fits with"), "{risks}");
}
