//! The driver of one run: takes what comes, has the session decide, appends, and performs what is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_engine::Input;
use candor_model::redact::Redactor;
use candor_model::{AgentNote, Broadcast, Effect, Event, EventBody, Position, Recorded, RunStatus, TaskId};
use candor_ports::{Lease, Listener, LogError};
use candor_session::{Answer, Outcome, RequestId, RunSnapshot, Session, SessionInput, Ticket};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::runtime::Shared;
use crate::{Clock, DriveError};

/// How many messages may wait for one run's driver; whoever sends more waits.
const INBOX: usize = 256;

/// How many bytes most events have at most: growing a buffer costs more than writing into it.
const TYPICAL_TEXT: usize = 4096;

/// How often inputs are decided on again because someone else wrote in between.
const MAX_REDO: u32 = 256;

/// Whoever gave an input and waits for what becomes of it.
pub(crate) type Reply = oneshot::Sender<Result<Answer, DriveError>>;

/// What comes to a driver.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something for the session.
    Input {
        /// Command, outcome of an effect, or wish of an agent.
        input: Box<SessionInput>,
        /// Who waits for it.
        reply: Option<Reply>,
    },
    /// The driver is to stop and leave the run where it is.
    Leave,
}

/// The driver of one run.
pub(crate) struct Driver {
    pub(crate) shared: Arc<Shared>,
    pub(crate) session: Session,
    pub(crate) clock: Clock,
    inbox: mpsc::Receiver<Message>,
    /// For whoever performs effects.
    pub(crate) mail: mpsc::Sender<Message>,
    waiting: BTreeMap<Ticket, Reply>,
    /// What is being performed, and how to stop it.
    pub(crate) running: BTreeMap<RequestId, CancellationToken>,
    pub(crate) tasks: JoinSet<()>,
    /// Effects that were polled before the run was driven.
    deferred: Vec<Effect>,
    /// The messages of agents at work that are durable.
    pub(crate) bus: watch::Sender<Vec<Arc<Broadcast>>>,
    /// What people noted for attempts at work.
    pub(crate) by_people: watch::Sender<Vec<(TaskId, u32, Arc<AgentNote>)>>,
    snapshot: watch::Sender<RunSnapshot>,
    /// Other processes' writes, once the run is driven.
    news: Option<Box<dyn Listener>>,
    /// Up to where the observer was told.
    told: Position,
    leaving: bool,
    /// Held for as long as the run is driven.
    _lease: Option<Box<dyn Lease>>,
}

impl Driver {
    pub(crate) fn new(
        shared: Arc<Shared>,
        session: Session,
        clock: Clock,
        lease: Option<Box<dyn Lease>>,
    ) -> (Box<Self>, mpsc::Sender<Message>) {
        let (mail, inbox) = mpsc::channel(INBOX);
        let told = session.durable();
        // Busy until the driver has looked: whoever waits for news gets some in every case.
        let snapshot = watch::Sender::new(RunSnapshot { busy: true, ..session.snapshot() });
        let driver = Self {
            shared,
            session,
            clock,
            inbox,
            mail: mail.clone(),
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            tasks: JoinSet::new(),
            deferred: Vec::new(),
            bus: watch::Sender::new(Vec::new()),
            by_people: watch::Sender::new(Vec::new()),
            snapshot,
            news: None,
            told,
            leaving: false,
            _lease: lease,
        };
        (Box::new(driver), mail)
    }

    pub(crate) fn snapshot(&self) -> watch::Receiver<RunSnapshot> {
        self.snapshot.subscribe()
    }

    pub(crate) fn status(&self) -> RunStatus {
        self.session.state().status()
    }

    /// Gives the run an input before it is driven; it is durable on return, and no effect was performed but the
    /// reading of files. A refusal is the caller's error.
    pub(crate) async fn submit(&mut self, input: Option<Input>) -> Result<(), DriveError> {
        let Some(input) = input else { return self.commit().await };
        let ticket = self.session.handle(SessionInput::Command(input), self.clock.now())?;
        let (reply, mut answer) = oneshot::channel();
        self.waiting.insert(ticket, reply);
        loop {
            self.commit().await?;
            if let Ok(answer) = answer.try_recv() {
                return answer.map(|_| ());
            }
            let mut files = None;
            while let Some(effect) = self.session.poll_effect() {
                match effect {
                    Effect::ReadFiles { paths } => files = Some(self.read_files(&paths).await),
                    effect => self.deferred.push(effect),
                }
            }
            let Some(files) = files else {
                return Err(DriveError::Gone { run: self.session.state().run_id().clone() });
            };
            let outcome = SessionInput::Outcome(Outcome::Files(files));
            self.session.handle(outcome, self.clock.now())?;
        }
    }

    /// Performs what the run asks for now. Its snapshot shows what it was given from here on. `news` is given by whoever has
    /// listened since before the run's log was last read.
    pub(crate) fn begin(&mut self, news: Option<Box<dyn Listener>>) -> Result<(), DriveError> {
        self.news = Some(news.map_or_else(|| self.shared.log.listen(), Ok)?);
        for effect in std::mem::take(&mut self.deferred) {
            self.perform(effect);
        }
        self.perform_all();
        self.publish();
        Ok(())
    }

    /// Drives the run until it ends or is left; returns when nothing of it is running any more.
    pub(crate) async fn run(mut self: Box<Self>) -> Result<RunStatus, DriveError> {
        let outcome = self.drive().await;
        self.stop_everything().await;
        self.shared.circuits.flush().await;
        outcome
    }

    async fn drive(&mut self) -> Result<RunStatus, DriveError> {
        loop {
            self.publish();
            let status = self.status();
            if status.is_end() || self.leaving {
                return Ok(status);
            }
            self.turn().await?;
        }
    }

    /// Waits for the next thing to happen, and deals with it and whatever else has come meanwhile.
    async fn turn(&mut self) -> Result<(), DriveError> {
        if !self.session.has_own_inputs() {
            let due = self.session.next_timeout().map(|at| self.clock.until(at));
            tokio::select! {
                biased;
                Some(message) = self.inbox.recv() => self.receive(message),
                Ok(()) = heard(&mut self.news) => self.read_news().await?,
                () = tokio::time::sleep(due.unwrap_or_default()), if due.is_some() => {
                    // A tick that nothing follows from changes nothing.
                    let _ = self.session.handle(SessionInput::Command(Input::Tick), self.clock.now());
                }
            }
        }
        while !self.session.is_batch_full() && !self.leaving {
            let Ok(message) = self.inbox.try_recv() else { break };
            self.receive(message);
        }
        self.commit().await?;
        self.perform_all();
        Ok(())
    }

    fn receive(&mut self, message: Message) {
        let Message::Input { input, reply } = message else {
            self.leaving = true;
            return;
        };
        if let SessionInput::Outcome(outcome) = &*input {
            self.running.remove(&outcome.request());
        }
        match (self.session.handle(*input, self.clock.now()), reply) {
            (Ok(ticket), Some(reply)) => _ = self.waiting.insert(ticket, reply),
            (Err(refusal), Some(reply)) => _ = reply.send(Err(refusal.into())),
            (_, None) => {}
        }
    }

    /// Makes durable what was decided; if someone else wrote in between, it is decided on again.
    async fn commit(&mut self) -> Result<(), DriveError> {
        let run = self.session.state().run_id().clone();
        for _ in 0..MAX_REDO {
            let Some(append) = self.session.append(self.clock.now()) else {
                self.settle();
                return Ok(());
            };
            // The session keeps what agents at work need; the log and whoever looks get it without secrets.
            let (written, clean) =
                redacted(&self.shared.redactor, &append.events).map_err(|error| self.fail(error.into()))?;
            let kept = clean.as_deref().unwrap_or(&append.events);
            match self.shared.log.append_written(&run, append.from, kept, written).await {
                Ok(_) => {
                    let recorded = shown(self.session.committed(append), clean);
                    self.tell(&recorded);
                    self.settle();
                    return Ok(());
                }
                Err(LogError::Stale { .. }) => {
                    let events = self.shared.log.read(&run, self.session.conflict_from()).await?;
                    self.tell(&events);
                    self.session.conflict(&events, self.clock.now())?;
                }
                Err(error) => return Err(self.fail(error.into())),
            }
        }
        Err(self.fail(DriveError::Contended { run }))
    }

    /// Tells the observer what it has not heard yet.
    fn tell(&mut self, events: &[Recorded]) {
        let known = events.partition_point(|recorded| recorded.position <= self.told);
        let new = events.get(known..).unwrap_or_default();
        let (Some(last), observer) = (new.last(), &self.shared.observer) else { return };
        self.told = last.position;
        let asked = new.iter().filter_map(|recorded| match &recorded.event.body {
            EventBody::AgentNoted { task_id, attempt, note }
                if matches!(**note, AgentNote::ReplanAsked { .. }) =>
            {
                Some((task_id.clone(), *attempt, Arc::clone(note)))
            }
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        if !asked.is_empty() {
            self.by_people.send_modify(|noted| noted.extend(asked));
        }
        if let Some(observer) = observer {
            observer.on_events(self.session.state().run_id(), new);
        }
    }

    /// Gives out what is durable: messages to agents at work, and replies.
    fn settle(&mut self) {
        let messages = self.session.take_messages();
        if !messages.is_empty() {
            self.bus.send_modify(|bus| bus.extend(messages));
        }
        while let Some((ticket, reply)) = self.session.poll_reply() {
            if let Some(waiting) = self.waiting.remove(&ticket) {
                // Whoever asked may have gone; what was done stands.
                let _ = waiting.send(reply.map_err(DriveError::from));
            }
        }
    }

    /// Tells everyone who waits that nothing was written.
    fn fail(&mut self, error: DriveError) -> DriveError {
        for (_, reply) in std::mem::take(&mut self.waiting) {
            let _ = reply.send(Err(error.clone()));
        }
        error
    }

    /// Takes into account what another process wrote.
    async fn read_news(&mut self) -> Result<(), DriveError> {
        let state = self.session.state();
        let events = self.shared.log.read(state.run_id(), state.position()).await?;
        if !events.is_empty() {
            self.session.catch_up(&events)?;
            self.tell(&events);
        }
        Ok(())
    }

    /// Stops what nobody waits for, and begins what is new.
    fn perform_all(&mut self) {
        while self.tasks.try_join_next().is_some() {}
        while let Some(request) = self.session.poll_cancelled() {
            if let Some(stop) = self.running.get(&request) {
                stop.cancel();
            }
        }
        while let Some(effect) = self.session.poll_effect() {
            self.perform(effect);
        }
    }

    /// Kills what runs, and waits until it is gone.
    async fn stop_everything(&mut self) {
        self.running.values().for_each(CancellationToken::cancel);
        loop {
            tokio::select! {
                ended = self.tasks.join_next() => if ended.is_none() { return },
                // Whoever waits for an answer hears that there is none when the message is dropped.
                _ = self.inbox.recv() => {}
            }
        }
    }

    fn publish(&self) {
        let mut now = self.session.snapshot();
        for question in now.questions.iter_mut().map(|(_, question)| question) {
            if let Some(clean) = self.shared.redactor.record(question) {
                *question = clean;
            }
        }
        self.snapshot.send_if_modified(|before| {
            let changed = *before != now;
            *before = now;
            changed
        });
    }
}

/// The JSON of events without secrets, and the events without them; those only if they have any.
pub(crate) fn redacted(
    redactor: &Redactor,
    events: &[Event],
) -> Result<(Vec<String>, Option<Vec<Event>>), LogError> {
    let mut clean: Option<Vec<Event>> = None;
    let (mut written, mut buffer) = (Vec::with_capacity(events.len()), Vec::with_capacity(TYPICAL_TEXT));
    for (at, event) in events.iter().enumerate() {
        let (text, without) = redactor
            .written(event, &mut buffer)
            .map_err(|error| LogError::Storage { doing: "write an event as JSON", source: error.into() })?;
        written.push(text);
        let Some(without) = without else { continue };
        if let Some(slot) = clean.get_or_insert_with(|| events.to_vec()).get_mut(at) {
            *slot = without;
        }
    }
    Ok((written, clean))
}

/// What was recorded, as it stands in the log.
fn shown(recorded: Vec<Recorded>, clean: Option<Vec<Event>>) -> Vec<Recorded> {
    let Some(clean) = clean else { return recorded };
    recorded.into_iter().zip(clean).map(|(recorded, event)| Recorded { event, ..recorded }).collect()
}

/// Returns when another process has written; never if nobody listens.
async fn heard(news: &mut Option<Box<dyn Listener>>) -> Result<(), LogError> {
    match news {
        Some(news) => news.changed().await,
        None => std::future::pending().await,
    }
}
