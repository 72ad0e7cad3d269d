//! What a driver knows of its run: the state, what the rooms left, and the time.

use std::collections::BTreeMap;

use candor_engine::RunState;
use candor_model::{
    AgentCapability, CalibrationMetrics, Event, EventBody, Handoff, Phase, Position, Recorded, RunId,
    Timestamp,
};
use candor_phases::Desk;
use candor_planning::calibration;
use candor_ports::{EventLog, Experience};

use super::DriveError;
use crate::{Clock, Staff};

/// What is known of a run by folding its log.
#[derive(Clone)]
pub(super) struct Book {
    pub(super) state: RunState,
    pub(super) clock: Clock,
    handoffs: BTreeMap<Phase, Handoff>,
    agents: Vec<AgentCapability>,
    calibration: CalibrationMetrics,
}

impl Book {
    /// The book of a run that has not begun.
    pub(super) fn new(run_id: RunId, experience: Experience, staff: &Staff) -> Self {
        let Experience { measured, outcomes } = experience;
        Self {
            state: RunState::new(run_id),
            clock: Clock::starting_at(Timestamp::EPOCH),
            handoffs: BTreeMap::new(),
            agents: staff.known(&measured),
            calibration: calibration::metrics(&outcomes),
        }
    }

    /// The book of a run that is on the log.
    pub(super) async fn open(log: &dyn EventLog, run_id: RunId, staff: &Staff) -> Result<Self, DriveError> {
        let events = log.read(&run_id, Position::START).await?;
        let Some(last) = events.last() else {
            return Err(DriveError::UnknownRun { run: run_id });
        };
        let last_at = last.event.at;
        let mut book = Self::new(run_id, log.experience().await?, staff);
        book.clock = Clock::starting_at(last_at);
        book.catch_up(&events)?;
        Ok(book)
    }

    /// Takes events from the log into account.
    pub(super) fn catch_up(&mut self, events: &[Recorded]) -> Result<(), DriveError> {
        self.state.catch_up(events)?;
        events.iter().for_each(|recorded| self.keep_handoff(&recorded.event));
        Ok(())
    }

    /// Takes an event into account that is about to be appended.
    pub(super) fn apply(&mut self, event: &Event) {
        self.state.apply(event);
        self.keep_handoff(event);
    }

    fn keep_handoff(&mut self, event: &Event) {
        if let EventBody::PhaseCompleted { phase, handoff } = &event.body {
            self.handoffs.insert(*phase, handoff.clone());
        }
    }

    /// Everyone who can be given a task.
    pub(super) fn agents(&self) -> &[AgentCapability] {
        &self.agents
    }

    /// Has a room look at the desk as it is now.
    pub(super) fn at_desk<T>(&self, work: impl FnOnce(&Desk<'_>) -> T) -> T {
        let plan = self.state.plan();
        work(&Desk {
            run_id: self.state.run_id(),
            request: self.state.request(),
            now: self.clock.now(),
            settings: self.state.settings(),
            material: self.state.material(),
            handoffs: &self.handoffs,
            goal: self.state.goal(),
            agents: &self.agents,
            calibration: &self.calibration,
            plan: plan.as_ref(),
            feedback: self.state.feedback(),
        })
    }
}
