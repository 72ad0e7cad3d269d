//! The files of a folder that were changed since a moment, and the secrets in them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use candor_model::{Timestamp, secret};

use super::{as_text, modified};

/// Folders that tools fill, and that nobody edits.
const SKIPPED: &[&str] = &["target", "node_modules", "__pycache__", "venv"];
/// So many entries are looked at.
const MOST_ENTRIES: usize = 50_000;
/// How much of a file is looked at, in bytes.
const MOST_READ: u64 = 4 * 1024 * 1024;
/// So many secrets are told.
const TOLD: usize = 5;
/// How much earlier than the clock a file system may say that a file was changed, in milliseconds.
const COARSE: i64 = 10;

/// Whether no file below the folder that was changed since then holds a secret, and what was found. Values are not told.
pub(super) fn secrets(folder: &Path, since: Timestamp) -> (bool, String) {
    let (mut looked_at, mut found) = (0_usize, Vec::new());
    for file in changed(folder, since) {
        let Ok(bytes) = beginning(&file) else { continue };
        let Ok(text) = as_text(bytes, 0) else { continue };
        looked_at += 1;
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        found.extend(secret::find(&text).map(|secret| {
            let line = text.get(..secret.range.start).unwrap_or_default().matches('\n').count() + 1;
            format!("{name}:{line}: {}", secret.kind)
        }));
    }
    if found.is_empty() {
        return (true, format!("{looked_at} changed files, no secret"));
    }
    let more = found.len().saturating_sub(TOLD);
    found.truncate(TOLD);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    (false, format!("secrets in changed files: {}{rest}", found.join("; ")))
}

fn beginning(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MOST_READ).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn changed(folder: &Path, since: Timestamp) -> Vec<PathBuf> {
    let since = Timestamp::from_millis(since.as_millis().saturating_sub(COARSE));
    let (mut folders, mut files, mut seen) = (vec![folder.to_owned()], Vec::new(), 0_usize);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                return files;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            // What an entry itself is: no link is followed.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                folders.push(entry.path());
            } else if metadata.is_file() && modified(&metadata).is_some_and(|at| at >= since) {
                files.push(entry.path());
            }
        }
    }
    files.sort_unstable();
    files
}
