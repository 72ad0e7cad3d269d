//! Long results in short, with the way back to the whole.
//!
//! The short form is made of the text's own sentences, headings and error lines: nothing is worded anew, so
//! nothing can be made up. Warnings are never left out. Every section names where its whole text is kept and
//! carries its digest, so that what comes back is what was shortened, or an error.

mod execution;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use self::execution::{execution_output, outputs_text, warnings};
use crate::texts::shortened;

/// How much of a section is shown before it is opened.
const PREVIEW_CHARS: usize = 80;
/// How much of one warning is repeated among the key points; the rest is in its section.
const POINT_CHARS: usize = 200;
/// How many key points there are beside the warnings.
const MOST_POINTS: usize = 10;
/// How many lines of one section can be key points.
const POINTS_PER_SECTION: usize = 3;
/// How many signs of its digest a reference carries.
const DIGEST_SIGNS: usize = 16;

/// A part of a long result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// Its name; each has its own.
    pub name: String,
    /// The whole of it.
    pub text: String,
    /// What in it must not be overlooked.
    pub warnings: Vec<String>,
    /// Where the whole is kept.
    pub reference: String,
}

/// A long result in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Compressed {
    /// The digest of the whole.
    pub hash: String,
    /// The length of summary and key points.
    pub summary_tokens: u64,
    /// The length of the whole.
    pub full_tokens_if_expanded: u64,
    /// The one divided by the other.
    pub compression_ratio: f64,
    /// The result in a few sentences of its own.
    pub summary: String,
    /// What must not be overlooked; every warning is among it.
    pub key_points: Vec<String>,
    /// The files it is about.
    pub references: Vec<Reference>,
    /// What can be opened.
    pub expandable: Vec<Expandable>,
}

/// A file that a result is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Path as the result names it.
    pub file: String,
    /// The first and the last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// How much it matters, from 0 to 1.
    pub relevance: f64,
}

/// A section that can be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expandable {
    /// Key under which the whole can be opened.
    pub section: String,
    /// First characters of the text.
    pub preview: String,
    /// Where the whole is kept, and after a `#` its digest.
    pub full_content_ref: String,
}

/// Why a section cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The whole is not where it should be.
    #[error("the text of `{section}` is not at {reference} any more; make the result anew")]
    Gone {
        /// Key of the section that was to be opened.
        section: String,
        /// Where it should be.
        reference: String,
    },
    /// The whole is not what it was.
    #[error("the text of `{section}` at {reference} has changed since it was shortened; read it again")]
    Changed {
        /// Key of the section that was to be opened.
        section: String,
        /// Where a text is, but with another digest.
        reference: String,
    },
}

/// Shortens a result to this summary.
fn shortened_to(sections: &[Section], summary: &str) -> Compressed {
    let warnings = sections.iter().flat_map(|section| {
        let told = |warning: &String| format!("{}: {}", section.name, shortened(warning, POINT_CHARS));
        section.warnings.iter().map(told)
    });
    let mut key_points: Vec<String> = warnings.collect();
    let others = sections.iter().flat_map(|section| points(&section.text));
    key_points.extend(others.take(MOST_POINTS).map(|point| shortened(point, POINT_CHARS)));
    let full = whole(sections);
    let (long, short) =
        (tokens(&full), tokens(summary) + key_points.iter().map(|it| tokens(it)).sum::<u64>());
    Compressed {
        hash: digest(&full),
        summary_tokens: short,
        full_tokens_if_expanded: long,
        compression_ratio: if long == 0 { 0.0 } else { short as f64 / long as f64 },
        summary: summary.to_owned(),
        key_points,
        references: Vec::new(),
        expandable: sections.iter().map(expandable).collect(),
    }
}

fn expandable(section: &Section) -> Expandable {
    let digest: String = digest(&section.text).chars().take(DIGEST_SIGNS).collect();
    Expandable {
        section: section.name.clone(),
        preview: shortened(&one_line(&section.text), PREVIEW_CHARS),
        full_content_ref: format!("{}#{digest}", section.reference),
    }
}

/// The beginning of a text without its line breaks and double spaces.
fn one_line(text: &str) -> String {
    let end = text.char_indices().nth(PREVIEW_CHARS * 4).map_or(text.len(), |(at, _)| at);
    let beginning = text.get(..end).unwrap_or(text);
    beginning.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The whole of a result: its sections one after the other.
#[must_use]
pub fn whole(sections: &[Section]) -> String {
    sections.iter().map(|section| section.text.as_str()).collect::<Vec<_>>().join("\n")
}

impl Expandable {
    /// The whole text, if it is still what it was.
    pub fn open(&self, fetch: &dyn Fn(&str) -> Option<String>) -> Result<String, ExpandError> {
        let (reference, wanted) =
            self.full_content_ref.rsplit_once('#').unwrap_or((&self.full_content_ref, ""));
        let (section, reference) = (self.section.clone(), reference.to_owned());
        let Some(text) = fetch(&reference) else { return Err(ExpandError::Gone { section, reference }) };
        if !wanted.is_empty() && digest(&text).starts_with(wanted) {
            Ok(text)
        } else {
            Err(ExpandError::Changed { section, reference })
        }
    }
}

/// Headings and lines that tell of something gone wrong.
fn points(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| is_heading(line) || tells_of_trouble(line)).take(POINTS_PER_SECTION)
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').strip_prefix(' ').is_some_and(|_| line.starts_with('#'))
}

fn tells_of_trouble(line: &str) -> bool {
    const SIGNS: [&str; 6] = ["error", "failed", "failure", "warning", "panic", "fatal"];
    let line = line.to_lowercase();
    SIGNS.iter().any(|sign| line.contains(sign))
}

/// About how many tokens a text is: four letters each.
#[must_use]
pub fn tokens(text: &str) -> u64 {
    u64::try_from(text.chars().count().div_ceil(4)).unwrap_or(u64::MAX)
}

fn digest(text: &str) -> String {
    candor_model::hex(Sha256::digest(text).iter())
}
