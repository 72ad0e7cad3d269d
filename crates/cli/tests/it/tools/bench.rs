//! A place with tools: a folder, servers in Python that do as they are told, plans of steps, and the binary.

use std::fs;
use std::process::{Child, Command, Stdio};

use candor_model::{EventBody, Position, RunId};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};
use serde_json::{Value, json};

use crate::support::{Candor, Events, Said};

/// A server that speaks the protocol by hand, so that it can break it: its tools are what `TOOLS` lists (name to
/// description, parameters and hints), and `run(name, arguments, meta)` gives words, data, an error or nothing.
const BY_HAND: &str = r#"
import json, os, sys, time

def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

def note(name, line):
    with open(name, "a") as file:
        file.write(line + "\n")

def tool(name, description, parameters, **hints):
    schema = {"type": "object", "properties": {key: value for key, (value, _) in parameters.items()},
              "required": [key for key, (_, needed) in parameters.items() if needed], "additionalProperties": False}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
READS = {"readOnlyHint": True}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}

class Wrong(Exception):
    pass

def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "by-hand", "version": "1"},
                "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        note("calls.txt", params["name"])
        try:
            given = run(params["name"], params.get("arguments", {}), params.get("_meta", {}))
        except Wrong as wrong:
            return {"content": [{"type": "text", "text": str(wrong)}], "isError": True}
        words = given if isinstance(given, str) else json.dumps(given)
        data = {} if isinstance(given, str) else {"structuredContent": given}
        return {"content": [{"type": "text", "text": words}], **data}
    return {}

def serve():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            send({"id": request["id"], "result": answer(request["method"], request.get("params", {}))})
"#;

/// The agent of most plans.
pub(crate) const KEEPER: &str = "keeper";

/// A folder with tools in it.
pub(crate) struct Bench {
    pub(crate) candor: Candor,
}

impl Bench {
    /// The usual agent with these tools, and these lines after it: its mission, servers, models.
    pub(crate) fn new(tools: &[&str], more: &str) -> Self {
        let candor = Candor::new();
        fs::create_dir(candor.path("work")).unwrap();
        let bench = Self { candor };
        bench.configure(tools, more);
        bench
    }

    /// Writes the configuration anew. `HOME` stands for the folder.
    pub(crate) fn configure(&self, tools: &[&str], more: &str) {
        let text = format!(
            "[[agents]]\nagent_type = \"{KEEPER}\"\nspecialization = \"Does the work with tools\"\n\
             capabilities = [\"work\"]\ntools = {}\n{more}\n",
            json!(tools)
        );
        let home = self.candor.folder().display().to_string();
        self.candor.write("candor.toml", text.replace("HOME", &home));
    }

    /// The same with a server by hand, called `desk`, that has these tools.
    pub(crate) fn with_desk(tools: &[&str], script: &str, more: &str) -> Self {
        let bench = Self::new(tools, &format!("{more}\n{}", desk("")));
        bench.teach(script);
        bench
    }

    /// Says what the server by hand does from its next start.
    pub(crate) fn teach(&self, script: &str) {
        self.candor.write("desk.py", format!("{BY_HAND}\n{script}\nserve()\n"));
    }

    /// Writes a plan of one task with these steps, which is to give `result`.
    pub(crate) fn plan(&self, steps: &Value) {
        self.plan_of(&[json!({"task_id": "a", "description": "Do the work", "agent_type": KEEPER,
            "inputs": { "steps": steps }, "expected_outputs": ["result"]})]);
    }

    /// Writes a plan of these tasks.
    pub(crate) fn plan_of(&self, tasks: &[Value]) {
        self.candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
    }

    /// Runs the plan as `run_1`, which must end with this code.
    #[track_caller]
    pub(crate) fn run(&self, code: i32) -> Events {
        self.told(&["run", "--plan", "plan.json", "--run-id", "run_1"], code)
    }

    /// Runs the plan of these steps.
    #[track_caller]
    pub(crate) fn run_steps(&self, steps: &Value, code: i32) -> Events {
        self.plan(steps);
        self.run(code)
    }

    /// Answers what `run_1` asks.
    #[track_caller]
    pub(crate) fn answer(&self, option: &[&str], code: i32) -> Events {
        let mut words = vec!["answer", "run_1"];
        words.extend(option);
        self.told(&words, code)
    }

    /// Takes `run_1` up again.
    #[track_caller]
    pub(crate) fn resume(&self, code: i32) -> Events {
        self.told(&["resume", "run_1"], code)
    }

    /// What a command tells with `--json`.
    #[track_caller]
    pub(crate) fn told(&self, words: &[&str], code: i32) -> Events {
        let said = self.say(words, code);
        Events(said.lines())
    }

    /// What a command says with `--json`, which must end with this code.
    #[track_caller]
    pub(crate) fn say(&self, words: &[&str], code: i32) -> Said {
        let mut command = self.command(words);
        Said::of(command.arg("--json").output().unwrap()).ended_with(code)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.candor.command(["--data", "data"]);
        command.args(words).env("CANDOR_TEST_MODEL_KEY", "test.only.0123456789");
        command
    }

    /// Starts the plan as `run_1`, with nobody listening.
    pub(crate) fn start(&self) -> Child {
        let mut command = self.command(&["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The changes of the world that `run_1` made.
    pub(crate) fn effects(&self) -> Vec<Value> {
        let told = self.candor.run(["effects", "run_1", "--json"]).ended_with(0).json();
        told["effects"].as_array().unwrap().clone()
    }

    /// The whole log of `run_1`.
    pub(crate) fn log(&self) -> Events {
        let (log, _) = SqliteLog::open(&self.candor.path("data/candor.db"), OpenOptions::default()).unwrap();
        let run = RunId::new("run_1").unwrap();
        let executor = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let log = executor.block_on(log.read(&run, Position::START)).unwrap();
        Events(log.iter().map(|recorded| line_of(&recorded.event.body)).collect())
    }

    /// The lines of a file, which may not be there.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.candor.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The calls that came to the server by hand.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.lines("calls.txt")
    }

    /// The processes that run with this folder in their arguments or their environment.
    pub(crate) fn processes(&self) -> Vec<String> {
        let home = self.candor.folder().display().to_string();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let words = entries.filter_map(|entry| {
            entry.file_name().to_str()?.parse::<u32>().ok()?;
            // A dead process that nobody has collected yet has no arguments any more.
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let (words, variables) = (read("cmdline"), read("environ"));
            let all = [words.as_slice(), variables.as_slice()].concat();
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            String::from_utf8_lossy(&all).contains(&home).then_some(words)
        });
        words.filter(|words| !words.is_empty()).collect()
    }
}

/// An event as `--json` tells it.
fn line_of(body: &EventBody) -> Value {
    let body = serde_json::to_value(body).unwrap();
    let (name, fields) = body.as_object().and_then(|body| body.iter().next()).unwrap();
    let mut line = fields.clone();
    line["event"] = json!(name);
    line
}

/// The section of the server by hand, with more lines.
pub(crate) fn desk(more: &str) -> String {
    format!(
        "[tools.servers.desk]\ncommand = [\"python3\", \"-u\", \"HOME/desk.py\"]\nstart_timeout = 30\n{more}\n"
    )
}

/// The notes of this kind, in order.
pub(crate) fn notes<'a>(events: &'a Events, kind: &str) -> Vec<&'a Value> {
    let noted = events.all("agent_noted").into_iter().map(|event| &event["note"][kind]);
    noted.filter(|note| !note.is_null()).collect()
}

/// The tools that were called, in order.
pub(crate) fn called(events: &Events) -> Vec<&str> {
    notes(events, "called").into_iter().map(|note| note["call"]["tool"].as_str().unwrap()).collect()
}

/// What was told of the first attempt at the task `a`, before the plan was revised.
pub(crate) fn first_attempt(events: &Events) -> Events {
    let is_first = |event: &&Value| event["attempt"] == 1 && event["task_id"] == "a";
    Events(events.0.iter().filter(is_first).cloned().collect())
}

/// What the task gave that succeeded last.
#[track_caller]
pub(crate) fn outputs(events: &Events) -> &Value {
    let last = events.all("task_succeeded").pop().expect("a task succeeded");
    &last["feedback"]["actual_outputs"]
}

/// The text of the question that is open at the end.
#[track_caller]
pub(crate) fn question(events: &Events) -> &str {
    let last = events.all("human_asked").pop().expect("somebody was asked");
    last["question"]["choice"]["text"].as_str().unwrap()
}

/// What the report says of failed attempts.
pub(crate) fn errors(events: &Events) -> String {
    let failed = events.all("task_failed").into_iter();
    failed.map(|event| event["feedback"]["errors"].to_string()).collect::<Vec<_>>().join("\n")
}
