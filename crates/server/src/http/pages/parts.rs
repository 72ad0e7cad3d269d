//! Small parts that several pages show.

use candor_model::{RunStatus, Seconds, Timestamp, Verdict};
use candor_projections::format;
use maud::{Markup, html};
use serde_json::Value;

use super::words::Words;

/// How many letters of a value are shown before it is folded.
const SHORT: usize = 400;

/// A run's status as a badge.
pub(super) fn badge(status: RunStatus, words: &Words) -> Markup {
    html! { span.badge.(class(status)) { span.dot {} (words.run_status(status)) } }
}

/// The class of a run's status.
pub(super) const fn class(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Preparing | RunStatus::Executing => "s-run",
        RunStatus::WaitingHuman => "s-ask",
        RunStatus::Paused | RunStatus::Stopping | RunStatus::Cancelled => "s-skip",
        RunStatus::Completed => "s-ok",
        RunStatus::Failed | RunStatus::Aborted => "s-bad",
    }
}

/// A verdict as a badge.
pub(super) fn verdict(verdict: Verdict, words: &Words) -> Markup {
    let class = match verdict {
        Verdict::Verified => "s-ok",
        Verdict::Unverified => "s-ask",
        Verdict::NotMet => "s-bad",
    };
    html! { span.badge.(class) { span.dot {} (words.verdict(verdict)) } }
}

/// A moment, in full where a pointer rests on it.
pub(super) fn moment(at: Option<Timestamp>) -> Markup {
    html! {
        // The script shows it in the reader's own zone.
        @if let Some(at) = at { time datetime=(at.to_string()) { (format::day_and_clock(at)) " UTC" } }
        @else { "–" }
    }
}

/// How long something took; where it goes on, the script counts further.
pub(super) fn lasts(time: Seconds, goes_on: bool) -> Markup {
    html! { span.num data-lasts=[goes_on.then(|| format!("{:.1}", time.get()))] { (format::duration(time)) } }
}

/// How far something is, as a bar.
pub(super) fn bar(percentage: f64, label: &str) -> Markup {
    html! {
        progress max="100" value=(percentage.round()) aria-label=(label) { (format::percent(percentage)) }
        span.num { (format::percent(percentage)) }
    }
}

/// A value as JSON; a long one is folded.
pub(super) fn value(value: &Value) -> Markup {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    html! {
        @if text.len() > SHORT {
            details { summary { (text.chars().take(80).collect::<String>()) "…" } pre { (text) } }
        } @else { pre { (text) } }
    }
}
