//! A model that is there already: a key in the environment, or an Ollama on this machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Providers by the variable that holds their key, with the model that is written.
const BY_KEY: [(&str, &str, &str); 3] = [
    ("ANTHROPIC_API_KEY", "anthropic", "claude-sonnet-4-5"),
    ("OPENAI_API_KEY", "openai", "gpt-5-mini"),
    ("GEMINI_API_KEY", "gemini", "gemini-2.5-flash"),
];

/// Where an Ollama listens if `OLLAMA_HOST` does not say.
const OLLAMA: &str = "127.0.0.1:11434";

/// How long an Ollama is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// A model that was found.
pub(super) struct Found {
    /// Where: a variable, or an address.
    pub(super) by: String,
    /// Its section of the configuration.
    pub(super) section: String,
    /// Provider and model.
    pub(super) name: String,
}

/// Where a model is looked for, for people.
pub(super) fn places() -> String {
    let keys = BY_KEY.map(|(variable, ..)| variable).join(", ");
    say!("{keys}, an Ollama at {}", "{keys}, un Ollama en {}", ollama())
}

/// The first model that is there.
pub(super) fn find() -> Option<Found> {
    let key = BY_KEY
        .into_iter()
        .find(|(variable, ..)| std::env::var_os(variable).is_some_and(|key| !key.is_empty()));
    match key {
        Some((variable, provider, model)) => Some(Found {
            by: say!("{variable} is set", "{variable} está definida"),
            section: format!("[models.balanced]\nprovider = \"{provider}\"\nmodel = \"{model}\"\n"),
            name: format!("{provider}/{model}"),
        }),
        None => local(&ollama()),
    }
}

fn ollama() -> String {
    let said = std::env::var("OLLAMA_HOST").unwrap_or_default();
    let host = said.trim().trim_start_matches("http://").trim_end_matches('/');
    if host.is_empty() { OLLAMA.to_owned() } else { host.to_owned() }
}

/// The first model of an Ollama that answers at once.
fn local(host: &str) -> Option<Found> {
    let model = first_model(&tags(host)?)?;
    Some(Found {
        by: say!("an Ollama answers at {host}", "un Ollama responde en {host}"),
        section: format!(
            "[models.balanced]\nprovider = \"openai_compatible\"\nendpoint = \"http://{host}/v1/\"\nmodel = {}\n",
            Value::from(model.as_str())
        ),
        name: format!("ollama/{model}"),
    })
}

/// What an Ollama says of its models. It is asked by hand: nothing else of a client is needed.
fn tags(host: &str) -> Option<String> {
    let address: SocketAddr = host.replace("localhost", "127.0.0.1").parse().ok()?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET /api/tags HTTP/1.0\r\nHost: {host}\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    stream.take(1_000_000).read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8_lossy(&answer);
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())
}

fn first_model(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    value.pointer("/models/0/name")?.as_str().map(str::to_owned)
}
