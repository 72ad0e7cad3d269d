//! What a command prints, kept within bounds.

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at once: what a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;

/// What a command printed on one stream: all of it, or its beginning and its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
    limit: usize,
}

impl Captured {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// How much was printed, kept or not.
    #[must_use]
    pub const fn total_bytes(&self) -> u64 {
        self.total
    }

    /// Whether something was left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total > self.limit as u64
    }

    /// What was kept, without a mark where something is missing.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_slice(), self.end()].concat()
    }

    /// What was kept, as text, with a line that says how much is missing.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.is_cut() {
            return String::from_utf8_lossy(&self.bytes()).into_owned();
        }
        let missing = self.total - (self.head.len() + self.end().len()) as u64;
        let (head, end) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(self.end()));
        format!("{head}\n[... {missing} bytes left out ...]\n{end}")
    }

    fn add(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = (self.limit - self.limit / 2).saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Cutting only at twice the size keeps the work linear in what arrives.
        if self.tail.len() > self.limit.max(CHUNK_BYTES) {
            self.tail.drain(..self.tail.len() - self.limit / 2);
        }
    }

    fn end(&self) -> &[u8] {
        let from = self.tail.len().saturating_sub(self.limit / 2);
        self.tail.get(from..).unwrap_or_default()
    }
}

/// Reads a pipe to its end.
pub(crate) async fn take(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Captured) {
    let Some(mut pipe) = pipe else { return };
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    // A pipe that cannot be read has nothing more to say.
    while let Ok(1..) = pipe.read_buf(&mut chunk).await {
        kept.add(&chunk);
        chunk.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept_whole() {
        let mut kept = Captured::new(8);
        kept.add(b"abc");
        kept.add(b"defgh");
        assert_eq!((kept.text().as_str(), kept.is_cut()), ("abcdefgh", false));
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept() {
        let mut kept = Captured::new(8);
        (0..100_000).for_each(|n| kept.add(&[b'a' + (n % 26) as u8]));
        kept.add(b"WXYZ");
        assert!(kept.is_cut());
        assert_eq!(kept.bytes(), b"abcdWXYZ");
        assert_eq!(kept.text(), "abcd\n[... 99996 bytes left out ...]\nWXYZ");
        assert!(kept.tail.len() <= 2 * CHUNK_BYTES);
    }
}
