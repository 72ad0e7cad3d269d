//! Who drives a run: one driver at a time, and nobody when that one is gone.

use candor_model::RunId;

use crate::BoxFuture;

/// The rights to drive the runs of an installation.
pub trait Leases: Send + Sync {
    /// Takes the right to drive a run.
    fn take<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Box<dyn Lease>, LeaseError>>;

    /// Whether somebody drives a run at the moment.
    fn is_taken<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, bool>;

    /// Returns once a run has no active driver, however the last one ended.
    fn released<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()>;
}

/// The right to drive a run, for as long as it is kept: dropping it gives it back, and so does the end of the process.
pub trait Lease: std::fmt::Debug + Send {}

/// Why a run cannot be driven here.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Someone else does.
    #[error("run {run} is being driven by another process ({holder}); watch it with `candor watch {run}`")]
    Taken {
        /// The run.
        run: RunId,
        /// Who.
        holder: String,
    },
    /// The lease cannot be written down.
    #[error("could not lock run {run} at {place}: {source}; check that the data folder can be written to")]
    Storage {
        /// The run.
        run: RunId,
        /// Where leases are kept.
        place: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}
