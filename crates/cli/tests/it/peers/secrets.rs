//! Access keys go to the agent that they are for, and are found nowhere else.

use std::path::Path;

use crate::peers::peer::{Peer, RUN, knowing, plan};
use crate::support::{Candor, Events, Said};

const KEY: &str = "mauve-walrus-5821";
const HEADERS: &str = "headers_env = { x-access = \"FAR_ACCESS\" }";

/// The same with the key in its environment.
fn run_with(candor: &Candor, key: &str, args: &[&str]) -> Said {
    let mut command = candor.command(["--data", "data"]);
    Said::of(command.args(args).env("FAR_ACCESS", key).output().unwrap())
}

/// The files below a folder that hold these bytes.
fn holding(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, bytes));
        } else if std::fs::read(&path).is_ok_and(|text| text.windows(bytes.len()).any(|it| it == bytes)) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[track_caller]
fn keeps_the_secret(candor: &Candor, said: &Said, key: &str) {
    assert!(!said.stdout.contains(key) && !said.stderr.contains(key), "{}{}", said.stdout, said.stderr);
    assert_eq!(holding(candor.folder(), key.as_bytes()), [""; 0]);
}

#[test]
fn the_key_opens_the_door_and_is_on_no_record() {
    // spec: beyond BY-10
    let Some(peer) = Peer::start(&["--key", KEY]) else { return };
    let candor = knowing(&peer.url, HEADERS);
    plan(&candor, "echo hello", Some("far_agent"));
    let said = run_with(&candor, KEY, &RUN).ended_with(0);
    assert_eq!(peer.got("message").len(), 1);
    // What is looked for can be found: the search sees the log.
    assert!(!holding(candor.folder(), b"You said: echo").is_empty());
    keeps_the_secret(&candor, &said, KEY);
}

#[test]
fn a_wrong_key_is_told_without_its_value() {
    // spec: beyond BY-10
    let Some(peer) = Peer::start(&["--key", KEY]) else { return };
    let candor = knowing(&peer.url, HEADERS);
    plan(&candor, "echo hello", Some("far_agent"));
    let wrong = "teal-otter-77";
    let said = run_with(&candor, wrong, &RUN);
    let told = Events(said.lines());
    assert!(told.first_reason().contains("401"), "{}", told.first_reason());
    let said = said.tells(&["far_agent", "401", "[redacted:key] is not known"]);
    assert!(peer.got("message").is_empty());
    keeps_the_secret(&candor, &said, wrong);
}

#[test]
fn a_key_that_the_peer_says_back_is_taken_out() {
    for options in [&["--key", KEY][..], &["--key", KEY, "--plain"]] {
        let Some(peer) = Peer::start(options) else { return };
        let candor = knowing(&peer.url, HEADERS);
        plan(&candor, "tell me", Some("far_agent"));
        let said = run_with(&candor, KEY, &RUN).ended_with(0);
        assert!(said.stdout.contains("[redacted:key]"), "{}", said.stdout);
        keeps_the_secret(&candor, &said, KEY);
    }
}

#[test]
fn a_person_who_writes_the_key_down_is_told_and_it_is_taken_out() {
    let Some(peer) = Peer::start(&["--key", KEY]) else { return };
    let candor = knowing(&peer.url, HEADERS);
    plan(&candor, "ask me", Some("far_agent"));
    run_with(&candor, KEY, &RUN).ended_with(3);
    let text = format!("the key is {KEY}");
    let said = run_with(&candor, KEY, &["answer", "run_1", "answer", "--text", &text, "--yes"]).ended_with(0);
    keeps_the_secret(&candor, &said.tells(&["looks like a secret"]), KEY);
}

#[test]
fn a_variable_that_is_not_set_is_told_before_anything_begins() {
    let candor = knowing("http://127.0.0.1:9", HEADERS);
    plan(&candor, "echo hello", Some("far_agent"));
    let mut command = candor.command(["--data", "data"]);
    let output = command.args(RUN).env_remove("FAR_ACCESS").output().unwrap();
    Said::of(output).refused(&["far_agent", "x-access", "FAR_ACCESS", "not set"]);
    assert!(!candor.has_data());
}
