//! A server that answers like E2B, and can be told to misbehave.
//!
//! It follows E2B's published libraries: what they send is what it understands. Programs are really run, by the
//! Python of this machine, each sandbox in a folder of its own; what comes of them is told in E2B's lines, in small
//! pieces. A sandbox that is deleted takes its program with it.

mod http;
mod python;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

pub(crate) use self::http::Request;

/// The key that the server takes.
pub(crate) const KEY: &str = "e2b_0123456789abcdef";
/// The token that its sandboxes ask for.
pub(crate) const TOKEN: &str = "envd-token-77";

/// What happens to a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// What E2B does.
    Serve,
    /// An answer with this status, these headers and this body.
    Answer(u16, &'static str, String),
    /// What E2B does, but not before this time.
    Late(Duration),
    /// The head of an answer and these bytes; then the connection is closed in the middle.
    Cut(String),
    /// The head of an answer, these bytes, and a proper end.
    Whole(String),
    /// The head of an answer, and these bytes again and again.
    Endless(String),
    /// The connection stays open and nothing comes.
    Hang,
}

/// What is done with requests, in order; afterwards what E2B does.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) open: VecDeque<Act>,
    pub(crate) run: VecDeque<Act>,
    pub(crate) end: VecDeque<Act>,
    /// What the answer about a sandbox says differently.
    pub(crate) says: BTreeMap<String, Value>,
}

/// A running server. Its tasks end with the test's runtime.
pub(crate) struct Server {
    pub(crate) url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    script: Mutex<Script>,
    seen: Mutex<Vec<Request>>,
    sandboxes: Mutex<BTreeMap<String, Room>>,
    made: Mutex<usize>,
}

/// What belongs to one sandbox.
struct Room {
    folder: TempDir,
    over: CancellationToken,
}

impl Server {
    pub(crate) async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State { script: Mutex::new(script), ..State::default() });
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(Arc::clone(&serving), stream));
            }
        });
        Self { url, state }
    }

    /// Everything that was asked, in order.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.state.seen.lock().unwrap().clone()
    }

    /// Methods and paths of everything that was asked.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().iter().map(|request| format!("{} {}", request.method, request.path)).collect()
    }

    /// How many sandboxes are there.
    pub(crate) fn open_sandboxes(&self) -> usize {
        self.state.sandboxes.lock().unwrap().len()
    }

    /// Waits until a sandbox was made and none is left.
    pub(crate) async fn all_gone(&self) {
        for _ in 0..400 {
            if *self.state.made.lock().unwrap() > 0 && self.open_sandboxes() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("a sandbox is left: {:?}", self.lines());
    }
}

impl State {
    fn next(&self, request: &Request) -> Act {
        let mut script = self.script.lock().unwrap();
        let acts = match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/sandboxes") => &mut script.open,
            ("DELETE", _) => &mut script.end,
            _ => &mut script.run,
        };
        acts.pop_front().unwrap_or(Act::Serve)
    }

    fn open(&self) -> Value {
        let mut made = self.made.lock().unwrap();
        *made += 1;
        let id = format!("i{made}x");
        let room = Room { folder: tempfile::tempdir().unwrap(), over: CancellationToken::new() };
        self.sandboxes.lock().unwrap().insert(id.clone(), room);
        let mut answer = json!({
            "templateID": "t1", "sandboxID": id, "clientID": "c1", "envdVersion": "0.4.2",
            "envdAccessToken": TOKEN, "alias": "code-interpreter-v1", "domain": null,
        });
        for (field, value) in &self.script.lock().unwrap().says {
            answer[field] = value.clone();
        }
        answer
    }

    fn end(&self, id: &str) -> (u16, String) {
        match self.sandboxes.lock().unwrap().remove(id) {
            Some(room) => {
                room.over.cancel();
                (204, String::new())
            }
            None => (404, json!({ "code": 404, "message": "no such sandbox" }).to_string()),
        }
    }

    fn room(&self, id: &str) -> Option<(PathBuf, CancellationToken)> {
        let rooms = self.sandboxes.lock().unwrap();
        rooms.get(id).map(|room| (room.folder.path().to_owned(), room.over.clone()))
    }
}

async fn serve(state: Arc<State>, mut stream: TcpStream) {
    let Some(request) = http::read(&mut stream).await else { return };
    state.seen.lock().unwrap().push(request.clone());
    match state.next(&request) {
        Act::Serve => as_e2b(&state, &request, stream).await,
        Act::Late(after) => {
            tokio::time::sleep(after).await;
            as_e2b(&state, &request, stream).await;
        }
        Act::Answer(status, headers, body) => http::answer(&mut stream, status, headers, &body).await,
        Act::Cut(bytes) => {
            http::begin(&mut stream).await;
            http::piece(&mut stream, &bytes).await;
        }
        Act::Whole(bytes) => {
            http::begin(&mut stream).await;
            http::piece(&mut stream, &bytes).await;
            http::finish(&mut stream).await;
        }
        Act::Endless(bytes) => {
            http::begin(&mut stream).await;
            while http::piece(&mut stream, &bytes).await {}
        }
        Act::Hang => tokio::time::sleep(Duration::from_secs(600)).await,
    }
}

async fn as_e2b(state: &State, request: &Request, mut stream: TcpStream) {
    let key = request.headers.get("x-api-key").map(String::as_str);
    let (status, body) = match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/execute") => return execute(state, request, stream).await,
        _ if key != Some(KEY) => (401, json!({ "code": 401, "message": "Invalid API key" }).to_string()),
        ("POST", "/sandboxes") => (201, state.open().to_string()),
        ("DELETE", path) => state.end(path.trim_start_matches("/sandboxes/")),
        _ => (404, String::new()),
    };
    http::answer(&mut stream, status, "", &body).await;
}

async fn execute(state: &State, request: &Request, mut stream: TcpStream) {
    let header = |name: &str| request.headers.get(name).cloned().unwrap_or_default();
    let Some((folder, over)) = state.room(&header("e2b-sandbox-id")) else {
        return http::answer(&mut stream, 502, "", "{\"message\":\"The sandbox was not found\"}").await;
    };
    let program = request.body["code"].as_str().unwrap_or_default().to_owned();
    http::begin(&mut stream).await;
    tokio::select! {
        () = over.cancelled() => {}
        () = python::tell(&mut stream, &folder, &program) => http::finish(&mut stream).await,
    }
}
