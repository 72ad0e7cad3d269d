//! Just enough HTTP/1.1 for a test server: requests are read, answers are written, and either can go wrong
//! in every way that was asked for.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::SeenRequest;
use super::reply::{Cut, Reply};
use super::wire::Wire;

/// No request of a test is larger.
const MAX_REQUEST_BYTES: u64 = 64_000_000;
/// How many bytes of words one event of a stream carries at most.
const PART_BYTES: usize = 16_384;

/// A connection that counts what it takes.
pub(crate) struct Out<'a> {
    pub(crate) stream: TcpStream,
    pub(crate) sent: &'a AtomicU64,
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.stream.write(bytes)?;
        self.sent.fetch_add(taken as u64, Ordering::Relaxed);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Reads one request; nothing at the end of the connection.
pub(crate) fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<SeenRequest>> {
    let mut line = String::new();
    if reader.by_ref().take(65_536).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (method, path) = (method.to_owned(), target.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.by_ref().take(65_536).read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let length: u64 = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    reader.by_ref().take(length.min(MAX_REQUEST_BYTES)).read_to_end(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(SeenRequest { method, path, headers, body }))
}

/// Answers what is no HTTP, such as the first word of TLS, as other servers do.
pub(crate) fn refuse<T>(out: &mut Out, error: io::Error) -> io::Result<T> {
    if error.kind() == io::ErrorKind::InvalidData {
        out.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    }
    Err(error)
}

/// Writes the answer to one request. An error ends the connection.
pub(crate) fn write_reply(
    out: &mut Out,
    seen: &SeenRequest,
    reply: &Reply,
    over: &AtomicBool,
) -> io::Result<()> {
    pause(reply.delay_ms, over);
    if reply.cut == Some(Cut::BeforeHeaders) {
        return drop_now(out);
    }
    let wire = Wire::of(seen.path());
    if let Some(body) = &reply.body {
        return write_body(out, reply.status.unwrap_or(200), reply, body);
    }
    if let Some(fault) = reply.fault {
        let body = wire.refusal(fault, seen.model()).to_string();
        return write_body(out, reply.status.unwrap_or(fault.status()), reply, &body);
    }
    match seen.path() {
        path if path.ends_with("/models") => write_body(out, 200, reply, &models().to_string()),
        path if path.ends_with("/embeddings") => write_body(out, 200, reply, &embeddings(seen).to_string()),
        _ if seen.wants_stream() => write_stream(out, wire, reply, over),
        _ if reply.endless => write_endless(out, over),
        _ => {
            let body = wire.answer(reply, &reply.words()).to_string();
            write_body(out, reply.status.unwrap_or(200), reply, &body)
        }
    }
}

fn write_body(out: &mut Out, status: u16, reply: &Reply, body: &str) -> io::Result<()> {
    let headers = [("Retry-After", &reply.retry_after), ("Location", &reply.location)];
    let headers: String =
        headers.iter().filter_map(|(name, value)| Some(format!("{name}: {}\r\n", value.as_ref()?))).collect();
    let media = reply.media.as_deref().unwrap_or("application/json");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: {media}\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    // One write: two would meet the delayed acknowledgement of the other side.
    let mut bytes = head.into_bytes();
    let sent = if reply.cut == Some(Cut::MidBody) { length / 2 } else { length };
    bytes.extend_from_slice(body.as_bytes().get(..sent).unwrap_or_default());
    out.write_all(&bytes)?;
    if sent < length { drop_now(out) } else { Ok(()) }
}

fn write_endless(out: &mut Out, over: &AtomicBool) -> io::Result<()> {
    out.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    write_chunk(out, "{\"choices\":[{\"message\":{\"content\":\"")?;
    let part = "x".repeat(PART_BYTES);
    while !over.load(Ordering::Relaxed) {
        write_chunk(out, &part)?;
    }
    drop_now(out)
}

fn write_stream(out: &mut Out, wire: Wire, reply: &Reply, over: &AtomicBool) -> io::Result<()> {
    out.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    for event in wire.opening(reply) {
        write_event(out, wire, &event)?;
    }
    let words = reply.words();
    let parts = parts(&words);
    let sent = if reply.cut == Some(Cut::MidBody) { parts.len().div_ceil(2) } else { parts.len() };
    for part in parts.iter().take(sent) {
        pause(reply.part_delay_ms, over);
        write_event(out, wire, &wire.part(part))?;
    }
    let endless = "x".repeat(PART_BYTES);
    while reply.endless && !over.load(Ordering::Relaxed) {
        pause(reply.part_delay_ms, over);
        write_event(out, wire, &wire.part(&endless))?;
    }
    if reply.cut == Some(Cut::MidBody) {
        return drop_now(out);
    }
    if reply.cut != Some(Cut::BeforeEnd) {
        write_end(out, wire, reply)?;
    }
    out.write_all(b"0\r\n\r\n")
}

fn write_end(out: &mut Out, wire: Wire, reply: &Reply) -> io::Result<()> {
    for event in wire.closing(reply) {
        write_event(out, wire, &event)?;
    }
    if wire == Wire::OpenAi { write_chunk(out, "data: [DONE]\n\n") } else { Ok(()) }
}

/// A part per word, as models write them; long ones in pieces.
fn parts(words: &str) -> Vec<&str> {
    let pieces = words.split_inclusive(' ');
    pieces.flat_map(|piece| split_every(piece, PART_BYTES)).collect()
}

fn split_every(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = (0..=bytes.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at))?;
        let (part, left) = rest.split_at(at);
        rest = left;
        (!part.is_empty()).then_some(part)
    })
}

fn write_event(out: &mut Out, wire: Wire, event: &Value) -> io::Result<()> {
    match (wire, event.get("type").and_then(Value::as_str)) {
        (Wire::Anthropic, Some(name)) => write_chunk(out, &format!("event: {name}\ndata: {event}\n\n")),
        _ => write_chunk(out, &format!("data: {event}\n\n")),
    }
}

fn write_chunk(out: &mut Out, text: &str) -> io::Result<()> {
    out.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

fn drop_now(out: &Out) -> io::Result<()> {
    let _ = out.stream.shutdown(Shutdown::Both);
    Err(io::ErrorKind::ConnectionAborted.into())
}

/// Waits in small steps, so that a server that is told to end does.
fn pause(millis: u64, over: &AtomicBool) {
    let mut left = millis;
    while left > 0 && !over.load(Ordering::Relaxed) {
        let step = left.min(20);
        std::thread::sleep(Duration::from_millis(step));
        left -= step;
    }
}

fn models() -> Value {
    json!({ "object": "list", "data": [{ "id": "scripted", "object": "model", "owned_by": "candor" }] })
}

/// Eight numbers per text, the same for the same text.
fn embeddings(seen: &SeenRequest) -> Value {
    let texts: Vec<&str> = match seen.body.get("input") {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let vector = |text: &str| -> Vec<f64> {
        let mut sums = [1.0; 8];
        for (byte, sum) in text.bytes().zip((0..8).cycle()) {
            if let Some(sum) = sums.get_mut(sum) {
                *sum += f64::from(byte) / 255.0;
            }
        }
        sums.to_vec()
    };
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) }))
        .collect();
    let tokens = texts.len() * 4;
    json!({
        "object": "list", "data": data, "model": "scripted",
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    })
}
