//! The sentences of the projections, in the language of the process.

use candor_model::{RunStatus, Verdict};
use candor_projections::{format, values, verdict, words};
use serde_json::Value;

use crate::lang::language;

pub(in crate::view) use words::{Sums, error_text};

/// `1 task`, `2 tasks`; the noun is in the language of the process.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    words::plural(language(), count, noun)
}

/// How often, in words: once, twice, 3 times.
pub(crate) fn times(count: u32) -> String {
    format::times(language(), count)
}

pub(in crate::view) fn sums(sums: Sums) -> String {
    words::sums(language(), sums)
}

pub(in crate::view) fn agent_suggested(suggestion: &str) -> String {
    words::agent_suggested(language(), suggestion)
}

pub(in crate::view) fn and_more(more: usize) -> String {
    words::and_more(language(), more)
}

pub(in crate::view) fn nothing() -> &'static str {
    words::nothing(language())
}

pub(in crate::view) fn yes_or_no(value: bool) -> &'static str {
    words::yes_or_no(language(), value)
}

pub(in crate::view) fn sample_data() -> &'static str {
    words::sample_data(language())
}

pub(crate) fn run_status(status: RunStatus) -> &'static str {
    words::run_status(language(), status)
}

pub(in crate::view) fn verdict_word(verdict: Option<Verdict>) -> &'static str {
    verdict::word(language(), verdict)
}

/// A value of an agent in one line.
pub(in crate::view) fn in_short(value: &Value) -> String {
    values::in_short(language(), value)
}
