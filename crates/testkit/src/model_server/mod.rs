//! A provider of models on a real loopback socket, which answers as it is told.
//!
//! It speaks the forms of OpenAI (chat, streams, models, embeddings), Anthropic and Gemini, and can be slow,
//! rude, endless or gone in the middle of a word. It remembers what it was asked. It is no model: what it says
//! is in its script.

mod http;
mod reply;
mod wire;

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use reply::{Cut, Fault, Finish, Reply, Usage};
pub use wire::Wire;

/// A connection on which nothing is asked for so long is closed.
const IDLE: Duration = Duration::from_secs(120);

/// A request as the server saw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeenRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, their names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The body, if it is JSON.
    pub body: Value,
}

impl SeenRequest {
    /// The path without its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// The model that is asked.
    #[must_use]
    pub fn model(&self) -> &str {
        let named = self.body.get("model").and_then(Value::as_str);
        named.or_else(|| self.path().rsplit('/').next()?.split(':').next()).unwrap_or_default()
    }

    /// Who says what: the role and the words of each message, the system's first.
    #[must_use]
    pub fn messages(&self) -> Vec<(String, String)> {
        let system = self.body.get("system").or_else(|| self.body.pointer("/systemInstruction/parts"));
        let system = system.map(|content| ("system".to_owned(), words(content)));
        let list = self.body.get("messages").or_else(|| self.body.get("contents"));
        let rest = list.and_then(Value::as_array).into_iter().flatten().map(|message| {
            let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
            let content = message.get("content").or_else(|| message.get("parts"));
            (role.to_owned(), content.map(words).unwrap_or_default())
        });
        system.into_iter().chain(rest).collect()
    }

    /// Whether any message says `text`.
    #[must_use]
    pub fn says(&self, text: &str) -> bool {
        self.messages().iter().any(|(_, words)| words.contains(text))
    }

    /// Whether the answer is to come as a stream.
    #[must_use]
    pub fn wants_stream(&self) -> bool {
        self.path().ends_with(":streamGenerateContent")
            || self.body.get("stream").and_then(Value::as_bool).unwrap_or(false)
    }
}

/// The words of a message: a text, or parts that have some.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// What a server answers, as data: the form of a script file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The first of these whose words are in the request answers it.
    pub when: Vec<When>,
    /// Answers the others, one after the other; the last one again and again.
    pub replies: Vec<Reply>,
}

/// A reply for requests that say something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// What a message must contain.
    pub says: String,
    /// The answer.
    pub reply: Reply,
}

impl Script {
    fn next(&mut self, seen: &SeenRequest) -> Reply {
        if let Some(when) = self.when.iter().find(|when| seen.says(&when.says)) {
            return when.reply.clone();
        }
        match self.replies.as_slice() {
            [] => Reply::text("ready"),
            [only] => only.clone(),
            [_, _, ..] => self.replies.remove(0),
        }
    }
}

type Route = Box<dyn FnMut(&SeenRequest) -> Reply + Send>;

struct Shared {
    route: Mutex<Route>,
    seen: Mutex<Vec<SeenRequest>>,
    sent: AtomicU64,
    over: AtomicBool,
}

/// A running server. It ends when it is dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl ModelServer {
    /// Starts a server on a free port; it answers `ready` until it is told otherwise.
    pub fn start() -> io::Result<Self> {
        Self::start_on(0)
    }

    /// Starts a server on this port.
    pub fn start_on(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            route: Mutex::new(Box::new(|_| Reply::text("ready"))),
            seen: Mutex::default(),
            sent: AtomicU64::new(0),
            over: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        thread::Builder::new()
            .name("model-server".to_owned())
            .spawn(move || accept(&listener, &for_thread))?;
        Ok(Self { address, shared })
    }

    /// The base address for OpenAI's form, with its trailing slash.
    #[must_use]
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1/", self.address)
    }

    /// The base address for Anthropic's form, with its trailing slash.
    #[must_use]
    pub fn anthropic_url(&self) -> String {
        format!("http://{}/v1/", self.address)
    }

    /// The base address for Gemini's form, with its trailing slash.
    #[must_use]
    pub fn gemini_url(&self) -> String {
        format!("http://{}/v1beta/", self.address)
    }

    /// Answers everything with these words.
    pub fn answer(&self, text: &str) {
        let reply = Reply::text(text);
        self.route(move |_| reply.clone());
    }

    /// Answers with these, one after the other; with the last one again and again.
    pub fn script(&self, replies: Vec<Reply>) {
        self.play(Script { replies, ..Script::default() });
    }

    /// Answers as the script says.
    pub fn play(&self, mut script: Script) {
        self.route(move |seen| script.next(seen));
    }

    /// Answers each request as `route` says.
    pub fn route(&self, route: impl FnMut(&SeenRequest) -> Reply + Send + 'static) {
        *self.shared.route.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(route);
    }

    /// How many bytes were taken from it so far, by its callers or on the way to them.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::Relaxed)
    }

    /// What was asked so far.
    #[must_use]
    pub fn seen(&self) -> Vec<SeenRequest> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        // The thread waits in `accept`: a last connection wakes it.
        let _ = TcpStream::connect(self.address);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming().flatten() {
        if shared.over.load(Ordering::Relaxed) {
            return;
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A connection that breaks is often what the test is about.
            let _ = serve(stream, &shared);
        });
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IDLE))?;
    let mut out = http::Out { stream: stream.try_clone()?, sent: &shared.sent };
    let mut reader = BufReader::new(stream);
    while let Some(seen) = http::read_request(&mut reader).or_else(|error| http::refuse(&mut out, error))? {
        shared.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen.clone());
        let reply = (shared.route.lock().unwrap_or_else(PoisonError::into_inner))(&seen);
        http::write_reply(&mut out, &seen, &reply, &shared.over)?;
    }
    Ok(())
}
