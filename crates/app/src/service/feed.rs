//! Live events: what is appended, by whatever process, handed on to everybody who follows a run or all of them.
//!
//! One task reads the log's tail for all followers, so that a thousand of them cost one query. It starts with the
//! first follower and ends with the last: an idle server looks at nothing. Events come from the log and from nowhere
//! else, so they have the order, the places and the redaction that they have there.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use candor_model::{Position, RunId};
use candor_ports::{Listener, LogError, LoggedEvent, Seq};
use candor_text::both;
use tokio::sync::{Mutex, Notify, broadcast};

use crate::data::Log;
use crate::error::AppError;

/// How many batches of events may wait for a slow follower. One that falls behind further reads the log again.
const KEPT: usize = 64;
/// How many events are read at once.
const BATCH: u32 = 512;
/// How often a tail without news looks whether anybody still follows.
const CHECK: Duration = Duration::from_secs(15);

/// From how many followers on events are gathered: to wake somebody costs more than what they are sent.
const CROWD: usize = 32;
/// How long they are gathered then. A follower is at most so late, and a crowd wakes 25 times a second and not for each event.
const GATHERED: Duration = Duration::from_millis(40);

type Sender = broadcast::Sender<Arc<Batch>>;

/// Events that followers are given together, in order; never empty.
#[derive(Debug)]
pub struct Batch {
    events: Vec<LoggedEvent>,
    shown: OnceLock<Arc<[u8]>>,
}

impl Batch {
    fn new(events: Vec<LoggedEvent>) -> Arc<Self> {
        Arc::new(Self { events, shown: OnceLock::new() })
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    /// What followers are sent. The first of them makes it for all that follow the same; `show` is the same function for them.
    pub fn shown(&self, show: impl FnOnce(&[LoggedEvent]) -> String) -> Arc<[u8]> {
        Arc::clone(self.shown.get_or_init(|| show(&self.events).into_bytes().into()))
    }
}

/// An event that somebody follows.
#[derive(Debug)]
pub struct LiveEvent {
    batch: Arc<Batch>,
    at: usize,
}

impl Deref for LiveEvent {
    type Target = LoggedEvent;

    #[expect(clippy::indexing_slicing, reason = "made only for a place that the batch has")]
    fn deref(&self) -> &LoggedEvent {
        &self.batch.events[self.at]
    }
}

/// Hands on what is appended. A clone is another handle to the same.
#[derive(Clone)]
pub(super) struct Feed(Arc<Inner>);

struct Inner {
    log: Log,
    news: Notify,
    channels: Mutex<Channels>,
}

#[derive(Default)]
struct Channels {
    running: bool,
    all: Option<Sender>,
    runs: BTreeMap<RunId, Sender>,
}

/// Somebody who follows a run or all of them: first what is on the log, then what comes.
pub struct Follower {
    log: Log,
    run: Option<RunId>,
    live: broadcast::Receiver<Arc<Batch>>,
    /// The place of the last event that was taken: in the run, or among all.
    after: u64,
    /// Taken and not given out one by one yet.
    rest: Option<LiveEvent>,
    /// Whether the log may have more than was read.
    behind: bool,
}

impl Feed {
    pub(super) fn new(log: Log) -> Self {
        Self(Arc::new(Inner { log, news: Notify::new(), channels: Mutex::default() }))
    }

    /// Something was appended in this process.
    pub(super) fn wake(&self) {
        self.0.news.notify_one();
    }

    /// Follows a run from a position on, or all runs from a place on.
    pub(super) async fn follow(&self, run: Option<RunId>, after: u64) -> Result<Follower, AppError> {
        let mut channels = self.0.channels.lock().await;
        let channel = match &run {
            Some(run) => channels.runs.entry(run.clone()).or_insert_with(channel),
            None => channels.all.get_or_insert_with(channel),
        };
        let live = channel.subscribe();
        if !channels.running {
            // Known before the follower reads the log: what is appended later is handed on, and nothing falls between.
            let end = self.0.log.end().await?;
            let listener = self.0.log.listen()?;
            channels.running = true;
            tokio::spawn(Arc::clone(&self.0).tail(end, listener));
        }
        let log = Arc::clone(&self.0.log);
        Ok(Follower { log, run, live, after, rest: None, behind: true })
    }
}

fn channel() -> Sender {
    broadcast::Sender::new(KEPT)
}

impl Inner {
    async fn tail(self: Arc<Self>, mut after: Seq, mut others: Box<dyn Listener>) {
        loop {
            match self.log.tail(after, BATCH).await {
                Ok(events) => {
                    after = events.last().map_or(after, |last| last.seq);
                    let (full, news) = (events.len() >= BATCH as usize, !events.is_empty());
                    let followers = self.hand_on(events).await;
                    if followers == 0 {
                        return;
                    }
                    if news && followers >= CROWD {
                        tokio::time::sleep(GATHERED).await;
                    }
                    if full {
                        continue;
                    }
                }
                // A log that cannot be read now is read again; whoever reads a run is told why.
                Err(_) => tokio::time::sleep(CHECK / 15).await,
            }
            tokio::select! {
                () = self.news.notified() => {}
                _ = others.changed() => {}
                () = tokio::time::sleep(CHECK) => {}
            }
        }
    }

    /// Hands events on; says how many follow. If nobody does any more, the tail is to end.
    async fn hand_on(&self, events: Vec<LoggedEvent>) -> usize {
        let mut channels = self.channels.lock().await;
        let mut of_runs: BTreeMap<&RunId, Vec<LoggedEvent>> = BTreeMap::new();
        for event in events.iter().filter(|event| channels.runs.contains_key(&event.run)) {
            of_runs.entry(&event.run).or_default().push(event.clone());
        }
        for (run, events) in of_runs {
            // Nobody may follow this one any more; that is no error.
            let _ = channels.runs.get(run).map(|channel| channel.send(Batch::new(events)));
        }
        if let Some(channel) = channels.all.as_ref().filter(|_| !events.is_empty()) {
            let _ = channel.send(Batch::new(events));
        }
        channels.runs.retain(|_, channel| channel.receiver_count() > 0);
        channels.all.take_if(|channel| channel.receiver_count() == 0);
        let followers = channels.runs.values().chain(&channels.all).map(Sender::receiver_count).sum();
        channels.running = followers > 0;
        followers
    }
}

impl Follower {
    /// The next event, each exactly once and in order. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<LiveEvent, AppError> {
        loop {
            if let Some(event) = self.at_hand() {
                return Ok(event);
            }
            let batch = self.together().await?;
            self.rest = Some(LiveEvent { batch, at: 0 });
        }
    }

    /// The next event if it is at hand; without one, [`Self::next`] may still find some.
    pub fn at_hand(&mut self) -> Option<LiveEvent> {
        while self.rest.is_none() && !self.behind {
            let batch = self.live.try_recv();
            self.behind = matches!(batch, Err(broadcast::error::TryRecvError::Lagged(_)));
            match batch {
                Ok(batch) => self.rest = self.new_of(batch).map(|batch| LiveEvent { batch, at: 0 }),
                Err(_) => return None,
            }
        }
        let event = self.rest.take()?;
        let at = event.at + 1;
        self.rest =
            (at < event.batch.events.len()).then(|| LiveEvent { batch: Arc::clone(&event.batch), at });
        Some(event)
    }

    /// The next events, those that were appended together as one batch that is the same for all who follow the same. What was
    /// taken so is not given out one by one. Dropping the future loses nothing.
    pub async fn together(&mut self) -> Result<Arc<Batch>, AppError> {
        loop {
            if self.behind {
                let read = self.read_log().await?;
                self.behind = !read.is_empty();
                if let Some(last) = read.last() {
                    self.after = self.place(last);
                    return Ok(Batch::new(read));
                }
            }
            match self.live.recv().await {
                Ok(batch) => {
                    if let Some(batch) = self.new_of(batch) {
                        return Ok(batch);
                    }
                }
                Err(broadcast::error::RecvError::Lagged(_)) => self.behind = true,
                Err(broadcast::error::RecvError::Closed) => {
                    return Err(AppError::failed(both!("the server stops", "el servidor se detiene")));
                }
            }
        }
    }

    /// What of a batch was not taken before. After a hole, where something was missed while the follower read the log, the log
    /// is read again.
    fn new_of(&mut self, batch: Arc<Batch>) -> Option<Arc<Batch>> {
        let known = batch.events.partition_point(|event| self.place(event) <= self.after);
        let (first, last) = (self.place(batch.events.get(known)?), self.place(batch.events.last()?));
        if self.run.is_some() && first > self.after + 1 {
            self.behind = true;
            return None;
        }
        self.after = last;
        let new = || Batch::new(batch.events.get(known..).unwrap_or_default().to_vec());
        Some(if known == 0 { batch } else { new() })
    }

    fn place(&self, event: &LoggedEvent) -> u64 {
        if self.run.is_some() { event.position.0 } else { event.seq.0 }
    }

    async fn read_log(&self) -> Result<Vec<LoggedEvent>, LogError> {
        match &self.run {
            Some(run) => self.log.events(run, Position(self.after), BATCH).await,
            None => self.log.tail(Seq(self.after), BATCH).await,
        }
    }
}
