//! A task that fails three times waits for a person; the commands that are printed answer.

use crate::support::{ATTENDED, Candor, Events, PARIS, Said};

/// The Paris run with a hotel agent that never works: nobody else fits, so it waits for a person.
fn waiting() -> (Candor, Said, Events) {
    let candor = Candor::with_config(ATTENDED);
    let (said, events) = candor.events(&["run", PARIS, "--run-id", "run_1", "--fault", "hotel_agent=error"]);
    (candor, said.ended_with(3), events)
}

#[test]
fn a_failure_that_nothing_mends_asks_a_person_and_pauses() {
    // spec: planning HA-10 HA-11 HA-13 EN-20 EX-13
    let (candor, said, events) = waiting();
    said.tells(&["injected error", "candor answer run_1 skip --data data"]);
    let asked = &events.only("escalated")["request"];
    assert_eq!(asked["failure_count"], 1);
    assert_eq!(asked["errors"].as_array().unwrap().len(), 1);
    assert!(!asked["suggested_actions"].as_array().unwrap().is_empty());
    assert_eq!(events.failures_told().len(), 1);
    let asked_at = events.position(|event| event["event"] == "human_asked");
    assert!(events.0[asked_at..].iter().all(|event| event["event"] != "task_dispatched"));
    let status = candor.run(["status", "run_1", "--json"]).json();
    assert_eq!(status["status"], "waiting_human");
    assert_eq!(status["open_questions"].as_array().unwrap().len(), 1);
}

#[test]
fn yes_never_answers_for_a_failing_task() {
    let candor = Candor::with_config(ATTENDED);
    let said = candor.run(["run", PARIS, "--yes", "--fault", "hotel_agent=error"]).ended_with(3);
    said.tells(&["candor answer"]);
}

#[test]
fn the_printed_retry_goes_on_to_the_end() {
    // spec: planning HA-12
    let (candor, said, _) = waiting();
    let mut answer = said.printed_command("candor answer run_1 retry");
    assert_eq!(answer[..3], ["answer", "run_1", "retry"]);
    answer.push("--json".to_owned());
    // Typed as printed, from the same folder.
    let output = candor.command(&answer).output().unwrap();
    let said = Said::of(output).ended_with(0);
    let events = Events(said.lines());
    assert_eq!(events.report()["status"], "completed");
    assert_eq!(events.dispatched(), ["task_002", "task_004"]);
}

#[test]
fn the_printed_skip_goes_on_without_the_task() {
    // spec: planning HA-12 EX-09 RP-50
    let (candor, said, _) = waiting();
    let answer = said.printed_command("candor answer run_1 skip");
    let said = Said::of(candor.command(&answer).output().unwrap()).ended_with(0);
    said.shows(&["left out by a person", "Budget check"]);
    let status = candor.run(["status", "run_1", "--json"]).json();
    let skipped = status["tasks"].as_array().unwrap().iter().find(|task| task["status"] == "skipped");
    assert_eq!(skipped.unwrap()["name"], "Hotel search");
    assert_eq!(status["status"], "completed");
    // What needed the skipped task is told, and does without it.
    let report = candor.run(["report", "run_1", "--json"]).json();
    let last = report["revisions"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["details"]["strategies"][0], "FIX_DEPENDENCIES");
    assert_eq!(report["failures"].as_array().unwrap().last().unwrap()["task_id"], "task_004");
}

#[test]
fn the_printed_abort_ends_the_run() {
    let (candor, said, _) = waiting();
    let answer = said.printed_command("candor answer run_1 abort");
    let said = Said::of(candor.command(&answer).output().unwrap()).ended_with(1);
    said.tells(&["aborted", "Given up by a person", "candor postmortem run_1"]);
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "aborted");
}

#[test]
fn an_answer_can_name_another_agent_and_inputs() {
    let (candor, ..) = waiting();
    let args =
        ["answer", "run_1", "retry", "--agent", "transportation_agent", "--input", "nights=2", "--json"];
    let said = candor.run(args).ended_with(0);
    let events = Events(said.lines());
    assert_eq!(events.all("task_dispatched")[0]["agent_type"], "transportation_agent");
    let report = candor.run(["report", "run_1", "--json"]).json();
    let task = report["plan"]["subtasks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["task_id"].as_str().unwrap().starts_with("task_002"));
    assert_eq!(task.unwrap()["inputs"]["nights"], 2);
}

#[test]
fn an_answer_that_does_not_fit_is_refused_and_the_run_still_waits() {
    let (candor, ..) = waiting();
    candor.run(["answer", "run_1", "retry", "--agent", "nobody"]).refused(&["nobody"]);
    candor.run(["answer", "run_1", "retry", "--input", "nights"]).refused(&["KEY=VALUE"]);
    candor.run(["answer", "run_1", "retry", "--gate", "other"]).refused(&["other", "guide_"]);
    candor.run(["answer", "run_1", "maybe"]).refused(&["retry", "skip", "abort"]);
    candor.run(["approve", "run_1"]).refused(&["run_1", "does not wait for approval"]);
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "waiting_human");
}

#[test]
fn a_run_that_waits_for_nobody_takes_no_answer() {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    candor.run(["answer", "run_1", "retry"]).refused(&["run_1", "does not ask"]);
    candor.run(["approve", "run_1"]).refused(&["does not wait for approval"]);
    candor.run(["adjust", "run_1", "task_001", "priority", "1"]).refused(&["does not wait for approval"]);
}

#[test]
fn resume_tells_again_what_is_waited_for() {
    let (candor, ..) = waiting();
    candor.run(["resume", "run_1"]).ended_with(3).tells(&["candor answer run_1 retry"]);
}

#[test]
fn of_several_questions_one_is_named() {
    // spec: orchestrator CM-04 CM-05
    let candor = Candor::with_config(
        "[limits]\nescalate_after_failures = 1\nunattended = false\n[packs]\nagents = true\n",
    );
    let args = [
        "run",
        PARIS,
        "--run-id",
        "run_1",
        "--fault",
        "flight_agent=error",
        "--fault",
        "activity_agent=error",
    ];
    let said = candor.run(args).ended_with(3);
    let open = candor.run(["status", "run_1", "--json"]).json()["open_questions"].as_array().unwrap().clone();
    let gates: Vec<&str> = open.iter().map(|question| question["gate"].as_str().unwrap()).collect();
    assert_eq!(gates.len(), 2, "{}", said.stderr);
    candor.run(["answer", "run_1", "retry"]).refused(&["several", "--gate", gates[0], gates[1]]);
    let said = said.tells(&[&format!("skip --gate {}", gates[0]), &format!("skip --gate {}", gates[1])]);
    let answer = said.printed_command("candor answer run_1 retry");
    assert_eq!(answer[3..5], ["--gate", gates[0]]);
    Said::of(candor.command(&answer).output().unwrap()).ended_with(3).tells(&["candor answer run_1 skip"]);
    candor.run(["answer", "run_1", "retry"]).ended_with(0);
}
