//! The runs that this process drives side by side, and those that wait for their turn.
//!
//! The table is locked for moments only, never while something is awaited: what takes time happens in tasks of their own,
//! which change the table when it is done.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_model::{RunId, RunStatus};
use candor_runtime::{DriveError, RunRemote, RunSnapshot};
use candor_text::both;
use tokio_util::sync::CancellationToken;

use crate::config::Serve;
use crate::error::AppError;

/// The runs that are driven here or wait for it. A clone is another handle to the same.
#[derive(Clone)]
pub(super) struct Runs(Arc<Mutex<RunTable>>);

struct RunTable {
    limits: Serve,
    driven: BTreeMap<RunId, Place>,
    /// In the order in which they came.
    queue: VecDeque<RunId>,
    /// For each run of the queue: cancelled when it leaves the queue.
    queued: BTreeMap<RunId, CancellationToken>,
    /// How many are being stored, and join the queue when they are.
    storing: usize,
    /// Why runs could not be driven on, until they are resumed.
    failed: BTreeMap<RunId, String>,
    /// Those that had not ended when the server stopped.
    left: Vec<RunId>,
    /// Nothing is begun any more.
    closed: bool,
}

/// What a run has its place for. The token is cancelled when that changes.
enum Place {
    /// It is about to be driven.
    Beginning(CancellationToken),
    /// A driver is at work in this process.
    Driven(RunRemote, CancellationToken),
    /// Its driver was asked to stop: the run only waits for a person, and others wait for a place.
    Leaving(CancellationToken),
}

impl Place {
    const fn changed(&self) -> &CancellationToken {
        match self {
            Self::Beginning(changed) | Self::Driven(_, changed) | Self::Leaving(changed) => changed,
        }
    }
}

/// What came of asking for a place.
pub(super) enum Admitted {
    /// It has one, and is to be driven.
    Now,
    /// It may join the queue once it is stored; so many are driven at the moment.
    Later(usize),
    /// It has one already, or waits for one.
    Already,
}

/// How a run stands with this process. The token is cancelled when that changes.
pub(super) enum Standing {
    /// It is driven here.
    Driven(RunRemote, CancellationToken),
    /// It begins or stops to be driven here.
    Moving(CancellationToken),
    /// It waits in the queue, behind so many.
    Queued(CancellationToken, usize),
    /// This process has nothing to do with it.
    Absent,
}

impl Runs {
    pub(super) fn new(limits: Serve) -> Self {
        Self(Arc::new(Mutex::new(RunTable {
            limits: Serve { max_active_runs: limits.max_active_runs.max(1), ..limits },
            driven: BTreeMap::new(),
            queue: VecDeque::new(),
            queued: BTreeMap::new(),
            storing: 0,
            failed: BTreeMap::new(),
            left: Vec::new(),
            closed: false,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, RunTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a run a place, or lets it join the queue: then [`Runs::enqueue`] or [`Runs::withdraw`] must follow.
    pub(super) fn admit(&self, run: &RunId) -> Result<Admitted, AppError> {
        let mut table = self.lock();
        if table.closed {
            return Err(stopping());
        }
        if table.driven.contains_key(run) || table.queued.contains_key(run) {
            return Ok(Admitted::Already);
        }
        let (active, queued) = (table.driven.len(), table.queue.len() + table.storing);
        if active < table.limits.max_active_runs && queued == 0 {
            table.driven.insert(run.clone(), Place::Beginning(CancellationToken::new()));
            return Ok(Admitted::Now);
        }
        if queued >= table.limits.max_queued_runs {
            return Err(AppError::failed(both!(
                "the server is full: {active} runs are driven and {queued} wait, as many as max_active_runs and \
                 max_queued_runs under [serve] allow. Nothing was begun; try again later",
                "el servidor está lleno: {active} ejecuciones en marcha y {queued} en espera, tantas como permiten \
                 max_active_runs y max_queued_runs en [serve]. No se empezó nada; volver a intentarlo más tarde"
            )));
        }
        table.storing += 1;
        Ok(Admitted::Later(active))
    }

    /// Gives a run a place, whatever the limit.
    pub(super) fn admit_anyway(&self, run: &RunId) -> Result<(), AppError> {
        let mut table = self.lock();
        if table.closed {
            return Err(stopping());
        }
        table.put(run, Place::Beginning(CancellationToken::new()));
        Ok(())
    }

    /// A run that may join the queue is stored, and joins it. False if the server stops: then it stays on the log.
    pub(super) fn enqueue(&self, run: &RunId) -> bool {
        let mut table = self.lock();
        table.storing = table.storing.saturating_sub(1);
        if table.closed {
            table.left.push(run.clone());
            return false;
        }
        table.queue.push_back(run.clone());
        table.queued.insert(run.clone(), CancellationToken::new());
        true
    }

    /// A run that may join the queue was not stored.
    pub(super) fn withdraw(&self) {
        let mut table = self.lock();
        table.storing = table.storing.saturating_sub(1);
    }

    /// Takes a run out of the queue.
    pub(super) fn dequeue(&self, run: &RunId) {
        let mut table = self.lock();
        table.queue.retain(|other| other != run);
        if let Some(changed) = table.queued.remove(run) {
            changed.cancel();
        }
    }

    /// The next run of the queue, if there is a place for it; it has that place from here on.
    pub(super) fn next(&self) -> Option<RunId> {
        let mut table = self.lock();
        if table.closed || table.driven.len() >= table.limits.max_active_runs {
            return None;
        }
        let run = table.queue.pop_front()?;
        table.driven.insert(run.clone(), Place::Beginning(CancellationToken::new()));
        if let Some(changed) = table.queued.remove(&run) {
            changed.cancel();
        }
        Some(run)
    }

    /// A run that had a place is driven. False if its driver is to stop at once, because the server does.
    pub(super) fn begun(&self, run: &RunId, remote: RunRemote) -> bool {
        let mut table = self.lock();
        table.failed.remove(run);
        table.put(run, Place::Driven(remote, CancellationToken::new()));
        !table.closed
    }

    /// Has a run give its place to another if it only waits for a person: true if its driver is to stop.
    pub(super) fn gives_way(&self, run: &RunId, snapshot: &RunSnapshot) -> bool {
        let rests = matches!(snapshot.status, RunStatus::WaitingHuman | RunStatus::Paused) && !snapshot.busy;
        let mut table = self.lock();
        let gives =
            rests && !table.queue.is_empty() && matches!(table.driven.get(run), Some(Place::Driven(..)));
        if gives {
            table.put(run, Place::Leaving(CancellationToken::new()));
        }
        gives
    }

    /// A run is not driven any more, for this reason.
    pub(super) fn ended(&self, run: &RunId, ended: Result<RunStatus, DriveError>) {
        let mut table = self.lock();
        let gave_way = matches!(table.driven.get(run), Some(Place::Leaving(_)));
        if let Some(place) = table.driven.remove(run) {
            place.changed().cancel();
        }
        match ended {
            Ok(status) if status.is_end() => {}
            Ok(_) if table.closed => table.left.push(run.clone()),
            // It had something to do again before its driver heard that it was to stop.
            Ok(status) if gave_way && !matches!(status, RunStatus::WaitingHuman | RunStatus::Paused) => {
                table.queue.push_front(run.clone());
                table.queued.insert(run.clone(), CancellationToken::new());
            }
            Ok(_) => {}
            Err(error) => {
                let problem = in_english!("run {run} could not be driven on: {error}");
                tell!(
                    "run {run} could not be driven on: {error}",
                    "la ejecución {run} no pudo seguir: {error}"
                );
                table.failed.insert(run.clone(), problem);
            }
        }
    }

    /// A run that had a place was not begun, for this reason.
    pub(super) fn not_begun(&self, run: &RunId, why: Option<String>) {
        let mut table = self.lock();
        if let Some(place) = table.driven.remove(run) {
            place.changed().cancel();
        }
        if let Some(why) = why {
            table.failed.insert(run.clone(), why);
        }
    }

    /// The runs that are driven here.
    pub(super) fn driven(&self) -> Vec<(RunId, RunRemote)> {
        let table = self.lock();
        let driven = table.driven.iter().filter_map(|(run, place)| match place {
            Place::Driven(remote, _) => Some((run.clone(), remote.clone())),
            _ => None,
        });
        driven.collect()
    }

    pub(super) fn standing(&self, run: &RunId) -> Standing {
        let table = self.lock();
        match table.driven.get(run) {
            Some(Place::Driven(remote, changed)) => Standing::Driven(remote.clone(), changed.clone()),
            Some(place) => Standing::Moving(place.changed().clone()),
            None => match table.queued.get(run) {
                Some(changed) => {
                    let before = table.queue.iter().position(|other| other == run).unwrap_or_default();
                    Standing::Queued(changed.clone(), before)
                }
                None => Standing::Absent,
            },
        }
    }

    /// Why a run could not be driven on, if so.
    pub(super) fn failure_of(&self, run: &RunId) -> Option<String> {
        self.lock().failed.get(run).cloned()
    }

    /// Begins nothing any more; what waits stays on the log.
    pub(super) fn close(&self) {
        let mut table = self.lock();
        table.closed = true;
        let waited = std::mem::take(&mut table.queue);
        table.left.extend(waited);
        for changed in std::mem::take(&mut table.queued).into_values() {
            changed.cancel();
        }
    }

    /// The runs that had not ended when the server stopped.
    pub(super) fn left(&self) -> Vec<RunId> {
        std::mem::take(&mut self.lock().left)
    }
}

impl RunTable {
    fn put(&mut self, run: &RunId, place: Place) {
        if let Some(before) = self.driven.insert(run.clone(), place) {
            before.changed().cancel();
        }
    }
}

fn stopping() -> AppError {
    AppError::failed(both!(
        "the server stops, and begins nothing any more",
        "el servidor se detiene y ya no empieza nada"
    ))
}
