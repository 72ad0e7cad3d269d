//! What all runs of a process share, and the handle to one of them.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use candor_engine::{FoldError, Input, Refusal, RunState};
use candor_model::redact::Redactor;
use candor_model::{
    AgentCapability, AgentMeasure, AgentType, AskPolicy, BreakerSettings, Phase, Position, Recorded, RunId,
    RunOrigin, RunSettings, RunStatus, StartMaterial, Vectors,
};
use candor_phases::Phases;
use candor_planning::calibration;
use candor_ports::{
    Embedder, Experience, Inspector, Lease, Listener, LogError, Models, Observer, Store, Streams,
};
use candor_session::{Circuits, Learned, PhaseWork, RunSnapshot, Session, SessionDeps, SessionInput};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::circuit_breaker::StoredCircuits;
use crate::driver::{Driver, Message, redacted};
use crate::threads::Threads;
use crate::{AgentRegistry, Clock};

/// How many runs begin at the same time at most; the others have their turn when the start of one of these is durable. Ten
/// thousand that begin side by side hold ten thousand times what the phases before the work need; fewer than a thousand at
/// once fill too little of a commit.
const BEGIN_AT_ONCE: usize = 1_024;

/// Why a run cannot be driven, or could not take what it was given.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DriveError {
    /// The engine refused; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The log failed. What it has accepted stands; the run can be resumed.
    #[error(transparent)]
    Log(#[from] Arc<LogError>),
    /// The log cannot be folded.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// There is no such run.
    #[error("there is no run {run}; `candor list` shows those that there are")]
    UnknownRun {
        /// Name that is on no log.
        run: RunId,
    },
    /// Others write to the run so often that nothing of ours gets through.
    #[error("run {run} is being changed by others all the time; try again")]
    Contended {
        /// Run that could not be written to.
        run: RunId,
    },
    /// The driver of the run has ended.
    #[error("no active driver for run {run}; resume it with `candor resume {run}`")]
    Gone {
        /// Run without an active driver in this process.
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
    /// Name that the run gets.
    pub run_id: RunId,
    /// The person's own words.
    pub request: String,
    /// The limits that hold for it.
    pub settings: RunSettings,
    /// A goal or a plan that was made elsewhere.
    pub material: Option<StartMaterial>,
    /// Who begins it, where, and after what.
    pub origin: Option<RunOrigin>,
}

/// What runs have beyond agents and rules.
#[derive(Clone, Default)]
pub struct RuntimeDeps {
    /// Who answers questions; without them the rule-based fallbacks are used.
    pub models: Option<Arc<dyn Models>>,
    /// Who knows what texts mean; without it only words are compared.
    pub meaning: Option<Arc<dyn Embedder>>,
    /// How circuit breakers behave.
    pub breakers: BreakerSettings,
    /// Who reads files and checks results; without one, what cannot be seen is said to be unseen.
    pub inspector: Option<Arc<dyn Inspector>>,
    /// Takes secrets out of what is recorded and told; agents at work still get them.
    pub redactor: Arc<Redactor>,
    /// Says what this process is about to run out of; without it only what fails tells.
    pub shortage: Option<ShortageCheck>,
}

/// Says what this process is about to run out of, if anything.
pub type ShortageCheck = fn() -> Option<String>;

/// Drives runs. A clone is another handle to the same.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) shared: Arc<Shared>,
    /// Where runs are driven; without them, where they were begun.
    threads: Option<Arc<Threads>>,
}

/// What all runs share.
pub(crate) struct Shared {
    pub(crate) log: Arc<dyn Store>,
    pub(crate) registry: AgentRegistry,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) models: Option<Arc<dyn Models>>,
    pub(crate) meaning: Option<Arc<dyn Embedder>>,
    pub(crate) circuits: Arc<StoredCircuits>,
    pub(crate) inspector: Option<Arc<dyn Inspector>>,
    pub(crate) redactor: Arc<Redactor>,
    shortage: Option<ShortageCheck>,
    /// How many attempts are at work, of all runs.
    at_work: AtomicUsize,
    known: Mutex<Known>,
    /// Who may begin a run now.
    beginning: Semaphore,
    session: SessionDeps,
}

/// What was measured when a run last began, and what is known of agents by it: the runs between two outcomes share it.
#[derive(Default)]
struct Known {
    measured: BTreeMap<AgentType, AgentMeasure>,
    agents: Option<Arc<[AgentCapability]>>,
}

impl Shared {
    fn known(&self, measured: BTreeMap<AgentType, AgentMeasure>) -> Arc<[AgentCapability]> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.measured != measured {
            *known = Known { measured, agents: None };
        }
        let Known { measured, agents } = &mut *known;
        Arc::clone(agents.get_or_insert_with(|| self.registry.known(measured).into()))
    }

    /// Counts an attempt as being at work until what is returned is dropped. Refuses, saying what is short, if this
    /// process is about to run out of something; never when nothing else is at work, since then waiting helps nobody.
    pub(crate) fn enter(self: &Arc<Self>) -> Result<AtWork, String> {
        let others = self.at_work.fetch_add(1, Ordering::Relaxed);
        let entered = AtWork(Arc::clone(self));
        match self.shortage.filter(|_| others > 0).and_then(|shortage| shortage()) {
            Some(short) => Err(short),
            None => Ok(entered),
        }
    }
}

/// An attempt that is at work.
pub(crate) struct AtWork(Arc<Shared>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.at_work.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Runtime {
    /// A runtime on this log, with these agents and phases; `observer` is told everything that happens.
    #[must_use]
    pub fn new(
        log: Arc<dyn Store>,
        registry: AgentRegistry,
        phases: Phases,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        Self::with_models(log, registry, phases, observer, RuntimeDeps::default())
    }

    /// The same, with models.
    #[must_use]
    pub fn with_models(
        log: Arc<dyn Store>,
        registry: AgentRegistry,
        phases: Phases,
        observer: Option<Arc<dyn Observer>>,
        deps: RuntimeDeps,
    ) -> Self {
        Self::connect(log, registry, Arc::new(phases), observer, deps, None)
    }

    /// The same with any phases, up to and including `last`.
    pub(crate) fn connect(
        log: Arc<dyn Store>,
        registry: AgentRegistry,
        phases: Arc<dyn PhaseWork>,
        observer: Option<Arc<dyn Observer>>,
        deps: RuntimeDeps,
        last_phase: Option<Phase>,
    ) -> Self {
        let RuntimeDeps { models, meaning, breakers, inspector, redactor, shortage } = deps;
        let circuits = Arc::new(StoredCircuits::new(breakers, Arc::clone(&log) as Arc<dyn Streams>));
        let declared: Vec<AgentType> =
            registry.declared().iter().map(|agent| agent.agent_type.clone()).collect();
        let session = SessionDeps {
            phases,
            models: models.clone().map(|models| models as Arc<dyn AskPolicy>),
            vectors: meaning.clone().map(|meaning| meaning as Arc<dyn Vectors>),
            circuits: Arc::clone(&circuits) as Arc<dyn Circuits>,
            inspects: inspector.is_some(),
            declared: declared.into(),
            last_phase,
        };
        let shared = Shared {
            log,
            registry,
            observer,
            models,
            meaning,
            circuits,
            inspector,
            redactor,
            shortage,
            at_work: AtomicUsize::new(0),
            known: Mutex::default(),
            beginning: Semaphore::new(BEGIN_AT_ONCE),
            session,
        };
        Self { shared: Arc::new(shared), threads: None }
    }

    /// Spreads runs over so many threads of their own, in place of the executor of whoever begins them: for a process
    /// that drives many.
    pub fn spread_over(self, threads: usize) -> io::Result<Self> {
        Ok(Self { threads: Some(Arc::new(Threads::start(threads)?)), ..self })
    }

    /// Everyone who can be given a task.
    #[must_use]
    pub fn registry(&self) -> &AgentRegistry {
        &self.shared.registry
    }

    /// Starts a run and drives it. It returns once the start is durable.
    pub async fn start(
        &self,
        order: RunOrder,
        lease: Option<Box<dyn Lease>>,
    ) -> Result<RunHandle, DriveError> {
        let this = self.clone();
        self.on_a_thread(order.run_id.clone(), async move { this.start_here(order, lease).await }).await
    }

    /// Has a run begin on the thread where it is driven from then on.
    async fn on_a_thread(
        &self,
        run: RunId,
        begin: impl Future<Output = Result<RunHandle, DriveError>> + Send + 'static,
    ) -> Result<RunHandle, DriveError> {
        let Some(executor) = self.threads.as_deref().and_then(Threads::next) else { return begin.await };
        match executor.spawn(begin).await {
            Ok(begun) => begun,
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(DriveError::Gone { run }),
            },
        }
    }

    async fn start_here(
        &self,
        order: RunOrder,
        lease: Option<Box<dyn Lease>>,
    ) -> Result<RunHandle, DriveError> {
        // Only if it were closed would there be no turn.
        let _turn = self.shared.beginning.acquire().await;
        // Nobody can have written to a run before it is on the log: what is heard from here on is all there is to hear.
        let mut news = self.shared.log.listen()?;
        news.changed().await?;
        let learned = self.learned(self.shared.log.experience().await?);
        let session = Session::new(order.run_id, self.shared.session.clone(), learned);
        let input = Input::Start {
            request: order.request,
            settings: Box::new(order.settings),
            material: order.material.map(Box::new),
            origin: order.origin.map(Box::new),
        };
        let clock = Clock::starting_at(candor_model::Timestamp::EPOCH);
        let driver = Driver::new(Arc::clone(&self.shared), session, clock, lease);
        self.drive(driver, Some(input), Some(news)).await
    }

    /// Puts the start of a run on the log without driving it: [`Runtime::resume`] begins its work. With `paused`, the
    /// reason for it, the run is also paused, and wants [`Input::Resume`] then. Returns where its log ends.
    pub async fn store(&self, order: RunOrder, paused: Option<String>) -> Result<Position, DriveError> {
        let now = Clock::starting_at(candor_model::Timestamp::EPOCH).now();
        let start = Input::Start {
            request: order.request,
            settings: Box::new(order.settings),
            material: order.material.map(Box::new),
            origin: order.origin.map(Box::new),
        };
        let mut state = RunState::new(order.run_id);
        let mut events = Vec::new();
        for input in std::iter::once(start).chain(paused.map(|reason| Input::Pause { reason })) {
            let decided = candor_engine::decide(&state, input, now)?;
            decided.iter().for_each(|event| state.apply(event));
            events.extend(decided);
        }
        let (written, clean) = redacted(&self.shared.redactor, &events)?;
        let kept = clean.unwrap_or(events);
        self.shared.log.append_written(state.run_id(), Position::START, &kept, written).await?;
        if let Some(observer) = &self.shared.observer {
            let recorded = (1..).zip(kept).map(|(n, event)| Recorded { position: Position(n), event });
            observer.on_events(state.run_id(), &recorded.collect::<Vec<_>>());
        }
        Ok(state.position())
    }

    /// Resumes a run where its log ends, gives it `first`, and drives it on.
    ///
    /// A run that has ended can be given a rollback or a restart.
    pub async fn resume(
        &self,
        run_id: RunId,
        first: Option<Input>,
        lease: Option<Box<dyn Lease>>,
    ) -> Result<RunHandle, DriveError> {
        let this = self.clone();
        self.on_a_thread(run_id.clone(), async move {
            let (mut session, clock) = this.open(run_id).await?;
            session.resume(clock.now())?;
            this.drive(Driver::new(Arc::clone(&this.shared), session, clock, lease), first, None).await
        })
        .await
    }

    /// Gives a run one input without driving it: for a run that another process drives, or that is to wait.
    pub async fn submit(&self, run_id: RunId, input: Input) -> Result<RunStatus, DriveError> {
        let (session, clock) = self.open(run_id).await?;
        let (mut driver, _mail) = Driver::new(Arc::clone(&self.shared), session, clock, None);
        driver.submit(Some(input)).await?;
        Ok(driver.status())
    }

    pub(crate) async fn drive(
        &self,
        (mut driver, mail): (Box<Driver>, mpsc::Sender<Message>),
        first: Option<Input>,
        news: Option<Box<dyn Listener>>,
    ) -> Result<RunHandle, DriveError> {
        let run_id = driver.session.state().run_id().clone();
        driver.submit(first).await?;
        driver.begin(news)?;
        let snapshot = driver.snapshot();
        let remote = RunRemote { run_id, mail, snapshot };
        let threads = self.threads.clone();
        let driver = tokio::spawn(async move {
            let outcome = driver.run().await;
            // Until here it needs its thread, whoever else has done with the runtime.
            drop(threads);
            outcome
        });
        Ok(RunHandle { remote, driver })
    }

    /// A run that is on the log, and a clock that does not go back behind its last event.
    pub(crate) async fn open(&self, run_id: RunId) -> Result<(Session, Clock), DriveError> {
        let learned = self.learned(self.shared.log.experience().await?);
        let log = self.shared.log.read(&run_id, Position::START).await?;
        let Some(last) = log.last() else { return Err(DriveError::UnknownRun { run: run_id }) };
        let clock = Clock::starting_at(last.event.at);
        Ok((Session::open(run_id, self.shared.session.clone(), learned, &log)?, clock))
    }

    fn learned(&self, experience: Experience) -> Learned {
        let Experience { measured, outcomes, examples, breakers } = experience;
        self.shared.circuits.learn(breakers);
        Learned {
            agents: self.shared.known(measured),
            calibration: calibration::metrics(&outcomes),
            outcomes: outcomes.into(),
            examples: examples.into(),
        }
    }
}

/// A run that is being driven. Dropping it lets the run go on to its end.
#[derive(Debug)]
pub struct RunHandle {
    remote: RunRemote,
    driver: JoinHandle<Result<RunStatus, DriveError>>,
}

/// What a run that is being driven can be given from elsewhere in the process. A clone is another handle to the same.
#[derive(Debug, Clone)]
pub struct RunRemote {
    run_id: RunId,
    mail: mpsc::Sender<Message>,
    snapshot: watch::Receiver<RunSnapshot>,
}

impl RunRemote {
    /// Gives the run an input; returns when what follows from it is durable.
    pub async fn submit(&self, input: Input) -> Result<(), DriveError> {
        let (reply, answer) = oneshot::channel();
        let gone = || DriveError::Gone { run: self.run_id.clone() };
        let input = Box::new(SessionInput::Command(input));
        self.mail.send(Message::Input { input, reply: Some(reply) }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?.map(|_| ())
    }

    /// What the run looks like, now and as it changes.
    #[must_use]
    pub fn snapshot(&self) -> watch::Receiver<RunSnapshot> {
        self.snapshot.clone()
    }

    /// Asks the driver to stop: everything that runs is killed, nothing is recorded, and the run can be resumed.
    pub async fn leave(&self) {
        // A driver that has ended by itself needs no telling.
        let _ = self.mail.send(Message::Leave).await;
    }
}

impl RunHandle {
    /// Name of the run that is driven.
    #[must_use]
    pub const fn run_id(&self) -> &RunId {
        &self.remote.run_id
    }

    /// What others of the process may use.
    #[must_use]
    pub fn remote(&self) -> RunRemote {
        self.remote.clone()
    }

    /// Gives the run an input; returns when what follows from it is durable.
    pub async fn submit(&self, input: Input) -> Result<(), DriveError> {
        self.remote.submit(input).await
    }

    /// What the run looks like, now and as it changes.
    #[must_use]
    pub fn snapshot(&self) -> watch::Receiver<RunSnapshot> {
        self.remote.snapshot()
    }

    /// Waits until the run has come to its end, and nothing of it is running any more.
    pub async fn ended(self) -> Result<RunStatus, DriveError> {
        let Self { remote, driver } = self;
        driver.await.unwrap_or(Err(DriveError::Gone { run: remote.run_id }))
    }

    /// Stops driving: everything that runs is killed, nothing is recorded, and the run can be resumed.
    pub async fn leave(self) -> Result<RunStatus, DriveError> {
        self.remote.leave().await;
        self.ended().await
    }
}
