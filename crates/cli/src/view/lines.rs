//! One event, at most one plain line: for pipes, files and terminals that are no screens.
//!
//! A failure and what is done about it are one line, and so are a success and how far the run has come;
//! charges are not told one by one, their sum is in the last line.

use std::collections::BTreeMap;

use candor_engine::RunState;
use candor_model::{
    AgentType, Announcement, Assessment, Event, EventBody, FailureNotification, IdMap, Money, Notification,
    OutcomeRecord, ProgressStatus, Question, Recorded, RevisionStep, RunId, ScheduledRetry, Seconds,
    Severity, SubTask, TaskId, TaskStatus, Timestamp, Verdict,
};
use candor_planning::texts;
use candor_projections::events::Group;
use candor_projections::verdict;

use crate::lang::language;

use super::level::Level;
use super::said::{Said, error, note, said, say_circumstance, say_phase, say_plan, warning};
use super::style::{Line, Mark, Style, Tone};
use super::words::Sums;
use super::{commands, note_lines, phase_lines, text, words, zone};

/// A line that was made of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLine {
    /// Moment of the event.
    pub at: Timestamp,
    /// How serious it is.
    pub severity: Severity,
    /// The symbol in front.
    pub mark: Mark,
    /// What happened, on one line.
    pub text: String,
    /// What to type or to know next, a line each.
    pub more: Vec<String>,
}

impl EventLine {
    /// The line as it is printed, with its time and symbol, and what follows from it set in below. The rest of a
    /// long fact is in `candor explain` and `candor logs`.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        let tone = match self.mark {
            Mark::Note => Tone::Dim,
            _ => Tone::of_severity(self.severity),
        };
        let line = Line::new(style).add(Tone::Dim, &zone::clock(self.at)).plain(" ").mark(self.mark);
        let mut fact = self.fact(style).into_iter();
        let below = |tone: Tone, text: &str| {
            let line = Line::new(style).plain(&" ".repeat(MORE_INDENT)).add(tone, text);
            format!("\n{}", line.render_whole())
        };
        let first = line.add(tone, &fact.next().unwrap_or_default()).render_whole();
        let rest = fact.map(|text| below(tone, &text));
        let more = self.more.iter().flat_map(|more| below_fact(more));
        let more = more.map(|more| below(Tone::Accent, &more));
        std::iter::once(first).chain(rest).chain(more).collect()
    }

    /// What is merely worth knowing is cut; of what is wrong the cause stands at the end, so it is wrapped.
    fn fact(&self, style: Style) -> Vec<String> {
        let text = text::clean(&self.text);
        if self.severity == Severity::Info {
            return vec![text::shortened(&text, FACT_COLUMNS, style.unicode)];
        }
        let text = text::shortened(&text, FACT_COLUMNS * MOST_FACT_LINES, style.unicode);
        text::wrapped(&text, FACT_COLUMNS)
    }
}

/// A command is typed as it stands and never broken; a sentence is wrapped.
fn below_fact(more: &str) -> Vec<String> {
    match more.starts_with(COMMAND) {
        true => vec![more.to_owned()],
        false => text::wrapped(&text::clean(more), FACT_COLUMNS),
    }
}

/// Tells a run line by line; it remembers what names and sums later lines need.
#[derive(Debug, Default)]
pub struct LineWriter {
    level: Level,
    run_id: Option<RunId>,
    started: Option<Timestamp>,
    names: IdMap<TaskId, String>,
    agents: IdMap<TaskId, AgentType>,
    /// The success that the next progress line speaks of.
    succeeded: Option<(TaskId, Seconds)>,
    /// The task whose failure was told last.
    told_failure: Option<TaskId>,
    /// How each task failed last, and how often in that way.
    causes: IdMap<TaskId, (String, u32)>,
    /// Why tasks were never begun.
    blocked: BTreeMap<TaskId, String>,
    /// The recovery that was explained last; the revision that follows need not repeat it.
    explained: String,
    /// What the line of the last failure said will be done.
    announced: String,
    /// A question that its default is about to answer, told with the answer.
    by_default: Option<String>,
    /// Whether the questions are put by whoever shows these lines, on the same terminal.
    asks_itself: bool,
    spent: Money,
    failures: usize,
    /// How the run was judged, for its last line.
    judged: Option<Box<Assessment>>,
    /// Knows what a rollback undid.
    state: Option<RunState>,
}

/// A fact on a screen is no longer than this.
pub(super) const FACT_COLUMNS: usize = 100;
/// A cause that takes more lines than this is in `candor explain`.
const MOST_FACT_LINES: usize = 4;
/// What a command to be typed begins with.
const COMMAND: &str = "candor ";
/// As wide as the time and the symbol.
const MORE_INDENT: usize = 11;
/// Longer than this, a request or an error is shortened; it is whole in the log.
const REQUEST_COLUMNS: usize = 200;
const ERROR_COLUMNS: usize = 400;

impl LineWriter {
    /// A writer at the beginning of a log that tells everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same that tells so much.
    #[must_use]
    pub fn at(level: Level) -> Self {
        Self { level, ..Self::default() }
    }

    /// The same without questions: whoever shows the lines puts them.
    #[must_use]
    pub fn without_questions(self) -> Self {
        Self { asks_itself: true, ..self }
    }

    /// Takes an event into account, and tells it if a person wants to know.
    pub fn tell(&mut self, recorded: &Recorded) -> Option<EventLine> {
        let event = &recorded.event;
        self.started.get_or_insert(event.at);
        self.learn(&event.body);
        if let Some(state) = &mut self.state {
            state.apply(event);
        }
        let Said(severity, mark, text, more) = self.say(event)?;
        if !self.level.shows(&event.body, severity) {
            return None;
        }
        Some(EventLine { at: event.at, severity, mark, text, more })
    }

    fn learn(&mut self, body: &EventBody) {
        match body {
            EventBody::RunStarted { run_id, .. } => {
                self.run_id = Some(run_id.clone());
                self.state = Some(RunState::new(run_id.clone()));
            }
            EventBody::PlanProposed { plan, .. } => self.name(&plan.subtasks),
            EventBody::Replanned { revision, .. } => {
                self.name(&revision.new_subtasks);
                self.name(&revision.details.modified_subtasks);
            }
            EventBody::TaskDispatched { task_id, agent_type, .. } => {
                self.agents.insert(task_id.clone(), agent_type.clone());
            }
            EventBody::TaskSucceeded { task_id, feedback, .. } => {
                self.succeeded = Some((task_id.clone(), feedback.duration_seconds));
            }
            EventBody::TaskFailed { attempt: 0, task_id, feedback, .. } => {
                let cause = feedback.errors.first().map(|cause| texts::plain(cause)).unwrap_or_default();
                self.blocked.insert(task_id.clone(), cause);
            }
            EventBody::TaskFailed { .. } => self.failures += 1,
            EventBody::Notified { notification } => {
                if let Notification::Recovery(notice) = notification.as_ref() {
                    self.explained.clone_from(&notice.what_were_doing);
                }
            }
            EventBody::Charged { total, .. } => self.spent = *total,
            EventBody::OutcomeRecorded(OutcomeRecord { assessment, .. }) => {
                self.judged.clone_from(assessment);
            }
            EventBody::RolledBack { .. } | EventBody::RunResumed {} => self.judged = None,
            _ => {}
        }
    }

    fn name(&mut self, tasks: &[SubTask]) {
        for task in tasks {
            self.names.insert(task.task_id.clone(), texts::task_name(task));
        }
    }

    fn task(&self, id: &TaskId) -> String {
        self.names.get(id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn say(&mut self, event: &Event) -> Option<Said> {
        match Group::of(&event.body) {
            Group::Start => self.say_start(&event.body),
            Group::Phase => say_phase(&event.body),
            Group::Preparation => {
                let (severity, mark, text) = phase_lines::tell(event, &|id| self.task(id))?;
                Some(Said(severity, mark, text, Vec::new()))
            }
            Group::AgentWork => {
                let (severity, mark, text) = note_lines::tell(&event.body, &|id| self.task(id))?;
                Some(Said(severity, mark, text, Vec::new()))
            }
            Group::Plan => self.say_plan(&event.body),
            Group::Revision => self.say_revision(&event.body),
            Group::Task => self.say_task(event),
            Group::Notice => self.say_notice(&event.body),
            Group::Progress => self.say_progress(&event.body),
            Group::Human => self.say_human(&event.body),
            Group::End => Some(self.say_end(event)),
            Group::Circumstance => self.say_circumstance(&event.body),
            Group::Silent => None,
        }
    }

    fn say_start(&self, body: &EventBody) -> Option<Said> {
        let EventBody::RunStarted { run_id, request, forked_from, .. } = body else { return None };
        let request = text::shortened(&text::clean(request), REQUEST_COLUMNS, true);
        let told = words::run_started(run_id, &request);
        said(
            Mark::Running,
            match forked_from {
                Some(fork) => words::joined(&told, &words::forked(run_id, fork)),
                None => told,
            },
        )
    }

    fn say_plan(&self, body: &EventBody) -> Option<Said> {
        let EventBody::PlanProposed { version, plan, repairs, .. } = body else { return say_plan(body) };
        let proposed = words::proposed(
            Some(*version).filter(|version| version.0 > 1),
            plan.subtasks.len(),
            plan.confidence_score,
            self.state.as_ref().and_then(RunState::time_left),
            repairs.len(),
        );
        let rules = plan.metadata.pack_rules.as_deref();
        let allowed =
            rules.and_then(|rules| Some(words::pack_allowed(&rules.pack, rules.permissions.as_deref()?)));
        Some(Said(Severity::Info, Mark::Note, proposed, allowed.into_iter().collect()))
    }

    fn say_revision(&mut self, body: &EventBody) -> Option<Said> {
        let EventBody::Replanned { revision, .. } = body else { return None };
        let explained = std::mem::take(&mut self.explained);
        if self.level == Level::Usual && !explained.is_empty() {
            return None;
        }
        said(Mark::Again, words::replanned(revision, &explained))
    }

    fn say_circumstance(&self, body: &EventBody) -> Option<Said> {
        match body {
            EventBody::RunPaused { reason } => {
                let how = self.run_id.as_ref().map(commands::resume);
                Some(Said(Severity::Info, Mark::Question, words::paused(reason), how.into_iter().collect()))
            }
            body => say_circumstance(body),
        }
    }

    fn say_task(&self, event: &Event) -> Option<Said> {
        match &event.body {
            EventBody::TaskRouted { task_id, agent_type, .. } => {
                note(words::routed(&self.task(task_id), &texts::agent_name(agent_type)))
            }
            EventBody::TaskDispatched { task_id, attempt, agent_type, .. } => {
                let agent = texts::agent_name(agent_type);
                said(Mark::Running, words::dispatched(&self.task(task_id), &agent, *attempt))
            }
            EventBody::TaskStopped { task_id, reason, .. } => {
                note(words::stopped(&self.task(task_id), *reason))
            }
            EventBody::TaskSkipped { task_id, comments } => {
                said(Mark::Skipped, words::skipped(&self.task(task_id), comments))
            }
            // The line of the failure has said it.
            EventBody::RetryScheduled(ScheduledRetry {
                task_id, agent_type: None, by_person: false, ..
            }) if self.told_failure.as_ref() == Some(task_id) => None,
            EventBody::RetryScheduled(ScheduledRetry { task_id, at, agent_type, by_person, .. }) => {
                let agent = agent_type.as_ref().map(texts::agent_name);
                let wait = at.since(event.at);
                said(Mark::Again, words::retrying(&self.task(task_id), agent.as_deref(), wait, *by_person))
            }
            EventBody::Revision(RevisionStep::Requested { task_id, .. }) => {
                said(Mark::Again, words::replan_requested(&self.task(task_id)))
            }
            EventBody::Revision(RevisionStep::Asked { task_id, .. }) => {
                said(Mark::Again, words::revision_asked(&self.task(task_id)))
            }
            EventBody::Revision(RevisionStep::Answered { task_id, refused: Some(reason), .. }) => {
                warning(words::revision_refused(&self.task(task_id), reason))
            }
            // A success is told with the progress it makes, a failure with its notice: both follow at once.
            _ => None,
        }
    }

    /// How often in a row a task has failed like this, with this failure.
    fn times_in_this_way(&mut self, notice: &FailureNotification) -> u32 {
        let before = self.causes.get(&notice.task_id).filter(|(summary, _)| *summary == notice.error_summary);
        let times = before.map_or(1, |(_, times)| times.saturating_add(1));
        self.causes.insert(notice.task_id.clone(), (notice.error_summary.clone(), times));
        times
    }

    /// A failure: the task, the cause, what happens next, and the command that shows what came out of the attempt.
    fn say_failure(&mut self, notice: &FailureNotification) -> Option<Said> {
        self.told_failure = Some(notice.task_id.clone());
        self.announced.clone_from(&notice.recovery_strategy);
        if let Some(cause) = self.blocked.remove(&notice.task_id) {
            return said(Mark::Skipped, words::not_started(&self.task(&notice.task_id), &cause));
        }
        let logs = self.run_id.as_ref().map(|run| commands::logs(run, Some(&notice.task_id)));
        let (whole, fact) = match self.times_in_this_way(notice) {
            1 => (words::failure(notice), words::failure_cause(notice, FACT_COLUMNS)),
            times => {
                let again = words::failed_again(&self.task(&notice.task_id), times);
                (words::joined(&again, &words::told(&notice.recovery_strategy)), again)
            }
        };
        if text::width(&whole) <= FACT_COLUMNS {
            return Some(Said(Severity::Error, Mark::Failed, whole, logs.into_iter().collect()));
        }
        let more = std::iter::once(words::told(&notice.recovery_strategy)).chain(logs).collect();
        Some(Said(Severity::Error, Mark::Failed, fact, more))
    }

    fn say_notice(&mut self, body: &EventBody) -> Option<Said> {
        let EventBody::Notified { notification } = body else { return None };
        match notification.as_ref() {
            Notification::Failure(notice) => self.say_failure(notice),
            Notification::Recovery(notice) if self.level == Level::Usual => {
                let details = words::recovery_details(notice, &self.announced)?;
                said(Mark::Again, details)
            }
            Notification::Recovery(notice) => said(Mark::Again, words::recovery(notice)),
            // It is what the run ends with, and the last line says it with what to do.
            Notification::Announcement(Announcement { severity: Severity::Error, task_id: None, .. })
                if self.level != Level::All =>
            {
                None
            }
            // The line of its failure has said so, and the last line of the run says it again with what to do.
            Notification::Announcement(Announcement {
                severity: Severity::Error,
                task_id: Some(task_id),
                ..
            }) if self.told_failure.as_ref() == Some(task_id) => None,
            Notification::Announcement(Announcement { severity, title, text, suggestion, .. }) => {
                let mark = match severity {
                    Severity::Error => Mark::Failed,
                    Severity::Warning => Mark::Warning,
                    Severity::Info => Mark::Note,
                };
                let more = suggestion.iter().map(|it| words::told(it)).collect();
                Some(Said(*severity, mark, words::announcement(title, text), more))
            }
        }
    }

    fn say_progress(&mut self, body: &EventBody) -> Option<Said> {
        let EventBody::Progressed { update } = body else { return None };
        // A failure is told by its notice, and is no progress.
        if update.status == ProgressStatus::Failure {
            return None;
        }
        let left = self.state.as_ref().and_then(RunState::time_left);
        let progress = words::progress(update.progress_percentage, left);
        let succeeded = self.succeeded.take().filter(|(id, _)| *id == update.task_id);
        let agent = self.agents.get(&update.task_id).map(texts::agent_name);
        let took = succeeded.map(|(_, took)| took);
        let done = words::succeeded(&self.task(&update.task_id), agent.as_deref(), took);
        said(Mark::Done, words::joined(&done, &progress))
    }

    fn say_human(&mut self, body: &EventBody) -> Option<Said> {
        match body {
            EventBody::Escalated { request } => {
                let task = self.task(&request.task_id);
                let actions: Vec<&str> = request.suggested_actions.iter().map(String::as_str).collect();
                let errors: Vec<String> =
                    request.errors.iter().map(|error| texts::cause(std::slice::from_ref(error))).collect();
                error(words::escalated(&task, request.failure_count, &errors, &actions))
            }
            EventBody::HumanAsked { question, .. } if self.answers_itself(question) => {
                self.by_default = Some(self.question(question));
                None
            }
            EventBody::HumanAsked { .. } if self.asks_itself => None,
            EventBody::HumanAsked { gate, question } => {
                let asked = self.question(question);
                let several = self.state.as_ref().is_some_and(|state| state.open_questions().len() > 1);
                let how = self.run_id.as_ref().map(|run| commands::answers(run, gate, question, several));
                Some(Said(Severity::Warning, Mark::Question, asked, how.unwrap_or_default()))
            }
            EventBody::HumanAnswered { answer, .. } => match self.by_default.take() {
                Some(asked) => warning(words::answered_by_default(&asked, answer)),
                None => said(Mark::Note, words::answered(answer)),
            },
            EventBody::QuestionWithdrawn { gate, reason } => note(words::withdrawn(gate, reason)),
            _ => None,
        }
    }

    /// Whether nobody is asked: an unattended run takes the default, with the next event.
    fn answers_itself(&self, question: &Question) -> bool {
        let unattended = self.state.as_ref().is_some_and(|state| state.settings().unattended);
        let has_default = matches!(question, Question::Choice(request) if request.default.is_some());
        self.level == Level::Usual && unattended && has_default
    }

    /// A question in words, with the name of its task.
    #[must_use]
    pub fn question(&self, question: &Question) -> String {
        match question {
            Question::Approval { request, .. } => words::ask_approval(request),
            Question::Choice(request) => words::told(&request.text),
            Question::Guidance(request) => {
                words::ask_guidance(&self.task(&request.task_id), request.failure_count)
            }
        }
    }

    fn say_end(&self, event: &Event) -> Said {
        let took = event.at.since(self.started.unwrap_or(event.at));
        let plan = self.state.as_ref().and_then(RunState::plan);
        let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
        let done = tasks.clone().filter(|task| task.status == TaskStatus::Completed).count();
        let sums = words::sums(Sums {
            done,
            tasks: tasks.count(),
            failures: self.failures,
            took,
            spent: self.spent,
        });
        let mut next: Vec<String> = self.run_id.iter().map(commands::report).collect();
        let judged = self.judged.as_deref();
        let text = text::shortened(&verdict::sentence(language(), &event.body, judged), ERROR_COLUMNS, true);
        let mut more = Vec::new();
        let (severity, mark) = match &event.body {
            EventBody::RunCompleted { .. } => match judged.map(|judged| judged.verdict) {
                Some(Verdict::Verified) => (Severity::Info, Mark::Done),
                Some(Verdict::NotMet) => (Severity::Error, Mark::Failed),
                Some(Verdict::Unverified) | None => (Severity::Warning, Mark::Warning),
            },
            EventBody::RunAborted { suggestion, .. } => {
                more.extend(Some(words::told(suggestion)).filter(|suggestion| !suggestion.trim().is_empty()));
                (Severity::Error, Mark::Failed)
            }
            EventBody::RunCancelled { .. } => (Severity::Warning, Mark::Skipped),
            _ => (Severity::Error, Mark::Failed),
        };
        if severity == Severity::Error {
            next.extend(self.run_id.as_ref().map(commands::postmortem));
        }
        let joined = words::joined(text.trim_end_matches('.'), &sums);
        if text::width(&joined) <= FACT_COLUMNS {
            more.extend(next);
            return Said(severity, mark, joined, more);
        }
        more.push(sums);
        more.extend(next);
        Said(severity, mark, text, more)
    }
}

#[cfg(test)]
mod tests {
    use candor_model::{ExecutionFeedback, Failure, FailureKind, RunSettings};
    use candor_testkit::fixtures;
    use candor_testkit::golden::STORIES;
    use candor_testkit::scenario::Scenario;

    use super::*;
    use crate::view::words::tests::story;

    fn told(records: &[Recorded]) -> Vec<EventLine> {
        let mut writer = LineWriter::new();
        records.iter().filter_map(|recorded| writer.tell(recorded)).collect()
    }

    #[test]
    fn a_failure_and_what_is_done_about_it_are_one_line() {
        // spec: planning FT-06 FT-07
        let records = story("backup_agent");
        let lines = told(&records);
        let about: Vec<_> = lines.iter().filter(|line| line.text.contains("Flight search failed")).collect();
        let [line] = about.as_slice() else { panic!("{about:#?}") };
        assert_eq!(line.severity, Severity::Error);
        assert_eq!(
            line.render(Style::default()),
            "12:00:00 ✗ Flight search failed: Agent timeout — Retrying with backup flight agent\n           \
             candor logs run_test task_001"
        );
        let ascii = line.render(Style { unicode: false, ..Style::default() });
        assert!(ascii.starts_with("12:00:00 x Flight search failed: Agent timeout - Retrying"), "{ascii}");
    }

    #[test]
    fn no_failure_success_revision_or_question_goes_untold() {
        // spec: planning TR-01 QT-07
        for (name, _) in STORIES {
            let records = story(name);
            let mut writer = LineWriter::new();
            let mut lines = 0;
            let (mut failed, mut shown_failed, mut succeeded, mut shown_succeeded) = (0, 0, 0, 0);
            for recorded in &records {
                let told = writer.tell(recorded);
                let has_line = told.is_some();
                lines += usize::from(has_line);
                let mark = told.map(|told| told.mark);
                match &recorded.event.body {
                    EventBody::TaskFailed { .. } => failed += 1,
                    EventBody::Notified { notification }
                        if matches!(**notification, Notification::Failure(_)) =>
                    {
                        // Of what never began it is told that it did not.
                        shown_failed += usize::from(matches!(mark, Some(Mark::Failed | Mark::Skipped)));
                    }
                    EventBody::TaskSucceeded { .. } => succeeded += 1,
                    EventBody::Progressed { update } if update.status == ProgressStatus::Success => {
                        shown_succeeded += usize::from(mark == Some(Mark::Done));
                    }
                    EventBody::Replanned { .. }
                    | EventBody::ConfidenceChanged { .. }
                    | EventBody::HumanAsked { .. }
                    | EventBody::Escalated { .. }
                    | EventBody::RolledBack { .. }
                    | EventBody::TaskSkipped { .. } => assert!(has_line, "{name}: {:?}", recorded.event.body),
                    body if body.is_end() => assert!(has_line, "{name}"),
                    _ => {}
                }
            }
            assert_eq!((failed, succeeded), (shown_failed, shown_succeeded), "{name}");
            assert!(lines > 0);
        }
    }

    #[test]
    fn a_question_names_the_commands_that_answer_it_and_the_end_names_the_report() {
        let lines = told(&story("adjusted_then_cancelled"));
        let question = lines.iter().find(|line| line.mark == Mark::Question).unwrap();
        assert_eq!(question.more[0], "candor approve run_test");
        assert!(question.more.iter().any(|command| command.starts_with("candor ask run_test")));
        let last = lines.last().unwrap();
        assert!(last.text.ends_with(" — 1 of 4 tasks, 0.0s, $0.00"), "{}", last.text);
        assert_eq!(last.more, ["candor report run_test"]);
    }

    #[test]
    fn progress_tells_percent_and_no_time_that_nobody_measured() {
        // spec: planning TR-02
        let lines = told(&story("paris"));
        let done: Vec<_> = lines.iter().filter(|line| line.text.contains("% done")).collect();
        let ends = ["25% done", "50% done", "75% done", "100% done"];
        assert_eq!(done.len(), 4);
        for (line, end) in done.iter().zip(ends) {
            assert!(line.text.ends_with(end), "{}", line.text);
        }
    }

    #[test]
    fn a_line_is_one_line_whatever_agents_say() {
        let mut run = Scenario::of(fixtures::paris_plan(), RunSettings::default());
        let odd = "first\nsecond\u{1b}[2J\u{202e} TimeoutException".to_owned() + &"x".repeat(100_000);
        let failure = Failure::new(FailureKind::TaskError, odd);
        let feedback = ExecutionFeedback::failed(
            fixtures::task_id("task_001"),
            failure,
            fixtures::seconds(1.0),
            run.now,
        );
        run.report("task_001", feedback);
        for line in told(&run.log) {
            let fact = EventLine { more: Vec::new(), ..line }.render(Style::default());
            assert!(!fact.contains(['\u{1b}', '\u{202e}']), "{fact}");
            assert!(fact.lines().count() <= MOST_FACT_LINES + 1, "{fact}");
            assert!(fact.lines().all(|line| text::width(line) <= MORE_INDENT + FACT_COLUMNS), "{fact}");
        }
    }

    #[test]
    fn of_a_long_cause_the_end_is_shown_and_what_happens_next_stands_below() {
        let mut failure = story("backup_agent")
            .iter()
            .find_map(|recorded| match &recorded.event.body {
                EventBody::Notified { notification } => match notification.as_ref() {
                    Notification::Failure(notice) => Some(notice.clone()),
                    _ => None,
                },
                _ => None,
            })
            .unwrap();
        let noise = "`python3` exited with code 3 after it had worked for a while: ".repeat(2);
        failure.error_summary =
            format!("Load shard 7 failed: {noise}ValueError: row 7 has no column 'price'");
        let mut writer =
            LineWriter { run_id: Some(RunId::new("run_test").unwrap()), ..LineWriter::default() };
        let Said(_, _, text, more) = writer.say_failure(&failure).unwrap();
        assert_eq!(text, "Load shard 7 failed: ValueError: row 7 has no column 'price'");
        assert_eq!(more, ["Retrying with backup flight agent", "candor logs run_test task_001"]);
    }
}
