//! From what SQLite says to what the log says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_ports::LogError;
use rusqlite::ErrorCode;

/// Says that `doing` failed because of `source`.
pub(crate) fn storage(
    doing: &'static str,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> LogError {
    LogError::Storage { doing, source: source.into() }
}

/// Makes a `map_err` argument that says what was being done.
pub(crate) fn while_doing(doing: &'static str) -> impl Fn(rusqlite::Error) -> LogError {
    move |error| storage(doing, error)
}

/// Whether an error means that the file is damaged, rather than that the world is in the way.
///
/// A value of the wrong type, or a table that is missing in a database of the right version, is damage too:
/// it shows only while a log is opened, where every statement is known to fit the schema.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(code) => {
            matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
        }
        None => true,
    }
}

/// An error with the file it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub(crate) struct AtPath {
    path: PathBuf,
    #[source]
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// Says that `doing` failed at `path`.
pub(crate) fn at_path(
    doing: &'static str,
    path: &Path,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> LogError {
    storage(doing, AtPath { path: path.to_owned(), source: source.into() })
}

/// One failure that many callers are told.
#[derive(Debug, Clone, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Shared(Arc<rusqlite::Error>);

impl From<rusqlite::Error> for Shared {
    fn from(error: rusqlite::Error) -> Self {
        Self(Arc::new(error))
    }
}
