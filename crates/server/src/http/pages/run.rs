//! One run: where it stands, what it asks, its plan, its time, its tasks, its verdict, its events.

use std::collections::{BTreeMap, BTreeSet};

use candor_app::{Driver, LoadedRun};
use candor_model::{GateId, Question, Recorded, RunId, RunStatus, Seconds, TaskId, TaskStatus, Timestamp};
use candor_ports::LoggedEvent;
use candor_projections::attempt_output::{self, AttemptOutput};
use candor_projections::chronicle::Chronicle;
use candor_projections::dashboard::RunDashboard;
use candor_projections::phases::PhaseStatus;
use candor_projections::status::{Status, TaskEntry};
use candor_projections::{format, plans, timeline, words as projected};
use maud::{Markup, html};
use serde_json::Value;

use super::answer::Refused;
use super::words::Words;
use super::{dag, ending, gantt, glance, parts, questions};
use crate::http::runs::task_of;
use crate::report::QuestionReport;

/// How many tasks are listed; those that matter most come first.
const LISTED: usize = 100;

/// How much of an event is shown.
const EVENT_BYTES: usize = 4096;

/// What the page is made of.
pub(super) struct Shown<'a> {
    pub(super) run: &'a RunId,
    pub(super) loaded: &'a LoadedRun,
    pub(super) driver: Driver,
    pub(super) error: Option<String>,
    pub(super) events: &'a [LoggedEvent],
    pub(super) refused: Option<&'a Refused>,
    /// The agents that a task could be given to instead.
    pub(super) agents: &'a [String],
    pub(super) now: Timestamp,
    pub(super) words: &'a Words,
}

impl Shown<'_> {
    pub(super) fn page(&self) -> Markup {
        let LoadedRun { records, state } = self.loaded;
        let status = Status::of(state, records);
        let chronicle = Chronicle::of(records);
        let silent = if self.is_at_work() { self.now.since(chronicle.now()) } else { Seconds::ZERO };
        let chronicle = if self.is_at_work() { chronicle.as_of(self.now) } else { chronicle };
        let board = RunDashboard::of(self.run, records);
        html! {
            div #live-head { (self.head(&status, &chronicle)) }
            div #live-questions { (self.questions()) }
            div #live-verdict { (ending::draw(self.run, self.loaded, self.words)) }
            section.card aria-labelledby="h-plan" {
                h2 #h-plan { (self.words.plan) }
                div #live-plan { (dag::draw(&status.tasks, self.words)) }
            }
            section.card aria-labelledby="h-phases" {
                h2 #h-phases { (self.words.phases) }
                div #live-phases {
                    (self.phases(&status))
                    @if let Some(board) = &board { (glance::tiles(board, self.words)) (glance::phases(board, silent, self.words)) }
                }
            }
            section.card aria-labelledby="h-time" {
                h2 #h-time { (self.words.timeline) }
                div #live-time { (gantt::draw(&timeline::attempts(&chronicle), chronicle.now(), self.words)) }
            }
            section.card aria-labelledby="h-tasks" {
                h2 #h-tasks { (self.words.tasks) }
                div #live-tasks { (self.tasks(&status.tasks, records, &chronicle)) }
            }
            section.card aria-labelledby="h-events" {
                h2 #h-events { (self.words.events) }
                div #live-events { (self.log()) }
            }
        }
    }

    /// Whether time goes on for the run although nothing is appended.
    fn is_at_work(&self) -> bool {
        !self.loaded.state.status().is_end() && matches!(self.driver, Driver::Here | Driver::Elsewhere)
    }

    fn head(&self, status: &Status<'_>, chronicle: &Chronicle<'_>) -> Markup {
        let words = self.words;
        let driver = match self.driver {
            Driver::Here => words.driver_here,
            Driver::Elsewhere => words.driver_elsewhere,
            Driver::Queued => words.driver_queued,
            Driver::Nobody => words.driver_nobody,
        };
        html! {
            div.title {
                h1 { (status.request) }
                div.actions { (self.actions(status.status)) }
            }
            p.meta {
                (parts::badge(status.status, words))
                @if let Some(verdict) = status.verdict { (parts::verdict(verdict, words)) }
                code { (status.run_id) }
                span { (words.driver) ": " (driver) }
            }
            @if self.driver == Driver::Nobody && needs_driver(status.status) { p.warn { (words.interrupted) } }
            @if let Some(error) = &self.error { p.bad { (error) } }
            dl.facts {
                div { dt { (words.progress) } dd { (parts::bar(status.progress_percentage, words.progress)) } }
                div { dt { (words.duration) } dd { (parts::lasts(chronicle.elapsed(), self.is_at_work())) } }
                div { dt { (words.cost) } dd { (format::money(status.cost)) } }
                div { dt { (words.confidence) } dd { (status.confidence.map_or_else(|| "–".to_owned(), format::confidence)) } }
                div { dt { (words.failures) } dd { (status.failures) } }
                div { dt { (words.started) } dd { (parts::moment(status.started_at)) } }
                div { dt { (words.updated) } dd { (parts::moment(status.updated_at)) } }
            }
        }
    }

    fn actions(&self, status: RunStatus) -> Markup {
        let words = self.words;
        let act = |name: &str, label: &str, class: &str| {
            html! {
                form method="post" action={ "/runs/" (self.run) "/" (name) } {
                    button.(class) type="submit" { (label) }
                }
            }
        };
        let stands = status == RunStatus::Paused || (self.driver == Driver::Nobody && needs_driver(status));
        html! {
            @if self.loaded.state.can_resume() { (act("resume", words.go_on, "primary")) }
            @if !status.is_end() {
                @if stands { (act("resume", words.resume, "primary")) }
                @else if status == RunStatus::Executing { (act("pause", words.pause, "plain")) }
                (act("cancel", words.cancel, "danger"))
            }
            a.button href={ "/api/v1/runs/" (self.run) "/report" } { (words.report) }
            @if status.is_end() && status != RunStatus::Completed {
                a.button href={ "/api/v1/runs/" (self.run) "/postmortem" } { (words.post_mortem) }
            }
        }
    }

    fn questions(&self) -> Markup {
        let LoadedRun { records, state } = self.loaded;
        let open = state.open_questions();
        let meant = |gate: &GateId, question: &Question| {
            self.refused.filter(|refused| refused.is_about(gate, question))
        };
        html! {
            @if let Some(refused) = self.refused && !open.iter().any(|(gate, it)| refused.is_about(gate, it)) {
                p.warn role="alert" { (self.words.no_longer_asked) }
            }
            @for (gate, question) in open {
                @let refused = meant(gate, question);
                @let seen = refused.and_then(|refused| refused.form.digest.as_deref());
                @let changes = plans::asked_about(self.run, records, question, seen);
                (questions::Card {
                    run: self.run, report: &QuestionReport::of(gate, question), question: Some(question),
                    task: task_of(self.loaded, question), agents: self.agents, changes: changes.as_ref(), refused, words: self.words,
                }.draw())
            }
        }
    }

    fn phases(&self, status: &Status<'_>) -> Markup {
        html! {
            ol.phases {
                @for phase in &status.phases {
                    li.(phase_class(phase.status)) title=[phase.summary] {
                        span.num { (phase.number) } span { (projected::phase(self.words.language(), phase.name)) }
                        span.muted { (phase.duration.map_or_else(String::new, format::duration)) }
                    }
                }
            }
        }
    }

    fn tasks(&self, tasks: &[TaskEntry], records: &[Recorded], chronicle: &Chronicle<'_>) -> Markup {
        let words = self.words;
        let mut shown: Vec<&TaskEntry> = tasks.iter().collect();
        if shown.len() > LISTED {
            // What fails or runs is looked for first.
            shown.sort_by_key(|task| urgency(task.status));
            shown.truncate(LISTED);
        }
        let listed: BTreeSet<&TaskId> = shown.iter().map(|task| &task.task_id).collect();
        let mut attempts: BTreeMap<&TaskId, Vec<AttemptOutput<'_>>> = BTreeMap::new();
        for attempt in attempt_output::attempts_of(records, chronicle, |task| listed.contains(task)) {
            attempts.entry(attempt.task_id).or_default().push(attempt);
        }
        html! {
            @if tasks.is_empty() { p.empty { (words.no_plan) } }
            @if tasks.len() > LISTED {
                p.note { (LISTED) " " (words.of) " " (format::count(tasks.len())) " · "
                    a href={ "/api/v1/runs/" (self.run) "/tasks" } { (words.show_all) } }
            }
            @for task in shown {
                (self.task(task, attempts.get(&task.task_id).map(Vec::as_slice).unwrap_or_default()))
            }
        }
    }

    fn task(&self, task: &TaskEntry, attempts: &[AttemptOutput<'_>]) -> Markup {
        let words = self.words;
        let took: Seconds = attempts.last().map_or(Seconds::ZERO, |last| last.duration_seconds);
        html! {
            // Why something failed is what a reader looks for.
            details.task id={ "task-" (task.task_id) } open[task.status == TaskStatus::Failed] {
                summary {
                    span.badge.(dag::class(task.status)) { span.dot {} (words.task_status(task.status)) }
                    span.grow { (task.name) " " code.muted { (task.task_id) } }
                    span.muted { (task.agent_type) }
                    @if !attempts.is_empty() { (parts::lasts(took, self.is_at_work() && task.status == TaskStatus::InProgress)) }
                    span.num { @if attempts.len() > 1 { "×" (attempts.len()) } }
                }
                @if !task.dependencies.is_empty() {
                    p.muted { (words.after) " " @for id in &task.dependencies { a href={ "#task-" (id) } { (id) } " " } }
                }
                @if attempts.is_empty() { p.empty { (words.no_attempts) } }
                @for attempt in attempts { (self.attempt(attempt)) }
            }
        }
    }

    fn attempt(&self, attempt: &AttemptOutput<'_>) -> Markup {
        let words = self.words;
        html! {
            div.attempt {
                p { strong { "#" (attempt.attempt) } " "
                    span.badge.(gantt::class(attempt.outcome)) { span.dot {} (words.outcome(attempt.outcome)) } " "
                    @if let Some(agent) = attempt.agent_type { (agent) " · " } (parts::lasts(attempt.duration_seconds, self.is_at_work() && attempt.outcome == "running")) }
                @if !attempt.errors.is_empty() {
                    h4 { (words.errors) }
                    ul.bad { @for error in attempt.errors { li { (error) } } }
                }
                @if !attempt.outputs.is_empty() {
                    h4 { (words.output) }
                    (parts::value(&Value::Object(attempt.outputs.clone())))
                }
                @if !attempt.told.is_empty() || !attempt.notes.is_empty() {
                    h4 { (words.notes) }
                    ul { @for told in &attempt.told { li { (told) } } }
                    @if !attempt.notes.is_empty() { (parts::value(&serde_json::json!(attempt.notes))) }
                }
            }
        }
    }

    /// What an event says; of a plan of thousands of tasks only the beginning, with a link to the rest.
    fn event_body(&self, event: &LoggedEvent, read: &Value) -> Markup {
        let text =
            serde_json::to_string_pretty(read.get("event").unwrap_or(&Value::Null)).unwrap_or_default();
        let (shown, longer) = cut(&text, EVENT_BYTES);
        let before = event.position.0.saturating_sub(1);
        html! {
            pre { (shown) @if longer { "…" } }
            @if longer {
                a href={ "/api/v1/runs/" (self.run) "/events?after=" (before) "&limit=1" } { (self.words.show_all) }
            }
        }
    }

    fn log(&self) -> Markup {
        html! {
            p.note { a href={ "/api/v1/runs/" (self.run) "/events" } { (self.words.show_all) } " · " (self.words.recent_first) }
            ol.events reversed {
                @for event in self.events.iter().rev() {
                    @let read: Value = serde_json::from_str(&event.json).unwrap_or_default();
                    li value=(event.position.0) {
                        details {
                            summary {
                                span.num { (event.position.0) }
                                @let at = read.get("at").and_then(Value::as_str).unwrap_or_default();
                                time datetime=(at) data-clock="" { (at.get(11..19).unwrap_or_default()) }
                                span.grow { (event_name(&read)) }
                            }
                            (self.event_body(event, &read))
                        }
                    }
                }
            }
        }
    }
}

/// A text up to its first so many bytes; whether it was longer.
fn cut(text: &str, most: usize) -> (&str, bool) {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).map_or((text, false), |head| (head, end < text.len()))
}

fn event_name(read: &Value) -> String {
    let event = read.get("event");
    let named = event.and_then(Value::as_object).and_then(|fields| fields.keys().next().cloned());
    named.or_else(|| event.and_then(Value::as_str).map(str::to_owned)).unwrap_or_default().replace('_', " ")
}

/// Whether a run only goes on while a process drives it.
const fn needs_driver(status: RunStatus) -> bool {
    matches!(status, RunStatus::Preparing | RunStatus::Executing | RunStatus::Stopping)
}

const fn urgency(status: TaskStatus) -> u8 {
    match status {
        TaskStatus::Failed => 0,
        TaskStatus::InProgress => 1,
        TaskStatus::Pending => 2,
        TaskStatus::Skipped => 3,
        TaskStatus::Completed => 4,
    }
}

const fn phase_class(status: PhaseStatus) -> &'static str {
    match status {
        PhaseStatus::Done => "s-ok",
        PhaseStatus::AtWork => "s-run",
        PhaseStatus::Waiting => "s-ask",
        PhaseStatus::Failed => "s-bad",
        PhaseStatus::ToCome => "s-idle",
    }
}
