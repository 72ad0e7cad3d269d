//! Failures and what is done about them.

use candor_model::{Confidence, ReplanStrategy, Seconds};

use super::duration;

pub(crate) const RECOVERY_TITLE: &str = "Recovery Strategy";
pub(crate) const ASKING_MODEL: &str = "Asking a model for another approach";
pub(crate) const ANOTHER_APPROACH: &str = "Taking another approach";
pub(crate) const ANOTHER_APPROACH_IMPACT: &str = "Results may differ from what was first planned";
pub(crate) const DELAY_UNTIL_MODEL: &str = "until the model answers";
pub(crate) const AWAITING_HUMAN: &str = "Waiting for your input";
pub(crate) const GIVING_UP: &str = "Nothing is left to try; what does not need it goes on";
pub(crate) const DELAY_UNTIL_ANSWER: &str = "until a person answers";
pub(crate) const DELAY_ENDS_HERE: &str = "the task ends here";
const DELAY_RETRY: &str = "2-3 seconds";
const DELAY_DECOMPOSE: &str = "3-5 seconds";

pub(crate) fn error_summary(name: &str, cause: &str) -> String {
    format!("{name} failed: {cause}")
}

/// What is being done, in a few words.
pub(crate) fn doing(strategy: ReplanStrategy, agent: Option<&str>) -> String {
    match (strategy, agent) {
        (ReplanStrategy::RetryDifferentAgent, Some(agent)) => format!("Retrying with {agent}"),
        (ReplanStrategy::RetryDifferentAgent, None) => "Retrying with backup agent".to_owned(),
        (other, _) => recovery(other).what.to_owned(),
    }
}

/// What a strategy costs in time.
pub(crate) fn delay(strategy: ReplanStrategy, rerun: Seconds) -> String {
    match strategy {
        ReplanStrategy::RetryDifferentAgent => DELAY_RETRY.to_owned(),
        ReplanStrategy::DecomposeFurther => DELAY_DECOMPOSE.to_owned(),
        ReplanStrategy::AdjustParameters
        | ReplanStrategy::FindWorkaround
        | ReplanStrategy::FixDependencies
        | ReplanStrategy::Unknown => duration(rerun),
    }
}

/// What is said of a recovery, apart from its numbers.
pub(crate) struct RecoveryText {
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
    pub(crate) impact: &'static str,
}

pub(crate) const fn recovery(strategy: ReplanStrategy) -> RecoveryText {
    let (what, why, impact) = match strategy {
        ReplanStrategy::RetryDifferentAgent => {
            ("Trying the task with a different agent", "The previous agent failed at it", "Adds 2-3 seconds")
        }
        ReplanStrategy::DecomposeFurther => (
            "Breaking the task into smaller steps",
            "The task was too complex for one operation",
            "Adds 3-5 seconds, with better chances of success",
        ),
        ReplanStrategy::AdjustParameters => (
            "Adjusting the search parameters",
            "The original values broke the budget or another limit",
            "Results may differ, for example be cheaper",
        ),
        ReplanStrategy::FindWorkaround => (
            "Looking for another way to the same result",
            "Doing the same thing again would not help",
            "Results may differ from what was first planned",
        ),
        ReplanStrategy::FixDependencies => (
            "Connecting the waiting tasks to what replaces the failed one",
            "A task that they depend on failed",
            "The waiting tasks start later, and may have to do without a result",
        ),
        ReplanStrategy::Unknown => (
            "Attempting recovery",
            "The cause of the failure is not clear yet",
            "What it means for time and result is not known yet",
        ),
    };
    RecoveryText { what, why, impact }
}

/// The difference up to which confidence is only "slightly" reduced.
const SLIGHT: f64 = 0.1 + 1e-9;

pub(crate) fn confidence_moved(before: Confidence, after: Confidence) -> String {
    let lost = before.get() - after.get();
    let (before, after) = (before.get(), after.get());
    if lost > SLIGHT {
        format!("Reduced from {before:.2} to {after:.2}")
    } else if lost > 0.0 {
        format!("Slightly reduced, from {before:.2} to {after:.2}")
    } else if lost < 0.0 {
        format!("Raised from {before:.2} to {after:.2}")
    } else {
        format!("Unchanged at {after:.2}")
    }
}

pub(crate) fn retrying_same_agent(after: Seconds) -> String {
    if after == Seconds::ZERO {
        return "Retrying with the same agent".to_owned();
    }
    format!("Retrying with the same agent in {}", duration(after))
}

pub(crate) fn direct_answer_failed_too(cause: &str) -> String {
    format!("{cause} (a model could not answer directly either)")
}
