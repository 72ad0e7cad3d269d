//! `kill -9` in the middle of a mission: what was done is not done again, and what nobody knows is asked.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::until;
use crate::tools::bench::{Bench, called, desk, notes, question};

/// A tool that adds a line to a file each time it is called, one that does so and then takes its time, one that
/// takes its time and looks, and one that finds out whether a line is there. `go` lets them end.
const COUNTING: &str = r#"
LINE = {"line": (TEXT, True)}
TOOLS = [tool("add_line", "Adds a line", LINE, **ADDS),
         tool("add_slowly", "Adds a line", LINE, **ADDS),
         tool("wait", "Waits for leave", {}, **READS),
         tool("find_line", "Finds a line, or fails", LINE, **READS)]

def wait():
    # It does not outlive the one who started it: that would wait for this pipe's end.
    while not os.path.exists("go"):
        if os.getppid() == 1:
            sys.exit(0)
        time.sleep(0.02)

def run(name, arguments, meta):
    if name == "find_line":
        found = os.path.exists("lines.txt") and arguments["line"] in open("lines.txt").read()
        if not found:
            raise Wrong("there is no such line")
        return "it is there"
    if name != "wait":
        note("lines.txt", arguments["line"])
        note("keys.txt", meta.get("candor/idempotencyKey", "none"))
    if name != "add_line":
        wait()
    return "done"
"#;

fn counting(more: &str) -> Bench {
    let bench = Bench::new(&["desk.*"], &desk(more));
    bench.teach(COUNTING);
    bench
}

fn steps(last: &str) -> Value {
    let parameters = if last == "wait" { json!({}) } else { json!({"line": "last"}) };
    json!([
        {"id": "first", "tool": "desk.add_line", "parameters": {"line": "first"}},
        {"id": "last", "tool": format!("desk.{last}"), "parameters": parameters, "depends_on": ["first"]},
    ])
}

/// Runs the steps and kills Candor in the middle of the last of them.
fn killed_during(bench: &Bench, last: &str) {
    bench.plan(&steps(last));
    let mut child = bench.start();
    let begun = if last == "wait" { ("calls.txt", "wait") } else { ("keys.txt", "last") };
    until("the last step has begun", || bench.lines(begun.0).iter().any(|line| line.contains(begun.1)));
    child.kill().unwrap();
    child.wait().unwrap();
    bench.candor.write("go", "");
    until("the server has ended", || bench.processes().is_empty());
}

fn keys(bench: &Bench) -> Vec<String> {
    let keys = bench.lines("keys.txt");
    let different: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(different.len(), keys.len(), "{keys:?}");
    keys
}

#[test]
fn what_was_done_before_a_kill_is_not_done_again() {
    // spec: beyond BY-01 BY-12 BY-27
    let bench = counting("");
    killed_during(&bench, "wait");
    let events = bench.resume(0);
    assert_eq!(bench.lines("lines.txt"), ["first"]);
    assert_eq!(bench.calls(), ["add_line", "wait", "wait"], "a look may be taken twice");
    assert!(!called(&events).contains(&"desk.add_line"), "a call that is on the log is not made once more");
    assert_eq!(keys(&bench), ["run_1/a/1/first/1"]);
    let effects = bench.effects();
    assert_eq!(effects.len(), 1, "{effects:?}");
    assert_eq!(effects[0]["receipt"]["success"], json!(true));
}

#[test]
fn a_call_that_was_cut_off_is_not_repeated_but_asked_about_and_done_means_done() {
    // spec: beyond BY-01 BY-03 BY-27
    let bench = counting("");
    killed_during(&bench, "add_slowly");
    let events = bench.resume(3);
    assert!(question(&events).contains("nobody knows whether it was carried out"), "{}", question(&events));
    assert!(bench.effects()[1].get("receipt").is_none(), "nobody knows");
    bench.answer(&["done", "--text", "I saw the line"], 0);
    assert_eq!(bench.lines("lines.txt"), ["first", "last"]);
    assert_eq!(keys(&bench), ["run_1/a/1/first/1", "run_1/a/1/last/2"]);
    assert_eq!(bench.effects()[1]["receipt"]["summary"], json!("I saw the line"));
}

#[test]
fn a_call_that_was_cut_off_is_repeated_with_another_key_if_a_person_wants_it() {
    // spec: beyond BY-01 BY-03 BY-27
    let bench = counting("");
    killed_during(&bench, "add_slowly");
    bench.resume(3);
    bench.answer(&["again"], 0);
    assert_eq!(bench.lines("lines.txt"), ["first", "last", "last"]);
    assert_eq!(keys(&bench).len(), 3);
    let receipts: Vec<Value> =
        bench.effects().iter().map(|effect| effect["receipt"]["success"].clone()).collect();
    assert_eq!(receipts, [json!(true), json!(false), json!(true)]);
}

#[test]
fn a_call_that_was_cut_off_is_looked_for_where_there_is_a_way_to_look() {
    // spec: beyond BY-01 BY-27
    let check = "[tools.servers.desk.overrides.add_slowly]\n\
        check = { tool = \"desk.find_line\", arguments = { line = \"${arguments.line}\" } }";
    let bench = counting(check);
    killed_during(&bench, "add_slowly");
    let events = bench.resume(0);
    assert!(events.all("human_asked").is_empty());
    assert_eq!(bench.lines("lines.txt"), ["first", "last"]);
    let receipts = notes(&events, "returned");
    assert_eq!(receipts[0]["result"]["success"], json!(true), "{receipts:?}");
}

#[test]
fn a_call_that_is_interrupted_is_not_repeated_either() {
    // spec: beyond BY-01 BY-07 BY-27
    let bench = counting("");
    bench.plan(&steps("add_slowly"));
    let mut child = bench.start();
    until("the last step has begun", || bench.lines("keys.txt").len() == 2);
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut code = None;
    until("it has ended", || {
        code = child.try_wait().unwrap();
        code.is_some()
    });
    assert_eq!(code.and_then(|status| status.code()), Some(130));
    assert!(bench.processes().is_empty(), "it ends its servers before it goes");
    let events = bench.resume(3);
    assert!(question(&events).contains("nobody knows whether it was carried out"));
    bench.candor.write("go", "");
    bench.answer(&["done"], 0);
    assert_eq!(bench.lines("lines.txt"), ["first", "last"]);
}

#[test]
fn a_question_outlives_a_kill_and_is_put_again_as_it_was() {
    // spec: beyond BY-03
    let bench = counting("");
    killed_during(&bench, "add_slowly");
    let first = bench.resume(3);
    let again = bench.candor.run(["resume", "run_1", "--json"]).ended_with(3);
    assert!(again.stderr.contains(question(&first).lines().next().unwrap()), "{}", again.stderr);
    assert_eq!(bench.log().all("human_asked").len(), 1, "it is the same question");
    bench.answer(&["skip"], 0);
    assert_eq!(bench.lines("lines.txt"), ["first", "last"]);
}
