//! Servers that die, hang and flood in the middle of a call.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Events;
use crate::tools::bench::{Bench, called, desk, first_attempt, notes, outputs, question};

/// Adds a line and then does what the argument says.
const BROKEN: &str = r#"
HOW = {"how": (TEXT, True)}
TOOLS = [tool("add", "Adds a line, in a way", HOW, **ADDS),
         tool("look", "Looks, in a way", HOW, **READS)]
def run(name, arguments, meta):
    if name == "add":
        note("lines.txt", "line")
    if arguments["how"] == "dies":
        os._exit(9)
    if arguments["how"] == "hangs":
        time.sleep(120)
    if arguments["how"] == "floods":
        return "x" * 1000000
    return "fine"
"#;

fn broken(mission: &str, more: &str) -> Bench {
    Bench::with_desk(&["desk.*"], BROKEN, &format!("[agents.mission]\n{mission}\n{more}"))
}

fn then_look(how: &str) -> Value {
    json!([
        {"id": "add", "tool": "desk.add", "parameters": {"how": how}},
        {"id": "look", "tool": "desk.look", "parameters": {"how": "well"}, "depends_on": ["add"]},
    ])
}

#[test]
fn a_change_whose_server_died_is_not_repeated_but_asked_about() {
    // spec: beyond BY-01 BY-10 BY-27
    let bench = broken("", "");
    let events = bench.run_steps(&then_look("dies"), 3);
    assert_eq!(called(&events), ["desk.add"]);
    assert_eq!(notes(&events, "returned")[0]["result"]["error"]["kind"], json!("lost"));
    assert!(question(&events).contains("nobody knows whether it was carried out"));
    let events = bench.answer(&["done"], 0);
    assert_eq!(bench.lines("lines.txt"), ["line"]);
    assert_eq!(outputs(&events)["result"], json!("fine"), "a new server took over");
    assert!(bench.processes().is_empty());
}

#[test]
fn a_change_that_hangs_is_given_up_in_time_and_asked_about() {
    // spec: beyond BY-09 BY-27
    let bench = broken("tool_timeout = 1", "");
    let began = Instant::now();
    let events = bench.run_steps(&then_look("hangs"), 3);
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    let result = &notes(&events, "returned")[0]["result"];
    assert_eq!(result["error"]["kind"], json!("timeout"));
    let took = result["duration_ms"].as_u64().unwrap();
    assert!((900..4_000).contains(&took), "{took}");
    let events = bench.answer(&["skip"], 0);
    assert_eq!(bench.lines("lines.txt"), ["line"]);
    assert!(notes(&events, "marked").iter().any(|mark| mark["status"] == "SKIPPED"));
    assert!(bench.processes().is_empty(), "a server that hangs is ended with Candor");
}

#[test]
fn a_look_that_hangs_is_tried_three_times_and_the_failure_is_told() {
    // spec: planning TA-04 TA-07 beyond BY-09 BY-10
    let bench = broken("tool_timeout = 0.5", "");
    let steps = json!([{"id": "look", "tool": "desk.look", "parameters": {"how": "hangs"}}]);
    bench.plan(&steps);
    let said = bench.candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
    let events = Events(said.lines());
    let first = first_attempt(&events);
    assert_eq!(called(&first).len(), 3);
    for note in notes(&first, "returned") {
        assert!(
            ["timeout", "unavailable"].contains(&note["result"]["error"]["kind"].as_str().unwrap()),
            "{note}"
        );
    }
    assert!(events.first_reason().contains("look"), "{}", events.first_reason());
    assert!(bench.processes().is_empty());
}

#[test]
fn a_flood_is_cut() {
    // spec: beyond BY-13
    let bench = Bench::new(&["desk.*"], &desk("max_output_bytes = 2000"));
    bench.teach(BROKEN);
    let steps = json!([{"id": "look", "tool": "desk.look", "parameters": {"how": "floods"}}]);
    let events = bench.run_steps(&steps, 0);
    let result = &notes(&events, "returned")[0]["result"];
    assert_eq!(result["cut"], json!(true));
    assert!(outputs(&events).to_string().len() < 3_000);
}

#[test]
fn a_server_that_never_starts_is_told_and_does_not_hold_up_the_rest() {
    // spec: beyond BY-10 planning TA-07
    let more =
        "[tools.builtin]\nfolder = \"work\"\n[tools.servers.ghost]\ncommand = [\"HOME/no-such-program\"]\n";
    let bench = Bench::new(&["list_files", "ghost.*"], more);
    bench.plan_of(&[json!({"task_id": "a", "description": "Look around", "agent_type": "keeper",
        "expected_outputs": ["list"],
        "inputs": {"steps": [{"id": "boo", "tool": "ghost.boo", "parameters": {"loud": true}},
                             {"id": "list", "tool": "list_files", "save_as": "list"}]}})]);
    let events = bench.run(0);
    assert!(outputs(&events).get("list").is_some());
    let told = events.0.iter().map(Value::to_string).collect::<String>();
    assert!(told.contains("there is no tool ghost.boo"), "{told}");
}

/// A tool that fails in the way that it is asked to, and nothing else to use instead.
const FAILING: &str = r#"
TOOLS = [tool("look", "Looks, in a way", {"how": (TEXT, True)}, **READS)]
def run(name, arguments, meta):
    if arguments["how"] == "dies":
        os._exit(9)
    if arguments["how"] == "hangs":
        time.sleep(120)
    raise Wrong("row 7 has no column 'price', http timeout=30s")
"#;

#[test]
fn the_failure_of_a_task_has_the_kind_of_its_tools_failure() {
    // spec: findings RC-01
    for (how, kind, says) in [
        ("dies", "unavailable", "desk.look"),
        ("hangs", "timeout", "desk.look"),
        ("fails", "task_error", "row 7 has no column 'price'"),
    ] {
        let bench = Bench::with_desk(&["desk.*"], FAILING, "[agents.mission]\ntool_timeout = 1\n");
        bench.plan(&json!([{ "id": "look", "tool": "desk.look", "parameters": { "how": how } }]));
        let said = bench.candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
        let events = Events(said.lines());
        let failure = &events.all("task_failed")[0]["feedback"]["failure"];
        assert_eq!(failure["kind"], kind, "{how}: {failure}");
        assert!(failure["message"].as_str().unwrap().contains(says), "{how}: {failure}");
    }
}
