//! The same agent with the same inputs once more, after a wait.
//!
//! Applies to failures that may pass by themselves. Whether they do is the failure's own word; how often it is tried
//! is said by the task, else by its agent, else by the run.

use candor_model::{Failure, RetryPolicy, Seconds, Transience};
use sha2::{Digest, Sha256};

use super::{Situation, Step, last_resort};
use crate::texts::{self, english};

/// No wait is longer, in seconds: whoever wants to be left alone for longer than this is not waited for.
const MAX_WAIT: u32 = 120;
/// Each wait is so many times as long as the one before.
const GROWTH: u32 = 4;
/// The largest part of a wait that is added to it, so that tasks which failed together do not come back together.
const JITTER: f64 = 0.25;
/// Repetitions of a failure of which nobody knows whether it passes, where only the run's default speaks.
const UNKNOWN_RETRIES: u32 = 1;

/// The repetition, if one is left and it may help.
pub(super) fn step(situation: &Situation<'_>) -> Option<Step> {
    let failure = situation.feedback.failure.as_ref()?;
    // A detected loop is not broken by one more repetition.
    if situation.loop_detected || waits_too_long(failure) || is_still_out(situation) {
        return None;
    }
    let (policy, explicit) = policy(situation)?;
    let allowed = match failure.transience {
        Transience::Transient => policy.max_retries,
        // Who sets a policy for one agent or task knows what its failures are worth.
        Transience::Unknown if explicit => policy.max_retries,
        Transience::Unknown => policy.max_retries.min(UNKNOWN_RETRIES),
        Transience::Permanent => 0,
    };
    (situation.retries_used < allowed).then(|| Step::Retry { after: wait(situation, failure, policy) })
}

/// The cause in one line, and why it is not waited for where that is so.
pub(super) fn last_words(situation: &Situation<'_>) -> String {
    if let Some(failed) = last_resort::before(situation) {
        return english::direct_answer_failed_too(&texts::cause(&failed.errors));
    }
    let cause = texts::cause(&situation.feedback.errors);
    match situation.feedback.failure.as_ref().filter(|failure| waits_too_long(failure)) {
        Some(Failure { retry_after: Some(after), .. }) => {
            format!("{cause} (it may be asked again in {after} s; a run waits {MAX_WAIT} s at most)")
        }
        _ => cause,
    }
}

/// Whether the agent failed at a repetition too and gets no calls for a while: another one would wait for its circuit
/// each time, only to find out the same.
fn is_still_out(situation: &Situation<'_>) -> bool {
    let agents = situation.context.agents;
    situation.retries_used > 0
        && agents.is_some_and(|agents| agents.open.contains_key(&situation.task.agent_type))
}

fn waits_too_long(failure: &Failure) -> bool {
    failure.retry_after.is_some_and(|after| after > Seconds::whole(MAX_WAIT))
}

/// The most specific policy, and whether it was set for this task or agent.
fn policy(situation: &Situation<'_>) -> Option<(RetryPolicy, bool)> {
    let task = situation.task;
    let agent = situation.context.agents.and_then(|agents| agents.known.get(&task.agent_type));
    let own = task.retry_policy.or_else(|| agent.and_then(|agent| agent.retry));
    let default = situation.context.settings.retry;
    own.map(|policy| (policy, true)).or_else(|| default.map(|policy| (policy, false)))
}

/// The wait before the next repetition; never shorter than the agent asks for.
fn wait(situation: &Situation<'_>, failure: &Failure, policy: RetryPolicy) -> Seconds {
    let growth = GROWTH.saturating_pow(situation.retries_used);
    let own = policy.backoff_seconds.get() * f64::from(growth);
    let wanted = failure.retry_after.unwrap_or(Seconds::ZERO).get();
    let base = own.min(f64::from(MAX_WAIT)).max(wanted);
    Seconds::new(base * (1.0 + JITTER * fraction(situation))).unwrap_or_default()
}

/// A number from 0 to 1 that is the same for the same attempt, because the core has no randomness.
fn fraction(situation: &Situation<'_>) -> f64 {
    let mut hash = Sha256::new();
    hash.update(situation.run_id.as_str());
    hash.update([0]);
    hash.update(situation.task.task_id.as_str());
    hash.update(situation.attempt.to_le_bytes());
    let bytes = hash.finalize();
    let number = bytes.iter().take(4).fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
    f64::from(number) / f64::from(u32::MAX)
}
