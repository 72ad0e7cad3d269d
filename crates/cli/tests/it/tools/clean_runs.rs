//! Missions in which nothing goes wrong: steps that a task lists, without any model.

use std::fs;

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::json;

use crate::tools::bench::{Bench, called, desk, notes, outputs};

const FILES: &str = "[tools.builtin]\nfolder = \"work\"\nwritable = true\n";

/// The words of a command as TOML, with the folder in its environment to be known by.
fn time_server(peers: &Peers) -> String {
    format!(
        "[tools.servers.time]\ncommand = {}\nenv = {{ MARK = \"HOME\" }}\nstart_timeout = 60\n",
        json!(peers.time())
    )
}

#[test]
fn steps_that_a_task_lists_are_worked_off_without_a_model_and_leave_nothing_behind() {
    // spec: planning TA-37 TA-43 beyond BY-01
    let Some(peers) = or_skipped(Peers::find()) else { return };
    let more = format!("{FILES}{}{}", time_server(&peers), desk(""));
    let bench = Bench::new(&["read_file", "write_file", "time.*", "desk.*"], &more);
    bench.teach(
        "TOOLS = [tool('shout', 'Makes words loud', {'words': (TEXT, True)}, **READS)]\n\
         def run(name, arguments, meta):\n    return arguments['words'].upper()",
    );
    let events = bench.run_steps(
        &json!([
            {"id": "then", "tool": "time.convert_time", "parameters":
                {"source_timezone": "Asia/Tokyo", "time": "18:30", "target_timezone": "Asia/Kolkata"}},
            {"id": "loud", "tool": "desk.shout", "parameters": {"words": "it is"}},
            {"id": "note", "tool": "write_file", "parameters": {"path": "time.txt", "mode": "create",
                "content": "${steps.loud} ${steps.then.time_difference}"}},
            {"id": "show", "tool": "read_file", "parameters": {"path": "time.txt"}, "depends_on": ["note"],
             "save_as": "result"},
        ]),
        0,
    );
    assert_eq!(called(&events), ["time.convert_time", "desk.shout", "write_file", "read_file"]);
    assert_eq!(fs::read_to_string(bench.candor.path("work/time.txt")).unwrap(), "IT IS -3.5h");
    let result = outputs(&events)["result"].to_string();
    assert!(result.contains("IT IS -3.5h"), "{result}");
    for none in ["replan_tried", "said", "warned", "consulted", "asked", "changed"] {
        assert!(notes(&events, none).is_empty(), "{none}");
    }
    let effects = bench.effects();
    assert_eq!(effects.len(), 1, "{effects:?}");
    assert_eq!((&effects[0]["tool"], &effects[0]["key"]), (&json!("write_file"), &json!("run_1/a/1/note/3")));
    assert_eq!(effects[0]["receipt"]["success"], json!(true));
    assert_eq!(effects[0]["receipt"]["undo"]["tool"], json!("remove_file"));
    assert_eq!(bench.processes(), Vec::<String>::new(), "a server is left over");
}

#[test]
fn planning_anew_makes_no_difference_where_nothing_fails() {
    // spec: planning TA-37 TA-39
    let traces = [true, false].map(|replanning| {
        let mission = format!("[agents.mission]\nreplanning = {replanning}\n{FILES}");
        let bench = Bench::new(&["read_file", "list_files"], &mission);
        fs::write(bench.candor.path("work/a.txt"), "alpha").unwrap();
        let events = bench.run_steps(
            &json!([
                {"id": "list", "tool": "list_files"},
                {"id": "read", "tool": "read_file", "parameters": {"path": "a.txt"}, "save_as": "result"},
            ]),
            0,
        );
        let mut trace: Vec<String> =
            events.all("agent_noted").iter().map(|event| event["note"].to_string()).collect();
        trace.push(outputs(&events).to_string());
        trace.iter_mut().for_each(|line| *line = without_times(line));
        trace
    });
    assert_eq!(traces[0], traces[1]);
    assert_eq!(traces[0].len(), 6);
}

/// A line without how long things took and when files were touched.
fn without_times(line: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    if let Some(result) = value.pointer_mut("/returned/result").and_then(serde_json::Value::as_object_mut) {
        result.remove("duration_ms");
    }
    value.to_string()
}

#[test]
fn later_tasks_use_what_earlier_ones_gave() {
    // spec: planning TA-43
    let bench = Bench::new(&["read_file", "list_files"], FILES);
    fs::write(bench.candor.path("work/name.txt"), "b.txt").unwrap();
    fs::write(bench.candor.path("work/b.txt"), "beta").unwrap();
    let task = |id: &str, steps, after: &[&str]| {
        json!({"task_id": id, "description": format!("Read for {id}"), "agent_type": "keeper",
            "dependencies": after, "inputs": {"steps": steps, "folder": "."}, "expected_outputs": [id]})
    };
    bench.plan_of(&[
        task("one", json!([{"tool": "read_file", "parameters": {"path": "${inputs.folder}/name.txt"}}]), &[]),
        task(
            "two",
            json!([{"tool": "read_file", "parameters": {"path": "${upstream.one.one.content}"}}]),
            &["one"],
        ),
    ]);
    let events = bench.run(0);
    let two = outputs(&events)["two"].to_string();
    assert!(two.contains("beta"), "{two}");
}

#[test]
fn doctor_is_content_with_tools() {
    // spec: beyond BY-10
    let enough = "[planning]\nmin_agents = 1\n";
    let bench = Bench::with_desk(&["read_file", "desk.*"], "TOOLS = []", &format!("{FILES}{enough}"));
    let said = bench.candor.run(["doctor"]);
    assert!(said.code == 0, "{said:?}");
}
