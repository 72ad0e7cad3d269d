//! Finds the phrases of the tables in a text: each word is looked up once, and a phrase is tried only where its
//! first word stands.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use candor_model::IdMap;

use super::classes::CLASSES;
use super::kinds::{KINDS, Kinds};
use super::tokens::Token;
use super::weights::Sign;
use super::{addressed, personas, phrases};

/// The entries of the tables that a word is.
pub(super) type Ids = &'static [u16];

/// The entry of a stop.
pub(super) const STOP: Ids = &[0];

/// The tables, ready for use.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// The tables of words and phrases, with numbers for words.
#[derive(Debug, Default)]
pub(super) struct Tables {
    words: IdMap<&'static str, Word>,
    phrases: Vec<Phrase>,
    /// The phrases that begin with an entry.
    beginning: Vec<Vec<usize>>,
}

/// What the tables know of a word.
#[derive(Debug, Default, Clone)]
pub(super) struct Word {
    /// Which entries of the phrases it is.
    pub(super) ids: Vec<u16>,
    /// What kinds of word it is.
    pub(super) kinds: Kinds,
}

#[derive(Debug)]
struct Phrase {
    sign: Sign,
    steps: Vec<Step>,
}

/// The next word of a phrase, after at most `gap` others.
#[derive(Debug, Clone, Copy)]
struct Step {
    gap: usize,
    entry: u16,
}

/// A phrase that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// Where it begins, in bytes.
    pub(super) at: usize,
    /// Byte behind the last one.
    pub(super) end: usize,
    /// What it is a sign of.
    pub(super) sign: Sign,
}

impl Tables {
    fn new() -> Self {
        let mut tables = Self::default();
        let mut known: BTreeMap<&'static str, u16> = BTreeMap::new();
        for (name, words) in CLASSES {
            let entry = tables.entry(name, &mut known);
            words.split_whitespace().for_each(|word| tables.put(word, entry));
        }
        for (sign, phrases) in [phrases::PHRASES, personas::PHRASES, addressed::PHRASES].concat() {
            for said in phrases.lines().map(str::trim).filter(|line| !line.is_empty()) {
                tables.add(sign, said, &mut known);
            }
        }
        for (kinds, words) in KINDS {
            words.split_whitespace().for_each(|word| tables.change(word, |known| known.kinds |= kinds));
        }
        tables
    }

    /// The number of a name: of a class, of a word, or of words and classes with `|` between them.
    fn entry(&mut self, name: &'static str, known: &mut BTreeMap<&'static str, u16>) -> u16 {
        if let Some(entry) = known.get(name) {
            return *entry;
        }
        // Zero is the stop.
        let entry = u16::try_from(known.len() + 1).unwrap_or(u16::MAX);
        known.insert(name, entry);
        self.beginning.resize(usize::from(entry) + 1, Vec::new());
        for part in name.split('|') {
            // Words are in lower case; most parts are words, and need no search among the classes.
            let is_class = part.starts_with(|letter: char| letter.is_ascii_uppercase());
            match CLASSES.iter().find(|(class, _)| is_class && *class == part) {
                // A class by itself is filled where it is declared.
                Some(_) if part == name => {}
                Some((_, words)) => words.split_whitespace().for_each(|word| self.put(word, entry)),
                None => self.put(part, entry),
            }
        }
        entry
    }

    fn put(&mut self, word: &'static str, entry: u16) {
        self.change(word, |known| known.ids.push(entry));
    }

    fn change(&mut self, word: &'static str, change: impl FnOnce(&mut Word)) {
        if let Some(known) = self.words.get_mut(word) {
            return change(known);
        }
        let mut known = Word::default();
        change(&mut known);
        self.words.insert(word, known);
    }

    fn add(&mut self, sign: Sign, said: &'static str, known: &mut BTreeMap<&'static str, u16>) {
        let mut steps = Vec::new();
        let mut gap = 0;
        for part in said.split_whitespace() {
            match part.strip_prefix('~').map(str::parse) {
                Some(Ok(most)) => gap = most,
                _ => steps.push(Step { gap: std::mem::take(&mut gap), entry: self.entry(part, known) }),
            }
        }
        let index = self.phrases.len();
        if let Some(list) = steps.first().and_then(|first| self.beginning.get_mut(usize::from(first.entry))) {
            list.push(index);
        }
        self.phrases.push(Phrase { sign, steps });
    }

    /// What is known of a word.
    pub(super) fn word(&'static self, word: &str) -> Option<&'static Word> {
        self.words.get(word).or_else(|| {
            // Whatever calls itself so claims to be a model.
            let name = (word.len() > 3 && word.ends_with("gpt")).then_some("chatgpt");
            self.words.get(name.or_else(|| bare_verb(word))?)
        })
    }

    /// Every phrase in the text, by place.
    pub(super) fn hits(&'static self, tokens: &[Token]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut rest = tokens;
        while let Some((first, after)) = rest.split_first() {
            for phrase in first.ids.iter().flat_map(|entry| self.beginning_with(*entry)) {
                if let Some(end) = end(phrase.steps.get(1..).unwrap_or_default(), first, after) {
                    hits.push(Hit { at: first.at, end, sign: phrase.sign });
                }
            }
            rest = after;
        }
        hits
    }

    fn beginning_with(&self, entry: u16) -> impl Iterator<Item = &Phrase> {
        let list = self.beginning.get(usize::from(entry)).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(|index| self.phrases.get(*index))
    }
}

/// The Spanish or Italian verb of an order that has its object behind it: `envíalos`, `mandalo`.
fn bare_verb(word: &str) -> Option<&str> {
    const OBJECTS: &[&str] = &["los", "las", "les", "lo", "la", "le", "li", "me", "nos"];
    // What is shorter is the end of any word.
    let is_long = word.len() > 5 && word.ends_with(['a', 'e', 'i', 'o', 's']);
    let verb = OBJECTS.iter().filter(|_| is_long).find_map(|object| word.strip_suffix(object))?;
    (verb.len() > 3).then_some(verb)
}

/// Where a phrase ends whose last word so far is `last`, if the rest of it follows.
fn end(steps: &[Step], last: &Token, tokens: &[Token]) -> Option<usize> {
    let Some((step, later)) = steps.split_first() else { return Some(last.end) };
    let near = tokens.iter().enumerate().take(step.gap + 1).take_while(|(_, token)| token.ids != STOP);
    let mut places = near.filter(|(_, token)| token.ids.contains(&step.entry));
    places.find_map(|(index, token)| end(later, token, tokens.get(index + 1..).unwrap_or_default()))
}
