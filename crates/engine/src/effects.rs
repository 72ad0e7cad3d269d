//! What a run asks the world for.

use candor_model::{Effect, Phase, SubTask, TaskId, Timestamp};

use crate::decide::would_start;
use crate::state::{Attempt, RunState, Stage};

/// How many repetitions are looked at for the next time at which one can start.
const MOST_REPETITIONS: usize = 64;

impl RunState {
    /// What is asked for and not yet answered. The same state always asks for the same.
    pub fn effects(&self) -> impl Iterator<Item = Effect> + '_ {
        let questions = self
            .open_questions()
            .iter()
            .map(|(gate, question)| Effect::AskHuman { gate: gate.clone(), question: question.clone() });
        let wait = self.next_timeout().map(|at| Effect::WaitUntil { at });
        self.guard()
            .chain(self.phases_at_work())
            .chain(self.routes())
            .chain(self.revisions())
            .chain(self.attempts())
            .chain(self.undo())
            .chain(questions)
            .chain(wait)
    }

    /// The next time at which something happens by itself: a deadline, or the end of a wait.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Timestamp> {
        match self.stage() {
            // While a person thinks, nobody else's time runs out.
            Stage::Preparing { .. } if !self.open_questions().is_empty() => None,
            Stage::Preparing { since, .. } => Some(since.plus(self.settings().planning_timeout)),
            Stage::Executing => {
                let work = self.work()?;
                let running = work.attempts().filter(|(_, attempt)| attempt.is_at_work());
                let deadline = running.map(|(_, attempt)| attempt.deadline).min();
                let due = work.backoffs().map(|(at, _)| at).take(MOST_REPETITIONS);
                // One that could not start then is not waited for: what it needs comes with an event.
                let repetition = due.filter(|_| self.may_dispatch()).find(|at| would_start(self, *at));
                let any = work.ready().next().is_some() || work.backoffs().next().is_some();
                let waits = self.may_dispatch() && any;
                let half_open = self.next_half_open().filter(|_| waits);
                deadline.into_iter().chain(repetition).chain(half_open).min()
            }
            _ => None,
        }
    }

    fn guard(&self) -> impl Iterator<Item = Effect> + '_ {
        let look = match self.stage() {
            Stage::Guarding { attempt } if self.open_questions().is_empty() => Some(*attempt),
            _ => None,
        };
        look.map(|attempt| Effect::Guard { attempt }).into_iter()
    }

    fn phases_at_work(&self) -> impl Iterator<Item = Effect> + '_ {
        let phases: Vec<Phase> = match self.stage() {
            Stage::Preparing { open, .. } => open.iter().copied().collect(),
            Stage::Closing { phase } if !self.completed_phases().contains(phase) => vec![*phase],
            _ => Vec::new(),
        };
        phases.into_iter().map(|phase| Effect::RunPhase { phase, attempt: self.phase_attempt(phase) })
    }

    fn routes(&self) -> impl Iterator<Item = Effect> + '_ {
        let work = self.work().filter(|_| *self.stage() == Stage::Executing);
        work.into_iter()
            .flat_map(|work| work.unrouted())
            .map(|task| Effect::Route { task_id: task.task_id.clone() })
    }

    fn revisions(&self) -> impl Iterator<Item = Effect> + '_ {
        let work = self.work().filter(|_| *self.stage() == Stage::Executing);
        let asked = work.into_iter().flat_map(|work| work.revising());
        asked.map(|(task, number, _)| Effect::Revise { task_id: task.task_id.clone(), number })
    }

    /// One thing after the other, the latest change first.
    fn undo(&self) -> impl Iterator<Item = Effect> + '_ {
        let next = self.undoing().first().map(|key| {
            let agent_type = self.to_undo(key).map(|entry| entry.agent_type.clone());
            Effect::Undo { key: key.clone(), agent_type }
        });
        next.into_iter()
    }

    fn attempts(&self) -> impl Iterator<Item = Effect> + '_ {
        let attempts = self.work().into_iter().flat_map(|work| work.attempts());
        attempts.filter_map(|(task, attempt)| asked_of(task, attempt))
    }

    /// What is asked of an attempt: that it is made, or stopped. Nothing if it is over, or waits for a person.
    #[must_use]
    pub fn attempt_effect(&self, id: &TaskId, number: u32) -> Option<Effect> {
        let (_, task, run) = self.work()?.find(id)?;
        asked_of(task, run.in_flight().filter(|attempt| attempt.number == number)?)
    }
}

fn asked_of(task: &SubTask, attempt: &Attempt) -> Option<Effect> {
    let (task_id, number) = (&task.task_id, attempt.number);
    match (attempt.halt, &attempt.waits_for) {
        (Some(_), _) => Some(Effect::StopAgent { task_id: task_id.clone(), attempt: number }),
        (None, Some(_)) => None,
        (None, None) => Some(Effect::InvokeAgent {
            task_id: task_id.clone(),
            attempt: number,
            agent_type: attempt.agent_type.clone(),
            deadline: attempt.deadline,
        }),
    }
}
