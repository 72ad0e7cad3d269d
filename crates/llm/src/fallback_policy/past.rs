//! What the steps so far say about the next one.

use candor_model::{AskStep, Consulted, Tier};
use candor_ports::Ask;

/// The tier that is asked next: the one that was wanted, or where the last step down led.
#[must_use]
pub fn tier_now(ask: &Ask, past: &[Consulted]) -> Tier {
    let led = past.iter().rev().find_map(|step| match &step.outcome {
        AskStep::FallBack { to, .. } => Some(*to),
        _ => None,
    });
    led.unwrap_or(ask.tier)
}

/// The steps on the tier that is asked now.
fn on_this_tier(past: &[Consulted]) -> impl Iterator<Item = &Consulted> {
    past.iter().rev().take_while(|step| !matches!(step.outcome, AskStep::FallBack { .. }))
}

/// How often the call was repeated on this tier.
pub(super) fn repetitions(past: &[Consulted]) -> u32 {
    let count = on_this_tier(past).filter(|step| matches!(step.outcome, AskStep::Repeat { .. })).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Whether this tier was already told what is wrong with its answer.
pub(super) fn asked_again(past: &[Consulted]) -> bool {
    on_this_tier(past).any(|step| matches!(step.outcome, AskStep::AskAgain { .. }))
}

/// Whether any tier gave this very answer before.
pub(super) fn has_answered(past: &[Consulted], answer: &str) -> bool {
    let answers = past.iter().filter_map(|step| step.call.as_ref()?.answer.as_deref());
    !answer.trim().is_empty() && answers.into_iter().any(|before| before.trim() == answer.trim())
}

/// What happened on each tier, down to the last.
#[must_use]
pub fn chain(past: &[Consulted], last: Tier, reason: &str) -> String {
    let mut told: Vec<String> = past
        .iter()
        .filter_map(|step| match &step.outcome {
            AskStep::FallBack { from, reason, .. } => Some(format!("{from}: {reason}")),
            _ => None,
        })
        .collect();
    told.push(format!("{last}: {reason}"));
    told.join(" → ")
}
