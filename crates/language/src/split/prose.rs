//! Puts sentences together to steps: which of them are steps, which only frame or refine one.

use std::collections::BTreeSet;

use candor_text::{fold, says, singular, words};

use super::{
    Step,
    clauses::{Clause, clauses},
    cues::{self, Cue},
    requests::{self, Asked, Strength},
    sentences::sentences,
    tidy,
};

/// Words shorter than this hardly name a thing.
const SHORTEST_NAME: usize = 4;

/// What a step is about stands in this many words.
const LONGEST_HEAD: usize = 60;

/// Collects the steps of a request, sentence by sentence.
#[derive(Debug, Default)]
pub(super) struct Builder {
    steps: Vec<Step>,
    /// Whether a "first" has been read.
    opened: bool,
    /// Where the steps begin that the newest sentence or item put side by side.
    abreast: usize,
    /// What the newest step began with, and how plainly it asked.
    newest: Option<(Strength, String)>,
}

/// What the connectives of a whole text have in common.
#[derive(Debug, Clone, Copy)]
struct Tone {
    connected: bool,
    /// Whether "finally" closes a sequence and not a pile of things beside each other.
    ends_sequence: bool,
}

impl Tone {
    fn of(sentences: &[&str]) -> Self {
        let cues: Vec<_> = sentences.iter().map(|sentence| cues::leading(sentence).0).collect();
        let has = |cue| cues.contains(&cue);
        Self {
            connected: has(Cue::After) || has(Cue::Beside) || has(Cue::Last),
            ends_sequence: has(Cue::After) && !has(Cue::Beside),
        }
    }
}

impl Builder {
    /// Reads running text; if it opens a list, the sentence that announces the list is no step.
    pub(super) fn prose(&mut self, text: &str, opens_list: bool) {
        let sentences = sentences(text);
        let tone = Tone::of(&sentences);
        for sentence in sentences {
            let announces = opens_list && sentence.trim_end().ends_with(':');
            if !announces {
                self.sentence(sentence, tone);
            }
        }
    }

    /// Reads the items of a list; numbers suggest an order, bullets none.
    pub(super) fn list(&mut self, items: &[String], numbered: bool) {
        for (place, item) in items.iter().enumerate() {
            let (cue, text) = cues::leading(item);
            let cue = if numbered && place > 0 && cue == Cue::Silent { Cue::Last } else { cue };
            let asked = requests::read(text);
            let tone = Tone { connected: true, ends_sequence: true };
            self.push(asked.what, cue, asked.strength, tone, false);
        }
    }

    /// The steps found.
    pub(super) fn finish(self) -> Vec<Step> {
        self.steps
    }

    fn sentence(&mut self, sentence: &str, tone: Tone) {
        if cues::strip_any(sentence, cues::CLOSINGS).is_some() {
            return;
        }
        let (cue, rest) = cues::leading(sentence);
        let asked = requests::read(rest);
        let mut inherited = Vec::new();
        if cue == Cue::Opens && self.steps.len() == 1 && !self.opened {
            // Whatever stands before "first" only leads up to it.
            self.steps.clear();
        } else if cue == Cue::Detail || (cue == Cue::Silent && self.refines(&asked, tone)) {
            if !self.words_the_wish(&asked) {
                self.refine(sentence);
                return;
            }
            inherited = self.steps.pop().map(|wish| wish.depends_on).unwrap_or_default();
        }
        if asked.strength == Strength::Statement && (cue == Cue::Silent || self.steps.is_empty()) {
            // A statement before the first step is its background; the goal keeps it.
            return;
        }
        self.opened |= cue == Cue::Opens;
        // "Can you find one?" without its politeness is a command.
        let polite = asked.what.len() < rest.trim().len();
        let ending: &[char] = if polite { &['?', '!', '.', ' '] } else { &[] };
        let first = self.steps.len();
        let mut strength = asked.strength;
        for Clause { cue: inner, text, guessed } in clauses(requests::after_colon(asked.what)) {
            let cue = if inner == Cue::Silent { cue } else { inner };
            self.push(
                requests::read(&text).what.trim_end_matches(ending),
                cue,
                strength,
                tone,
                inner == Cue::Beside,
            );
            if let Some(step) = self.steps.last_mut().filter(|_| guessed) {
                step.guessed = true;
            }
            strength = Strength::Request;
        }
        if let Some(step) = self.steps.get_mut(first).filter(|step| step.depends_on.is_empty()) {
            step.depends_on = inherited;
        }
    }

    /// Whether a sentence without a connective says more about the newest step.
    fn refines(&self, asked: &Asked<'_>, tone: Tone) -> bool {
        let Some((newest, head)) = &self.newest else { return false };
        match asked.strength {
            Strength::Statement => true,
            Strength::Wish => *newest == Strength::Wish && tone.connected,
            Strength::Request => {
                *newest == Strength::Wish
                    || requests::starts_with_weak_verb(asked.what)
                    || (tone.connected && share_a_name(head, asked.what))
            }
        }
    }

    /// Whether the sentence is the plain request of which the newest step is only the wish.
    fn words_the_wish(&self, asked: &Asked<'_>) -> bool {
        let wished = self.newest.as_ref().is_some_and(|(strength, _)| *strength == Strength::Wish);
        let plain = asked.strength == Strength::Request && requests::starts_with_strong_verb(asked.what);
        wished && plain && !points_back(asked.what)
    }

    /// Adds a sentence's words to the newest step.
    fn refine(&mut self, sentence: &str) {
        if let Some(step) = self.steps.last_mut() {
            step.description.push_str(if step.description.ends_with(['?', '!']) { " " } else { ". " });
            step.description.push_str(&tidy(sentence));
        }
    }

    fn push(&mut self, text: &str, cue: Cue, strength: Strength, tone: Tone, joined: bool) {
        let description = tidy(text);
        if description.is_empty() {
            return;
        }
        let (depends, guessed) = match cue {
            Cue::After => (true, false),
            Cue::Last => (tone.ends_sequence, tone.ends_sequence),
            _ => (cues::refers_back(text), true),
        };
        let from = if depends { self.abreast } else { self.steps.len() };
        let mut depends_on: Vec<_> = (from..self.steps.len()).collect();
        if depends_on.is_empty() && cues::acts_on_previous(text) {
            depends_on.extend(self.steps.len().checked_sub(1));
        }
        if !joined {
            self.abreast = self.steps.len();
        }
        let guessed = guessed && !depends_on.is_empty();
        self.newest = Some((strength, text.to_owned()));
        self.steps.push(Step { description, depends_on, guessed });
    }
}

/// Whether the text needs the one before it to be understood: "Please retrieve this information".
fn points_back(text: &str) -> bool {
    // A longer request says enough by itself, whatever its pronouns point to.
    const SELF_CONTAINED: usize = 8;
    if text.split_whitespace().count() > SELF_CONTAINED {
        return false;
    }
    let lower = text.to_lowercase();
    ["this", "that", "it", "them", "these", "those", "one", "esto", "eso", "ello"]
        .iter()
        .any(|word| says(&lower, word))
}

/// Whether both texts speak of the same thing, beside the verb that they begin with.
fn share_a_name(a: &str, b: &str) -> bool {
    let names = |text: &str| -> BTreeSet<String> {
        let words = words(text).skip(1).take(LONGEST_HEAD);
        words.filter(|word| word.chars().count() >= SHORTEST_NAME).map(|word| singular(&fold(word))).collect()
    };
    !names(a).is_disjoint(&names(b))
}
