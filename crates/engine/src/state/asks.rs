//! What the phases at work have asked models so far.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    AskKey, AskStep, Consulted, Degradation, FailedComponent, Money, OpenCall, Phase, TaskId,
};
use candor_planning::degradation;
use serde::{Deserialize, Serialize};

use super::{RunState, Stage};

/// One question, and how far it has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskState {
    key: AskKey,
    steps: Vec<Consulted>,
    open: Option<OpenCall>,
}

/// Everything that was asked by phases that are not done yet, and what that did to the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asks {
    asks: Vec<AskState>,
    /// Set aside for calls whose end nobody knows, because the process died: they may have been paid.
    lost: Money,
    /// How often a model was asked for another approach to a task.
    #[serde(default)]
    pub(super) revisions: u32,
    /// The tasks to which a person wants another approach as soon as their agent has stopped, and what they said.
    #[serde(default)]
    pub(super) requested: BTreeMap<TaskId, Option<String>>,
    degradation: Degradation,
}

impl Asks {
    pub(super) fn open(&mut self, call: &OpenCall) {
        self.update(&call.ask, |ask| ask.open = Some(call.clone()));
    }

    pub(super) fn step(&mut self, key: &AskKey, step: &Consulted) {
        note(&mut self.degradation, key.phase, step);
        let mut open = None;
        self.update(key, |ask| {
            open = ask.open.take();
            ask.steps.push(step.clone());
        });
        if let Some(open) = open.filter(|_| step.call.is_none()) {
            self.lost = self.lost + open.reserved;
        }
    }

    pub(super) fn degrade(&mut self, failed: FailedComponent) {
        degradation::note(&mut self.degradation, failed);
    }

    /// What was asked by a phase that is done needs no remembering: it is in the handoff.
    pub(super) fn forget(&mut self, phase: Phase) {
        self.forget_those(|ask| ask.key.phase == phase);
    }

    /// What was asked for a revision that has its answer.
    pub(super) fn forget_revision(&mut self, number: u32) {
        self.forget_those(|ask| ask.key.phase == Phase::Execution && ask.key.attempt == number);
    }

    /// What was asked for revisions other than these, which nobody waits for any more.
    pub(super) fn keep_revisions(&mut self, numbers: &BTreeSet<u32>) {
        self.forget_those(|ask| ask.key.phase == Phase::Execution && !numbers.contains(&ask.key.attempt));
    }

    pub(super) fn forget_all(&mut self) {
        self.forget_those(|_| true);
    }

    /// Calls that are under way and that nobody waits for any more may still be paid.
    fn forget_those(&mut self, gone: impl Fn(&AskState) -> bool) {
        let open = self.asks.iter().filter(|ask| gone(ask)).filter_map(|ask| ask.open.as_ref());
        self.lost = self.lost + open.map(|call| call.reserved).sum::<Money>();
        self.asks.retain(|ask| !gone(ask));
    }

    /// Has something done to an ask, which begins with it if it is new.
    fn update(&mut self, key: &AskKey, change: impl FnOnce(&mut AskState)) {
        if let Some(known) = self.asks.iter_mut().find(|ask| ask.key == *key) {
            return change(known);
        }
        let mut new = AskState { key: key.clone(), steps: Vec::new(), open: None };
        change(&mut new);
        self.asks.push(new);
    }

    fn find(&self, key: &AskKey) -> Option<&AskState> {
        self.asks.iter().find(|ask| ask.key == *key)
    }
}

/// What a step does to the run's degradation.
fn note(state: &mut Degradation, phase: Phase, step: &Consulted) {
    match (&step.outcome, &step.call) {
        (AskStep::GiveUp { .. }, _) => degradation::note(state, FailedComponent::Phase(phase)),
        (AskStep::FallBack { .. }, Some(call)) => {
            degradation::note(state, FailedComponent::Agent(call.model.clone()));
        }
        (AskStep::FallBack { from, .. }, None) => {
            degradation::note(state, FailedComponent::Agent(format!("the {from} tier")));
        }
        (AskStep::Accepted { .. } | AskStep::Repeat { .. } | AskStep::AskAgain { .. }, _) => {}
    }
}

impl RunState {
    /// The number of the next revision that a model is asked for.
    pub(crate) const fn next_revision(&self) -> u32 {
        self.asks.revisions.saturating_add(1)
    }

    /// What a person said who wants another approach to a task.
    pub(crate) fn replan_requested(&self, task: &TaskId) -> Option<Option<&str>> {
        self.asks.requested.get(task).map(Option::as_deref)
    }

    /// Whether a model is being asked for this revision.
    pub(crate) fn is_revising(&self, number: u32) -> bool {
        self.work().is_some_and(|work| work.revising().any(|(_, wanted, _)| wanted == number))
    }

    /// What a person said about the task for which another approach is looked for.
    #[must_use]
    pub fn revision_note(&self, task: &TaskId) -> Option<&str> {
        self.work()?.revising().find(|(revised, ..)| revised.task_id == *task)?.2
    }

    /// How far a question to a model has come: the steps that are on the log.
    #[must_use]
    pub fn consulted(&self, key: &AskKey) -> &[Consulted] {
        self.asks.find(key).map_or(&[], |ask| &ask.steps)
    }

    /// The calls of models that are under way, as far as the log knows.
    pub fn open_calls(&self) -> impl Iterator<Item = &OpenCall> {
        self.asks.asks.iter().filter_map(|ask| ask.open.as_ref())
    }

    /// With how much less than it should the run works.
    #[must_use]
    pub const fn degradation(&self) -> &Degradation {
        &self.asks.degradation
    }

    /// What is set aside for calls of models, also those whose end nobody knows.
    pub(crate) fn set_aside_for_models(&self) -> Money {
        self.open_calls().map(|call| call.reserved).sum::<Money>() + self.asks.lost
    }

    /// What is left for models, after everything spent and set aside.
    #[must_use]
    pub fn money_for_models(&self) -> Money {
        let aside = self.set_aside_for_models();
        let planning = match self.stage() {
            Stage::Preparing { .. } | Stage::Proposed => {
                self.settings().planning_budget.saturating_sub(self.planning_spent() + aside)
            }
            _ => Money::MAX,
        };
        let money = self.money();
        let run =
            money.cap.map_or(Money::MAX, |cap| cap.saturating_sub(money.spent + money.reserved + aside));
        planning.min(run)
    }

    pub(crate) fn open_call(&self, key: &AskKey) -> Option<&OpenCall> {
        self.asks.find(key)?.open.as_ref()
    }

    /// What the run's degradation will be once a phase is done by rules.
    pub(crate) fn degradation_without(&self, phase: Phase) -> Degradation {
        let mut after = self.asks.degradation.clone();
        degradation::note(&mut after, FailedComponent::Phase(phase));
        after
    }

    /// What the run's degradation will be after a step.
    pub(crate) fn degradation_after(&self, phase: Phase, step: &Consulted) -> Degradation {
        let mut after = self.asks.degradation.clone();
        note(&mut after, phase, step);
        after
    }
}
