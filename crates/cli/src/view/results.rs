//! What a run produced: the end of what a person sees after `candor run`.

use candor_engine::RunState;
use candor_projections::results::Results;

use crate::lang::language;

use super::style::{Line, Style, Tone};
use super::{text, words};

const NAME_COLUMNS: usize = 20;
/// An output of so many letters with its name is a figure or a word.
const SHORT_OUTPUT: usize = 30;

/// The main outputs of the tasks that are done.
#[must_use]
pub fn text(state: &RunState, style: Style) -> String {
    let Results { lines: outputs, more, sample_data } = Results::told(state, language());
    let mut tasks: Vec<(String, Vec<String>)> = Vec::new();
    for output in outputs {
        let told = format!("{} {}", output.key, output.value);
        match tasks.last_mut() {
            // A task is named with its first output.
            Some((_, told_before)) if output.task.is_empty() => told_before.push(told),
            _ => tasks.push((output.task, vec![told])),
        }
    }
    let mut lines = Vec::new();
    for (task, mut told) in tasks {
        // Figures come first: of a list or an object the beginning is enough.
        told.sort_by_key(|told| told.len() > SHORT_OUTPUT);
        let line =
            Line::new(style).plain("  ").fit(Tone::Strong, &task, NAME_COLUMNS).pad_to(NAME_COLUMNS + 2);
        let room = style.columns().saturating_sub(NAME_COLUMNS + 2).max(NAME_COLUMNS);
        lines.push(line.plain(&text::shortened(&told.join(", "), room, style.unicode)).render());
    }
    if more > 0 {
        lines.push(Line::new(style).plain("  ").add(Tone::Dim, &words::and_more(more)).render());
    }
    if sample_data {
        lines.push(Line::new(style).plain("  ").add(Tone::Warn, words::sample_data()).render());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
