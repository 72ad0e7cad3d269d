//! Which runs are driven when: as many at once as the configuration says, the others in the order in which they came.
//!
//! A run is on the log before anybody hears of it; what waits is paused there, so that it can be resumed if the server
//! ends. A run that only waits for a person gives its place to one of the queue and is resumed with the answer. What
//! begins or ends drives happens in tasks of its own: a call that is taken back leaves nothing half done.

use std::sync::Arc;
use std::time::Instant;

use candor_engine::Input;
use candor_model::{Position, RunId};
use candor_ports::Leases;
use candor_runtime::{DriveError, RunHandle, RunOrder, RunRemote};
use candor_text::both;

use super::Shared;
use super::runs::{Admitted, Standing};
use crate::data;
use crate::drive::{Begin, first_input};
use crate::error::AppError;
use crate::run_metrics;

/// What the reason of a pause begins with that is only there because a run waits in the queue.
pub(super) const QUEUED: &str = recorded!("queued by the server");

/// How long the keeping of figures rests after each run, in times of what it took.
const PAUSE_PER_WORK: u32 = 3;

impl Shared {
    /// Stores a run, and drives it now or when it is its turn. Returns where its log ended when it was stored.
    pub(super) async fn start(self: &Arc<Self>, order: RunOrder) -> Result<Position, AppError> {
        let run = order.run_id.clone();
        let admitted = self.runs.admit(&run)?;
        if matches!(admitted, Admitted::Already) {
            self.settled(&run).await;
            return Err(AppError::failed(both!(
                "run {run} has begun already",
                "la ejecución {run} ya ha empezado"
            )));
        }
        let shared = Arc::clone(self);
        let stored = self.tasks.spawn(async move {
            let Admitted::Later(active) = admitted else { return shared.start_now(order).await };
            let reason = in_english!(
                "{QUEUED}: {active} runs are driven, the most at once ([serve] max_active_runs); the \
                 server resumes it when it is its turn, `candor resume {run}` drives it now"
            );
            match shared.runtime.store(order, Some(reason)).await {
                Ok(position) => {
                    shared.enqueue(&run).await;
                    Ok(position)
                }
                Err(error) => {
                    shared.runs.withdraw();
                    Err(error.into())
                }
            }
        });
        stored.await.map_err(AppError::failed)?
    }

    async fn start_now(self: Arc<Self>, order: RunOrder) -> Result<Position, AppError> {
        let run = order.run_id.clone();
        if order.material.is_some() {
            // A plan's inputs may hold secrets, which only the process has that takes them from the caller.
            self.begin(Begin::Start(Box::new(order))).await?;
            return Ok(self.log.head(&run).await?);
        }
        let position = match self.runtime.store(order, None).await {
            Ok(position) => position,
            Err(error) => {
                self.runs.not_begun(&run, None);
                self.advance();
                return Err(error.into());
            }
        };
        let shared = Arc::clone(&self);
        self.tasks.spawn(async move {
            let begun = shared.begin(Begin::Resume { run: run.clone(), first: None }).await;
            shared.tell_failure(&run, begun);
        });
        Ok(position)
    }

    /// Resumes a run, now or when it is its turn; what it is given is durable on return.
    pub(super) async fn drive(self: &Arc<Self>, run: &RunId, first: Option<Input>) -> Result<(), AppError> {
        let (shared, run) = (Arc::clone(self), run.clone());
        let driven = match self.runs.admit(&run)? {
            Admitted::Already => return Ok(()),
            Admitted::Now => {
                self.tasks.spawn(async move { shared.begin(Begin::Resume { run, first }).await })
            }
            Admitted::Later(_) => self.tasks.spawn(async move {
                // Whoever is resumed later is given that then.
                let Some(input) = first.filter(|input| !matches!(input, Input::Resume)) else {
                    shared.enqueue(&run).await;
                    return Ok(());
                };
                match shared.runtime.submit(run.clone(), input).await {
                    Ok(status) if !status.is_end() => shared.enqueue(&run).await,
                    // It was cancelled, or could not be given that: either way it needs no place.
                    ended => {
                        shared.runs.withdraw();
                        ended?;
                    }
                }
                Ok(())
            }),
        };
        driven.await.map_err(AppError::failed)?
    }

    /// Begins a fork, beyond the limit if need be: somebody decided on it, and it has nothing to wait with.
    pub(super) async fn fork(self: &Arc<Self>, fork: Begin) -> Result<(), AppError> {
        self.runs.admit_anyway(fork.run())?;
        let shared = Arc::clone(self);
        self.tasks.spawn(async move { shared.begin(fork).await }).await.map_err(AppError::failed)?
    }

    /// Gives a run an input: to its driver here or elsewhere; if it has none, it is resumed.
    pub(super) async fn submit(self: &Arc<Self>, run: &RunId, input: Input) -> Result<(), AppError> {
        loop {
            match self.runs.standing(run) {
                Standing::Driven(remote, changed) => match remote.submit(input.clone()).await {
                    // It has just ended; in a moment it is on the log only.
                    Err(DriveError::Gone { .. }) => changed.cancelled().await,
                    given => return Ok(given?),
                },
                Standing::Moving(changed) => changed.cancelled().await,
                Standing::Queued(..) => self.runs.dequeue(run),
                Standing::Absent if self.app.data.leases().is_taken(run).await => {
                    self.runtime.submit(run.clone(), input).await?;
                    return Ok(());
                }
                Standing::Absent => return self.drive(run, Some(input)).await,
            }
        }
    }

    /// The driver of a run, once it neither waits in the queue nor begins or stops to be driven; nothing if there is none
    /// here.
    pub(super) async fn settled(&self, run: &RunId) -> Option<RunRemote> {
        loop {
            match self.runs.standing(run) {
                Standing::Driven(remote, _) => return Some(remote),
                Standing::Moving(changed) | Standing::Queued(changed, _) => changed.cancelled().await,
                Standing::Absent => return None,
            }
        }
    }

    /// Stops driving; returns the runs that have not ended.
    pub(super) async fn leave(&self) -> Vec<RunId> {
        self.runs.close();
        for (_, remote) in self.runs.driven() {
            self.tasks.spawn(async move { remote.leave().await });
        }
        self.tasks.close();
        self.tasks.wait().await;
        self.runs.left()
    }

    /// Puts a stored run in the queue, and has those give way to it that only wait for a person.
    async fn enqueue(self: &Arc<Self>, run: &RunId) {
        if !self.runs.enqueue(run) {
            return;
        }
        self.advance();
        for (other, remote) in self.runs.driven() {
            let gives_way = self.runs.gives_way(&other, &remote.snapshot().borrow());
            if gives_way {
                remote.leave().await;
            }
        }
    }

    /// Begins runs of the queue while there are places.
    fn advance(self: &Arc<Self>) {
        while let Some(run) = self.runs.next() {
            let shared = Arc::clone(self);
            self.tasks.spawn(async move {
                let begun = shared.begin_queued(&run).await;
                shared.tell_failure(&run, begun);
            });
        }
    }

    /// Begins to drive a run that waited, unless it was ended meanwhile.
    async fn begin_queued(self: &Arc<Self>, run: &RunId) -> Result<(), AppError> {
        let loaded = data::load_run(&self.log, run).await;
        let first = loaded.and_then(|loaded| match loaded.state.status().is_end() {
            true if !loaded.state.can_resume() => Ok(None),
            _ => first_input(&loaded.state).map(Some),
        });
        match first {
            Ok(Some(first)) => self.begin(Begin::Resume { run: run.clone(), first }).await,
            other => {
                self.runs.not_begun(run, None);
                self.advance();
                other.map(|_| ())
            }
        }
    }

    /// Begins to drive a run that has a place, and watches over it.
    async fn begin(self: &Arc<Self>, begin: Begin) -> Result<(), AppError> {
        let run = &begin.run().clone();
        let begun = async {
            let _turn = self.beginning.acquire().await.map_err(AppError::failed)?;
            let lease = self.app.claim(run).await?;
            self.app.begin(&self.runtime, begin, lease).await
        };
        match begun.await {
            Ok(handle) => {
                if !self.runs.begun(run, handle.remote()) {
                    handle.remote().leave().await;
                }
                self.tasks.spawn(Arc::clone(self).watch(handle));
                Ok(())
            }
            Err(error) => {
                self.runs.not_begun(run, None);
                self.advance();
                Err(error)
            }
        }
    }

    /// Nobody waits for what is begun here, so that it fails is told to whoever looks.
    fn tell_failure(&self, run: &RunId, begun: Result<(), AppError>) {
        if let Err(error) = begun {
            let problem = in_english!("run {run} could not be driven: {error}");
            tell!(
                "run {run} could not be driven: {error}",
                "la ejecución {run} no se pudo llevar a cabo: {error}"
            );
            self.runs.not_begun(run, Some(problem));
        }
    }

    /// Waits until a run is not driven any more, and gives its place to the next.
    async fn watch(self: Arc<Self>, handle: RunHandle) {
        let (run, remote) = (handle.run_id().clone(), handle.remote());
        let mut snapshot = remote.snapshot();
        loop {
            let gives_way = self.runs.gives_way(&run, &snapshot.borrow_and_update());
            if gives_way {
                remote.leave().await;
            }
            if snapshot.changed().await.is_err() {
                break;
            }
        }
        self.runs.ended(&run, handle.ended().await);
        self.advance();
        // Nobody waits for it when the server stops: what was not kept is computed when it is asked for.
        tokio::spawn(self.keep_metrics(run));
    }

    /// Keeps what a run adds to the figures over all runs. One at a time, and with pauses: runs come first.
    async fn keep_metrics(self: Arc<Self>, run: RunId) {
        let Ok(_turn) = self.keeping_metrics.acquire().await else { return };
        let begun = Instant::now();
        // A log that cannot be read is told of by whoever looks at the run.
        let _ = run_metrics::keep_ended(&self.log, &run).await;
        tokio::time::sleep(begun.elapsed() * PAUSE_PER_WORK).await;
    }
}
