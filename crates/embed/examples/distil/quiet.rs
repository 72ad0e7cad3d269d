//! The words that say little about the matter of a text, however the model understands them.
//!
//! A model's vector of a request also says that it is one, and how politely; a comparison by the matter is
//! better off without that.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The lists that routing by words goes by; one place for both, read as text because a list is all it is.
const LISTS: &str = include_str!("../../../phases/src/lexical/vocabulary.rs");
const STOP_WORD: f32 = 0.15;
const CHATTER: f32 = 0.5;

/// How much of its weight a piece keeps; one that goes on with a word is no word of a list.
pub(crate) fn weight(piece: &str) -> f32 {
    static WEIGHTS: LazyLock<HashMap<&str, f32>> = LazyLock::new(|| {
        let chatter = list("CHATTER").map(|word| (word, CHATTER));
        chatter.chain(list("STOP_WORDS").map(|word| (word, STOP_WORD))).collect()
    });
    let letters = piece.trim_start_matches("##");
    let is_sign = !letters.contains(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_number = letters.chars().all(|c| c.is_ascii_digit());
    match WEIGHTS.get(piece) {
        Some(weight) => *weight,
        None if is_sign => STOP_WORD,
        None if is_number => CHATTER,
        None => 1.0,
    }
}

fn list(name: &str) -> impl Iterator<Item = &'static str> {
    let after = LISTS.split_once(&format!("const {name}: &str = \"")).map_or("", |(_, after)| after);
    after.split_once('"').map_or("", |(list, _)| list).split_whitespace()
}
