//! News of what other processes write to the same file.
//!
//! SQLite tells no process of another's commits, so one thread looks for them, for as long as somebody listens. It asks
//! for `data_version` on a connection of its own, which takes some microseconds and reads no page while nothing changes.
//! inotify is no choice: it reports a write to the write-ahead log before the commit that it belongs to can be seen.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use candor_ports::{BoxFuture, Listener, LogError};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::OpenOptions;
use crate::error::{at_path, storage};
use crate::query::last_seq;
use crate::schema::open_reader;
use crate::writer::Written;

/// How often the file is looked at while somebody listens.
const LOOK: Duration = Duration::from_millis(50);

/// Starts the thread that looks when somebody listens, and ends it with the log.
pub(crate) struct Lookout {
    path: PathBuf,
    options: OpenOptions,
    thread: Mutex<Option<Thread>>,
    shared: Arc<Shared>,
}

struct Thread {
    /// Dropped to end the thread.
    stop: mpsc::Sender<()>,
    handle: JoinHandle<()>,
}

struct Shared {
    /// What this process has written.
    ours: watch::Receiver<Written>,
    /// The last event of others that was found.
    theirs: watch::Sender<i64>,
    /// Whether a thread looks. Locked while that is decided on, and while somebody begins to listen.
    looking: Mutex<bool>,
}

impl Lookout {
    pub(crate) fn new(path: &Path, options: OpenOptions, ours: watch::Receiver<Written>) -> Self {
        let theirs = watch::Sender::new(ours.borrow().last);
        let shared = Arc::new(Shared { ours, theirs, looking: Mutex::new(false) });
        Self { path: path.to_owned(), options, thread: Mutex::new(None), shared }
    }

    /// Begins to listen; the first who does starts the thread.
    pub(crate) fn listen(&self) -> Result<Box<dyn Listener>, LogError> {
        let mut looking = lock(&self.shared.looking);
        let mut news = self.shared.theirs.subscribe();
        news.mark_changed();
        if !*looking {
            let mut thread = lock(&self.thread);
            // One that ended because nobody listened has its connection closed before there is another.
            thread.take().into_iter().for_each(Thread::end);
            *thread = Some(self.start()?);
            *looking = true;
        }
        Ok(Box::new(Heard(news)))
    }

    fn start(&self) -> Result<Thread, LogError> {
        let connection = open_reader(&self.path, &self.options)
            .map_err(|error| at_path("look for other processes' events", &self.path, error))?;
        let (stop, stopped) = mpsc::channel();
        let shared = Arc::clone(&self.shared);
        let handle = std::thread::Builder::new()
            .name("candor-log-lookout".to_owned())
            .spawn(move || shared.look_out(&connection, &stopped))
            .map_err(|error| storage("start a thread for the log", error))?;
        Ok(Thread { stop, handle })
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        let thread = lock(&self.thread).take();
        thread.into_iter().for_each(Thread::end);
    }
}

impl Thread {
    /// Returns when the thread's connection is closed.
    fn end(self) {
        drop(self.stop);
        // It has nothing to say if it panicked.
        let _ = self.handle.join();
    }
}

impl Shared {
    fn look_out(&self, connection: &Connection, stopped: &mpsc::Receiver<()>) {
        let mut version = None;
        while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) && self.is_wanted() {
            // A file that cannot be asked now is asked again; its users find out by themselves.
            if let Ok(found) = data_version(connection)
                && version != Some(found)
                && self.look(connection).is_ok()
            {
                version = Some(found);
            }
        }
    }

    /// Whether somebody listens; if not, the thread is about to end.
    fn is_wanted(&self) -> bool {
        let mut looking = lock(&self.looking);
        *looking = self.theirs.receiver_count() > 0;
        *looking
    }

    fn look(&self, connection: &Connection) -> rusqlite::Result<()> {
        let in_file = last_seq(connection)?;
        let ours = *self.ours.borrow();
        let theirs = if in_file > ours.last { in_file } else { ours.theirs };
        self.theirs.send_if_modified(|known| {
            let is_news = theirs > *known;
            *known = theirs.max(*known);
            is_news
        });
        Ok(())
    }
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Heard(watch::Receiver<i64>);

impl Listener for Heard {
    fn changed(&mut self) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async { self.0.changed().await.map_err(|_| LogError::Closed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_looks_unless_somebody_listens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        drop(crate::SqliteLog::open(&path, OpenOptions::default()).unwrap());
        let (_tell, ours) = watch::channel(Written { last: 0, theirs: 0 });
        let lookout = Lookout::new(&path, OpenOptions::default(), ours);
        let is_looking = || *lock(&lookout.shared.looking);
        assert!(!is_looking());
        let listeners = [lookout.listen().unwrap(), lookout.listen().unwrap()];
        assert!(is_looking());
        drop(listeners);
        let gone = (0..250).any(|_| {
            std::thread::sleep(LOOK);
            !is_looking()
        });
        assert!(gone, "nobody listens any more");
    }
}
