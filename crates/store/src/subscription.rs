//! Following the log: a cursor in the file and a wake-up, so that nothing is lost and nothing piles up.

use candor_ports::{Appended, BoxFuture, LogError, Subscription};
use tokio::sync::watch;

use crate::query::follow;
use crate::readers::Readers;

/// Follows the log from a sequence number on.
///
/// What this process appends wakes it at once. What other processes append to the same file is found at
/// the next wake-up, in its right place: SQLite does not tell one process of another's writes.
pub(crate) struct Follower {
    readers: Readers,
    cursor: i64,
    wake: watch::Receiver<i64>,
    problem: Option<LogError>,
}

impl Follower {
    /// Follows what comes after the last event that this process knows of.
    ///
    /// What other processes appended since this one last wrote comes along: rather too early than never.
    pub(crate) fn new(readers: Readers, wake: watch::Receiver<i64>) -> Self {
        let cursor = *wake.borrow();
        Self { readers, cursor, wake, problem: None }
    }

    /// Looks until there is something; a record that cannot be read is told once, after what precedes it.
    async fn advance(&mut self) -> Result<Vec<Appended>, LogError> {
        loop {
            if let Some(problem) = self.problem.take() {
                return Err(problem);
            }
            // Marked as seen before looking: an append in between wakes the wait below.
            self.wake.mark_unchanged();
            let cursor = self.cursor;
            let followed = self.readers.ask(move |connection| follow(connection, cursor)).await?;
            self.cursor = followed.cursor;
            self.problem = followed.problem;
            if !followed.events.is_empty() {
                return Ok(followed.events);
            }
            if self.problem.is_none() {
                self.wake.changed().await.map_err(|_| LogError::Closed)?;
            }
        }
    }
}

impl Subscription for Follower {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Appended>, LogError>> {
        Box::pin(self.advance())
    }
}
