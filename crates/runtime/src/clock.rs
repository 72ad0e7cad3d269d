//! The time that runs see: the wall's at the start, then a clock that cannot be set.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use candor_model::Timestamp;

/// A clock that never goes back, whatever happens to the computer's.
///
/// A run that is resumed while the computer's clock stands before its last event goes on from that event's
/// time; otherwise its waits would last until the clock has caught up.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    origin: Timestamp,
}

impl Clock {
    /// A clock that shows the computer's time, or `not_before` if that is later.
    #[must_use]
    pub fn starting_at(not_before: Timestamp) -> Self {
        Self { started: Instant::now(), origin: wall().max(not_before) }
    }

    /// The present, never before what the clock started at.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.origin.as_millis().saturating_add(passed))
    }

    /// How long it is until `at`; nothing if it is past.
    #[must_use]
    pub fn until(&self, at: Timestamp) -> Duration {
        let left = at.as_millis().saturating_sub(self.now().as_millis());
        Duration::from_millis(u64::try_from(left).unwrap_or(0))
    }
}

/// What the computer's clock shows.
#[must_use]
pub fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_from_the_future_goes_on_from_its_last_event() {
        let future = Timestamp::from_millis(wall().as_millis() + 3_600_000);
        let clock = Clock::starting_at(future);
        assert!(clock.now() >= future);
        assert!(clock.until(Timestamp::from_millis(future.as_millis() + 50)) <= Duration::from_millis(50));
    }
}
