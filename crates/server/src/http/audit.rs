//! Who did what: every request that changes something, with the name of its token, in one append-only file.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use candor_model::{RunId, Timestamp};
use candor_ports::private;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The file in the data folder, one JSON object per line.
const FILE: &str = "audit.jsonl";

/// What somebody did.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct AuditEntry {
    /// When.
    pub(crate) at: Timestamp,
    /// The name of the token.
    pub(crate) actor: String,
    /// What.
    pub(crate) action: String,
    /// The run, if it concerns one.
    pub(crate) run_id: Option<RunId>,
    /// The rest: the question and the decision, or why.
    pub(crate) detail: String,
}

/// The file of an installation.
pub(crate) struct Audit {
    path: PathBuf,
    /// One line at a time.
    writing: Mutex<()>,
}

impl Audit {
    pub(crate) fn of(data: &Path) -> Self {
        Self { path: data.join(FILE), writing: Mutex::new(()) }
    }

    /// Notes what was done. What cannot be noted is told on standard error: the deed is on the run's log all the same.
    pub(crate) fn note(&self, entry: &AuditEntry) {
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(entry).unwrap_or_default() + "\n";
        let file = OpenOptions::new().append(true).create(true).mode(private::FILE).open(&self.path);
        if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
            eprintln!("candor: {} could not be written: {error}", self.path.display());
        }
    }

    /// The latest entries, the last first.
    pub(crate) fn latest(&self, limit: usize) -> Vec<AuditEntry> {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().rev().take(limit).filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
