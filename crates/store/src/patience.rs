//! The wait for other processes while a log is opened.
//!
//! Many processes may open a new log at once: each makes or finds the tables, and the last one that closes the file takes
//! its write-ahead log away. SQLite says "busy" to some of these steps without the wait that it was asked for, and where
//! the disk is slow one step of another process takes seconds. So each step is tried again until the time for all is over.

use std::time::{Duration, Instant};

use crate::OpenOptions;
use crate::schema::{SetUpError, is_busy};

/// After how long the wait is told.
const TELL_AFTER: Duration = Duration::from_secs(2);

/// The pause before a step is tried again: it grows, so that many who wait leave the file to those who work on it.
const PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// How long SQLite itself waits within a step; longer, and nothing could be told meanwhile.
const WITHIN_STEP: Duration = Duration::from_millis(200);

/// How long one opening may still wait, and whom to tell if it is long.
pub(crate) struct Patience<'a> {
    since: Instant,
    limit: Duration,
    tell: Option<&'a mut dyn FnMut()>,
}

impl<'a> Patience<'a> {
    /// From now on, up to `limit`.
    pub(crate) fn new(limit: Duration, tell: &'a mut dyn FnMut()) -> Self {
        Self { since: Instant::now(), limit, tell: Some(tell) }
    }

    /// Tries a step until no other process is in its way or the time is over.
    pub(crate) fn retry<T>(
        &mut self,
        mut step: impl FnMut() -> Result<T, SetUpError>,
    ) -> Result<T, SetUpError> {
        let mut pause = PAUSE;
        loop {
            let waited = self.since.elapsed();
            match step() {
                Err(SetUpError::Sqlite(error)) if is_busy(&error) && waited < self.limit => {}
                other => return other,
            }
            if waited >= TELL_AFTER
                && let Some(tell) = self.tell.take()
            {
                tell();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl OpenOptions {
    /// The same for the connections of an opening, which wait a little and are then asked again.
    pub(crate) fn while_opening(self) -> Self {
        Self { busy_timeout: self.busy_timeout.min(WITHIN_STEP), ..self }
    }
}
