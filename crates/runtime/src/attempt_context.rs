//! What an agent has of its run while it makes an attempt: notes on the run's log, models, and the other agents.
//! Everything goes to the driver as an input, and comes back when it is durable.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candor_engine::Refusal;
use candor_model::{AgentNote, Ask, Asking, Broadcast, Money, Noted, QueryAnswer, Seconds, TaskId, Telling};
use candor_ports::{AttemptContext, BoxFuture, PeerChannel};
use candor_session::{AgentRequest, Answer, AttemptKey, SessionInput};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::DriveError;
use crate::driver::{Driver, Message};

/// How long a note that may be lost waits for another one: people who watch should not wait much longer.
const FLUSH_AFTER: Duration = Duration::from_millis(50);

/// Tells what became of something that was sent.
type Sent = oneshot::Receiver<Result<Answer, DriveError>>;

/// The way from one attempt to its run.
pub(crate) struct AttemptChannel {
    line: Line,
    bus: watch::Receiver<Vec<Arc<Broadcast>>>,
    /// What people noted for attempts since this driver began.
    by_people: watch::Receiver<Vec<(TaskId, u32, Arc<AgentNote>)>>,
    /// How many of them are among the notes that the attempt began with.
    known: usize,
    has_models: bool,
    /// What was noted for the task so far.
    noted: Mutex<Vec<Noted>>,
    /// Notes that wait for the next one.
    outbox: Arc<tokio::sync::Mutex<Vec<AgentNote>>>,
}

/// Sends to the driver under the name of the attempt.
#[derive(Clone)]
struct Line {
    key: AttemptKey,
    mail: mpsc::Sender<Message>,
}

impl Line {
    async fn send(&self, request: AgentRequest) -> Result<Sent, String> {
        let (reply, sent) = oneshot::channel();
        let input = Box::new(SessionInput::Agent { from: self.key.clone(), request });
        self.mail.send(Message::Input { input, reply: Some(reply) }).await.map_err(|_| gone())?;
        Ok(sent)
    }

    /// Sends notes in their order; gives what tells when the last of them is durable.
    async fn send_notes(&self, notes: &mut Vec<AgentNote>) -> Result<Option<Sent>, String> {
        let mut last = None;
        for note in notes.drain(..) {
            last = Some(self.send(AgentRequest::Note(note)).await?);
        }
        Ok(last)
    }
}

impl AttemptChannel {
    pub(crate) fn new(driver: &Driver, key: AttemptKey) -> Self {
        Self {
            bus: driver.bus.subscribe(),
            known: driver.by_people.borrow().len(),
            by_people: driver.by_people.subscribe(),
            has_models: driver.shared.models.is_some(),
            noted: Mutex::new(driver.session.state().notes(&key.task_id).to_vec()),
            outbox: Arc::default(),
            line: Line { key, mail: driver.mail.clone() },
        }
    }

    /// Notes something behind what was buffered: all of it becomes durable together.
    async fn write(&self, note: AgentNote) -> Result<(), String> {
        let mut outbox = self.outbox.lock().await;
        self.remember(&note);
        outbox.push(note);
        let sent = self.line.send_notes(&mut outbox).await?;
        drop(outbox);
        match sent {
            Some(sent) => answer(sent).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// Keeps a note for the next one to take along, and sends it by itself if none comes for a while.
    async fn buffer(&self, note: AgentNote) -> Result<(), String> {
        self.remember(&note);
        self.outbox.lock().await.push(note);
        let (outbox, line) = (Arc::clone(&self.outbox), self.line.clone());
        tokio::spawn(async move {
            tokio::time::sleep(FLUSH_AFTER).await;
            // What may be lost with the process may be lost with its driver.
            let _ = line.send_notes(&mut *outbox.lock().await).await;
        });
        Ok(())
    }

    fn remember(&self, note: &AgentNote) {
        let noted = Noted { attempt: self.line.key.attempt, note: note.clone() };
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).push(noted);
    }

    /// Sends a request behind the notes that were buffered, and waits for its answer.
    async fn request(&self, request: AgentRequest) -> Result<Answer, String> {
        let mut outbox = self.outbox.lock().await;
        self.line.send_notes(&mut outbox).await?;
        let sent = self.line.send(request).await?;
        drop(outbox);
        answer(sent).await
    }
}

impl AttemptContext for AttemptChannel {
    fn notes(&self) -> Vec<Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn noted_by_others(&self, known: usize) -> Vec<AgentNote> {
        let key = &self.line.key;
        let people = self.by_people.borrow();
        let new = people.iter().skip(self.known);
        let mine = new.filter(|(task_id, attempt, _)| (task_id, *attempt) == (&key.task_id, key.attempt));
        mine.skip(known).map(|(_, _, note)| AgentNote::clone(note)).collect()
    }

    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.write(note))
    }

    fn note_buffered(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.buffer(note))
    }

    fn consult(
        &self,
        name: String,
        ask: Ask,
        left: Money,
        within: Seconds,
    ) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(async move {
            let ask = Box::new(ask);
            match self.request(AgentRequest::Consult { name, ask, left, within }).await? {
                Answer::Model { answer, notes } => {
                    notes.iter().for_each(|note| self.remember(note));
                    answer
                }
                Answer::Durable | Answer::Query(_) => Err(gone()),
            }
        })
    }

    fn has_models(&self) -> bool {
        self.has_models
    }
}

impl PeerChannel for AttemptChannel {
    fn tell(&self, telling: Telling) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.request(AgentRequest::Tell(telling)).await.map(|_| ()) })
    }

    fn ask(&self, asking: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(async move {
            match self.request(AgentRequest::Ask(asking)).await? {
                Answer::Query(answer) => answer,
                Answer::Durable | Answer::Model { .. } => Err(gone()),
            }
        })
    }

    fn heard(&self) -> Vec<Broadcast> {
        self.bus.borrow().iter().map(|message| Broadcast::clone(message)).collect()
    }

    fn listen(&self, known: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        let mut bus = self.bus.clone();
        Box::pin(async move {
            if bus.wait_for(|told| told.len() > known).await.is_err() {
                // Nobody will say anything any more.
                std::future::pending::<()>().await;
            }
            bus.borrow().iter().skip(known).map(|message| Broadcast::clone(message)).collect()
        })
    }
}

async fn answer(sent: Sent) -> Result<Answer, String> {
    sent.await.map_err(|_| gone())?.map_err(|error| match error {
        DriveError::Refused(Refusal::StaleOutcome { .. }) => {
            "the attempt is over; what it says is not used any more".to_owned()
        }
        error => error.to_string(),
    })
}

fn gone() -> String {
    "no active driver for the run".to_owned()
}
