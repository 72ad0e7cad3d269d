//! What a server offers of an installation: plans, runs that are driven side by side, and their progress.

mod control;
mod feed;
mod runs;

use std::path::Path;
use std::sync::Arc;

use candor_engine::{Input, RunState};
use candor_model::{Answer, EventBody, GateId, Position, ProgressUpdate, Recorded, RunId, RunStatus};
use candor_ports::{Leases, Observer, RunEntry, RunFilter};
use candor_projections::run_view::RunView;
use candor_runtime::{RunSnapshot, Runtime};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

pub use self::control::{StartRequest, Started};
use self::feed::Feed;
pub use self::feed::Follower;
use self::runs::Runs;
use crate::data::{self, Log};
use crate::drive::{Begin, first_input};
use crate::error::AppError;
use crate::planned::Planned;
use crate::wiring::{AgentScope, App, ModelUse};

/// How much progress may wait for a slow listener; older progress is of no interest.
const PROGRESS_KEPT: usize = 256;

/// One step forward of one run.
pub type ProgressOf = (RunId, ProgressUpdate);

/// An installation that a server offers to others.
pub struct Service {
    app: App,
    log: Log,
    runtime: Runtime,
    models: ModelUse,
    runs: Runs,
    progress: broadcast::Sender<ProgressOf>,
    feed: Feed,
}

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
    /// Who drives it.
    pub driver: Driver,
}

/// Who drives a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// This process.
    Here,
    /// Another process.
    Elsewhere,
    /// Nobody at the moment.
    Nobody,
}

/// Passes on what happens.
struct Relay {
    progress: broadcast::Sender<ProgressOf>,
    feed: Feed,
}

impl Observer for Relay {
    fn on_events(&self, run: &RunId, events: &[Recorded]) {
        self.feed.wake();
        for recorded in events {
            if let EventBody::Progressed { update } = &recorded.event.body {
                // Most of the time nobody listens.
                let _ = self.progress.send((run.clone(), update.clone()));
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
        let observer = Arc::new(Relay { progress: progress.clone(), feed: feed.clone() });
        let runtime =
            app.runtime_with_models(log.clone(), &[], tiers.as_ref(), Some(observer), AgentScope::All)?;
        Ok(Self { app, log, runtime, models, runs: Runs::default(), progress, feed })
    }

    /// The data folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.app.data.path()
    }

    /// Stops driving, for good; returns the runs that have not ended and can be taken up again.
    pub async fn leave(&self) -> Vec<RunId> {
        let left = self.runs.leave().await;
        self.app.close().await;
        left
    }

    /// Makes the plan for a goal, and keeps nothing.
    pub async fn plan(&self, goal: &str) -> Result<PlanView, AppError> {
        let goal = said(goal)?;
        let experience = self.log.experience().await?;
        let planned = Planned::of(&self.app, experience, goal, self.models.clone()).await?;
        Ok(PlanView { data: planned.as_json(), text: planned.as_text() })
    }

    /// Begins a run and drives it. It returns once the goal is stored; from then on the run can be found.
    pub async fn start(&self, goal: &str, unattended: Option<bool>) -> Result<RunId, AppError> {
        let request = StartRequest { goal: Some(goal.to_owned()), unattended, ..StartRequest::default() };
        Ok(self.begin(request).await?.run)
    }

    async fn drive(&self, begin: Begin) -> Result<(), AppError> {
        let run = begin.run().clone();
        let begun = async {
            let lease = self.app.claim(&run).await?;
            self.app.begin(&self.runtime, begin, lease).await
        };
        self.runs.keep(begun).await
    }

    /// Gives a run an input: to its driver here or elsewhere; if it has none, it is taken up.
    async fn submit(&self, run: &RunId, input: Input) -> Result<(), AppError> {
        if let Some(given) = self.runs.submit(run, &input).await {
            return Ok(given?);
        }
        if self.app.data.leases().is_taken(run).await {
            self.runtime.submit(run.clone(), input).await?;
            return Ok(());
        }
        self.drive(Begin::Resume { run: run.clone(), first: Some(input) }).await
    }

    /// Goes on with a run that is paused or has no active driver.
    pub async fn resume(&self, run: &RunId) -> Result<(), AppError> {
        let first = first_input(&data::load_run(&self.log, run).await?.state)?;
        match first {
            Some(input) => self.submit(run, input).await,
            None if self.runs.has(run).await => Ok(()),
            None => self.drive(Begin::Resume { run: run.clone(), first: None }).await,
        }
    }

    /// Looks at a run.
    pub async fn look(&self, run: &RunId) -> Result<ServedRun, AppError> {
        let loaded = data::load_run(&self.log, run).await?;
        let driver = self.driver(run).await;
        let mut view = RunView::of(&loaded.state, &loaded.records);
        view.error = self.runs.failure_of(run).await.or(view.error);
        Ok(ServedRun { view, driver })
    }

    /// Who drives a run.
    pub async fn driver(&self, run: &RunId) -> Driver {
        match (self.runs.has(run).await, self.app.data.leases().is_taken(run).await) {
            (true, _) => Driver::Here,
            (false, true) => Driver::Elsewhere,
            (false, false) => Driver::Nobody,
        }
    }

    /// Why a run could not be driven on here, if so.
    pub async fn failure_of(&self, run: &RunId) -> Option<String> {
        self.runs.failure_of(run).await
    }

    /// Finds a run by its name, by the beginning of its name, or as the `last` one.
    pub async fn find(&self, named: &str) -> Result<RunId, AppError> {
        data::find_run(&self.app.data, Some(&self.log), named).await
    }

    /// The runs that changed last, the latest first.
    pub async fn latest(&self, most: u32) -> Result<Vec<RunEntry>, AppError> {
        let filter = RunFilter { unfinished_only: false, limit: Some(most) };
        Ok(self.log.runs(filter).await?)
    }

    /// Answers an open question; a run without an active driver is resumed with it.
    pub async fn answer(&self, run: &RunId, gate: GateId, answer: Answer) -> Result<(), AppError> {
        let answer = self.app.answer_without_secrets(answer);
        self.submit(run, Input::Answered { gate, answer }).await
    }

    /// Stops everything that a run does and ends it.
    pub async fn cancel(&self, run: &RunId, reason: &str) -> Result<(), AppError> {
        let reason = self.app.without_secrets(reason.to_owned());
        self.submit(run, Input::Cancel { reason }).await
    }

    /// The progress of all runs that are driven here, from now on.
    #[must_use]
    pub fn progress(&self) -> broadcast::Receiver<ProgressOf> {
        self.progress.subscribe()
    }

    /// Returns when a run is idle: it has ended, has no active driver, or only waits for a person.
    /// With `after`, a run that waits counts only when something happened to it after that position.
    pub async fn rest(&self, run: &RunId, after: Option<Position>) -> Result<(), AppError> {
        let leases = self.app.data.leases();
        let mut news = self.log.listen()?;
        let mut loaded = data::load_run(&self.log, run).await?;
        loop {
            let mut driver = self.runs.snapshot(run).await;
            if driver.is_none() && !leases.is_taken(run).await {
                return Ok(());
            }
            // Taken before the log is read, which then is never behind it.
            let snapshot = driver.as_mut().map(|driver| driver.borrow_and_update().clone());
            loaded.catch_up(&self.log).await?;
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

/// The words of a goal, if there are any.
fn said(goal: &str) -> Result<String, AppError> {
    if goal.trim().is_empty() {
        return Err(AppError::usage("the goal is empty; say in plain words what is to be reached"));
    }
    Ok(goal.to_owned())
}
