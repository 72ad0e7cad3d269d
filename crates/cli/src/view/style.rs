//! How text looks: colours, symbols and width, in one place.
//!
//! A [`Line`] is built of spans and cleans, measures and cuts them itself: whatever an agent or a person
//! wrote, no control character reaches the terminal and no line is wider than it.

use candor_model::{CriterionResult, RunStatus, Severity, TaskStatus, Verdict};

use super::text;

/// How output is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours are used.
    pub colour: bool,
    /// How many columns there are.
    pub width: u16,
    /// Whether symbols beyond ASCII are used.
    pub unicode: bool,
    /// How many rows a drawn plan may take before the rest is folded.
    pub rows: u16,
}

impl Default for Style {
    /// Plain text of 80 columns.
    fn default() -> Self {
        Self { colour: false, width: 80, unicode: true, rows: 40 }
    }
}

impl Style {
    pub(crate) fn columns(self) -> usize {
        usize::from(if self.width == 0 { UNKNOWN_WIDTH } else { self.width })
    }
}

/// Terminals that do not know their width say that they have none.
const UNKNOWN_WIDTH: u16 = 80;

/// What a piece of text means for the eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Dim,
    Good,
    Bad,
    Warn,
    Accent,
}

impl Tone {
    const fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Dim => Some("2"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Warn => Some("33"),
            Self::Accent => Some("36"),
        }
    }

    pub(super) const fn of_severity(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Bad,
            Severity::Warning => Self::Warn,
            Severity::Info => Self::Plain,
        }
    }

    pub(super) const fn of_status(status: RunStatus) -> Self {
        match status {
            RunStatus::Completed => Self::Good,
            RunStatus::Failed | RunStatus::Aborted => Self::Bad,
            RunStatus::WaitingHuman | RunStatus::Paused | RunStatus::Stopping | RunStatus::Cancelled => {
                Self::Warn
            }
            RunStatus::Preparing | RunStatus::Executing => Self::Accent,
        }
    }

    /// Of a run with its verdict: done is good only if it was verified.
    pub(super) const fn of_end(status: RunStatus, verdict: Option<Verdict>) -> Self {
        match (status, verdict) {
            (RunStatus::Completed, Some(Verdict::NotMet)) => Self::Bad,
            (RunStatus::Completed, Some(Verdict::Unverified) | None) => Self::Warn,
            _ => Self::of_status(status),
        }
    }
}

/// A symbol in front of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// An agent is at work.
    Running,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Not started.
    Waiting,
    /// Left out.
    Skipped,
    /// A person is asked.
    Question,
    /// A recovery.
    Again,
    /// A warning.
    Warning,
    /// Anything else.
    Note,
}

impl Mark {
    /// The symbol, or its twin in ASCII.
    #[must_use]
    pub const fn symbol(self, unicode: bool) -> &'static str {
        match (self, unicode) {
            (Self::Running, true) => "●",
            (Self::Running, false) => "*",
            (Self::Done, true) => "✓",
            (Self::Done, false) => "+",
            (Self::Failed, true) => "✗",
            (Self::Failed, false) => "x",
            (Self::Waiting, true) => "○",
            (Self::Waiting, false) => "o",
            (Self::Skipped, true) => "↷",
            (Self::Skipped, false) => "-",
            (Self::Question, _) => "?",
            (Self::Again, true) => "↻",
            (Self::Again, false) => "~",
            (Self::Warning, _) => "!",
            (Self::Note, true) => "·",
            (Self::Note, false) => ".",
        }
    }

    pub(super) const fn of_task(status: TaskStatus) -> Self {
        match status {
            TaskStatus::Pending => Self::Waiting,
            TaskStatus::InProgress => Self::Running,
            TaskStatus::Completed => Self::Done,
            TaskStatus::Failed => Self::Failed,
            TaskStatus::Skipped => Self::Skipped,
        }
    }

    pub(super) const fn of_criterion(result: CriterionResult) -> Self {
        match result {
            CriterionResult::Holds => Self::Done,
            CriterionResult::Fails => Self::Failed,
            CriterionResult::Unchecked => Self::Warning,
        }
    }

    pub(super) const fn tone(self) -> Tone {
        match self {
            Self::Running => Tone::Accent,
            Self::Done => Tone::Good,
            Self::Failed => Tone::Bad,
            Self::Waiting | Self::Note => Tone::Dim,
            Self::Skipped | Self::Question | Self::Again | Self::Warning => Tone::Warn,
        }
    }
}

/// One line, made of spans.
#[derive(Debug, Clone)]
pub(super) struct Line {
    style: Style,
    spans: Vec<(Tone, String)>,
    width: usize,
}

impl Line {
    pub(super) const fn new(style: Style) -> Self {
        Self { style, spans: Vec::new(), width: 0 }
    }

    /// Adds a piece of text, cleaned of what a terminal would obey.
    #[must_use]
    pub(super) fn add(mut self, tone: Tone, piece: &str) -> Self {
        let piece = text::printable(piece, self.style.unicode);
        self.width += text::width(&piece);
        self.spans.push((tone, piece));
        self
    }

    #[must_use]
    pub(super) fn plain(self, piece: &str) -> Self {
        self.add(Tone::Plain, piece)
    }

    #[must_use]
    pub(super) fn mark(self, mark: Mark) -> Self {
        let symbol = mark.symbol(self.style.unicode);
        self.add(mark.tone(), symbol).plain(" ")
    }

    /// Adds a piece of text that is shortened to what is left before `column`.
    #[must_use]
    pub(super) fn fit(self, tone: Tone, piece: &str, column: usize) -> Self {
        let room = column.saturating_sub(self.width);
        let piece = text::shortened(&text::printable(piece, self.style.unicode), room, self.style.unicode);
        self.add(tone, &piece)
    }

    #[must_use]
    pub(super) fn pad_to(self, column: usize) -> Self {
        let gap = column.saturating_sub(self.width);
        self.plain(&" ".repeat(gap))
    }

    #[must_use]
    pub(super) fn append(mut self, other: Self) -> Self {
        self.width += other.width;
        self.spans.extend(other.spans);
        self
    }

    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// The line as text, cut to the style's width.
    pub(super) fn render(&self) -> String {
        self.rendered(self.style.columns())
    }

    /// The line as text, however long it is: for files and pipes.
    pub(super) fn render_whole(&self) -> String {
        self.rendered(usize::MAX)
    }

    fn rendered(&self, limit: usize) -> String {
        let mut output = String::new();
        let mut left = limit;
        let too_wide = self.width > limit;
        for (tone, piece) in &self.spans {
            let width = text::width(piece);
            if too_wide && width >= left {
                let cut = text::cut(piece, left, self.style.unicode);
                paint(&mut output, *tone, &cut, self.style.colour);
                break;
            }
            left = left.saturating_sub(width);
            paint(&mut output, *tone, piece, self.style.colour);
        }
        output.truncate(output.trim_end_matches(' ').len());
        output
    }
}

fn paint(output: &mut String, tone: Tone, piece: &str, colour: bool) {
    match tone.code().filter(|_| colour && !piece.trim().is_empty()) {
        Some(code) => {
            output.push_str("\u{1b}[");
            output.push_str(code);
            output.push('m');
            output.push_str(piece);
            output.push_str("\u{1b}[0m");
        }
        None => output.push_str(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(colour: bool, unicode: bool) -> Style {
        Style { colour, width: 20, unicode, rows: 40 }
    }

    #[test]
    fn a_line_is_cut_to_the_width_and_says_so() {
        let line = Line::new(narrow(false, true)).plain("0123456789").plain("0123456789").plain("x");
        assert_eq!(line.render(), "0123456789012345678…");
        assert_eq!(line.render_whole(), "01234567890123456789x");
        let exact = Line::new(narrow(false, true)).plain("0123456789").plain("0123456789");
        assert_eq!(exact.render(), "01234567890123456789");
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_passed_on() {
        let line = Line::new(narrow(false, true)).plain("a\u{1b}[31mb\u{202e}c\nd\u{7}");
        assert_eq!(line.render(), "a[31mbc d");
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let line =
            |colour| Line::new(narrow(colour, true)).mark(Mark::Failed).add(Tone::Bad, "broken").render();
        assert_eq!(line(false), "✗ broken");
        assert_eq!(line(true), "\u{1b}[31m✗\u{1b}[0m \u{1b}[31mbroken\u{1b}[0m");
    }

    #[test]
    fn without_unicode_everything_is_ascii() {
        let line = Line::new(narrow(false, false)).mark(Mark::Running).plain("Zürich — 東京 … now and then");
        assert!(line.render().is_ascii(), "{}", line.render());
        assert!(line.render().len() <= 20);
    }
}
