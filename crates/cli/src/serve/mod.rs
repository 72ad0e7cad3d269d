//! The front api: what a service asks of Candor, done with the parts that the commands have.

mod run_view;
mod runs;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use candor_app::{App, Begin, Log, OrderRequest, Whom, find_run, first_input, fresh_run_id, look};
use candor_engine::{Input, RunState};
use candor_model::{Answer, EventBody, GateId, Position, Recorded, RunId, RunStatus};
use candor_ports::{BoxFuture, Observer, RunEntry, RunFilter};
use candor_runtime::{RunSnapshot, Runtime};
use candor_server::{Api, ApiError, Driver, PlanSight, ProgressOf, RunView};
use tokio::sync::broadcast;

use self::runs::Runs;
use crate::args::ModelOptions;
use crate::commands;
use crate::failure::Failure;

/// How much progress may wait for a slow listener; older progress is of no interest.
const PROGRESS_KEPT: usize = 256;

/// How often a run is looked at that somebody waits for.
const LOOK: Duration = Duration::from_millis(200);

/// Candor behind a counter.
pub(crate) struct FrontOffice {
    app: App,
    log: Log,
    runtime: Runtime,
    models: ModelOptions,
    runs: Runs,
    progress: broadcast::Sender<ProgressOf>,
}

/// Passes progress on.
struct Relay(broadcast::Sender<ProgressOf>);

impl Observer for Relay {
    fn on_events(&self, run: &RunId, events: &[Recorded]) {
        for recorded in events {
            if let EventBody::Progressed { update } = &recorded.event.body {
                // Most of the time nobody listens.
                let _ = self.0.send((run.clone(), update.clone()));
            }
        }
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        Self::new(failure)
    }
}

impl FrontOffice {
    /// Opens the log with everything that the configuration names. What is wrong with it is found here.
    pub(crate) fn open(app: App, models: ModelOptions) -> Result<Self, Failure> {
        app.staff(&[])?;
        let tiers = app.models(&models)?;
        let log = app.data.open()?;
        let (progress, _) = broadcast::channel(PROGRESS_KEPT);
        let observer = Arc::new(Relay(progress.clone()));
        let runtime = app.equipped(log.clone(), &[], tiers.as_ref(), Some(observer), Whom::Everyone)?;
        Ok(Self { app, log, runtime, models, runs: Runs::default(), progress })
    }

    /// The data folder.
    pub(crate) fn folder(&self) -> &Path {
        self.app.data.path()
    }

    /// Stops driving, for good; returns the runs that have not ended and can be taken up again.
    pub(crate) async fn leave(&self) -> Vec<RunId> {
        let left = self.runs.leave().await;
        self.app.close().await;
        left
    }

    async fn planned(&self, goal: &str) -> Result<PlanSight, Failure> {
        let words = said(goal)?;
        let experience = self.log.experience().await?;
        let planned = commands::planned(&self.app, experience, words, &self.models).await?;
        Ok(PlanSight { data: planned.as_json()?, text: planned.as_text() })
    }

    async fn started(&self, goal: &str, unattended: Option<bool>) -> Result<RunId, Failure> {
        let run_id = fresh_run_id()?;
        // Whoever calls can answer, unless somebody says otherwise.
        let unattended = unattended.or(self.app.config.unattended).unwrap_or(false);
        let request = OrderRequest { words: said(goal)?, goal: None, plan: None, unattended, learn: true };
        let order = self.app.order(run_id.clone(), request)?;
        self.drive(Begin::Start(Box::new(order))).await?;
        Ok(run_id)
    }

    async fn drive(&self, begin: Begin) -> Result<(), Failure> {
        let run = begin.run().clone();
        let set_out = async {
            let lease = self.app.claim(&run)?;
            Ok(self.app.set_out(&self.runtime, begin, lease).await?)
        };
        self.runs.keep(set_out).await
    }

    /// Gives a run an input: to its driver here or elsewhere; if it has none, it is taken up.
    async fn submit(&self, run: &RunId, input: Input) -> Result<(), Failure> {
        if let Some(given) = self.runs.submit(run, &input).await {
            return Ok(given?);
        }
        if self.app.data.is_driven(run) {
            self.runtime.submit(run.clone(), input).await?;
            return Ok(());
        }
        self.drive(Begin::TakeUp { run: run.clone(), first: Some(input) }).await
    }

    async fn resumed(&self, run: &RunId) -> Result<(), Failure> {
        let first = first_input(&look(&self.log, run).await?.state)?;
        match first {
            Some(input) => self.submit(run, input).await,
            None if self.runs.has(run).await => Ok(()),
            None => self.drive(Begin::TakeUp { run: run.clone(), first: None }).await,
        }
    }

    async fn looked(&self, run: &RunId) -> Result<RunView, Failure> {
        let looked = look(&self.log, run).await?;
        let driver = match (self.runs.has(run).await, self.app.data.is_driven(run)) {
            (true, _) => Driver::Here,
            (false, true) => Driver::Elsewhere,
            (false, false) => Driver::Nobody,
        };
        Ok(run_view::of(&looked, driver, self.runs.why_fallen(run).await))
    }

    async fn rested(&self, run: &RunId, after: Option<Position>) -> Result<(), Failure> {
        loop {
            let Some(mut snapshot) = self.runs.snapshot(run).await else {
                if !self.app.data.is_driven(run) || self.waits(run, after, None).await? {
                    return Ok(());
                }
                tokio::time::sleep(LOOK).await;
                continue;
            };
            let now = snapshot.borrow_and_update().clone();
            let idle = matches!(now.status, RunStatus::WaitingHuman | RunStatus::Paused) && !now.busy;
            if idle && self.waits(run, after, Some(&now)).await? {
                return Ok(());
            }
            // A change, the end of the driver, or nothing for a while: look again.
            let _ = tokio::time::timeout(LOOK, snapshot.changed()).await;
        }
    }

    /// Whether a run waits by its log, and its driver knows it: the driver may be behind for a moment.
    async fn waits(
        &self,
        run: &RunId,
        after: Option<Position>,
        snapshot: Option<&RunSnapshot>,
    ) -> Result<bool, Failure> {
        let state = look(&self.log, run).await?.state;
        let later = after.is_none_or(|after| state.position() > after);
        let waits = matches!(state.status(), RunStatus::WaitingHuman | RunStatus::Paused) && later;
        Ok(state.status().is_end() || (waits && snapshot.is_none_or(|snapshot| is_of(snapshot, &state))))
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
fn said(goal: &str) -> Result<String, Failure> {
    if goal.trim().is_empty() {
        return Err(Failure::usage("the goal is empty; say in plain words what is to be reached"));
    }
    Ok(goal.to_owned())
}

impl Api for FrontOffice {
    fn plan<'a>(&'a self, goal: &'a str) -> BoxFuture<'a, Result<PlanSight, ApiError>> {
        Box::pin(async move { Ok(self.planned(goal).await?) })
    }

    fn start<'a>(
        &'a self,
        goal: &'a str,
        unattended: Option<bool>,
    ) -> BoxFuture<'a, Result<RunId, ApiError>> {
        Box::pin(async move { Ok(self.started(goal, unattended).await?) })
    }

    fn find<'a>(&'a self, named: &'a str) -> BoxFuture<'a, Result<RunId, ApiError>> {
        Box::pin(
            async move { Ok(find_run(&self.app.data, Some(&self.log), named).await.map_err(Failure::from)?) },
        )
    }

    fn look<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<RunView, ApiError>> {
        Box::pin(async move { Ok(self.looked(run).await?) })
    }

    fn latest(&self, most: u32) -> BoxFuture<'_, Result<Vec<RunEntry>, ApiError>> {
        let filter = RunFilter { unfinished_only: false, limit: Some(most) };
        Box::pin(async move { Ok(self.log.runs(filter).await.map_err(Failure::from)?) })
    }

    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        gate: GateId,
        answer: Answer,
    ) -> BoxFuture<'a, Result<(), ApiError>> {
        let answer = self.app.answer_without_secrets(answer);
        Box::pin(async move { Ok(self.submit(run, Input::Answered { gate, answer }).await?) })
    }

    fn resume<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<(), ApiError>> {
        Box::pin(async move { Ok(self.resumed(run).await?) })
    }

    fn cancel<'a>(&'a self, run: &'a RunId, reason: &'a str) -> BoxFuture<'a, Result<(), ApiError>> {
        let reason = self.app.without_secrets(reason.to_owned());
        Box::pin(async move { Ok(self.submit(run, Input::Cancel { reason }).await?) })
    }

    fn rest<'a>(&'a self, run: &'a RunId, after: Option<Position>) -> BoxFuture<'a, Result<(), ApiError>> {
        Box::pin(async move { Ok(self.rested(run, after).await?) })
    }

    fn progress(&self) -> broadcast::Receiver<ProgressOf> {
        self.progress.subscribe()
    }
}
