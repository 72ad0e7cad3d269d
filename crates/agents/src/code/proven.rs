//! Code that did its task, kept for the next time: one readable file per key.

use std::path::{Path, PathBuf};

use candor_model::Money;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::write_whole;

/// How many entries are counted for figures.
const MOST_COUNTED: usize = 2_000;

/// Code that did its task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvenEntry {
    /// Python that worked.
    pub code: String,
    /// Task for which it was written.
    pub task: String,
    /// The shape of the data that it did it on.
    pub shape: Value,
    /// When, in seconds since 1970.
    pub proven_at: u64,
    /// What it cost to have it written.
    pub cost: Money,
    /// How often it was used since.
    pub uses: u64,
    /// Money that its reuse saved.
    pub saved: Money,
}

impl ProvenEntry {
    /// Code that has just been proven.
    #[must_use]
    pub fn new(code: &str, task: &str, shape: Value, proven_at: u64, cost: Money) -> Self {
        let (code, task) = (code.to_owned(), task.to_owned());
        Self { code, task, shape, proven_at, cost, uses: 0, saved: Money::ZERO }
    }

    /// It was used once more, instead of being written again.
    pub(super) fn used(&mut self) {
        self.uses = self.uses.saturating_add(1);
        self.saved = self.saved + self.cost;
    }
}

/// What was found under a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup {
    /// Code that was proven for this task.
    Hit(Box<ProvenEntry>),
    /// No code was proven for this task.
    Miss,
    /// Something that could not be read, and is gone now.
    Dropped {
        /// What made the code unusable.
        reason: String,
    },
}

/// What a cache has done in its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheFigures {
    /// How many programs it holds: each was missed once.
    pub entries: u64,
    /// How often one was used.
    pub uses: u64,
    /// Money that reuse saved in all.
    pub saved: Money,
}

impl CacheFigures {
    /// The share of nodes that found what they needed; nothing if there were none.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        let all = self.entries.saturating_add(self.uses);
        (all > 0).then(|| self.uses as f64 / all as f64)
    }
}

/// Wherever proven code is kept.
pub trait ProvenCode: Send + Sync {
    /// What there is under a key.
    fn find(&self, key: &str) -> Lookup;

    /// Keeps code, in place of what was there.
    ///
    /// # Errors
    /// Why it could not be kept.
    fn keep(&self, key: &str, entry: &ProvenEntry) -> Result<(), String>;

    /// Forgets code that did not do it any more.
    fn drop_entry(&self, key: &str, reason: &str);

    /// What it has done, if that is known.
    fn figures(&self) -> Option<CacheFigures> {
        None
    }
}

/// Proven code in a folder.
#[derive(Debug, Clone)]
pub struct ProvenFolder {
    folder: PathBuf,
}

impl ProvenFolder {
    /// This folder; it is made when something is kept.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Every program with its key, in the order of the keys; what cannot be read is left out.
    #[must_use]
    pub fn entries(&self) -> Vec<(String, ProvenEntry)> {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let mut entries: Vec<(String, ProvenEntry)> =
            files.flatten().take(MOST_COUNTED).filter_map(|file| named(&file.path())).collect();
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        entries
    }

    /// Keys come from digests; whatever else is asked for has no file.
    fn file(&self, key: &str) -> Option<PathBuf> {
        let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric());
        plain.then(|| self.folder.join(format!("{key}.json")))
    }
}

fn named(path: &Path) -> Option<(String, ProvenEntry)> {
    let key = path.file_name()?.to_str()?.strip_suffix(".json")?.to_owned();
    Some((key, read(path).ok()?))
}

fn read(path: &Path) -> Result<ProvenEntry, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    candor_model::from_json(&text).map_err(|error| error.to_string())
}

impl ProvenCode for ProvenFolder {
    fn find(&self, key: &str) -> Lookup {
        let Some(file) = self.file(key).filter(|file| file.exists()) else { return Lookup::Miss };
        match read(&file) {
            Ok(entry) => Lookup::Hit(Box::new(entry)),
            Err(problem) => {
                self.drop_entry(key, &problem);
                Lookup::Dropped { reason: format!("{} cannot be read: {problem}", file.display()) }
            }
        }
    }

    fn keep(&self, key: &str, entry: &ProvenEntry) -> Result<(), String> {
        let file = self.file(key).ok_or_else(|| format!("{key} is no key"))?;
        let text = serde_json::to_string_pretty(entry).map_err(|error| error.to_string())?;
        write_whole(&file, &text).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn drop_entry(&self, key: &str, _reason: &str) {
        if let Some(file) = self.file(key) {
            // What is gone already is gone; what cannot be removed is tried, and found wanting, again.
            let _ = std::fs::remove_file(file);
        }
    }

    fn figures(&self) -> Option<CacheFigures> {
        let entries = self.entries();
        Some(CacheFigures {
            entries: u64::try_from(entries.len()).unwrap_or(u64::MAX),
            uses: entries.iter().map(|(_, entry)| entry.uses).sum(),
            saved: entries.iter().map(|(_, entry)| entry.saved).sum(),
        })
    }
}
