//! What is told of the phases around the work, event by event.

use candor_model::{Event, EventBody, MessagePriority, MessageType, Severity, TaskId};

use super::style::Mark;
use super::{text, words};

/// Longer than this, words are shortened; they are whole in the log.
const WORDS_COLUMNS: usize = 300;

/// Tells an event of the phases; nothing for those that are told elsewhere, or that are noise.
pub(super) fn tell(event: &Event, name: &dyn Fn(&TaskId) -> String) -> Option<(Severity, Mark, String)> {
    let short = |words: &str| text::shortened(&text::clean(words), WORDS_COLUMNS, true);
    let note = |words: String| Some((Severity::Info, Mark::Note, words));
    let warning = |words: String| Some((Severity::Warning, Mark::Warning, words));
    match &event.body {
        EventBody::GuardrailsChecked { attempt, report } => {
            let told = words::guarded(*attempt, report);
            if report.findings.iter().any(candor_model::GuardFinding::halts) {
                Some((Severity::Error, Mark::Failed, told))
            } else {
                note(told)
            }
        }
        EventBody::PromptChanged { change } => {
            Some((Severity::Info, Mark::Again, words::prompt_changed(change, &short(&change.text))))
        }
        EventBody::PhaseStarted { phase, attempt } if *attempt > 1 => {
            Some((Severity::Info, Mark::Again, words::phase_again(*phase, *attempt)))
        }
        EventBody::PlanAnswered { version, question, answer } => {
            note(words::plan_answered(*version, &short(question), &text::clean(&words::told(answer))))
        }
        EventBody::TaskReopened { task_id, reason, dependants } => {
            let with: Vec<String> = dependants.iter().map(name).collect();
            let told = words::reopened(&name(task_id), &short(&words::told(reason)), &with);
            Some((Severity::Warning, Mark::Again, told))
        }
        // A low priority says itself that nobody needs to hear it.
        EventBody::Broadcast { message } if message.priority == MessagePriority::Low => None,
        EventBody::Broadcast { message } => {
            let told = short(&words::broadcast(message));
            match (message.message_type, message.priority) {
                (MessageType::Warning, MessagePriority::Critical) => {
                    Some((Severity::Error, Mark::Failed, told))
                }
                (MessageType::Warning, _) => warning(told),
                _ => note(told),
            }
        }
        EventBody::AgentQueried { query } => note(short(&words::queried(query))),
        EventBody::QueryAnswered { response } => {
            let told = short(&words::query_answered(response));
            if response.response.is_ok() { note(told) } else { warning(told) }
        }
        EventBody::FilesRead { files } => note(short(&words::files_read(files))),
        EventBody::ResultsChecked { results } => {
            let told = short(&words::results_checked(results));
            if results.iter().all(|result| result.passed) { note(told) } else { warning(told) }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use candor_model::{
        Broadcast, CheckKind, CheckResult, Enforcement, EventBody, GuardFinding, GuardReport, JsonMap, Phase,
        PlanVersion, PromptChange, PromptSource, Query, QueryResponse, QueryType, ReadFile, Timestamp,
        WantedCheck,
    };
    use candor_testkit::fixtures::task_id;

    use super::*;

    fn told(body: EventBody) -> Option<(Severity, Mark, String)> {
        tell(&Event::new(Timestamp::EPOCH, body), &|id| format!("Task {id}"))
    }

    fn broadcast(message_type: MessageType, priority: MessagePriority) -> EventBody {
        EventBody::Broadcast {
            message: std::sync::Arc::new(Broadcast {
                phase: Phase::Execution,
                from_agent: "writer".to_owned(),
                task_id: Some(task_id("a")),
                message_type,
                priority,
                content: "the disk\u{1b}[2J is full".to_owned(),
                data: JsonMap::new(),
            }),
        }
    }

    fn guarded(findings: Vec<GuardFinding>) -> EventBody {
        let report = Box::new(GuardReport { findings, evaluation: Vec::new() });
        EventBody::GuardrailsChecked { attempt: 2, report }
    }

    fn finding(enforcement: Enforcement) -> GuardFinding {
        let (rule, message) = ("no-secrets".to_owned(), "no".to_owned());
        GuardFinding { rule, enforcement, tripwire: false, severity: Severity::Error, message }
    }

    #[test]
    fn guardrails_are_told_by_what_they_do() {
        let said = |findings| told(guarded(findings)).unwrap();
        assert_eq!(said(vec![]).2, "Guardrails (look 2) found nothing; all eight phases will run");
        assert_eq!(said(vec![finding(Enforcement::Suggest)]).0, Severity::Info);
        let (severity, mark, text) = said(vec![finding(Enforcement::Block)]);
        assert_eq!((severity, mark), (Severity::Error, Mark::Failed));
        assert_eq!(text, "Guardrails (look 2) halt the run: no-secrets");
    }

    #[test]
    fn only_messages_of_low_priority_are_left_out() {
        assert_eq!(told(broadcast(MessageType::Warning, MessagePriority::Low)), None);
        let (severity, _, text) = told(broadcast(MessageType::Discovery, MessagePriority::Medium)).unwrap();
        assert_eq!((severity, text.as_str()), (Severity::Info, "writer (at a) found: the disk[2J is full"));
        let (severity, ..) = told(broadcast(MessageType::Warning, MessagePriority::High)).unwrap();
        assert_eq!(severity, Severity::Warning);
        let (severity, ..) = told(broadcast(MessageType::Warning, MessagePriority::Critical)).unwrap();
        assert_eq!(severity, Severity::Error);
    }

    #[test]
    fn what_agents_ask_and_phases_look_up_is_told() {
        let query = Query {
            id: "q1".to_owned(),
            from_agent: "writer".to_owned(),
            task_id: task_id("a"),
            to_agent: "mailer".to_owned(),
            query_type: QueryType::ALL[0],
            query: "Whom to?".to_owned(),
            context: JsonMap::new(),
            timeout: 5_000,
        };
        let asked = told(EventBody::AgentQueried { query: Box::new(query) }).unwrap();
        assert_eq!(asked.2, "writer (at a) asks mailer: Whom to?");
        let response = |response| QueryResponse {
            from_agent: "mailer".to_owned(),
            to_agent: "writer".to_owned(),
            query_id: "q1".to_owned(),
            response,
            confidence: 80,
            processing_time: 3,
        };
        let answered =
            |answer| told(EventBody::QueryAnswered { response: Box::new(response(answer)) }).unwrap();
        assert_eq!(answered(Ok("the boss".into())).2, "mailer answers writer (80% sure): \"the boss\"");
        let (severity, _, text) = answered(Err("no time".to_owned()));
        assert_eq!((severity, text.as_str()), (Severity::Warning, "mailer gave writer no answer: no time"));
        let file = |text| ReadFile {
            path: "a.md".to_owned(),
            bytes: 1_234,
            modified: None,
            hash: String::new(),
            text,
        };
        let files = vec![file(Ok("x".to_owned())), file(Err("gone".to_owned()))];
        let read = told(EventBody::FilesRead { files }).unwrap();
        assert_eq!(read.2, "2 files looked at: a.md (1.2 KB), a.md (not read: gone)");
        let check = WantedCheck { task_id: task_id("a"), kind: CheckKind::File("out.txt".to_owned()) };
        let results = vec![CheckResult { check, passed: false, detail: "not there".to_owned() }];
        let (severity, _, text) = told(EventBody::ResultsChecked { results }).unwrap();
        assert_eq!(severity, Severity::Warning);
        assert_eq!(text, "0 of 1 checks passed; failed: a (out.txt): not there");
    }

    #[test]
    fn other_words_answers_and_second_tries_are_told() {
        let change = PromptChange {
            text: "Plan a trip to Rome".to_owned(),
            source: PromptSource::Enhanced,
            score_before: Some(40),
            variant: Some("B".to_owned()),
        };
        let (_, mark, text) = told(EventBody::PromptChanged { change: Box::new(change) }).unwrap();
        assert_eq!(mark, Mark::Again);
        assert_eq!(
            text,
            "The request is now (variant B that was offered, 40/100 before): Plan a trip to Rome"
        );
        let (version, question, answer) = (PlanVersion(2), "Why?".to_owned(), "It is safer.".to_owned());
        let (.., text) = told(EventBody::PlanAnswered { version, question, answer }).unwrap();
        assert_eq!(text, "Asked about plan version 2: Why? — It is safer.");
        let (reason, dependants) = ("too short".to_owned(), Vec::new());
        let reopened = EventBody::TaskReopened { task_id: task_id("a"), reason, dependants };
        assert!(told(reopened).unwrap().2.starts_with("Task a is done once more"));
        assert_eq!(told(EventBody::PhaseStarted { phase: Phase::Context, attempt: 1 }), None);
        assert!(told(EventBody::PhaseStarted { phase: Phase::Context, attempt: 2 }).is_some());
    }
}
