//! Cuts a request into steps by what its words say, when no pack has a template for it.
//!
//! Lists, sentences and connective words in English and Spanish are all it knows. It invents no step that
//! the text does not hold; a cut or an edge that the words only suggest is marked as guessed.

mod clauses;
mod cues;
mod edges;
mod lists;
mod prose;
mod questions;
mod requests;
mod sentences;

use lists::Block;
use prose::Builder;

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
}

/// Cuts a request into steps; a text that is not blank has at least one.
#[must_use]
pub fn split(text: &str) -> Vec<Step> {
    // The tables are written with the plain apostrophe.
    let plain = text.trim().replace('’', "'");
    if plain.is_empty() {
        return Vec::new();
    }
    let text = without_lone_quote(&plain);
    let mut steps = questions::split(text).unwrap_or_else(|| said(text));
    if steps.is_empty() {
        let whole = tidy(text);
        let description = if whole.is_empty() { plain } else { whole };
        steps.push(Step { description, depends_on: Vec::new(), guessed: true });
    }
    limit(steps)
}

/// The sentences and the items of a text, in its order: what a person would call its points.
#[must_use]
pub fn parts(text: &str) -> Vec<String> {
    let plain = text.trim().replace('’', "'");
    let mut parts = Vec::new();
    for block in lists::blocks(&plain) {
        match block {
            Block::Prose(text) => parts.extend(sentences::sentences(&text).into_iter().map(tidy)),
            Block::List { items, .. } => parts.extend(items.iter().map(|item| tidy(item))),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The steps that the text says, block by block.
fn said(text: &str) -> Vec<Step> {
    let blocks = lists::blocks(text);
    let mut builder = Builder::default();
    for (at, block) in blocks.iter().enumerate() {
        match block {
            Block::Prose(text) => {
                let opens_list = matches!(blocks.get(at + 1), Some(Block::List { .. }));
                builder.prose(text, opens_list);
            }
            Block::List { items, numbered } => builder.list(items, *numbered),
        }
    }
    let mut steps = builder.finish();
    edges::link_made_things(&mut steps);
    steps
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
