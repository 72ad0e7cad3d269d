//! What a program says on stderr: the end of it is kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// How much of the end is kept.
const TAIL_BYTES: usize = 16 * 1024;
/// How much of it is told when a server ends.
const TOLD_BYTES: usize = 2 * 1024;
/// How long it is waited for the end of what a program that is gone said. Someone outside its group may hold the
/// pipe, so that the end may never come.
const DRAINED_WITHIN: Duration = Duration::from_millis(200);
/// How long after its answer a server may take to say why a call failed.
const EXPLAINS_WITHIN: Duration = Duration::from_millis(300);

/// What was heard so far. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard(Arc<Mutex<Tail>>);

#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    /// How much was heard in all.
    total: usize,
}

impl Heard {
    /// Where the program is now, to ask later what it said since.
    pub(super) fn mark(&self) -> usize {
        self.tail().total
    }

    /// The last line since the mark that fits. A server says why a call failed at about the time of its answer:
    /// the line is waited for a little.
    pub(super) async fn find_since(&self, mark: usize, fits: impl Fn(&str) -> bool) -> Option<String> {
        let give_up = Instant::now() + EXPLAINS_WITHIN;
        loop {
            let said = self.since(mark);
            let line = said.lines().rev().find(|line| fits(line));
            if line.is_some() || Instant::now() >= give_up {
                return line.map(|line| line.trim().to_owned());
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn since(&self, mark: usize) -> String {
        let tail = self.tail();
        let fresh = tail.total.saturating_sub(mark).min(tail.bytes.len());
        let bytes = tail.bytes.get(tail.bytes.len() - fresh..).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn add(&self, bytes: &[u8]) {
        let mut tail = self.tail();
        tail.total = tail.total.saturating_add(bytes.len());
        tail.bytes.extend_from_slice(bytes);
        // Cutting only at twice the size keeps the work linear in what arrives.
        if tail.bytes.len() > 2 * TAIL_BYTES {
            let extra = tail.bytes.len() - TAIL_BYTES;
            tail.bytes.drain(..extra);
        }
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Someone who listens to a program's stderr.
pub(super) struct Words {
    heard: Heard,
    reader: JoinHandle<()>,
}

impl Words {
    /// Listens until the end.
    pub(super) fn listen(pipe: Option<impl AsyncRead + Unpin + Send + 'static>) -> Self {
        let heard = Heard::default();
        let kept = heard.clone();
        let reader = tokio::spawn(async move {
            let Some(mut pipe) = pipe else { return };
            let mut chunk = Vec::with_capacity(TAIL_BYTES);
            // A pipe that cannot be read has nothing more to say.
            while let Ok(1..) = pipe.read_buf(&mut chunk).await {
                kept.add(&chunk);
                chunk.clear();
            }
        });
        Self { heard, reader }
    }

    /// What is heard, also by others.
    pub(super) fn heard(&self) -> Heard {
        self.heard.clone()
    }

    /// What a program that is gone said last.
    pub(super) async fn last(&mut self) -> String {
        if !self.reader.is_finished() {
            let _ = timeout(DRAINED_WITHIN, &mut self.reader).await;
        }
        let mark = self.heard.mark().saturating_sub(TOLD_BYTES);
        self.heard.since(mark).trim().to_owned()
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_is_kept_and_only_what_was_said_since_is_looked_at() {
        let heard = Heard::default();
        for _ in 0..100 {
            heard.add(&[b'x'; 1_000]);
        }
        assert!(heard.tail().bytes.len() <= 2 * TAIL_BYTES);
        heard.add(b"\nImportError: old\n");
        let mark = heard.mark();
        let import = |line: &str| line.contains("ImportError");
        assert_eq!(heard.find_since(mark, import).await, None);
        heard.add(b"Traceback\nImportError: new\nmore\n");
        assert_eq!(heard.find_since(mark, import).await.as_deref(), Some("ImportError: new"));
    }

    #[tokio::test]
    async fn the_last_words_are_few() {
        let said = format!("{}the end", "line\n".repeat(10_000)).into_bytes();
        let mut words = Words::listen(Some(std::io::Cursor::new(said)));
        let last = words.last().await;
        assert!(last.ends_with("the end") && last.len() <= TOLD_BYTES, "{}", last.len());
        assert_eq!(words.last().await, last, "they can be asked for again");
    }
}
