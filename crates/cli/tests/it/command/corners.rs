//! What these tests found: each of them failed on the day it was written, and says what should have been.

use serde_json::json;

use crate::support::{Candor, GENERAL, PARIS, QUICK, Said, VAGUE, texts};

#[test]
fn approve_goes_on_instead_of_saying_that_it_waits() {
    for name in ["run_1", "run_2", "run_3"] {
        // Each in a folder of its own: what succeeded once is no blind guess the next time.
        let candor = Candor::with_config(GENERAL);
        candor.run(["run", VAGUE, "--run-id", name]).ended_with(3);
        candor.run(["approve", name]).ended_with(0).shows(&["All tasks finished"]);
    }
}

#[test]
fn resume_of_a_run_that_waits_says_so_and_ends() {
    let candor = Candor::with_config(GENERAL);
    candor.run(["run", VAGUE, "--run-id", "run_1"]).ended_with(3);
    candor.run(["resume", "run_1"]).ended_with(3).tells(&["candor approve run_1"]);
}

#[test]
fn a_value_that_does_not_fit_is_told_with_its_field() {
    let config =
        |text: &str, words: &[&str]| _ = Candor::with_config(text).run(["run", PARIS]).refused(words);
    config("[limits]\nmax_revisions = \"three\"\n", &["candor.toml, line 2", "max_revisions"]);
    config(
        "[limits]\napproval_threshold = 7\n",
        &["candor.toml, line 2", "approval_threshold", "0.0 to 1.0"],
    );
    config("[limits]\nagent_timeout = -1\n", &["line 2", "agent_timeout"]);
    config("[[agents]]\nagent_type = \"a\"\ncommand = \"x\"\n", &["line 3", "command"]);
    config(
        "[[agents]]\nagent_type = \"a\"\nbuiltin = \"noop\"\nsuccess_rate = 7\n",
        &["line 4", "success_rate"],
    );
}

#[test]
fn an_agent_that_cannot_be_made_is_told_with_its_file_before_anything_is_begun() {
    let agent = |more: &str, words: &[&str]| {
        let candor = Candor::with_config(&format!("[[agents]]\nagent_type = \"a\"\n{more}\n"));
        candor.run(["run", PARIS]).refused(words);
        assert!(!candor.has_data());
    };
    agent("http = \"ftp://x\"", &["candor.toml", "agent a", "http", "ftp"]);
    agent("builtin = \"catalog\"", &["candor.toml", "agent a", "builtin", "did you mean `catalogue`?"]);
}

#[test]
fn a_list_of_agents_in_json_is_told_with_line_and_nearest_name() {
    let candor = Candor::new();
    let agents = |text: &str, words: &[&str]| {
        candor.write("a.json", text);
        candor.run(["route", "--agents", "a.json", "x"]).refused(words);
    };
    agents("[\n{\"agent_type\": \"a\", \"specialization\": 3}]", &["a.json", "[0].specialization", "line 2"]);
    agents(
        "[\n{\"agent_type\": \"a\", \"specialisation\": \"x\"}]",
        &["line 2", "did you mean `specialization`?"],
    );
    agents("{}", &["a.json", "agents"]);
}

#[test]
fn an_agent_that_is_listed_twice_is_refused() {
    let candor = Candor::new();
    let agent = json!({"agent_type": "a", "specialization": "Cats"});
    candor.write("a.json", json!([agent, agent]).to_string());
    candor.run(["route", "--agents", "a.json", "cats"]).refused(&["a.json", "twice"]);
}

#[test]
fn a_program_is_looked_for_beside_the_configuration() {
    let candor = Candor::new();
    std::fs::create_dir(candor.path("conf")).unwrap();
    candor.write(
        "conf/candor.toml",
        "[[agents]]\nagent_type = \"worker\"\nspecialization = \"x\"\ncommand = [\"sh\", \"agent.sh\"]\n",
    );
    candor.write("conf/agent.sh", "echo '{\"outputs\":{\"thing\":1}}'");
    let plan = json!({"subtasks": [{"task_id": "t", "description": "Do it", "agent_type": "worker"}]});
    candor.write("plan.json", plan.to_string());
    candor.run(["run", "--plan", "plan.json", "--config", "conf/candor.toml"]).ended_with(0);
}

#[test]
fn a_task_that_is_not_there_is_refused() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    candor.run(["explain", "run_1", "--task", "nope"]).refused(&["nope", "candor status run_1"]);
    candor.run(["logs", "run_1", "nope"]).refused(&["nope", "candor status run_1"]);
}

#[test]
fn logs_are_called_what_they_are() {
    let candor = Candor::with_config(QUICK);
    candor.run(["run", PARIS, "--run-id", "run_1", "--fault", "flight_agent=timeout:1"]).ended_with(0);
    let said = candor.run(["report", "run_1"]).ended_with(0);
    assert!(!said.stdout.contains("`candor logs run_1`: every event"), "it shows what agents wrote");
}

#[test]
fn the_advice_is_not_to_try_the_agent_that_was_tried() {
    let candor = Candor::with_config(QUICK);
    let (said, events) = candor.events(&["run", PARIS, "--fault", "hotel_agent=fully_booked:1"]);
    said.ended_with(0);
    let advice = texts(&events.report()["lessons_learned"]["recommendations"]).join(" ");
    assert!(!advice.contains("try hotel agent first"), "{advice}");
}

#[test]
fn decomposition_and_every_routing_are_decisions_on_record() {
    // spec: planning TD-10 SR-13 TR-07
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let count = |operation: &str| {
        let args = ["explain", "run_1", "--decisions", "--operation", operation, "--json"];
        candor.run(args).json().as_array().unwrap().len()
    };
    assert_eq!((count("decompose_task"), count("route_task")), (1, 4));
}

#[test]
fn every_command_that_is_printed_leads_to_the_same_data() {
    let candor = Candor::with_config(GENERAL);
    let said = candor.run(["run", VAGUE, "--run-id", "run_1"]).ended_with(3);
    for line in said.stdout.lines().filter(|line| line.contains("candor approve run_1")) {
        assert!(line.contains("--data data"), "typed as printed, it finds no such run: {line}");
    }
    let status = candor.run(["status", "run_1"]).ended_with(0);
    let command =
        status.stdout.lines().map(str::trim).find(|line| line.starts_with("candor approve")).unwrap();
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    Said::of(candor.command(words).output().unwrap()).ended_with(0);
}

#[test]
fn the_kinds_of_fault_are_all_in_the_help() {
    let said = Candor::new().run(["run", "--help"]).ended_with(0);
    said.shows(&["too_complex", "unavailable", "fully_booked", "over_budget"]);
}

#[test]
fn points_to_go_back_to_are_listed_in_words() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    let said = candor.run(["rollback", "run_1", "--checkpoint", "99"]).refused(&["no checkpoint 99"]);
    assert!(!said.stderr.contains("{0:"), "no inside of a map: {}", said.stderr);
    // Where the help says that they are listed, they are.
    candor.run(["rollback", "--help"]).ended_with(0).shows(&["candor status RUN", "candor postmortem RUN"]);
    candor
        .run(["postmortem", "run_1"])
        .ended_with(0)
        .shows(&["candor rollback run_1 4", "plan version 1 approved"]);
}

#[test]
fn a_run_that_failed_before_it_had_a_plan_has_a_report_too() {
    // spec: planning TR-10 EN-26
    let one = "[[agents]]\nagent_type = \"a\"\nspecialization = \"x\"\nbuiltin = \"noop\"\n";
    let candor = Candor::with_config(&format!("[planning]\nmin_agents = 3\n{one}"));
    let (said, events) = candor.events(&["run", PARIS]);
    said.ended_with(1);
    let report = events.report();
    assert_eq!(report["summary"]["success"], false);
    assert_eq!((&report["tasks"], &report["revisions"]), (&json!([]), &json!([])));
    assert!(texts(&report["lessons_learned"]["what_failed"])[0].contains("agents"));
}

#[test]
fn a_data_folder_that_is_none_is_told() {
    let candor = Candor::new();
    candor.write("data", "I am a file");
    candor.run(["list"]).refused(&["data is not a folder", "--data"]);
    candor.run(["status", "last"]).refused(&["data is not a folder"]);
    candor.run(["run", PARIS]).refused(&["data", "--data"]);
}

#[test]
fn init_elsewhere_says_how_to_check_what_it_wrote() {
    let candor = Candor::new();
    let said = candor.run(["init", "new"]).ended_with(0);
    said.tells(&["cd new && candor doctor"]);
    let mut doctor = candor.command(["doctor"]);
    Said::of(doctor.current_dir(candor.path("new")).output().unwrap())
        .ended_with(0)
        .shows(&["ok    configuration"]);
    assert!(!candor.path("candor.toml").exists());
}

#[test]
fn a_week_in_a_city_is_a_journey() {
    for text in
        ["Plan a week in Tokyo for 2 people under 3000 dollars", "Fly from Boston to Tokyo for 2 people"]
    {
        let goal = Candor::new().run(["goal", text, "--json"]).ended_with(0).json();
        assert_eq!(goal["goal_type"], "travel_planning", "{text}");
    }
}

#[test]
fn an_unknown_destination_is_not_answered_with_another_duration() {
    let said = Candor::new().run(["run", "Plan a trip to Atlantis for 3 days"]).ended_with(1);
    assert!(!said.stderr.contains("Try another duration"), "{}", said.stderr);
}

#[test]
fn a_plan_of_ones_own_is_not_asked_about_what_goals_of_its_kind_should_say() {
    // spec: findings GL-18
    let candor = Candor::with_config("[limits]\napproval = \"always\"\n");
    let task = json!({ "task_id": "t", "description": "Choose the days with the team", "agent_type": "activity_agent" });
    let plan = json!({ "goal_type": "travel_planning", "description": "A trip to Rome", "subtasks": [task] });
    candor.write("plan.json", plan.to_string());
    let said = candor.run(["run", "--plan", "plan.json", "--run-id", "run_1"]).ended_with(3);
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("Approve this plan?") && !all.contains("no specific dates"), "{all}");
}
