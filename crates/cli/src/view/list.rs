//! Many runs, one line each.

use std::collections::BTreeSet;

use candor_model::RunId;
use candor_ports::RunEntry;
use candor_projections::format;
use candor_projections::list::ListEntry;
use serde_json::{Value, json};

use super::style::{Line, Style, Tone};
use super::words::{self, label};
use super::{text, zone};

const STATUS_COLUMNS: usize = 23;
const STARTED_COLUMNS: usize = 23;
const DONE_COLUMNS: usize = 5;
const COST_COLUMNS: usize = 10;
/// Below this width only what matters most is shown.
const FULL_FROM_COLUMNS: usize = 100;

/// Shows runs as a table.
#[must_use]
pub fn text(runs: &[RunEntry], interrupted: &BTreeSet<RunId>, style: Style) -> String {
    if runs.is_empty() {
        return format!("{}\n", words::NO_RUNS.text());
    }
    let widest = runs.iter().map(|run| text::width(run.summary.run_id.as_str())).max().unwrap_or(0);
    let table = Table {
        run: widest.clamp(3, style.columns() / 2).max(text::width(label::RUN.text())),
        full: style.columns() >= FULL_FROM_COLUMNS,
        style,
    };
    let mut lines = vec![table.header()];
    lines.extend(runs.iter().map(|run| table.row(run, interrupted.contains(&run.summary.run_id))));
    lines.join("\n") + "\n"
}

/// Gives the same as data.
#[must_use]
pub fn json(runs: &[RunEntry], interrupted: &BTreeSet<RunId>) -> Value {
    let entry = |RunEntry { summary, head }: &RunEntry| {
        let mut entry = json!(ListEntry::of(summary, *head));
        if let Some(fields) = entry.as_object_mut() {
            fields.insert("interrupted".to_owned(), json!(interrupted.contains(&summary.run_id)));
        }
        entry
    };
    runs.iter().map(entry).collect()
}

struct Table {
    run: usize,
    full: bool,
    style: Style,
}

impl Table {
    fn header(&self) -> String {
        let cells = [
            label::RUN.text(),
            label::STATUS.text(),
            label::STARTED.text(),
            label::DONE.text(),
            label::COST.text(),
            label::REQUEST.text(),
        ];
        self.line(cells.map(str::to_owned), Tone::Dim, Tone::Dim)
    }

    fn row(&self, RunEntry { summary, .. }: &RunEntry, interrupted: bool) -> String {
        let status = match interrupted {
            true => label::INTERRUPTED.text().to_owned(),
            false => words::status_and_verdict(summary.status, summary.verdict),
        };
        let cells = [
            summary.run_id.to_string(),
            status,
            summary.started_at.map(zone::moment).unwrap_or_default(),
            format::percent(summary.progress_percentage),
            format::money(summary.spent),
            summary.request.clone(),
        ];
        self.line(cells, Tone::Plain, Tone::of_end(summary.status, summary.verdict))
    }

    fn line(&self, cells: [String; 6], tone: Tone, status_tone: Tone) -> String {
        let [run, status, started, done, cost, request] = cells;
        let mut end = self.run;
        let mut line = Line::new(self.style).fit(tone, &run, end).pad_to(end + 2);
        end += 2 + STATUS_COLUMNS;
        line = line.fit(status_tone, &status, end).pad_to(end + 2);
        if self.full {
            end += 2 + STARTED_COLUMNS;
            line = line.add(Tone::Dim, &started).pad_to(end + 2);
        }
        line = line.add(tone, &format!("{done:>DONE_COLUMNS$}  "));
        if self.full {
            line = line.add(tone, &format!("{cost:>COST_COLUMNS$}  "));
        }
        line.fit(tone, &request, self.style.columns()).render()
    }
}

#[cfg(test)]
mod tests {
    use candor_model::{Event, EventBody, Position, RunId, RunSettings, RunSummary, Timestamp};

    use super::{text as table_of, *};
    use crate::view::text;

    fn entry(id: &str, request: &str) -> RunEntry {
        let run_id = RunId::new(id).unwrap();
        let mut summary = RunSummary::new(run_id.clone());
        let settings = Box::new(RunSettings::default());
        let body = EventBody::RunStarted {
            run_id,
            request: request.to_owned(),
            settings,
            flags: Default::default(),
            material: None,
            forked_from: None,
            origin: None,
        };
        summary.absorb(&Event::new(Timestamp::EPOCH, body));
        RunEntry { summary, head: Position(1) }
    }

    #[test]
    fn every_run_has_a_line_and_none_is_too_wide() {
        let runs =
            [entry("run_1", "Plan a trip"), entry("run_2", &"東".repeat(300)), entry(&"x".repeat(200), "")];
        for width in [20, 60, 80, 120] {
            let table = table_of(&runs, &BTreeSet::new(), Style { width, ..Style::default() });
            assert_eq!(table.lines().count(), 4);
            for line in table.lines() {
                assert!(text::width(line) <= usize::from(width), "{line}");
            }
        }
        assert_eq!(json(&runs, &BTreeSet::new())[1]["run_id"], "run_2");
        assert!(table_of(&[], &BTreeSet::new(), Style::default()).contains("candor run"));
    }
}
