//! 1a, the keyword detector: what a request is about.

use candor_text::fold;
use serde::Serialize;

use super::words::Words;
use super::{files, tables};
use crate::goal::{Extracted, Reading};

/// More keywords than this tell nobody more.
const MOST: usize = 20;

/// What a request is about, by kinds of words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Keywords {
    /// All of it, the most telling first.
    #[serde(skip)]
    pub all: Vec<String>,
    /// The kinds of work, such as `fix` and `compare`.
    pub task_types: Vec<String>,
    /// Technologies by name.
    pub technologies: Vec<String>,
    /// Files by name.
    pub files: Vec<String>,
    /// Names from code, such as `parse_goal`.
    pub identifiers: Vec<String>,
    /// Places and other names.
    pub entities: Vec<String>,
    /// How many of the words that name something are among them, from 0 to 100.
    pub coverage: u8,
}

/// Reads the keywords of a request.
pub(super) fn detect(words: &Words<'_>, reading: &Reading) -> Keywords {
    let mut found = Keywords { files: files::named(words), ..Keywords::default() };
    for (at, word) in words.all().iter().enumerate() {
        let key = word.key.as_str();
        if is_technology(words, at) {
            add(&mut found.technologies, word.text);
        } else if is_identifier(word.text)
            && !found.files.iter().any(|file| word.text.ends_with(file.as_str()))
        {
            add(&mut found.identifiers, word.text);
        } else if is_name(words, at) {
            add(&mut found.entities, word.text);
        }
        for (kind, known) in tables::TASK_TYPES {
            if tables::has(known, key) {
                add(&mut found.task_types, kind);
            }
        }
    }
    let mut entities = Vec::new();
    for place in places(&reading.extracted).into_iter().chain(std::mem::take(&mut found.entities)) {
        add(&mut entities, &place);
    }
    found.entities = entities;
    rank(words, &mut found);
    found
}

fn places(extracted: &Extracted) -> Vec<String> {
    let ends = [&extracted.destination, &extracted.origin];
    ends.into_iter().flatten().chain(&extracted.places).cloned().collect()
}

/// Puts everything in one list, and says how much of the matter it covers.
fn rank(words: &Words<'_>, found: &mut Keywords) {
    let mut all = Vec::new();
    let kinds = [&found.files, &found.identifiers, &found.technologies, &found.entities, &found.task_types];
    for keyword in kinds.into_iter().flatten() {
        add(&mut all, keyword);
    }
    for (at, word) in words.all().iter().enumerate().filter(|(at, _)| words.is_specific(*at)) {
        let part_of_name = found.entities.iter().any(|name| name.split(' ').any(|part| part == word.text));
        if !part_of_name && !is_figure(words.key(at)) {
            add(&mut all, &word.key);
        }
    }
    let matter = (0..words.len()).filter(|at| words.is_content(*at) || words.is_command(*at)).count();
    all.truncate(MOST);
    found.coverage = share(covered(words, &all), matter);
    found.all = all;
}

fn covered(words: &Words<'_>, all: &[String]) -> usize {
    let folded: Vec<String> = all.iter().map(|keyword| fold(keyword).into_owned()).collect();
    let is_covered = |at: usize| {
        let key = words.key(at);
        let typed = tables::TASK_TYPES.iter().any(|(_, known)| tables::has(known, key));
        typed || folded.iter().any(|keyword| keyword.split(' ').any(|part| key.ends_with(part)))
    };
    (0..words.len()).filter(|at| (words.is_content(*at) || words.is_command(*at)) && is_covered(*at)).count()
}

/// `part` of `whole` as a percentage; nothing of nothing is nothing.
fn share(part: usize, whole: usize) -> u8 {
    let percent = (part.min(whole) * 100).checked_div(whole).unwrap_or(0);
    u8::try_from(percent).unwrap_or(100)
}

/// `3-day`, `10am`: figures are facts, but no keywords.
fn is_figure(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£'))
}

/// `rest`, `word` and the like are technologies only if they are written as such.
fn is_technology(words: &Words<'_>, at: usize) -> bool {
    const ALSO_WORDS: &[&str] =
        &["rest", "word", "express", "spring", "node", "swift", "windows", "excel", "rust", "java", "ruby"];
    let Some(word) = words.all().get(at) else { return false };
    let capital = word.text.starts_with(char::is_uppercase) && !word.opens;
    tables::TECHNOLOGIES.contains(&word.key)
        && (capital || !tables::has(ALSO_WORDS, &word.key) || near_code(words, at))
}

fn near_code(words: &Words<'_>, at: usize) -> bool {
    let near = at.saturating_sub(3)..at.saturating_add(4);
    near.into_iter().any(|near| tables::CODE.contains(words.key(near)))
        || matches!(words.before(at), "in" | "en")
}

/// `crates/cli`, as against `and/or`.
fn is_folder(text: &str) -> bool {
    #[rustfmt::skip]
    const KNOWN: &[&str] = &[
        "src", "crates", "tests", "test", "lib", "docs", "app", "apps", "packages", "config", "bin", "cmd", "pkg",
        "internal", "components", "scripts", "benches", "examples", "assets", "public", "backend", "frontend",
    ];
    let mut parts = text.trim_end_matches('/').split('/');
    parts.next().is_some_and(|first| tables::has(KNOWN, first)) && text.contains('/')
}

/// `snake_case`, `camelCase`, `a::b` and `crates/cli`.
fn is_identifier(text: &str) -> bool {
    let inner_capital =
        text.chars().zip(text.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    let shaped = text.contains('_') && text.chars().any(char::is_alphabetic);
    (shaped || inner_capital || text.contains("::") || is_folder(text)) && !text.contains("://")
}

/// A capital in the middle of a sentence, or several capitals.
fn is_name(words: &Words<'_>, at: usize) -> bool {
    let Some(word) = words.all().get(at) else { return false };
    let capitals = word.text.chars().filter(|c| c.is_uppercase()).count();
    let capital = word.text.starts_with(char::is_uppercase);
    let acronym = capitals >= 2 && word.text.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    let written_large = words.all().iter().all(|word| !word.text.contains(char::is_lowercase));
    !written_large && word.text.len() > 1 && words.is_content(at) && (acronym || (capital && !word.opens))
}

/// Adds what is not there yet, whatever its case.
fn add(list: &mut Vec<String>, entry: &str) {
    if list.len() < MOST && !list.iter().any(|known| known.eq_ignore_ascii_case(entry)) {
        list.push(entry.to_owned());
    }
}
