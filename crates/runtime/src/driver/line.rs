//! What one attempt has of the talk between agents: a line that knows who speaks.
//!
//! Messages and questions go to the driver, which has the engine decide on them; whoever sent them hears back
//! when they are durable. The one who is asked works outside the driver, and what it answers is on the log
//! before the asker gets it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_engine::{Input, Refusal};
use candor_model::{
    AgentAnswer, AgentNote, AgentType, Asking, Broadcast, MAX_TELLING_BYTES, MAX_TELLINGS, MessagePriority,
    MessageType, Noted, Phase, Query, QueryAnswer, QueryResponse, RunId, Telling,
};
use candor_ports::{BoxFuture, PeerChannel};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::actor::{Actor, Message};
use super::talk::{Speaker, response};
use super::{DriveError, Shared};
use crate::{AgentRegistry, Clock};

/// The longest that anyone waits for another's answer; an attempt's own deadline is usually nearer.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// What was told in the phase at work, once it is durable.
#[derive(Debug, Clone, Default)]
pub(super) struct Bus {
    told: Arc<watch::Sender<Vec<Arc<Broadcast>>>>,
}

impl Bus {
    /// Makes known what is new among the messages of a run.
    pub(super) fn spread(&self, messages: &[Broadcast], seen: usize) {
        let new = messages.iter().skip(seen).filter(|message| message.phase == Phase::Execution);
        let new: Vec<Arc<Broadcast>> = new.cloned().map(Arc::new).collect();
        if !new.is_empty() {
            self.told.send_modify(|told| told.extend(new));
        }
    }
}

/// What one attempt has of the talk.
pub(super) struct Line {
    pub(super) run: RunId,
    pub(super) speaker: Speaker,
    pub(super) registry: AgentRegistry,
    pub(super) mail: mpsc::Sender<Message>,
    pub(super) bus: Bus,
    pub(super) stop: CancellationToken,
    pub(super) shared: Arc<Shared>,
    pub(super) clock: Clock,
    /// What was noted for the task so far.
    pub(super) noted: Mutex<Vec<Noted>>,
    /// Notes that wait for the next one.
    pub(super) outbox: Arc<tokio::sync::Mutex<Vec<AgentNote>>>,
    /// How much more it may say.
    left: AtomicUsize,
}

impl Line {
    /// The line of whoever makes an attempt that is asked for.
    pub(super) fn new(actor: &Actor, speaker: Speaker) -> Self {
        let state = &actor.book.state;
        Self {
            run: state.run_id().clone(),
            registry: actor.shared.registry.clone(),
            mail: actor.mail.clone(),
            bus: actor.bus.clone(),
            stop: CancellationToken::new(),
            shared: Arc::clone(&actor.shared),
            clock: actor.book.clock,
            noted: Mutex::new(state.notes(&speaker.key.0).to_vec()),
            outbox: Arc::default(),
            left: AtomicUsize::new(MAX_TELLINGS),
            speaker,
        }
    }

    /// Cuts what an answer tells to what the attempt may still say, and says so.
    pub(super) fn bound(&self, answer: &mut AgentAnswer) {
        let left = self.left.load(Ordering::SeqCst);
        answer.messages.iter_mut().for_each(cut);
        let surplus = answer.messages.len().saturating_sub(left);
        if surplus > 0 {
            answer.messages.truncate(left);
            answer.messages.push(Telling {
                message_type: MessageType::Warning,
                priority: MessagePriority::Medium,
                content: format!("{surplus} more messages were left out: an attempt may send {MAX_TELLINGS}"),
                data: Default::default(),
            });
        }
    }

    fn use_one(&self) -> Result<(), String> {
        let used = self.left.try_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        used.map(|_| ()).map_err(|_| format!("an attempt may send at most {MAX_TELLINGS} messages"))
    }

    async fn send_telling(&self, mut telling: Telling) -> Result<(), String> {
        self.use_one()?;
        cut(&mut telling);
        let (reply, durable) = oneshot::channel();
        let from = self.speaker.clone();
        self.post(Message::Tell { from, telling: Box::new(telling), reply }).await?;
        settled(durable).await
    }

    async fn send_asking(&self, asking: Asking) -> Result<QueryAnswer, String> {
        self.use_one()?;
        let (reply, taken) = oneshot::channel();
        let from = self.speaker.clone();
        self.post(Message::Ask { from, asking: Box::new(asking), reply }).await?;
        let (query, durable) = taken.await.map_err(|_| gone())?;
        settled(durable).await?;
        let response = answer_of(&self.registry, &self.run, &query, &self.stop).await;
        let answer = response.response.clone();
        let (reply, durable) = oneshot::channel();
        let confidence = response.confidence;
        let input = Box::new(Input::QueryAnswered { response: Box::new(response) });
        self.post(Message::Give { input, reply }).await?;
        settled(durable).await?;
        answer.map(|response| QueryAnswer { response, confidence })
    }

    pub(super) async fn post(&self, message: Message) -> Result<(), String> {
        self.mail.send(message).await.map_err(|_| gone())
    }
}

impl PeerChannel for Line {
    fn tell(&self, telling: Telling) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.send_telling(telling))
    }

    fn ask(&self, asking: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(self.send_asking(asking))
    }

    fn heard(&self) -> Vec<Broadcast> {
        self.bus.told.borrow().iter().map(|message| Broadcast::clone(message)).collect()
    }

    fn listen(&self, known: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        let mut told = self.bus.told.subscribe();
        Box::pin(async move {
            if told.wait_for(|told| told.len() > known).await.is_err() {
                // Nobody will say anything any more.
                std::future::pending::<()>().await;
            }
            told.borrow().iter().skip(known).map(|message| Broadcast::clone(message)).collect()
        })
    }
}

/// Puts a question to whom it is for. Answering takes no place at that agent's cx: whoever is busy with a task
/// could never be asked about it.
pub(super) async fn answer_of(
    registry: &AgentRegistry,
    run: &RunId,
    query: &Query,
    stop: &CancellationToken,
) -> QueryResponse {
    let began = Instant::now();
    // When the asker is gone, so is the reason to think about its question.
    let stop = stop.child_token();
    let _hang_up = stop.clone().drop_guard();
    let to = &query.to_agent;
    let member = AgentType::new(to.as_str()).ok().and_then(|name| registry.find(&name));
    let answer = match member {
        None => Err(unknown(registry, to)),
        Some(member) => tokio::select! {
            biased;
            () = tokio::time::sleep(Duration::from_millis(query.timeout).min(LONGEST_WAIT)) => {
                Err(format!("{to} did not answer within {} ms", query.timeout))
            }
            answer = member.agent.answer(run, query, stop) => {
                answer.map_err(|problem| format!("{to} gave no answer: {problem}"))
            }
        },
    };
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    response(query, answer, took)
}

fn unknown(registry: &AgentRegistry, to: &str) -> String {
    let names: Vec<&str> = registry.declared().iter().map(|agent| agent.agent_type.as_str()).collect();
    format!("there is no agent `{}`; there are: {}", to.escape_debug(), names.join(", "))
}

/// Shortens what is too long; what was left out is said.
fn cut(telling: &mut Telling) {
    let size = |value: &Telling| value.content.len() + data_bytes(value);
    if size(telling) <= MAX_TELLING_BYTES {
        return;
    }
    if data_bytes(telling) > MAX_TELLING_BYTES / 2 {
        telling.data.clear();
        telling.content.push_str(" [data too large, left out]");
    }
    let most = MAX_TELLING_BYTES / 2;
    if telling.content.len() > most {
        let end = (0..=most).rev().find(|end| telling.content.is_char_boundary(*end)).unwrap_or(0);
        telling.content.truncate(end);
        telling.content.push_str(" [… cut]");
    }
}

fn data_bytes(telling: &Telling) -> usize {
    telling.data.values().map(|value| value.to_string().len()).sum()
}

pub(super) async fn settled(durable: oneshot::Receiver<Result<(), DriveError>>) -> Result<(), String> {
    durable.await.map_err(|_| gone())?.map_err(|error| match error {
        DriveError::Refused(Refusal::StaleOutcome { .. }) => {
            "the attempt is over; what it says is not used any more".to_owned()
        }
        error => error.to_string(),
    })
}

pub(super) fn gone() -> String {
    "nobody drives the run any more".to_owned()
}
