//! Long results in short, with the way back to the whole.
//!
//! The short form is made of the text's own sentences, headings and error lines: nothing is worded anew, so
//! nothing can be made up. Warnings are never left out. Every section names where its whole text is kept and
//! carries its digest, so that what comes back is what was shortened, or an error.

mod execution;
mod extract;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use self::execution::{execution_output, outputs_text, section_text, warnings};
use crate::texts::shortened;

/// How much of a section is shown before it is opened.
const PREVIEW_CHARS: usize = 80;
/// How much of one warning is repeated among the key points; the rest is in its section.
const POINT_CHARS: usize = 200;
/// How many key points there are beside the warnings.
const MOST_POINTS: usize = 10;
/// How long the summary may be.
const SUMMARY_CHARS: usize = 400;
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
    /// The file it is about.
    pub file: Option<FileLines>,
    /// Where the whole is kept.
    pub reference: String,
}

/// A file, or some lines of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLines {
    /// The path.
    pub path: String,
    /// The first and the last line, counted from 1.
    pub lines: Option<(u32, u32)>,
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
    /// The path.
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
    /// Its name.
    pub section: String,
    /// Its beginning.
    pub preview: String,
    /// Where the whole is kept, and after a `#` its digest.
    pub full_content_ref: String,
}

/// How much of a result is wanted back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Summary and key points.
    Minimal,
    /// The previews and the lines of files too.
    Standard,
    /// The whole.
    Full,
}

/// Why a section cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// There is no such section.
    #[error("there is no section `{section}`; there are: {known}")]
    Unknown {
        /// The name that was asked for.
        section: String,
        /// The names that there are.
        known: String,
    },
    /// The whole is not where it should be.
    #[error("the text of `{section}` is not at {reference} any more; make the result anew")]
    Gone {
        /// The section.
        section: String,
        /// Where it should be.
        reference: String,
    },
    /// The whole is not what it was.
    #[error("the text of `{section}` at {reference} has changed since it was shortened; read it again")]
    Changed {
        /// The section.
        section: String,
        /// Where it is.
        reference: String,
    },
}

/// Shortens a result.
#[must_use]
pub fn compress(sections: &[Section]) -> Compressed {
    let summary = sections.iter().map(|section| extract::summary(&section.text));
    let summary = summary.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    shortened_to(sections, &shortened(&summary, SUMMARY_CHARS))
}

/// Shortens a result to this summary.
fn shortened_to(sections: &[Section], summary: &str) -> Compressed {
    let warnings = sections.iter().flat_map(|section| {
        let told = |warning: &String| format!("{}: {}", section.name, shortened(warning, POINT_CHARS));
        section.warnings.iter().map(told)
    });
    let mut key_points: Vec<String> = warnings.collect();
    let others = sections.iter().flat_map(|section| extract::points(&section.text));
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
        references: sections.iter().filter_map(reference).collect(),
        expandable: sections.iter().map(expandable).collect(),
    }
}

fn reference(section: &Section) -> Option<Reference> {
    let FileLines { path, lines } = section.file.as_ref()?;
    // What went wrong is looked at first.
    let relevance = if section.warnings.is_empty() { 0.5 } else { 1.0 };
    Some(Reference { file: path.clone(), lines: *lines, relevance })
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
    let beginning: String = text.chars().take(PREVIEW_CHARS * 4).collect();
    beginning.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The whole of a result: its sections one after the other.
#[must_use]
pub fn whole(sections: &[Section]) -> String {
    sections.iter().map(|section| section.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Gives a result back as far as it is wanted. `fetch` knows where texts and files are kept.
pub fn expand(
    compressed: &Compressed,
    level: Level,
    fetch: &dyn Fn(&str) -> Option<String>,
) -> Result<String, ExpandError> {
    if level == Level::Full {
        let texts: Result<Vec<String>, _> =
            compressed.expandable.iter().map(|section| section.open(fetch)).collect();
        return Ok(texts?.join("\n"));
    }
    let mut lines = vec![compressed.summary.clone()];
    lines.extend(compressed.key_points.iter().map(|point| format!("- {point}")));
    if level == Level::Standard {
        lines.extend(compressed.expandable.iter().map(Expandable::shown));
        lines.extend(compressed.references.iter().map(|reference| reference.shown(fetch)));
    }
    Ok(lines.join("\n"))
}

/// Gives one section back: its preview, or the whole of it.
pub fn expand_section(
    compressed: &Compressed,
    section: &str,
    level: Level,
    fetch: &dyn Fn(&str) -> Option<String>,
) -> Result<String, ExpandError> {
    let found = compressed.expandable.iter().find(|known| known.section == section);
    let found = found.ok_or_else(|| {
        let known = compressed.expandable.iter().map(|known| known.section.as_str());
        ExpandError::Unknown { section: section.to_owned(), known: known.collect::<Vec<_>>().join(", ") }
    })?;
    if level == Level::Full { found.open(fetch) } else { Ok(found.shown()) }
}

impl Expandable {
    fn shown(&self) -> String {
        format!("{}: {}", self.section, self.preview)
    }

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

impl Reference {
    /// The lines that are meant; only their name if nobody has the file at hand.
    fn shown(&self, fetch: &dyn Fn(&str) -> Option<String>) -> String {
        let Some((first, last)) = self.lines else { return self.file.clone() };
        let name = format!("{}:{first}-{last}", self.file);
        let Some(text) = fetch(&self.file) else { return name };
        let skip = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
        let take = usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(usize::MAX);
        let lines: Vec<&str> = text.lines().skip(skip).take(take).collect();
        format!("{name}\n{}", lines.join("\n"))
    }
}

/// About how many tokens a text is: four letters each.
#[must_use]
pub fn tokens(text: &str) -> u64 {
    u64::try_from(text.chars().count().div_ceil(4)).unwrap_or(u64::MAX)
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
