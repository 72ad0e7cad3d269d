//! The driver of one run: takes what comes, has the engine decide, appends, and performs what is asked for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use candor_engine::{Input, Refusal, RunState, decide};
use candor_model::{
    AskKey, Asking, Consulted, Effect, ExecutionFeedback, RunStatus, Seconds, TaskId, Telling,
};
use candor_ports::{AgentFailure, LogError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::attempt::{self, AttemptKey, Ended};
use super::batch::{Batch, Reply};
use super::book::Book;
use super::consult::Question;
use super::embed::Embedding;
use super::line::{Bus, Line};
use super::look::{Looking, Wanted};
use super::talk::{Speaker, Taken};
use super::{DriveError, INBOX, RunSnapshot, Shared};
use crate::Lease;

/// How many inputs share one append at most.
const MAX_BATCH: usize = 64;

/// How often inputs are decided on again because someone else wrote in between.
const MAX_REDO: u32 = 256;

/// An agent kills itself at its deadline and says what it last said; the engine's own clock comes in only
/// when that did not happen.
const GRACE: Duration = Duration::from_millis(40);

/// What comes to a driver.
#[derive(Debug)]
pub(super) enum Message {
    /// Someone gives an input.
    Give {
        /// The input.
        input: Box<Input>,
        /// Who waits for it.
        reply: Reply,
    },
    /// An attempt came to its end.
    Ended(Box<Ended>),
    /// A step of a question to a model was made.
    Consulted {
        /// What was asked.
        key: AskKey,
        /// Which step it was.
        number: u32,
        /// What came of it.
        step: Box<Consulted>,
    },
    /// Texts were embedded, or could not be.
    Embedded(Result<(), String>),
    /// Something was looked up in the world.
    Looked {
        /// What was wanted.
        wanted: Wanted,
        /// What came of it.
        input: Box<Input>,
    },
    /// An agent at work tells everyone something.
    Tell {
        /// Who.
        from: Speaker,
        /// What.
        telling: Box<Telling>,
        /// Who waits for it.
        reply: Reply,
    },
    /// An agent at work asks another.
    Ask {
        /// Who.
        from: Speaker,
        /// What.
        asking: Box<Asking>,
        /// Who waits for it to be taken.
        reply: oneshot::Sender<Taken>,
    },
    /// A change of the world was undone, or could not be.
    Undone(Box<Input>),
    /// Stop driving.
    Leave,
}

/// The driver of one run.
pub(super) struct Actor {
    pub(super) shared: Arc<Shared>,
    pub(super) book: Book,
    inbox: mpsc::Receiver<Message>,
    /// For attempts and calls to tell their end.
    pub(super) mail: mpsc::Sender<Message>,
    /// What the driver answers by itself.
    own: VecDeque<Input>,
    attempts: BTreeMap<AttemptKey, CancellationToken>,
    /// What phases have asked models.
    pub(super) questions: BTreeMap<AskKey, Question>,
    /// The calls of models that are under way.
    pub(super) calls: BTreeMap<AskKey, CancellationToken>,
    pub(super) embedding: Embedding,
    pub(super) looking: Looking,
    /// What is being undone, and how to stop it.
    pub(super) undoing: Option<(String, CancellationToken)>,
    /// What those at work have told each other.
    pub(super) bus: Bus,
    /// How many of the run's messages are on the bus, or were of another phase.
    pub(super) spread: usize,
    snapshot: watch::Sender<RunSnapshot>,
    news: watch::Receiver<u64>,
    /// What the log said when it was last found to have been written to by someone else, for as long as we
    /// try to get a word in.
    settled: Option<Book>,
    leaving: bool,
    /// Held for as long as the run is driven.
    _lease: Option<Lease>,
}

impl Actor {
    pub(super) fn new(
        shared: Arc<Shared>,
        book: Book,
        lease: Option<Lease>,
    ) -> (Self, mpsc::Sender<Message>) {
        let (mail, inbox) = mpsc::channel(INBOX);
        let news = shared.news.subscribe();
        // Busy until the driver has looked: whoever waits for news gets some in every case.
        let snapshot = watch::Sender::new(snapshot(&book.state, true));
        let own = VecDeque::new();
        let attempts = BTreeMap::new();
        let actor = Self {
            shared,
            book,
            inbox,
            mail: mail.clone(),
            own,
            attempts,
            questions: BTreeMap::new(),
            calls: BTreeMap::new(),
            embedding: Embedding::default(),
            looking: Looking::default(),
            undoing: None,
            bus: Bus::default(),
            spread: 0,
            snapshot,
            news,
            settled: None,
            leaving: false,
            _lease: lease,
        };
        (actor, mail)
    }

    pub(super) fn snapshot(&self) -> watch::Receiver<RunSnapshot> {
        self.snapshot.subscribe()
    }

    pub(super) fn status(&self) -> RunStatus {
        self.book.state.status()
    }

    /// Takes inputs before the run is driven; all are durable when it returns, and nothing is performed yet.
    /// The first that is refused is the caller's error.
    pub(super) async fn submit(&mut self, inputs: Vec<Input>) -> Result<(), DriveError> {
        let mut batch = Batch::after(self.book.state.position());
        let mut answers = Vec::with_capacity(inputs.len());
        for input in inputs {
            let (reply, answer) = oneshot::channel();
            self.look_before(&input, &mut batch).await;
            self.take(input, Some(reply), &mut batch);
            answers.push(answer);
        }
        self.note_breakers(&mut batch);
        self.commit(batch).await?;
        let run = self.book.state.run_id();
        let gone = |_| Err(DriveError::Gone { run: run.clone() });
        answers.into_iter().try_for_each(|mut answer| answer.try_recv().unwrap_or_else(gone))
    }

    /// Performs what the run asks for now. Whoever looks at its snapshot from here on sees what it was given.
    pub(super) fn begin(&mut self) {
        self.spread();
        self.perform();
        self.publish();
    }

    /// Drives the run until it ends or is left; returns when nothing of it is running any more.
    pub(super) async fn run(mut self) -> Result<RunStatus, DriveError> {
        let outcome = self.drive().await;
        self.stop_everything().await;
        self.shared.breakers.settled().await;
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
        let mut batch = Batch::after(self.book.state.position());
        if let Some(input) = self.own.pop_front() {
            self.take(input, None, &mut batch);
        } else {
            let due = self.book.state.next_timeout().map(|at| self.book.clock.until(at) + GRACE);
            tokio::select! {
                biased;
                Some(message) = self.inbox.recv() => {
                    if let Message::Give { input, .. } = &message {
                        self.look_before(input, &mut batch).await;
                    }
                    self.receive(message, &mut batch);
                }
                Ok(()) = self.news.changed() => return self.read_news().await,
                () = tokio::time::sleep(due.unwrap_or_default()), if due.is_some() => {
                    self.take(Input::Tick, None, &mut batch);
                }
            }
        }
        while batch.taken.len() < MAX_BATCH && !self.leaving {
            let Ok(message) = self.inbox.try_recv() else { break };
            self.receive(message, &mut batch);
        }
        self.note_breakers(&mut batch);
        self.commit(batch).await?;
        self.perform();
        Ok(())
    }

    fn receive(&mut self, message: Message, batch: &mut Batch) {
        match message {
            Message::Give { input, reply } => self.take(*input, Some(reply), batch),
            Message::Consulted { key, number, step } => self.heard(key, number, step, batch),
            Message::Embedded(result) => self.embedded(result, batch),
            Message::Looked { wanted, input } => {
                self.looking.done(&wanted);
                self.take(*input, None, batch);
            }
            Message::Tell { from, telling, reply } => self.told(&from, *telling, Some(reply), batch),
            Message::Ask { from, asking, reply } => self.asked(&from, *asking, reply, batch),
            Message::Ended(mut ended) => {
                self.attempts.remove(&ended.key);
                self.close_queries(&ended.key.0, batch);
                let messages = ended.take_messages();
                if let Some(agent) = ended.agent.clone() {
                    self.tell_messages(&Speaker { agent, key: ended.key.clone() }, messages, batch);
                }
                // The engine knows who is left in peace before it gives out the next task.
                self.note_end(&ended);
                self.note_breakers(batch);
                if let Some(input) = self.outcome(*ended) {
                    self.take(input, None, batch);
                }
            }
            Message::Undone(input) => {
                self.undoing = None;
                self.take(*input, None, batch);
            }
            Message::Leave => self.leaving = true,
        }
    }

    /// What an attempt's end means to the engine; nothing if it no longer asks for the attempt.
    fn outcome(&self, ended: Ended) -> Option<Input> {
        let (task_id, attempt) = ended.key.clone();
        let is_ours = |task: &TaskId, number: u32| *task == task_id && number == attempt;
        let asked = self.book.state.effects().find(|effect| match effect {
            Effect::InvokeAgent { task_id, attempt, .. } | Effect::StopAgent { task_id, attempt } => {
                is_ours(task_id, *attempt)
            }
            _ => false,
        })?;
        if matches!(asked, Effect::StopAgent { .. }) && ended.result.is_err() {
            return Some(Input::AgentStopped { task_id, attempt });
        }
        if let Err(AgentFailure::Waiting { question }) = &ended.result {
            return Some(Input::AgentAsks { task_id, attempt, request: question.clone() });
        }
        let feedback = Box::new(ended.into_feedback(self.book.clock.now()));
        Some(Input::AgentReported { task_id, attempt, feedback })
    }

    /// Decides on an input; who gave one that is refused hears of it at once.
    pub(super) fn take(&mut self, input: Input, reply: Option<Reply>, batch: &mut Batch) {
        self.give_a_chance(&input);
        match (self.decide(input.clone(), batch), reply) {
            (Ok(()), reply) => batch.taken.push((input, reply)),
            (Err(refusal), Some(reply)) => _ = reply.send(Err(refusal.into())),
            // An answer that comes too late or twice is not used.
            (Err(refusal), None) => self.own.extend(answer_for(input, &refusal, self.book.clock.now())),
        }
    }

    pub(super) fn decide(&mut self, input: Input, batch: &mut Batch) -> Result<(), Refusal> {
        let events = decide(&self.book.state, input, self.book.clock.now())?;
        events.iter().for_each(|event| self.book.apply(event));
        batch.events.extend(events);
        Ok(())
    }

    /// Makes a batch durable and tells observers. The state is ahead of the log until then, and nobody acts on
    /// it; if someone else wrote in between, it is folded anew and the inputs are decided on again.
    async fn commit(&mut self, mut batch: Batch) -> Result<(), DriveError> {
        let run = self.book.state.run_id().clone();
        for _ in 0..MAX_REDO {
            self.visit_rooms(&mut batch);
            if batch.events.is_empty() {
                batch.settle();
                return Ok(());
            }
            match self.shared.log.append(&run, batch.from, &batch.events).await {
                Ok(_) => {
                    self.settled = None;
                    self.spread();
                    self.tell(&mut batch);
                    batch.settle();
                    return Ok(());
                }
                Err(LogError::Stale { .. }) => batch = self.again(batch).await?,
                Err(error) => {
                    let error = DriveError::from(error);
                    batch.fail(&error);
                    return Err(error);
                }
            }
        }
        let error = DriveError::Contended { run };
        batch.fail(&error);
        Err(error)
    }

    fn tell(&self, batch: &mut Batch) {
        if let Some(observer) = &self.shared.observer {
            observer.on_events(self.book.state.run_id(), &batch.recorded());
        }
    }

    /// Decides on the inputs of a batch anew, on what the log says now.
    ///
    /// Whoever writes often leaves little time between two of its appends. So all that takes long is done
    /// before the log is read, and only what is new is read.
    async fn again(&mut self, stale: Batch) -> Result<Batch, DriveError> {
        let (log, registry) = (Arc::clone(&self.shared.log), self.shared.registry.clone());
        let run = self.book.state.run_id().clone();
        let mut settled = match self.settled.take() {
            Some(settled) => settled,
            None => Book::open(&*log, run.clone(), &registry).await?,
        };
        let mut book = settled.clone();
        book.clock = self.book.clock;
        let events = log.read(&run, stale.from).await?;
        let known = events.partition_point(|recorded| recorded.position <= book.state.position());
        let new = events.get(known..).unwrap_or_default();
        settled.catch_up(new)?;
        book.catch_up(new)?;
        if let Some(observer) = &self.shared.observer {
            observer.on_events(&run, &events);
        }
        (self.book, self.settled) = (book, Some(settled));
        let mut batch = Batch::after(self.book.state.position());
        for (input, reply) in stale.taken {
            self.take(input, reply, &mut batch);
        }
        Ok(batch)
    }

    /// Takes into account what another process wrote.
    async fn read_news(&mut self) -> Result<(), DriveError> {
        let run = self.book.state.run_id().clone();
        let events = self.shared.log.read(&run, self.book.state.position()).await?;
        if events.is_empty() {
            return Ok(());
        }
        self.book.catch_up(&events)?;
        if let Some(observer) = &self.shared.observer {
            observer.on_events(&run, &events);
        }
        // What the other process asked for may need a phase's work, and only a driver does that.
        let batch = Batch::after(self.book.state.position());
        self.commit(batch).await?;
        self.perform();
        Ok(())
    }

    /// Begins the attempts that are new, and stops those that are no longer asked for.
    fn perform(&mut self) {
        let effects: Vec<Effect> = self.book.state.effects().collect();
        let mut asked = BTreeSet::new();
        for effect in effects {
            match effect {
                Effect::InvokeAgent { task_id, attempt, agent_type, .. } => {
                    let key = (task_id, attempt);
                    if !self.attempts.contains_key(&key) {
                        self.invoke(&key, &agent_type);
                    }
                    asked.insert(key);
                }
                Effect::StopAgent { task_id, attempt } => {
                    if !self.attempts.contains_key(&(task_id.clone(), attempt)) {
                        self.own.push_back(Input::AgentStopped { task_id, attempt });
                    }
                }
                Effect::Undo { key, agent_type } => self.undo(&key, agent_type.as_ref()),
                // Phases are visited before the append; questions and waits are part of the snapshot.
                Effect::Guard { .. }
                | Effect::RunPhase { .. }
                | Effect::Route { .. }
                | Effect::AskHuman { .. }
                | Effect::WaitUntil { .. } => {}
            }
        }
        self.attempts.iter().filter(|(key, _)| !asked.contains(*key)).for_each(|(_, stop)| stop.cancel());
        self.make_calls();
        self.embedding.begin(&self.shared, &self.mail);
        self.look();
        self.put_queries();
    }

    fn invoke(&mut self, key: &AttemptKey, agent: &candor_model::AgentType) {
        let Some(order) = self.book.state.work_order(&key.0, key.1) else { return };
        if let Err(problem) = order.brief.check() {
            return self.own.extend(self.outcome(Ended::unbriefed(key, &problem)));
        }
        if let Err(reason) = self.shared.breakers.admit(agent.as_str(), self.book.clock.now()) {
            return self.own.extend(self.outcome(Ended::refused(key, &reason)));
        }
        let speaker = Speaker { agent: agent.clone(), key: key.clone() };
        let line = Line::new(self, speaker);
        match attempt::begin(order, line) {
            Ok(stop) => _ = self.attempts.insert(key.clone(), stop),
            Err(ended) => self.own.extend(self.outcome(*ended)),
        }
    }

    /// Kills what runs, and waits until it is gone.
    async fn stop_everything(&mut self) {
        let undoing = self.undoing.iter().map(|(_, stop)| stop);
        self.attempts.values().chain(self.calls.values()).chain(undoing).for_each(CancellationToken::cancel);
        while !self.attempts.is_empty() || !self.calls.is_empty() || self.undoing.is_some() {
            match self.inbox.recv().await {
                Some(Message::Ended(ended)) => _ = self.attempts.remove(&ended.key),
                Some(Message::Consulted { key, .. }) => _ = self.calls.remove(&key),
                Some(Message::Undone(_)) => self.undoing = None,
                // Whoever waits for an answer hears that there is none when the message is dropped.
                Some(
                    Message::Give { .. }
                    | Message::Tell { .. }
                    | Message::Ask { .. }
                    | Message::Embedded(_)
                    | Message::Looked { .. }
                    | Message::Leave,
                ) => {}
                None => break,
            }
        }
        self.looking.stop().await;
    }

    fn publish(&self) {
        let at_work = !self.attempts.is_empty() || !self.calls.is_empty() || self.embedding.is_under_way();
        let at_work = at_work || self.looking.is_under_way() || self.undoing.is_some();
        let now = snapshot(&self.book.state, at_work || !self.own.is_empty());
        self.snapshot.send_if_modified(|before| {
            let changed = *before != now;
            *before = now;
            changed
        });
    }
}

fn snapshot(state: &RunState, busy: bool) -> RunSnapshot {
    let questions = state.open_questions().iter().map(|(gate, asked)| (gate.clone(), asked.clone()));
    RunSnapshot { status: state.status(), questions: questions.collect(), busy }
}

/// An answer that the engine cannot take is answered for by the driver, so that nothing hangs.
fn answer_for(input: Input, refusal: &Refusal, now: candor_model::Timestamp) -> Option<Input> {
    match (input, refusal) {
        (Input::AgentReported { task_id, attempt, .. }, Refusal::WrongTask { .. }) => {
            let reason = "The agent answered for another task";
            let feedback = ExecutionFeedback::failure(task_id.clone(), reason, Seconds::from_millis(1), now);
            Some(Input::AgentReported { task_id, attempt, feedback: Box::new(feedback) })
        }
        _ => None,
    }
}
