//! Phases and routes: visited inside the driver, since they touch nothing outside.

use candor_engine::Input;
use candor_model::{AskKey, Effect, Phase, TaskId};
use candor_phases::Pause;

use super::actor::Actor;
use super::batch::Batch;
use super::book::Outside;
use super::look::Wanted;

/// How many phases and routes follow from one batch at most. A run has eight phases and finitely many tasks;
/// this only stops a defect from turning in circles.
const MAX_ROOMS: usize = 100_000;

impl Actor {
    /// Has the phases do their work. They touch nothing outside, so it does not matter whether what leads to
    /// them is durable yet; what follows from them becomes durable together with it.
    pub(super) fn visit_rooms(&mut self, batch: &mut Batch) {
        for _ in 0..MAX_ROOMS {
            let Some(input) = self.room_input() else { return };
            if let Err(refusal) = self.decide(input.clone(), batch) {
                let other = in_place_of(&input).or_else(|| self.in_place_of_call(&input, &refusal));
                let taken = other.is_some_and(|input| self.decide(input, batch).is_ok());
                if !taken {
                    return;
                }
            }
        }
    }

    /// What the first phase that can go on has to say; the others wait for models.
    fn room_input(&mut self) -> Option<Input> {
        let inside = |effect: &Effect| {
            matches!(effect, Effect::Guard { .. } | Effect::RunPhase { .. } | Effect::Route { .. })
        };
        let effects: Vec<Effect> = self.book.state.effects().filter(inside).collect();
        effects.into_iter().find_map(|effect| match effect {
            Effect::Guard { attempt } => Some(self.guard(attempt)),
            Effect::RunPhase { phase, attempt } => self.visit(phase, attempt),
            Effect::Route { task_id } => self.route(task_id),
            _ => None,
        })
    }

    fn guard(&self, attempt: u32) -> Input {
        let outside = Outside { models: false, meaning: self.shared.meaning.as_deref() };
        let phases = &self.shared.phases;
        let report = self.book.with_context((Phase::PreAnalysis, 0), &outside, |cx| phases.guard(cx));
        Input::Guarded { attempt, report: Box::new(report) }
    }

    fn visit(&mut self, phase: Phase, attempt: u32) -> Option<Input> {
        if self.looks_again(phase, attempt) {
            return None;
        }
        let outside =
            Outside { models: self.shared.models.is_some(), meaning: self.shared.meaning.as_deref() };
        let phases = &self.shared.phases;
        let pause = match self.book.with_context((phase, attempt), &outside, |cx| phases.work(phase, cx)) {
            Ok(report) => return Some(Input::PhaseDone { phase, attempt, report: Box::new(report) }),
            Err(pause) => pause,
        };
        match pause {
            Pause::Failed(reason) => Some(Input::PhaseFailed { phase, attempt, reason }),
            Pause::Ask(ask) => self.put(AskKey { phase, attempt, step: ask.step.to_owned() }, *ask),
            Pause::Embed(texts) => {
                self.embedding.want(texts, Some((phase, attempt)));
                None
            }
            Pause::Read(paths) if self.knows(&paths) => {
                let reason = format!("it asks again for files that it has: {}", paths.join(", "));
                Some(Input::PhaseFailed { phase, attempt, reason })
            }
            Pause::Read(paths) => {
                self.looking.want(Wanted::Files(paths));
                None
            }
            // Each question is on the log before it is put.
            Pause::Query(queries) => {
                self.unasked(queries).map(|query| Input::Query { query: Box::new(query) })
            }
            Pause::Check(checks) => {
                self.looking.want(Wanted::Checks(attempt, checks));
                None
            }
        }
    }

    fn route(&mut self, task_id: TaskId) -> Option<Input> {
        let task = self.book.state.task(&task_id)?;
        let outside = Outside { models: false, meaning: self.embedding.usable(&self.shared) };
        let phases = &self.shared.phases;
        match self.book.with_context((Phase::Execution, 0), &outside, |cx| phases.route(&task, cx)) {
            Ok(ranking) => Some(Input::Routed { task_id, ranking: Ok(ranking) }),
            Err(Pause::Embed(texts)) => {
                self.embedding.want(texts, None);
                None
            }
            Err(Pause::Failed(reason)) => Some(Input::Routed { task_id, ranking: Err(reason) }),
            Err(Pause::Ask(_) | Pause::Read(_) | Pause::Check(_) | Pause::Query(_)) => None,
        }
    }
}

/// What is said instead when the engine refuses a phase's result: a run must not hang on it.
fn in_place_of(input: &Input) -> Option<Input> {
    match input {
        Input::PhaseDone { phase, attempt, .. } => {
            let reason = format!("the result of phase {phase} does not fit");
            Some(Input::PhaseFailed { phase: *phase, attempt: *attempt, reason })
        }
        _ => None,
    }
}
