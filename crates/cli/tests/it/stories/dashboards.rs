//! The dashboard in terminals of 80 × 24 and of 120 × 40, kept as text: a run under way, one with agents and models that
//! fail, one that ended well among others, and nothing at all. `UPDATE_SNAPSHOTS=1` writes the recordings again.

use candor_testkit::model_server::{Fault, Reply};
use regex::{Captures, Regex};
use serde_json::{Value, json};

use crate::command::terminal::at_terminal_of;
use crate::models::scene::{EASY, Scene};
use crate::stories::recordings::{as_kept, rows};
use crate::support::{PARIS, until};

/// Rows and columns at which each situation is recorded.
const SIZES: [(u16, u16); 2] = [(24, 80), (40, 120)];

/// A pottery: who throws, who fires and can be held up, and who glazes and cannot do it.
const POTTERY: &str = "run_budget = 2.0\nmax_parallel_tasks = 2\nagent_timeout = 60\n[limits.retry]\nmax_retries = 1\nbackoff_seconds = 0.01\n[models.retry]\ninitial_delay = 0.01\nmax_delay = 2\n\
    [[kpi.alerts]]\nname = \"somebody_worked\"\nwhen = \"depth > 0\"\nmessage = \"The pottery is open\"\nseverity = \"info\"\n\
    [[kpi.alerts]]\nname = \"two_at_once\"\nwhen = \"fanOut > 1\"\nmessage = \"Two are at work at the same time\"\n\
    [[agents]]\nagent_type = \"thrower\"\nspecialization = \"Throws bowls on the wheel\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; echo '{\\\"outputs\\\":{\\\"bowls\\\":12},\\\"cost\\\":0.25}'\"]\n\
    [[agents]]\nagent_type = \"kiln\"\nspecialization = \"Fires bowls\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; touch firing; while [ -e closed ]; do sleep 0.1; done; echo '{\\\"outputs\\\":{\\\"fired\\\":12}}'\"]\n\
    [[agents]]\nagent_type = \"glazer\"\nspecialization = \"Glazes bowls\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; echo 'the glaze has set' >&2; exit 3\"]\n";

fn pottery() -> Scene {
    Scene::with(&format!("{}{POTTERY}", EASY.split("[models.retry]").next().unwrap()), "")
}

fn plan(scene: &Scene, agents: &[(&str, &[&str])]) {
    let task = |(agent, after): &(&str, &[&str])| json!({"task_id": agent, "description": format!("Work on twelve bowls: {agent}"), "agent_type": agent, "dependencies": after});
    let tasks: Vec<Value> = agents.iter().map(task).collect();
    scene.candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
}

fn carry_out(run: &str) -> [&str; 6] {
    ["run", "--plan", "plan.json", "--unattended", "--run-id", run]
}

/// What is on the screen, with a sign in the place of whatever differs from run to run. Every column keeps its width.
fn settled(bytes: &str, (height, columns): (u16, u16)) -> String {
    let time = Regex::new(r" +(\d+m )?\d+(\.\d+)? ?(ms|s)\b").unwrap();
    let clock = Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?").unwrap();
    let bar = Regex::new("[█░]{4,}").unwrap();
    let settled = |row: String| {
        let row = clock.replace_all(row.trim_end(), "DAY AND TIME").into_owned();
        let of_time = time.replace_all(&row, |found: &Captures<'_>| format!("{:>1$}", "T", found[0].len()));
        // The bar of a time is as long as the time.
        let timed = of_time != row;
        let masked = |found: &Captures<'_>| "▒".repeat(found[0].chars().count());
        if timed { bar.replace_all(&of_time, masked).into_owned() } else { of_time.into_owned() }
    };
    let all = rows(bytes, height, columns);
    all.into_iter().map(settled).collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n"
}

/// Records what the dashboard of a run shows at each size. While the run is under way a key ends it once `words` are there.
#[track_caller]
fn at_each_size(name: &str, scene: &Scene, run: &[&str], interrupted_at: Option<&str>) {
    for (height, columns) in SIZES {
        let setup = format!("stty cols {columns} rows {height}; ");
        let keys: Vec<(&str, &str)> = interrupted_at.map(|words| (words, "\u{3}")).into_iter().collect();
        let seen = at_terminal_of(&setup, &scene.candor, &[&["dashboard"], run].concat(), &keys);
        assert_eq!(seen.code != 0, interrupted_at.is_some(), "{}", seen.screen);
        let shown = settled(&seen.screen, (height, columns));
        let widest = shown.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(usize::from(columns)), "wider than {columns}: {shown}");
        as_kept(&format!("dashboard_{name}"), columns, &shown);
    }
}

#[test]
fn a_run_under_way() {
    // spec: orchestrator DB-01 DB-02 DB-03 DB-06
    let scene = pottery();
    plan(&scene, &[("thrower", &[])]);
    scene.run(&carry_out("run_0")).ended_with(0);
    scene.candor.write("closed", "");
    plan(&scene, &[("thrower", &[]), ("kiln", &["thrower"]), ("glazer", &["kiln"])]);
    let mut run = scene.start_unheard(&carry_out("run_1"));
    until("the kiln is at work", || scene.candor.path("firing").exists());
    at_each_size("under_way", &scene, &["run_1"], Some("thrower thrower"));
    std::fs::remove_file(scene.candor.path("closed")).unwrap();
    run.wait().unwrap();
}

#[test]
fn a_run_that_failed_and_the_alerts_that_came_of_it() {
    // spec: orchestrator DB-02 DB-03 DB-04
    let scene = pottery();
    plan(&scene, &[("thrower", &[])]);
    scene.run(&carry_out("run_1")).ended_with(0);
    // The first alert is older than the second.
    scene.run(&["alerts"]).ended_with(1).shows(&["somebody_worked"]);
    plan(&scene, &[("thrower", &[]), ("kiln", &[]), ("glazer", &["thrower"])]);
    scene.run(&carry_out("run_2")).ended_with(1);
    at_each_size("failed", &scene, &["run_2"], None);
}

#[test]
fn a_run_whose_models_are_down() {
    // spec: orchestrator DB-02
    let scene = Scene::with(&format!("{EASY}[packs]\nagents = true\n"), "");
    scene.server.route(|_| Reply::fault(Fault::WrongKey));
    scene.run(&["run", PARIS, "--json", "--run-id", "run_1"]).ended_with(0);
    at_each_size("degraded", &scene, &["run_1"], None);
}

#[test]
fn figures_of_several_runs() {
    // spec: orchestrator DB-05 DB-07 DB-08
    let scene = Scene::with(&format!("{EASY}[packs]\nagents = true\n"), "");
    for run in ["run_1", "run_2", "run_3", "run_4", "run_5"] {
        scene.run(&["run", PARIS, "--json", "--run-id", run]).ended_with(0);
    }
    at_each_size("figures", &scene, &["run_5"], None);
}

#[test]
fn nothing_yet() {
    // spec: orchestrator DB-09
    at_each_size("empty", &pottery(), &[], None);
}
