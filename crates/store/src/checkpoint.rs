//! The write-ahead log going back into the file, beside the appends.
//!
//! Left to SQLite, the append that makes the log too long pays for all of it: thousands of pages are copied while
//! everyone waits. Here a thread copies them, while others go on to append. That never comes to an end by itself,
//! since what they append is in the same log, and only a log of which everything is in the file begins anew; so
//! writers are held off for the last few pages.

use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, MAIN_DB};

use crate::OpenOptions;
use crate::schema::open_beside_writer;

/// After how many pages the log goes back into the file. More than the usual 1,000: the pages of runs that are at
/// work are written again and again, and go back only once.
const PAGES: i32 = 4_000;

/// How many pages may be left for which writers are held off: a millisecond or two.
const FEW: i32 = 250;

/// How often it copies without holding off anybody. Each time there is less to copy.
const PASSES: usize = 4;

/// What the thread that makes checkpoints is told.
pub(crate) enum Tell {
    /// The log has become long.
    Long,
    /// The log is being closed, which makes the last checkpoint.
    Enough,
}

/// Tells of a log that has become long: by a hook of the connection that writes. Others may tell as well. How many pages
/// the log has is in `length` after each commit.
pub(crate) fn tell_when_long(
    connection: &mut Connection,
    length: Arc<AtomicI32>,
) -> rusqlite::Result<(SyncSender<Tell>, Receiver<Tell>)> {
    let (tell, told) = sync_channel(1);
    let (mut long, ours) = (Long::default(), tell.clone());
    connection.wal_hook(Some(move |_: &mut Wal, pages| {
        length.store(pages, Ordering::Relaxed);
        if long.is_reached(pages) {
            // Where there is no room it has been told already.
            let _ = ours.try_send(Tell::Long);
        }
        Ok(())
    }))?;
    Ok((tell, told))
}

/// When a log is long: once for every so many pages, not after every commit while a reader keeps it from ending.
#[derive(Debug, Default)]
struct Long {
    told_at: i32,
}

impl Long {
    fn is_reached(&mut self, pages: i32) -> bool {
        if pages < self.told_at {
            self.told_at = 0;
        }
        let reached = pages - self.told_at >= PAGES;
        if reached {
            self.told_at = pages;
        }
        reached
    }
}

/// Makes checkpoints, on a connection of its own.
pub(crate) struct Checkpointer(Connection);

impl Checkpointer {
    /// Opens a file that is in use as a log.
    pub(crate) fn open(path: &Path, options: &OpenOptions) -> rusqlite::Result<Self> {
        let connection = open_beside_writer(path, &options.while_opening())?;
        // Whoever is in the way is not waited for: while it waits, nobody here writes.
        connection.busy_timeout(Duration::ZERO)?;
        Ok(Self(connection))
    }

    /// Makes a checkpoint whenever the log is long, until it is enough. Nobody in this process writes without the
    /// lock.
    pub(crate) fn work<T>(&self, told: &Receiver<Tell>, to_write: &Mutex<T>) {
        while let Ok(Tell::Long) = told.recv() {
            // One that fails loses nothing: everything is in the log, and another is made when it is longer.
            let _ = self.checkpoint(to_write);
        }
    }

    fn checkpoint<T>(&self, to_write: &Mutex<T>) -> rusqlite::Result<()> {
        for _ in 0..PASSES {
            if self.copy(CheckpointMode::PASSIVE)? <= FEW {
                break;
            }
        }
        let _held_off = to_write.lock().unwrap_or_else(PoisonError::into_inner);
        // This holds off other processes too.
        self.copy(CheckpointMode::FULL).map(|_| ())
    }

    /// Copies what it can; returns how many pages are left.
    fn copy(&self, mode: CheckpointMode) -> rusqlite::Result<i32> {
        let (pages, copied) = self.0.wal_checkpoint_v2(Some(MAIN_DB), mode)?;
        Ok(pages - copied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_long_once_for_every_so_many_pages() {
        let mut long = Long::default();
        let reached: Vec<_> = [10, PAGES - 1, PAGES, PAGES + 9, 2 * PAGES - 1, 2 * PAGES, 2 * PAGES + 1]
            .into_iter()
            .filter(|pages| long.is_reached(*pages))
            .collect();
        assert_eq!(reached, [PAGES, 2 * PAGES]);
        assert!(!long.is_reached(3), "it began anew");
        assert!(long.is_reached(PAGES + 1));
    }
}
