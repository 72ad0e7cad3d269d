//! Loop detection: the same call failing in the same way again and again, or many steps
//! in a row that bring nothing.
//!
//! The watch is a plain value that is folded with the run, so that it survives a restart. It decides nothing:
//! a trip says what was seen, and the run is re-planned.

use candor_model::{AgentType, JsonMap, LoopGuard};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::texts;

/// How many different failing calls are remembered; the oldest are forgotten first.
const REMEMBERED: usize = 64;

/// How much of a failure is quoted.
const QUOTED_CHARS: usize = 120;

/// What was seen so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watch {
    failing: Vec<Failing>,
    without_progress: u32,
}

/// A call that fails in one way, and how often it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Failing {
    call: String,
    way: String,
    times: u32,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// The call gave what it was made for.
    Succeeded,
    /// Badly, because of this.
    Failed(&'a str),
}

/// A loop was detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trip {
    /// What was seen.
    pub kind: TripKind,
    /// The same, for people.
    pub text: String,
}

/// The kind of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TripKind {
    /// The same call failed in the same way so often. Others may have failed in between: calls that take
    /// turns at failing are seen too, however many there are.
    Identical {
        /// Number of failures of this call in this way.
        times: u32,
    },
    /// So many steps in a row failed.
    NoProgress {
        /// Number of steps without a success.
        steps: u32,
    },
}

impl Watch {
    /// Notes how a call ended. What trips is forgotten, so that it does not trip again with the next step.
    pub fn note(&mut self, call: &str, outcome: Outcome<'_>, limits: &LoopGuard) -> Option<Trip> {
        let Outcome::Failed(reason) = outcome else {
            // What others fail at is still failing: only the call that went well is forgiven.
            self.failing.retain(|failing| failing.call != call);
            self.without_progress = 0;
            return None;
        };
        self.without_progress = self.without_progress.saturating_add(1);
        let (steps, times) = (self.without_progress, self.count(call, reason));
        let reached = |count: u32, limit: u32| limit > 0 && count >= limit;
        let kind = if reached(times, limits.identical_calls) {
            TripKind::Identical { times }
        } else if reached(steps, limits.steps_without_progress) {
            TripKind::NoProgress { steps }
        } else {
            return None;
        };
        if matches!(kind, TripKind::Identical { .. }) {
            self.failing.retain(|failing| failing.call != call);
        }
        // Both answers are the same, a new plan: it is given a fair start.
        if reached(steps, limits.steps_without_progress) {
            self.without_progress = 0;
        }
        Some(Trip { kind, text: kind.said(reason) })
    }

    /// Notes that a task failed for the first time. That is news, and no circle: many tasks may fail once each.
    pub fn note_first(&mut self, call: &str, reason: &str) {
        self.count(call, reason);
    }

    /// How often the call has failed in this way by now.
    fn count(&mut self, call: &str, reason: &str) -> u32 {
        let way = alike(reason);
        if let Some(known) = self.failing.iter_mut().find(|known| known.call == call && known.way == way) {
            known.times = known.times.saturating_add(1);
            return known.times;
        }
        if self.failing.len() >= REMEMBERED {
            self.failing.remove(0);
        }
        self.failing.push(Failing { call: call.to_owned(), way, times: 1 });
        1
    }
}

impl TripKind {
    fn said(self, reason: &str) -> String {
        let reason = texts::shortened(&texts::plain(reason), QUOTED_CHARS);
        match self {
            Self::Identical { times } => {
                format!("the same call failed {times} times in the same way ({reason}); it is re-planned")
            }
            Self::NoProgress { steps } => {
                format!("{steps} steps in a row brought nothing, the last one: {reason}; it is re-planned")
            }
        }
    }
}

/// Failures that differ only in their numbers (times, ids, sizes) are alike.
fn alike(reason: &str) -> String {
    let mut way = String::with_capacity(reason.len().min(QUOTED_CHARS));
    let mut in_number = false;
    for letter in reason.trim().chars().take(QUOTED_CHARS) {
        let digit = letter.is_ascii_digit();
        if !digit {
            way.extend(letter.to_lowercase());
        } else if !in_number {
            way.push('#');
        }
        in_number = digit;
    }
    way
}

/// What makes two calls the same: who is asked, for what, with which inputs.
#[must_use]
pub fn fingerprint(agent: &AgentType, description: &str, inputs: &JsonMap) -> String {
    let words = description.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut hash = Sha256::new();
    for part in [agent.as_str(), &words, &serde_json::to_string(inputs).unwrap_or_default()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    candor_model::hex(hash.finalize().iter().take(8))
}
