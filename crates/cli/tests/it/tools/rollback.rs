//! Going back behind changes of the world: a person says whether they are undone.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Candor, Events};
use crate::tools::bench::{Bench, notes, question};

/// Bytes in which everything that a careless copy would change has its place.
const BEFORE: &[u8] = b"first line\r\n\tsecond \xc3\xa9\xe2\x82\xac line  \n\n\x00no end";

/// Somebody is there to be asked, and is asked before files are written.
const ATTENDED: &str = "[tools.builtin]\nfolder = \"work\"\nwritable = true\n[limits]\nunattended = false\n";

/// A run that has written over a file.
fn written() -> Bench {
    let bench = Bench::new(&["write_file"], ATTENDED);
    fs::write(bench.candor.path("work/a.txt"), BEFORE).unwrap();
    bench.plan(&json!([{"id": "write", "tool": "write_file",
        "parameters": {"path": "a.txt", "content": "after", "mode": "overwrite"}}]));
    bench.run(3);
    bench.answer(&["allow"], 0);
    assert_eq!(content(&bench), b"after");
    bench
}

fn content(bench: &Bench) -> Vec<u8> {
    fs::read(bench.candor.path("work/a.txt")).unwrap()
}

/// The titles of what was announced.
fn announced(events: &Events) -> Vec<String> {
    let told =
        events.all("notified").into_iter().map(|event| &event["notification"]["announcement"]["title"]);
    told.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What came of undoing each change.
fn undone(events: &Events) -> Vec<bool> {
    let steps = events.all("undo");
    steps.iter().filter_map(|step| step["ended"]["undone"]["success"].as_bool()).collect()
}

#[test]
fn what_was_written_is_undone_byte_for_byte_and_the_run_goes_on() {
    // spec: orchestrator SM-12 CM-01 beyond BY-27
    let bench = written();
    let events = bench.told(&["rollback", "run_1", "3"], 3);
    assert!(question(&events).contains("write_file a.txt"), "{}", question(&events));
    assert_eq!(content(&bench), b"after", "nothing is undone before somebody says so");
    // It goes on up to where it needs leave to write again.
    let events = bench.answer(&["undo"], 3);
    assert_eq!(undone(&events), [true]);
    assert!(question(&events).starts_with("May write_file be called?"), "{}", question(&events));
    assert_eq!(content(&bench), BEFORE);
    assert_eq!(bench.effects()[0]["undone"]["success"], json!(true));
    bench.answer(&["allow"], 0);
    assert_eq!(content(&bench), b"after");
    let effects = bench.effects();
    assert_eq!(effects.len(), 2, "{effects:?}");
    assert_ne!(effects[0]["key"], effects[1]["key"]);
}

#[test]
fn what_was_written_stays_if_a_person_says_so_and_a_warning_is_on_record() {
    // spec: orchestrator SM-12
    let bench = written();
    bench.told(&["rollback", "run_1", "3"], 3);
    let events = bench.answer(&["keep"], 3);
    assert_eq!(content(&bench), b"after");
    assert!(undone(&events).is_empty());
    assert_eq!(announced(&events), ["Side effects are kept"]);
    assert!(!notes(&events, "asked").is_empty(), "the run went on");
}

#[test]
fn a_file_that_somebody_else_changed_since_is_not_overwritten_unsaid() {
    // spec: orchestrator SM-12 beyond BY-10
    let bench = Bench::new(&["write_file", "remove_file"], ATTENDED);
    bench.plan(&json!([{"id": "write", "tool": "write_file",
        "parameters": {"path": "a.txt", "content": "after", "mode": "create"}}]));
    bench.run(0);
    fs::write(bench.candor.path("work/a.txt"), "a person's own words").unwrap();
    bench.told(&["rollback", "run_1", "3"], 3);
    let events = bench.answer(&["undo"], 3);
    assert_eq!(undone(&events), [false]);
    assert_eq!(announced(&events), ["A change could not be undone"]);
    assert_eq!(content(&bench), b"a person's own words");
}

/// A program that rewrites a file, and an installation in which somebody is asked.
fn rewritten() -> Candor {
    let candor = Candor::with_config(
        "[limits]\nunattended = false\n[[agents]]\nagent_type = \"writer\"\n\
         specialization = \"Rewrites notes\"\ncapabilities = [\"rewrite\", \"write\"]\neffects = [\"change\"]\n\
         command = [\"sh\", \"-c\", \"cat >/dev/null; echo x >> runs.txt; [ -e hold ] || printf other > notes.txt; \
         echo '{\\\"outputs\\\":{\\\"result\\\":\\\"ok\\\"}}'\"]\n",
    );
    candor.write("notes.txt", NOTES);
    candor.write(
        "plan.json",
        json!({"subtasks": [{"task_id": "a", "description": "Rewrite notes.txt",
        "agent_type": "writer", "expected_outputs": ["result"], "metadata": {"files": ["notes.txt"]}}]})
        .to_string(),
    );
    let goal = "Rewrite notes.txt and send it to the team";
    candor.run(["run", goal, "--plan", "plan.json", "--run-id", "run_1", "--json"]).ended_with(0);
    assert_eq!(fs::read(candor.path("notes.txt")).unwrap(), b"other");
    candor
}

const NOTES: &[u8] = "first words\r\n\tcafé, no end".as_bytes();

#[test]
fn a_file_that_a_program_changed_is_restored_byte_for_byte() {
    // spec: orchestrator SM-12 SS-02
    let candor = rewritten();
    // The second time the program leaves the file alone, so that what was restored is seen.
    candor.write("hold", "");
    let said = candor.run(["rollback", "run_1", "3", "--json"]).ended_with(3);
    let events = Events(said.lines());
    assert!(question(&events).contains("notes.txt"), "{}", question(&events));
    let said = candor.run(["answer", "run_1", "undo", "--json"]).ended_with(0);
    assert_eq!(undone(&Events(said.lines())), [true]);
    assert_eq!(fs::read(candor.path("notes.txt")).unwrap(), NOTES);
    assert_eq!(fs::read_to_string(candor.path("runs.txt")).unwrap(), "x\nx\n", "the run went on");
}

#[test]
fn a_file_that_a_program_changed_stays_if_a_person_says_so() {
    // spec: orchestrator SM-12
    let candor = rewritten();
    candor.write("hold", "");
    candor.run(["rollback", "run_1", "3", "--json"]).ended_with(3);
    let said = candor.run(["answer", "run_1", "keep", "--json"]).ended_with(0);
    assert_eq!(announced(&Events(said.lines())), ["Side effects are kept"]);
    assert_eq!(fs::read(candor.path("notes.txt")).unwrap(), b"other");
}
