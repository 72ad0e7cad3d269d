//! The phases at work. They touch nothing outside, so they run inside a batch: what follows from them becomes
//! durable together with what led to them.

use candor_engine::{Input, Refusal};
use candor_model::{
    AskKey, Effect, GuardFinding, GuardReport, Phase, RankedAgent, RevisionProposal, SubTask, TaskId,
};
use candor_phases::{Incomplete, PhaseContext, Phases};
use candor_planning::conflict::ConflictRules;
use candor_planning::phase::PhaseReport;

use crate::Session;
use crate::history::Outside;

/// How many results of phases and routes follow from one batch at most. A run has eight phases and finitely many
/// tasks; this only stops a defect from looping.
const MAX_RESULTS: usize = 100_000;

/// Who does the work of the phases.
pub trait PhaseWork: Send + Sync {
    /// The guardrails look at the request.
    fn guard(&self, cx: &PhaseContext<'_>) -> GuardReport;

    /// The guardrails look at something that was read on the way; `subject` is what it is.
    fn guard_read(&self, _subject: &str, _text: &str) -> Option<GuardFinding> {
        None
    }

    /// Does the work of a phase, or says what it needs first.
    fn work(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete>;

    /// Ranks everyone for a task, the best first.
    fn route(&self, task: &SubTask, cx: &PhaseContext<'_>) -> Result<Vec<RankedAgent>, Incomplete>;

    /// Another approach to a task that failed for good; nothing if no model can answer.
    fn revise(
        &self,
        task: &SubTask,
        note: Option<&str>,
        cx: &PhaseContext<'_>,
    ) -> Result<Option<RevisionProposal>, Incomplete>;

    /// By what contradictions between agents are settled.
    fn conflict_rules(&self) -> ConflictRules;
}

impl PhaseWork for Phases {
    fn guard(&self, cx: &PhaseContext<'_>) -> GuardReport {
        Self::guard(self, cx)
    }

    fn guard_read(&self, subject: &str, text: &str) -> Option<GuardFinding> {
        Self::guard_read(self, subject, text)
    }

    fn work(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
        Self::work(self, phase, cx)
    }

    fn route(&self, task: &SubTask, cx: &PhaseContext<'_>) -> Result<Vec<RankedAgent>, Incomplete> {
        Self::route(self, task, cx)
    }

    fn revise(
        &self,
        task: &SubTask,
        note: Option<&str>,
        cx: &PhaseContext<'_>,
    ) -> Result<Option<RevisionProposal>, Incomplete> {
        Self::revise(self, task, note, cx)
    }

    fn conflict_rules(&self) -> ConflictRules {
        self.rules().conflicts
    }
}

/// What phases need from outside, found when they were last worked on.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    pub(crate) effects: Vec<Effect>,
    /// The phase that waits for texts to be embedded.
    pub(crate) embed_for: Option<(Phase, u32)>,
}

/// What an input is replaced by when the engine refuses it. It is kept apart because a phase's result is large, and
/// deciding takes it.
enum Instead {
    PhaseFails(Phase, u32),
    NoCall { ask: AskKey, model: String },
}

impl Instead {
    fn of(input: &Input) -> Option<Self> {
        match input {
            Input::PhaseDone { phase, attempt, .. } => Some(Self::PhaseFails(*phase, *attempt)),
            Input::Consulting { ask, model, .. } => {
                Some(Self::NoCall { ask: ask.clone(), model: model.clone() })
            }
            _ => None,
        }
    }
}

impl Session {
    /// Has the phases do their work, as far as they can without anything from outside.
    pub(crate) fn work_on_phases(&mut self) {
        for _ in 0..MAX_RESULTS {
            self.needs = Needs::default();
            let Some(input) = self.phase_result() else { return };
            let instead = Instead::of(&input);
            if let Err(refusal) = self.decide(input) {
                let other = instead.and_then(|instead| self.instead(instead, &refusal));
                let taken = other.is_some_and(|input| self.decide(input).is_ok());
                if !taken {
                    return;
                }
            }
        }
    }

    /// What the first phase that can go on has to say; the others wait for something.
    fn phase_result(&mut self) -> Option<Input> {
        let last = self.deps.last_phase.unwrap_or(Phase::Consolidation);
        let inside = |effect: &Effect| match effect {
            Effect::Guard { .. } | Effect::Route { .. } | Effect::Revise { .. } => true,
            Effect::RunPhase { phase, .. } => *phase <= last,
            _ => false,
        };
        let effects: Vec<Effect> = self.history.state.effects().filter(inside).collect();
        effects.into_iter().find_map(|effect| match effect {
            Effect::Guard { attempt } => Some(self.guard(attempt)),
            Effect::RunPhase { phase, attempt } => self.work_on(phase, attempt),
            Effect::Route { task_id } => self.route(task_id),
            Effect::Revise { task_id, number } => self.revise(task_id, number),
            _ => None,
        })
    }

    fn guard(&self, attempt: u32) -> Input {
        let outside = self.outside(false, true);
        let phases = &self.deps.phases;
        let report = self.history.with_context((Phase::PreAnalysis, 0), &outside, |cx| phases.guard(cx));
        Input::Guarded { attempt, report: Box::new(report) }
    }

    fn work_on(&mut self, phase: Phase, attempt: u32) -> Option<Input> {
        if self.must_reread_files(phase, attempt) {
            return None;
        }
        let outside = self.outside(self.deps.models.is_some(), true);
        let phases = &self.deps.phases;
        let worked = self.history.with_context((phase, attempt), &outside, |cx| phases.work(phase, cx));
        let effects = match worked {
            Ok(report) => return Some(Input::PhaseDone { phase, attempt, report: Box::new(report) }),
            Err(Incomplete::Failed(reason)) => return Some(Input::PhaseFailed { phase, attempt, reason }),
            Err(Incomplete::Asks(ask)) => {
                return self.ask_for_phase(AskKey { phase, attempt, step: ask.step.to_owned() }, *ask);
            }
            Err(Incomplete::Needs(effects)) => effects,
        };
        effects.into_iter().find_map(|effect| self.need((phase, attempt), effect))
    }

    /// Notes what a phase needs; an input where the engine has to know of it first, or where it would wait for ever.
    fn need(&mut self, (phase, attempt): (Phase, u32), effect: Effect) -> Option<Input> {
        match &effect {
            Effect::ReadFiles { paths } if self.knows_files(paths) => {
                let reason = format!("it asks again for files that it has: {}", paths.join(", "));
                return Some(Input::PhaseFailed { phase, attempt, reason });
            }
            // A question is on the log before it is put; then it is asked for as long as it is open.
            Effect::QueryAgent { query } => {
                let open = self.history.state.open_queries().any(|open| open.id == query.id);
                return (!open).then(|| Input::Query { query: query.clone() });
            }
            Effect::Embed { .. } => self.needs.embed_for = Some((phase, attempt)),
            _ => {}
        }
        self.needs.effects.push(effect);
        None
    }

    fn route(&mut self, task_id: TaskId) -> Option<Input> {
        let task = self.history.state.task(&task_id)?;
        let outside = self.outside(false, !self.embedding_failed);
        let phases = &self.deps.phases;
        match self.history.with_context((Phase::Execution, 0), &outside, |cx| phases.route(&task, cx)) {
            Ok(ranking) => Some(Input::Routed { task_id, ranking: Ok(ranking) }),
            Err(Incomplete::Failed(reason)) => Some(Input::Routed { task_id, ranking: Err(reason) }),
            Err(Incomplete::Needs(effects)) => {
                self.needs.effects.extend(effects);
                None
            }
            Err(Incomplete::Asks(ask)) => {
                let reason = format!("a task is routed without models, and {} asks one", ask.step);
                Some(Input::Routed { task_id, ranking: Err(reason) })
            }
        }
    }

    fn revise(&mut self, task_id: TaskId, number: u32) -> Option<Input> {
        let task = self.history.state.task(&task_id)?;
        let note = self.history.state.revision_note(&task_id);
        let outside = self.outside(self.deps.models.is_some(), true);
        let (phases, phase) = (&self.deps.phases, Phase::Execution);
        let found = self.history.with_context((phase, number), &outside, |cx| phases.revise(&task, note, cx));
        let proposal = match found {
            Ok(Some(proposal)) => Ok(Box::new(proposal)),
            Ok(None) => Err("no model could answer".to_owned()),
            Err(Incomplete::Failed(reason)) => Err(reason),
            Err(Incomplete::Asks(ask)) => {
                let step = ask.step.to_owned();
                return self.ask_for_phase(AskKey { phase, attempt: number, step }, *ask);
            }
            Err(Incomplete::Needs(_)) => Err("a revision needs nothing but a model".to_owned()),
        };
        Some(Input::Revised { task_id, number, proposal })
    }

    fn outside(&self, models: bool, vectors: bool) -> Outside<'_> {
        Outside {
            models,
            vectors: self.deps.vectors.as_deref().filter(|_| vectors),
            learned: &self.learned,
            now: self.now,
        }
    }

    /// What is decided instead when the engine refuses a phase's result: a run must not hang on it.
    fn instead(&mut self, instead: Instead, refusal: &Refusal) -> Option<Input> {
        match instead {
            Instead::PhaseFails(phase, attempt) => {
                let reason = format!("the result of phase {phase} does not fit");
                Some(Input::PhaseFailed { phase, attempt, reason })
            }
            Instead::NoCall { ask, model } => self.without_call(&ask, &model, refusal),
        }
    }

    /// Whether a phase has to wait because the files that are known have not been looked at for it: no phase works
    /// with what was there before.
    fn must_reread_files(&mut self, phase: Phase, attempt: u32) -> bool {
        let files = self.history.state.files();
        let nothing = files.is_empty() || !self.deps.inspects;
        if nothing || self.reread.contains(&(phase, attempt)) {
            return false;
        }
        let paths = files.keys().cloned().collect();
        self.needs.effects.push(Effect::ReadFiles { paths });
        true
    }

    /// Whether all of these are on the log: a phase that asks for them would ask for ever.
    fn knows_files(&self, paths: &[String]) -> bool {
        paths.iter().all(|path| self.history.state.files().contains_key(path))
    }
}
