//! How alike words and texts are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::ToolSpec;
use candor_text::{Language, Rule, fold, stem};

/// Words that say nothing of what a tool does.
const EMPTY: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "for", "from", "given", "if", "in", "into", "is",
    "it", "its", "no", "of", "on", "one", "or", "that", "the", "this", "to", "tool", "use", "with",
];

/// How many words of a text are looked at.
const MAX_WORDS: usize = 200;

/// The stems of the words of a text: `convertTimes` has `convert` and `time`.
pub(super) fn words(text: &str) -> Vec<String> {
    let tells = |word: &str| !EMPTY.contains(&word) && !word.chars().all(char::is_numeric);
    let words = Rule::CamelCase.split(text).take(MAX_WORDS).map(|word| fold(word.text));
    let stems = words.filter(|word| tells(word)).map(|word| stem(&word, Language::En).into_owned());
    stems.filter(|stem| tells(stem)).collect()
}

/// How much words weigh: those that few tools have weigh most.
pub(super) struct Weights {
    tools: f64,
    having: BTreeMap<String, f64>,
}

impl Weights {
    pub(super) fn of(tools: &[Arc<ToolSpec>]) -> Self {
        let mut having = BTreeMap::new();
        for tool in tools {
            for word in tool_words(tool).into_iter().collect::<BTreeSet<_>>() {
                *having.entry(word).or_insert(0.0) += 1.0;
            }
        }
        Self { tools: tools.len().max(1) as f64, having }
    }

    /// From 0 (nothing in common) to 1 (the same words).
    pub(super) fn likeness(&self, one: &[String], other: &[String]) -> f64 {
        let (one, other) = (self.vector(one), self.vector(other));
        let dot: f64 = one.iter().filter_map(|(word, weight)| Some(weight * other.get(word)?)).sum();
        let length =
            |vector: &BTreeMap<&str, f64>| vector.values().map(|weight| weight * weight).sum::<f64>().sqrt();
        let lengths = length(&one) * length(&other);
        if lengths > 0.0 { (dot / lengths).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn vector<'a>(&self, words: &'a [String]) -> BTreeMap<&'a str, f64> {
        let mut vector = BTreeMap::new();
        for word in words {
            // What no tool says tells none of them from the others.
            let having = self.having.get(word).copied().unwrap_or(self.tools);
            // Once is enough: a description that repeats a word does not mean it more.
            vector.insert(word.as_str(), (1.0 + self.tools / having).ln());
        }
        vector
    }
}

/// The words of a tool's name and description.
pub(super) fn tool_words(tool: &ToolSpec) -> Vec<String> {
    let mut all = words(&tool.name);
    all.extend(words(&tool.description));
    all
}

/// How many letters have to be changed, or swapped with their neighbour, to make one word of the other; the first
/// letters of each are looked at.
pub(super) fn distance(one: &str, other: &str) -> usize {
    let letters = |word: &str| word.chars().take(64).collect::<Vec<char>>();
    let (one, other) = (letters(one), letters(other));
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut row = vec![line + 1];
        for (column, against) in other.iter().enumerate() {
            let changed = at(&last, column) + usize::from(letter != against);
            let mut least = changed.min(at(&last, column + 1) + 1).min(at(&row, column) + 1);
            let neighbour =
                |word: &[char], place: usize| place.checked_sub(1).and_then(|at| word.get(at)).copied();
            let swapped =
                neighbour(&one, line) == Some(*against) && neighbour(&other, column) == Some(*letter);
            if swapped && column > 0 {
                least = least.min(at(&before_last, column - 1) + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// A name without what spellings differ in.
pub(super) fn bare(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The one of the names that is meant by a word, if one of them plainly is.
pub(super) fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let meant = bare(word);
    if let Some(same) = names.iter().find(|name| bare(name) == meant) {
        return Some(same);
    }
    let most = if meant.chars().count() <= 3 { 1 } else { meant.chars().count() / 3 };
    let mut close: Vec<(usize, &str)> = names
        .iter()
        .map(|name| (distance(&meant, &bare(name)), *name))
        .filter(|(far, _)| *far <= most)
        .collect();
    close.sort_unstable();
    match close.as_slice() {
        [(_, name)] => Some(name),
        [(first, name), (second, _), ..] if first < second => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_a_small_distance() {
        for (one, other, far) in
            [("", "", 0), ("a", "", 1), ("url", "ulr", 1), ("count", "cuont", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!((distance(one, other), distance(other, one)), (far, far), "{one} {other}");
        }
        assert_eq!(nearest("timeZone", &["time_zone", "time"]), Some("time_zone"));
        assert_eq!(nearest("a", &["b", "c"]), None, "two are as near as each other");
        assert_eq!(nearest("colour", &["path", "size"]), None);
    }

    #[test]
    fn words_are_compared_by_their_stems() {
        assert_eq!(words("Searches theWeb for pages_listed"), ["search", "web", "page", "list"]);
    }
}
