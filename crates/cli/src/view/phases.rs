//! The eight phases of a run on a screen.

use candor_engine::RunState;
use candor_model::{Phase, Recorded};
use candor_projections::phases::{self, PhaseStatus, PhaseView};

use super::style::{Line, Mark, Style, Tone};
use super::words;

const NAME_COLUMNS: usize = 20;
const STATUS_COLUMNS: usize = 36;

fn status_words(status: PhaseStatus) -> &'static str {
    match status {
        PhaseStatus::Done => words::phase_status::DONE.text(),
        PhaseStatus::AtWork => words::phase_status::AT_WORK.text(),
        PhaseStatus::Waiting => words::phase_status::WAITING.text(),
        PhaseStatus::Failed => words::phase_status::FAILED.text(),
        PhaseStatus::ToCome => words::phase_status::TO_COME.text(),
    }
}

const fn mark(status: PhaseStatus) -> Mark {
    match status {
        PhaseStatus::Done => Mark::Done,
        PhaseStatus::AtWork => Mark::Running,
        PhaseStatus::Waiting => Mark::Question,
        PhaseStatus::Failed => Mark::Failed,
        PhaseStatus::ToCome => Mark::Waiting,
    }
}

/// A line for each phase.
pub(super) fn lines(state: &RunState, records: &[Recorded], style: Style) -> Vec<String> {
    phases::of(state, records).iter().map(|view| line(view, style)).collect()
}

fn line(view: &PhaseView<'_>, style: Style) -> String {
    let (name, mark) = (format!("{} {}", view.phase.number(), words::phase(view.phase)), mark(view.status));
    let line = Line::new(style).mark(mark).plain(&name).pad_to(NAME_COLUMNS);
    let status = match view.attempt {
        0 | 1 => status_words(view.status).to_owned(),
        attempt => format!("{}, {}", status_words(view.status), words::attempt(attempt)),
    };
    let mut told = vec![];
    told.extend(view.ended.map(|ended| words::phase_figures(ended.metrics, ended.handoff.spoken_by)));
    told.extend(view.verdict.map(words::critique));
    line.add(mark.tone(), &status).pad_to(STATUS_COLUMNS).add(Tone::Dim, &told.join(", ")).render()
}

/// All eight in a line, for a screen that is drawn again and again: it costs no look at the log.
pub(super) fn strip(state: &RunState, style: Style) -> String {
    let mut line = Line::new(style);
    for phase in Phase::ALL {
        let mark = mark(PhaseStatus::of(state, *phase));
        line = line.add(mark.tone(), mark.symbol(style.unicode));
    }
    let (at_work, asked) = (phases::at_work(state), phases::asked(state));
    let now: Vec<String> = Phase::ALL
        .iter()
        .filter(|phase| at_work.contains(phase) || asked.contains(phase))
        .map(|phase| format!("{} {}", phase.number(), words::phase(*phase)))
        .collect();
    line.add(Tone::Dim, &format!(" {}", now.join(", "))).render()
}
