//! An installation to break: a folder with agents, plans and data, and the command on it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use candor_model::{EffectKey, EventBody, Position, Recorded, RunId};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take that is expected to happen soon; generous, for a busy machine.
pub const SOON: Duration = Duration::from_secs(20);

/// An agent that writes its key to the ledger, works for `$1` seconds and answers. With `$2` = `fails` its
/// first attempt fails, with `never` all do; with `holds` it works until it is let go, or its test has ended.
///
/// It begins when it has its order: one that never gets it (Candor was killed in between) has done nothing.
const AGENT: &str = r#"
read -r order
[ -n "$order" ] || exit 9
printf '%s %s\n' "$CANDOR_IDEMPOTENCY_KEY" "$$" >> "$LEDGER"
[ "$1" = 0 ] || sleep "$1"
if [ "$2" = holds ]; then
    while [ -e "$LEDGER" ] && [ ! -e "$LEDGER.go" ]; do sleep 0.01; done
fi
if [ "$2" = never ] || [ "$2$CANDOR_ATTEMPT" = fails1 ]; then
    echo "no luck today" >&2
    exit 1
fi
echo '{"outputs":{"done":true}}'
"#;

/// The agents: what they are called and with what they are started.
const AGENTS: [(&str, &[&str]); 7] = [
    ("quick", &["0"]),
    ("steady", &["0.01"]),
    ("slow", &["0.03"]),
    ("shaky", &["0.005", "fails"]),
    ("hopeless", &["0", "never"]),
    ("endless", &["60"]),
    ("patient", &["0", "holds"]),
];

/// A folder with a configuration, a data folder and a ledger.
pub struct Place {
    folder: TempDir,
    data: PathBuf,
}

/// An execution that an agent wrote down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub pid: u32,
}

impl Place {
    pub fn new() -> Self {
        Self::with_limits("")
    }

    /// A place whose configuration has these lines under `[limits]`.
    pub fn with_limits(limits: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let script = folder.path().join("agent.sh");
        fs::write(&script, AGENT).unwrap();
        // Some of these agents fail on purpose, and must not have their circuit opened for it.
        let mut config = format!("[limits]\n{limits}\n[breakers]\nfailure_threshold = 1000000\n");
        for (name, args) in AGENTS {
            let mut command = vec!["sh".to_owned(), script.display().to_string()];
            command.extend(args.iter().map(|&arg| arg.to_owned()));
            config.push_str(&format!(
                "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"Does {name} work\"\ncommand = {}\n",
                json!(command)
            ));
        }
        fs::write(folder.path().join("candor.toml"), config).unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let data = folder.path().join("data");
        Self { folder, data }
    }

    /// The same with its data elsewhere.
    pub fn with_data(mut self, data: impl Into<PathBuf>) -> Self {
        self.data = data.into();
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The folder for temporary files.
    pub fn temporary(&self) -> PathBuf {
        self.path().join("tmp")
    }

    pub fn config(&self) -> PathBuf {
        self.path().join("candor.toml")
    }

    fn ledger_path(&self, run: &str) -> PathBuf {
        self.path().join(format!("{run}.ledger"))
    }

    /// Everything that agents did for a run, in order.
    pub fn ledger(&self, run: &str) -> Vec<Entry> {
        let text = fs::read_to_string(self.ledger_path(run)).unwrap_or_default();
        let entry = |line: &str| {
            let (key, pid) = line.split_once(' ').unwrap();
            Entry { key: key.to_owned(), pid: pid.parse().unwrap() }
        };
        text.lines().map(entry).collect()
    }

    /// Waits until an agent has begun a task, and returns what it wrote.
    pub fn begun(&self, run: &str, task: &str) -> Entry {
        let key = format!("{run}/{task}/");
        let found = || self.ledger(run).into_iter().rev().find(|entry| entry.key.starts_with(&key));
        wait_for(&format!("task {task} to begin"), || found().is_some());
        found().unwrap()
    }

    /// Lets the patient agents of a run go on.
    pub fn let_go(&self, run: &str) {
        fs::write(format!("{}.go", self.ledger_path(run).display()), "").unwrap();
    }

    /// Writes a plan: tasks with their agents and what they come after.
    pub fn plan(&self, name: &str, tasks: &[(&str, &str, &[&str])]) -> PathBuf {
        let subtasks: Vec<Value> = tasks
            .iter()
            .map(|(task, agent, after)| {
                json!({
                    "task_id": task,
                    "description": format!("Do the work of {task}"),
                    "agent_type": agent,
                    "dependencies": after,
                    "retry_policy": { "max_retries": 2, "backoff_seconds": 0.001 },
                })
            })
            .collect();
        let path = self.path().join(format!("{name}.json"));
        let plan = json!({ "subtasks": subtasks, "confidence_score": 0.9 });
        fs::write(&path, plan.to_string()).unwrap();
        path
    }

    /// The command on this place; agents write to the ledger of `run`.
    pub fn candor(&self, run: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_candor"));
        self.equip(&mut command, run);
        command.args(args);
        command
    }

    /// Points a command to this place.
    pub fn equip(&self, command: &mut Command, run: &str) {
        command
            .env("CANDOR_DATA", &self.data)
            .env("CANDOR_CONFIG", self.config())
            .env("LEDGER", self.ledger_path(run))
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }

    /// Starts the command, with what it prints going to files.
    pub fn start(&self, run: &str, args: &[&str]) -> Running {
        let mut command = self.candor(run, args);
        self.spawn(&mut command)
    }

    /// Starts a command that was prepared, with what it prints going to files.
    pub fn spawn(&self, command: &mut Command) -> Running {
        let file = |kind: &str| {
            let name = tempfile::Builder::new().prefix(kind).tempfile_in(self.path()).unwrap();
            name.into_temp_path().keep().unwrap()
        };
        let (out, err) = (file("out"), file("err"));
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        Running { child: command.spawn().unwrap(), out, err }
    }

    /// Starts a run of a plan.
    pub fn start_run(&self, run: &str, plan: &Path) -> Running {
        let plan = plan.display().to_string();
        self.start(run, &["run", "--json", "--yes", "--run-id", run, "--plan", &plan])
    }

    /// Has the command do something and waits for its end.
    pub fn does(&self, run: &str, args: &[&str]) -> Done {
        self.start(run, args).end()
    }

    /// Resumes a run, which must complete.
    pub fn complete(&self, run: &str) -> Done {
        let done = self.does(run, &["resume", run, "--json", "--yes"]);
        assert!(done.code() == Some(0) || done.came_too_late(), "resume of {run}: {}", done.err);
        assert_eq!(self.status(run), "completed");
        done
    }

    /// What `candor status` calls the state of a run.
    pub fn status(&self, run: &str) -> String {
        let done = self.does(run, &["status", run, "--json"]);
        assert_eq!(done.code(), Some(0), "{}", done.err);
        let value: Value = serde_json::from_str(&done.out).unwrap();
        value["status"].as_str().unwrap().to_owned()
    }

    /// What is on the log of a run at the moment; nothing if it is not there.
    pub fn log(&self, run: &str) -> Vec<Recorded> {
        let path = self.data.join("candor.db");
        if !path.exists() {
            return Vec::new();
        }
        let (log, report) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
        assert!(report.is_clean(), "{report}");
        let run = RunId::new(run).unwrap();
        let executor = tokio::runtime::Builder::new_current_thread().build().unwrap();
        executor.block_on(log.read(&run, Position::START)).unwrap()
    }
}

/// A command that is running.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// A command that has ended.
#[derive(Debug)]
pub struct Done {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it as `kill -9` does. An error is one that had ended by itself before.
    pub fn kill(mut self) -> Result<Done, Done> {
        self.child.kill().unwrap();
        let done = self.end();
        if done.code().is_none() { Ok(done) } else { Err(done) }
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let status = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, &pid]).status().unwrap();
        assert!(status.success());
    }

    pub fn out(&self) -> String {
        fs::read_to_string(&self.out).unwrap()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Done {
        let give_up = Instant::now() + SOON;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < give_up, "it does not end: {}\n{}", self.out(), self.read_err());
            std::thread::sleep(Duration::from_millis(2));
        };
        Done { status, out: self.out(), err: self.read_err() }
    }

    pub fn err(&self) -> String {
        self.read_err()
    }

    fn read_err(&self) -> String {
        fs::read_to_string(&self.err).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Only a test that fails leaves one running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Done {
    /// Whether the run was complete already. The last append of a process that is killed while it writes may
    /// come to light only when SQLite looks through its write-ahead log: not told, but durable.
    pub fn came_too_late(&self) -> bool {
        self.code() == Some(2) && self.err.contains("has ended (completed)")
    }

    /// The exit code; none if a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The events that it printed in full.
    pub fn told(&self) -> Vec<String> {
        let whole = self.out.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().filter(|line| !line.contains(r#""event":"report""#)).map(str::to_owned).collect()
    }

    /// No panic was printed, and something was said.
    #[track_caller]
    pub fn is_clear(&self) {
        assert!(self.err.contains("candor: "), "nothing was said: {}", self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        assert!(self.code().is_some_and(|code| code != 101), "{:?}: {}", self.status, self.err);
    }
}

/// The keys of the attempts that are on record as successes.
pub fn successes(run: &str, log: &[Recorded]) -> Vec<String> {
    let run = RunId::new(run).unwrap();
    let key = |recorded: &Recorded| match &recorded.event.body {
        EventBody::TaskSucceeded { task_id, attempt, .. } => {
            Some(EffectKey::attempt(&run, task_id, *attempt).to_string())
        }
        _ => None,
    };
    log.iter().filter_map(key).collect()
}

/// Whether a process runs; one that is dead and not collected does not.
pub fn is_running(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    !matches!(state, Some("Z" | "X") | None)
}

/// Waits until something holds.
#[track_caller]
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let give_up = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < give_up, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
