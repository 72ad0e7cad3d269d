//! The pages in a real browser, where there is one.

use std::path::Path;
use std::process::Command;

use candor_testkit::peers::Peers;
use candor_testkit::skips::{or_skipped, skipped};
use serde_json::{Value, json};

use super::client::Server;
use crate::support::{Candor, Said, until};

const SCRIPT: &str = include_str!("browser.mjs");
/// The program of Debian's package.
const CHROMIUM: &str = "/usr/bin/chromium";

/// What people and agents write is shown, and never obeyed.
const HOSTILE: &str = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'>";

/// An alert that a single run raises, and schedules.
const OBSERVED: &str = "[[kpi.alerts]]\nname = \"an_agent_worked\"\nwhen = \"depth > 0\"\nmessage = \"look here\"\n\
    [[schedules]]\nname = \"nightly\"\ncron = \"0 2 * * *\"\ntimezone = \"Europe/Madrid\"\n\
    goal = \"Write a letter to the <script>alert('schedule')</script> beekeepers\"\n\
    [[schedules]]\nname = \"weekly\"\ncron = \"30 6 * * mon\"\nplan = \"broken.json\"\n";

fn config() -> String {
    let agent = |name: &str, script: &str| {
        format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"Writes letters and texts {name}\"\ncapabilities = [\"write\"]\ncommand = [\"sh\", \"-c\", {}]\n",
            json!(script)
        )
    };
    let hostile = json!({"outputs": {"text": HOSTILE, HOSTILE: HOSTILE}}).to_string();
    let writes = format!("cat > /dev/null; printf '%s' '{}'", hostile.replace('\'', "'\\''"));
    let fails = format!("cat > /dev/null; echo '{}' >&2; exit 3", HOSTILE.replace('\'', "'\\''"));
    // Nobody else binds, so a person is asked when it fails.
    let binder = agent("binder", &fails)
        .replace("Writes letters and texts binder", "Binds books")
        .replace("write", "bind");
    format!(
        "[limits]\nagent_timeout = 120\napproval = \"always\"\n[limits.retry]\nmax_retries = 0\n{OBSERVED}{binder}{}{}{}",
        agent("writer", &writes),
        agent("broken", &fails),
        agent("sleeper", "sleep 120")
    )
}

/// Starts a run whose plan waits for approval.
fn propose_a_plan(server: &Server) -> String {
    let task = |n: u32| json!({"task_id": format!("t{n}"), "description": format!("Write letter {n}"), "agent_type": "writer", "priority": 5});
    let run = server.run(json!({"plan": {"subtasks": [task(1), task(2)]}}));
    let asked = || server.get(&format!("/api/v1/runs/{run}/questions")).json()["questions"][0].clone();
    until("it asks", || asked()["digest"].is_string());
    run
}

/// The same, and changes its plan before anybody approves it.
fn change_a_plan(server: &Server) -> String {
    let run = propose_a_plan(server);
    let asked = || server.get(&format!("/api/v1/runs/{run}/questions")).json()["questions"][0].clone();
    let (gate, digest) = (asked()["gate"].clone(), asked()["digest"].clone());
    let changes = json!([{"task_id": "t1", "field": "priority", "value": 2}]);
    let body = json!({"decision": "modify", "digest": digest, "changes": changes});
    server.post(&format!("/api/v1/runs/{run}/questions/{}", gate.as_str().unwrap()), body).ended_with(202);
    until("the changed plan is shown", || asked()["digest"].is_string() && asked()["digest"] != digest);
    run
}

/// Begins a run whose only task fails, and which asks what to do about it.
fn fail_a_task(server: &Server) -> String {
    let task = json!({"task_id": "t1", "description": "Bind the books with glue", "agent_type": "binder"});
    let run = server.run(json!({"plan": {"subtasks": [task]}}));
    let asked = || server.get(&format!("/api/v1/runs/{run}/questions")).json()["questions"][0].clone();
    until("it asks", || asked()["digest"].is_string());
    let (gate, digest) = (asked()["gate"].clone(), asked()["digest"].clone());
    let body = json!({"decision": "approve", "digest": digest});
    server.post(&format!("/api/v1/runs/{run}/questions/{}", gate.as_str().unwrap()), body).ended_with(202);
    until("the task failed", || asked()["kind"] == "failing_task");
    run
}

#[test]
fn a_person_starts_watches_answers_and_cancels_and_nothing_hostile_runs() {
    let Some(peers) = or_skipped(Peers::find()) else { return };
    if !Path::new(CHROMIUM).exists() {
        return skipped("there is no /usr/bin/chromium: install Debian's package chromium");
    }
    let candor = Candor::with_config(&config());
    candor.write("page.mjs", SCRIPT);
    let plan = |agent: &str| {
        let task = |n: u32, after: Value| json!({"task_id": format!("t{n}"), "description": format!("{HOSTILE} {n}"), "agent_type": agent, "dependencies": after});
        json!({"subtasks": [task(1, json!([])), task(2, json!(["t1"])), task(3, json!(["t1"]))]}).to_string()
    };
    candor.write("broken.json", plan("broken"));
    candor.write("slow.json", plan("sleeper"));
    let failing = ["run", "--plan", "broken.json", "--run-id", "run_failing", "--yes", "--unattended"];
    candor.run(failing);
    let server = Server::start(&candor);
    let (changed, asking) = (change_a_plan(&server), fail_a_task(&server));
    let [watched, stale] = [(); 2].map(|()| propose_a_plan(&server));
    let mut slow =
        candor.start(["run", "--plan", "slow.json", "--run-id", "run_slow", "--yes", "--unattended"]);
    until("the slow run is at work", || {
        server.get("/api/v1/runs/run_slow").status == 200
            && server.get("/api/v1/runs/run_slow").json()["status"] == "executing"
    });
    let pictures =
        std::env::var_os("CANDOR_TEST_PICTURES").map_or_else(|| candor.path("pictures"), Into::into);
    let mut browser = Command::new("node");
    browser
        .arg("page.mjs")
        .arg(peers.folder())
        .arg(&server.link)
        .arg(pictures)
        .args([&changed, &asking, &watched, &stale, &server.token])
        .current_dir(candor.folder());
    let seen = Said::of(browser.output().unwrap()).ended_with(0).json();
    slow.wait().unwrap();
    assert_eq!(seen["executed"], json!([]), "nothing that others wrote is executed");
    assert_eq!(seen["serious"], json!([]), "no serious finding of axe-core");
    assert_eq!(seen["stranger"], "/login");
    assert_eq!(seen["reused"], 403, "a login link works once");
    assert_eq!((&seen["cookie"]["httpOnly"], &seen["cookie"]["sameSite"]), (&json!(true), &json!("Strict")));
    assert!(
        seen["title"].as_str().unwrap().contains("<script>alert('goal')</script>"),
        "shown as it was written"
    );
    assert_eq!((&seen["inbox"], &seen["cancelled"]), (&json!(2), &json!(true)));
    let expected = ["t1 · priority: 5 2", "Completed"].map(Value::from);
    assert_eq!(
        [&seen["change"], &seen["approved"]].map(Value::clone),
        expected,
        "a changed plan is approved"
    );
    assert_eq!(
        (&seen["live"]["change"], &seen["live"]["approved"]),
        (&json!("t1 · priority: 5 7"), &json!("Completed")),
        "a plan that changes under a reader's eyes says so"
    );
    assert_eq!(
        seen["live"]["held"], true,
        "and is not approved by a click that was meant for the earlier one"
    );
    assert_eq!(
        (&seen["stale"]["status"], &seen["stale"]["at"], &seen["stale"]["kept"]),
        (&json!(409), &json!(format!("/runs/{stale}")), &json!("Keep the ribbon")),
        "an answer about an earlier plan is given back with what was typed"
    );
    assert!(seen["stale"]["alert"].as_str().unwrap().contains("was not used"), "{}", seen["stale"]);
    assert_eq!(
        seen["stale"]["changes"],
        json!(["t1 · priority: 5 7", "t2 · priority: 5 8"]),
        "everything that changed since the plan that was on the screen"
    );
    assert_eq!(seen["stale"]["approved"], "Completed");
    assert!(seen["why"].as_str().unwrap().contains("onerror"), "{}", seen["why"]);
    assert_eq!(
        (&seen["spanish"], &seen["dark"], &seen["focused"]),
        (&json!("Configuración"), &json!("dark"), &json!("q"))
    );
    assert!(seen["result"].as_str().unwrap().contains("onerror"), "what came out leads: {}", seen["result"]);
    assert_eq!(
        seen["running"],
        json!([true, true]),
        "what an agent at work has taken is not what the log last said"
    );
    assert_eq!(seen["failed"], json!([1, 1]), "what failed, and who could do it instead");
    assert_eq!((&seen["causes"], &seen["again"]), (&json!(1), &json!(1)), "a cause is told once");
    assert_eq!(seen["open"], 3, "failed tasks are open");
    assert_eq!(seen["nowhere"], json!([404, 1]));
    let told = seen["told"].as_str().unwrap();
    assert!(told.contains("Preanálisis") && told.contains("fallido"), "{told}");
    let [at, shown] = [0, 1].map(|n| seen["zone"][n].as_str().unwrap());
    assert!(shown.len() == "2026-11-18 19:56:35".len() && !at.contains(&shown[11..16]), "{at}: {shown}");
    assert_eq!((&seen["behind"], &seen["paused"]), (&json!("/runs/run_failing"), &json!(1)));
    assert_eq!(seen["withoutScripts"], 3);
    assert_eq!(seen["errors"], json!([]), "no error on the console, and no page wider than its window");
}
