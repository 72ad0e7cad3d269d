//! What goes into a child and comes out of it, kept within bounds.

use std::convert::Infallible;
use std::future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use candor_ports::BoxFuture;
use candor_process::Pipes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::time::timeout;

use crate::log_folder::LogWriter;

/// How much is read at once: what a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;
/// How much of the end of stderr is kept in memory.
const TAIL_BYTES: usize = 16 * 1024;

/// How long the pipes may stay open after the whole group is dead: someone outside it may hold them.
pub(crate) const DRAIN_WITHIN: Duration = Duration::from_millis(100);

/// The child printed more than it may.
#[derive(Debug)]
pub(super) struct Flooded;

/// Takes what a child prints on stdout as it comes, and nothing at its end; what it returns goes into the log.
pub(super) type Listener = Box<dyn FnMut(&[u8]) -> Vec<u8> + Send>;

/// What a child has printed so far.
pub(super) struct Streams {
    stdout: Vec<u8>,
    stdout_limit: usize,
    stderr: Tail,
    log: Option<LogWriter>,
    listener: Option<Listener>,
}

impl Streams {
    pub(super) fn new(stdout_limit: usize, log: Option<LogWriter>) -> Self {
        Self { stdout: Vec::new(), stdout_limit, stderr: Tail::default(), log, listener: None }
    }

    /// The same, whose stdout goes to this listener and is not kept: it may be of any length.
    pub(super) fn heard_by(mut self, listener: Listener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Starts to give `input` to the child and to take what it prints.
    ///
    /// The pipes stay with the caller until the child's group is dead: a child that printed too much would otherwise
    /// find its stdout closed and go on with its next command before it is killed.
    pub(super) fn talk<'a>(&'a mut self, pipes: &'a mut Pipes, input: &'a [u8]) -> Talk<'a> {
        Talk { pump: Some(Box::pin(self.pump(pipes, input))) }
    }

    async fn pump(&mut self, pipes: &mut Pipes, input: &[u8]) -> Result<(), Flooded> {
        let Self { stdout, stdout_limit, stderr, log, listener } = self;
        let log = Mutex::new(log);
        let write = |bytes: &[u8]| {
            log.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().for_each(|log| log.write(bytes));
        };
        let taken = take(&mut pipes.stdout, |bytes| {
            if let Some(listener) = listener {
                write(&listener(bytes));
                return Ok(());
            }
            stdout.extend_from_slice(bytes);
            if stdout.len() > *stdout_limit { Err(Flooded) } else { Ok(()) }
        });
        let noted = take(&mut pipes.stderr, |bytes| {
            stderr.add(bytes);
            write(bytes);
            Ok::<(), Infallible>(())
        });
        let noted = async { noted.await.map_err(|never| match never {}) };
        let fed = async {
            feed(pipes.stdin.take(), input).await;
            Ok(())
        };
        tokio::try_join!(taken, noted, fed).map(|_| ())
    }

    /// Ends the log, and lets the listener go: nothing more comes.
    pub(super) fn finish(&mut self) {
        let rest = self.listener.take().map(|mut listener| listener(&[])).unwrap_or_default();
        let Self { log, stderr, .. } = self;
        log.iter_mut().for_each(|log| log.write(&rest));
        log.iter_mut().for_each(|log| log.finish(stderr.bytes()));
    }

    /// Whether the child printed more than it may.
    pub(super) fn is_flooded(&self) -> bool {
        self.stdout.len() > self.stdout_limit
    }

    pub(super) fn stdout(&self) -> &[u8] {
        &self.stdout
    }

    pub(super) fn stderr(&self) -> &[u8] {
        self.stderr.bytes()
    }
}

/// The exchange with a child, which goes on while one of these is awaited.
pub(super) struct Talk<'a> {
    pump: Option<BoxFuture<'a, Result<(), Flooded>>>,
}

impl Talk<'_> {
    /// Returns when the child has printed too much, and never else: closed pipes alone are no end.
    pub(super) async fn flooded(&mut self) {
        if let Some(pump) = &mut self.pump {
            let result = pump.await;
            self.pump = None;
            if result.is_err() {
                return;
            }
        }
        future::pending::<()>().await;
    }

    /// Takes what a dead child left in its pipes.
    pub(super) async fn drain(&mut self) {
        if let Some(pump) = self.pump.take() {
            let _ = timeout(DRAIN_WITHIN, pump).await;
        }
    }
}

/// A child need not read its input, or may close it early: neither is an error.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin
        && stdin.write_all(input).await.is_ok()
    {
        let _ = stdin.shutdown().await;
    }
}

/// Reads a pipe to its end.
pub(crate) async fn take<E>(
    pipe: &mut Option<impl AsyncRead + Unpin>,
    mut keep: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let Some(pipe) = pipe else { return Ok(()) };
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    // A pipe that cannot be read has nothing more to say.
    while let Ok(1..) = pipe.read_buf(&mut chunk).await {
        keep(&chunk)?;
        chunk.clear();
    }
    Ok(())
}

/// The end of a stream of any length.
#[derive(Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        // Cutting only at twice the size keeps the work linear in what arrives.
        if self.0.len() > 2 * TAIL_BYTES {
            self.0.drain(..self.0.len() - TAIL_BYTES);
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
