//! How long a call may go on.

use std::time::{Duration, Instant};

use candor_model::{ToolErrorKind, ToolProblem};
use tokio_util::sync::CancellationToken;

use super::problem;

/// A deadline and a stop.
#[derive(Clone)]
pub(super) struct Patience {
    within: Duration,
    until: Option<Instant>,
    pub(super) stop: CancellationToken,
}

impl Patience {
    pub(super) fn new(within: Duration, stop: CancellationToken) -> Self {
        Self { within, until: Instant::now().checked_add(within), stop }
    }

    /// How much time is left.
    pub(super) fn left(&self) -> Duration {
        self.until.map_or(self.within, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Fails when it is time to end.
    pub(super) fn check(&self) -> Result<(), ToolProblem> {
        if self.stop.is_cancelled() {
            Err(stopped())
        } else if self.left().is_zero() {
            Err(self.timed_out())
        } else {
            Ok(())
        }
    }

    pub(super) fn timed_out(&self) -> ToolProblem {
        problem(ToolErrorKind::Timeout, format!("no end after {} ms", self.within.as_millis()))
    }
}

pub(super) fn stopped() -> ToolProblem {
    problem(ToolErrorKind::Cancelled, "it was asked to stop")
}
