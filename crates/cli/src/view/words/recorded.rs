//! What runs record in English, told in the language of the process.

use candor_model::FailureNotification;
use candor_projections::recorded;

use crate::lang::language;

/// What stands between a task and the cause of its failure, in a log.
pub(super) const FAILED: &str = " failed: ";

/// The task and the cause of a failure; nothing if it was recorded in other words.
pub(in crate::view) fn task_and_cause(notice: &FailureNotification) -> Option<(&str, &str)> {
    notice.error_summary.split_once(FAILED)
}

/// A task, that it failed, and why.
pub(in crate::view) fn failed(task: &str, cause: &str) -> String {
    let cause = told(cause);
    say!("{task} failed: {cause}", "{task} falló: {cause}")
}

/// A failure as it is recorded: the task, that it failed, and why.
pub(in crate::view) fn error_summary(notice: &FailureNotification) -> String {
    match task_and_cause(notice) {
        Some((task, cause)) => failed(task, cause),
        None => notice.error_summary.clone(),
    }
}

/// A sentence as it is recorded.
pub(in crate::view) fn told(recorded: &str) -> String {
    recorded::told(language(), recorded)
}

#[cfg(test)]
mod tests {
    use candor_model::{AgentType, Confidence, FeedbackType, ReplanStrategy, Seconds};
    use candor_planning::texts::{Response, failure_notification, recovery_notification};
    use candor_testkit::fixtures;

    use candor_text::Language;

    use super::*;

    fn in_spanish(text: &str) -> String {
        recorded::told(Language::Es, text)
    }

    #[test]
    fn everything_that_is_done_about_a_failure_is_known_in_spanish() {
        let agent = AgentType::new("hotel_agent").unwrap();
        let seconds = |seconds| Seconds::new(seconds).unwrap();
        let strategies = ReplanStrategy::ALL.iter().map(|strategy| Response::Strategy {
            strategy: *strategy,
            agent: None,
            rerun: Seconds::ZERO,
        });
        let others = [
            Response::Strategy {
                strategy: ReplanStrategy::RetryDifferentAgent,
                agent: Some(&agent),
                rerun: Seconds::ZERO,
            },
            Response::RetrySameAgent { after: Seconds::ZERO },
            Response::RetrySameAgent { after: seconds(0.5) },
            Response::RetrySameAgent { after: seconds(4.0) },
            Response::AskModel,
            Response::AwaitHuman,
            Response::GiveUp,
        ];
        let task = fixtures::simple_task(1, "Find a hotel", &[], "hotel_agent");
        let feedback = fixtures::feedback(1, FeedbackType::Failure, &["no rooms"]);
        for response in strategies.chain(others) {
            let notice = failure_notification(&task, &feedback, &response);
            assert_eq!(task_and_cause(&notice).unwrap().1, "no rooms");
            let told = in_spanish(&notice.recovery_strategy);
            assert_ne!(told, notice.recovery_strategy, "{response:?}");
            assert!(!told.contains("about") && !told.contains(" the "), "{told}");
        }
        for strategy in ReplanStrategy::ALL {
            let [low, high] = [0.5, 0.75].map(|score| Confidence::new(score).unwrap());
            let notice =
                recovery_notification(*strategy, high, low, &["task_001 → task_001_retry".to_owned()]);
            let told =
                [notice.what_were_doing, notice.why, notice.expected_impact, notice.confidence_adjustment];
            told.iter().for_each(|recorded| assert_ne!(in_spanish(recorded), *recorded));
        }
        assert_eq!(
            in_spanish("Retrying with the same agent in about 4 seconds"),
            "Reintento con el mismo agente dentro de unos 4 segundos"
        );
    }
}
