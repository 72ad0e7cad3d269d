//! What runs record in English, told in the language of the process.

use candor_model::FailureNotification;
use candor_projections::recorded;

use super::times;
use crate::lang::language;

/// What stands between a task and the cause of its failure, in a log.
pub(super) const FAILED: &str = " failed: ";

/// The task and the cause of a failure; nothing if it was recorded in other words.
pub(in crate::view) fn task_and_cause(notice: &FailureNotification) -> Option<(&str, &str)> {
    notice.error_summary.split_once(FAILED)
}

/// Why a task failed, as it is told.
pub(in crate::view) fn cause(notice: &FailureNotification) -> Option<String> {
    task_and_cause(notice).map(|(_, cause)| told(cause))
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

/// The same of a task that failed `times` in the same way.
pub(in crate::view) fn error_summary_of(notice: &FailureNotification, failures: u32) -> String {
    match task_and_cause(notice).filter(|_| failures > 1) {
        Some((task, cause)) => {
            let (often, cause) = (times(failures), told(cause));
            say!("{task} failed {often}: {cause}", "{task} falló {often}: {cause}")
        }
        None => error_summary(notice),
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

    /// The sources of the sentences that runs record, and that people read.
    const SOURCES: [&str; 16] = [
        "model/src/error.rs",
        "phases/src/brief/options.rs",
        "phases/src/brief/risks.rs",
        "phases/src/phase/planning/doubts.rs",
        "phases/src/talk/answer.rs",
        "phases/src/talk/apply.rs",
        "planning/src/criterion/content.rs",
        "planning/src/criterion/mod.rs",
        "planning/src/gates.rs",
        "planning/src/texts/english/announcements.rs",
        "planning/src/texts/english/lessons.rs",
        "planning/src/texts/english/mod.rs",
        "planning/src/texts/english/recovery.rs",
        "planning/src/texts/english/review.rs",
        "planning/src/texts/english/suggestions.rs",
        "planning/src/texts/measured.rs",
    ];
    /// What is put together to sentences, is typed as it stands, or is no sentence.
    const PARTS: &[&str] = &[
        " ({x} % of its attempts succeed, not {x} %)",
        " It was decided because {x}.",
        " The longest task is {x}; leaving one out (remove TASK) saves its share.",
        " What is missing was not said.",
        " and {x} more",
        " with {x}, {x} of {x} tasks in parallel groups",
        "Confidence fell",
        "Do not use this plan again as it is{x}",
        "Every plan needs approval",
        "Low assignment confidence",
        "No second agent for {x}{x}",
        "Plan confidence",
        "Risk ({x}): {x}. What is done about it: {x}.",
        "Say in the goal or the plan how to check the result before using this plan again{x}",
        "Unusual goal type",
        "Without an agent so far",
        "a failure stops less work",
        "an agent still to be chosen",
        "another agent",
        "at least ",
        "costs less",
        "file exists: {x}",
        "in english",
        "in spanish",
        "is csv",
        "is faster",
        "is json",
        "it is {x}",
        "may call services on the network",
        "may change files",
        "may run programs",
        "more is under way when something fails",
        "not empty",
        "output {x} contains \"{x}\"",
        "output {x} not empty",
        "output {x} schema: {x}",
        "outputs expected: {x}",
        "outputs not empty",
        "outputs present: {x}",
        "outputs schema: {x}",
        "program installed: {x}",
        "stack trace",
        "technical detail",
        "{x} from {x} to {x} because of failures. Last change: {x}",
        "{x} instead of {x}: {x}{x}",
        "{x} is below {x}",
        "{x} {x} is below {x}",
        "{x}. Constraints now: {x}.",
        "{x}. To reduce {x}, choose {x}.{x}",
        "{x}: no alternative on record {x}.{x}",
        "{x}: nothing is known of goals of the type {x}",
        "{x}: the chosen agents fit their tasks with {x} on average",
        "{x}: {x} fits with {x} % only{x}",
        "{x}: {x} s by what the plan states, {x} s if the tasks ran one after the other.",
        "{x} waits for {x} and is done by {x}{x}. {x} To do it differently, say for instance: use AGENT for {x}; \
         describe {x} as \"…\"; do {x} after TASK; remove {x}.",
        "{x} is left out{x}",
        "the request {x}: {x}",
    ];

    /// The sentences in a source: literals of two words and more, each place as `{x}`.
    fn sentences(source: &str) -> Vec<String> {
        let source = source.split("#[cfg(test)]").next().unwrap();
        let source = regex::Regex::new(r"(?m)^\s*//.*$").unwrap().replace_all(source, "");
        // What is between the quotes of two literals is no literal.
        let source = source.replace("'\"'", "");
        let literal = regex::Regex::new(r#""((?:[^"\\]|\\.|\\\n)*)""#).unwrap();
        let place = regex::Regex::new(r"\{[^}]*\}").unwrap();
        let broken = regex::Regex::new(r"\\\n\s*").unwrap();
        let word = regex::Regex::new("[A-Za-z]{2,}").unwrap();
        let texts = literal.captures_iter(&source).map(|found| {
            let text = broken.replace_all(&found[1], "").replace("\\\"", "\"").replace("\\n", "\n");
            place.replace_all(&text, "{x}").into_owned()
        });
        let is_sentence =
            |text: &String| text.contains(' ') && word.find_iter(&text.replace("{x}", "")).count() >= 2;
        // Vocabularies are long lists of words.
        texts.filter(is_sentence).filter(|text| text.chars().count() < 300).collect()
    }

    #[test]
    fn every_sentence_that_is_recorded_is_known_in_spanish() {
        // spec: findings UX-10
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut english = Vec::new();
        for source in SOURCES {
            let text = std::fs::read_to_string(crates.join(source)).unwrap();
            let found = sentences(&text);
            assert!(!found.is_empty(), "{source}");
            let is_known = |text: &str| {
                let recorded = text.replace("{x}", "x1");
                in_spanish(&recorded) != recorded || PARTS.contains(&text)
            };
            english.extend(
                found.into_iter().filter(|text| !is_known(text)).map(|text| format!("{source}: {text}")),
            );
        }
        assert!(english.is_empty(), "no Spanish for:\n{}", english.join("\n"));
    }
}
