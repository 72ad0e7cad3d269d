//! Pre-warmed interpreters: each takes one job and is then replaced.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use candor_ports::{CodeJob, CodeOutcome, CodeRun};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::PythonError;
use super::worker::{Plan, Tried, Worker};

/// How many pre-warmed interpreters may die before they take a job until no more are started.
const MOST_TRIES: usize = 5;
/// How long a job has the machine to itself before another Python is started.
const REFILL_AFTER: Duration = Duration::from_millis(50);

/// The pre-warmed interpreters.
pub(super) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    plan: Plan,
    wanted: usize,
    state: Mutex<State>,
    closed: CancellationToken,
}

#[derive(Default)]
struct State {
    idle: VecDeque<Worker>,
    /// How many are being started.
    coming: usize,
}

impl Pool {
    pub(super) fn new(plan: Plan, wanted: usize) -> Self {
        let state = Mutex::new(State::default());
        Self { shared: Arc::new(Shared { plan, wanted, state, closed: CancellationToken::new() }) }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.shared.plan
    }

    pub(super) fn waiting(&self) -> usize {
        self.shared.state().idle.len()
    }

    /// Starts those that are missing, one after another.
    pub(super) async fn fill(&self) -> Result<(), PythonError> {
        self.shared.fill().await
    }

    pub(super) fn close(&self) {
        self.shared.closed.cancel();
        self.shared.state().idle.clear();
    }

    /// Runs a job in a Python that waits, or in one that is started for it.
    pub(super) async fn run(&self, job: &CodeJob, stop: CancellationToken) -> Result<CodeRun, PythonError> {
        let began = Instant::now();
        let mut last = None;
        for _ in 0..MOST_TRIES {
            let taken = self.shared.take();
            let over = CancellationToken::new();
            let _when_left = over.clone().drop_guard();
            self.refill(over);
            let worker = match taken {
                Some(worker) => worker,
                None => tokio::select! {
                    started = Worker::start(&self.shared.plan) => started?,
                    () = stop.cancelled() => return Ok(stopped(began)),
                },
            };
            match worker.run(&self.shared.plan, job, stop.clone()).await? {
                Tried::Ran(run) => return Ok(run),
                // Nothing of the job was begun: another one can have it.
                Tried::WasDead(error) => last = Some(error),
            }
        }
        let ended = || PythonError::Ended { ended: format!("{MOST_TRIES} times"), said: String::new() };
        Err(last.unwrap_or_else(ended))
    }

    /// Has the missing ones started in the background, when the job is over or has had a moment to itself: most
    /// are short, and a start beside them takes longer than they do. When a start fails, the next job finds out why.
    fn refill(&self, over: CancellationToken) {
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let _ = timeout(REFILL_AFTER, over.cancelled()).await;
            let _ = shared.fill().await;
        });
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// A lock that somebody panicked with is as good as any: nothing is half done while it is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Worker> {
        let mut state = self.state();
        while let Some(mut worker) = state.idle.pop_front() {
            if worker.is_alive() {
                return Some(worker);
            }
        }
        None
    }

    async fn fill(&self) -> Result<(), PythonError> {
        while let Some(_coming) = self.begin() {
            let started = tokio::select! {
                () = self.closed.cancelled() => return Ok(()),
                started = Worker::start(&self.plan) => started?,
            };
            let mut state = self.state();
            if !self.closed.is_cancelled() {
                state.idle.push_back(started);
            }
        }
        Ok(())
    }

    /// Notes that one more is being started, if one is missing.
    fn begin(&self) -> Option<Coming<'_>> {
        let mut state = self.state();
        let missing = state.idle.len() + state.coming < self.wanted && !self.closed.is_cancelled();
        state.coming += usize::from(missing);
        missing.then(|| Coming(self))
    }
}

/// One that is being started, whatever comes of it.
struct Coming<'a>(&'a Shared);

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.coming = state.coming.saturating_sub(1);
    }
}

fn stopped(began: Instant) -> CodeRun {
    CodeRun {
        outcome: CodeOutcome::Stopped,
        stdout: String::new(),
        stderr: String::new(),
        warnings: Vec::new(),
        duration: began.elapsed(),
    }
}
