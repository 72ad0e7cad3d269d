//! How often a server may be started. Pure: the time comes in.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How many starts there may be in [`WINDOW`].
const MAX_STARTS: usize = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// How long the second failure in a row makes the next start wait; each further one doubles it.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The starts of a server, and what became of them.
#[derive(Debug, Default)]
pub(super) struct Restarts {
    starts: VecDeque<Instant>,
    failures: u32,
    not_before: Option<Instant>,
    total: u32,
}

impl Restarts {
    /// How long the next start has to wait; nothing if it may be made now.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        let crowded = self.starts.len() >= MAX_STARTS;
        let free = self.starts.front().filter(|_| crowded).map(|first| *first + WINDOW);
        let until = free.into_iter().chain(self.not_before).max()?;
        Some(until.saturating_duration_since(now)).filter(|wait| !wait.is_zero())
    }

    /// Counts a start against the limit.
    pub(super) fn started(&mut self, now: Instant) {
        while self.starts.front().is_some_and(|first| *first + WINDOW <= now)
            || self.starts.len() >= MAX_STARTS
        {
            self.starts.pop_front();
        }
        self.starts.push_back(now);
        self.total = self.total.saturating_add(1);
    }

    /// Notes that it could not be started, or ended by itself. The first time it may be started again at once:
    /// a server that crashed is usually as good as new.
    pub(super) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        let doublings = self.failures.saturating_sub(2).min(16);
        let wait = FIRST_WAIT.saturating_mul(1 << doublings).min(LONGEST_WAIT);
        self.not_before = (self.failures > 1).then(|| now + wait);
    }

    /// Notes that it works.
    pub(super) fn works(&mut self) {
        self.failures = 0;
        self.not_before = None;
    }

    /// How often it was started again.
    pub(super) fn again(&self) -> u32 {
        self.total.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_crash_costs_no_wait_and_each_further_one_twice_as_much() {
        let now = Instant::now();
        let mut restarts = Restarts::default();
        let waits: Vec<_> = (0..9)
            .map(|_| {
                restarts.failed(now);
                restarts.wait(now).map_or(0, |wait| wait.as_millis())
            })
            .collect();
        assert_eq!(waits, [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
        restarts.works();
        assert_eq!(restarts.wait(now), None);
    }

    #[test]
    fn there_are_only_so_many_starts_in_a_minute() {
        let now = Instant::now();
        let mut restarts = Restarts::default();
        for second in 0..10 {
            let at = now + Duration::from_secs(second);
            assert_eq!(restarts.wait(at), None);
            restarts.started(at);
        }
        assert_eq!(restarts.wait(now + Duration::from_secs(10)), Some(Duration::from_secs(50)));
        assert_eq!(restarts.wait(now + Duration::from_secs(60)), None);
        assert_eq!(restarts.again(), 9);
    }
}
