//! A person who wants another approach to one step of an agent with tools: while it works, and while it waits.

use std::fs;

use candor_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use super::models::{balanced, sensible, step_of};
use crate::support::until;
use crate::tools::bench::{Bench, called, notes, question};

const FILES: &str = "[tools.builtin]\nfolder = \"work\"\nwritable = true\n";

/// A model that has a step be done with these parameters instead.
fn with_model(parameters: serde_json::Value) -> ModelServer {
    let server = ModelServer::start().unwrap();
    server.route(move |seen| match step_of(seen) {
        "replan_step" => Reply::json(json!({ "strategy_type": "RETRY_WITH_PARAMS", "confidence": 0.9,
            "rationale": "as the person says", "parameters": parameters })),
        _ => sensible(seen),
    });
    server
}

#[test]
fn a_step_that_waits_for_leave_is_replanned_with_what_the_person_says() {
    // spec: findings RC-16
    let server = with_model(json!({ "path": "ledger.txt", "content": "12", "mode": "overwrite" }));
    let attended = balanced(&server).replacen("[limits]", "[limits]\nunattended = false", 1);
    let bench = Bench::new(&["write_file"], &format!("max_cost = 1.0\n{FILES}{attended}"));
    bench.plan(&json!([{ "id": "book", "tool": "write_file", "save_as": "result",
        "parameters": { "path": "cash.txt", "content": "12", "mode": "overwrite" } }]));
    let events = bench.run(3);
    assert!(question(&events).contains("cash.txt"));
    let unknown = bench.candor.run(["replan", "run_1", "a", "--step", "boook"]);
    unknown.ended_with(2).tells(&["no step boook", "its steps: book"]);
    let words = ["replan", "run_1", "a", "--step", "book", "--note", "use the ledger, not the cash book"];
    let events = bench.told(&words, 3);
    assert_eq!(events.all("question_withdrawn").len(), 1);
    assert!(question(&events).contains("ledger.txt"), "the new call needs leave of its own");
    let asked = server.seen().into_iter().find(|seen| step_of(seen) == "replan_step").unwrap();
    assert!(asked.says("a person wants another approach: use the ledger, not the cash book"));
    bench.answer(&["allow"], 0);
    assert!(bench.candor.path("work/ledger.txt").exists() && !bench.candor.path("work/cash.txt").exists());
}

#[test]
fn a_step_is_replanned_while_its_agent_works_on_another_one() {
    // spec: findings RC-16
    let server = with_model(json!({ "path": "new.txt" }));
    let script = r#"
TOOLS = [tool("count", "Counts the stock", {}, **READS)]
def run(name, arguments, meta):
    while not os.path.exists("go"):
        time.sleep(0.02)
    return "7"
"#;
    let more = format!("max_cost = 1.0\n{FILES}{}", balanced(&server));
    let bench = Bench::with_desk(&["desk.count", "read_file"], script, &more);
    fs::write(bench.candor.path("work/old.txt"), "old").unwrap();
    fs::write(bench.candor.path("work/new.txt"), "new").unwrap();
    bench.plan(&json!([{ "id": "count", "tool": "desk.count", "parameters": {} },
        { "id": "read", "tool": "read_file", "parameters": { "path": "old.txt" }, "save_as": "result",
          "depends_on": ["count"] }]));
    let mut child = bench.start();
    until("the first step is under way", || bench.calls() == ["count"]);
    bench.candor.run(["replan", "run_1", "a", "--step", "read", "--note", "the new list"]).ended_with(0);
    bench.candor.write("go", "");
    assert!(child.wait().unwrap().success());
    let log = bench.log();
    assert_eq!(called(&log), ["desk.count", "read_file"]);
    assert_eq!(notes(&log, "called")[1]["call"]["arguments"], json!({ "path": "new.txt" }));
    let late = bench.candor.run(["replan", "run_1", "a", "--step", "read"]);
    assert_eq!(late.code, 2, "it is over: {}", late.stderr);
}
