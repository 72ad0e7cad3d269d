//! The one thread that writes: it gathers what waits, commits it as a group, and answers everyone.

use std::sync::Arc;
use std::thread::JoinHandle;

use candor_ports::LogError;
use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use crate::error::{Shared, storage};
use crate::group::{self, Answer, Memory, Work};
use crate::queue::Queue;

/// Work, and where to say what became of it.
struct Command {
    work: Work,
    reply: Reply,
}

type Reply = oneshot::Sender<Answer>;

/// The handle to the thread that writes. Dropping it finishes what is queued and ends the thread.
pub(crate) struct Writer {
    queue: Arc<Queue<Command>>,
    wake: watch::Receiver<i64>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread on a connection that is ready, to a log whose last event is `last_seq`.
    pub(crate) fn start(connection: Connection, room: usize, last_seq: i64) -> Result<Self, LogError> {
        let queue = Arc::new(Queue::new(room));
        let (woken, wake) = watch::channel(last_seq);
        let service = Service { connection, queue: Arc::clone(&queue), woken, memory: Memory::default() };
        let thread = std::thread::Builder::new()
            .name("candor-log-writer".to_owned())
            .spawn(move || service.run())
            .map_err(|error| storage("start a thread for the log", error))?;
        Ok(Self { queue, wake, thread: Some(thread) })
    }

    /// Has work done, and returns when it is durable. Once queued it is done even if nobody waits any more.
    pub(crate) async fn write(&self, work: Work) -> Answer {
        let (reply, answer) = oneshot::channel();
        self.queue.push(Command { work, reply }).await.ok_or(LogError::Closed)?;
        answer.await.map_err(|_| LogError::Closed)?
    }

    /// Wakes up whenever something was committed, and knows the sequence number of the last event.
    pub(crate) fn wake(&self) -> watch::Receiver<i64> {
        self.wake.clone()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // Waiting here is what makes the last drop a clean close. A writer that panicked has
            // already told everyone `Closed`.
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct Service {
    connection: Connection,
    queue: Arc<Queue<Command>>,
    woken: watch::Sender<i64>,
    memory: Memory,
}

impl Service {
    fn run(mut self) {
        while let Some(group) = self.queue.next_group() {
            let (works, replies): (Vec<_>, Vec<_>) =
                group.into_iter().map(|one| (one.work, one.reply)).unzip();
            for (reply, answer) in replies.into_iter().zip(self.commit(&works)) {
                // Whoever asked may have been cancelled; what was done stands.
                let _ = reply.send(answer);
            }
        }
    }

    fn commit(&mut self, works: &[Work]) -> Vec<Answer> {
        match group::commit(&mut self.connection, &mut self.memory, works) {
            Ok(answers) => {
                self.woken.send_replace(self.memory.last_seq());
                answers
            }
            Err(error) => {
                // What the file holds now is for the file to say.
                self.memory.forget();
                let error = Shared::from(error);
                works.iter().map(|_| Err(storage("write to the log", error.clone()))).collect()
            }
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Only a panic leaves something in the queue; nobody must wait for an answer that cannot come.
        self.queue.abandon();
    }
}
