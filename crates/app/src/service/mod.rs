//! What a server offers of an installation: plans, runs that are driven side by side, and their progress.

mod admission;
mod alerting;
mod control;
mod exports;
mod feed;
mod figures;
mod runs;
pub mod schedules;
mod webhook_events;
pub mod webhooks;
mod workers;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use candor_engine::{Input, RunState};
use candor_model::{Answer, EventBody, GateId, Position, ProgressUpdate, Recorded, RunId, RunStatus};
use candor_ports::{Leases, Observer, RunEntry, RunFilter};
use candor_projections::run_view::RunView;
use candor_runtime::{RunSnapshot, Runtime};
use candor_text::{Language, both};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, Semaphore, broadcast, watch};
use tokio_util::task::TaskTracker;

pub use self::alerting::AlertFollower;
pub use self::control::{StartRequest, Started};
use self::feed::Feed;
pub use self::feed::{Batch, Follower, LiveEvent};
use self::runs::{Runs, Standing};
use crate::config::Serve;
use crate::data::{self, Log};
use crate::drive::first_input;
use crate::error::AppError;
use crate::planned::Planned;
use crate::wiring::{AgentScope, App, ModelUse};

/// How much progress may wait for a slow listener; older progress is of no interest.
const PROGRESS_KEPT: usize = 256;

/// One step forward of one run.
pub type ProgressOf = (RunId, ProgressUpdate);

/// An installation that a server offers to others.
pub struct Service(Arc<Shared>);

/// What calls and the tasks that drive runs share.
struct Shared {
    app: App,
    log: Log,
    runtime: Runtime,
    models: ModelUse,
    runs: Runs,
    /// How many runs are planned at the same moment: that is work of the processor, and those who only ask wait for it.
    beginning: Semaphore,
    /// The tasks that drive runs.
    tasks: TaskTracker,
    progress: broadcast::Sender<ProgressOf>,
    feed: Feed,
    /// A schedule was paused or resumed.
    schedules_changed: Arc<Notify>,
    /// Whoever keeps what a run adds to the figures over all runs.
    keeping_metrics: Semaphore,
    /// A run that is driven here has ended.
    run_ended: Arc<Notify>,
    /// Alerts were judged; those who tell of them look at the record then.
    alerts_judged: watch::Sender<()>,
}

/// See [`Shared::beginning`].
const BEGIN_AT_ONCE: usize = 2;

/// A plan that was made and not kept.
#[derive(Debug, Clone)]
pub struct PlanView {
    /// All of it: goal, plan, validation, alternatives, risks, estimates.
    pub data: Value,
    /// The same for people.
    pub text: String,
}

/// A run, looked at by the process that may drive it.
#[derive(Debug, Clone)]
pub struct ServedRun {
    /// What its log says. Its error is also why it could not be driven on here, if so.
    pub view: RunView,
    /// Process that drives the run.
    pub driver: Driver,
    /// How many runs are before it in the queue, if it waits there.
    pub queued_behind: Option<usize>,
}

/// Who drives a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// This process drives it.
    Here,
    /// Another process drives it.
    Elsewhere,
    /// Nobody yet: it waits in this process's queue until fewer runs are driven.
    Queued,
    /// Nobody at the moment.
    Nobody,
}

/// Passes on what happens.
struct Relay {
    progress: broadcast::Sender<ProgressOf>,
    feed: Feed,
    run_ended: Arc<Notify>,
}

impl Observer for Relay {
    fn on_events(&self, run: &RunId, events: &[Recorded]) {
        self.feed.wake();
        for recorded in events {
            match &recorded.event.body {
                EventBody::Progressed { update } => {
                    // Most of the time nobody listens.
                    let _ = self.progress.send((run.clone(), update.clone()));
                }
                body if body.is_end() => self.run_ended.notify_one(),
                _ => {}
            }
        }
    }
}

impl Service {
    /// Opens the log with everything that the configuration names. What is wrong with it is found here.
    pub fn open(app: App, models: ModelUse) -> Result<Self, AppError> {
        app.registry(&[])?;
        let tiers = app.models(models.clone())?;
        let log = app.data.open()?;
        let (progress, _) = broadcast::channel(PROGRESS_KEPT);
        let feed = Feed::new(Arc::clone(&log));
        let run_ended: Arc<Notify> = Arc::default();
        let (progress_to, run_ended_to) = (progress.clone(), Arc::clone(&run_ended));
        let observer = Arc::new(Relay { progress: progress_to, feed: feed.clone(), run_ended: run_ended_to });
        let runtime =
            app.runtime_with_models(log.clone(), &[], tiers.as_ref(), Some(observer), AgentScope::All)?;
        let runtime = spread(runtime)?;
        let runs = Runs::new(within_open_files(app.config.serve.clone()));
        let (beginning, tasks) = (Semaphore::new(BEGIN_AT_ONCE), TaskTracker::new());
        Ok(Self(Arc::new(Shared {
            app,
            log,
            runtime,
            models,
            runs,
            beginning,
            tasks,
            progress,
            feed,
            schedules_changed: Arc::default(),
            keeping_metrics: Semaphore::new(1),
            run_ended,
            alerts_judged: watch::Sender::new(()),
        })))
    }

    /// Folder with the log, tokens and settings.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.app.data.path()
    }

    /// Stops driving, for good; returns the runs that have not ended and can be resumed.
    pub async fn leave(&self) -> Vec<RunId> {
        let left = self.0.leave().await;
        self.0.app.close().await;
        left
    }

    /// Makes the plan for a goal, and keeps nothing.
    pub async fn plan(&self, goal: &str) -> Result<PlanView, AppError> {
        let goal = said(goal)?;
        let experience = self.0.log.experience().await?;
        let planned = Planned::of(&self.0.app, experience, goal, self.0.models.clone()).await?;
        Ok(PlanView { data: planned.as_json(), text: planned.as_text(Language::En) })
    }

    /// Goes on with a run that is paused or has no active driver.
    pub async fn resume(&self, run: &RunId) -> Result<(), AppError> {
        let first = first_input(&data::load_run(&self.0.log, run).await?.state)?;
        match (first, self.0.runs.standing(run)) {
            (_, Standing::Queued(..)) | (None, Standing::Driven(..) | Standing::Moving(_)) => Ok(()),
            (Some(input), _) => self.0.submit(run, input).await,
            (None, Standing::Absent) => self.0.drive(run, None).await,
        }
    }

    /// Looks at a run.
    pub async fn look(&self, run: &RunId) -> Result<ServedRun, AppError> {
        // Before the log is read, which then is never behind it: a run that ends in between would look left alone.
        let (driver, queued_behind) = self.standing(run).await;
        let loaded = data::load_run(&self.0.log, run).await?;
        let mut view = RunView::of(&loaded.state, &loaded.records);
        view.error = self.0.runs.failure_of(run).or(view.error);
        Ok(ServedRun { view, driver, queued_behind })
    }

    /// Who drives a run.
    pub async fn driver(&self, run: &RunId) -> Driver {
        self.standing(run).await.0
    }

    /// Who drives a run, and how many are before it if it waits in the queue.
    async fn standing(&self, run: &RunId) -> (Driver, Option<usize>) {
        match self.0.runs.standing(run) {
            Standing::Driven(..) | Standing::Moving(_) => (Driver::Here, None),
            Standing::Queued(_, before) => (Driver::Queued, Some(before)),
            Standing::Absent if self.0.app.data.leases().is_taken(run).await => (Driver::Elsewhere, None),
            Standing::Absent => (Driver::Nobody, None),
        }
    }

    /// Why a run could not be driven on here, if so.
    #[must_use]
    pub fn failure_of(&self, run: &RunId) -> Option<String> {
        self.0.runs.failure_of(run)
    }

    /// Finds a run by its name, by the beginning of its name, or as the `last` one.
    pub async fn find(&self, named: &str) -> Result<RunId, AppError> {
        data::find_run(&self.0.app.data, Some(&self.0.log), named).await
    }

    /// The runs that changed last, the latest first.
    pub async fn latest(&self, most: u32) -> Result<Vec<RunEntry>, AppError> {
        let filter = RunFilter { unfinished_only: false, limit: Some(most) };
        Ok(self.0.log.runs(filter).await?)
    }

    /// Answers an open question; a run without an active driver is resumed with it.
    pub async fn answer(&self, run: &RunId, gate: GateId, answer: Answer) -> Result<(), AppError> {
        let answer = self.0.app.answer_without_secrets(answer);
        self.0.submit(run, Input::Answered { gate, answer }).await
    }

    /// Stops everything that a run does and ends it.
    pub async fn cancel(&self, run: &RunId, reason: &str) -> Result<(), AppError> {
        let reason = self.0.app.without_secrets(reason.to_owned());
        self.0.submit(run, Input::Cancel { reason }).await
    }

    /// The progress of all runs that are driven here, from now on.
    #[must_use]
    pub fn progress(&self) -> broadcast::Receiver<ProgressOf> {
        self.0.progress.subscribe()
    }

    /// Returns when a run is idle: it has ended, has no active driver, or only waits for a person.
    /// With `after`, a run that waits counts only when something happened to it after that position.
    pub async fn rest(&self, run: &RunId, after: Option<Position>) -> Result<(), AppError> {
        let leases = self.0.app.data.leases();
        self.0.settled(run).await;
        let mut news = self.0.log.listen()?;
        let mut loaded = data::load_run(&self.0.log, run).await?;
        loop {
            let mut driver = self.0.settled(run).await.map(|remote| remote.snapshot());
            if driver.is_none() && !leases.is_taken(run).await {
                return Ok(());
            }
            // Taken before the log is read, which then is never behind it.
            let snapshot = driver.as_mut().map(|driver| driver.borrow_and_update().clone());
            loaded.catch_up(&self.0.log).await?;
            if rests(&loaded.state, after, snapshot.as_ref()) {
                return Ok(());
            }
            tokio::select! {
                heard = news.changed() => heard?,
                () = moved(driver.as_mut()), if driver.is_some() => {}
                // A driver elsewhere announces what it does on the log, and its end nowhere.
                () = leases.released(run), if snapshot.is_none() => {}
            }
        }
    }
}

/// Returns when the driver has something new to show, or has ended; then it is removed in a moment.
async fn moved(driver: Option<&mut watch::Receiver<RunSnapshot>>) {
    if let Some(driver) = driver
        && driver.changed().await.is_err()
    {
        tokio::task::yield_now().await;
    }
}

/// Whether a run rests by its log, and its driver knows it: the driver may be behind for a moment.
fn rests(state: &RunState, after: Option<Position>, snapshot: Option<&RunSnapshot>) -> bool {
    let is_waiting = |status| matches!(status, RunStatus::WaitingHuman | RunStatus::Paused);
    let later = after.is_none_or(|after| state.position() > after);
    match snapshot {
        // Whoever asks next finds it driven by nobody.
        Some(snapshot) if !is_waiting(snapshot.status) || snapshot.busy => false,
        Some(snapshot) => {
            state.status().is_end() || (is_waiting(state.status()) && later && is_of(snapshot, state))
        }
        None => state.status().is_end() || (is_waiting(state.status()) && later),
    }
}

/// Whether a driver's snapshot is that of the state.
fn is_of(snapshot: &RunSnapshot, state: &RunState) -> bool {
    let open = state.open_questions();
    snapshot.status == state.status()
        && snapshot.questions.len() == open.len()
        && snapshot.questions.iter().all(|(gate, question)| open.get(gate) == Some(question))
}

/// A server drives many runs, and every core has its own.
fn spread(runtime: Runtime) -> Result<Runtime, AppError> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    runtime.spread_over(threads).map_err(|error| {
        AppError::failed(both!(
            "cannot start threads for runs: {error}; the limit of processes of this user may be reached (`ulimit -u`)",
            "no se pueden iniciar hilos para las ejecuciones: {error}; puede haberse alcanzado el límite de procesos de \
             este usuario (`ulimit -u`)"
        ))
    })
}

/// As many runs at once as this process has open files for, said if that is fewer than configured.
fn within_open_files(limits: Serve) -> Serve {
    let Some((most, files)) = candor_process::programs_at_once() else { return limits };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if most < limits.max_active_runs {
        let wanted = limits.max_active_runs;
        tell!(
            "at most {most} runs are driven at once, not {wanted}: this process may open {files} files (ulimit -n)",
            "como mucho {most} ejecuciones a la vez, no {wanted}: este proceso puede abrir {files} archivos (ulimit -n)"
        );
    }
    Serve { max_active_runs: limits.max_active_runs.min(most), ..limits }
}

/// The words of a goal, if there are any.
fn said(goal: &str) -> Result<String, AppError> {
    if goal.trim().is_empty() {
        return Err(AppError::usage(both!(
            "the goal is empty; say in plain words what is to be reached",
            "el objetivo está vacío; decir con palabras sencillas qué se quiere alcanzar"
        )));
    }
    Ok(goal.to_owned())
}
