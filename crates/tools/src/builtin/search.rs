//! Searches files for a text.

use std::io::Read;

use candor_model::{ToolHints, ToolProblem, ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::folder::broken;
use super::walk::{Entry, Kind, Walk, on_a_line};
use super::{Place, glob, spec_of};

pub(super) const NAME: &str = "search_files";
/// How many lines are given.
const MAX_FOUND: usize = 500;
/// How much of a line is given.
const MAX_LINE: usize = 300;
/// Larger files are not searched, and that is told.
const MOST_SEARCHED: u64 = 16 * 1024 * 1024;

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The text to look for, as it stands there; no wildcards. Within one line.
    #[schemars(length(min = 1))]
    pattern: String,
    /// The folder or file to search, within the allowed folder; without it, all of that.
    #[serde(default)]
    path: Option<String>,
    /// Which files: `*.rs` anywhere, or `src/**/*.rs` for paths.
    #[serde(default)]
    files: Option<String>,
    /// Whether capitals and small letters are the same.
    #[serde(default)]
    ignore_case: bool,
}

pub(super) fn spec() -> ToolSpec {
    spec_of::<Args>(
        NAME,
        "Searches text files for a text and gives the lines that hold it, as `path:line: text`.",
        ToolHints::READS,
    )
}

pub(super) fn call(place: &Place, args: &Args, most: usize) -> Result<ToolResult, ToolProblem> {
    let mut search = Search::new(args, most);
    let from = place.folder.inside(args.path.as_deref().unwrap_or("."))?;
    let incomplete = if place.folder.folder(&from, false).is_err() {
        // Not a folder: then it is a file, or what is wrong with it is told.
        search.file(place, &Entry { path: from, kind: Kind::File })?;
        false
    } else {
        let mut walk = Walk::start(place, &from, true)?;
        while let Some(entry) = walk.next()? {
            let wanted = args.files.as_ref().is_none_or(|files| glob::fits(files, &entry.name()));
            // A file that may not be read, or has gone meanwhile, is no reason to end.
            if entry.kind == Kind::File && wanted && search.file(place, &entry).is_err() {
                place.patience.check()?;
                search.skipped += 1;
            }
        }
        walk.incomplete
    };
    Ok(search.result(incomplete))
}

struct Search {
    wanted: String,
    ignore_case: bool,
    room: usize,
    lines: Vec<String>,
    found: Vec<serde_json::Value>,
    more: usize,
    files: usize,
    skipped: usize,
}

impl Search {
    fn new(args: &Args, room: usize) -> Self {
        let wanted = if args.ignore_case { args.pattern.to_lowercase() } else { args.pattern.clone() };
        let (lines, found) = (Vec::new(), Vec::new());
        Self { wanted, ignore_case: args.ignore_case, room, lines, found, more: 0, files: 0, skipped: 0 }
    }

    fn file(&mut self, place: &Place, entry: &Entry) -> Result<(), ToolProblem> {
        let file = place.folder.file(&entry.path)?;
        let mut bytes = Vec::new();
        file.take(MOST_SEARCHED + 1).read_to_end(&mut bytes).map_err(broken(&entry.path))?;
        if bytes.len() as u64 > MOST_SEARCHED {
            self.skipped += 1;
            return Ok(());
        }
        // What is not text holds none.
        if bytes.iter().take(8192).any(|byte| *byte == 0) {
            return Ok(());
        }
        self.files += 1;
        let (text, path) = (String::from_utf8_lossy(&bytes), entry.name());
        for (number, line) in text.lines().enumerate() {
            if number % 4096 == 0 {
                place.patience.check()?;
            }
            let hit = if self.ignore_case {
                line.to_lowercase().contains(&self.wanted)
            } else {
                line.contains(&self.wanted)
            };
            if hit {
                self.add(&path, number + 1, line);
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &str, number: usize, line: &str) {
        let mut text: String = line.chars().take(MAX_LINE).collect();
        if text.len() < line.len() {
            text += "…";
        }
        let whole = format!("{}:{number}: {text}", on_a_line(path));
        if self.found.len() == MAX_FOUND || whole.len() > self.room {
            self.more += 1;
            return;
        }
        self.room -= whole.len();
        self.lines.push(whole);
        self.found.push(json!({"path": path, "line": number, "text": text}));
    }

    fn result(mut self, incomplete: bool) -> ToolResult {
        if self.lines.is_empty() && self.more == 0 {
            self.lines.push(format!("(not found in {} text files)", self.files));
        }
        if self.more > 0 {
            self.lines
                .push(format!("[... {} more lines left out: search for something rarer ...]", self.more));
        }
        if self.skipped > 0 {
            let limit = MOST_SEARCHED / 1024 / 1024;
            let skipped = self.skipped;
            self.lines
                .push(format!("[... {skipped} files not searched: unreadable, or over {limit} MiB ...]"));
        }
        if incomplete {
            self.lines.push("[... not everything could be looked at ...]".to_owned());
        }
        let data =
            json!({"matches": self.found, "files_searched": self.files, "files_skipped": self.skipped});
        let mut result = ToolResult::done(self.lines.join("\n"), Some(data));
        result.cut = self.more > 0 || self.skipped > 0 || incomplete;
        result
    }
}
