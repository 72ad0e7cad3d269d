//! What the evaluation makes of a request by rules: what it is about, how much there is to it, how well it says
//! what is wanted, and the confidence in all that.
//!
//! Four agents by name, one file each: keyword detector, complexity scorer, prompt-quality scorer, confidence
//! assessor. The scorers read what the detector found; the assessor waits for all three. A fifth, the prompt
//! enhancer, words a weak request better. All of it is words and sums: nothing is invented, nothing is asked.

mod complexity;
mod confidence;
mod contradictions;
pub mod files;
mod keywords;
mod quality;
mod references;
mod tables;
mod variants;
mod wording;
mod words;

use std::borrow::Cow;

use candor_model::{ENOUGH_QUALITY, Enhancement, Evaluation, PromptQuality};

use self::complexity::Basis;
use self::quality::Heard;
use self::words::Words;
use crate::goal::{self, Reading};

pub use self::keywords::Keywords;
pub use self::variants::{TECHNIQUES, enhancement};

/// There is no verb, or nothing that it is about.
pub const VAGUE: &str = "vague";
/// No concrete fact is named.
pub const NO_CONTEXT: &str = "no context";
/// It has fewer than six words.
pub const TOO_SHORT: &str = "too short";
/// It does not say what must come out.
pub const NO_RESULT: &str = "no expected result";
/// It says `it` of nothing.
pub const PRONOUN: &str = "undefined pronoun";
/// Two of its instructions exclude each other.
pub const CONTRADICTION: &str = "contradiction";

/// Its words are those of no language.
pub const UNREADABLE: &str = "not readable";
/// It speaks of an attachment that is not there.
pub const NO_ATTACHMENT: &str = "missing attachment";
/// It refers to what was said or done elsewhere.
pub const UNKNOWN_REFERENCE: &str = "unknown reference";

/// A request, judged, with what the judgement rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Complexity, quality and the confidence in both.
    pub evaluation: Evaluation,
    /// What the keyword detector found.
    pub found: Keywords,
    /// What one would have to know and is not told, in words.
    pub missing: Vec<String>,
}

/// Judges a request by rules; `reading` is the goal as it was read from it.
#[must_use]
pub fn evaluate(request: &str, reading: &Reading) -> Judged {
    let bare = wording::bare(request);
    let text = beginning(&bare.matter);
    let words = Words::new(text);
    let journey = goal::looks_like_travel(text, &reading.extracted);
    let found = keywords::detect(&words, reading);
    let file_count = files::counted(&words, found.files.len());
    let contradictions = contradictions::find(&words, reading.language);
    let basis =
        Basis { journey, reading, found: &found, files: file_count, contradictions: contradictions.len() };
    let complexity = complexity::score(text, &words, &basis);
    let heard = Heard { text, words: &words, bare: &bare, reading, found: &found, journey };
    let prompt_quality = quality::judge(&heard, contradictions);
    let missing = missing(&prompt_quality, reading);
    let confidence = confidence::assess(prompt_quality.score, found.coverage, missing.len());
    let keywords = found.all.clone();
    let evaluation = Evaluation { keywords, complexity, prompt_quality, confidence, file_count };
    Judged { evaluation, found, missing }
}

/// Three better wordings of a request that is too weak; none for one that is good enough.
#[must_use]
pub fn enhance(request: &str, reading: &Reading, quality: &PromptQuality) -> Option<Enhancement> {
    let score = |text: &str| evaluate(text, reading).evaluation.prompt_quality.score;
    (quality.score < ENOUGH_QUALITY).then(|| variants::offer(request, reading, quality, score))
}

/// A request without the wording that the enhancer put around it: what the person said, and what was filled in.
#[must_use]
pub fn own_words(request: &str) -> Cow<'_, str> {
    wording::bare(request).matter
}

/// What the enhancer's wording in a request tells those who work on it; empty if it has none.
#[must_use]
pub fn instructions(request: &str) -> String {
    wording::bare(request).instructions.join("\n")
}

/// How much of a text is looked at: what a request wants is said at its beginning.
const LOOK_AT_BYTES: usize = 40_000;

/// The beginning of a text, as much as is looked at.
#[must_use]
pub fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LOOK_AT_BYTES)).unwrap_or(text)
}

/// The files that a request names, each once, in its order.
#[must_use]
pub fn files_named_in(request: &str) -> Vec<String> {
    files::named(&Words::new(beginning(&own_words(request))))
}

/// The sure inputs that the later phases would need.
fn missing(quality: &PromptQuality, reading: &Reading) -> Vec<String> {
    let wanted = [NO_CONTEXT, NO_RESULT, PRONOUN, NO_ATTACHMENT, UNKNOWN_REFERENCE];
    let issues = quality.issues.iter().filter(|issue| wanted.contains(&issue.as_str())).cloned();
    issues.chain(reading.guesses.iter().map(|guess| format!("guessed: {guess}"))).collect()
}
