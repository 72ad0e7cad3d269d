//! Runs the binary in a folder of its own and reads what it says.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The worked example of the documents.
pub(crate) const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";

/// A goal with which no agent shares a word, so that a person must look at its plan.
pub(crate) const VAGUE: &str = "Zzyx frobnicate the quux";

/// Agents for work of any kind, which do nothing and do it well.
pub(crate) const GENERAL: &str = "[[agents]]\nagent_type = \"writer\"\n\
    specialization = \"Writes and summarises texts\"\ncapabilities = [\"write\"]\nbuiltin = \"noop\"\n\
    [[agents]]\nagent_type = \"mailer\"\nspecialization = \"Sends letters and mail\"\n\
    capabilities = [\"send_mail\"]\nbuiltin = \"noop\"\n\
    [[agents]]\nagent_type = \"collector\"\nspecialization = \"Collects figures and data\"\n\
    capabilities = [\"collect_figures\"]\nbuiltin = \"noop\"\n";

/// The pack's agents, with little patience, so that a timeout is soon over. Nothing is repeated as it is: these
/// stories are about what comes after that.
pub(crate) const QUICK: &str =
    "[limits]\nagent_timeout = 0.6\n[limits.retry]\nmax_retries = 0\n[packs]\nagents = true\n";

/// The same with somebody who is asked, although there is no terminal.
pub(crate) const ATTENDED: &str = "[limits]\nagent_timeout = 0.6\nunattended = false\n[limits.retry]\n\
    max_retries = 0\n[packs]\nagents = true\n";

/// No command of these tests takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with a data folder in it, and the binary.
pub(crate) struct Candor {
    home: TempDir,
}

impl Candor {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    /// The same with this `candor.toml`.
    pub(crate) fn with_config(text: &str) -> Self {
        let candor = Self::new();
        candor.write("candor.toml", text);
        candor
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// A command that is not started yet: in the folder, with its data there and nothing of ours around it.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_candor"));
        command.args(args).current_dir(self.folder()).stdin(Stdio::null());
        for name in ["CANDOR_CONFIG", "CANDOR_DATA", "NO_COLOR"] {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C.UTF-8").env("XDG_DATA_HOME", self.path("share"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command on the data folder `data`.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Said {
        self.feed(args, "")
    }

    /// The same with something on standard input.
    pub(crate) fn feed<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: impl AsRef<[u8]>,
    ) -> Said {
        let mut child = self.start(args);
        let mut stdin = child.stdin.take().unwrap();
        // A command that needs no input may have ended already.
        let _ = stdin.write_all(input.as_ref());
        drop(stdin);
        Said::of(child.wait_with_output().unwrap())
    }

    /// Starts a command and leaves it running.
    pub(crate) fn start<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Child {
        let mut command = self.command(["--data", "data"]);
        command.args(args).stdin(Stdio::piped());
        command.spawn().unwrap()
    }

    /// The events of a run with `--json`, and how the command ended.
    pub(crate) fn events(&self, args: &[&str]) -> (Said, Events) {
        let mut words = args.to_vec();
        words.push("--json");
        let said = self.run(words);
        let events = Events(said.lines());
        (said, events)
    }

    /// Writes a plan of one task for this agent, and runs it.
    pub(crate) fn task_for(&self, agent: &str) -> (Said, Events) {
        let task = serde_json::json!({"task_id": "t", "description": "Do the thing", "agent_type": agent,
            "expected_outputs": ["thing"]});
        self.write("plan.json", serde_json::json!({ "subtasks": [task] }).to_string());
        self.events(&["run", "--plan", "plan.json", "--run-id", "run_1"])
    }

    /// Whether any file below the data folder is there.
    pub(crate) fn has_data(&self) -> bool {
        self.path("data").exists()
    }
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    pub(crate) fn of(output: Output) -> Self {
        let code = output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"));
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Self { code, stdout, stderr }
    }

    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\nstdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// The one JSON document on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.matches('\n').count(), 1, "one document on one line: {}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// The JSON documents on stdout, one per line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(read).collect()
    }

    /// Refused as bad input: exit code 2, nothing on stdout, all of these words on stderr.
    #[track_caller]
    pub(crate) fn refused(self, words: &[&str]) -> Self {
        let said = self.ended_with(2);
        assert_eq!(said.stdout, "");
        said.tells(words)
    }

    /// Has all of these words on stderr.
    #[track_caller]
    pub(crate) fn tells(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in: {}", self.stderr);
        }
        self
    }

    /// Has all of these words on stdout.
    #[track_caller]
    pub(crate) fn shows(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stdout.contains(word), "no `{word}` in: {}", self.stdout);
        }
        self
    }

    /// The command on stderr that begins with these words, ready to be run: what a person would copy.
    #[track_caller]
    pub(crate) fn printed_command(&self, start: &str) -> Vec<String> {
        let line = self.stderr.lines().map(str::trim).find(|line| line.starts_with(start));
        let line = line.unwrap_or_else(|| panic!("no `{start}` in: {}", self.stderr));
        let words = line.split_whitespace().skip(1);
        words.filter(|word| !word.starts_with('[') && !word.ends_with(']')).map(str::to_owned).collect()
    }
}

/// The lines of `run --json`.
#[derive(Debug)]
pub(crate) struct Events(pub(crate) Vec<Value>);

impl Events {
    /// All of this kind, in order.
    pub(crate) fn all(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter(|event| event["event"] == kind).collect()
    }

    /// The only one of this kind.
    #[track_caller]
    pub(crate) fn only(&self, kind: &str) -> &Value {
        let found = self.all(kind);
        assert_eq!(found.len(), 1, "{kind}: {found:?}");
        found[0]
    }

    #[track_caller]
    pub(crate) fn report(&self) -> &Value {
        let last = self.0.last().expect("something was told");
        assert_eq!(last["event"], "report");
        last
    }

    /// What this field holds in every event of this kind.
    pub(crate) fn texts(&self, kind: &str, field: &str) -> Vec<String> {
        self.all(kind).iter().map(|event| event[field].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Where the first event is that fits.
    #[track_caller]
    pub(crate) fn position(&self, fits: impl Fn(&Value) -> bool) -> usize {
        self.0.iter().position(fits).expect("there is such an event")
    }

    /// The notifications of failures.
    pub(crate) fn failures_told(&self) -> Vec<&Value> {
        let told = self.all("notified").into_iter().map(|event| &event["notification"]["failure"]);
        told.filter(|failure| failure.is_object()).collect()
    }

    /// The notifications of what is done about them.
    pub(crate) fn recoveries_told(&self) -> Vec<&Value> {
        let told = self.all("notified").into_iter().map(|event| &event["notification"]["recovery"]);
        told.filter(|recovery| recovery.is_object()).collect()
    }

    /// The strategies of the revisions, in order.
    pub(crate) fn strategies(&self) -> Vec<String> {
        let revisions = self.all("replanned").into_iter();
        let named = revisions.map(|event| event["revision"]["details"]["strategies"][0].clone());
        named.map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The tasks that were handed out, in order.
    pub(crate) fn dispatched(&self) -> Vec<String> {
        self.texts("task_dispatched", "task_id")
    }

    /// The reason of the first failed attempt.
    #[track_caller]
    pub(crate) fn first_reason(&self) -> &str {
        let failed = self.all("task_failed");
        let reason = failed.first().and_then(|event| event["feedback"]["errors"][0].as_str());
        reason.expect("a task failed")
    }
}

/// Waits until something holds.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The keys of an object, sorted.
#[track_caller]
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Whether an object has all of these keys.
#[track_caller]
pub(crate) fn has_keys(value: &Value, wanted: &[&str]) {
    let there = keys(value);
    for key in wanted {
        assert!(there.contains(key), "no `{key}` in {there:?}");
    }
}

/// The texts of a JSON list.
#[track_caller]
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}
