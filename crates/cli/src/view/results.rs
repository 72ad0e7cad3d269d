//! What a run produced: the end of what a person sees after `candor run`.

use candor_engine::RunState;
use candor_projections::results::Results;

use super::style::{Line, Style, Tone};
use super::words;

const NAME_COLUMNS: usize = 20;

/// The main outputs of the tasks that are done.
#[must_use]
pub fn text(state: &RunState, style: Style) -> String {
    let Results { lines: outputs, more, sample_data } = Results::of(state);
    let mut lines = Vec::new();
    for output in outputs {
        let line = Line::new(style).plain("  ").fit(Tone::Strong, &output.task, NAME_COLUMNS);
        let line = line.pad_to(NAME_COLUMNS + 2).add(Tone::Dim, &format!("{} ", output.key));
        lines.push(line.plain(&output.value).render());
    }
    if more > 0 {
        lines.push(Line::new(style).plain("  ").add(Tone::Dim, &words::and_more(more)).render());
    }
    if sample_data {
        lines.push(Line::new(style).plain("  ").add(Tone::Warn, words::SAMPLE_DATA).render());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
