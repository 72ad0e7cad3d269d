//! Waiting for the end of an attempt: its deadline, or the order to stop.

use std::time::Duration;

use candor_model::{Failure, WorkOrder};
use candor_ports::AgentFailure;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A deadline further away than this is this: clocks cannot count to the largest number of seconds.
pub(crate) const FAR_AWAY: Duration = Duration::from_secs(365 * 24 * 3600);

/// The moment at which an attempt that starts now must have ended.
pub(crate) fn deadline_of(order: &WorkOrder) -> Instant {
    Instant::now() + Duration::from_millis(order.deadline_seconds.as_millis()).min(FAR_AWAY)
}

/// Returns when the attempt has to end without an answer, with the reason.
pub(crate) async fn until_over(
    order: &WorkOrder,
    deadline: Instant,
    stop: &CancellationToken,
) -> AgentFailure {
    tokio::select! {
        biased;
        () = stop.cancelled() => AgentFailure::Stopped,
        () = tokio::time::sleep_until(deadline) => Failure::timed_out(order.deadline_seconds).into(),
    }
}
