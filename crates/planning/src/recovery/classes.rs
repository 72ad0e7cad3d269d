//! The class of a failure: its row of the table.
//!
//! Owns the rules by which the kind of a failure becomes a [`ReplanStrategy`]. It reads no text: a kind is set where
//! the failure happens.

use candor_model::{ExecutionFeedback, FailureKind, ReplanStrategy};

/// The class of this feedback, by the name of the strategy that is made for it; [`ReplanStrategy::Unknown`] for a
/// success.
#[must_use]
pub fn classify(feedback: &ExecutionFeedback) -> ReplanStrategy {
    let Some(by_type) = feedback.feedback_type.failure_kind() else { return ReplanStrategy::Unknown };
    let failure = feedback.failure.as_ref();
    match failure.map_or(by_type, |failure| failure.kind) {
        FailureKind::Timeout | FailureKind::Unavailable | FailureKind::RateLimited => {
            ReplanStrategy::RetryDifferentAgent
        }
        FailureKind::ConstraintViolated => ReplanStrategy::AdjustParameters,
        FailureKind::DependencyFailed => ReplanStrategy::FixDependencies,
        FailureKind::TaskError if failure.is_some_and(|failure| failure.is_too_complex()) => {
            ReplanStrategy::DecomposeFurther
        }
        FailureKind::TaskError
        | FailureKind::Crashed
        | FailureKind::BadOutput
        | FailureKind::Denied
        | FailureKind::OverBudget
        | FailureKind::Cancelled => ReplanStrategy::FindWorkaround,
    }
}
