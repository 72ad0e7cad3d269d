//! A run as it goes on, as the lines of one screen.
//!
//! Owns what such a screen needs and keeps it event by event; drawing the lines is the caller's business.

use std::collections::VecDeque;

use candor_engine::RunState;
use candor_model::{
    Broadcast, CritiqueVerdict, Event, EventBody, FailureNotification, GateId, MessagePriority, MessageType,
    Notification, Phase, Question, Recorded, RunId, RunSummary, Seconds, Severity, TaskId, Timestamp,
};
use candor_planning::texts;
use candor_projections::{format, recorded};

use crate::lang::language;

use super::lines::FACT_COLUMNS;
use super::style::{Line, Mark, Style, Tone};
use super::tree::Tree;
use super::{commands, phase_lines, phases, text, words};

/// How many of the last failures stay in run_view.
const SHOWN_FAILURES: usize = 4;
/// How much of what a model says is shown while it speaks.
const HEARD_COLUMNS: usize = 200;
/// How many of the last notes on the phases stay in run_view.
const SHOWN_NOTES: usize = 3;
const MAX_BAR: usize = 30;
/// So many rows of the plan are shown however low the terminal is.
const LEAST_ROWS: u16 = 3;

/// What a screen shows of a run that goes on.
#[derive(Debug)]
pub struct Live {
    state: RunState,
    summary: RunSummary,
    tree: Tree,
    /// The last failures, each once, with how often its task failed in that way.
    failures: VecDeque<(Box<FailureNotification>, u32)>,
    /// What was last told of the phases around the work.
    notes: VecDeque<(Mark, String)>,
    /// What a model says while it speaks: the step, and the end of its words.
    heard: Option<(String, String)>,
    /// Whether the questions are put by whoever draws this, below it.
    asks_itself: bool,
}

impl Live {
    /// The screen of a run of which nothing is known yet.
    #[must_use]
    pub fn new(run_id: RunId) -> Self {
        Self {
            state: RunState::new(run_id.clone()),
            summary: RunSummary::new(run_id),
            tree: Tree::default(),
            failures: VecDeque::with_capacity(SHOWN_FAILURES),
            notes: VecDeque::with_capacity(SHOWN_NOTES),
            heard: None,
            asks_itself: false,
        }
    }

    /// The same without questions: whoever draws it puts them.
    #[must_use]
    pub fn without_questions(self) -> Self {
        Self { asks_itself: true, ..self }
    }

    /// A question in words, with the name of its task.
    #[must_use]
    pub fn question(&self, question: &Question) -> String {
        asked(&self.state, question)
    }

    /// Takes one event into account. Only a changed plan costs more than a constant time.
    pub fn absorb(&mut self, recorded: &Recorded) {
        let event = &recorded.event;
        self.state.apply(event);
        self.summary.absorb(event);
        self.note(event);
        match &event.body {
            EventBody::PlanProposed { .. }
            | EventBody::PlanAdjusted { .. }
            | EventBody::Replanned { .. }
            | EventBody::RolledBack { .. }
            | EventBody::RunResumed {} => {
                self.lay_out();
                self.tree.note(event);
            }
            EventBody::Notified { notification } => {
                if let Notification::Failure(notice) = notification.as_ref()
                    && self.tree.was_begun(&notice.task_id)
                {
                    self.remember(notice);
                }
            }
            EventBody::ModelConsulted { .. } => self.heard = None,
            _ => self.tree.absorb(event),
        }
    }

    /// Hears a model's words as they come.
    pub fn hear(&mut self, step: &str, words: &str) {
        let (now, text) = self.heard.get_or_insert_with(|| (step.to_owned(), String::new()));
        if now != step {
            step.clone_into(now);
            text.clear();
        }
        text.push_str(&text::clean(words));
        let extra = text.chars().count().saturating_sub(HEARD_COLUMNS);
        *text = text.chars().skip(extra).collect();
    }

    /// The state of the run, for those who want more of it.
    #[must_use]
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// The screen at this time in at most `height` lines: a frame that is taller than the terminal cannot be drawn over.
    /// The plan is folded first, then the notes on the phases are left out.
    #[must_use]
    pub fn frame_within(&self, now: Timestamp, style: Style, height: usize) -> Vec<String> {
        let frame = self.frame(now, style);
        let excess = frame.len().saturating_sub(height);
        if excess == 0 {
            return frame;
        }
        let drawn = self.tree.len().min(usize::from(style.rows));
        let rows = u16::try_from(drawn.saturating_sub(excess)).unwrap_or(u16::MAX).max(LEAST_ROWS);
        let style = Style { rows, ..style };
        let folded = self.frame(now, style);
        let mut frame = if folded.len() <= height { folded } else { self.lines(now, style, false) };
        frame.truncate(height);
        frame
    }

    /// The screen at this time. No line is wider than the style's width.
    #[must_use]
    pub fn frame(&self, now: Timestamp, style: Style) -> Vec<String> {
        self.lines(now, style, true)
    }

    fn lines(&self, now: Timestamp, style: Style, with_notes: bool) -> Vec<String> {
        let mut lines = self.header(now, style);
        if !self.tree.is_empty() {
            lines.push(String::new());
            lines.extend(self.tree.lines(Some(now), style));
        }
        if let Some((step, words)) = &self.heard {
            let width = usize::from(style.width).saturating_sub(step.len() + 6).min(HEARD_COLUMNS);
            let extra = words.chars().count().saturating_sub(width);
            let end: String = words.chars().skip(extra).collect();
            lines.push(format!("  {step}: {end}"));
        }
        if !self.failures.is_empty() {
            lines.push(String::new());
            let failures = self.failures.iter();
            lines.extend(
                failures.flat_map(|(notice, times)| {
                    marked(Mark::Failed, &words::failures(notice, *times), style)
                }),
            );
        }
        if with_notes && !self.notes.is_empty() {
            lines.push(String::new());
            lines.extend(self.notes.iter().flat_map(|(mark, note)| marked(*mark, note, style)));
        }
        let questions = self.state.open_questions().iter().filter(|_| !self.asks_itself);
        for (gate, question) in questions {
            lines.push(String::new());
            lines.extend(question_lines(&self.state, gate, question, style));
        }
        lines
    }

    fn lay_out(&mut self) {
        // Going back to before the plan leaves nothing to draw, and what failed is still remembered.
        let mut tree = self.state.plan().as_ref().map(Tree::of).unwrap_or_default();
        tree.inherit(std::mem::take(&mut self.tree));
        self.tree = tree;
    }

    /// Keeps what a person should see of the phases: what is not merely going well.
    fn note(&mut self, event: &Event) {
        let name =
            |id: &TaskId| self.state.task(id).map_or_else(|| id.to_string(), |task| texts::task_name(&task));
        let told = match &event.body {
            // What does not hold is told by what follows from it: the task that is done again, a question, the end.
            EventBody::Critiqued { phase: Phase::Validation, .. } => None,
            EventBody::Critiqued { phase, verdict, notes, .. } if *verdict != CritiqueVerdict::Continue => {
                Some((Mark::Warning, words::critiqued(*phase, *verdict, notes)))
            }
            EventBody::GuardrailTripped { rule, severity, reason } => {
                let mark = if *severity == Severity::Error { Mark::Failed } else { Mark::Warning };
                Some((mark, words::guardrail(rule, reason)))
            }
            EventBody::Broadcast { message }
                if message.priority < MessagePriority::High || is_of_phase(message) =>
            {
                None
            }
            EventBody::GuardrailsChecked { report, .. } if report.findings.is_empty() => None,
            EventBody::FilesRead { .. } => None,
            // Whoever shows the plan below shows the answer with it.
            EventBody::PlanAnswered { .. } if self.asks_itself => None,
            // A question about the plan is no new attempt at planning.
            EventBody::PhaseStarted { .. } if self.state.talk().is_some() => None,
            _ => phase_lines::tell(event, &name).map(|(_, mark, told)| (mark, told)),
        };
        let Some(told) = told else { return };
        if self.notes.len() == SHOWN_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(told);
    }

    /// The same task that failed in the same way again is one failure, with what is done about it now.
    fn remember(&mut self, notice: &FailureNotification) {
        let is_same = |(known, _): &(Box<FailureNotification>, u32)| {
            known.task_id == notice.task_id && known.error_summary == notice.error_summary
        };
        let known = self.failures.iter().position(is_same).and_then(|place| self.failures.remove(place));
        let times = known.map_or(1, |(_, times)| times.saturating_add(1));
        if self.failures.len() == SHOWN_FAILURES {
            self.failures.pop_front();
        }
        self.failures.push_back((Box::new(notice.clone()), times));
    }

    /// The last sentence of a run without the cause that a failure above it has told.
    #[must_use]
    pub fn without_told_cause<'a>(&self, sentence: &'a str) -> &'a str {
        let mut causes = self.failures.iter().filter_map(|(notice, _)| words::cause(notice));
        causes.find_map(|cause| sentence.strip_suffix(&cause)?.strip_suffix(": ")).unwrap_or(sentence)
    }

    fn header(&self, now: Timestamp, style: Style) -> Vec<String> {
        let summary = &self.summary;
        // A clock that went back must not make the run younger than its last event.
        let now = if summary.status.is_end() { summary.updated_at.unwrap_or(now) } else { now };
        let elapsed = summary.started_at.map_or(Seconds::ZERO, |started| now.since(started));
        let run = summary.run_id.as_str();
        let title = Line::new(style).fit(Tone::Strong, &summary.request, style.columns());
        let status = Line::new(style)
            .add(Tone::of_status(summary.status), words::run_status(summary.status))
            .add(Tone::Dim, &format!(" · {run} · {}", format::duration(elapsed)));
        let mut lines = vec![title.render(), status.render(), phases::strip(&self.state, style)];
        if !self.tree.is_empty() {
            lines.push(self.progress(style));
        }
        lines
    }

    fn progress(&self, style: Style) -> String {
        let percentage = self.summary.progress_percentage;
        let mut parts = Vec::new();
        parts.extend(self.state.time_left().filter(|_| !self.summary.status.is_end()).map(words::remaining));
        parts.push(format::money(self.summary.spent));
        parts.extend(self.summary.confidence.map(words::confidence));
        bar(percentage, style).add(Tone::Dim, &format!(" · {}", parts.join(" · "))).render()
    }
}

/// A question in words, with the task's name.
pub(super) fn asked(state: &RunState, question: &Question) -> String {
    match question {
        Question::Approval { request, .. } => words::ask_approval(request),
        Question::Choice(request) => words::told(&request.text),
        Question::Guidance(request) => {
            let task = state.task(&request.task_id);
            let name = task.as_ref().map_or_else(|| request.task_id.to_string(), texts::task_name);
            words::ask_guidance(&name, request.failure_count)
        }
    }
}

/// A question, what can be chosen, and the commands that answer it.
pub(super) fn question_lines(
    state: &RunState,
    gate: &GateId,
    question: &Question,
    style: Style,
) -> Vec<String> {
    let mut lines = marked(Mark::Question, &asked(state, question), style);
    let several = state.open_questions().len() > 1;
    let commands = commands::answers(state.run_id(), gate, question, several);
    let command = |command: &str| Line::new(style).plain("    ").add(Tone::Accent, command).render();
    let Question::Choice(request) = question else {
        lines.extend(commands.iter().map(|it| command(it)));
        return lines;
    };
    let request = recorded::choice(language(), request);
    for (option, typed) in request.options.iter().zip(&commands) {
        let label = format!("{}: {}", option.id, option.label);
        lines.push(Line::new(style).plain("  ").plain(&label).render());
        let room = style.columns().saturating_sub(6);
        let details = text::printable(&option.details, style.unicode);
        let details = text::wrapped(&details, room).into_iter().filter(|piece| !piece.trim().is_empty());
        lines.extend(details.map(|piece| Line::new(style).plain("      ").add(Tone::Dim, &piece).render()));
        lines.push(command(typed));
    }
    let default = request.default.as_ref().map(|option| words::asked_by_default(option));
    lines.extend(default.map(|told| Line::new(style).plain("  ").add(Tone::Dim, &told).render()));
    lines
}

/// A text after a mark, in as many lines as it takes.
pub(super) fn marked(mark: Mark, message: &str, style: Style) -> Vec<String> {
    let message = text::printable(message, style.unicode);
    let tone = if mark == Mark::Note { Tone::Plain } else { mark.tone() };
    let pieces = text::wrapped(&message, style.columns().min(FACT_COLUMNS).saturating_sub(2));
    let lines = pieces.iter().enumerate().map(|(at, piece)| {
        let line = Line::new(style);
        let line = if at == 0 { line.mark(mark) } else { line.plain("  ") };
        line.add(tone, piece).render()
    });
    lines.collect()
}

/// A bar with its percentage.
pub(super) fn bar(percentage: f64, style: Style) -> Line {
    let cells = MAX_BAR.min(style.columns() / 3);
    let share = (percentage / 100.0).clamp(0.0, 1.0);
    // Rounded down: a bar that looks full is full.
    let full = ((cells as f64 * share) as usize).min(cells);
    let [done, open] = if style.unicode { ["█", "░"] } else { ["#", "."] };
    Line::new(style)
        .add(Tone::Good, &done.repeat(full))
        .add(Tone::Dim, &open.repeat(cells - full))
        .add(Tone::Strong, &format!(" {:>4}", format::percent(percentage)))
}

/// Whether a phase itself says it, and nothing is wrong.
fn is_of_phase(message: &Broadcast) -> bool {
    message.task_id.is_none()
        && matches!(message.message_type, MessageType::Discovery | MessageType::Completion)
}

#[cfg(test)]
mod tests {
    use candor_testkit::golden::STORIES;
    use candor_testkit::{fixtures, load};

    use super::*;
    use crate::view::words::tests::{recorded, story};

    fn watched(records: &[Recorded]) -> Live {
        let mut live = Live::new(RunId::new("run_test").unwrap());
        records.iter().for_each(|recorded| live.absorb(recorded));
        live
    }

    #[test]
    fn the_tree_kept_event_by_event_is_the_tree_of_the_folded_plan() {
        for (name, _) in STORIES {
            let records = story(name);
            for end in 1..=records.len() {
                let records = records.get(..end).unwrap();
                let live = watched(records);
                let now = records.last().unwrap().event.at;
                let folded = crate::view::tree::draw(live.state(), records, Style::default());
                assert_eq!(live.tree.lines(Some(now), Style::default()), folded, "{name} after {end} events");
            }
        }
    }

    #[test]
    fn a_frame_shows_progress_failures_and_the_command_that_answers() {
        // spec: planning FT-06 QT-07
        let records = story("escalated_and_skipped");
        let asked =
            records.iter().position(|it| matches!(it.event.body, EventBody::HumanAsked { .. })).unwrap();
        let live = watched(records.get(..=asked).unwrap());
        let frame = live.frame(records.get(asked).unwrap().event.at, Style::default()).join("\n");
        for part in [
            "Plan a 3-day trip",
            "waiting for a person",
            "  0%",
            "✗ Flight search failed: Error 1",
            "candor answer run_test retry",
        ] {
            assert!(frame.contains(part), "{part} is missing in:\n{frame}");
        }
    }

    #[test]
    fn no_line_of_a_frame_is_wider_than_the_screen() {
        for (name, _) in STORIES {
            let records = story(name);
            let live = watched(&records);
            for (width, unicode) in [(20, true), (33, false), (60, true), (80, true), (200, false)] {
                let style = Style { colour: false, width, unicode, rows: 10 };
                for line in live.frame(live.summary.updated_at.unwrap(), style) {
                    assert!(text::width(&line) <= usize::from(width), "{name} at {width}: {line}");
                    assert!(unicode || line.is_ascii(), "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn a_frame_fits_a_low_terminal_at_every_moment_and_folds_what_is_done() {
        // spec: findings UX-04
        for (name, _) in STORIES {
            let records = story(name);
            let mut live = Live::new(RunId::new("run_test").unwrap());
            for recorded in &records {
                live.absorb(recorded);
                for (width, height) in [(80, 23), (40, 23), (40, 9)] {
                    let style = Style { width, ..Style::default() };
                    let frame = live.frame_within(recorded.event.at, style, height);
                    assert!(frame.len() <= height, "{name} at {width}x{height}: {frame:#?}");
                }
            }
        }
        let mut quick = load::Quick::new(RunId::new("run_test").unwrap(), load::plan(200, 2), true).unwrap();
        quick.execute().unwrap();
        let live = watched(&recorded(std::mem::take(&mut quick.events)));
        let frame = live.frame_within(Timestamp::EPOCH, Style::default(), 23);
        assert!(frame.len() <= 23, "{frame:#?}");
        assert!(frame.iter().any(|line| line.contains(" more: ") && line.contains(" done")), "{frame:#?}");
    }

    #[test]
    fn wide_and_odd_letters_stay_within_the_screen() {
        let mut tasks = fixtures::paris_plan().subtasks;
        for (task, name) in tasks.iter_mut().zip([
            "航班搜索航班搜索航班搜索航班搜索",
            "👩‍👩‍👧‍👦👩‍👩‍👧‍👦 family ☀️☀️",
            "e\u{301}\u{301}\u{301}t\u{202e}x",
            "\u{1b}[31mred",
        ]) {
            task.metadata.name = Some(name.to_owned());
        }
        let plan = fixtures::plan_of(tasks, 0.9);
        let run = candor_testkit::scenario::Scenario::of(plan, candor_model::RunSettings::default());
        let live = watched(&run.log);
        for width in 20..90 {
            let style = Style { width, ..Style::default() };
            for line in live.frame(run.now, style) {
                assert!(text::width(&line) <= usize::from(width), "{width}: {line}");
                assert!(!line.contains('\u{1b}'), "{line}");
            }
        }
    }

    #[test]
    fn ten_thousand_tasks_are_followed_and_folded_quickly() {
        let mut quick =
            load::Quick::new(RunId::new("run_test").unwrap(), load::plan(10_000, 2), true).unwrap();
        quick.execute().unwrap();
        let records = recorded(std::mem::take(&mut quick.events));
        let started = std::time::Instant::now();
        let live = watched(&records);
        let followed = started.elapsed();
        let started = std::time::Instant::now();
        let frame = live.frame(Timestamp::EPOCH, Style::default());
        let framed = started.elapsed();
        assert!(frame.len() < 60, "{} lines", frame.len());
        assert!(frame.iter().any(|line| line.contains("9,961 more: 9,961 done")), "{frame:#?}");
        println!("{} events followed in {followed:?}, one frame in {framed:?}", records.len());
        assert!(framed.as_millis() < 200, "a frame took {framed:?}");
    }
}
