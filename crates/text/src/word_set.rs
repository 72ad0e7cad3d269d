//! Lists of words that are looked up for every word of a text.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// A fixed list of folded words. One look-up costs the same however long the list is; the table is made by the first.
#[derive(Debug)]
pub struct WordSet {
    words: &'static [&'static str],
    table: OnceLock<FxHashSet<&'static str>>,
}

impl WordSet {
    /// The set of these words. An entry may hold several, parted by spaces.
    #[must_use]
    pub const fn new(words: &'static [&'static str]) -> Self {
        Self { words, table: OnceLock::new() }
    }

    /// Whether a folded word is one of them.
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        let all = || self.words.iter().flat_map(|entry| entry.split_whitespace()).collect();
        self.table.get_or_init(all).contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_hold_one_word_or_several() {
        static SET: WordSet = WordSet::new(&["one", "two three", ""]);
        assert!(["one", "two", "three"].iter().all(|word| SET.contains(word)));
        assert!(!SET.contains("two three") && !SET.contains(""));
    }
}
