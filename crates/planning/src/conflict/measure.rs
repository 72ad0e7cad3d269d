//! How large a change is, and how near a recommendation is to what the user wants.

use std::collections::BTreeSet;

use candor_text::{fold, singular, words};

use super::record::{Approach, ApproachKind, Recommendation};
use crate::score::Score;

/// Words that say nothing about the matter.
const FILLERS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "before", "by", "do", "first", "for", "from", "in", "is",
    "it", "of", "on", "or", "our", "should", "that", "the", "then", "this", "to", "we", "with", "al", "con",
    "de", "del", "el", "en", "es", "la", "las", "lo", "los", "o", "para", "por", "primero", "que", "un",
    "una", "y",
];

impl Approach {
    /// The size of the change in hundredths: a new file counts 3, a changed one 1, a line a hundredth.
    ///
    /// Whoever makes something new makes at least one file, whether or not it was counted.
    #[must_use]
    pub fn size_in_hundredths(&self) -> u64 {
        let created = match self.kind {
            ApproachKind::Create => self.files_created.max(1),
            ApproachKind::Extend => self.files_created,
        };
        u64::from(created) * 300 + u64::from(self.files_modified) * 100 + u64::from(self.lines)
    }
}

/// How many of the keywords of a recommendation and an objective are the same, of the fewer of the two.
///
/// A recommendation about what comes first is measured by that, any other by its text.
#[must_use]
pub fn alignment(recommendation: &Recommendation, objective: &str) -> Score {
    let said = keywords(recommendation.priority.as_deref().unwrap_or(&recommendation.text));
    let wanted = keywords(objective);
    Score::share(said.intersection(&wanted).count(), said.len().min(wanted.len()))
}

fn keywords(text: &str) -> BTreeSet<String> {
    let folded = words(text).map(fold).filter(|word| !FILLERS.contains(&word.as_ref()));
    folded.map(|word| singular(&word).into_owned()).collect()
}
