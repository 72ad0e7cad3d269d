//! What a phase cannot go on without stops the run before the next phase, until a person has settled it.

use crate::support::Candor;

const REQUEST: &str = "Summarise minutes.txt for the board";

fn folder(unattended: bool) -> Candor {
    Candor::with_config(&format!(
        "[limits]\nunattended = {unattended}\n[planning]\nmin_agents = 1\n[[agents]]\nagent_type = \"clerk\"\n\
         specialization = \"Summarises minutes\"\ncapabilities = [\"summarise\"]\nbuiltin = \"noop\"\n"
    ))
}

#[test]
fn a_file_that_the_request_works_from_and_that_is_missing_ends_an_unattended_run_with_the_reason() {
    // spec: orchestrator HO-06
    let candor = folder(true);
    let said = candor.run(["run", REQUEST, "--plain"]).ended_with(1);
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("minutes.txt") && all.contains("there is no such file"), "{all}");
    let (_, events) = candor.events(&["run", REQUEST]);
    assert!(events.all("phase_started").iter().all(|event| event["phase"] != "decomposition"));
    candor.write("minutes.txt", "Nobody came.");
    candor.run(["run", REQUEST, "--plain", "--yes"]).ended_with(0);
}

#[test]
fn a_person_settles_it_and_the_phase_looks_again() {
    // spec: orchestrator HO-06
    let candor = folder(false);
    candor.run(["run", REQUEST, "--run-id", "run_b", "--plain"]).ended_with(3);
    let still = candor.run(["answer", "run_b", "retry"]).ended_with(3);
    assert!(still.stdout.contains("minutes.txt"), "it is asked again: {}", still.stdout);
    candor.write("minutes.txt", "Nobody came.");
    let (_, events) = candor.events(&["answer", "run_b", "retry"]);
    let begun = |phase: &str| events.all("phase_started").iter().any(|event| event["phase"] == phase);
    assert!(begun("context") && begun("decomposition"));
}

#[test]
fn a_file_to_be_written_is_not_missed_and_a_dry_run_goes_on() {
    let (_, events) = folder(true).events(&["run", "Write the minutes to minutes.txt", "--yes"]);
    assert!(!events.all("task_succeeded").is_empty(), "the work begins");
    let said = folder(true).run(["plan", REQUEST]).ended_with(0);
    assert!(said.stdout.contains("Summarise"), "{}", said.stdout);
}
