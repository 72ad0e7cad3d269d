//! What of a text is taken over into its short form.

use crate::texts::shortened;

/// How long a sentence may be that is taken over.
const SENTENCE_CHARS: usize = 160;
/// How many lines of one section can be key points.
const POINTS_PER_SECTION: usize = 3;

/// The first and the last sentence.
pub(super) fn summary(text: &str) -> String {
    let mut sentences = sentences(text);
    let Some(first) = sentences.next() else { return String::new() };
    let first = shortened(first, SENTENCE_CHARS);
    match sentences.last() {
        Some(last) => format!("{first} {}", shortened(last, SENTENCE_CHARS)),
        None => first,
    }
}

/// The sentences of a text; a line break ends one too. Headings are no sentences.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_heading(line));
    lines
        .flat_map(|line| line.split_inclusive(". ").map(str::trim))
        .filter(|sentence| says_something(sentence))
}

/// A brace alone on its line is no sentence.
fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Headings and lines that tell of something gone wrong.
pub(super) fn points(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| is_heading(line) || tells_of_trouble(line)).take(POINTS_PER_SECTION)
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').strip_prefix(' ').is_some_and(|_| line.starts_with('#'))
}

fn tells_of_trouble(line: &str) -> bool {
    const SIGNS: [&str; 6] = ["error", "failed", "failure", "warning", "panic", "fatal"];
    let line = line.to_lowercase();
    SIGNS.iter().any(|sign| line.contains(sign))
}
