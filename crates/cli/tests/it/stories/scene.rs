//! The stage of a story: agents that do what their script says, as commands, services or MCP servers; a plan; a model if
//! the story has one. What happened is read where an operator would see it: on the screen, in the exit code, in
//! `candor status --json`, and in what the agents were really given.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use candor_testkit::model_server::{ModelServer, Reply, SeenRequest};
use serde_json::{Value, json};

use crate::command::terminal::{Seen, at_terminal_of};
use crate::models::scene::{KEY, SECRET, tier};
use crate::support::{Candor, Said};

/// The agents' program.
const AGENT: &str = include_str!("agent.py");

/// A folder with a configuration, agents and a plan.
pub(crate) struct Story {
    pub(crate) candor: Candor,
    config: String,
    services: Vec<Child>,
    model: Option<ModelServer>,
}

impl Drop for Story {
    fn drop(&mut self) {
        for service in &mut self.services {
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}

impl Story {
    /// A story in which repetitions come soon; `limits` are further lines of `[limits]`.
    pub(crate) fn with_limits(limits: &str) -> Self {
        let candor = Candor::new();
        candor.write("agent.py", AGENT);
        let config =
            format!("[limits]\nunattended = true\n{limits}\n[limits.retry]\nbackoff_seconds = 0.05\n");
        Self { candor, config, services: Vec::new(), model: None }
    }

    pub(crate) fn new() -> Self {
        Self::with_limits("agent_timeout = 30")
    }

    /// An agent that is a command.
    pub(crate) fn command(self, name: &str, good_at: &str, script: Value) -> Self {
        self.agent(name, good_at, script, &format!("command = [\"python3\", \"agent.py\", \"{name}\"]"))
    }

    /// An agent that is a program which is not there.
    pub(crate) fn missing(self, name: &str, good_at: &str) -> Self {
        self.agent(name, good_at, json!({}), "command = [\"./not-installed\"]")
    }

    /// An agent that is a service.
    pub(crate) fn service(mut self, name: &str, good_at: &str, script: Value) -> Self {
        self.candor.write(&format!("{name}.json"), script.to_string());
        let mut command = Command::new("python3");
        command.args(["agent.py", name, "--serve"]).current_dir(self.candor.folder()).stdout(Stdio::piped());
        let mut service = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(service.stdout.take().unwrap()).read_line(&mut port).unwrap();
        self.services.push(service);
        let at = format!("http = \"http://127.0.0.1:{}/work\"", port.trim());
        self.agent(name, good_at, script, &at)
    }

    /// A service on a port that nobody listens on.
    pub(crate) fn closed_port(self, name: &str, good_at: &str) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        self.agent(name, good_at, json!({}), &format!("http = \"http://{free}/work\""))
    }

    /// A tool agent, and the MCP server whose tool it calls.
    pub(crate) fn tools(mut self, name: &str, good_at: &str, script: Value) -> Self {
        self.candor.write(&format!("{name}.json"), script.to_string());
        self.config.push_str(&format!(
            "[tools.servers.{name}]\ncommand = [\"python3\", \"agent.py\", \"{name}\", \"--mcp\"]\ncwd = \".\"\n"
        ));
        self.agent(name, good_at, script, &format!("tools = [\"{name}.work\"]"))
    }

    /// A model that answers as `answer` says.
    pub(crate) fn model(mut self, answer: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static) -> Self {
        let server = ModelServer::start().unwrap();
        server.route(answer);
        self.config.push_str(&tier("balanced", "usual", &server.openai_url(), ""));
        self.model = Some(server);
        self
    }

    fn agent(mut self, name: &str, good_at: &str, script: Value, way: &str) -> Self {
        self.candor.write(&format!("{name}.json"), script.to_string());
        self.config.push_str(&format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"{good_at}\"\n{way}\n"
        ));
        self
    }

    /// Runs a plan of these tasks, without a terminal.
    pub(crate) fn plan(&self, tasks: Value) -> Told<'_> {
        self.candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
        self.run(&["run", "--plan", "plan.json", "--run-id", "run_1", "--plain"])
    }

    /// Runs a plan of these tasks in a terminal that `setup` sets up, where a person answers.
    pub(crate) fn seen(&self, setup: &str, tasks: Value, answers: &[(&str, &str)]) -> Seen {
        self.candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
        self.at_terminal(setup, &["run", "--plan", "plan.json", "--run-id", "run_1"], answers)
    }

    /// Runs a command in such a terminal.
    pub(crate) fn at_terminal(&self, setup: &str, args: &[&str], answers: &[(&str, &str)]) -> Seen {
        let limits = if answers.is_empty() { "unattended = true" } else { "unattended = false" };
        self.candor.write("candor.toml", self.config.replace("unattended = true", limits));
        at_terminal_of(setup, &self.candor, args, answers)
    }

    /// Runs a command on the story's configuration.
    pub(crate) fn run(&self, args: &[&str]) -> Told<'_> {
        self.candor.write("candor.toml", &self.config);
        let mut command = self.candor.command(["--data", "data"]);
        let said = Said::of(command.args(args).env(KEY, SECRET).output().unwrap());
        Told { story: self, said }
    }

    /// Gives an agent another script: the cause of its failure is gone, for example.
    pub(crate) fn now(&self, name: &str, script: Value) {
        self.candor.write(&format!("{name}.json"), script.to_string());
    }

    /// What the agents were given, in order.
    pub(crate) fn received(&self) -> Vec<Value> {
        let notes = std::fs::read_to_string(self.candor.path("received.jsonl")).unwrap_or_default();
        notes.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What the model was asked for this step.
    pub(crate) fn asked(&self, words: &str) -> Vec<SeenRequest> {
        let seen = self.model.as_ref().map(ModelServer::seen).unwrap_or_default();
        seen.into_iter().filter(|seen| seen.says(words)).collect()
    }
}

/// How a command of a story went.
pub(crate) struct Told<'a> {
    story: &'a Story,
    pub(crate) said: Said,
}

impl Told<'_> {
    /// The command ended with this code.
    #[track_caller]
    pub(crate) fn exit(self, code: i32) -> Self {
        let Said { code: found, stdout, stderr } = &self.said;
        assert_eq!(
            *found,
            code,
            "\nstdout: {stdout}\nstderr: {stderr}\nreceived: {:#?}",
            self.story.received()
        );
        self
    }

    /// These agents were called, in this order.
    #[track_caller]
    pub(crate) fn agents(self, expected: &[&str]) -> Self {
        let found: Vec<_> = self.story.received().iter().map(|call| call["agent"].clone()).collect();
        assert_eq!(found, expected, "\nstdout: {}\nstderr: {}", self.said.stdout, self.said.stderr);
        self
    }

    /// These agents were called so often, in whatever order.
    #[track_caller]
    pub(crate) fn calls(self, expected: &[(&str, usize)]) -> Self {
        let received = self.story.received();
        for (agent, times) in expected {
            let found = received.iter().filter(|call| call["agent"] == *agent).count();
            assert_eq!(found, *times, "{agent}\nstdout: {}\nstderr: {}", self.said.stdout, self.said.stderr);
        }
        self
    }

    /// The run has this verdict, wherever one looks.
    #[track_caller]
    pub(crate) fn verdict(self, expected: &str) -> Self {
        let status = self.story.run(&["status", "run_1", "--json"]).said.json();
        assert_eq!(status["assessment"]["verdict"], expected, "{status:#}");
        let list = self.story.run(&["list", "--json"]).said.json();
        assert_eq!(list[0]["verdict"], expected, "{list:#}");
        self
    }

    /// All of this is on the screen, each part once, on lines a person can read.
    #[track_caller]
    pub(crate) fn screen(self, parts: &[&str]) -> Self {
        let screen = format!("{}{}", self.said.stdout, self.said.stderr);
        for part in parts {
            assert_eq!(screen.matches(part).count(), 1, "`{part}` once in: {screen}");
        }
        self
    }

    /// None of this is on the screen.
    #[track_caller]
    pub(crate) fn never_says(self, parts: &[&str]) -> Self {
        let screen = format!("{}{}", self.said.stdout, self.said.stderr);
        for part in parts {
            assert!(!screen.contains(part), "`{part}` in: {screen}");
        }
        self
    }
}

/// A task for an agent.
pub(crate) fn task(id: &str, agent: &str, what: &str, after: &[&str]) -> Value {
    json!({"task_id": id, "description": what, "agent_type": agent, "dependencies": after, "expected_outputs": ["result"]})
}
