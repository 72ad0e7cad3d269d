//! One connection of a child to the line: requests are taken one after the other, news come in between.

use std::io;
use std::sync::Arc;

use candor_model::{Asking, Broadcast, MAX_TELLING_BYTES, TaskId, Telling};
use candor_ports::{BoxFuture, PeerChannel};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::sync::CancellationToken;

/// What a child can want.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Tell(Telling),
    Ask(Asking),
    Listen(bool),
}

/// Messages with a running program, in both directions.
pub(super) struct Exchange {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    /// The task at which the child is at work: it is not told its own words.
    task: TaskId,
    peers: Arc<dyn PeerChannel>,
    /// How many messages it knows; nothing while it does not listen.
    known: Option<usize>,
    ending: CancellationToken,
}

impl Exchange {
    pub(super) fn new(
        stream: UnixStream,
        task: TaskId,
        peers: Arc<dyn PeerChannel>,
        ending: CancellationToken,
    ) -> Self {
        let (reader, writer) = stream.into_split();
        let lines = Lines { reader: BufReader::new(reader), line: Vec::new(), too_long: false };
        Self { lines, writer, task, peers, known: None, ending }
    }

    /// Goes on until the child hangs up, or can no longer be reached.
    pub(super) async fn go_on(mut self) {
        // An error of the socket means that there is nobody at the other end.
        while let Ok(true) = self.turn().await {}
    }

    /// Deals with one line or with what is new; says whether there may be more.
    async fn turn(&mut self) -> io::Result<bool> {
        let line = {
            let peers = Arc::clone(&self.peers);
            tokio::select! {
                biased;
                news = news(&*peers, self.known) => {
                    self.pass_on(&news).await?;
                    return Ok(true);
                }
                line = self.lines.next() => line?,
            }
        };
        let Some(line) = line else { return Ok(false) };
        let reply = match line.and_then(|line| read(&line)) {
            Ok(Request::Tell(telling)) => self.tell(telling).await?,
            Ok(Request::Ask(asking)) => self.ask(asking).await?,
            Ok(Request::Listen(on)) => self.listen(on).await?,
            Err(problem) => failed(&problem),
        };
        // Whoever has said everything may be gone already; what they said is still to be read.
        let _ = self.write(&reply).await;
        Ok(true)
    }

    async fn tell(&mut self, telling: Telling) -> io::Result<Value> {
        let peers = Arc::clone(&self.peers);
        let told = peers.tell(telling).await;
        Ok(told.map_or_else(|problem| failed(&problem), |()| json!({ "ok": true })))
    }

    /// Whoever waits for an answer still hears what is new.
    async fn ask(&mut self, asking: Asking) -> io::Result<Value> {
        let (peers, ending) = (Arc::clone(&self.peers), self.ending.clone());
        let mut answer = peers.ask(asking);
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return Ok(match answer {
                    Ok(answer) => json!({ "response": answer.response, "confidence": answer.confidence }),
                    Err(problem) => failed(&problem),
                }),
                // Nobody waits for it any more.
                () = ending.cancelled() => return Ok(failed("the attempt has ended")),
                news = news(&*peers, self.known) => self.pass_on(&news).await?,
            }
        }
    }

    async fn listen(&mut self, on: bool) -> io::Result<Value> {
        let all = self.peers.heard();
        for message in all.iter().filter(|_| on) {
            self.write(&json!({ "message": message })).await?;
        }
        self.known = on.then_some(all.len());
        Ok(json!({ "ok": true }))
    }

    async fn pass_on(&mut self, news: &[Broadcast]) -> io::Result<()> {
        self.known = self.known.map(|known| known.saturating_add(news.len()));
        let of_others = |message: &&Broadcast| message.task_id.as_ref() != Some(&self.task);
        let pressing: Vec<&Broadcast> = news.iter().filter(|it| it.is_pressing()).filter(of_others).collect();
        for message in pressing {
            self.write(&json!({ "message": message })).await?;
        }
        Ok(())
    }

    async fn write(&mut self, value: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.writer.write_all(&line).await
    }
}

fn failed(problem: &str) -> Value {
    json!({ "error": problem })
}

/// What was told behind the messages that are known; never, for whoever does not listen.
fn news(peers: &dyn PeerChannel, known: Option<usize>) -> BoxFuture<'_, Vec<Broadcast>> {
    match known {
        Some(known) => peers.listen(known),
        None => Box::pin(std::future::pending()),
    }
}

fn read(line: &[u8]) -> Result<Request, String> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Err("the line is not text".to_owned());
    };
    candor_model::from_json(text).map_err(|error| {
        let wanted = r#"expected one JSON object a line: {"tell":…}, {"ask":…} or {"listen":true}"#;
        format!("{}: {}; {wanted}", error.field, error.problem)
    })
}

/// Whether a line can be read.
pub(crate) fn is_request(line: &[u8]) -> bool {
    read(line).is_ok()
}

/// Lines that are no longer than they may be. Waiting for one can be given up and taken up again.
struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    too_long: bool,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// The next line, or why it is of no use; nothing at the end.
    async fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, String>>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            let at_end = chunk.is_empty();
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            if self.line.len() + part.len() > MAX_TELLING_BYTES {
                self.too_long = true;
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() || at_end {
                let line = std::mem::take(&mut self.line);
                let too_long = std::mem::take(&mut self.too_long);
                return Ok(match (too_long, at_end && line.is_empty()) {
                    (true, _) => Some(Err(format!("a line may have at most {MAX_TELLING_BYTES} bytes"))),
                    (false, true) => None,
                    (false, false) => Some(Ok(line)),
                });
            }
        }
    }
}
