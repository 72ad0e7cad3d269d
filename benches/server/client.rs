//! A server in a folder of its own, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

const CONFIG: &str = "[limits]\nmax_plan_bytes = 100000000\nmax_parallel_tasks = 64\n\
    [[agents]]\nagent_type = \"worker\"\nspecialization = \"Does work\"\ncapabilities = [\"work\"]\n\
    builtin = \"noop\"\nmax_concurrent = 100\n\
    [[agents]]\nagent_type = \"slow\"\nspecialization = \"Does slow work\"\ncapabilities = [\"slow\"]\n\
    command = [\"sh\", \"-c\", \"sleep 0.2; echo '{\\\"outputs\\\": {\\\"done\\\": true}}'\"]\nmax_concurrent = 100\n\
    [[agents]]\nagent_type = \"steady\"\nspecialization = \"Does steady work\"\ncapabilities = [\"steady\"]\n\
    command = [\"sh\", \"-c\", \"sleep 1; echo '{\\\"outputs\\\": {\\\"done\\\": true}}'\"]\nmax_concurrent = 100\n\
    [[agents]]\nagent_type = \"gate\"\nspecialization = \"Waits for a file\"\ncapabilities = [\"gate\"]\n\
    command = [\"sh\", \"-c\", \"while [ ! -e go ]; do sleep 0.02; done; echo '{\\\"outputs\\\": {\\\"open\\\": true}}'\"]\ntimeout = 600\n";

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// A server that ends with the measurement.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    token: String,
    pub(crate) link: String,
    /// How long it took from its start to its first answer.
    pub(crate) took: Duration,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with agents, on the disk of the target folder.
pub(crate) fn folder() -> Result<TempDir> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(root)?;
    let folder = tempfile::Builder::new().prefix("server-").tempdir_in(root)?;
    std::fs::write(folder.path().join("candor.toml"), CONFIG)?;
    Ok(folder)
}

impl Server {
    pub(crate) fn start(binary: &PathBuf, folder: &Path) -> Result<Self> {
        let began = Instant::now();
        let mut command = Command::new(binary);
        command.args(["--data", "data", "serve", "--listen", "127.0.0.1:0"]).current_dir(folder);
        command.env_remove("CANDOR_CONFIG").env_remove("CANDOR_DATA");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut said =
            BufReader::new(child.stderr.take().context("its words")?).lines().map_while(Result::ok);
        let mut after = |words: &str| {
            let line =
                said.find(|line| line.contains(words)).with_context(|| format!("it never said `{words}`"));
            line.map(|line| line.split_once(words).map(|(_, rest)| rest.to_owned()).unwrap_or_default())
        };
        let address = after("serving http://")?.split(';').next().unwrap_or_default().to_owned();
        let file = after("the token for programs is in ")?;
        let link = after("(the link works once): ")?;
        // What it says later must not fill the pipe.
        std::thread::spawn(move || said.for_each(drop));
        let token = std::fs::read_to_string(folder.join(file))?.trim().to_owned();
        let mut server = Self { child, address, token, link, took: Duration::ZERO };
        ensure!(server.request("GET", "/health", None)?.0 == 200, "it does not answer");
        server.took = began.elapsed();
        Ok(server)
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// A connection on which a request was sent.
    pub(crate) fn sent(&self, method: &str, path: &str, body: Option<&Value>) -> Result<TcpStream> {
        let mut stream = self.connected()?;
        stream.write_all(self.text_of(method, path, body, "close").as_bytes())?;
        Ok(stream)
    }

    /// A connection without a request.
    pub(crate) fn connected(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    fn text_of(&self, method: &str, path: &str, body: Option<&Value>, connection: &str) -> String {
        let text = body.map(Value::to_string).unwrap_or_default();
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: {connection}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
            self.address,
            self.token,
            text.len()
        )
    }

    /// The status and the size of an answer, and its body.
    pub(crate) fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, String)> {
        let mut answer = String::new();
        self.sent(method, path, body)?.read_to_string(&mut answer)?;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
        Ok((status, body))
    }

    /// Begins a run; its name.
    pub(crate) fn begin(&self, body: &Value) -> Result<String> {
        let (status, answer) = self.request("POST", "/api/v1/runs", Some(body))?;
        ensure!(status == 201, "{status}: {answer}");
        name_of(&answer)
    }

    /// Begins a run on a connection that is kept, as programs do that begin many; its name.
    pub(crate) fn begin_on(&self, stream: &mut TcpStream, body: &Value) -> Result<String> {
        stream.write_all(self.text_of("POST", "/api/v1/runs", Some(body), "keep-alive").as_bytes())?;
        let (mut answer, mut buffer) = (String::new(), [0_u8; 4096]);
        while !answer.ends_with('}') {
            let read = stream.read(&mut buffer)?;
            ensure!(read > 0, "the server hung up: {answer}");
            answer.push_str(std::str::from_utf8(buffer.get(..read).unwrap_or_default())?);
        }
        ensure!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        name_of(answer.split_once("\r\n\r\n").context("no body")?.1)
    }

    /// Waits until a run has ended, by the list, which is cheap however large the run.
    pub(crate) fn wait(&self, run: &str) -> Result<()> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let (_, listed) = self.request("GET", &format!("/api/v1/runs?q={run}&status=completed"), None)?;
            if listed.contains(run) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("{run} did not end")
    }
}

fn name_of(answer: &str) -> Result<String> {
    let answer: Value = serde_json::from_str(answer)?;
    Ok(answer.get("run_id").and_then(Value::as_str).context("no run")?.to_owned())
}

/// A plan of so many tasks of an agent, each behind the one a hundred before it; behind a gate if there is one.
pub(crate) fn plan(tasks: usize, agent: &str, gated: bool) -> Value {
    let task = |n: usize| {
        let before: Vec<String> = match n.checked_sub(100) {
            Some(before) => vec![format!("t{before}")],
            None if gated => vec!["gate".to_owned()],
            None => Vec::new(),
        };
        json!({"task_id": format!("t{n}"), "description": format!("Do work number {n}"), "agent_type": agent,
            "dependencies": before})
    };
    let gate = json!({"task_id": "gate", "description": "Wait", "agent_type": "gate"});
    let all: Vec<Value> = gated.then_some(gate).into_iter().chain((0..tasks).map(task)).collect();
    json!({"plan": {"subtasks": all, "confidence_score": 0.95}, "unattended": true})
}
