//! Attempts as a table of plain lines.

use candor_planning::texts;

use super::chronicle::{Attempt, Chronicle, Outcome};
use super::style::{Line, Mark, Style, Tone};
use super::{format, text, words};

const MAX_AGENT_COLUMNS: usize = 22;
const MIN_NAME_COLUMNS: usize = 10;
/// The symbol, and what stands between the columns.
const GAPS: usize = 12;

/// One line per attempt, in columns that fit the style's width.
pub(super) fn attempt_lines(
    chronicle: &Chronicle<'_>,
    attempts: &[&Attempt<'_>],
    style: Style,
) -> Vec<String> {
    let rows: Vec<Row> = attempts.iter().map(|attempt| Row::of(chronicle, attempt)).collect();
    let widest = |cell: fn(&Row) -> &str| rows.iter().map(|row| text::width(cell(row))).max().unwrap_or(0);
    let mut columns = Columns {
        offset: widest(|row| &row.offset),
        name: widest(|row| &row.name),
        outcome: widest(|row| &row.outcome),
        took: widest(|row| &row.took),
        cost: widest(|row| &row.cost),
        agent: widest(|row| &row.agent).min(MAX_AGENT_COLUMNS),
    };
    let others = columns.offset + columns.outcome + columns.took + columns.cost + columns.agent + GAPS;
    let room = style.columns().saturating_sub(others).max(MIN_NAME_COLUMNS);
    columns.name = columns.name.min(room);
    rows.iter().map(|row| columns.line(row, style)).collect()
}

/// The symbol of an outcome.
pub(super) const fn mark(outcome: Outcome) -> Mark {
    match outcome {
        Outcome::Running => Mark::Running,
        Outcome::Done | Outcome::Partly => Mark::Done,
        Outcome::Failed | Outcome::NeverStarted => Mark::Failed,
        Outcome::Stopped(_) => Mark::Skipped,
    }
}

struct Row {
    offset: String,
    mark: Mark,
    name: String,
    outcome: String,
    took: String,
    cost: String,
    agent: String,
    id: String,
}

impl Row {
    fn of(chronicle: &Chronicle<'_>, attempt: &Attempt<'_>) -> Self {
        Self {
            offset: format::offset(chronicle.offset(attempt.started)),
            mark: mark(attempt.outcome),
            name: chronicle.name(attempt.task_id),
            outcome: words::attempt_outcome(words::outcome(attempt.outcome), attempt.number),
            took: format::duration(attempt.took(chronicle.now())),
            cost: format::money(attempt.cost()),
            agent: attempt.agent.map(texts::agent_name).unwrap_or_default(),
            id: attempt.task_id.to_string(),
        }
    }
}

struct Columns {
    offset: usize,
    name: usize,
    outcome: usize,
    took: usize,
    cost: usize,
    agent: usize,
}

impl Columns {
    fn line(&self, row: &Row, style: Style) -> String {
        let Row { offset, mark, name, outcome, took, cost, agent, id } = row;
        let line = Line::new(style).add(Tone::Dim, &format!("{offset:>0$} ", self.offset)).mark(*mark);
        let end = line.width() + self.name;
        let line = line.fit(Tone::Plain, name, end).pad_to(end + 2);
        let end = line.width() + self.outcome;
        let numbers = format!("  {took:>0$}  {cost:>1$}  ", self.took, self.cost);
        let line = line.add(mark.tone(), outcome).pad_to(end).add(Tone::Dim, &numbers);
        let end = line.width() + self.agent;
        let line = line.fit(Tone::Dim, agent, end).pad_to(end + 2);
        // The id comes last: it is the first to go where there is no room for it.
        let room = style.columns().saturating_sub(line.width());
        if text::width(id) <= room { line.add(Tone::Dim, id).render() } else { line.render() }
    }
}
