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

/// How many models of an Ollama are offered.
const MOST_LOCAL: usize = 5;

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

/// Every model that is there, those with a key first.
pub(super) fn find() -> Vec<Found> {
    let keys = BY_KEY.iter().filter(|(variable, ..)| is_set(variable));
    let mut found: Vec<Found> =
        keys.map(|(variable, provider, model)| with_key(variable, provider, model)).collect();
    let host = ollama();
    let tags = tags(&host).unwrap_or_default();
    found.extend(models(&tags).iter().take(MOST_LOCAL).map(|model| local(&host, model)));
    found
}

/// The model that is named as PROVIDER/NAME; nothing if none is wanted.
pub(super) fn named(text: &str) -> Result<Option<Found>, String> {
    if text == "none" {
        return Ok(None);
    }
    let known = |provider: &str| BY_KEY.iter().find(|(_, name, _)| *name == provider);
    match text.split_once('/') {
        Some(("ollama", model)) if !model.is_empty() => Ok(Some(local(&ollama(), model))),
        Some((provider, model)) if !model.is_empty() && known(provider).is_some() => {
            Ok(known(provider).map(|(variable, provider, _)| with_key(variable, provider, model)))
        }
        _ => Err(say!(
            "--model {text}: expected none, anthropic/NAME, openai/NAME, gemini/NAME or ollama/NAME",
            "--model {text}: se espera none, anthropic/NAME, openai/NAME, gemini/NAME u ollama/NAME"
        )),
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|key| !key.is_empty())
}

fn with_key(variable: &str, provider: &str, model: &str) -> Found {
    let by = match is_set(variable) {
        true => say!("{variable} is set", "{variable} está definida"),
        false => say!("{variable} is not set", "{variable} no está definida"),
    };
    let section = format!("[models.balanced]\nprovider = \"{provider}\"\nmodel = {}\n", Value::from(model));
    Found { by, section, name: format!("{provider}/{model}") }
}

fn ollama() -> String {
    let said = std::env::var("OLLAMA_HOST").unwrap_or_default();
    let host = said.trim().trim_start_matches("http://").trim_end_matches('/');
    if host.is_empty() { OLLAMA.to_owned() } else { host.to_owned() }
}

/// A model of an Ollama.
fn local(host: &str, model: &str) -> Found {
    Found {
        by: say!("Ollama at {host}", "Ollama en {host}"),
        section: format!(
            "[models.balanced]\nprovider = \"openai_compatible\"\nendpoint = \"http://{host}/v1/\"\nmodel = {}\n",
            Value::from(model)
        ),
        name: format!("ollama/{model}"),
    }
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

fn models(body: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let rows = value.get("models").and_then(Value::as_array).into_iter().flatten();
    rows.filter_map(|row| row.get("name")?.as_str()).map(str::to_owned).collect()
}
