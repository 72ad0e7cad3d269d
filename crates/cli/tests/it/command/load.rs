//! `candor serve --mcp` under load: many calls at once, the queue and its limits, and a machine that runs short.

use std::process::Command;
use std::time::{Duration, Instant};

use candor_testkit::skips::skipped;
use serde_json::{Value, json};

use crate::command::mcp::{Mcp, good};
use crate::support::{Candor, GENERAL, Said, until};

/// How many calls are made at once; `CANDOR_CALLS=5000` is what is promised.
fn calls() -> usize {
    std::env::var("CANDOR_CALLS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(200)
}

/// Agents that are at work until a file `go` is there.
fn waiting(serve: &str) -> Candor {
    let agent = "command = [\"sh\", \"agent.sh\"]\neffects = [\"read\"]";
    let candor = Candor::with_config(&format!("{serve}{}", GENERAL.replace("builtin = \"noop\"", agent)));
    candor.write(
        "agent.sh",
        "touch started; while [ ! -e go ]; do sleep 0.05; done; echo '{\"outputs\":{\"text\":\"done\"}}'",
    );
    candor
}

fn run(goal: &str, wait_seconds: u64) -> Value {
    json!({"goal": goal, "unattended": true, "wait_seconds": wait_seconds})
}

/// The most memory that a process had, in MB.
fn most_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[test]
fn thousands_of_calls_at_once_are_all_answered_the_first_of_them_soon() {
    // spec: findings DU-06
    let candor = Candor::with_config(GENERAL);
    let mut mcp = Mcp::start(&candor);
    let began = Instant::now();
    for wait in [0, 600] {
        let ids: Vec<u64> = (0..calls())
            .map(|number| mcp.begin("run", run(&format!("Summarise ticket {number}"), wait)))
            .collect();
        let mut first = None;
        let mut ended = 0;
        for id in ids {
            let said = mcp.answer(id);
            first.get_or_insert(began.elapsed());
            let report = good(&said);
            ended += usize::from(report["status"] == "completed");
            if report["driver"] == "queued" {
                assert!(report["queued_behind"].is_u64(), "{report}");
            }
        }
        if wait == 0 {
            // Far below what all of them take; how soon on a machine that does nothing else is measured by hand.
            assert!(first.unwrap() < Duration::from_secs(5), "{first:?}");
        } else {
            assert_eq!(ended, calls());
        }
    }
    let memory = most_memory(mcp.pid());
    assert!(memory < 300, "{memory} MB");
    assert_eq!(mcp.close().code, Some(0));
}

#[test]
fn the_queue_has_a_limit_that_is_told_and_can_be_cancelled_in() {
    // spec: findings DU-06
    let candor = waiting("[serve]\nmax_active_runs = 1\nmax_queued_runs = 1\n");
    let mut mcp = Mcp::start(&candor);
    let driven = mcp.call("run", run("Summarise the minutes of May", 0));
    assert_eq!(driven["driver"], "here", "{driven}");
    let queued = mcp.call("run", run("Summarise the minutes of June", 0));
    assert_eq!((&queued["driver"], &queued["queued_behind"]), (&json!("queued"), &json!(0)), "{queued}");
    assert!(queued["next"][0].as_str().unwrap().contains("wait"), "{queued}");
    let refused = mcp.fails("run", run("Summarise the minutes of July", 0));
    assert!(refused.contains("max_queued_runs") && refused.contains("Nothing was begun"), "{refused}");
    // Others see why it does not go on.
    let shown = candor.run(["status", queued["run_id"].as_str().unwrap()]).ended_with(0);
    assert!(shown.stdout.contains("aused"), "{}", shown.stdout);

    // Its place in the queue is free again when it is cancelled.
    let cancelled = mcp.call("cancel", json!({"run_id": queued["run_id"]}));
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    let next = mcp.call("run", run("Summarise the minutes of August", 0));
    assert_eq!(next["driver"], "queued", "{next}");
    candor.write("go", "");
    let status = json!({"run_id": next["run_id"], "wait_seconds": 60});
    let ended = mcp.call("status", status);
    assert_eq!(ended["status"], "completed", "{ended}");
}

#[test]
fn a_run_that_waits_for_a_person_gives_its_place_to_the_next() {
    // spec: findings DU-06
    let config = format!("[serve]\nmax_active_runs = 1\n[limits]\napproval = \"always\"\n{GENERAL}");
    let candor = Candor::with_config(&config);
    let mut mcp = Mcp::start(&candor);
    let mut asked = Vec::new();
    for month in ["May", "June", "July"] {
        let goal = format!("Summarise the minutes of {month}");
        let run = mcp.call("run", json!({"goal": goal, "wait_seconds": 60}));
        assert_eq!(run["status"], "waiting_human", "{run}");
        asked.push(run);
    }
    for run in asked {
        let digest = &run["questions"][0]["digest"];
        let answer =
            json!({"run_id": run["run_id"], "decision": "approve", "digest": digest, "wait_seconds": 60});
        let done = mcp.call("approve", answer);
        assert_eq!(done["status"], "completed", "{done}");
    }
}

#[test]
fn what_waits_when_the_server_ends_can_be_resumed() {
    // spec: findings DU-06
    let candor = waiting("[serve]\nmax_active_runs = 1\n");
    let mut mcp = Mcp::start(&candor);
    let driven = mcp.call("run", run("Summarise the minutes of May", 0));
    let queued = mcp.call("run", run("Summarise the minutes of June", 0));
    let ended = mcp.close();
    assert_eq!(ended.code, Some(0));
    candor.write("go", "");
    for run in [driven, queued] {
        let id = run["run_id"].as_str().unwrap();
        assert!(ended.stderr.contains(&format!("candor resume {id}")), "{}", ended.stderr);
        candor.run(["resume", id]).ended_with(0);
    }
}

#[test]
fn four_hundred_tasks_with_few_open_files_run_fewer_at_once_and_none_fails() {
    // spec: findings RC-17
    let candor = Candor::with_config(
        "[limits]\nmax_parallel_tasks = 400\n[[agents]]\nagent_type = \"writer\"\nspecialization = \"Writes texts\"\n\
         capabilities = [\"write\"]\ncommand = [\"sh\", \"agent.sh\"]\neffects = [\"read\"]\n",
    );
    candor.write("agent.sh", "echo '{\"outputs\":{\"text\":\"done\"}}'");
    let task = |number: usize| {
        json!({"task_id": format!("task_{number:03}"), "description": format!("Summarise ticket {number}"),
            "agent_type": "writer"})
    };
    let tasks: Vec<Value> = (1..=400).map(task).collect();
    candor.write("plan.json", json!({"description": "Summarise all tickets", "subtasks": tasks}).to_string());
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 128; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_candor")]);
    command.args(["run", "--plan", "plan.json", "--unattended", "--json", "--data", "data"]);
    let said = Said::of(command.current_dir(candor.folder()).output().unwrap());
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stderr.contains("tasks run at once, not 400"), "{}", said.stderr);
    let count = |kind: &str| said.stdout.matches(&format!("\"event\":\"{kind}\"")).count();
    assert_eq!((count("task_succeeded"), count("task_failed")), (400, 0));
}

#[test]
fn a_server_that_starts_too_much_at_once_waits_for_its_own_resources() {
    // spec: findings RC-17
    let candor = waiting("[serve]\nmax_active_runs = 100\n");
    let mut mcp = Mcp::start_limited(&candor, 100);
    let ids: Vec<u64> =
        (0..40).map(|number| mcp.begin("run", run(&format!("Summarise ticket {number}"), 600))).collect();
    until("some are at work", || candor.path("started").exists());
    candor.write("go", "");
    for id in ids {
        let said = mcp.answer(id);
        let report = good(&said);
        assert_eq!((&report["status"], &report["failures"]), (&json!("completed"), &json!([])), "{report}");
    }
}

#[test]
fn a_machine_that_runs_out_of_memory_starts_fewer_tasks_and_says_so() {
    // spec: findings RC-17
    // A mount over /proc/meminfo that only this process sees: what is there cannot be used up in a test.
    let script = "mount --bind meminfo /proc/meminfo && exec \"$0\" \"$@\"";
    let mut probe = Command::new("unshare");
    probe.args(["-rm", "sh", "-c", "mount --bind /dev/null /proc/meminfo"]);
    if !probe.output().is_ok_and(|done| done.status.success()) {
        skipped("this machine has no user namespaces in which something can be mounted");
        return;
    }
    let candor = Candor::with_config(
        "[limits]\nmax_parallel_tasks = 6\n[[agents]]\nagent_type = \"writer\"\nspecialization = \"Writes texts\"\n\
         capabilities = [\"write\"]\ncommand = [\"sh\", \"agent.sh\"]\neffects = [\"read\"]\n",
    );
    candor.write("meminfo", "MemTotal: 8000000 kB\nMemAvailable: 20000 kB\n");
    candor.write(
        "agent.sh",
        "mkdir busy || exit 9; sleep 0.2; rmdir busy; echo '{\"outputs\":{\"text\":\"done\"}}'",
    );
    let task = |n: usize| json!({"task_id": format!("t{n}"), "description": "Summarise a ticket", "agent_type": "writer"});
    let tasks: Vec<Value> = (1..=6).map(task).collect();
    candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_candor")]);
    command.args(["run", "--plan", "plan.json", "--unattended", "--json", "--data", "data"]);
    let said = Said::of(command.current_dir(candor.folder()).output().unwrap()).ended_with(0);
    assert_eq!(said.stdout.matches("only 19 MB of memory are free").count(), 1, "told once: {}", said.stdout);
    let count = |kind: &str| said.stdout.matches(&format!("\"event\":\"{kind}\"")).count();
    assert_eq!((count("task_succeeded"), count("task_failed")), (6, 0), "one at a time: {}", said.stdout);
}
