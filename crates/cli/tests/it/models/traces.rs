//! Traces as they arrive at a stand-in for Langfuse and for any other backend.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};

use crate::models::otlp::{self, Span};
use crate::models::scene::{EASY, SECRET, Scene};
use crate::support::{PARIS, Said};

/// One post: its path, its authorization and its body.
#[derive(Debug, Clone)]
struct Post {
    path: String,
    head: String,
    body: Vec<u8>,
}

/// Takes posts on a socket of its own and keeps them.
struct Backend {
    url: String,
    posts: Arc<Mutex<Vec<Post>>>,
}

impl Backend {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let posts = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&posts);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
                let post = loop {
                    let read = stream.read(&mut chunk).unwrap();
                    bytes.extend_from_slice(&chunk[..read]);
                    if let Some(post) = whole(&bytes) {
                        break post;
                    }
                    assert!(read > 0, "cut off");
                };
                kept.lock().unwrap().push(post);
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    .unwrap();
            }
        });
        Self { url, posts }
    }

    fn posts(&self) -> Vec<Post> {
        self.posts.lock().unwrap().clone()
    }
}

fn whole(bytes: &[u8]) -> Option<Post> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let body = bytes[end + 4..].to_vec();
    let path = head.split(' ').nth(1)?.to_owned();
    (body.len() >= length.unwrap_or(0)).then_some(Post { path, head, body })
}

fn count(haystack: &[u8], needle: &str) -> usize {
    haystack.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count()
}

fn run(scene: &Scene, backend: &Backend, content: bool) -> Said {
    let mut command = scene.command(&["run", PARIS, "--json", "--run-id", "run_1", "--user", "ada"]);
    command.env("LANGFUSE_PUBLIC_KEY", "pk").env("LANGFUSE_SECRET_KEY", "sk-planted-secret");
    command.env("LANGFUSE_HOST", &backend.url);
    if content {
        command.env("CANDOR_TRACE_CONTENT", "1");
    }
    Said::of(command.output().unwrap()).ended_with(0)
}

#[test]
fn langfuse_gets_the_trace_once_with_its_mapping_and_without_a_word_of_text() {
    // spec: orchestrator OB-01 OB-02 OB-03 OB-04 OB-06 OB-07 OB-08
    let (scene, backend) = (Scene::with(&format!("{EASY}[packs]\nagents = true\n"), ""), Backend::start());
    run(&scene, &backend, false);
    let posts = backend.posts();
    let traces: Vec<&Post> = posts.iter().filter(|post| post.path.ends_with("/otel/v1/traces")).collect();
    let [sent] = traces.as_slice() else { panic!("{} traces", traces.len()) };
    assert_eq!(sent.path, "/api/public/otel/v1/traces");
    assert!(
        sent.head.to_lowercase().contains("authorization: basic cgs6c2stcgxhbnrlzc1zzwnyzxq="),
        "{}",
        sent.head
    );
    let spans = otlp::spans(&sent.body);
    has_the_mapping(&spans);
    for text in ["Paris", "budget", SECRET, "sk-planted-secret"] {
        assert_eq!(count(&sent.body, text), 0, "{text} left the machine");
    }
    let scores = posts.iter().filter(|post| post.path == "/api/public/scores");
    let scores: Vec<Value> = scores.map(|post| serde_json::from_slice(&post.body).unwrap()).collect();
    assert_eq!(scores.len(), 2, "{scores:?}");
    assert!(scores.iter().any(|score| score["name"] == "task_completion" && score["value"] == 1.0));
    // The next run sends its own trace and not this one again.
    let before = backend.posts().len();
    let again = scene.command(&["export", "otlp", "--pending", "--endpoint", &backend.url]).output().unwrap();
    Said::of(again).ended_with(0);
    assert_eq!(backend.posts().len(), before, "nothing was pending");
}

/// The names and figures that Langfuse and OpenTelemetry expect, on the spans that they belong to.
fn has_the_mapping(spans: &[Span]) {
    let root = &spans[0];
    assert_eq!((root.name.as_str(), &root.parent), ("orchestrator_workflow", &None));
    assert_eq!(
        (root.text("user.id"), root.text("langfuse.trace.metadata.id")),
        ("ada", "orchestrator_run_1")
    );
    assert_eq!(root.metadata("phases"), 8);
    assert!(spans.iter().all(|span| span.trace == root.trace && span.end >= span.start));
    let phases: Vec<&Span> = spans.iter().filter(|span| span.name.starts_with("phase_")).collect();
    let names: Vec<&str> = phases.iter().map(|span| span.name.as_str()).collect();
    let numbers: Vec<Value> = phases.iter().map(|span| span.metadata("phaseId")).collect();
    for number in 0..8 {
        assert!(numbers.contains(&json!(number)), "{names:?}");
    }
    assert!(phases.iter().all(|span| span.parent.as_ref() == Some(&root.id) && span.status == Some(1)));
    let phase = |name: &str| *phases.iter().find(|span| span.name == name).unwrap();
    let planning = phase("phase_4_planning");
    assert_eq!(
        (planning.metadata("plan_version"), planning.metadata("user_iterations")),
        (json!(1), json!(0))
    );
    assert_eq!(planning.metadata("approved"), true);
    assert!(phase("phase_3_decomposition").metadata("subtasks").as_u64().unwrap() > 1);
    assert!(phase("phase_1_evaluation").metadata("prompt_quality").as_u64().unwrap() > 0);
    let generations: Vec<&Span> = spans.iter().filter(|span| span.kind() == "generation").collect();
    let asked: Vec<&&Span> =
        generations.iter().filter(|span| span.attributes.contains_key("gen_ai.usage.input_tokens")).collect();
    assert!(asked.iter().any(|span| span.name == "parse_goal") && asked.len() >= 3, "{}", asked.len());
    let mut of_phase: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for span in asked {
        assert_eq!(span.text("gen_ai.operation.name"), "chat");
        assert!(["parallel", "sequential"].contains(&span.metadata("mode").as_str().unwrap()));
        let parameters: Value =
            serde_json::from_str(span.text("langfuse.observation.model.parameters")).unwrap();
        assert!(parameters["maxTokens"].is_number(), "{parameters}");
        let usage: Value = serde_json::from_str(span.text("langfuse.observation.usage_details")).unwrap();
        let parts = ["input", "output", "cache_read_input_tokens", "cache_creation_input_tokens"];
        let part = |name: &str| usage[name].as_u64().unwrap();
        assert_eq!(parts.iter().map(|name| part(name)).sum::<u64>(), part("total"), "{usage}");
        let sums = of_phase.entry(span.parent.as_deref().unwrap()).or_default();
        sums.0 += part("total") - part("output");
        sums.1 += part("output");
    }
    for phase in phases {
        let (input, output) = of_phase.get(phase.id.as_str()).copied().unwrap_or_default();
        assert_eq!(phase.metadata("tokens"), json!({"input": input, "output": output}), "{}", phase.name);
    }
    let modes = |kind: &str| -> BTreeSet<String> {
        let of_kind = spans.iter().filter(|span| span.kind() == kind);
        of_kind.map(|span| span.metadata("mode").as_str().unwrap().to_owned()).collect()
    };
    assert!(modes("agent").contains("parallel"), "tasks of this plan run side by side");
}

/// Reads every span back.
const READ_BACK: &str = "import json, sys\n\
    from mlflow import MlflowClient\n\
    traces = MlflowClient(tracking_uri=sys.argv[1]).search_traces(locations=['0'], include_spans=True)\n\
    spans = [{'id': s.span_id, 'parent': s.parent_id, 'name': s.name, 'trace': t.info.trace_id,\n\
    \x20         'cost': int(s.attributes.get('candor.cost_micros', 0))} for t in traces for s in t.data.spans]\n\
    print(json.dumps(spans))";

/// A server of mlflow, which ends with the test.
struct Mlflow(std::process::Child);

impl Drop for Mlflow {
    fn drop(&mut self) {
        // Asked to end, it ends its workers too; killed, it would leave them behind.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

#[test]
fn mlflow_reads_the_trace_back_with_its_parents_and_its_cost() {
    // spec: orchestrator OB-01 OB-07
    let folder = std::env::var("CANDOR_TEST_MLFLOW")
        .map_err(|_| "CANDOR_TEST_MLFLOW is not set: cargo xtask telemetry");
    let Some(folder) = or_skipped(folder) else { return };
    let scene = Scene::with(&format!("{EASY}[packs]\nagents = true\n"), "");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let mut server = Command::new(format!("{folder}/bin/mlflow"));
    server.args(["server", "--backend-store-uri", "sqlite:///m.db", "--workers", "1", "--host", "127.0.0.1"]);
    server.args(["--port", &port.to_string()]).current_dir(scene.candor.folder());
    server.env("MLFLOW_DISABLE_TELEMETRY", "true").stdout(Stdio::null()).stderr(Stdio::null());
    let _server = Mlflow(server.spawn().unwrap());
    let begun = std::time::Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed().as_secs() < 600, "mlflow does not start");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    scene.run(&["run", PARIS, "--json", "--run-id", "run_1"]).ended_with(0);
    // Sent twice, it is there once.
    for _ in 0..2 {
        let mut send = scene.command(&["export", "otlp", "run_1"]);
        send.env("OTEL_EXPORTER_OTLP_ENDPOINT", &url);
        send.env("OTEL_EXPORTER_OTLP_HEADERS", "x-mlflow-experiment-id=0");
        Said::of(send.output().unwrap()).ended_with(0);
    }
    let mut read = Command::new(format!("{folder}/bin/python"));
    read.args(["-c", READ_BACK, &url]).env("MLFLOW_DISABLE_TELEMETRY", "true");
    let read = Said::of(read.output().unwrap()).ended_with(0).json();
    let trace = scene.run(&["trace", "run_1", "--json"]).ended_with(0).json();
    let sent = trace["spans"].as_array().unwrap();
    let parents = |spans: &[Value]| -> BTreeMap<String, (String, Value)> {
        let of = |span: &Value| {
            let id = span["id"].as_str().unwrap().to_owned();
            (id, (span["name"].as_str().unwrap().to_owned(), span.get("parent").cloned().unwrap_or_default()))
        };
        spans.iter().map(of).collect()
    };
    let read = read.as_array().unwrap();
    assert_eq!(read.len(), sent.len());
    assert_eq!(parents(read), parents(sent));
    let cost: i64 = read.iter().map(|span| span["cost"].as_i64().unwrap()).sum();
    let total = scene.run(&["cost", "run_1", "--json"]).json()["total"]["cost"].as_f64().unwrap();
    assert_eq!(cost, (total * 1e6).round() as i64, "to the micro-dollar");
    assert!(cost > 0);
}

#[test]
fn a_backend_that_is_down_costs_a_warning_and_gets_the_trace_later() {
    // spec: orchestrator OB-07 OB-08
    let (scene, backend) = (Scene::with(&format!("{EASY}[packs]\nagents = true\n"), ""), Backend::start());
    let mut command = scene.command(&["run", PARIS, "--json", "--run-id", "run_1"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let said = Said::of(command.output().unwrap()).ended_with(0);
    assert!(
        said.stderr.contains("warning") && said.stderr.contains("export otlp --pending"),
        "{}",
        said.stderr
    );
    let mut command = scene.command(&["export", "otlp", "--pending", "--content"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &backend.url);
    Said::of(command.output().unwrap()).ended_with(0);
    let posts = backend.posts();
    assert_eq!(posts.len(), 1);
    assert!(posts[0].path == "/v1/traces" && count(&posts[0].body, "Paris") > 0, "with content on");
    let trace = scene.run(&["trace", "run_1", "--json"]).ended_with(0).json();
    let spans = trace["spans"].as_array().unwrap();
    let phases = spans.iter().filter(|span| span["name"].as_str().unwrap().starts_with("phase_")).count();
    assert!(phases >= 8, "{phases}");
    let cost: f64 = spans.iter().filter_map(|span| span["cost"].as_f64()).sum();
    let total = scene.run(&["cost", "run_1", "--json"]).json()["total"]["cost"].as_f64().unwrap();
    assert!((cost - total).abs() < 1e-9 && cost > 0.0, "{cost} {total}");
    let tree = scene.run(&["trace", "run_1"]).ended_with(0).stdout;
    assert!(tree.contains("phase_4_planning") && tree.contains("[generation]"), "{tree}");
}

/// An agent that fails once, and one that always fails.
const TROUBLE: &str = "[limits.retry]\nmax_retries = 1\nbackoff_seconds = 0.01\n\
    [[agents]]\nagent_type = \"flaky\"\nspecialization = \"Counts hives\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; test ! -e never && test -e tried && echo '{\\\"outputs\\\":{\\\"hives\\\":7}}' && exit 0; touch tried; exit 3\"]\n\
    [[agents]]\nagent_type = \"broken\"\nspecialization = \"Weighs hives\"\n\
    command = [\"sh\", \"-c\", \"cat > /dev/null; exit 3\"]\n";

#[test]
fn records_and_reports_of_a_good_a_repeated_and_a_failed_run_agree_with_their_traces() {
    // spec: orchestrator OB-06 OB-09 OB-11 OB-12 OB-13
    let before = "[limits]\nplanning_budget = 1.0\n[models.retry]\ninitial_delay = 0.01\nmax_delay = 2\n";
    let scene = Scene::with(&format!("{before}{TROUBLE}[packs]\nagents = true\n"), "");
    scene.run(&["run", PARIS, "--json", "--run-id", "run_good"]).ended_with(0);
    for (run, agent) in [("run_repeated", "flaky"), ("run_failed", "broken")] {
        let task = json!({"task_id": "t1", "description": "Look after the hives", "agent_type": agent});
        scene.candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
        let fails = run == "run_failed";
        if fails {
            // Nobody else can do it either.
            scene.candor.write("never", "");
        }
        let said = scene.run(&["run", "--plan", "plan.json", "--run-id", run, "--yes", "--unattended"]);
        assert_eq!(said.code != 0, fails, "{said:?}");
    }
    let runs = ["run_good", "run_repeated", "run_failed"];
    let traces = runs.map(|run| scene.run(&["trace", run, "--json"]).ended_with(0).json());
    traces.iter().for_each(metrics_add_up);
    let [good, repeated, failed] = &traces;
    let score = |trace: &Value, name: &str| {
        let scores = trace["scores"].as_array().unwrap();
        scores.iter().find(|score| score["name"] == name).unwrap()["value"].clone()
    };
    assert_eq!([good, repeated, failed].map(|trace| score(trace, "task_completion")), [1.0, 1.0, 0.0]);
    assert_eq!(score(repeated, "first_attempt_success"), 0.0, "it took two attempts");
    let execution = |trace: &Value| trace["metrics"]["phases"][5].clone();
    assert_eq!(
        (execution(repeated)["status"].as_str(), execution(failed)["status"].as_str()),
        (Some("complete"), Some("failed"))
    );
    let agents = failed["metrics"]["agents"].as_array().unwrap();
    let attempts = agents.iter().filter(|agent| agent["status"] == "failed").count();
    assert!(
        attempts >= 2 && execution(failed)["errors"].as_array().unwrap().len() == attempts,
        "one for each: {failed}"
    );
    assert_eq!(failed["metrics"]["phases"][6]["status"], "pending");
    let reports = scene.run(&["metrics", "--json"]).ended_with(0).json()["reports"].clone();
    assert_eq!(reports["successByPhase"], success_by_phase(&traces));
    assert_eq!(reports["successByPhase"][5]["rate"], 0.67, "one of three runs failed in its execution");
    let spent = scene.run(&["cost", "--json"]).ended_with(0).json();
    let by_model = |rows: &Value, name: &str| -> BTreeMap<String, i64> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| (row[name].as_str().unwrap().to_owned(), micros(&row["cost"]))).collect()
    };
    let of_models = by_model(&reports["costByModel"], "model");
    assert!(of_models.len() >= 2, "{of_models:?}");
    assert_eq!(of_models, by_model(&spent["by_model"], "name"));
    let tokens: u64 =
        reports["costByModel"].as_array().unwrap().iter().map(|row| row["tokens"].as_u64().unwrap()).sum();
    let traced: u64 =
        traces.iter().map(|trace| trace["metrics"]["totals"]["tokensTotal"].as_u64().unwrap()).sum();
    assert_eq!(tokens, traced);
}

fn micros(cost: &Value) -> i64 {
    (cost.as_f64().unwrap() * 1e6).round() as i64
}

/// How often each phase ended, and how often well, counted from the spans.
fn success_by_phase(traces: &[Value]) -> Value {
    let mut phases: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for span in traces.iter().flat_map(|trace| trace["spans"].as_array().unwrap()) {
        let name = span["name"].as_str().unwrap();
        if name.starts_with("phase_") {
            let (total, success) = phases.entry(name).or_default();
            *total += 1;
            *success += u32::from(span["status"] == "complete");
        }
    }
    let rate = |total: u32, success: u32| (f64::from(success) / f64::from(total) * 100.0).round() / 100.0;
    phases
        .into_iter()
        .map(|(name, (total, success))| json!({"name": name, "total": total, "success": success, "rate": rate(total, success)}))
        .collect()
}

/// The records by phase and by agent have what is asked of them, and the totals are their sums.
fn metrics_add_up(trace: &Value) {
    let metrics = &trace["metrics"];
    let agents = metrics["agents"].as_array().unwrap();
    for agent in agents {
        let number = |name: &str| agent["tokens"][name].as_i64().unwrap();
        assert!(["complete", "failed", "running"].contains(&agent["status"].as_str().unwrap()), "{agent}");
        assert!(
            agent["phase"].as_str().unwrap().starts_with("phase_") && agent["retries"].is_u64(),
            "{agent}"
        );
        // The tiers cost 5 and 10 dollars per million tokens; an agent names its own price.
        let charges = agent["model"].as_str().is_some_and(|model| model.starts_with("agent:"));
        assert!(charges || micros(&agent["cost"]) == number("input") * 5 + number("output") * 10, "{agent}");
    }
    let phases = metrics["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 8);
    let (mut cost, mut tokens) = (0, 0);
    for phase in phases {
        assert!(["pending", "running", "complete", "failed"].contains(&phase["status"].as_str().unwrap()));
        assert!(phase["degraded"].is_boolean(), "{phase}");
        assert_eq!(phase["status"] == "pending", phase["startTime"].is_null(), "{phase}");
        let members =
            phase["agents"].as_array().unwrap().iter().map(|at| &agents[at.as_u64().unwrap() as usize]);
        let members: Vec<&Value> = members.collect();
        let sum: i64 = members.iter().map(|agent| micros(&agent["cost"])).sum();
        assert_eq!(micros(&phase["cost"]), sum, "{phase}");
        let used = phase["tokensInput"].as_u64().unwrap() + phase["tokensOutput"].as_u64().unwrap();
        (cost, tokens) = (cost + sum, tokens + used);
    }
    let totals = &metrics["totals"];
    assert_eq!((micros(&totals["costTotal"]), totals["tokensTotal"].as_u64().unwrap()), (cost, tokens));
}
