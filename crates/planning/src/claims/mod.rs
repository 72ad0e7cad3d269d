//! What agents say they did, as far as it can be looked up: files they say they wrote, and how many things they say
//! they made.
//!
//! A wrong finding is worse than none. So only statements of doing count, in words or in outputs that are named so;
//! plans, conditions and denials do not, and neither does anything that could be a name of something else.

use candor_model::JsonMap;
use serde_json::Value;

/// Something that an agent says it did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It wrote this file.
    Wrote(String),
    /// It made so many things, of which the outputs have a list: what they are, how many it says, how many there are.
    Made(String, usize, usize),
}

/// Outputs whose names say that a file was written.
const WRITTEN: &[&str] = &[
    "file",
    "path",
    "filename",
    "file_name",
    "file_path",
    "filepath",
    "output_file",
    "output_path",
    "out_file",
    "saved_to",
    "saved_as",
    "written_to",
    "report_file",
    "report_path",
    "file_written",
    "file_created",
    "archivo",
    "ruta",
    "fichero",
];
/// The same for lists.
const ALL_WRITTEN: &[&str] = &[
    "files",
    "paths",
    "files_written",
    "files_created",
    "written_files",
    "created_files",
    "output_files",
    "archivos",
    "ficheros",
];
/// Words that say that something was made.
const MAKING: &[&str] = &[
    "wrote",
    "written",
    "created",
    "saved",
    "generated",
    "exported",
    "stored",
    "produced",
    "escribi",
    "escrito",
    "escrita",
    "creado",
    "creada",
    "cree",
    "guardado",
    "guardada",
    "guarde",
    "generado",
    "generada",
];
/// Words that make of a sentence something other than a report of what was done.
const DOUBT: &[&str] = &[
    "not",
    "never",
    "cannot",
    "could",
    "couldn't",
    "would",
    "will",
    "should",
    "shall",
    "may",
    "might",
    "if",
    "unless",
    "failed",
    "unable",
    "without",
    "todo",
    "no",
    "nor",
    "didn't",
    "wasn't",
    "weren't",
    "haven't",
    "hasn't",
    "can't",
    "before",
    "previously",
    "already",
    "by",
    "nunca",
    "si",
    "sin",
    "pudo",
    "podria",
    "deberia",
    "fallo",
];
/// Ends of names by which a file is recognised.
const ENDINGS: &[&str] = &[
    "txt", "md", "csv", "tsv", "json", "jsonl", "yaml", "yml", "toml", "xml", "html", "htm", "pdf", "docx",
    "xlsx", "pptx", "png", "jpg", "jpeg", "svg", "gif", "sql", "py", "rs", "js", "ts", "go", "java", "c",
    "h", "cpp", "sh", "log", "ini", "cfg", "zip", "gz", "tar", "parquet", "ipynb", "wav", "mp3", "mp4",
    "tex", "css", "db", "sqlite",
];
/// How many words may lie between what was done and the file.
const NEAR: usize = 12;
/// So many claims of one task are looked up.
const MOST: usize = 20;

/// What an agent says it did, each once, in the order of its outputs.
#[must_use]
pub fn of(outputs: &JsonMap) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for (name, value) in outputs {
        let found = named(name, value)
            .into_iter()
            .chain(value.as_str().into_iter().flat_map(|text| said(text, outputs)));
        for claim in found {
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
    }
    claims.truncate(MOST);
    claims
}

/// Files in an output that is named so.
fn named(name: &str, value: &Value) -> Vec<Claim> {
    let name = name.to_lowercase();
    let paths: Vec<&str> = match value {
        Value::String(path) if WRITTEN.contains(&name.as_str()) => vec![path],
        Value::Array(paths) if ALL_WRITTEN.contains(&name.as_str()) => {
            paths.iter().filter_map(Value::as_str).collect()
        }
        _ => Vec::new(),
    };
    let paths = paths.into_iter().map(str::trim).filter(|path| is_file(path));
    paths.map(|path| Claim::Wrote(path.to_owned())).collect()
}

/// What the sentences of a text say was made.
fn said(text: &str, outputs: &JsonMap) -> Vec<Claim> {
    let mut claims = Vec::new();
    for sentence in sentences(text) {
        let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
        let folded: Vec<String> = words.iter().map(|word| candor_text::fold(word).into_owned()).collect();
        if folded.iter().any(|word| DOUBT.contains(&word.as_str())) || sentence.ends_with('?') {
            continue;
        }
        let Some(done) = folded.iter().position(|word| MAKING.contains(&word.as_str())) else { continue };
        let after = words.get(done + 1..).unwrap_or_default();
        let files = after.iter().take(NEAR).filter(|word| is_file(word));
        claims.extend(files.map(|file| Claim::Wrote((*file).to_owned())));
        claims.extend(made(after, outputs));
    }
    claims
}

/// `5 tickets`, where the outputs have a list of that name.
fn made(words: &[&str], outputs: &JsonMap) -> Option<Claim> {
    let [number, what, ..] = words else { return None };
    let said: usize = number.parse().ok()?;
    let what = candor_text::fold(what).into_owned();
    let there = outputs.iter().find(|(name, _)| candor_text::fold(name) == what)?.1.as_array()?.len();
    Some(Claim::Made(what, said, there))
}

/// The sentences of a text. A point ends one only before a space, so that the name of a file stays whole.
fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let mut letters = line.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let before_space = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
            if matches!(letter, '.' | '!' | '?' | ';') && before_space {
                let end = at + letter.len_utf8();
                all.extend(line.get(start..end));
                start = end;
            }
        }
        all.extend(line.get(start..).filter(|rest| !rest.trim().is_empty()));
    }
    all
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    let marks = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '~' | '.' | '-'));
    word.trim_matches(marks).trim_end_matches(['.', '-']).trim_matches(marks)
}

/// Whether a word is the name of one file. A web address, an address and a pattern are not.
fn is_file(word: &str) -> bool {
    if word.contains("://")
        || word.starts_with("www.")
        || word.contains(['@', '*', '?', '\n', ' ', ',', '{', '<', '$'])
    {
        return false;
    }
    let last = word.rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.to_lowercase().as_str()))
}
