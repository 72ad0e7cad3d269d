//! A reader that ends the conversation when one line grows beyond all measure.
//!
//! A message is a line. Without this a server that never ends its line would fill the memory, or be read for ever.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// How long a message may be.
pub(super) const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Whether the limit was passed.
#[derive(Debug, Clone, Default)]
pub(super) struct Flooded(Arc<AtomicBool>);

impl Flooded {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Reads lines of bounded length; the one that is too long is an error, and nothing is read after it.
pub(super) struct Bounded<R> {
    inner: R,
    line: usize,
    flooded: Flooded,
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, flooded: Flooded) -> Self {
        Self { inner, line: 0, flooded }
    }

    /// Counts what has come; says whether it is too much.
    fn count(&mut self, bytes: &[u8]) -> bool {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            if self.line > MAX_MESSAGE_BYTES {
                return true;
            }
            if piece.ends_with(b"\n") {
                self.line = 0;
            }
        }
        false
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        if !this.flooded.is_set() {
            ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        }
        let fresh = buf.filled().get(before..).unwrap_or_default();
        if this.flooded.is_set() || this.count(fresh) {
            this.flooded.0.store(true, Ordering::Relaxed);
            // Who fails has read nothing.
            buf.set_filled(before);
            let problem = format!("a message is longer than {MAX_MESSAGE_BYTES} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, problem)));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(bytes: &[u8]) -> (usize, bool) {
        let flooded = Flooded::default();
        let mut all = Vec::new();
        let _ = Bounded::new(bytes, flooded.clone()).read_to_end(&mut all).await;
        (all.len(), flooded.is_set())
    }

    #[tokio::test]
    async fn lines_of_the_allowed_length_pass_however_many_there_are() {
        let mut lines = vec![b'x'; MAX_MESSAGE_BYTES];
        lines.splice(MAX_MESSAGE_BYTES - 1.., *b"\n");
        let twice = [lines.as_slice(), lines.as_slice(), b"end"].concat();
        assert_eq!(read(&twice).await, (2 * MAX_MESSAGE_BYTES + 3, false));
    }

    #[tokio::test]
    async fn one_that_is_too_long_ends_it() {
        let (length, flooded) = read(&vec![b'x'; 3 * MAX_MESSAGE_BYTES]).await;
        assert!(flooded && length <= MAX_MESSAGE_BYTES + 64 * 1024, "{length}");
    }
}
