//! How often and after how long a failed call is made once more.

use candor_model::Seconds;
use serde::{Deserialize, Serialize};

/// The part of a delay that chance may add to it.
const JITTER: f64 = 0.1;

/// How failed calls are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// How often a call is repeated on one tier.
    pub max_retries: u32,
    /// How long to wait before the first repetition.
    pub initial_delay: Seconds,
    /// How long to wait at most.
    pub max_delay: Seconds,
    /// By how much each wait is longer than the one before.
    pub multiplier: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            initial_delay: Seconds::from_millis(1_000),
            max_delay: Seconds::from_millis(30_000),
            multiplier: 2,
        }
    }
}

impl Policy {
    /// How long to wait after so many repetitions; nothing if the provider asks for more than the longest
    /// wait.
    #[must_use]
    pub fn delay(&self, done: u32, retry_after: Option<Seconds>, jitter: f64) -> Option<Seconds> {
        let longest = self.max_delay.as_millis();
        let asked = retry_after.map_or(0, Seconds::as_millis);
        if asked > longest {
            return None;
        }
        let factor = u64::from(self.multiplier.max(1)).saturating_pow(done);
        let plain = self.initial_delay.as_millis().saturating_mul(factor).min(longest);
        // Never earlier than asked; chance only ever adds to it.
        let base = plain.max(asked);
        Some(Seconds::from_millis(base.saturating_add(spread(base, jitter))))
    }

    /// What is wrong with these settings, each with its key and what is allowed.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.max_retries > 10 {
            found.push(format!("max_retries: must be from 0 to 10, is {}", self.max_retries));
        }
        if !(1..=10).contains(&self.multiplier) {
            found.push(format!("multiplier: must be from 1 to 10, is {}", self.multiplier));
        }
        if self.initial_delay.as_millis() > self.max_delay.as_millis() {
            found.push("initial_delay: must be at most max_delay".to_owned());
        }
        found
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a tenth of a delay in milliseconds is small and not negative"
)]
fn spread(base: u64, jitter: f64) -> u64 {
    let share = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
    (base as f64 * JITTER * share) as u64
}
