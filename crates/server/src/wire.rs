//! The wire: one JSON-RPC message per line, in and out.
//!
//! Reading and writing have threads of their own, which block as long as they like and do not outlive the
//! process. What is no message is answered with a JSON-RPC error and changes nothing; a line that is too long is
//! read past and answered likewise.

use std::io::{self, BufRead, BufReader, Read, Write};

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A longer line is not read: nobody has that much to say here.
const MAX_LINE: usize = 4 * 1024 * 1024;
/// How many lines may wait on either side.
const WAITING: usize = 64;

/// What JSON-RPC calls text that is no JSON.
const PARSE_ERROR: i64 = -32700;
/// What JSON-RPC calls JSON that is no message.
const INVALID_REQUEST: i64 = -32600;

/// A line that came in.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// A line that goes out, and who waits until it is gone.
type Outgoing = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// Lines in both directions.
pub(crate) struct Wire {
    lines: mpsc::Receiver<Line>,
    out: mpsc::Sender<Outgoing>,
    /// Set when nothing more can come in.
    ended: CancellationToken,
    /// Whether the client has introduced itself. Until then notifications are for nobody.
    introduced: bool,
}

impl Wire {
    /// Begins to read and write. `ended` is cancelled when the input has come to its end.
    pub(crate) fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        ended: CancellationToken,
    ) -> Self {
        let (sender, lines) = mpsc::channel(WAITING);
        let (out, outgoing) = mpsc::channel(WAITING);
        let at_end = ended.clone();
        std::thread::spawn(move || {
            read_lines(BufReader::new(input), &sender);
            at_end.cancel();
        });
        std::thread::spawn(move || write_lines(output, outgoing));
        Self { lines, out, ended, introduced: false }
    }

    /// What a line says; an answer to it if it cannot be a message.
    fn read(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| refusal(&Value::Null, PARSE_ERROR, &format!("this is not JSON: {error}")))?;
        let asks = value.get("method").is_some();
        // What comes back must not be taken for an answer to something else.
        let id = value.get("id").filter(|id| asks && (id.is_string() || id.is_number())).cloned();
        let id = id.unwrap_or_default();
        match serde_json::from_value::<ClientJsonRpcMessage>(value) {
            Ok(message) => self.admit(message, &id),
            // A notification is not answered, not even a bad one.
            Err(_) if asks && id.is_null() => Ok(None),
            Err(_) => Err(refusal(&id, INVALID_REQUEST, "this is not a message of JSON-RPC 2.0")),
        }
    }

    /// Lets a message through, once the client has introduced itself.
    fn admit(
        &mut self,
        message: ClientJsonRpcMessage,
        id: &Value,
    ) -> Result<Option<ClientJsonRpcMessage>, Value> {
        let JsonRpcMessage::Request(asked) = &message else {
            return Ok(self.introduced.then_some(message));
        };
        // Newer clients introduce themselves with every request.
        let inline = asked.request.get_meta().protocol_version().is_some();
        self.introduced |= inline || matches!(asked.request, ClientRequest::InitializeRequest(_));
        if self.introduced || matches!(asked.request, ClientRequest::PingRequest(_)) {
            return Ok(Some(message));
        }
        Err(refusal(id, INVALID_REQUEST, "nothing is done before `initialize`; send that first"))
    }
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_vec(&message).map_err(io::Error::from);
        let out = self.out.clone();
        async move { write(&out, line?).await }
    }

    /// The caller may stop waiting at any time: no line is taken before there is room for an answer to it.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let room = self.out.clone().reserve_owned().await.ok()?;
            let read = match self.lines.recv().await? {
                Line::Whole(line) => self.read(&line),
                Line::TooLong => {
                    let problem = format!("a line may have at most {MAX_LINE} bytes");
                    Err(refusal(&Value::Null, INVALID_REQUEST, &problem))
                }
            };
            match read {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                // Nobody waits until it is gone.
                Err(answer) => _ = room.send((answer.to_string().into_bytes(), oneshot::channel().0)),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.ended.cancel();
        Ok(())
    }
}

fn refusal(id: &Value, code: i64, problem: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": problem } })
}

/// Hands a line to the writer and waits until it is written.
async fn write(out: &mpsc::Sender<Outgoing>, line: Vec<u8>) -> io::Result<()> {
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let (written, done) = oneshot::channel();
    out.send((line, written)).await.map_err(|_| gone())?;
    done.await.map_err(|_| gone())?
}

fn write_lines(mut output: impl Write, mut lines: mpsc::Receiver<Outgoing>) {
    while let Some((mut line, written)) = lines.blocking_recv() {
        line.push(b'\n');
        let result = output.write_all(&line).and_then(|()| output.flush());
        // Whoever sent it may not wait any more.
        let _ = written.send(result);
    }
}

fn read_lines(mut input: impl BufRead, lines: &mpsc::Sender<Line>) {
    while let Ok(Some(line)) = next_line(&mut input) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Reads the next line; nothing at the end. What is left without an end of line is a line too.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
    let mut line = Vec::new();
    if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() < MAX_LINE || line.ends_with(b"\n") {
        return Ok(Some(Line::Whole(line)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Line::TooLong))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Option<usize>> {
        let mut input = BufReader::new(text);
        let next = || next_line(&mut input).unwrap();
        let length = |line| match line {
            Line::Whole(line) => Some(line.len()),
            Line::TooLong => None,
        };
        std::iter::from_fn(next).map(length).collect()
    }

    #[test]
    fn a_line_that_is_too_long_is_read_past() {
        let mut text = b"one\n".to_vec();
        text.extend(vec![b'x'; MAX_LINE * 2 + 7]);
        text.extend(b"\nthree");
        assert_eq!(lines(&text), [Some(4), None, Some(5)]);
        assert_eq!(lines(b""), []);
    }
}
