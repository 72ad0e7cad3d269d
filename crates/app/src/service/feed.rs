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

/// How many events may wait for a slow follower. One that falls behind further reads the log again.
const KEPT: usize = 1024;
/// How many events are read at once.
const BATCH: u32 = 512;
/// How often a tail without news looks whether anybody still follows.
const CHECK: Duration = Duration::from_secs(15);

/// From how many followers on events are gathered: to wake somebody costs more than what they are sent.
const CROWD: usize = 32;
/// How long they are gathered then. A follower is at most so late, and a crowd wakes 25 times a second and not for each event.
const GATHERED: Duration = Duration::from_millis(40);

type Sender = broadcast::Sender<Arc<LiveEvent>>;

/// An event on its way to those who follow, with the text that all of them are sent.
#[derive(Debug)]
pub struct LiveEvent {
    event: LoggedEvent,
    shown: OnceLock<String>,
}

impl LiveEvent {
    fn new(event: LoggedEvent) -> Arc<Self> {
        Arc::new(Self { event, shown: OnceLock::new() })
    }

    /// What followers are sent. The first of them makes it; `show` is the same function for all.
    pub fn shown(&self, show: fn(&LoggedEvent) -> String) -> &str {
        self.shown.get_or_init(|| show(&self.event))
    }
}

impl Deref for LiveEvent {
    type Target = LoggedEvent;

    fn deref(&self) -> &LoggedEvent {
        &self.event
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
    live: broadcast::Receiver<Arc<LiveEvent>>,
    /// The place of the last event that was given out: in the run, or among all.
    after: u64,
    /// Read from the log and not given out yet.
    read: std::vec::IntoIter<LoggedEvent>,
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
        Ok(Follower { log, run, live, after, read: Vec::new().into_iter(), behind: true })
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
        for event in events {
            let event = LiveEvent::new(event);
            // Nobody may follow this one; that is no error.
            if let Some(channel) = channels.runs.get(&event.run) {
                let _ = channel.send(Arc::clone(&event));
            }
            if let Some(channel) = &channels.all {
                let _ = channel.send(event);
            }
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
    pub async fn next(&mut self) -> Result<Arc<LiveEvent>, AppError> {
        loop {
            if let Some(event) = self.read.next() {
                self.after = self.place(&event);
                return Ok(LiveEvent::new(event));
            }
            if self.behind {
                let read = self.read_log().await?;
                self.behind = !read.is_empty();
                self.read = read.into_iter();
                continue;
            }
            match self.live.recv().await {
                Ok(event) => {
                    if let Some(event) = self.taken(event) {
                        return Ok(event);
                    }
                }
                Err(broadcast::error::RecvError::Lagged(_)) => self.behind = true,
                Err(broadcast::error::RecvError::Closed) => {
                    return Err(AppError::failed(both!("the server stops", "el servidor se detiene")));
                }
            }
        }
    }

    /// The next event if it is at hand; without one, [`Self::next`] may still find some.
    pub fn at_hand(&mut self) -> Option<Arc<LiveEvent>> {
        if let Some(event) = self.read.next() {
            self.after = self.place(&event);
            return Some(LiveEvent::new(event));
        }
        while !self.behind {
            match self.live.try_recv() {
                Ok(event) => {
                    if let Some(event) = self.taken(event) {
                        return Some(event);
                    }
                }
                Err(broadcast::error::TryRecvError::Lagged(_)) => self.behind = true,
                Err(_) => return None,
            }
        }
        None
    }

    /// What was handed on, if it is next. After a hole, where something was missed while the follower read the log, the log is
    /// read again.
    fn taken(&mut self, event: Arc<LiveEvent>) -> Option<Arc<LiveEvent>> {
        let place = self.place(&event);
        if place <= self.after {
            return None;
        }
        if self.run.is_some() && place > self.after + 1 {
            self.behind = true;
            return None;
        }
        self.after = place;
        Some(event)
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
