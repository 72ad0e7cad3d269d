//! Key figures of hundreds of runs with known times, written through the real store, against an independent computation;
//! and alerts at their bounds and beyond.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use candor_model::{Event, Position, Recorded, RunId, Timestamp};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::sim::log_of_seed;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene};
use crate::support::{Candor, GENERAL, PARIS, has_keys};

const HOUR: i64 = 3_600_000;

/// The log of an installation, which is written to as a driver does.
struct Store(SqliteLog, tokio::runtime::Runtime);

impl Store {
    fn open(folder: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (log, _) = SqliteLog::open(&folder.join("data/candor.db"), OpenOptions::default()).unwrap();
        Self(log, runtime)
    }

    fn read(&self, run: &str) -> Vec<Recorded> {
        self.1.block_on(self.0.read(&RunId::new(run).unwrap(), Position::START)).unwrap()
    }

    fn append(&self, run: &str, events: &[Event]) {
        self.1.block_on(self.0.append(&RunId::new(run).unwrap(), Position::START, events)).unwrap();
    }
}

/// A run like another one that ended at this moment, with every event as the edit leaves it.
fn like(template: &[Recorded], run: &str, end: i64, mut edit: impl FnMut(&mut Value)) -> Vec<Event> {
    let last = template.last().unwrap().event.at.as_millis();
    let event = |recorded: &Recorded| {
        let mut json: Value = serde_json::from_str(&recorded.event.to_json().unwrap()).unwrap();
        let at = Timestamp::from_millis(end - (last - recorded.event.at.as_millis()));
        json["at"] = json!(at);
        if let Some(started) = json["event"].get_mut("run_started") {
            started["run_id"] = json!(run);
        }
        edit(&mut json["event"]);
        Event::from_json(&json.to_string()).unwrap()
    };
    template.iter().map(event).collect()
}

/// Changes every number under one of these names, however deep.
fn change(value: &mut Value, names: &[&str], to: &mut impl FnMut(f64) -> f64) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_f64().filter(|_| names.contains(&name.as_str())) {
                    Some(number) => *value = json!((to(number) * 1000.0).round() / 1000.0),
                    None => change(value, names, to),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| change(item, names, to)),
        _ => {}
    }
}

const DURATIONS: [&str; 2] = ["duration_seconds", "first_token_seconds"];

/// What the independent computation makes of events within a window.
fn computed(lines: &str, window: &Value) -> Value {
    let moment = |name: &str| {
        let at: Timestamp = serde_json::from_value(window[name].clone()).unwrap();
        at.as_millis().to_string()
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/models/figures.py");
    let mut python = Command::new("python3");
    python.args([script, &moment("since"), &moment("until")]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().unwrap();
    let mut input = python.stdin.take().unwrap();
    let text = lines.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = python.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

fn line(run: &str, position: usize, event: &Event) -> String {
    let mut json: Value = serde_json::from_str(&event.to_json().unwrap()).unwrap();
    json["run_id"] = json!(run);
    json["position"] = json!(position);
    format!("{json}\n")
}

/// A statement of an agent that holds or does not, or that nobody could look up.
fn claim(rng: &mut Rng, task: u32) -> Value {
    let result = ["holds", "does_not_hold", "could_not_be_checked"][rng.usize(0..3)];
    json!({"criterion": "wrote a file", "source": "claim", "task_id": format!("task_{task:03}"), "result": result,
        "found": "looked"})
}

#[test]
fn every_figure_of_hundreds_of_runs_equals_an_independent_computation_in_every_window() {
    // spec: orchestrator KP-01 KP-02 KP-03 KP-04 KP-05 KP-09
    let scene = Scene::with(&format!("{EASY}[packs]\nagents = true\n"), "");
    scene.run(&["run", PARIS, "--json", "--run-id", "run_well"]).ended_with(0);
    scene.run(&["run", PARIS, "--json", "--run-id", "run_again", "--fault", "flight_agent=error:1"]);
    let store = Store::open(scene.candor.folder());
    let mut templates = vec![store.read("run_well"), store.read("run_again")];
    templates.extend((0..60).map(|seed| log_of_seed(seed).unwrap()).filter(|log| !log.is_empty()));
    let mut lines = String::new();
    for (run, template) in ["run_well", "run_again"].iter().zip(&templates) {
        let events = template.iter().enumerate();
        events.for_each(|(at, recorded)| lines.push_str(&line(run, at + 1, &recorded.event)));
    }
    let (mut rng, now) = (Rng::with_seed(7), now());
    for nth in 0..300 {
        let run = format!("run_g{nth}");
        let template = &templates[if rng.bool() { rng.usize(0..2) } else { rng.usize(0..templates.len()) }];
        // Within an hour, a day, a week, and before.
        let age = [HOUR / 2, 20 * HOUR, 6 * 24 * HOUR, 9 * 24 * HOUR][rng.usize(0..4)];
        let factor = 0.2 + rng.f64() * 8.0;
        let complexity = rng.u8(0..=100);
        let events = like(template, &run, now - rng.i64(1..age), |event| {
            change(event, &DURATIONS, &mut |seconds| (seconds + 0.1) * factor);
            change(event, &["amount"], &mut |dollars| dollars * factor);
            if let Some(total) = event.pointer_mut("/prompt_scored/evaluation/complexity/total") {
                *total = json!(complexity);
            }
            if let Some(details) = event.pointer_mut("/model_consulted/step/call/details") {
                details["first_token_seconds"] = json!((factor * 100.0).round() / 1000.0);
            }
            if let Some(criteria) = event.pointer_mut("/outcome_recorded/assessment/criteria") {
                let more = (0..rng.u32(0..4)).map(|task| claim(&mut rng, task)).collect::<Vec<_>>();
                criteria.as_array_mut().unwrap().extend(more);
            }
        });
        events.iter().enumerate().for_each(|(at, event)| lines.push_str(&line(&run, at + 1, event)));
        store.append(&run, &events);
    }
    drop(store);
    let mut known = std::collections::BTreeSet::new();
    for window in ["1h", "24h", "7d"] {
        let shown = scene.run(&["metrics", "--kpi", "--json", "--since", window]).ended_with(0).json();
        let report = &shown["report"];
        let expected = computed(&lines, &report["window"]);
        let kpis = report["kpis"].as_array().unwrap();
        assert_eq!((kpis.len(), expected.as_object().unwrap().len()), (27, 27));
        for kpi in kpis {
            let name = kpi["name"].as_str().unwrap();
            match (kpi["value"].as_f64(), expected[name].as_f64()) {
                (None, None) => {}
                (Some(value), Some(expected)) => {
                    known.insert(name.to_owned());
                    let close = (value - expected).abs() <= 1e-3 * expected.abs().max(1e-3);
                    assert!(close, "{name} in {window}: {value}, computed {expected}");
                }
                (value, expected) => panic!("{name} in {window}: {value:?}, computed {expected:?}"),
            }
        }
    }
    assert_eq!(known.len(), 27, "every figure had a value in some window: {known:?}");
}

/// The active alerts of an installation with twenty runs like one that was driven, as edited.
fn active(mut edit: impl FnMut(i64, &mut Value)) -> Vec<String> {
    let script = "cat > /dev/null; echo '{\"outputs\":{\"kilos\":7},\"cost\":0.25}'";
    let agent = "[[agents]]\nagent_type = \"scale\"\nspecialization = \"Weighs\"\n";
    let model = Candor::with_config(&format!("{agent}command = [\"sh\", \"-c\", {}]\n", json!(script)));
    let task = json!({"task_id": "t1", "description": "Weigh the parcels", "agent_type": "scale"});
    model.write("plan.json", json!({"subtasks": [task]}).to_string());
    model.run(["run", "--plan", "plan.json", "--unattended", "--yes", "--run-id", "run_t"]).ended_with(0);
    let template = Store::open(model.folder()).read("run_t");
    let candor = Candor::with_config(GENERAL);
    std::fs::create_dir_all(candor.path("data")).unwrap();
    let store = Store::open(candor.folder());
    for nth in 0..20 {
        let run = format!("run_{nth}");
        store.append(&run, &like(&template, &run, now() - HOUR - nth, |event| edit(nth, event)));
    }
    drop(store);
    let alerts = candor.run(["alerts", "--json"]).json()["active"].as_array().unwrap().clone();
    for alert in &alerts {
        has_keys(alert, &["condition", "level", "message", "name", "severity", "timestamp", "value"]);
    }
    alerts.iter().map(|alert| alert["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_alert_fires_just_beyond_its_bound_and_not_at_it() {
    // spec: orchestrator KP-06 KP-07
    let slow = |seconds: f64| active(|_, event| change(event, &["duration_seconds"], &mut |_| seconds));
    assert_eq!(slow(10.0), [] as [&str; 0]);
    assert_eq!(slow(10.001), ["high_latency"]);
    let dear = |dollars: f64| active(|_, event| change(event, &["amount"], &mut |_| dollars));
    assert_eq!(dear(0.5), [] as [&str; 0]);
    assert_eq!(dear(0.501), ["high_cost"]);
    let missed = |runs: i64| {
        active(|nth, event| {
            if let Some(verdict) = event.pointer_mut("/outcome_recorded/assessment/verdict") {
                *verdict = json!(if nth < runs { "not_met" } else { "verified" });
            }
        })
    };
    assert_eq!(missed(3), [] as [&str; 0], "17 of 20 are 85 %");
    assert_eq!(missed(4), ["low_completion"]);
}

#[test]
fn outputs_that_name_what_is_not_there_are_counted_and_no_others() {
    // spec: orchestrator KP-03
    let script = "import json,sys; order=json.load(sys.stdin); nth=int(order['inputs']['nth'])\n\
        name=f'weights_{nth}.csv'\n\
        if nth >= 7: open(name,'w').write('kilos\\n7\\n')\n\
        print(json.dumps({'outputs': {'file': name, 'note': f'I have written the weights to {name}.'}}))";
    let agent = "[[agents]]\nagent_type = \"scale\"\nspecialization = \"Weighs\"\n";
    let candor = Candor::with_config(&format!("{agent}command = [\"python3\", \"-c\", {}]\n", json!(script)));
    let task = |nth: u32| {
        json!({"task_id": format!("t{nth}"), "description": "Weigh the parcels and write the file",
            "agent_type": "scale", "inputs": {"nth": nth.to_string()}})
    };
    for nth in 0..20 {
        candor.write("plan.json", json!({"subtasks": [task(nth)]}).to_string());
        candor.run(["run", "--plan", "plan.json", "--unattended", "--yes"]);
    }
    let kpis = candor.run(["metrics", "--kpi", "--json"]).ended_with(0).json();
    let rate =
        kpis["report"]["kpis"].as_array().unwrap().iter().find(|kpi| kpi["name"] == "hallucinationRate");
    let rate = rate.unwrap();
    assert_eq!((&rate["samples"], &rate["value"]), (&json!(20), &json!(0.35)), "7 of 20: {rate}");
}
