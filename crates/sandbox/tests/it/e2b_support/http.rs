//! Just enough HTTP/1.1: one request on each connection, and one answer.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// Reads a request; nothing if it is none.
pub(crate) async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        // What is no text at all is the beginning of TLS.
        if stream.read_buf(&mut bytes).await.ok()? == 0 || bytes[0] < b' ' {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut body = bytes.split_off(end + 4);
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while body.len() < length {
        stream.read_buf(&mut body).await.ok().filter(|read| *read > 0)?;
    }
    Some(Request { method, path, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}

/// A whole answer. `headers` are lines of their own.
pub(crate) async fn answer(stream: &mut TcpStream, status: u16, headers: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Scripted\r\nContent-Length: {length}\r\nConnection: close\r\n");
    let _ = stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes()).await;
}

/// The head of an answer that comes in pieces.
pub(crate) async fn begin(stream: &mut TcpStream) {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes()).await;
}

/// A piece; whether somebody still takes it.
pub(crate) async fn piece(stream: &mut TcpStream, text: &str) -> bool {
    let piece = format!("{:x}\r\n{text}\r\n", text.len());
    text.is_empty() || stream.write_all(piece.as_bytes()).await.is_ok()
}

/// The end of an answer that came in pieces.
pub(crate) async fn finish(stream: &mut TcpStream) {
    let _ = stream.write_all(b"0\r\n\r\n").await;
}
