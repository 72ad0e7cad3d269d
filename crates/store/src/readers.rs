//! The threads that read, so that no query ever holds up the async executor.
//!
//! Threads of our own rather than `spawn_blocking`: the log then works on any executor, and a thread keeps
//! its connection with its prepared statements.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use candor_ports::LogError;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::OpenOptions;
use crate::error::storage;
use crate::patience::Patience;
use crate::schema::{SetUpError, open_reader};

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// A handle to the threads that read; they end with the last handle.
#[derive(Clone)]
pub(crate) struct Readers(Arc<Inner>);

struct Inner {
    jobs: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts the threads. Each opens its connection right away, so that a failure is told on open.
    pub(crate) fn start(
        path: &Path,
        options: &OpenOptions,
        patience: &mut Patience<'_>,
    ) -> Result<Self, SetUpError> {
        let (jobs, queue) = mpsc::channel(options.queue.max(1));
        let queue = Arc::new(Mutex::new(queue));
        let threads: Result<Vec<_>, SetUpError> = (0..options.readers.max(1))
            .map(|_| {
                let connection = patience.retry(|| Ok(connect(path, options)?))?;
                start_thread(connection, Arc::clone(&queue)).map_err(SetUpError::Refused)
            })
            .collect();
        Ok(Self(Arc::new(Inner { jobs: Some(jobs), threads: threads? })))
    }

    /// Asks something on one of the threads.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Whoever asked may have gone; then nobody misses the answer.
            let _ = reply.send(question(connection));
        });
        let jobs = self.0.jobs.as_ref().ok_or(LogError::Closed)?;
        jobs.send(job).await.map_err(|_| LogError::Closed)?;
        answer.await.map_err(|_| LogError::Closed)?
    }
}

fn connect(path: &Path, options: &OpenOptions) -> rusqlite::Result<Connection> {
    let connection = open_reader(path, &options.while_opening())?;
    // The first query reads the schema; a file that cannot even do this must not be found out later.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    connection.busy_timeout(options.busy_timeout)?;
    Ok(connection)
}

fn start_thread(
    connection: Connection,
    queue: Arc<Mutex<mpsc::Receiver<Job>>>,
) -> Result<JoinHandle<()>, LogError> {
    std::thread::Builder::new()
        .name("candor-log-reader".to_owned())
        .spawn(move || {
            while let Some(job) = next_job(&queue) {
                job(&connection);
            }
        })
        .map_err(|error| storage("start a thread for the log", error))
}

/// Waits for a job with the queue locked: the other threads wait for the lock instead, which is the same.
fn next_job(queue: &Mutex<mpsc::Receiver<Job>>) -> Option<Job> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()
}

impl Drop for Inner {
    fn drop(&mut self) {
        drop(self.jobs.take());
        for thread in self.threads.drain(..) {
            // A reader that panicked has told its caller `Closed`; there is nothing more to say.
            let _ = thread.join();
        }
    }
}
