//! One run as its operator finds it afterwards: models, tools, a retry, a failure, a person who changes the plan, a driver
//! that is killed, a rollback. The trace is read where it is made, where it is written, and where it arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use candor_testkit::model_server::{Reply, SeenRequest, Usage};
use serde_json::{Value, json};

use super::otlp::{self, Span};
use super::scene::{SECRET, Scene, tiers};
use crate::http::receiver::Receiver;
use crate::support::{Said, until};
use crate::tools::models::{sensible, step_of};

/// Words of people, agents and models that must not leave the machine.
const PRIVATE: [&str; 4] = ["sluice", "Oude Maas", "frozen", SECRET];

const CONFIG: &str = "[limits]\nplanning_budget = 1.0\nrun_budget = 5.0\nunattended = false\napproval = \"always\"\nagent_timeout = 60\n\
    [limits.retry]\nmax_retries = 1\nbackoff_seconds = 0.01\n[models.retry]\ninitial_delay = 0.01\nmax_delay = 2\n\
    [tools.builtin]\nfolder = \"work\"\n\
    [[agents]]\nagent_type = \"counter\"\nspecialization = \"Counts sluices\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; test -e tried && echo '{\\\"outputs\\\":{\\\"sluices\\\":7}}' && exit 0; touch tried; echo 'the gauge is frozen' >&2; exit 3\"]\n\
    [[agents]]\nagent_type = \"keeper\"\nspecialization = \"Opens the lock\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; touch waiting; until [ -e open ]; do sleep 0.1; done; echo '{\\\"outputs\\\":{\\\"open\\\":true}}'\"]\n\
    [[agents]]\nagent_type = \"printer\"\nspecialization = \"Prints notices\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; echo x >> tries; test -e paper && echo '{\\\"outputs\\\":{\\\"notice\\\":1}}' && exit 0; echo 'no paper for Oude Maas' >&2; exit 4\"]\n\
    [[agents]]\nagent_type = \"reader\"\nspecialization = \"Reads gauge books with tools\"\ncapabilities = [\"read\"]\ntools = [\"read_file\"]\nmax_cost = 1.0\n\
    [agents.mission]\n";

/// Lists one step, reads the file, and reports.
fn model(seen: &SeenRequest) -> Reply {
    let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
    match step_of(seen) {
        "plan_steps" => {
            Reply::json(json!({ "steps": [{ "id": "look", "description": "Look into the book" }] }))
                .with_usage(usage)
        }
        "choose_action" if seen.says("is at 214") => {
            let outputs = json!({ "level": 214 });
            Reply::json(
                json!({ "thought": "done", "action": "complete", "summary": "It is at 214", "outputs": outputs }),
            )
            .with_usage(usage)
        }
        "choose_action" => {
            let parameters = json!({ "path": "book.txt" });
            Reply::json(
                json!({ "thought": "read it", "action": "tool_call", "tool": "read_file", "parameters": parameters }),
            )
            .with_usage(usage)
        }
        _ => sensible(seen),
    }
}

/// The run with everything that happens to it, and the place that traces go to.
struct Story {
    scene: Scene,
    receiver: Receiver,
}

impl Story {
    fn new() -> Self {
        let scene = Scene::configured(|url| format!("{CONFIG}{}", tiers(url, "")));
        scene.server.route(model);
        std::fs::create_dir(scene.candor.path("work")).unwrap();
        scene.candor.write("work/book.txt", "The Oude Maas is at 214");
        let task = |id: &str, what: &str, agent: &str, after: Value| json!({"task_id": id, "description": what, "agent_type": agent, "dependencies": after});
        let tasks = json!([
            task("level", "Find out what book.txt says", "reader", json!([])),
            task("count", "Count each sluice", "counter", json!([])),
            task("print", "Print the notice", "printer", json!([])),
            task("lock", "Open the lock", "keeper", json!(["level", "count"])),
        ]);
        scene.candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
        Self { scene, receiver: Receiver::start() }
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = self.scene.command(args);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &self.receiver.url);
        command
    }

    #[track_caller]
    fn run(&self, args: &[&str], code: i32) -> Said {
        Said::of(self.command(args).output().unwrap()).ended_with(code)
    }

    /// Waits until nobody asks a model any more: what can be done about the printer has been tried.
    fn until_no_model_is_asked(&self) {
        let mut seen = usize::MAX;
        until("no model is asked", || {
            let before = std::mem::replace(&mut seen, self.scene.server.seen().len());
            std::thread::sleep(Duration::from_millis(700));
            seen == before
        });
    }

    /// From the plan that is changed to the end: the driver is killed while the keeper works.
    fn to_the_end(&self) {
        self.run(&["run", "--plan", "plan.json", "--run-id", "run_1"], 3);
        self.run(&["modify", "run_1", "--set", "count", "priority", "3"], 3);
        let mut driver = self.command(&["approve", "run_1"]).spawn().unwrap();
        until("the keeper is at work", || self.scene.candor.path("waiting").exists());
        until("the printer has tried twice", || {
            std::fs::read_to_string(self.scene.candor.path("tries"))
                .is_ok_and(|tries| tries.lines().count() == 2)
        });
        self.until_no_model_is_asked();
        driver.kill().unwrap();
        driver.wait().unwrap();
        self.scene.candor.write("open", "");
        self.run(&["resume", "run_1"], 3);
        self.run(&["answer", "run_1", "skip"], 0);
    }

    /// Back to the plan, and forward again: now there is paper.
    fn once_more(&self) {
        self.scene.candor.write("paper", "");
        self.run(&["rollback", "run_1", "3"], 3);
        self.run(&["approve", "run_1"], 0);
    }

    fn trace(&self) -> Value {
        self.run(&["trace", "run_1", "--json"], 0).json()
    }

    /// The trace that arrived last.
    fn arrived(&self) -> Vec<Span> {
        otlp::spans(&self.receiver.posts().last().unwrap().body)
    }
}

/// What a backend tells spans apart by.
fn identities(spans: &[Span]) -> BTreeSet<(String, Option<String>, String)> {
    spans.iter().map(|span| (span.id.clone(), span.parent.clone(), span.name.clone())).collect()
}

fn named<'a>(spans: &'a [Span], name: &str) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.name == name).collect()
}

#[test]
fn a_run_that_was_changed_retried_killed_resumed_and_rolled_back_is_one_trace_wherever_it_is_read() {
    // spec: orchestrator OB-01 OB-03 OB-04 OB-05 OB-06 OB-07 OB-08 OB-14
    let story = Story::new();
    story.to_the_end();
    let first = story.arrived();
    story.once_more();
    let spans = story.arrived();
    assert!(identities(&first).is_subset(&identities(&spans)), "what was sent keeps its name");
    let trace = story.trace();
    story.run(&["export", "otlp", "run_1", "-o", "trace.bin"], 0);
    let written = otlp::spans(&std::fs::read(story.scene.candor.path("trace.bin")).unwrap());
    assert_eq!(identities(&written), identities(&spans));
    assert_eq!(spans.iter().map(|span| &span.trace).collect::<BTreeSet<_>>().len(), 1, "one trace");
    assert_eq!(trace["spans"].as_array().unwrap().len(), spans.len());
    phases_that_ran_again_are_apart(&spans);
    attempts_and_tools(&spans);
    every_call_is_there_and_paid_once(&story, &spans, &trace);
    people(&spans);
    let scores: BTreeMap<&str, &Value> = trace["scores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), &it["value"]))
        .collect();
    assert_eq!((scores["task_completion"], scores["first_attempt_success"]), (&json!(1.0), &json!(0.0)));
    let spent = trace["metrics"]["totals"]["costTotal"].as_f64().unwrap();
    assert!((scores["cost_efficiency"].as_f64().unwrap() - (1.0 - spent / 5.0)).abs() < 0.01, "{scores:?}");
    for post in story.receiver.posts() {
        let text = String::from_utf8_lossy(&post.body);
        PRIVATE.iter().for_each(|word| assert!(!text.contains(word), "{word} left the machine"));
    }
}

fn phases_that_ran_again_are_apart(spans: &[Span]) {
    for (phase, times) in [
        ("phase_0_pre_analysis", 1),
        ("phase_3_decomposition", 1),
        ("phase_4_planning", 2),
        ("phase_5_execution", 2),
        ("phase_7_consolidation", 2),
    ] {
        let all = named(spans, phase);
        assert_eq!(all.len(), times, "{phase}");
        assert!(all.iter().all(|span| span.status == Some(1)), "{phase}: {all:?}");
        let attempts: BTreeSet<String> =
            all.iter().map(|span| span.metadata("attempt").to_string()).collect();
        assert_eq!(attempts.len(), times, "{phase} is told apart by its attempt");
    }
    assert!(spans.iter().all(|span| span.status.is_some()), "nothing is left open: {spans:?}");
}

fn attempts_and_tools(spans: &[Span]) {
    let ended = |name: &str| -> Vec<u64> {
        let mut of: Vec<&Span> =
            named(spans, name).into_iter().filter(|span| span.kind() == "agent").collect();
        of.sort_by_key(|span| span.start);
        of.iter().map(|span| span.status.unwrap()).collect()
    };
    assert_eq!(ended("counter"), [2, 1, 1], "a retry, and once more after the rollback");
    assert_eq!(ended("printer"), [2, 2, 1]);
    let keeper = named(spans, "keeper");
    assert_eq!(keeper.last().unwrap().status, Some(1));
    // The attempt whose driver was killed does not last until the end of the trace.
    for pair in keeper.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{keeper:?}");
    }
    let reads = named(spans, "read_file");
    let readers: BTreeSet<&String> = named(spans, "reader").into_iter().map(|span| &span.id).collect();
    assert_eq!((reads.len(), readers.len()), (2, 2));
    assert!(
        reads.iter().all(|span| span.kind() == "tool" && readers.contains(span.parent.as_ref().unwrap()))
    );
}

fn every_call_is_there_and_paid_once(story: &Story, spans: &[Span], trace: &Value) {
    let calls: Vec<&Span> =
        spans.iter().filter(|span| span.attributes.contains_key("gen_ai.usage.input_tokens")).collect();
    assert_eq!(
        calls.len(),
        story.scene.server.seen().len(),
        "one generation for each question that a model was asked"
    );
    let of_agents = calls.iter().filter(|span| span.name.starts_with("act_")).count();
    let names: Vec<&String> = calls.iter().map(|span| &span.name).collect();
    assert_eq!(of_agents, 4, "those of a tool agent too: {names:?}");
    let micros: i64 = spans
        .iter()
        .filter_map(|span| span.attributes.get("candor.cost_micros"))
        .map(|cost| cost.as_i64().unwrap())
        .sum();
    let cost = story.run(&["cost", "run_1", "--json"], 0).json()["total"]["cost"].as_f64().unwrap();
    let in_metrics = trace["metrics"]["totals"]["costTotal"].as_f64().unwrap();
    assert_eq!(
        [cost, in_metrics].map(|it| (it * 1e6).round() as i64),
        [micros, micros],
        "to the micro-dollar"
    );
    assert!(micros > 0);
    let totals = &trace["metrics"]["totals"];
    assert_eq!((&totals["rollbacks"], totals["retries"].as_u64() >= Some(2)), (&json!(1), true), "{totals}");
}

fn people(spans: &[Span]) {
    let mut all = named(spans, "user_interaction");
    all.sort_by_key(|span| span.end);
    let said = |name: &str| -> Vec<String> {
        all.iter().map(|span| span.metadata(name).as_str().unwrap_or_default().to_lowercase()).collect()
    };
    assert_eq!(said("type"), ["modify", "approve", "modify", "approve"]);
    // To leave a task out changes the plan, too.
    assert_eq!(said("userChoice")[2], "skip", "{:?}", said("userChoice"));
    let planning = named(spans, "phase_4_planning");
    let iterations: Vec<Value> = planning.iter().map(|span| span.metadata("user_iterations")).collect();
    assert_eq!(iterations, [1, 0], "the rollback begins a new count");
}
