//! What in a request speaks to the models instead of to us, and what should not leave the house. It is flagged,
//! never obeyed: data stays data.
//!
//! Orders to models are known by their words ([`words`]), by the form of the text ([`structure`]) and, where an
//! embedder has vectors at once, by what the text means ([`meaning`]). What each sign is worth stands in one table
//! ([`weights`]). A long text is judged window by window, so that the work is linear and much harmless text cannot
//! hide a little that is not.

mod addressed;
mod agentic;
mod classes;
mod elsewhere;
mod encoded;
mod meaning;
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
    let mut findings: Vec<Finding> = injection("the request", text, embed, &secrets).into_iter().collect();
    findings.extend(secrets::finding(text, &secrets));
    findings
}

/// How much a text speaks to models, from 0 to 1; for measuring where the line is best drawn.
#[must_use]
pub fn likelihood(text: &str, embed: Option<Embed<'_>>) -> f64 {
    score::weigh(text, embed).map_or(0.0, |judged| judged.score)
}

/// How much of a text that was read is looked at: its beginning and its end.
const MOST_READ: usize = 64 * 1024;

/// Whether a text that was read on the way gives orders to models; `subject` is what it is, such as `the outputs of task_1`.
///
/// Of a text that is very long the two ends are examined, so that the work has a limit.
#[must_use]
pub fn examine_read(subject: &str, text: &str) -> Option<Finding> {
    if text.len() <= MOST_READ {
        return injection(subject, text, None, &secrets(text));
    }
    let half = MOST_READ / 2;
    let ends =
        [text.get(..text.floor_char_boundary(half)), text.get(text.ceil_char_boundary(text.len() - half)..)];
    ends.into_iter().flatten().find_map(|end| injection(subject, end, None, &secrets(end)))
}

fn injection(subject: &str, text: &str, embed: Option<Embed<'_>>, secrets: &[Secret]) -> Option<Finding> {
    let judged = score::judge(text, embed)?;
    let reason = discreet(&judged.reasons(subject), text, secrets);
    let quote = discreet(&[judged.quote(), String::new()], text, secrets);
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
