//! What came out of attempts, for people: answers, errors and what agents wrote to their standard error.

use candor_planning::texts;
use candor_projections::attempt_output::AttemptOutput;
use candor_projections::format;

use super::style::{Line, Style, Tone};
use super::{note_lines, text, words};

/// How much of each text is shown at its beginning and at its end.
const SHOWN_BYTES: usize = 2_000;

/// One attempt: who, how it ended, its errors, notes, answer and standard error. Without `full`, what is long
/// is cut.
#[must_use]
pub fn text(output: &AttemptOutput<'_>, stderr: Option<&str>, full: bool, style: Style) -> String {
    let agent = output.agent_type.map(texts::agent_name);
    let took = format::duration(output.duration_seconds);
    let head = words::attempt_head(output, agent.as_deref(), &took);
    let mut lines =
        vec![Line::new(style).add(Tone::Strong, &text::printable(&head, style.unicode)).render_whole()];
    let mut part = |name: &str, told: &str| {
        if !told.trim().is_empty() {
            lines.push(Line::new(style).plain("  ").add(Tone::Dim, name).render_whole());
            lines.extend(indented(told, full, style));
        }
    };
    part(words::ERRORS.text(), &output.errors.join("\n"));
    if let Some(detail) = output.failure.and_then(|failure| failure.detail.as_deref()) {
        part(words::ERROR_DETAIL.text(), detail);
    }
    let notes: Vec<String> = output.notes.iter().filter_map(|note| note_lines::note_text(note)).collect();
    part(words::NOTES_OF_AGENT.text(), &notes.join("\n"));
    part(words::TOLD_BY_AGENT.text(), &output.told.join("\n"));
    if !output.outputs.is_empty() {
        part(words::ANSWER.text(), &serde_json::to_string_pretty(&output.outputs).unwrap_or_default());
    }
    part(words::STDERR.text(), stderr.unwrap_or_default());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Lines without anything that a terminal would obey, set in under their title.
fn indented(told: &str, full: bool, style: Style) -> Vec<String> {
    let told = if full { told.to_owned() } else { cut(told) };
    let line = |line: &str| format!("    {}", text::printable(&line.replace('\t', "    "), style.unicode));
    told.trim_end().lines().map(|it| line(it).trim_end().to_owned()).collect()
}

/// The beginning and the end of a long text, and how much lies between them.
fn cut(told: &str) -> String {
    if told.len() <= SHOWN_BYTES * 2 {
        return told.to_owned();
    }
    let head = told.get(..told.floor_char_boundary(SHOWN_BYTES)).unwrap_or_default();
    let tail = told.get(told.ceil_char_boundary(told.len() - SHOWN_BYTES)..).unwrap_or_default();
    let left_out = told.len() - head.len() - tail.len();
    format!("{head}\n{}\n{tail}", words::left_out_of_log(left_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_both_ends_and_says_what_is_left_out() {
        let told = format!("begin{}end", "x".repeat(10_000));
        let shown = cut(&told);
        assert!(shown.starts_with("begin") && shown.ends_with("end"));
        assert!(shown.contains("6,008 bytes"), "{shown}");
        let odd = "é".repeat(5_000);
        assert!(cut(&odd).contains("6,000 bytes"));
    }
}
