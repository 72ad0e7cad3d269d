//! The words of a run, how they were judged, and whether the guardrails let them in.

use std::sync::Arc;

use candor_model::{Evaluation, PromptChange, PromptSource, Timestamp};
use serde::{Deserialize, Serialize};

/// The words of a run at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptEntry {
    /// The words.
    pub text: String,
    /// Where they come from; absent for those the run began with.
    pub source: Option<PromptSource>,
    /// The letter of the variant that was chosen.
    pub variant: Option<String>,
    /// How well they say what is wanted, once that was judged.
    pub score: Option<u8>,
    /// Since when they hold.
    pub at: Timestamp,
}

/// How far the guardrails are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Guardrails {
    /// Whether nothing may run before they have passed the words. Runs of older versions began without them.
    pub(crate) needed: bool,
    /// How often they have looked.
    pub(crate) looks: u32,
    /// The looks that were at other words.
    pub(crate) before: u32,
    /// Whether they passed the words that hold now.
    pub(crate) passed: bool,
}

/// The words of a run; the last are those that hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Prompts {
    pub(crate) entries: Vec<PromptEntry>,
    pub(crate) guardrails: Guardrails,
    pub(crate) evaluation: Option<Arc<Evaluation>>,
    /// How often better wordings were offered.
    pub(crate) offers: u32,
}

impl Prompts {
    /// The words that hold; empty before the run has begun.
    pub(crate) fn current(&self) -> &str {
        self.entries.last().map_or("", |entry| &entry.text)
    }

    pub(crate) fn begin(&mut self, words: &str, guarded: bool, at: Timestamp) {
        self.guardrails.needed = guarded;
        self.push(words.to_owned(), None, None, at);
    }

    /// The words of an earlier time hold again.
    pub(crate) fn restart(&mut self, words: &str, at: Timestamp) {
        self.push(words.to_owned(), Some(PromptSource::Restarted), None, at);
        self.guardrails.passed = false;
    }

    pub(super) fn change(&mut self, change: &PromptChange, at: Timestamp) {
        let PromptChange { text, source, variant, .. } = change;
        self.push(text.clone(), Some(*source), variant.clone(), at);
        self.evaluation = None;
        self.guardrails.passed = false;
    }

    fn push(&mut self, text: String, source: Option<PromptSource>, variant: Option<String>, at: Timestamp) {
        self.entries.push(PromptEntry { text, source, variant, score: None, at });
    }

    pub(crate) fn judged(&mut self, score: u8, evaluation: Option<&Evaluation>) {
        if let Some(prompt) = self.entries.last_mut() {
            prompt.score = Some(score);
        }
        self.evaluation = evaluation.map(|evaluation| Arc::new(evaluation.clone()));
    }
}
