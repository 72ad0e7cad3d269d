//! How sure Candor is of a plan: before it runs, and how far its outcome moves that.
//!
//! [`before`] fits what is known before a run. Beside it this module owns the bonus for a clean run and the price of
//! failures that no revision has paid for. It refuses to
//! charge a failure twice: callers count only the failures that caused no revision.

mod before;

use candor_model::Confidence;

pub use self::before::{Evidence, Fit, Origin, before};

const SUCCESS_BONUS: f64 = 0.05;
const PENALTY_PER_FAILURE: f64 = 0.10;
const PENALTY_OF_THREE: f64 = 0.35;
const PENALTY_BEYOND_THREE: f64 = 0.15;

/// Raises the confidence in a plan whose every task succeeded, in full and without any revision.
#[must_use]
pub fn success_bonus(confidence: Confidence, revisions_made: u32, partial_successes: u32) -> Confidence {
    if revisions_made == 0 && partial_successes == 0 { confidence.shifted(SUCCESS_BONUS) } else { confidence }
}

/// Gives what a number of failures takes from confidence, as a number that is negative or zero.
#[must_use]
pub fn failure_penalty(failures: u32) -> f64 {
    match failures {
        0 => 0.0,
        1 | 2 => -PENALTY_PER_FAILURE * f64::from(failures),
        more => -PENALTY_OF_THREE - PENALTY_BEYOND_THREE * f64::from(more - 3),
    }
}

/// Lowers confidence by the failures that no revision has paid for.
#[must_use]
pub fn after_failures(confidence: Confidence, unpaid_failures: u32) -> Confidence {
    confidence.shifted(failure_penalty(unpaid_failures))
}
