//! How much a command may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How much a command may use, with everything that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Memory: of one process, enforced by the kernel; of all together, looked at ten times a second.
    pub memory_bytes: u64,
    /// Time on a processor, for each process.
    pub cpu_seconds: u64,
    /// How large a file may become.
    pub file_bytes: u64,
    /// How large its temporary folder may become altogether, if it matters: enforced by the kernel where that
    /// folder is a world's own, and looked at ten times a second elsewhere.
    pub folder_bytes: Option<u64>,
    /// How many processes may run at a time, looked at ten times a second.
    pub processes: usize,
    /// How many threads all of its processes may have together: enforced by the kernel in namespaces of a user other than
    /// root, and looked at elsewhere. The kernel counts nothing of root, and outside of namespaces everything of a user.
    pub threads: u64,
    /// How much is kept of what it prints, for stdout and stderr each: the beginning and the end.
    pub output_bytes: usize,
    /// After how long it is killed.
    pub wall: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 2 * 1024 * 1024 * 1024,
            cpu_seconds: 300,
            file_bytes: 1024 * 1024 * 1024,
            folder_bytes: None,
            processes: 128,
            threads: 4 * 1024,
            output_bytes: 64 * 1024,
            wall: Duration::from_secs(60),
        }
    }
}
