//! Where each part of a request went, so that nothing of it disappears unnoticed.

use serde::{Deserialize, Serialize};

/// Why thanks and greetings are in no step.
pub const COURTESY: &str = "courtesy";

/// What became of a part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Place {
    /// It is in these steps, by their zero-based places.
    Task {
        /// Places of the steps that have its words, from 0.
        steps: Vec<usize>,
    },
    /// It limits what is done.
    Constraint,
    /// It says when these steps may be done, or when they stop.
    Condition {
        /// The steps that it guards.
        steps: Vec<usize>,
    },
    /// It is background that everybody who works on the request may need.
    Context,
    /// Nobody works on it.
    Dropped {
        /// For people, or [`COURTESY`].
        reason: String,
    },
}

/// A part of a request, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its words.
    pub text: String,
    /// What became of it.
    #[serde(flatten)]
    pub place: Place,
}

/// How far behind the last part the next one is looked for, in bytes; it bounds the work.
const LONGEST_GAP: usize = 10_000;

/// Lets the parts have all words of the text: politeness and joints go to the part behind them, what is left to the last.
///
/// So no word of a request can be in none of its parts, whatever the rules made of it.
pub(super) fn cover(text: &str, parts: &mut [Part]) {
    let has_words = |text: &str| text.chars().any(char::is_alphanumeric);
    let mut done = 0;
    for part in parts.iter_mut() {
        let rest = text.get(done..).unwrap_or_default();
        let near = rest.get(..rest.floor_char_boundary(part.text.len() + LONGEST_GAP)).unwrap_or(rest);
        // A part may be in other words than the text, as "deploy" is for "before deploying".
        let Some(start) = whole_words(near, &part.text) else { continue };
        let end = start + part.text.len();
        let gap = near.get(..start).unwrap_or_default();
        if let Some(whole) = near.get(..end).filter(|_| has_words(gap)) {
            whole.trim_start_matches([' ', ',', ';', '.', '\n']).clone_into(&mut part.text);
        }
        done += end;
    }
    let rest = text.get(done..).filter(|rest| has_words(rest));
    if let (Some(rest), Some(last)) = (rest, parts.last_mut()) {
        last.text.push(' ');
        last.text.push_str(rest.trim());
    }
}

/// Where some words stand in a text, and not as a piece of other words: the step `c` is not the beginning of `could`.
fn whole_words(text: &str, part: &str) -> Option<usize> {
    let joins = |one: Option<char>, other: Option<char>| {
        one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
    };
    let mut found = text.match_indices(part).filter(|(_, part)| !part.is_empty());
    found.find_map(|(start, part)| {
        let before = text.get(..start)?.chars().next_back();
        let after = text.get(start + part.len()..)?.chars().next();
        let within = joins(before, part.chars().next()) || joins(part.chars().next_back(), after);
        (!within).then_some(start)
    })
}

impl Place {
    /// The steps that a part is in.
    pub(super) fn steps(&self) -> &[usize] {
        if let Self::Task { steps } = self { steps } else { &[] }
    }

    /// The same after steps have changed their places; `order` has the old place of each.
    pub(super) fn moved(self, order: &[usize]) -> Self {
        let new = |steps: Vec<usize>| {
            steps.iter().map(|old| order.iter().position(|place| place == old).unwrap_or(*old)).collect()
        };
        match self {
            Self::Task { steps } => Self::Task { steps: new(steps) },
            Self::Condition { steps } => Self::Condition { steps: new(steps) },
            other => other,
        }
    }
}
