//! Texts made fit to be kept: short, and without secrets.

use candor_model::secret::{self, MARK};
use candor_model::{ToolErrorKind, ToolResult};

/// How many characters of an error are written into notes other than the tool's own answer.
pub(crate) const ERROR_CHARS: usize = 100;

/// The first characters of a text on one line; an ellipsis, which counts, says that there was more.
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// The text with secrets of the usual shapes taken out.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut kept_from = 0;
    for secret in secret::find(text) {
        cleaned.push_str(text.get(kept_from..secret.range.start).unwrap_or_default());
        cleaned.push_str(MARK);
        cleaned.push_str(secret.kind);
        cleaned.push(']');
        kept_from = secret.range.end;
    }
    cleaned.push_str(text.get(kept_from..).unwrap_or_default());
    cleaned
}

/// An error as it is written into notes: without secrets, then cut, so that no part of one is left.
pub(crate) fn error_words(text: &str) -> String {
    shorten(&redact(text), ERROR_CHARS)
}

/// A problem that was found before anything was called, as a reason that [`problem_of`] reads.
pub(crate) fn problem_words(kind: ToolErrorKind, text: &str) -> String {
    format!("{kind}: {}", shorten(&redact(text), 400))
}

/// The failure that a reason tells of.
pub(crate) fn problem_of(reason: &str) -> ToolResult {
    let told = reason.split_once(": ").and_then(|(kind, text)| Some((kind.parse().ok()?, text)));
    let (kind, text) = told.unwrap_or((ToolErrorKind::Failed, reason));
    ToolResult::failed(kind, text)
}

/// The number with its word: `1 step`, `2 steps`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
