//! A request as the words that the evaluation looks at: paths, amounts and hyphenated words stay whole.

use std::cell::OnceCell;

use candor_text::{fold, is_stop_word};

use crate::split::is_verb;

use super::tables;

/// Looking at more words than this changes no judgement, and keeps the work bounded.
pub(super) const LOOK_AT: usize = 2_000;

/// How far back an article belongs to a noun: `a very detailed report`.
const NEAR: usize = 3;

/// One word, and the marks behind it.
#[derive(Debug, Clone)]
pub(super) struct Word<'t> {
    /// As it is written, without the marks around it.
    pub(super) text: &'t str,
    /// In lower case and without accents: what the tables are written in.
    pub(super) key: String,
    /// Whether it opens a sentence.
    pub(super) opens: bool,
    /// Whether a mark such as a comma or a full stop stands behind it.
    pub(super) ends: bool,
    /// Whether what follows it is handed over with it: `this:`.
    pub(super) points: bool,
}

/// What a word is in its place. Each of the scorers asks for it many times, so it is looked up once.
#[derive(Debug, Clone, Copy)]
struct Kind {
    command: bool,
    content: bool,
    specific: bool,
}

/// A text in words.
#[derive(Debug)]
pub(super) struct Words<'t> {
    words: Vec<Word<'t>>,
    /// Looked up when the first is asked for: whoever wants only the words does without.
    kinds: OnceCell<Vec<Kind>>,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { words: Self::split(text), kinds: OnceCell::new() }
    }

    fn split(text: &'t str) -> Vec<Word<'t>> {
        let mut words: Vec<Word<'t>> = Vec::new();
        let mut opens = true;
        for line in text.lines() {
            for chunk in line.split_whitespace() {
                if words.len() >= LOOK_AT {
                    return words;
                }
                let (bare, behind) = bare(chunk);
                if !bare.chars().any(char::is_alphanumeric) {
                    continue;
                }
                let stops = behind.contains(['.', '!', '?']);
                words.push(Word {
                    text: bare,
                    key: fold(bare).into_owned(),
                    opens,
                    ends: behind.contains([',', ';', ':', '.', '!', '?', ')']),
                    points: behind.contains(':'),
                });
                opens = stops;
            }
            opens = true;
        }
        words
    }

    pub(super) fn all(&self) -> &[Word<'t>] {
        &self.words
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The key at a place; empty past either end.
    pub(super) fn key(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.key.as_str())
    }

    /// The key before a place; empty at the beginning.
    pub(super) fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.key(before))
    }

    pub(super) fn ends(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.ends)
    }

    /// The place behind a phrase such as `at most`, if it stands here.
    pub(super) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let mut next = at;
        for key in phrase.split(' ') {
            if self.key(next) != key {
                return None;
            }
            next += 1;
        }
        Some(next)
    }

    /// The place behind the first of the phrases that stands here.
    pub(super) fn any_phrase(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        // The first byte rules out nearly all of a table.
        let first = self.key(at).as_bytes().first();
        let mut near = phrases.iter().filter(|phrase| phrase.as_bytes().first() == first);
        near.find_map(|phrase| self.phrase(at, phrase))
    }

    /// Whether the word at a place tells someone to do something.
    pub(super) fn is_command(&self, at: usize) -> bool {
        self.kind_at(at).is_some_and(|kind| kind.command)
    }

    fn kind_at(&self, at: usize) -> Option<&Kind> {
        let all = || (0..self.len()).map(|at| self.kind(at)).collect();
        self.kinds.get_or_init(all).get(at)
    }

    fn kind(&self, at: usize) -> Kind {
        let command = self.reads_as_command(at);
        let content = !command && self.names_something(at);
        Kind { command, content, specific: content && !tables::GENERIC.contains(self.key(at)) }
    }

    fn reads_as_command(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        let known = is_verb(&word.key)
            || tables::OPEN_VERBS.contains(&word.key)
            || tables::BUILDING.contains(&word.key)
            || tables::MORE_VERBS.contains(&word.key)
            || (!word.text.is_ascii() && is_verb(&word.text.to_lowercase()))
            || with_pronoun(&word.key);
        known && !self.stands_as_noun(at)
    }

    /// `a report`, `my next plan`, `of test`: many verbs are nouns behind such words.
    fn stands_as_noun(&self, at: usize) -> bool {
        if at > 0 && !self.ends(at - 1) && tables::PREPOSITIONS.contains(self.before(at)) {
            return true;
        }
        for back in (at.saturating_sub(NEAR)..at).rev() {
            let key = self.key(back);
            if self.ends(back) || tables::DETERMINERS.contains(key) {
                return !self.ends(back);
            }
            if is_stop_word(key) && !matches!(key, "very" | "more" | "most" | "muy" | "mas") {
                return false;
            }
        }
        false
    }

    /// Whether the word at a place names something: neither a small word, a number nor a command.
    pub(super) fn is_content(&self, at: usize) -> bool {
        self.kind_at(at).is_some_and(|kind| kind.content)
    }

    fn names_something(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        let key = word.key.as_str();
        key.chars().count() >= 2
            && key.chars().any(char::is_alphabetic)
            && !is_stop_word(key)
            && !tables::FILLERS.contains(key)
    }

    /// Whether the word at a place names something in particular: not `thing`, `code` or `problem`.
    pub(super) fn is_specific(&self, at: usize) -> bool {
        self.kind_at(at).is_some_and(|kind| kind.specific)
    }
}

/// Whether a word is a verb with its pronoun tied to it, as Spanish does: `arréglalo`.
pub(super) fn with_pronoun(key: &str) -> bool {
    let stem = ["los", "las", "lo", "la"].iter().find_map(|end| key.strip_suffix(end));
    stem.is_some_and(|stem| tables::OPEN_VERBS.contains(stem) || is_verb(stem))
}

/// A chunk without the marks around it, and those behind it; a leading `.`, `/` or `$` belongs to a path or an amount.
fn bare(chunk: &str) -> (&str, &str) {
    let front = chunk.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '.' | '/' | '$' | '€' | '£' | '_' | '~')
    });
    let mark = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '€' | '£' | '%');
    front.split_at_checked(front.trim_end_matches(mark).len()).unwrap_or((front, ""))
}
