//! What happened when: the way through the phases, and every attempt at a task.

use candor_model::{Recorded, Timestamp};
use candor_planning::texts;
use candor_projections::chronicle::{Attempt, Chronicle, Outcome};
use candor_projections::format;
use candor_projections::timeline::{self, WayEntry};
use serde_json::{Value, json};

use super::lines::{EventLine, LineWriter};
use super::style::{Line, Mark, Style, Tone};
use super::{text, words};

const MAX_AGENT_COLUMNS: usize = 22;
const MIN_NAME_COLUMNS: usize = 10;
/// The symbol, and what stands between the columns.
const GAPS: usize = 12;

/// Shows the way through the phases and every attempt with its time, agent and outcome, in order.
#[must_use]
pub fn text(records: &[Recorded], style: Style) -> String {
    let chronicle = Chronicle::of(records);
    let all: Vec<&Attempt<'_>> = chronicle.attempts.iter().collect();
    let lines = attempt_lines(&chronicle, &all, style);
    let attempts = all.iter().map(|attempt| attempt.started).zip(lines);
    let way =
        way(&chronicle, records).into_iter().map(|(_, told)| (told.at, way_line(&chronicle, &told, style)));
    let mut lines: Vec<(Timestamp, String)> = way.chain(attempts).collect();
    if lines.is_empty() {
        return format!("{}\n", words::NO_ATTEMPTS.text());
    }
    // What happened at the same time stays in the order of the log.
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

/// Gives the same as data: attempts have a `task_id`, what happened on the way an `event`.
#[must_use]
pub fn json(records: &[Recorded]) -> Value {
    let chronicle = Chronicle::of(records);
    let attempts = timeline::attempts(&chronicle).into_iter().map(|attempt| json!(attempt));
    let way = way(&chronicle, records).into_iter().map(|(entry, told)| {
        let mut entry = json!(entry);
        if let Value::Object(fields) = &mut entry {
            fields.extend([
                ("text".to_owned(), json!(told.text)),
                ("severity".to_owned(), json!(told.severity)),
            ]);
        }
        entry
    });
    let mut entries: Vec<Value> = way.chain(attempts).collect();
    let offset = |entry: &Value| entry.get("offset_seconds").and_then(Value::as_f64).unwrap_or(0.0);
    entries.sort_by(|a, b| offset(a).total_cmp(&offset(b)));
    Value::Array(entries)
}

/// What is told of the way through the phases.
fn way(chronicle: &Chronicle<'_>, records: &[Recorded]) -> Vec<(WayEntry, EventLine)> {
    let mut writer = LineWriter::new();
    let told = records.iter().filter_map(|recorded| {
        let told = writer.tell(recorded)?;
        WayEntry::of(chronicle, recorded).map(|entry| (entry, told))
    });
    told.collect()
}

fn way_line(chronicle: &Chronicle<'_>, told: &EventLine, style: Style) -> String {
    let offset = format::offset(chronicle.offset(told.at));
    let line = Line::new(style).add(Tone::Dim, &format!("{offset} ")).mark(told.mark);
    line.fit(told.mark.tone(), &told.text, style.columns()).render()
}

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

#[cfg(test)]
mod tests {
    use candor_testkit::golden::STORIES;

    use super::*;
    use crate::view::words::tests::story;

    #[test]
    fn a_timeline_has_a_line_for_every_attempt_and_every_step_on_the_way_and_fits_the_screen() {
        for (name, _) in STORIES {
            let records = story(name);
            let entries = json(&records);
            let entries = entries.as_array().unwrap();
            let attempts = entries.iter().filter(|entry| entry.get("task_id").is_some()).count();
            assert_eq!(attempts, Chronicle::of(&records).attempts.len(), "{name}");
            for width in [20, 50, 80, 200] {
                let drawn = text(&records, Style { width, ..Style::default() });
                assert_eq!(drawn.lines().count(), entries.len().max(1), "{name}");
                assert!(drawn.lines().all(|line| text::width(line) <= usize::from(width)), "{drawn}");
            }
        }
    }
}
