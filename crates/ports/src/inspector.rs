//! Inspectors: those who look things up outside the run for a phase that must not touch it.

use candor_model::{CheckKind, ReadFile, Seconds};

use crate::BoxFuture;

/// Reads files and checks results.
pub trait Inspector: Send + Sync {
    /// Reads a file by a path within the folder that the run is about; says why when it cannot be read.
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, ReadFile>;

    /// Whether a file is as it was when it was read, by its size and the time of its last change. Nothing of
    /// it is read for that. Whoever cannot tell says no, and it is read again.
    fn unchanged(&self, known: &ReadFile) -> bool {
        let _ = known;
        false
    }

    /// Checks a result: whether it passed, and what was seen. When what is returned is dropped, all that was
    /// started for it ends.
    fn check<'a>(&'a self, check: &'a CheckKind, within: Seconds) -> BoxFuture<'a, (bool, String)>;

    /// Makes a file what it was when it was read; says what was done, or why it could not be.
    fn restore<'a>(&'a self, file: &'a ReadFile) -> BoxFuture<'a, Result<String, String>> {
        let _ = file;
        Box::pin(std::future::ready(Err("it cannot write files".to_owned())))
    }
}
