//! The language in which this process tells people something on its terminal, and the macros that take it into account.
//!
//! Whoever starts the process sets it. What is recorded and what programs are answered is in English whatever it is.

use std::io::Write;
use std::sync::OnceLock;

use candor_text::{Language, Sentence};

/// English until somebody sets it, and in unit tests.
static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// Sets the language, once, before anything is shown.
pub fn set_language(language: Language) {
    // Whoever sets it twice has started twice, and the first start counts.
    let _ = LANGUAGE.set(language);
}

/// The language in which people are told things.
#[must_use]
pub fn language() -> Language {
    LANGUAGE.get().copied().unwrap_or_default()
}

/// Tells something on standard error; nothing happens if that is closed.
pub fn tell(sentence: &Sentence) {
    let _ = writeln!(std::io::stderr(), "candor: {}", sentence.text(language()));
}
