//! Which files a request names, and which of them may be read.

use std::path::{Component, Path};

use super::words::Words;

/// Endings of files, so that `e.g.`, `3.11` and `example.com` are none.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "rs", "py", "js", "ts", "jsx", "tsx", "mjs", "java", "kt", "swift", "go", "rb", "php", "c", "h", "cc", "cpp", "hpp",
    "cs", "scala", "hs", "ex", "exs", "pl", "sh", "bash", "zsh", "ps1", "sql", "html", "htm", "css", "scss", "vue",
    "svelte", "json", "jsonl", "yaml", "yml", "toml", "xml", "csv", "tsv", "ini", "cfg", "conf", "env", "lock", "md",
    "mdx", "rst", "txt", "tex", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "ipynb", "proto", "graphql", "log",
    "png", "jpg", "jpeg", "gif", "svg", "webp", "mp3", "mp4", "wav", "zip", "gz", "tar", "parquet", "db", "sqlite",
    "gradle", "tf", "lua", "r", "jl", "dart", "wasm", "bat", "diff", "patch",
];

/// Files without an ending that everybody knows.
const WHOLE_NAMES: &[&str] =
    &["Makefile", "Dockerfile", "LICENSE", "CHANGELOG", "README", "Justfile", "Gemfile"];

/// Names that look like files and are technologies.
const NO_FILES: &[&str] =
    &["node.js", "vue.js", "next.js", "nuxt.js", "react.js", "three.js", "express.js", "d3.js", "asp.net"];

/// How many files are read for a request at most.
pub const MOST_FILES: usize = 20;

/// The files that a text names, each once, in its order.
pub(super) fn named(words: &Words<'_>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for word in words.all() {
        let name = word.text.trim_start_matches("./");
        if is_file(word.text) && !files.iter().any(|known| known == name) {
            files.push(name.to_owned());
        }
    }
    files
}

/// How many files a text speaks of: those it names, or as many as it says.
pub(super) fn counted(words: &Words<'_>, named: usize) -> u32 {
    let said = (0..words.len()).filter(|at| matches!(words.key(*at), "files" | "archivos" | "ficheros"));
    let most = said.filter_map(|at| words.before(at).parse::<u32>().ok()).max().unwrap_or(0);
    most.max(u32::try_from(named).unwrap_or(u32::MAX)).min(10_000)
}

fn is_file(text: &str) -> bool {
    // Most words are no names of files, which is quickly seen.
    if !text.contains(['.', '/']) && !WHOLE_NAMES.contains(&text) {
        return false;
    }
    if text.contains("://") || text.contains('@') || NO_FILES.contains(&text.to_lowercase().as_str()) {
        return false;
    }
    let name = text.rsplit('/').next().unwrap_or(text);
    if text.starts_with("./") || WHOLE_NAMES.contains(&name) {
        return name.chars().any(char::is_alphanumeric);
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let plain = stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '+'));
    let hidden = stem.is_empty() && name.starts_with('.');
    plain && (hidden || !stem.is_empty()) && ENDINGS.contains(&ending.to_lowercase().as_str())
}

/// Those of the files that lie in the working folder, at most [`MOST_FILES`]: nothing absolute, nothing above it.
#[must_use]
pub fn readable(files: &[String]) -> Vec<String> {
    files.iter().filter(|file| is_inside(file)).take(MOST_FILES).cloned().collect()
}

fn is_inside(file: &str) -> bool {
    let foreign = file.starts_with(['/', '\\', '~']) || file.contains([':', '\\', '\0']);
    let inside =
        Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    !foreign && inside
}
