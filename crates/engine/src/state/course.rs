//! The course of a run: its start, guardrails, words, phases, end, and the points that it can go back to.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{
    AfterStop, AskKey, CheckpointId, Consulted, CritiqueVerdict, Evaluation, EventBody, FailedComponent,
    FallbackKind, GuardFinding, GuardReport, Handoff, Money, Phase, PromptChange, RunSettings, RunStatus,
    Timestamp, old_logs,
};

use super::{Checkpoint, Resume, RunState, Stage, Work};

/// The mark of runs in which nothing happens before the guardrails have passed the request.
pub(crate) const GUARDED: u16 = 1;

impl RunState {
    pub(super) fn begin(&mut self, body: &EventBody, at: Timestamp) {
        let EventBody::RunStarted { request, settings, material, flags, .. } = body else { return };
        self.material = material.as_deref().cloned().map(Arc::new);
        self.budget.allowance.cap = settings.run_budget;
        self.settings = Arc::new(RunSettings::clone(settings));
        let guarded = flags.contains(&GUARDED);
        self.stage = if guarded {
            Stage::Guarding { attempt: 1 }
        } else {
            Stage::Preparing { open: BTreeSet::new(), since: at }
        };
        self.findings_mut().prompts.begin(request, guarded, at);
        self.mark("start", Resume::Phases(first_phases()), None);
    }

    pub(super) fn guarded(&mut self, attempt: u32, report: &GuardReport, at: Timestamp) {
        let halted = report.findings.iter().any(GuardFinding::halts);
        let guarded = &mut self.findings_mut().prompts.guardrails;
        guarded.looks = guarded.looks.max(attempt);
        guarded.passed = !halted;
        self.stage = if halted {
            Stage::Guarding { attempt: attempt.saturating_add(1) }
        } else {
            Stage::Preparing { open: BTreeSet::new(), since: at }
        };
    }

    /// The run goes on with other words: everything from the evaluation on is done anew.
    pub(super) fn change_words(&mut self, change: &PromptChange, at: Timestamp) {
        self.remember_attempts();
        self.findings_mut().change_words(change, at);
        self.goal = None;
        // Whoever was at work at the old words is not waited for.
        self.asks.forget_all();
        self.checkpoints
            .retain(|point| matches!(point.phase, None | Some(Phase::PreAnalysis)) && point.work.is_none());
        // What the first phase found still holds; how the run began does too, for those who begin it anew.
        let first = self.checkpoints.iter_mut().find(|point| point.phase == Some(Phase::PreAnalysis));
        if let Some(point) = first.map(Arc::make_mut) {
            point.request.clone_from(&change.text);
            point.resume = Resume::Phases(BTreeSet::from([Phase::Evaluation]));
            (point.goal, point.evaluation) = (None, None);
            point.completed = BTreeSet::from([Phase::PreAnalysis]);
        }
        self.work = None;
        // New words are looked at by the guardrails like the first.
        self.stage = self.looked_at_first(at);
    }

    /// The guardrails look at words that they have not passed. No look has the number of an earlier one: a late
    /// word on other words must not be taken for a word on these.
    fn looked_at_first(&mut self, at: Timestamp) -> Stage {
        self.skip_look();
        let guarded = &mut self.findings_mut().prompts.guardrails;
        if !guarded.needed || guarded.passed {
            return Stage::Preparing { open: BTreeSet::new(), since: at };
        }
        guarded.before = guarded.looks;
        Stage::Guarding { attempt: guarded.looks.saturating_add(1) }
    }

    /// A look that is under way and that nobody waits for any more has had its number.
    fn skip_look(&mut self) {
        if let Stage::Guarding { attempt } = self.stage {
            let guarded = &mut self.findings_mut().prompts.guardrails;
            guarded.looks = guarded.looks.max(attempt);
        }
    }

    pub(super) fn judge_words(&mut self, score: u8, evaluation: Option<&Evaluation>) {
        self.findings_mut().prompts.judged(score, evaluation);
    }

    /// A step of a question to a model.
    pub(super) fn consult(&mut self, ask: &AskKey, step: &Consulted) {
        self.asks.step(ask, step);
        self.bill_ask(ask, step);
        self.findings_mut().phases.consulted(ask.phase, step);
    }

    /// Something took the place of an agent, or of all of them. Of models, [`RunState::consult`] has told already.
    pub(super) fn fall_back(&mut self, kind: Option<FallbackKind>, what: &str, from: &str) {
        match old_logs::fallback_kind(kind, what) {
            FallbackKind::Agent => self.asks.degrade(FailedComponent::Agent(from.to_owned())),
            FallbackKind::Orchestrator => self.asks.degrade(FailedComponent::Orchestrator),
            FallbackKind::Model => {}
        }
    }

    pub(super) fn degrade_phase(&mut self, phase: Phase) {
        self.asks.degrade(FailedComponent::Phase(phase));
    }

    pub(super) fn critique(&mut self, body: &EventBody) {
        let EventBody::Critiqued { phase, verdict, notes, checks } = body else { return };
        match (phase, verdict, checks) {
            // A verdict without checks is not the phase's word on its own work but on the results.
            (Phase::Validation, CritiqueVerdict::Stop, None) => {
                self.findings_mut().validation.unmet.clone_from(notes);
            }
            (phase, CritiqueVerdict::Refine, Some(_)) => self.findings_mut().phases.refine(*phase, notes),
            _ => {}
        }
    }

    pub(super) fn start_phase(&mut self, phase: Phase, attempt: u32, at: Timestamp) {
        self.counters.phases.insert(phase, attempt);
        // Whoever was at work at an earlier try is not waited for.
        self.asks.forget(phase);
        self.findings_mut().start_phase(phase, at);
        // What is done anew takes the place of what was there.
        self.checkpoints.retain(|point| point.phase.is_none_or(|done| !redone(phase, done)));
        match phase {
            Phase::Execution => {
                self.stage = Stage::Executing;
                self.results.started.get_or_insert(at);
            }
            Phase::Validation | Phase::Consolidation => self.stage = Stage::Closing { phase },
            _ => {
                if let Stage::Preparing { open, .. } = &mut self.stage {
                    open.insert(phase);
                } else {
                    self.stage = Stage::Preparing { open: BTreeSet::from([phase]), since: at };
                }
            }
        }
    }

    pub(super) fn complete_phase(&mut self, phase: Phase, handoff: &Handoff) {
        self.asks.forget(phase);
        if phase == Phase::Validation {
            self.findings_mut().validation.handed_over(handoff);
        }
        if phase == Phase::Context {
            self.findings_mut().documents.handed_over(handoff);
        }
        self.findings_mut().phases.complete(phase);
        let next = match &mut self.stage {
            Stage::Preparing { open, .. } => {
                open.remove(&phase);
                if open.is_empty() { following(phase) } else { open.clone() }
            }
            _ => following(phase),
        };
        // What follows planning is the plan itself, and it has a point of its own once it is approved.
        if phase != Phase::Planning && !next.is_empty() {
            let label = format!("phase {} ({phase}) completed", phase.number());
            self.mark(&label, Resume::Phases(next), Some(phase));
        }
    }

    pub(super) fn stop(&mut self, then: &AfterStop) {
        self.skip_look();
        self.close_queries(|_| true);
        self.gates.clear();
        self.asks.forget_all();
        self.notebook.roll_back();
        self.paused = false;
        self.stage = Stage::Stopping { then: Box::new(then.clone()) };
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.halt_all();
        }
    }

    pub(super) fn end(&mut self, status: RunStatus) {
        self.close_queries(|_| true);
        self.gates.clear();
        self.asks.forget_all();
        self.paused = false;
        self.stage = Stage::Ended(status);
    }

    /// A pause is over. A run that had ended tries once more what failed, and keeps what succeeded.
    pub(super) fn resume(&mut self, at: Timestamp) {
        self.paused = false;
        // Time that a run was paused for, or waited in a queue, is not planning time.
        if let Stage::Preparing { since, .. } = &mut self.stage {
            *since = at;
        }
        if !self.can_resume() {
            return;
        }
        self.results.report = None;
        self.stage = Stage::Proposed;
        self.counters.version = self.counters.version.next();
        self.work = self.work.as_ref().map(Work::at_rest);
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            // A new version: no answer to a question about the old one fits.
            work.version = self.counters.version;
        }
    }

    /// Whether the run has ended before all of its tasks were done, after its plan was launched.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        let ended = matches!(self.stage, Stage::Ended(RunStatus::Aborted | RunStatus::Failed));
        let launched = |work: &Work| work.launch_confidence.is_some() && !work.is_complete();
        ended && self.work().is_some_and(launched)
    }

    pub(super) fn roll_back(&mut self, to: CheckpointId, run_budget: Option<Money>, at: Timestamp) {
        if run_budget.is_some() {
            self.budget.allowance.cap = run_budget;
        }
        let Some(place) = self.checkpoints.iter().position(|checkpoint| checkpoint.id == to) else {
            return;
        };
        self.remember_attempts();
        self.checkpoints.truncate(place + 1);
        let Some(checkpoint) = self.checkpoints.last().map(Arc::clone) else {
            return;
        };
        self.gates.clear();
        self.asks.forget_all();
        self.paused = false;
        self.results.report = None;
        self.results.progress = 0.0;
        let words_change = self.request() != checkpoint.request;
        let completed = self.holding(&checkpoint);
        let version = checkpoint.work.as_ref().map(|work| work.version);
        let findings = self.findings_mut();
        findings.roll_back(completed, version);
        let evaluated = findings.phases.completed.contains(&Phase::Evaluation);
        findings.prompts.evaluation = checkpoint.evaluation.clone().filter(|_| evaluated);
        if words_change {
            findings.prompts.restart(&checkpoint.request, at);
        }
        self.goal = checkpoint.goal.clone().filter(|_| evaluated);
        self.work.clone_from(&checkpoint.work);
        let counters = &mut self.counters;
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            // A new version: no answer to a question about the old one fits.
            counters.version = counters.version.next();
            work.version = counters.version;
            work.remember_attempts(|id| counters.attempts_at(id));
        }
        self.stage = match checkpoint.resume {
            Resume::Phases(_) => self.looked_at_first(at),
            Resume::Plan => Stage::Proposed,
        };
    }

    /// The phases whose results hold at a point: those of its own phase and the ones before. The two that begin
    /// side by side are judged by themselves, whichever was done first.
    fn holding(&self, point: &Checkpoint) -> BTreeSet<Phase> {
        let mut completed = point.completed.clone();
        match point.phase {
            Some(Phase::PreAnalysis) => completed.retain(|phase| *phase == Phase::PreAnalysis),
            Some(Phase::Evaluation) if self.completed_phases().contains(&Phase::PreAnalysis) => {
                completed.insert(Phase::PreAnalysis);
            }
            _ => {}
        }
        completed
    }

    pub(super) fn mark(&mut self, label: &str, resume: Resume, phase: Option<Phase>) {
        // The same point marked twice is one point.
        self.checkpoints.pop_if(|last| last.label == label && last.phase == phase);
        let checkpoint = Checkpoint {
            id: CheckpointId(self.counters.checkpoints),
            position: self.position,
            label: label.to_owned(),
            phase,
            request: self.request().to_owned(),
            completed: self.completed_phases().clone(),
            evaluation: self.findings.prompts.evaluation.clone(),
            resume,
            goal: self.goal.clone(),
            work: self.work.as_ref().map(Work::at_rest),
        };
        self.counters.checkpoints = self.counters.checkpoints.saturating_add(1);
        self.checkpoints.push(Arc::new(checkpoint));
    }
}

/// The phases that a run begins with, side by side.
pub(crate) fn first_phases() -> BTreeSet<Phase> {
    BTreeSet::from([Phase::PreAnalysis, Phase::Evaluation])
}

/// What is to be done next by phases whose turn it is, when none is at work.
pub(crate) fn due(completed: &BTreeSet<Phase>) -> BTreeSet<Phase> {
    let first: BTreeSet<Phase> = first_phases().difference(completed).copied().collect();
    if !first.is_empty() {
        return first;
    }
    let next = Phase::ALL.iter().find(|phase| !completed.contains(phase));
    next.into_iter().copied().collect()
}

/// Whether the result of `done` no longer holds once `phase` is begun anew.
pub(crate) fn redone(phase: Phase, done: Phase) -> bool {
    match phase {
        // It begins side by side with the evaluation, which does not need it.
        Phase::PreAnalysis => done != Phase::Evaluation,
        _ => done.number() >= phase.number(),
    }
}

/// What comes after a phase when nothing else is at work.
pub(crate) fn following(phase: Phase) -> BTreeSet<Phase> {
    phase.next().into_iter().collect()
}
