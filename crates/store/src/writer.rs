//! Who writes: a task beside those that append, where a commit is quick, and a thread where it is not.
//!
//! Between two threads an append costs two wake-ups, which take longer than a commit on a quick disk. So there a
//! task of the executor that appends run on commits, once they have all had their turn. On a slow disk that would
//! hold up everything else that its thread has to do; there the log's own thread commits.

use std::path::Path;
use std::sync::atomic::AtomicI32;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use candor_ports::LogError;
use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use crate::OpenOptions;
use crate::checkpoint::{self, Checkpointer, Tell};
use crate::error::{Shared, storage};
use crate::group::{self, Answer, Memory, Work};
use crate::queue::{Lead, Look, Queue};
use crate::reserve::Reserve;
use crate::schema::is_busy;
use crate::transaction::Transaction;

/// Up to how long a commit may take, on average, to be made by a task of an executor.
const QUICK: Duration = Duration::from_millis(1);

/// How long to wait before a file is tried again that another process is writing to.
const TRY_AGAIN: Duration = Duration::from_millis(1);

/// Work, and where to say what became of it.
struct Command {
    work: Work,
    reply: oneshot::Sender<Answer>,
}

/// What this process has written, and what it found while it did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// The last event of this process, or the last of all when the log was opened.
    pub(crate) last: i64,
    /// The last event of another process that one of our commits came after.
    pub(crate) theirs: i64,
}

/// The handle to what writes. Dropping it finishes what is queued.
pub(crate) struct Writer {
    desk: Arc<Desk>,
    written: watch::Receiver<Written>,
    checkpoints: SyncSender<Tell>,
    threads: Vec<JoinHandle<()>>,
}

/// What the thread and the helpers share.
struct Desk {
    queue: Queue<Command>,
    service: Mutex<Service>,
}

impl Writer {
    /// Starts on a connection that is ready, to the log at `path` whose last event is `last_seq`.
    pub(crate) fn start(
        path: &Path,
        mut connection: Connection,
        checkpointer: Checkpointer,
        options: &OpenOptions,
        last_seq: i64,
    ) -> Result<Self, LogError> {
        let (tell, written) = watch::channel(Written { last: last_seq, theirs: last_seq });
        let not_ready = |error| storage("prepare the log", error);
        // The wait for another process is the thread's, not SQLite's: nobody else may wait so long.
        connection.busy_timeout(Duration::ZERO).map_err(not_ready)?;
        let pages = Arc::new(AtomicI32::new(0));
        let (checkpoints, told) =
            checkpoint::tell_when_long(&mut connection, Arc::clone(&pages)).map_err(not_ready)?;
        let reserve = Reserve::new(path, pages);
        let service = Service { connection, tell, memory: Memory::default(), reserve, pace: None };
        let desk = Arc::new(Desk { queue: Queue::new(options.queue), service: Mutex::new(service) });
        let mut this = Self { desk: Arc::clone(&desk), written, checkpoints, threads: Vec::new() };
        let (on_thread, patience) = (Arc::clone(&desk), options.busy_timeout);
        this.threads.push(spawn("candor-log-writer", move || work_on_thread(&on_thread, patience))?);
        let work = move || checkpointer.work(&told, &desk.service);
        this.threads.push(spawn("candor-log-checkpoint", work)?);
        Ok(this)
    }

    /// Has work done, and returns when it is durable. Once queued it is done even if nobody waits any more.
    pub(crate) async fn write(&self, work: Work) -> Answer {
        let (reply, answer) = oneshot::channel();
        if self.desk.queue.push(Command { work, reply }).await.ok_or(LogError::Closed)? {
            call_helper(&self.desk);
        }
        answer.await.map_err(|_| LogError::Closed)?
    }

    /// What this process has written.
    pub(crate) fn written(&self) -> watch::Receiver<Written> {
        self.written.clone()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.desk.queue.close();
        // Its thread is gone if it panicked; then there is nobody to tell.
        let _ = self.checkpoints.send(Tell::Enough);
        for thread in self.threads.drain(..) {
            // Waiting here is what makes the last drop a clean close. A writer that panicked has
            // already told everyone `Closed`.
            let _ = thread.join();
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, LogError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|error| storage("start a thread for the log", error))
}

impl Desk {
    fn work(&self, lead: Lead<'_, Command>, group: Vec<Command>, patience: Duration) {
        let mut service = self.service.lock().unwrap_or_else(PoisonError::into_inner);
        service.work(lead, group, patience);
    }
}

fn work_on_thread(desk: &Desk, patience: Duration) {
    let _abandon = Abandon(&desk.queue);
    while let Some((lead, group)) = desk.queue.next_group() {
        desk.work(lead, group, patience);
    }
}

/// Only a panic leaves something in the queue; nobody must wait for an answer that cannot come.
struct Abandon<'a>(&'a Queue<Command>);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// A task that commits as long as there is something to commit. It keeps the file open no longer than others do.
struct Helper(Weak<Desk>);

fn call_helper(desk: &Arc<Desk>) {
    let helper = Helper(Arc::downgrade(desk));
    // Without tokio there is nobody to ask for a task; dropped, the helper leaves everything to the thread.
    if let Ok(executor) = Handle::try_current() {
        executor.spawn(helper.help());
    }
}

impl Helper {
    async fn help(mut self) {
        while self.look_once() {
            // Whoever has been answered, and whoever else is about to append, comes first.
            tokio::task::yield_now().await;
        }
    }

    /// Works on what waits, if it is time; says whether to look again.
    fn look_once(&mut self) -> bool {
        let Some(desk) = self.0.upgrade() else { return false };
        match desk.queue.look() {
            Look::Lead(lead, group) => desk.work(lead, group, Duration::ZERO),
            Look::Later => {}
            // It is no longer counted on.
            Look::Gone => self.0 = Weak::new(),
        }
        true
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // Its executor may have been shut down before it was done.
        if let Some(desk) = self.0.upgrade() {
            desk.queue.without_helper();
        }
    }
}

/// What is needed to write.
struct Service {
    connection: Connection,
    tell: watch::Sender<Written>,
    memory: Memory,
    reserve: Reserve,
    /// How long a commit takes, on average.
    pace: Option<Duration>,
}

impl Service {
    /// Works on a group. One that another process is in the way of goes back to the queue, unless there is time
    /// to wait for that.
    fn work(&mut self, lead: Lead<'_, Command>, group: Vec<Command>, patience: Duration) {
        let start = Instant::now();
        let answers = match self.commit(&group, start + patience) {
            Err(error) if is_busy(&error) && patience.is_zero() => return lead.give_back(group),
            Ok(answers) => answers,
            Err(error) => {
                let error = Shared::from(error);
                group.iter().map(|_| Err(storage("write to the log", error.clone()))).collect()
            }
        };
        lead.done(self.is_quick(start.elapsed()));
        for (command, answer) in group.into_iter().zip(answers) {
            // Whoever asked may have been cancelled; what was done stands.
            let _ = command.reply.send(answer);
        }
    }

    /// Commits, waiting for another process until `give_up`.
    fn commit(&mut self, commands: &[Command], give_up: Instant) -> rusqlite::Result<Vec<Answer>> {
        loop {
            match self.commit_group(commands) {
                Ok(answers) => {
                    let (found, last) = (self.memory.found_seq(), self.memory.last_seq());
                    self.tell.send_modify(|written| {
                        let theirs = if found > written.last { found } else { written.theirs };
                        *written = Written { last, theirs };
                    });
                    return Ok(answers);
                }
                Err(error) => {
                    // What the file holds now is for the file to say.
                    self.memory.forget();
                    if !is_busy(&error) || Instant::now() >= give_up {
                        return Err(error);
                    }
                    std::thread::sleep(TRY_AGAIN);
                }
            }
        }
    }

    fn commit_group(&mut self, commands: &[Command]) -> rusqlite::Result<Vec<Answer>> {
        if self.reserve.is_short() {
            let _held_off = Transaction::begin(&mut self.connection)?;
            // Without room SQLite makes the file longer itself, or says why it cannot.
            let _ = self.reserve.grow();
        }
        let works = commands.iter().map(|command| &command.work);
        group::commit(&mut self.connection, &mut self.memory, works)
    }

    /// Whether commits are quick, now that one more took so long.
    fn is_quick(&mut self, took: Duration) -> bool {
        // One that took very long, as when the write-ahead log goes back into the file, says little of the next.
        let took = took.min(QUICK * 2);
        let pace = self.pace.map_or(took, |pace| (pace * 7 + took) / 8);
        self.pace = Some(pace);
        pace < QUICK
    }
}
