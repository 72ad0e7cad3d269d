//! A goal read from plain words, in English and Spanish: who, where, when, how long, for how much, and
//! what must or must not be.
//!
//! Pure and without a clock: the present comes in with the text. Nothing is invented: what was not said is
//! absent, what was guessed is listed as a guess, what does not fit together is listed as a doubt. One file
//! reads one kind of fact, with its words in tables; the time taken grows with the length of the text only.

mod calendar;
mod constraints;
mod cuisine;
mod dates;
mod duration;
mod figures;
mod gazetteer;
mod money;
mod numbers;
mod people;
mod places;
mod quantities;
mod relative;
mod rules;
mod text;
mod travel;
mod types;

use std::ops::Range;

use candor_model::Timestamp;
pub use candor_text::Language;

use self::text::Text;
pub use self::types::{Amount, Dates, Extracted, LocalConstraint, Quantity, Reading};

/// Reads a goal; `now` resolves dates that are said in relation to the present.
#[must_use]
pub fn read(source: &str, now: Timestamp) -> Reading {
    let mut text = Text::new(source);
    let mut notes = Notes::default();
    let mut extracted = Extracted::default();
    figures::claim(&mut text, &mut extracted);
    let places = places::Found::read(&text);
    let travel = travel::is_about(&text, places.has_way());
    people::fill(&text, travel, &mut extracted, &mut notes);
    money::fill(&text, travel, &mut extracted, &mut notes);
    let said = duration::find(&text, travel, &mut notes);
    dates::fill(&text, now, travel, said, &mut extracted, &mut notes);
    places.fill(&text, travel, &mut extracted, &mut notes);
    let refused = constraints::fill(&text, travel, &mut extracted);
    extracted.must_not.extend(refused);
    rules::fill(&text, &mut extracted);
    rules::complete(source, &mut extracted);
    quantities::fill(&text, &mut extracted, &notes);
    Reading { language: text.language, extracted, guesses: notes.guesses, doubts: notes.doubts }
}

/// Tells whether a goal is about planning a journey, whatever its language.
#[must_use]
pub fn looks_like_travel(text: &str, extracted: &Extracted) -> bool {
    travel::is_about(&Text::new(text), extracted.destination.is_some())
}

/// What the readers leave beside the facts.
#[derive(Debug, Default)]
struct Notes {
    guesses: Vec<String>,
    doubts: Vec<String>,
    /// The tokens that are already part of a fact, so that no number is counted twice.
    used: Vec<Range<usize>>,
}

impl Notes {
    fn guess(&mut self, guess: String) {
        push_new(&mut self.guesses, guess);
    }

    fn doubt(&mut self, doubt: String) {
        push_new(&mut self.doubts, doubt);
    }

    fn mark_used(&mut self, from: usize, to: usize) {
        self.used.push(from..to);
    }
}

/// Lists longer than this tell a reader nothing more.
const MOST_ENTRIES: usize = 100;

/// Adds what is not there yet, up to a limit that keeps the work linear.
fn push_new<T: PartialEq>(list: &mut Vec<T>, entry: T) {
    if list.len() < MOST_ENTRIES && !list.contains(&entry) {
        list.push(entry);
    }
}
