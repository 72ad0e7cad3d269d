//! Cuts a request into steps by what its words say, when no pack has a template for it.
//!
//! Lists, sentences, connective words and the stages of a piece of work are all it knows, in English and Spanish. It
//! invents no step that the text does not hold; a cut or an edge that the words only suggest is marked as guessed. Every
//! clause is in a step, limits or guards one, is background, or is named as dropped.

mod clauses;
mod cues;
mod edges;
mod limits;
mod lists;
mod nested;
mod parts;
mod prose;
mod questions;
mod requests;
mod rows;
mod sentences;
mod sums;
mod verbs;
mod vocabulary;
mod wishes;

use std::cell::RefCell;

use lists::Block;
use prose::Builder;

pub(crate) use clauses::is_command;
pub(crate) use limits::{forbidden, of_nobody};
pub use parts::{COURTESY, Part, Place};
pub(crate) use requests::is_verb;

/// The most steps that a request is cut into; what is beyond is kept in the last one's words.
pub const MAX_STEPS: usize = 200;

/// One step of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is to be done, in the words of the request.
    pub description: String,
    /// The steps that come first, as zero-based places of earlier steps.
    pub depends_on: Vec<usize>,
    /// Whether the edges or the cut were guessed rather than said.
    pub guessed: bool,
    /// When it may be done and when it stops, in the words of the request.
    pub conditions: Vec<String>,
}

impl Step {
    fn new(description: String, depends_on: Vec<usize>, guessed: bool) -> Self {
        Self { description, depends_on, guessed, conditions: Vec::new() }
    }
}

/// A request cut into steps, and what became of each of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    /// The steps; each comes after those that it needs.
    pub steps: Vec<Step>,
    /// Every clause of the request, in its order.
    pub parts: Vec<Part>,
}

/// The steps of a request; a text that is not blank has at least one.
#[must_use]
pub fn split(text: &str) -> Vec<Step> {
    read(text).steps
}

thread_local! {
    /// The last text that was cut on this thread, and what became of it.
    static LAST: RefCell<(String, Split)> = RefCell::default();
}

/// Cuts a request into steps, and says where each of its parts went.
///
/// The phases of a run ask for its request again and again, one after the other on one thread: nine times in a small
/// run, a tenth of all that it took. So the last answer is kept. It depends on nothing but the text.
#[must_use]
pub fn read(text: &str) -> Split {
    LAST.with_borrow_mut(|(known, split)| {
        if known != text {
            *split = cut(text);
            text.clone_into(known);
        }
        split.clone()
    })
}

fn cut(text: &str) -> Split {
    // The tables are written with the plain apostrophe.
    let plain = text.trim().replace('’', "'");
    if plain.is_empty() {
        return Split::default();
    }
    let text = without_lone_quote(&plain);
    let mut split = questions::split(text).map_or_else(|| said(text), |steps| asked(text, steps));
    if split.steps.is_empty() {
        let whole = tidy(text);
        let description = if whole.is_empty() { plain.clone() } else { whole };
        split.steps.push(Step::new(description, Vec::new(), true));
        split.parts.clear();
    }
    // Where no part was made out, the steps are all of the text: "and , …".
    if split.parts.is_empty() {
        let steps = (0..split.steps.len()).collect();
        split.parts = vec![Part { text: plain, place: Place::Task { steps } }];
    }
    split
}

/// What a question is about is told before it or behind it: a sentence that no step has in its words is its background.
fn asked(text: &str, steps: Vec<Step>) -> Split {
    let all: Vec<usize> = (0..steps.len()).collect();
    let said = sentences::sentences(text);
    let has = |sentence: &str| -> Vec<usize> {
        // Of "Options: A. none, B. full" only what stands behind the colon is in a step.
        let words = tidy(sentence.split_once(": ").map_or(sentence, |(_, offered)| offered));
        let says = |at: &usize| steps.get(*at).is_some_and(|step| step.description.contains(&words));
        all.iter().copied().filter(says).collect()
    };
    let part = |sentence: &&str| {
        let steps = has(sentence);
        let place = if steps.is_empty() { Place::Context } else { Place::Task { steps } };
        Part { text: (*sentence).to_owned(), place }
    };
    let mut parts: Vec<Part> = said.iter().map(part).collect();
    let placed: Vec<usize> = parts.iter().flat_map(|part| part.place.steps()).copied().collect();
    // What only a part of a sentence says, the question says, and it is the last that has steps.
    let asking = parts.iter_mut().rev().find_map(|part| match &mut part.place {
        Place::Task { steps } => Some(steps),
        _ => None,
    });
    match asking {
        Some(asking) => {
            asking.extend(all.iter().filter(|at| !placed.contains(at)));
            asking.sort_unstable();
        }
        None => parts = vec![Part { text: text.to_owned(), place: Place::Task { steps: all } }],
    }
    parts::cover(text, &mut parts);
    Split { steps, parts }
}

/// The sentences and the items of a text, in its order: what a person would call its points.
#[must_use]
pub fn parts(text: &str) -> Vec<String> {
    let plain = text.trim().replace('’', "'");
    let mut parts = Vec::new();
    for block in lists::blocks(&plain) {
        match block {
            Block::Prose(text) => parts.extend(sentences::sentences(&text).into_iter().map(tidy)),
            Block::List { items, .. } | Block::Menu { items } => {
                parts.extend(items.iter().map(|item| tidy(item)));
            }
            Block::Data(_) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A sentence with fewer words is hardly a request.
const SHORTEST_REQUEST: usize = 3;

/// The steps that the text says. Where nothing looks like a request and nothing is asked, the sentences are requests.
fn said(text: &str) -> Split {
    let split = built(text, Builder::default());
    let sentences = sentences::sentences(text);
    let short = |sentence: &&str| sentence.split_whitespace().count() < SHORTEST_REQUEST;
    if !split.steps.is_empty() || text.contains('?') || sentences.first().is_some_and(short) {
        return split;
    }
    let mut taken = built(text, Builder::taking_all());
    for step in &mut taken.steps {
        step.guessed = true;
    }
    taken
}

/// The steps that a builder finds, block by block.
fn built(text: &str, mut builder: Builder) -> Split {
    let blocks = lists::blocks(text);
    for (at, block) in blocks.iter().enumerate() {
        match block {
            Block::Prose(text) => {
                let opens_list = matches!(blocks.get(at + 1), Some(Block::List { .. } | Block::Menu { .. }));
                builder.prose(text, opens_list);
            }
            Block::List { items, numbered } => builder.list(items, *numbered),
            Block::Menu { items } => builder.menu(items),
            Block::Data(line) => builder.data(line),
        }
    }
    let (steps, origins, mut parts) = builder.finish();
    parts::cover(text, &mut parts);
    let mut steps = limit(steps);
    let order = edges::link(&mut steps, &origins);
    let moved = |part: Part| Part { place: part.place.moved(&order), ..part };
    Split { steps, parts: parts.into_iter().map(moved).collect() }
}

/// A quote that is alone at the end is left over from how the text was handed in.
fn without_lone_quote(text: &str) -> &str {
    let lone = text.matches('"').count() % 2 == 1;
    if lone { text.strip_suffix('"').unwrap_or(text) } else { text }
}

/// Keeps the bound: the words of the steps beyond it go into the last one.
fn limit(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() <= MAX_STEPS {
        return steps;
    }
    let beyond = steps.split_off(MAX_STEPS);
    if let Some(last) = steps.last_mut() {
        let words: Vec<_> = beyond.iter().map(|step| step.description.as_str()).collect();
        last.description =
            format!("{} (and {} further steps: {})", last.description, words.len(), words.join("; "));
        last.guessed = true;
    }
    steps
}

/// The text in one line, without the marks around it, beginning with a capital.
fn tidy(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let line = line.trim_matches([' ', ',', ';', ':', '.']);
    let mut chars = line.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
