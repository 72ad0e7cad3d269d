//! A server that is started and stopped, and a client that sends exactly the bytes that a test means.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Candor, until};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server on a port of its own.
pub struct Server {
    pub address: String,
    pub token: String,
    pub link: String,
    child: Child,
    said: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server on the data folder of `candor`.
    pub fn start(candor: &Candor) -> Self {
        Self::start_at(candor, "127.0.0.1:0")
    }

    pub fn start_at(candor: &Candor, listen: &str) -> Self {
        Self::start_with(candor, listen, &[])
    }

    /// The same with these variables in its environment.
    pub fn start_with(candor: &Candor, listen: &str, variables: &[(&str, &str)]) -> Self {
        let server = Self::spawn(candor, "http", &["--listen", listen], variables);
        until("the server is ready", || server.get("/ready").status == 200);
        server
    }

    /// Starts a server that speaks TLS, and so cannot be asked with [`Self::send`].
    pub fn start_with_tls(candor: &Candor, options: &[&str]) -> Self {
        Self::spawn(candor, "https", options, &[])
    }

    fn spawn(candor: &Candor, scheme: &str, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = candor.command(["--data", "data", "serve"]);
        command.args(options).envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        // Made at once, so that a server that does not say what is expected is stopped too.
        let [address, token, link] = [(); 3].map(|()| String::new());
        let mut server = Self { address, token, link, child, said: lines };
        let mut after = |words: &str| {
            let line = said.find(|line| line.contains(words)).expect("the server says where it is");
            line.split_once(words).unwrap().1.to_owned()
        };
        server.address = after(&format!("serving {scheme}://")).split(';').next().unwrap().to_owned();
        let file = after("the token for programs is in ");
        server.link = after("(the link works once): ");
        server.token = std::fs::read_to_string(candor.folder().join(file)).unwrap();
        // What it says later must not fill the pipe.
        std::thread::spawn(move || {
            said.for_each(|line| {
                eprintln!("server: {line}");
                kept.lock().unwrap().push(line);
            });
        });
        server
    }

    /// How many of the lines it said since its start have these words.
    pub fn told(&self, words: &str) -> usize {
        self.said.lock().unwrap().iter().filter(|line| line.contains(words)).count()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A request with the token.
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        self.send_with(method, path, &[("Authorization", &bearer)], body)
    }

    /// A request with these headers and no others but Host.
    pub fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let mut lines = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            lines.push_str(&format!("Host: {}\r\n", self.address));
        }
        headers.iter().for_each(|(name, value)| lines.push_str(&format!("{name}: {value}\r\n")));
        let text = body.map(Value::to_string).unwrap_or_default();
        if body.is_some() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            lines.push_str("Content-Type: application/json\r\n");
        }
        if body.is_some() {
            lines.push_str(&format!("Content-Length: {}\r\n", text.len()));
        }
        self.raw(format!("{lines}\r\n{text}").as_bytes())
    }

    /// Sends these bytes, and reads until the server closes.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses early closes before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::read(&answer)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(&body))
    }

    /// Begins a run; returns its name.
    pub fn run(&self, body: Value) -> String {
        let started = self.post("/api/v1/runs", body).ended_with(201).json();
        started["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits until a run has this status.
    pub fn wait_for(&self, run: &str, status: &str) -> Value {
        let mut last = Value::Null;
        until(&format!("{run} is {status}"), || {
            last = self.get(&format!("/api/v1/runs/{run}")).ended_with(200).json();
            last["status"] == status
        });
        last
    }

    /// Follows events from `after` on until `enough`; the lines of `id:` and `data:`.
    pub fn follow(
        &self,
        path: &str,
        after: Option<u64>,
        enough: impl Fn(&[(u64, Value)]) -> bool,
    ) -> Vec<(u64, Value)> {
        let mut stream = self.connect();
        let last = after.map(|after| format!("Last-Event-ID: {after}\r\n")).unwrap_or_default();
        let (host, token) = (&self.address, &self.token);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{last}\r\n")
            .unwrap();
        let (mut events, mut id) = (Vec::new(), 0);
        for line in BufReader::new(stream).lines() {
            // The server may be killed in the middle.
            let Ok(line) = line else { break };
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().unwrap();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let Ok(data) = serde_json::from_str(data) else { break };
                events.push((id, data));
                if enough(&events) {
                    break;
                }
            }
        }
        events
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let headers = head.to_lowercase();
        let body =
            if headers.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
        Self { status, headers, body }
    }

    #[track_caller]
    pub fn ended_with(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Refused with problem details of this code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.headers.contains("content-type: application/problem+json"), "{self:?}");
        assert_eq!(self.json()["type"], format!("urn:candor:problem:{code}"), "{self:?}");
        self
    }
}

fn unchunked(mut text: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.push_str(rest.get(..size).unwrap_or(rest));
        text = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}
