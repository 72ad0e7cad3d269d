//! Goes through a folder and everything below, without following links.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use candor_model::ToolProblem;
use rustix::fs::{AtFlags, Dir, FileType};

use super::Place;
use super::folder::told;

/// How many entries are looked at; more are left out, and that is told.
const MAX_LOOKED: usize = 100_000;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Other,
}

/// An entry of a folder.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

impl Entry {
    /// Its path in words that are UTF-8.
    pub(super) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// A walk: entries in order, folders before what is in them.
pub(super) struct Walk<'a> {
    place: &'a Place,
    open: Vec<Entry>,
    deep: bool,
    looked: usize,
    /// Whether there was more than is looked at, or something could not be.
    pub(super) incomplete: bool,
}

impl<'a> Walk<'a> {
    /// Starts with what is in the folder `from`; goes on below it when `deep`.
    pub(super) fn start(place: &'a Place, from: &Path, deep: bool) -> Result<Self, ToolProblem> {
        let mut walk = Self { place, open: Vec::new(), deep, looked: 0, incomplete: false };
        walk.enter(from, false)?;
        Ok(walk)
    }

    /// Next file or folder; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, ToolProblem> {
        self.place.patience.check()?;
        let Some(entry) = self.open.pop() else { return Ok(None) };
        // A folder that may not be read, or has gone meanwhile, is no reason to end.
        if self.deep && entry.kind == Kind::Folder && self.enter(&entry.path, true).is_err() {
            self.incomplete = true;
        }
        Ok(Some(entry))
    }

    fn enter(&mut self, path: &Path, strict: bool) -> Result<(), ToolProblem> {
        let folder = self.place.folder.folder(path, strict)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&folder).map_err(|error| told(path, error))? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.looked += 1;
            if self.looked > MAX_LOOKED {
                self.incomplete = true;
                break;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                known => known,
            };
            let below = Path::new(OsStr::from_bytes(name.to_bytes()));
            let whole = if path == Path::new(".") { below.to_owned() } else { path.join(below) };
            entries.push(Entry { path: whole, kind: kind.into() });
        }
        // What is taken next lies at the end.
        entries.sort_by(|a, b| b.path.cmp(&a.path));
        self.open.append(&mut entries);
        Ok(())
    }
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// A name on a line of its own, also one with line breaks in it.
pub(super) fn on_a_line(name: &str) -> String {
    if name.chars().any(char::is_control) { format!("{name:?}") } else { name.to_owned() }
}
