//! The scripted model server as a command: `model_server [--port N] [--script FILE.json]`.
//!
//! The file holds a list of replies, or `{ "when": [{ "says", "reply" }], "replies": [] }`. The addresses are
//! printed as one line of JSON; the server runs until it is killed.

use std::io::Write;
use std::process::ExitCode;
use std::{fs, io, thread};

use candor_testkit::model_server::{ModelServer, Reply, Script};

fn main() -> ExitCode {
    match serve(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}\nusage: model_server [--port N] [--script FILE.json]");
            ExitCode::from(2)
        }
    }
}

fn serve(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let (mut port, mut script) = (0, Script::default());
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--port" => port = value.parse().map_err(|_| format!("--port needs a number, not `{value}`"))?,
            "--script" => script = read(&value)?,
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    let server =
        ModelServer::start_on(port).map_err(|error| format!("cannot listen on port {port}: {error}"))?;
    server.play(script);
    announce(&server).map_err(|error| format!("cannot print the addresses: {error}"))?;
    loop {
        thread::park();
    }
}

fn read(path: &str) -> Result<Script, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    match serde_json::from_str::<Vec<Reply>>(&text) {
        Ok(replies) => Ok(Script { replies, ..Script::default() }),
        Err(as_list) if text.trim_start().starts_with('[') => Err(format!("{path}: {as_list}")),
        Err(_) => serde_json::from_str(&text).map_err(|error| format!("{path}: {error}")),
    }
}

fn announce(server: &ModelServer) -> io::Result<()> {
    let urls = serde_json::json!({
        "openai": server.openai_url(), "anthropic": server.anthropic_url(), "gemini": server.gemini_url(),
    });
    let mut out = io::stdout().lock();
    writeln!(out, "{urls}")?;
    out.flush()
}
