//! What a failure means: the strategy that answers it.
//!
//! Owns the rules by which the kind of a failure becomes a [`ReplanStrategy`], and nothing else: whether the
//! strategy can be carried out (is there a backup agent? is there anything to tighten?) is for [`crate::replan`]
//! to see. It reads no text: a kind is set where the failure happens.

use candor_model::{ExecutionFeedback, FailureKind, ReplanStrategy};

/// Chooses the strategy that answers this feedback; [`ReplanStrategy::Unknown`] if none is needed.
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
