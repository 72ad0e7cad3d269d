//! `[serve]`: how much a server takes on.

use serde::Deserialize;

/// How much a server takes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Serve {
    /// How many runs are driven at once; at least one. Further runs wait in a queue.
    pub max_active_runs: usize,
    /// How many runs may wait; what is beyond is refused.
    pub max_queued_runs: usize,
}

impl Default for Serve {
    fn default() -> Self {
        Self { max_active_runs: 32, max_queued_runs: 10_000 }
    }
}
