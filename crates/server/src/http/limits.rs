//! Limits: requests per caller, failed logins per address, open streams, connections, sizes and times.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;

/// How many bytes a body may have.
pub(super) const BODY: usize = 4 * 1024 * 1024;
/// How long a request may take, its body included; streams are not bound by it.
pub(super) const REQUEST: Duration = Duration::from_secs(30);
/// How long a connection may take for the head of a request, and rest between two.
pub(super) const HEAD: Duration = Duration::from_secs(20);
/// The same where more than half of the places are taken: a crowd that says nothing must not keep others out for long.
pub(super) const HURRIED_HEAD: Duration = Duration::from_secs(1);
/// How long a peer may leave what was sent to it unread before its connection is closed.
pub(super) const UNREAD: Duration = Duration::from_secs(30);
/// How many connections are served at once.
pub(super) const CONNECTIONS: usize = 4096;
/// How many streams are open at once.
const STREAMS: usize = 2048;
/// How many requests a caller may make at once, and how many more each second.
const REQUESTS: Rate = Rate { burst: 2000.0, per_second: 200.0 };
/// How often a wrong token may come from an address.
const FAILURES: Rate = Rate { burst: 20.0, per_second: 0.5 };
/// How many callers are remembered. Beyond that the ones that have been silent longest are forgotten.
const REMEMBERED: usize = 10_000;

/// The right to have a stream open.
pub(super) type Permit = OwnedSemaphorePermit;

/// Rates of requests and failures, and the number of open streams.
pub(super) struct Limits {
    requests: Mutex<HashMap<String, Bucket>>,
    failures: Mutex<HashMap<IpAddr, Bucket>>,
    streams: Arc<Semaphore>,
}

struct Rate {
    burst: f64,
    per_second: f64,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self {
            requests: Mutex::default(),
            failures: Mutex::default(),
            streams: Arc::new(Semaphore::new(STREAMS)),
        }
    }

    /// Counts a request of a caller.
    pub(super) fn request(&self, caller: &str) -> Result<(), Problem> {
        take(&self.requests, caller.to_owned(), &REQUESTS)
    }

    /// Counts a wrong token.
    pub(super) fn failure(&self, address: IpAddr) -> Result<(), Problem> {
        take(&self.failures, address, &FAILURES)
    }

    /// Counts a stream until its permit is dropped.
    pub(super) fn stream(&self) -> Result<Permit, Problem> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| Problem::too_many(10))
    }
}

fn take<K: std::hash::Hash + Eq + Clone>(
    buckets: &Mutex<HashMap<K, Bucket>>,
    key: K,
    rate: &Rate,
) -> Result<(), Problem> {
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    if buckets.len() >= REMEMBERED {
        // A bucket that is full again says nothing.
        buckets.retain(|_, bucket| refilled(bucket, now, rate) < rate.burst);
    }
    let bucket = buckets.entry(key).or_insert(Bucket { left: rate.burst, at: now });
    bucket.left = refilled(bucket, now, rate);
    bucket.at = now;
    if bucket.left < 1.0 {
        let seconds = ((1.0 - bucket.left) / rate.per_second).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
        return Err(Problem::too_many(seconds as u64));
    }
    bucket.left -= 1.0;
    Ok(())
}

fn refilled(bucket: &Bucket, now: Instant, rate: &Rate) -> f64 {
    let since = now.saturating_duration_since(bucket.at).as_secs_f64();
    since.mul_add(rate.per_second, bucket.left).min(rate.burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_who_asks_too_often_is_told_to_wait_and_others_are_not() {
        let limits = Limits::new();
        let allowed = (0..4_000).take_while(|_| limits.request("a").is_ok()).count();
        assert!((2000..2500).contains(&allowed), "{allowed}");
        // On a busy machine there may be leave for one more by now.
        let refused = (0..100).find_map(|_| limits.request("a").err());
        assert_eq!(refused.unwrap().status(), 429);
        assert!(limits.request("b").is_ok());
    }
}
