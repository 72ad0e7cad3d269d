//! Programs of a pack: what they may do, a pack to start from, and the cases that packs carry.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use super::output;
use crate::support::{Candor, Events, Said};

/// A pack whose program tries what it may not, and says what became of it.
const PRYING: &str = r#"
import json, os, socket, sys
order = json.load(sys.stdin)
def tried(what):
    try:
        what()
        return "done"
    except OSError as error:
        return type(error).__name__
outside = os.environ["CANDOR_USER_HOME"] + "/secret.txt"
print(json.dumps({"outputs": {
    "words": 1, "lines": 1,
    "reads_folder": tried(lambda: open(order["inputs"]["file"]).read()),
    "writes_output": tried(lambda: open(os.environ["CANDOR_OUTPUT"] + "/out.txt", "w").write("x")),
    "writes_folder": tried(lambda: open("planted.txt", "w").write("x")),
    "reads_outside": tried(lambda: open(outside).read()),
    "reaches_network": tried(lambda: socket.create_connection(("127.0.0.1", 9), 1)),
    "sees_key": "MY_API_KEY" in os.environ, "difference": 0}}))
"#;

#[test]
fn a_packs_program_is_confined_to_what_the_pack_is_allowed() {
    let candor = Candor::new();
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("secret.txt"), "hidden").unwrap();
    candor.run(["packs", "new", "prying"]).ended_with(0);
    candor.write("prying/count.py", PRYING);
    candor.write("notes.txt", "one two");
    let mut command = candor.command(["--data", "data", "run", "Count the words in notes.txt", "--json"]);
    // Python itself is found by its own folder, wherever home is.
    command.env("HOME", home.path()).env("MY_API_KEY", "a-very-secret-value-1");
    command.env("PYENV_ROOT", pyenv()).stdin(Stdio::null());
    let said = Said::of(command.output().unwrap()).ended_with(0);
    let events = Events(said.lines());
    assert_eq!(output(&events, "reads_folder"), "done");
    assert_eq!(output(&events, "writes_output"), "done");
    for denied in ["writes_folder", "reads_outside"] {
        // Where it has namespaces of its own, the folder is read-only and other files are not there.
        let error = output(&events, denied).to_string();
        assert!(
            ["PermissionError", "OSError", "FileNotFoundError"].iter().any(|one| error.contains(one)),
            "{denied}: {error}"
        );
    }
    assert_ne!(output(&events, "reaches_network"), "done");
    assert_eq!(output(&events, "sees_key"), false);
    assert!(!candor.path("planted.txt").exists());
}

fn pyenv() -> PathBuf {
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    root.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".pyenv"))
}

#[test]
fn a_pack_to_start_from_works_as_it_is_and_is_tested_by_its_cases() {
    let candor = Candor::new();
    candor.run(["packs", "new", "wordy"]).ended_with(0).tells(&["candor packs test wordy"]);
    candor.run(["packs", "test", "wordy"]).ended_with(0).shows(&["3 of 3 cases hold"]);
    candor.run(["packs", "show", "wordy"]).ended_with(0).shows(&[
        "reads this folder, writes candor-output/, runs python3; no network",
        "Two programs count the same",
        "wordy_counter",
    ]);
    candor.write("notes.txt", "one two three\nfour\n");
    let (said, events) = candor.events(&["run", "Count the words in notes.txt"]);
    said.ended_with(0);
    assert_eq!(output(&events, "words"), 4);
    assert_eq!(events.report()["verdict"], "verified");
    // A case that does not hold is told, and the command fails.
    let cases = "[[cases]]\nrequest = \"Count the words in notes.txt\"\nfiles = [\"notes.txt\"]\napplies = true\n\
                 tasks = [\"count\", \"print\"]\n[[cases]]\nrequest = \"Count the sheep\"\napplies = true\n";
    candor.write("wordy/cases.toml", cases);
    let said = candor.run(["packs", "test", "wordy"]).ended_with(1);
    said.shows(&[
        "expected count, print, found check, count",
        "must apply and does not",
        "0 of 2 cases hold",
    ]);
    candor.run(["packs", "new", "wordy"]).refused(&["there is a pack wordy already"]);
    candor.run(["packs", "new", "My Pack"]).refused(&["is no name for a pack"]);
}

#[test]
fn the_packs_that_come_with_candor_hold_their_own_cases() {
    let candor = Candor::new();
    let said = candor.run(["packs", "test", "--json"]).ended_with(0).json();
    assert_eq!(said["failed"], 0);
    let of =
        |pack: &str| said["cases"].as_array().unwrap().iter().filter(|case| case["pack"] == pack).count();
    assert!(of("data") >= 8 && of("repo") >= 8 && of("travel") >= 3, "{said}");
}
