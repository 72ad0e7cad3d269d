//! Knowing a request again: the same words with the same files, in any process.

use std::borrow::Borrow;

use candor_model::handoff::{LoadedItem, LoadedKind};
use candor_model::{KnownRequest, PlanOutcome};
use sha2::{Digest, Sha256};

/// How many bytes of a digest are kept.
const DIGEST_BYTES: usize = 12;

/// The words of a request as they are compared: case and white space do not count.
#[must_use]
pub fn normalised(request: &str) -> String {
    let mut words = String::with_capacity(request.len());
    for word in request.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        if word.is_ascii() {
            words.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        } else {
            words.push_str(&word.to_lowercase());
        }
    }
    words
}

/// By what a request is known again, with the files that were loaded for it.
#[must_use]
pub fn of(request: &str, loaded: &[LoadedItem]) -> KnownRequest {
    let files = loaded.iter().filter(|item| item.kind == LoadedKind::File);
    let files: Vec<String> = files.map(|file| format!("{}={}", file.name, file.hash)).collect();
    KnownRequest { words: digest(&normalised(request)), files: digest(&files.join("\n")) }
}

/// Whether a plan for these words succeeded before.
#[must_use]
pub fn has_words<T: Borrow<PlanOutcome>>(outcomes: &[T], request: &str) -> bool {
    let words = digest(&normalised(request));
    known(outcomes).any(|known| known.words == words)
}

/// Whether a plan for these words with these files succeeded before.
#[must_use]
pub fn has<T: Borrow<PlanOutcome>>(outcomes: &[T], request: &str, loaded: &[LoadedItem]) -> bool {
    let wanted = of(request, loaded);
    known(outcomes).any(|known| *known == wanted)
}

fn known<T: Borrow<PlanOutcome>>(outcomes: &[T]) -> impl Iterator<Item = &KnownRequest> {
    outcomes
        .iter()
        .map(T::borrow)
        .filter(|outcome| outcome.success)
        .filter_map(|outcome| outcome.request.as_ref())
}

fn digest(text: &str) -> String {
    candor_model::hex(Sha256::digest(text).iter().take(DIGEST_BYTES))
}
