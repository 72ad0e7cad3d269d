//! What in a request speaks to the models instead of to us, and what should not leave the house. It is flagged,
//! never obeyed: data stays data.
//!
//! Orders to models are known by their words ([`words`]), by who is told to do what in one sentence ([`orders`]), by the form of the text
//! ([`structure`], [`frames`]) and, where an embedder has vectors at once, by what the text means ([`meaning`]). What each sign is worth
//! stands in one table ([`weights`]). A long text is judged window by window, so that the work is linear and much harmless text cannot
//! hide a little that is not.

mod addressed;
mod agentic;
mod classes;
mod elsewhere;
mod encoded;
mod frames;
mod harmless;
mod kinds;
mod meaning;
mod orders;
mod personas;
mod phrases;
mod score;
mod secrets;
mod structure;
mod tokens;
mod weights;
mod words;

use candor_model::Vector;

pub use self::secrets::{Secret, secrets};

/// Looks up the vector of a text in an embedding model, if it is known without waiting. Vectors have length 1.
pub type Embed<'a> = &'a dyn Fn(&str) -> Option<Vector>;

/// What a guardrail found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Which one: `prompt_injection` or `secret`.
    pub rule: &'static str,
    /// How sure it is, from 0 to 1.
    pub score: f64,
    /// What was seen, for people; never the secret itself.
    pub reason: String,
    /// The words that gave it away; empty for a secret, and where they hold one.
    pub quote: String,
}

/// Everything suspicious in a request.
#[must_use]
pub fn examine(text: &str, embed: Option<Embed<'_>>) -> Vec<Finding> {
    let secrets = secrets(text);
    let mut findings: Vec<Finding> = injection("the request", text, embed).into_iter().collect();
    findings.extend(secrets::finding(text, &secrets));
    findings
}

/// How much a text speaks to models, from 0 to 1; for measuring where the line is best drawn.
#[must_use]
pub fn likelihood(text: &str, embed: Option<Embed<'_>>) -> f64 {
    score::weigh(text, embed).map_or(0.0, |judged| judged.score)
}

/// How often each sign was seen in the worst part of a text, as far as it counts, in the order of [`speaks_for`]; for fitting weights without a source and measuring with it.
#[must_use]
pub fn signs(text: &str, embed: Option<Embed<'_>>) -> Vec<f64> {
    score::weigh(text, embed).map(|judged| judged.counts.to_vec()).unwrap_or_default()
}

/// Whether each sign speaks for a text instead of against it.
#[must_use]
pub fn speaks_for() -> Vec<bool> {
    weights::WEIGHTS.iter().map(|row| row.weight < 0.0).collect()
}

/// How much of a text that was read is looked at together, and how much of it is looked at again with what follows: an
/// order is shorter. Parts bound the memory; the work is linear, and everything that is handed on is examined.
const PART: usize = 64 * 1024;
const OVERLAP: usize = 4 * 1024;

/// Whether a text that was read on the way gives orders to models; `subject` is what it is, such as `the outputs of task_1`.
#[must_use]
pub fn examine_read(subject: &str, text: &str) -> Option<Finding> {
    let mut from = 0;
    loop {
        let to = text.floor_char_boundary(from + PART);
        let part = text.get(from..to)?;
        let finding = injection(subject, part, None);
        if finding.is_some() || to >= text.len() {
            return finding;
        }
        // The last part is a whole one: what a few words at the end are is told by what stands before them.
        from = text.ceil_char_boundary((to - OVERLAP).min(text.len() - PART));
    }
}

fn injection(subject: &str, text: &str, embed: Option<Embed<'_>>) -> Option<Finding> {
    let judged = score::judge(text, embed)?;
    // Only what is quoted could give one away: most texts are not, and need no search for them.
    let secrets = secrets(text);
    let reason = discreet(&judged.reasons(subject), text, &secrets);
    let quote = discreet(&[judged.quote(), String::new()], text, &secrets);
    Some(Finding { rule: "prompt_injection", score: judged.score, reason, quote })
}

/// The first of these wordings that gives no secret away.
fn discreet(wordings: &[String], text: &str, secrets: &[Secret]) -> String {
    let is_safe = |wording: &&String| !secrets.iter().any(|secret| wording.contains(secret.value(text)));
    // Shorter than any secret.
    wordings.iter().find(is_safe).cloned().unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests;
