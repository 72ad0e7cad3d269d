//! Driving runs: what all of them share, and the handle to one.

mod actor;
mod attempt;
mod attempt_context;
mod batch;
mod book;
mod circuit_breaker;
mod consult;
mod embed;
mod fork;
mod line;
mod look;
mod phases;
mod talk;
mod undo;

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use candor_engine::{FoldError, Input, Refusal};
use candor_model::{BreakerSettings, GateId, Question, RunId, RunSettings, RunStatus, StartMaterial};
use candor_phases::Phases;
use candor_ports::{Embedder, EventLog, Inspector, LogError, Models, Observer};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use self::actor::{Actor, Message};
use self::book::Book;
pub use self::fork::ForkPoint;
use crate::breakers::Breakers;
use crate::{AgentRegistry, Lease};

/// How often other processes' writes are looked for.
const LOOK_ELSEWHERE: Duration = Duration::from_millis(100);

/// How many messages may wait for one run's driver; whoever brings more waits.
const INBOX: usize = 256;

/// Why a run cannot be driven, or could not take what it was given.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DriveError {
    /// The engine refused; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The log failed. What it has accepted stands; the run can be taken up again.
    #[error(transparent)]
    Log(#[from] Arc<LogError>),
    /// The log cannot be folded.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// There is no such run.
    #[error("there is no run {run}; `candor list` shows those that there are")]
    UnknownRun {
        /// The run.
        run: RunId,
    },
    /// Others write to the run so often that nothing of ours gets through.
    #[error("run {run} is being changed by others all the time; try again")]
    Contended {
        /// The run.
        run: RunId,
    },
    /// The driver of the run has ended.
    #[error("nobody drives run {run} any more; take it up again with `candor resume {run}`")]
    Gone {
        /// The run.
        run: RunId,
    },
}

impl From<LogError> for DriveError {
    fn from(error: LogError) -> Self {
        Self::Log(Arc::new(error))
    }
}

/// What a run begins with.
#[derive(Debug, Clone)]
pub struct RunOrder {
    /// Its name.
    pub run_id: RunId,
    /// The person's own words.
    pub request: String,
    /// The limits that hold for it.
    pub settings: RunSettings,
    /// A goal or a plan that was made elsewhere.
    pub material: Option<StartMaterial>,
}

/// Where a run stands, as far as whoever drives it needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSnapshot {
    /// In one word.
    pub status: RunStatus,
    /// What waits for a person.
    pub questions: Vec<(GateId, Question)>,
    /// Whether agents are at work.
    pub busy: bool,
}

/// What runs have beyond agents and rules.
#[derive(Clone, Default)]
pub struct RuntimeDeps {
    /// Who answers questions; without them the rules speak.
    pub models: Option<Arc<dyn Models>>,
    /// Who knows what texts mean; without it only words are compared.
    pub meaning: Option<Arc<dyn Embedder>>,
    /// How breakers behave.
    pub breakers: BreakerSettings,
    /// Who reads files and checks results; without one, what cannot be seen is said to be unseen.
    pub inspector: Option<Arc<dyn Inspector>>,
}

/// Drives runs. A clone is another handle to the same.
#[derive(Clone)]
pub struct Runtime(Arc<Shared>);

/// What all runs share.
pub(crate) struct Shared {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) registry: AgentRegistry,
    pub(crate) phases: Phases,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) models: Option<Arc<dyn Models>>,
    pub(crate) meaning: Option<Arc<dyn Embedder>>,
    pub(crate) breakers: Breakers,
    pub(crate) inspector: Option<Arc<dyn Inspector>>,
    /// Counts the times at which others were found to have written.
    news: watch::Sender<u64>,
    lookout: OnceLock<()>,
}

impl Runtime {
    /// A runtime on this log, with this registry and these phases; `observer` is told everything that happens.
    #[must_use]
    pub fn new(
        log: Arc<dyn EventLog>,
        registry: AgentRegistry,
        phases: Phases,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        Self::with_models(log, registry, phases, observer, RuntimeDeps::default())
    }

    /// The same, with models.
    #[must_use]
    pub fn with_models(
        log: Arc<dyn EventLog>,
        registry: AgentRegistry,
        phases: Phases,
        observer: Option<Arc<dyn Observer>>,
        equipment: RuntimeDeps,
    ) -> Self {
        let news = watch::Sender::new(0);
        let RuntimeDeps { models, meaning, breakers, inspector } = equipment;
        let breakers = Breakers::new(breakers);
        let lookout = OnceLock::new();
        Self(Arc::new(Shared {
            log,
            registry,
            phases,
            observer,
            models,
            meaning,
            breakers,
            inspector,
            news,
            lookout,
        }))
    }

    /// Everyone who can be given a task.
    #[must_use]
    pub fn registry(&self) -> &AgentRegistry {
        &self.0.registry
    }

    /// Starts a run and drives it. It returns once the start is durable.
    pub async fn start(&self, order: RunOrder, lease: Option<Lease>) -> Result<RunHandle, DriveError> {
        let experience = self.0.log.experience().await?;
        self.0.breakers.learn(experience.breakers.clone());
        let book = Book::new(order.run_id, experience, &self.0.registry);
        let input = Input::Start {
            request: order.request,
            settings: Box::new(order.settings),
            material: order.material.map(Box::new),
        };
        self.drive(book, vec![input], lease).await
    }

    /// Takes a run up where its log ends, gives it `first`, and drives it on.
    ///
    /// A run that has ended can be given a rollback or a restart.
    pub async fn resume(
        &self,
        run_id: RunId,
        first: Option<Input>,
        lease: Option<Lease>,
    ) -> Result<RunHandle, DriveError> {
        self.0.breakers.learn(self.0.log.experience().await?.breakers);
        let book = Book::open(&*self.0.log, run_id, &self.0.registry).await?;
        // Whoever asked other agents something was gone with the driver.
        let open = book.state.open_queries().filter(|_| !book.state.status().is_end());
        let closed = open.map(|query| talk::unanswered(query, "whoever asked was interrupted"));
        let inputs = closed.chain([Input::TakenUp]).chain(first).collect();
        self.drive(book, inputs, lease).await
    }

    /// Gives a run one input without driving it: for a run that another process drives, or that is to wait.
    pub async fn submit(&self, run_id: RunId, input: Input) -> Result<RunStatus, DriveError> {
        self.0.breakers.learn(self.0.log.experience().await?.breakers);
        let book = Book::open(&*self.0.log, run_id, &self.0.registry).await?;
        let (mut actor, _mail) = Actor::new(Arc::clone(&self.0), book, None);
        actor.submit(vec![input]).await?;
        Ok(actor.status())
    }

    async fn drive(
        &self,
        book: Book,
        inputs: Vec<Input>,
        lease: Option<Lease>,
    ) -> Result<RunHandle, DriveError> {
        self.look_out();
        let run_id = book.state.run_id().clone();
        let (mut actor, mail) = Actor::new(Arc::clone(&self.0), book, lease);
        actor.submit(inputs).await?;
        actor.begin();
        let snapshot = actor.snapshot();
        Ok(RunHandle { run_id, mail, snapshot, driver: tokio::spawn(actor.run()) })
    }

    /// Starts to look for other processes' writes, once, for as long as the runtime lives.
    fn look_out(&self) {
        self.0.lookout.get_or_init(|| {
            tokio::spawn(look_out(Arc::downgrade(&self.0)));
        });
    }
}

async fn look_out(shared: Weak<Shared>) {
    loop {
        tokio::time::sleep(LOOK_ELSEWHERE).await;
        let Some(shared) = shared.upgrade() else { return };
        // A log that cannot be asked now will be asked again; its users find out by themselves.
        if shared.log.written_elsewhere().await.unwrap_or(false) {
            shared.news.send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}

/// A run that is being driven. Dropping it lets the run go on to its end.
#[derive(Debug)]
pub struct RunHandle {
    run_id: RunId,
    mail: mpsc::Sender<Message>,
    snapshot: watch::Receiver<RunSnapshot>,
    driver: JoinHandle<Result<RunStatus, DriveError>>,
}

impl RunHandle {
    /// The run.
    #[must_use]
    pub const fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// Gives the run an input; returns when what follows from it is durable.
    pub async fn submit(&self, input: Input) -> Result<(), DriveError> {
        let (reply, answer) = oneshot::channel();
        let gone = || DriveError::Gone { run: self.run_id.clone() };
        self.mail.send(Message::Give { input: Box::new(input), reply }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Where the run stands, now and as it changes.
    #[must_use]
    pub fn snapshot(&self) -> watch::Receiver<RunSnapshot> {
        self.snapshot.clone()
    }

    /// Waits until the run has come to its end, and nothing of it is running any more.
    pub async fn ended(self) -> Result<RunStatus, DriveError> {
        self.driver.await.unwrap_or(Err(DriveError::Gone { run: self.run_id }))
    }

    /// Stops driving: everything that runs is killed, nothing is recorded, and the run can be taken up again.
    pub async fn leave(self) -> Result<RunStatus, DriveError> {
        // A driver that has ended by itself needs no telling.
        let _ = self.mail.send(Message::Leave).await;
        self.ended().await
    }
}
