//! Who did what: every request that changes something, with the name of its token, on a stream of the installation.

use std::sync::Arc;

use candor_app::{AppError, Service, both, tell};
use candor_model::{RunId, Timestamp};
use candor_ports::{Stream, StreamNote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::auth;

/// The file that held the audit before it was a stream.
const FILE: &str = "audit.jsonl";
/// What that file is called once it was read.
const READ_FILE: &str = "audit.jsonl.imported";
/// How far back entries are looked for before everything is read.
const RECENT_MS: i64 = 7 * 24 * 3_600_000;

/// An entry of the audit log: who did what, and when.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct AuditEntry {
    /// Moment of the act.
    pub(crate) at: Timestamp,
    /// The name of the token.
    pub(crate) actor: String,
    /// Act in one word, with its object.
    pub(crate) action: String,
    /// The run, if it concerns one.
    pub(crate) run_id: Option<RunId>,
    /// The rest: the question and the decision, or why.
    pub(crate) detail: String,
}

/// The audit of an installation.
pub(crate) struct Audit(Arc<Service>);

impl Audit {
    pub(crate) fn of(service: &Arc<Service>) -> Self {
        Self(Arc::clone(service))
    }

    /// Notes what was done. What cannot be noted is told on standard error: the deed is on the run's log all the same.
    pub(crate) async fn note(&self, entry: &AuditEntry) {
        if let Err(error) = self.append(entry).await {
            tell(&both!(
                "the audit could not be written: {error}",
                "no se pudo escribir la auditoría: {error}"
            ));
        }
    }

    async fn append(&self, entry: &AuditEntry) -> Result<(), AppError> {
        let body = serde_json::to_value(entry).map_err(AppError::failed)?;
        let (stream, at, run, key) = (Stream::Audit, entry.at, entry.run_id.clone(), entry.actor.clone());
        self.0.append_note(StreamNote { stream, at, run, key, body }).await
    }

    /// The latest entries, the last first.
    pub(crate) async fn latest(&self, limit: usize) -> Result<Vec<AuditEntry>, AppError> {
        let recent = Timestamp::from_millis(auth::now().as_millis().saturating_sub(RECENT_MS));
        let mut notes = self.0.notes(Stream::Audit, recent).await?;
        if notes.len() < limit {
            notes = self.0.notes(Stream::Audit, Timestamp::EPOCH).await?;
        }
        let read = |note: StreamNote| serde_json::from_value(note.body).ok();
        Ok(notes.into_iter().rev().filter_map(read).take(limit).collect())
    }

    /// Takes the file over that held the audit before, once. What a crash left half done is finished.
    pub(crate) async fn import(&self) -> Result<(), AppError> {
        let path = self.0.folder().join(FILE);
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(()) };
        let known = self.0.notes(Stream::Audit, Timestamp::EPOCH).await?;
        let known: Vec<Value> = known.into_iter().map(|note| note.body).collect();
        for entry in text.lines().filter_map(|line| serde_json::from_str::<AuditEntry>(line).ok()) {
            if !known.contains(&serde_json::to_value(&entry).map_err(AppError::failed)?) {
                self.append(&entry).await?;
            }
        }
        std::fs::rename(&path, self.0.folder().join(READ_FILE)).map_err(AppError::failed)
    }
}
