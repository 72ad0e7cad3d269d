//! The runs that this process drives, side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_engine::Input;
use candor_model::RunId;
use candor_runtime::{DriveError, RunHandle, RunSnapshot};
use tokio::sync::{RwLock, watch};

use crate::error::AppError;

/// The runs that are driven here.
#[derive(Default)]
pub(super) struct Runs(Arc<RwLock<RunTable>>);

#[derive(Default)]
struct RunTable {
    driven: BTreeMap<RunId, RunHandle>,
    /// Why runs could not be driven on, until they are taken up again.
    failed: BTreeMap<RunId, String>,
    /// Nothing is begun any more.
    closed: bool,
}

impl Runs {
    /// Keeps a run that sets out, until it has ended. It is either kept or has not begun, whatever happens to the
    /// caller in between.
    pub(super) async fn keep(
        &self,
        begun: impl Future<Output = Result<RunHandle, AppError>>,
    ) -> Result<(), AppError> {
        let mut table = self.0.write().await;
        if table.closed {
            return Err(AppError::failed("the server stops, and begins nothing any more"));
        }
        let handle = begun.await?;
        let (run, snapshot) = (handle.run_id().clone(), handle.snapshot());
        table.failed.remove(&run);
        table.driven.insert(run.clone(), handle);
        tokio::spawn(remove_when_ended(Arc::clone(&self.0), run, snapshot));
        Ok(())
    }

    /// Gives an input to a run that is driven here; nothing if it is not.
    pub(super) async fn submit(&self, run: &RunId, input: &Input) -> Option<Result<(), DriveError>> {
        let table = self.0.read().await;
        match table.driven.get(run)?.submit(input.clone()).await {
            // It has just ended; whoever looks next finds it on the log only.
            Err(DriveError::Gone { .. }) => None,
            given => Some(given),
        }
    }

    /// Where a run that is driven here stands.
    pub(super) async fn snapshot(&self, run: &RunId) -> Option<watch::Receiver<RunSnapshot>> {
        self.0.read().await.driven.get(run).map(RunHandle::snapshot)
    }

    /// Whether a run is driven here.
    pub(super) async fn has(&self, run: &RunId) -> bool {
        self.0.read().await.driven.contains_key(run)
    }

    /// Why a run could not be driven on, if so.
    pub(super) async fn failure_of(&self, run: &RunId) -> Option<String> {
        self.0.read().await.failed.get(run).cloned()
    }

    /// Stops driving all of them; returns those that have not ended.
    pub(super) async fn leave(&self) -> Vec<RunId> {
        let driven = {
            let mut table = self.0.write().await;
            table.closed = true;
            std::mem::take(&mut table.driven)
        };
        let leaving: Vec<_> =
            driven.into_iter().map(|(run, handle)| (run, tokio::spawn(handle.leave()))).collect();
        let mut left = Vec::new();
        for (run, leaving) in leaving {
            match leaving.await {
                Ok(Ok(status)) if status.is_end() => {}
                _ => left.push(run),
            }
        }
        left
    }
}

/// Waits until a run's driver has come to its end, and takes note of how.
async fn remove_when_ended(
    table: Arc<RwLock<RunTable>>,
    run: RunId,
    mut snapshot: watch::Receiver<RunSnapshot>,
) {
    while snapshot.changed().await.is_ok() {}
    let mut table = table.write().await;
    // It may have been resumed meanwhile.
    let is_ours = table.driven.get(&run).is_some_and(|handle| handle.snapshot().same_channel(&snapshot));
    if !is_ours {
        return;
    }
    let Some(handle) = table.driven.remove(&run) else { return };
    if let Err(error) = handle.ended().await {
        let problem = format!("run {run} could not be driven on: {error}");
        eprintln!("candor: {problem}");
        table.failed.insert(run, problem);
    }
}
