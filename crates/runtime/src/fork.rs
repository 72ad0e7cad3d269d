//! A run that begins where another one once was.

use std::sync::Arc;

use candor_engine::{Input, RunState};
use candor_model::{
    CheckpointId, Event, EventBody, ForkedFrom, OutcomeRecord, Phase, Position, Recorded, RunId,
};
use candor_ports::Lease;

use crate::driver::Driver;
use crate::{DriveError, RunHandle, Runtime};

/// Where a fork begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkPoint {
    /// At this point of the other run.
    Checkpoint(CheckpointId),
    /// Where this phase had just been completed.
    After(Phase),
    /// At the last point there is.
    Latest,
}

impl Runtime {
    /// Begins a new run that shares the past of another up to a point, and drives it on from there. The other
    /// run is only read.
    pub async fn fork(
        &self,
        from: RunId,
        at: ForkPoint,
        new: RunId,
        prompt: Option<String>,
        lease: Option<Box<dyn Lease>>,
    ) -> Result<RunHandle, DriveError> {
        let past = self.shared.log.read(&from, Position::START).await?;
        if past.is_empty() {
            return Err(DriveError::UnknownRun { run: from });
        }
        let state = RunState::fold(from.clone(), &past)?;
        let (checkpoint, position, words) = point(&state, at)?;
        let shared = shared(&past, &ForkedFrom { run_id: from, checkpoint, position }, &new);
        self.shared.log.append(&new, Position::START, &shared).await?;
        let (session, clock) = self.open(new).await?;
        // The first phase's point outlives a change of the words; what both runs share may lie before it.
        let prompt = prompt.or_else(|| (session.state().request() != words).then(|| words.to_owned()));
        let onward = match prompt {
            Some(words) => Input::Restart { prompt: Some(words) },
            None => Input::RollBack { to: checkpoint, run_budget: None },
        };
        self.drive(Driver::new(Arc::clone(&self.shared), session, clock, lease), Some(onward), None).await
    }
}

fn point(state: &RunState, at: ForkPoint) -> Result<(CheckpointId, Position, &str), DriveError> {
    let points = state.checkpoints();
    let wanted = match at {
        ForkPoint::Checkpoint(id) => Some(id),
        ForkPoint::After(phase) => state.after_phase(Some(phase)),
        ForkPoint::Latest => points.last().map(|point| point.id),
    };
    let found = wanted.and_then(|id| points.iter().find(|point| point.id == id));
    found.map(|point| (point.id, point.position, point.words())).ok_or_else(|| match at {
        ForkPoint::After(phase) => candor_engine::Refusal::UnknownPhase {
            given: phase.number().to_string(),
            known: state.phases_to_go_back_to(),
        }
        .into(),
        _ => {
            let known: Vec<String> =
                points.iter().map(|point| format!("{} ({})", point.id, point.label)).collect();
            let to = wanted.unwrap_or_default();
            candor_engine::Refusal::UnknownCheckpoint { to, known: known.join(", ") }.into()
        }
    })
}

/// The events that both runs share, with the new run's name on the first. What the other run taught, it taught
/// once: a copy of its outcome teaches nothing.
fn shared(past: &[Recorded], fork: &ForkedFrom, new: &RunId) -> Vec<Event> {
    let until = past.iter().take_while(|recorded| recorded.position <= fork.position);
    let mut events: Vec<Event> = until.map(|recorded| recorded.event.clone()).collect();
    for event in &mut events {
        match &mut event.body {
            EventBody::RunStarted { run_id, forked_from, .. } => {
                *run_id = new.clone();
                *forked_from = Some(Box::new(fork.clone()));
            }
            EventBody::OutcomeRecorded(OutcomeRecord { measured, examples, .. }) => {
                *measured = None;
                examples.clear();
            }
            _ => {}
        }
    }
    events
}
