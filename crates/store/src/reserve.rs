//! Room in the write-ahead log, made ahead of what will be written there.
//!
//! It owns the length of that file beyond its last commit, and writes zeros only: SQLite stops reading at the first
//! frame that is not of its round, so they are read as what an earlier round leaves behind. An fsync of a file that
//! became longer also writes its new length: 140 µs against 95 µs on a quiet disk, and four to ten times as much on one
//! that others write to. So the file grows in large steps, each paid by one commit, instead of with every commit.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::files::beside;
use crate::pages::{FRAME_HEADER, OUR_PAGE, WAL_HEADER};

/// What one page takes in the write-ahead log.
const FRAME: usize = FRAME_HEADER + OUR_PAGE;

/// For how many pages there is room at least: more than most commits have.
const LEAST: usize = 32;

/// How many pages are added at once at most: 2 MB. Until then the room doubles, so that a short run writes few zeros.
const STEP: usize = 512;

/// The room of one log.
pub(crate) struct Reserve {
    /// None where the file cannot be written by us; SQLite then makes room as it goes.
    wal: Option<File>,
    /// The pages up to the last commit; told by the hook of the connection that writes.
    pages: Arc<AtomicI32>,
    /// For how many pages the file has room, as far as known.
    room: usize,
    /// What `pages` was when that was last looked at.
    seen: usize,
}

impl Reserve {
    /// The room of the log at `path`, which is open.
    pub(crate) fn new(path: &Path, pages: Arc<AtomicI32>) -> Self {
        let wal = OpenOptions::new().write(true).open(beside(path, "-wal")).ok();
        Self { wal, pages, room: 0, seen: 0 }
    }

    /// Whether the next commits may not find room. Before the first one nobody knows how far the file is used.
    pub(crate) fn is_short(&mut self) -> bool {
        let pages = self.pages();
        // The file may have been cut when the log began anew.
        let anew = pages < self.seen;
        self.seen = pages;
        pages > 0 && self.wal.is_some() && (anew || pages + LEAST / 2 > self.room)
    }

    /// Makes room. Only for whoever holds the right to write: nobody may be appending to the file meanwhile.
    pub(crate) fn grow(&mut self) -> io::Result<()> {
        let Some(wal) = &self.wal else { return Ok(()) };
        let pages = self.pages();
        let (length, wanted) = (wal.metadata()?.len(), pages + pages.clamp(LEAST, STEP));
        let end = (WAL_HEADER + wanted * FRAME) as u64;
        // An empty file has no header yet, and zeros are none.
        if length >= WAL_HEADER as u64 && length < end {
            let zeros = vec![0; usize::try_from(end - length).unwrap_or(0)];
            wal.write_all_at(&zeros, length)?;
        }
        self.room = wanted.max(usize::try_from(length).unwrap_or(0).saturating_sub(WAL_HEADER) / FRAME);
        Ok(())
    }

    fn pages(&self) -> usize {
        usize::try_from(self.pages.load(Ordering::Relaxed)).unwrap_or(0)
    }
}
