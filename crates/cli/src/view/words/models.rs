//! What is said about questions to models.

use candor_model::{AskKey, AskStep, Consulted, ModelCall};
use candor_planning::report::ModelFigures;

/// A step of a question: who answered, what had to be repaired, what is tried next. Steps down have sentences
/// of their own.
pub(in crate::view) fn consulted(ask: &AskKey, step: &Consulted) -> Option<String> {
    let model = step.call.as_ref().map_or("a model", |call| call.model.as_str());
    match &step.outcome {
        AskStep::Accepted { repairs, .. } => {
            let figures = step.call.as_ref().map(price).unwrap_or_default();
            let repaired = match repairs.as_slice() {
                [] => String::new(),
                repairs => format!("; repaired: {}", repairs.join(", ")),
            };
            Some(format!("{model} answered {}{figures}{repaired}", ask.step))
        }
        AskStep::Repeat { number, max, delay, reason } => {
            Some(format!("{}: {reason}; asked again in {delay} s ({number} of {max})", ask.step))
        }
        AskStep::AskAgain { problems } => Some(format!(
            "{model}'s answer to {} does not fit, it is asked once more: {}",
            ask.step,
            problems.join("; ")
        )),
        AskStep::FallBack { .. } | AskStep::GiveUp { .. } => None,
    }
}

fn price(call: &ModelCall) -> String {
    let tokens = call.tokens;
    let cached = match tokens.cached_read {
        0 => String::new(),
        read => format!(", {read} cached (saved ${:.4})", call.saved),
    };
    format!(
        " in {} s for ${:.4} ({} tokens in, {} out{cached})",
        call.duration_seconds,
        call.cost,
        tokens.input + tokens.cached_read + tokens.cached_write,
        tokens.output
    )
}

pub(in crate::view) fn breaker_opened(model: &str, reason: &str) -> String {
    format!("{model} is not asked for a while: {reason}")
}

pub(in crate::view) fn breaker_closed(model: &str) -> String {
    format!("{model} is asked again")
}

pub(in crate::view) fn tried(agent: &str) -> String {
    format!("{agent} is tried again, with one task at a time")
}

/// What models did, in sentences.
pub(in crate::view) fn figures(figures: &ModelFigures) -> Vec<String> {
    let tokens = figures.tokens;
    let read = tokens.input + tokens.cached_read + tokens.cached_write;
    let mut lines = vec![format!(
        "{} calls, {} of them without an answer; {read} tokens read, {} written",
        figures.calls, figures.failed_calls, tokens.output
    )];
    if tokens.cached_read > 0 {
        let share = figures.cache_hit_rate * 100.0;
        lines.push(format!("{share:.0} % read from the cache, which saved ${:.4}", figures.cache_savings));
    }
    let counts = [
        (figures.repaired, "answers repaired"),
        (figures.asked_again, "answers asked for once more"),
        (figures.retries, "calls repeated"),
        (figures.given_up, "questions answered by rules in the end"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    lines.extend((!counts.is_empty()).then(|| counts.join(", ")));
    lines
}
