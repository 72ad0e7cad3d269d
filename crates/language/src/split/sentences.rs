//! Cuts prose into sentences.

use super::cues::{self, Cue};

/// Words before a full stop that do not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "approx", "avg", "co", "dr", "e.g", "eg", "etc", "i.e", "ie", "inc", "jr", "ltd", "max", "min", "mr",
    "mrs", "ms", "mt", "no", "nº", "núm", "p.ej", "pág", "prof", "sr", "sra", "st", "vs", "u.s", "u.k",
    "a.m", "p.m",
];

/// The sentences of a text, trimmed, in its order.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        if ends_sentence(text, start, at, c) {
            // Closing quotes and brackets belong to the sentence that they close.
            let mut end = end;
            while let Some((next, closing)) =
                chars.next_if(|(_, c)| matches!(c, '"' | '”' | '’' | ')' | '.' | '!' | '?'))
            {
                end = next + closing.len_utf8();
            }
            found.push(text.get(start..end).unwrap_or_default());
            start = end;
        }
    }
    found.push(text.get(start..).unwrap_or_default());
    found.into_iter().map(str::trim).filter(|sentence| sentence.chars().any(char::is_alphanumeric)).collect()
}

fn ends_sentence(text: &str, start: usize, at: usize, c: char) -> bool {
    let before = text.get(start..at).unwrap_or_default();
    let after = text.get(at + c.len_utf8()..).unwrap_or_default();
    match c {
        '\n' => true,
        '?' | '!' => starts_new(after),
        '.' => starts_new(after) && (!is_abbreviated(before) || cues::leading(after).0 != Cue::Silent),
        '。' | '！' | '？' => true,
        // "The key is [redacted:key] Then open …": the full stop was taken for a part of the secret.
        ']' => is_redacted(before) && starts_new(after) && cues::leading(after).0 != Cue::Silent,
        _ => false,
    }
}

/// Whether what follows a mark begins a sentence: the end of the text, or a space and no small letter.
fn starts_new(after: &str) -> bool {
    let after = after.trim_start_matches(['"', '”', '’', ')', '.', '!', '?']);
    if after.is_empty() {
        return true;
    }
    let begins = after.trim_start();
    let spaced = begins.len() < after.len();
    spaced && !begins.starts_with(char::is_lowercase)
}

/// Whether the bracket that closes behind a text is that of a secret that was taken out.
fn is_redacted(before: &str) -> bool {
    before.rsplit('[').next().is_some_and(|inside| inside.starts_with("redacted:"))
}

fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '"', '\'']);
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}
