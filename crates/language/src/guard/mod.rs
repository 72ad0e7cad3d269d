//! What in a request speaks to the models instead of to us, and what should not leave the house. It is flagged,
//! never obeyed: data stays data.
//!
//! Orders to models are known by their words ([`words`]), by the form of the text ([`structure`]) and, where an
//! embedder has vectors at once, by what the text means ([`meaning`]). What each sign is worth stands in one table
//! ([`weights`]). A long text is judged window by window, so that the work is linear and much harmless text cannot
//! hide a little that is not.

mod classes;
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
}

/// Everything suspicious in a text.
#[must_use]
pub fn examine(text: &str, embed: Option<Embed<'_>>) -> Vec<Finding> {
    let secrets = secrets(text);
    let mut findings = Vec::new();
    if let Some(judged) = score::judge(text, embed) {
        let reason = discreet(&judged.reasons(), text, &secrets);
        findings.push(Finding { rule: "prompt_injection", score: judged.score, reason });
    }
    findings.extend(secrets::finding(text, &secrets));
    findings
}

/// The first of these wordings that gives no secret away.
fn discreet(wordings: &[String], text: &str, secrets: &[Secret]) -> String {
    let is_safe = |wording: &&String| !secrets.iter().any(|secret| wording.contains(secret.value(text)));
    // Shorter than any secret.
    wordings.iter().find(is_safe).cloned().unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests;
