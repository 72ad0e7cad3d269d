//! What a failure means: the strategy that answers it.
//!
//! Owns the rules by which feedback becomes a [`ReplanStrategy`], and nothing else: whether the strategy can
//! be carried out (is there a backup agent? is there anything to tighten?) is for [`crate::replan`] to see.

use candor_model::{ExecutionFeedback, FeedbackType, ReplanStrategy};

/// Words by which an agent that is not there gives itself away.
const ABSENT_AGENT: [&str; 3] = ["timeout", "timed out", "unavailable"];
/// Words by which a task that is too much for one agent gives itself away.
const TOO_COMPLEX: [&str; 1] = ["too complex"];

/// Chooses the strategy that answers this feedback; [`ReplanStrategy::Unknown`] if none is needed.
#[must_use]
pub fn classify(feedback: &ExecutionFeedback) -> ReplanStrategy {
    match feedback.feedback_type {
        FeedbackType::Failure => classify_failure(feedback),
        FeedbackType::ConstraintViolation => ReplanStrategy::AdjustParameters,
        FeedbackType::DependencyFailure => ReplanStrategy::FixDependencies,
        FeedbackType::Success | FeedbackType::PartialSuccess => ReplanStrategy::Unknown,
    }
}

/// An absent agent is looked for first: what it says beside that it says about itself, not about the task.
fn classify_failure(feedback: &ExecutionFeedback) -> ReplanStrategy {
    let errors = || feedback.errors.iter().map(String::as_str);
    if errors().any(|error| mentions(error, &ABSENT_AGENT)) {
        ReplanStrategy::RetryDifferentAgent
    } else if errors()
        .chain(feedback.suggested_adjustments.as_deref())
        .any(|text| mentions(text, &TOO_COMPLEX))
    {
        ReplanStrategy::DecomposeFurther
    } else {
        ReplanStrategy::FindWorkaround
    }
}

fn mentions(text: &str, phrases: &[&str]) -> bool {
    let text = text.to_lowercase();
    phrases.iter().any(|phrase| text.contains(phrase))
}
