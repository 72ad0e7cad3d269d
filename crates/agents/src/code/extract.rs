//! Code as models write it: with a fence around it, or words, or neither.

const FENCE: &str = "```";

/// The code of an answer: its first fenced block if it has one, otherwise all of it.
#[must_use]
pub(super) fn code_of(answer: &str) -> String {
    let mut block: Option<Vec<&str>> = None;
    for line in answer.lines() {
        let is_fence = line.trim_start().starts_with(FENCE);
        match (&mut block, is_fence) {
            (None, true) => block = Some(Vec::new()),
            (Some(_), true) => break,
            (Some(lines), false) => lines.push(line),
            (None, false) => {}
        }
    }
    match block {
        Some(lines) if lines.iter().any(|line| !line.trim().is_empty()) => trimmed(&lines.join("\n")),
        _ => on_one_line(answer),
    }
}

/// A fence that opens and closes on the same line, or none.
fn on_one_line(answer: &str) -> String {
    let inside = answer.trim();
    let inside = inside.strip_prefix("```python").or_else(|| inside.strip_prefix(FENCE)).unwrap_or(inside);
    trimmed(inside)
}

/// Without blanks around it, and without the fence that may end its last line.
fn trimmed(code: &str) -> String {
    code.trim().trim_end_matches(FENCE).trim_end().to_owned()
}
