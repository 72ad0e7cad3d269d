//! When a pack applies: by the evidence that it declares, scored, with a threshold and a margin.
//!
//! A word alone proves little: "flight" is in a request about flight recorders. So a pack says which words count how much,
//! which of them count only beside something that the goal says, and how much of the request they must be about.

use std::collections::BTreeSet;

use candor_language::split::{self, Place};
use candor_planning::slots::Slots;
use candor_text::{fold, words};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Pack;

/// What must be there for a pack to apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Applies {
    /// The score from which on the pack applies.
    #[serde(default = "one")]
    pub threshold: f64,
    /// How far below the threshold a score is close: a person is asked, and unattended the goal is generic.
    #[serde(default)]
    pub margin: f64,
    /// The share of what is asked for that must be about the pack's subject, from 0 to 1.
    #[serde(default)]
    pub share: f64,
    /// Endings of files, such as `csv`: the pack applies only to a request that names such a file of the working
    /// folder. The first of them fills the slot `file`, all of them the slot `files`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Words that speak for the pack, and against it.
    pub evidence: Vec<Evidence>,
}

/// Words that speak for a pack, or against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The words, in any language; several in a row are one.
    pub words: Vec<String>,
    /// Sets of slots: a word counts only in a sentence with a value of a set that the goal fills.
    #[serde(default)]
    pub with: Vec<Vec<String>>,
    /// What each different word counts; below 0 it speaks against the pack.
    #[serde(default = "one")]
    pub score: f64,
    /// What all of them count at most; without it, what one of them counts.
    #[serde(default)]
    pub most: Option<f64>,
    /// Whether one of these words must be said, or one of another piece that is needed: without them the pack does not apply,
    /// whatever else speaks for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needed: bool,
}

const fn one() -> f64 {
    1.0
}

/// How clearly a pack is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meant {
    /// The score is at or above the threshold: the pack applies.
    Clearly,
    /// It may be meant; a person should say.
    Perhaps,
}

/// The pack that a request clearly means, or the one that it may mean. `files` are those that it names and that exist.
pub(crate) fn meant<'p>(
    packs: &'p [Pack],
    request: &str,
    slots: &Slots,
    files: &[String],
) -> Option<(&'p Pack, Meant)> {
    let fits = packs.iter().filter(|pack| !pack.needs_file() || pack.own_files(files).next().is_some());
    let sentences: Vec<Folded> = split::parts(request).iter().map(|part| Folded::new(part)).collect();
    let scored = fits.map(|pack| (pack.score(request, &sentences, slots), pack));
    let (score, pack) = scored.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let (threshold, margin) =
        pack.applies.as_ref().map_or((1.0, 0.0), |applies| (applies.threshold, applies.margin));
    match score {
        clear if clear >= threshold => Some((pack, Meant::Clearly)),
        close if close > threshold - margin => Some((pack, Meant::Perhaps)),
        _ => None,
    }
}

impl Pack {
    /// Whether it applies only to requests that name a file.
    pub(crate) fn needs_file(&self) -> bool {
        self.applies.as_ref().is_some_and(|applies| !applies.files.is_empty())
    }

    /// Those of the files that the pack is for, by their endings.
    pub(crate) fn own_files<'f>(&'f self, files: &'f [String]) -> impl Iterator<Item = &'f String> {
        let endings = self.applies.as_ref().map_or(&[][..], |applies| &applies.files);
        let is_own = |file: &str| {
            let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
            endings.iter().any(|own| own.eq_ignore_ascii_case(ending))
        };
        files.iter().filter(move |file| is_own(file))
    }

    /// How much speaks for this pack. One that declares no evidence is meant by any of its keywords.
    fn score(&self, request: &str, sentences: &[Folded], slots: &Slots) -> f64 {
        let Some(applies) = &self.applies else {
            return if self.matches(request) > 0 { 1.0 } else { 0.0 };
        };
        let mut needed = applies.evidence.iter().filter(|evidence| evidence.needed).peekable();
        if needed.peek().is_some() && !needed.any(|evidence| evidence.score(sentences, slots) > 0.0) {
            return 0.0;
        }
        let score: f64 = applies.evidence.iter().map(|evidence| evidence.score(sentences, slots)).sum();
        // What cannot apply is no rival of those that can, and need not be cut into its steps, which is most of the cost.
        let too_little = score <= applies.threshold - applies.margin && score < applies.threshold;
        if too_little || (applies.share > 0.0 && applies.share_of(request, slots) < applies.share) {
            0.0_f64.min(score)
        } else {
            score
        }
    }
}

impl Applies {
    /// The share of the steps of a request that have a word or a value of this evidence.
    fn share_of(&self, request: &str, slots: &Slots) -> f64 {
        let speaking = self.evidence.iter().filter(|evidence| evidence.score > 0.0);
        let about = |part: &split::Part| {
            let part = Folded::new(&part.text);
            speaking.clone().any(|evidence| {
                evidence.words.iter().any(|word| part.says(word))
                    || evidence.with.iter().flatten().any(|slot| says_value(&part.text, slots, slot))
            })
        };
        let split = split::read(request);
        let of_step = |part: &&split::Part, step: usize| matches!(&part.place, Place::Task { steps } if steps.contains(&step));
        let steps = 0..split.steps.len();
        let about =
            steps.filter(|&step| split.parts.iter().filter(|part| of_step(part, step)).any(about)).count();
        about as f64 / split.steps.len().max(1) as f64
    }
}

impl Evidence {
    fn score(&self, sentences: &[Folded], slots: &Slots) -> f64 {
        let counts =
            |text: &str| self.with.is_empty() || self.with.iter().any(|set| beside(text, slots, set));
        let sentences: Vec<_> = sentences.iter().filter(|sentence| counts(&sentence.text)).collect();
        let said = |word: &&String| sentences.iter().any(|sentence| sentence.says(word));
        let all = self.score * self.words.iter().filter(said).count() as f64;
        let most = self.most.unwrap_or(self.score).abs();
        all.clamp(-most, most)
    }
}

/// Whether the goal fills all slots of a set, and the text has the value of one of them.
fn beside(text: &str, slots: &Slots, set: &[String]) -> bool {
    set.iter().all(|slot| slots.get(slot).is_some()) && set.iter().any(|slot| says_value(text, slots, slot))
}

/// Whether the text has the value of a slot. Numbers are written in too many ways to be looked for: said anywhere, they count.
fn says_value(text: &str, slots: &Slots, slot: &str) -> bool {
    match slots.get(slot) {
        Some(Value::String(value)) => candor_text::says(text, &fold(value)),
        Some(Value::Number(_)) => true,
        _ => false,
    }
}

/// A text without case and accents, and the words in it.
struct Folded {
    text: String,
    words: BTreeSet<String>,
    /// The letters that its words begin with, which rule out most of those that packs declare: a bit each.
    initials: u32,
}

impl Folded {
    fn new(text: &str) -> Self {
        let words: BTreeSet<String> = words(text).map(|word| fold(word).into_owned()).collect();
        let initials = words.iter().filter_map(|word| initial(word)).fold(0, |all, bit| all | bit);
        Self { text: fold(text).into_owned(), words, initials }
    }

    /// Whether it has a word, or several words in a row.
    fn says(&self, wanted: &str) -> bool {
        if initial(wanted).is_some_and(|bit| self.initials & bit == 0) {
            return false;
        }
        let wanted = fold(wanted);
        if !wanted.contains(' ') {
            return self.words.contains(wanted.as_ref());
        }
        // A phrase that begins with a word is looked for only where that word is.
        let mut first = words(&wanted).take(1).filter(|_| wanted.starts_with(char::is_alphanumeric));
        first.all(|first| self.words.contains(first)) && candor_text::says(&self.text, &wanted)
    }
}

/// The bit of the letter that a word begins with, in any case; none if it is none of the plain ones.
fn initial(word: &str) -> Option<u32> {
    let first = word.bytes().next().filter(u8::is_ascii_alphabetic)?;
    Some(1 << (first.to_ascii_lowercase() - b'a'))
}
