//! The fallback policy of an ask: what follows from the calls that were made so far.
//!
//! Pure: no clock, no dice, no model. A call repeats after a failure that may pass; an answer that does not
//! fit is asked about once more, with what is wrong with it; then the next tier is asked, and at the end the
//! heuristic twin speaks. What would fail again in the same way is never tried again.

mod policy;

use std::fmt::Write;

use candor_model::{AskStep, Consulted, ModelFailure, Seconds, Tier};
use candor_ports::Ask;
use serde_json::Value;

use crate::json;
use crate::prompt::data;

pub use self::policy::Policy;

/// How long a reason may be, in characters.
const MAX_REASON: usize = 600;
/// How much of the earlier answer is shown, in bytes.
const MAX_ANSWER: usize = 16 * 1024;
/// How much of what is wrong is told, in bytes.
const MAX_PROBLEMS: usize = 4 * 1024;

/// Judges what came back from a call, and says what follows.
///
/// `configured` says which tiers there are; `jitter`, from 0 to 1, spreads the repetitions of many asks.
#[must_use]
pub fn judge(
    ask: &Ask,
    past: &[Consulted],
    outcome: Result<&str, &ModelFailure>,
    policy: &Policy,
    configured: &dyn Fn(Tier) -> bool,
    jitter: f64,
) -> AskStep {
    match outcome {
        Ok(answer) => match accept(ask, answer) {
            Ok((value, repairs)) => AskStep::Accepted { value, repairs },
            Err(problems) => after_bad_answer(ask, past, answer, problems, configured),
        },
        Err(failure) => after_failure(ask, past, failure, policy, configured, jitter),
    }
}

/// The step from the tier that is next to the one below it, or to the heuristic twin where there is none.
#[must_use]
pub fn step_down(ask: &Ask, past: &[Consulted], configured: &dyn Fn(Tier) -> bool, reason: &str) -> AskStep {
    let from = tier_now(ask, past);
    let below = std::iter::successors(from.below(), |tier| tier.below());
    match below.into_iter().find(|tier| configured(*tier)) {
        Some(to) => AskStep::FallBack { from, to, reason: short(reason) },
        None => AskStep::GiveUp { from, reason: chain(past, from, &short(reason)), kind: None },
    }
}

/// The answer as data of the right shape, with what was repaired, or what is wrong with it.
fn accept(ask: &Ask, answer: &str) -> Result<(Value, Vec<String>), Vec<String>> {
    let Some(schema) = &ask.schema else {
        let value = Value::String(answer.trim().to_owned());
        let problems = (ask.check)(&value);
        return if problems.is_empty() { Ok((value, Vec::new())) } else { Err(problems) };
    };
    let read = json::read(answer).map_err(|error| vec![error.to_string()])?;
    let (value, fitted) = json::fit(read.value, schema);
    let mut problems = json::problems(&value, schema);
    if problems.is_empty() {
        problems = (ask.check)(&value);
    }
    problems.truncate(json::MAX_PROBLEMS);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok((value, read.repairs.into_iter().map(str::to_owned).chain(fitted).collect()))
}

fn after_bad_answer(
    ask: &Ask,
    past: &[Consulted],
    answer: &str,
    problems: Vec<String>,
    configured: &dyn Fn(Tier) -> bool,
) -> AskStep {
    let repeated = has_answered(past, answer);
    if !repeated && !asked_again(past) {
        return AskStep::AskAgain { problems };
    }
    let what = if repeated {
        "the same answer came again, word for word"
    } else {
        "the answer does not fit, even after it was asked for once more"
    };
    let first = problems.first().map(String::as_str).unwrap_or_default();
    let more = match problems.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    step_down(ask, past, configured, &format!("{what}: {first}{more}"))
}

fn after_failure(
    ask: &Ask,
    past: &[Consulted],
    failure: &ModelFailure,
    policy: &Policy,
    configured: &dyn Fn(Tier) -> bool,
    jitter: f64,
) -> AskStep {
    if !failure.kind.is_retryable() {
        return step_down(ask, past, configured, &failure.to_string());
    }
    let done = repetitions(past);
    if done >= policy.max_retries {
        let reason = format!("{failure}; {done} repetitions did not help");
        return step_down(ask, past, configured, &reason);
    }
    match policy.delay(done, failure.retry_after, jitter) {
        Some(delay) => {
            let reason = short(&failure.to_string());
            AskStep::Repeat { number: done + 1, max: policy.max_retries, delay, reason }
        }
        None => {
            let wanted = failure.retry_after.map_or(0, Seconds::as_millis) / 1000;
            let longest = policy.max_delay.as_millis() / 1000;
            let reason =
                format!("{failure}; it asks for a wait of {wanted} s, at most {longest} s are waited");
            step_down(ask, past, configured, &reason)
        }
    }
}

fn short(reason: &str) -> String {
    match reason.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", reason.get(..end).unwrap_or_default()),
        None => reason.to_owned(),
    }
}

/// The question once more, with the earlier answer and what is wrong with it.
#[must_use]
pub fn again(ask: &Ask, question: &str, answer: &str, problems: &[String]) -> String {
    let form = match ask.schema {
        Some(_) => "Answer once more with the whole JSON, and put right what is listed. JSON only.",
        None => "Answer once more, whole, and put right what is listed.",
    };
    let mut list = String::new();
    for problem in problems {
        // One problem, one line: line breaks inside a message would look like further ones.
        let line: Vec<&str> = problem.split_whitespace().collect();
        let _ = writeln!(list, "- {}", line.join(" "));
    }
    format!(
        "{question}\n\nYou answered this before, and the answer cannot be used.\n{}\nWhat is wrong with it:\n\
         {}\n{form}",
        data("earlier_answer", answer, MAX_ANSWER, false),
        data("problems", list.trim_end(), MAX_PROBLEMS, false),
    )
}

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
fn repetitions(past: &[Consulted]) -> u32 {
    let count = on_this_tier(past).filter(|step| matches!(step.outcome, AskStep::Repeat { .. })).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Whether this tier was already told what is wrong with its answer.
fn asked_again(past: &[Consulted]) -> bool {
    on_this_tier(past).any(|step| matches!(step.outcome, AskStep::AskAgain { .. }))
}

/// Whether any tier gave this very answer before.
fn has_answered(past: &[Consulted], answer: &str) -> bool {
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
