//! Lists of words that are looked up for every word of a text.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// A fixed list of folded words. One look-up costs the same however long the list is; the table is made by the first.
#[derive(Debug)]
pub struct WordSet {
    words: &'static [&'static str],
    table: OnceLock<Table>,
}

/// The words, and what rules out most others without the cost of a hash.
#[derive(Debug)]
struct Table {
    shapes: WordShapes,
    words: FxHashSet<&'static str>,
}

/// The lengths of words by their first letter: it rules out most words that are not among them, at the cost of looking at one
/// letter.
#[derive(Debug, Clone, Default)]
pub struct WordShapes([u32; LETTERS]);

/// How many first letters are told apart, and how many lengths.
const LETTERS: usize = 32;
const MOST_LENGTHS: usize = 31;

impl WordShapes {
    /// The shapes of these words.
    #[must_use]
    pub fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut shapes = Self::default();
        for word in words {
            if let Some(lengths) = shapes.0.get_mut(letter(word)) {
                *lengths |= length(word);
            }
        }
        shapes
    }

    /// Whether a word may be one of them; false only if it is none.
    #[must_use]
    pub fn may_have(&self, word: &str) -> bool {
        self.0.get(letter(word)).is_some_and(|lengths| lengths & length(word) != 0)
    }
}

fn letter(word: &str) -> usize {
    word.as_bytes().first().map_or(0, |first| usize::from(*first) % LETTERS)
}

fn length(word: &str) -> u32 {
    1 << word.len().min(MOST_LENGTHS)
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
        let table = self.table.get_or_init(|| Table::new(self.words));
        table.shapes.may_have(word) && table.words.contains(word)
    }
}

impl Table {
    fn new(entries: &[&'static str]) -> Self {
        let words = || entries.iter().flat_map(|entry| entry.split_whitespace());
        Self { shapes: WordShapes::of(words()), words: words().collect() }
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
        assert!(!["tqo", "on", "ones", "éne"].iter().any(|word| SET.contains(word)));
    }

    #[test]
    fn long_words_and_other_letters_are_found() {
        static SET: WordSet = WordSet::new(&["donaudampfschifffahrtsgesellschaft éa 3d"]);
        assert!(["donaudampfschifffahrtsgesellschaft", "éa", "3d"].iter().all(|word| SET.contains(word)));
        assert!(!SET.contains("donaudampfschifffahrtsgesellschaften"));
    }
}
