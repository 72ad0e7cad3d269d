//! Runs a program with the Python of this machine, and tells of it as E2B does.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::sync::mpsc;

use super::http::piece;

/// How many characters one line of E2B's carries, so that markers come in pieces.
const FEW: usize = 7;
/// How many characters are told so. More are told in larger pieces, as E2B does.
const SLOW: usize = 20_000;

/// Runs a program to its end. Dropped before, it takes the program with it.
pub(crate) async fn tell(stream: &mut TcpStream, folder: &Path, program: &str) {
    let mut command = Command::new("python3");
    command.args(["-I", "-"]).current_dir(folder).env_clear().kill_on_drop(true);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("python3 is needed for these tests");
    let mut stdin = child.stdin.take().unwrap();
    let program = program.to_owned();
    tokio::spawn(async move { stdin.write_all(program.as_bytes()).await });
    let (said, mut saying) = mpsc::channel(16);
    tokio::spawn(forward("stdout", child.stdout.take().unwrap(), said.clone()));
    tokio::spawn(forward("stderr", child.stderr.take().unwrap(), said));
    line(stream, &json!({ "type": "number_of_executions", "execution_count": 1 })).await;
    let mut told = 0;
    while let Some((kind, text)) = saying.recv().await {
        told += text.len();
        for part in parts(&text, if told < SLOW { FEW } else { SLOW }) {
            line(stream, &json!({ "type": kind, "text": part, "timestamp": "2026-01-01T00:00:00Z" })).await;
        }
    }
    if !child.wait().await.is_ok_and(|status| status.success()) {
        let value = "Context was restarted";
        line(
            stream,
            &json!({ "type": "error", "name": "ContextRestarting", "value": value, "traceback": "" }),
        )
        .await;
    }
    line(stream, &json!({ "type": "end_of_execution" })).await;
}

async fn line(stream: &mut TcpStream, event: &Value) {
    piece(stream, &format!("{event}\n")).await;
}

/// Passes on what a pipe gives, in whole characters.
async fn forward(
    kind: &'static str,
    mut pipe: impl AsyncRead + Unpin,
    said: mpsc::Sender<(&'static str, String)>,
) {
    let mut bytes = Vec::with_capacity(SLOW);
    while pipe.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {
        let whole = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let rest = bytes.split_off(whole);
        let text = String::from_utf8(std::mem::replace(&mut bytes, rest)).unwrap();
        bytes.reserve(SLOW);
        if said.send((kind, text)).await.is_err() {
            return;
        }
    }
}

fn parts(text: &str, size: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(size).map(|part| part.iter().collect()).collect()
}
