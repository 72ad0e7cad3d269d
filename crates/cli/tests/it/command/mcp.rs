//! A raw MCP client: lines of JSON-RPC to `candor serve --mcp` and back.

#![expect(clippy::needless_pass_by_value, reason = "callers write the JSON in place")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Candor;

/// No answer of these tests takes longer, unless the server hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server under way, and the client's end of the wire.
pub(crate) struct Mcp {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    /// What came in between: notifications, and answers to other calls.
    pub(crate) aside: Vec<Value>,
    last: u64,
}

/// How a server ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
    /// What it still said.
    pub(crate) rest: Vec<Value>,
}

impl Mcp {
    /// Starts a server and introduces itself.
    pub(crate) fn start(candor: &Candor) -> Self {
        Self::start_silently(candor).introduced()
    }

    /// Starts a server that may have so many files open, and introduces itself.
    pub(crate) fn start_limited(candor: &Candor, files: u32) -> Self {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_candor"), "--data", "data", "serve", "--mcp"]);
        command.current_dir(candor.folder());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::of(command.spawn().unwrap()).introduced()
    }

    fn introduced(self) -> Self {
        let mut mcp = self;
        let info = json!({"name": "test", "version": "1"});
        let said = mcp.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}),
        );
        assert_eq!(said["result"]["serverInfo"]["name"], "candor", "{said}");
        mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        mcp
    }

    /// The same with these variables in its environment.
    pub(crate) fn start_with(candor: &Candor, variables: &[(&str, &str)]) -> Self {
        let mut command = candor.command(["--data", "data", "serve", "--mcp"]);
        command.envs(variables.iter().copied()).stdin(Stdio::piped());
        Self::of(command.spawn().unwrap()).introduced()
    }

    /// Starts a server and says nothing yet.
    pub(crate) fn start_silently(candor: &Candor) -> Self {
        Self::of(candor.start(["serve", "--mcp"]))
    }

    fn of(mut child: Child) -> Self {
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut errors = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).unwrap();
            text
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, stderr: Some(stderr), aside: Vec::new(), last: 0 }
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// The next line. Everything on standard output is the protocol.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(value["jsonrpc"], "2.0", "{line}");
        value
    }

    /// Sends a request without waiting; returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&line.to_string());
        self.last
    }

    /// The answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        if let Some(at) = self.aside.iter().position(|said| said["id"] == id) {
            return self.aside.remove(at);
        }
        loop {
            let said = self.next();
            if said["id"] == id {
                return said;
            }
            self.aside.push(said);
        }
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Asks for a tool without waiting; returns the request's id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool; returns the structured result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        let said = self.answer(id);
        good(&said).clone()
    }

    /// Calls a tool that fails as a tool; returns the words.
    #[track_caller]
    pub(crate) fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let said = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(said["result"]["isError"], true, "{said}");
        said["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the server.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Closes the input, and waits for the server to end.
    pub(crate) fn close(mut self) -> Ended {
        drop(self.stdin.take());
        self.end()
    }

    /// Waits for the server to end.
    pub(crate) fn end(mut self) -> Ended {
        let status = self.child.wait().unwrap();
        let stderr = self.stderr.take().unwrap().join().unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        let rest = self.lines.iter().map(|line| serde_json::from_str(&line).expect("the protocol"));
        Ended { code: status.code(), stderr, rest: rest.collect() }
    }
}

impl Drop for Mcp {
    /// A test that fails, or that has seen enough, leaves no server behind.
    fn drop(&mut self) {
        drop(self.stdin.take());
        let began = std::time::Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if began.elapsed() > Duration::from_secs(10) {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The structured result of a call that went well, which has words too.
#[track_caller]
pub(crate) fn good(said: &Value) -> &Value {
    assert_eq!(said["result"]["isError"], false, "{said}");
    assert!(!said["result"]["content"][0]["text"].as_str().unwrap().is_empty());
    &said["result"]["structuredContent"]
}
