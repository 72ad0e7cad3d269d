//! Sentences out of public packages, one per line: definitions and examples, requests and descriptions.
//!
//! It knows two kinds of file: those of WordNet's database (`data.noun` and its like), and lines of JSON, of
//! which it takes what stands under `content` and `description`. The sentences come out in the order of
//! their hashes, so that the first so many of them are a fair sample.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Shorter texts say nothing, longer ones too many things.
const LENGTHS: std::ops::RangeInclusive<usize> = 12..=160;
const WORDNET: [&str; 4] = ["data.noun", "data.verb", "data.adj", "data.adv"];
/// The most sentences of a package, so that none drowns the others and a run stays short.
const MOST_OF_A_PACKAGE: usize = 12_000;

/// The sentences of some folders, each folder's apart until it has been thinned.
pub(crate) fn sentences(folders: &[PathBuf]) -> io::Result<Vec<String>> {
    let mut all = BTreeMap::new();
    for folder in folders {
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        let mut found = BTreeMap::new();
        for file in files {
            for sentence in of_file(&file)? {
                let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
                if sentence.is_ascii() && LENGTHS.contains(&sentence.len()) {
                    found.insert(Sha256::digest(&sentence).to_vec(), sentence);
                }
            }
        }
        all.extend(found.into_iter().take(MOST_OF_A_PACKAGE));
    }
    Ok(all.into_values().collect())
}

/// The files below a folder that it knows how to read.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_wordnet(&path) || path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(())
}

fn is_wordnet(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| WORDNET.contains(&name))
}

fn of_file(path: &Path) -> io::Result<Vec<String>> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let mut found = Vec::new();
    for line in text.lines() {
        if is_wordnet(path) {
            definition(line, &mut found);
        } else if let Ok(value) = serde_json::from_str(line) {
            told(&value, false, &mut found);
        }
    }
    Ok(found)
}

/// The words of a line of WordNet with their definition, and the examples of their use.
fn definition(line: &str, found: &mut Vec<String>) {
    let Some((head, gloss)) = line.split_once(" | ") else { return };
    let mut fields = head.split(' ').skip(3);
    let count = fields.next().and_then(|count| usize::from_str_radix(count, 16).ok()).unwrap_or(0);
    let words: Vec<String> = fields.step_by(2).take(count).map(|word| word.replace('_', " ")).collect();
    // Names of people and places are many, and few are ever asked for.
    if words.iter().any(|word| word.starts_with(char::is_uppercase)) {
        return;
    }
    let mut parts = gloss.split("; \"");
    let meaning = parts.next().unwrap_or_default().trim();
    found.push(format!("{}: {meaning}", words.into_iter().take(3).collect::<Vec<_>>().join(", ")));
    found.extend(parts.map(|example| example.trim().trim_matches('"').to_owned()));
}

/// The texts that say what is asked for or what something does.
fn told(value: &Value, speaks: bool, found: &mut Vec<String>) {
    match value {
        Value::String(text) if speaks => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| told(value, speaks, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            told(value, matches!(name.as_str(), "content" | "description"), found);
        }),
        _ => {}
    }
}
