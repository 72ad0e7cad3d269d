//! How a log is opened.

use std::time::Duration;

/// How a log is opened. The defaults suit one process with some hundred runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenOptions {
    /// How many appends may wait for the writer before callers are held back.
    pub queue: usize,
    /// How many threads read at the same time.
    pub readers: usize,
    /// How long another process may hold the file before opening it gives up. Many that open a new log at once wait for
    /// each other.
    pub open_timeout: Duration,
    /// How long another process may hold the file before an operation gives up. A driver whose append gives up ends, so this is no
    /// shorter: where many processes write to a slow disk, one of them may wait for seconds.
    pub busy_timeout: Duration,
    /// An event whose body is longer than this many bytes is stored once, by the hash of its content.
    pub large_body: usize,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            queue: 1024,
            readers: 2,
            open_timeout: Duration::from_secs(30),
            busy_timeout: Duration::from_secs(30),
            large_body: 32 * 1024,
        }
    }
}
