//! The invariants of asking models: who may ask, for how much, how often; and what is said when no answer is had.

use std::collections::{BTreeMap, BTreeSet};

use candor_engine::RunState;
use candor_model::{
    Account, AskKey, AskStep, Consulted, EventBody, FallbackKind, Handoff, Money, OpenCall, Phase,
    RevisionStep, RunSettings,
};
use serde_json::Value;

use super::invariant;
use crate::sim::models::ANSWER;

/// What the invariant keeps in mind of questions to models. A rollback takes none of it back but the questions.
#[derive(Debug, Clone, Default)]
pub(super) struct AskInvariants {
    /// The phases at work, and which try it is.
    at_work: BTreeMap<Phase, u32>,
    /// The revisions that models are asked for.
    revising: BTreeSet<u32>,
    asks: BTreeMap<AskKey, Asked>,
    /// Set aside for calls of which nobody knows whether they were paid.
    lost: Money,
    planning_spent: Money,
    gave_up: BTreeSet<Phase>,
    fell_back: bool,
    /// The level that people were told last.
    said: Option<u8>,
    /// The level that people have yet to be told.
    owed: Option<u8>,
}

/// One question.
#[derive(Debug, Clone, Default)]
struct Asked {
    steps: u32,
    open: Option<Money>,
    accepted: Option<Value>,
    over: bool,
}

/// The money of the run, apart from what models were promised.
pub(super) struct Purse<'a> {
    pub(super) settings: &'a RunSettings,
    pub(super) spent: Money,
    pub(super) reserved: Money,
}

impl AskInvariants {
    /// Reads one event.
    pub(super) fn check(&mut self, body: &EventBody, purse: &Purse<'_>) -> Result<(), String> {
        match body {
            EventBody::PhaseStarted { phase, attempt } => {
                self.over(*phase);
                self.at_work.insert(*phase, *attempt);
            }
            EventBody::PhaseCompleted { phase, handoff, .. } => {
                self.answers_are_on_the_log(*phase, handoff)?;
                self.over(*phase);
            }
            EventBody::PhaseFailed { phase, .. } => self.over(*phase),
            EventBody::StopRequested { .. }
            | EventBody::RolledBack { .. }
            | EventBody::PromptChanged { .. } => self.all_over(),
            EventBody::PhaseDegraded { phase, .. } => {
                let before = self.level();
                self.gave_up.insert(*phase);
                let after = self.level();
                if after > before {
                    self.owed = Some(after);
                }
            }
            EventBody::Revision(RevisionStep::Asked { number, .. }) => {
                let new = self.revising.insert(*number);
                invariant(new, || format!("revision {number} is asked for twice"))?;
            }
            EventBody::Revision(RevisionStep::Answered { number, .. }) => {
                let asked = self.revising.remove(number);
                invariant(asked, || format!("revision {number} is answered and was not asked for"))?;
                self.forget(|key| key.phase == Phase::Execution && key.attempt == *number);
            }
            EventBody::ModelAsked { call } => return self.asked(call, purse),
            EventBody::ModelConsulted { ask, number, step } => return self.consulted(ask, *number, step),
            EventBody::Charged { account: Account::Planning, amount, .. } => {
                self.planning_spent = self.planning_spent + *amount;
            }
            EventBody::FellBack { kind: Some(FallbackKind::Agent), .. } => self.fell_back = true,
            EventBody::Degraded { level, .. } => return self.degraded(*level),
            body if body.is_end() => self.all_over(),
            _ => {}
        }
        Ok(())
    }

    /// After an append: the level is what the failures make it, and what people were told.
    pub(super) fn check_level(&self, state: &RunState) -> Result<(), String> {
        let expected = self.level();
        let level = state.degradation().level;
        invariant(level == expected, || format!("degradation {expected} by the log, {level} by the state"))?;
        invariant(self.said.is_none_or(|said| said == level), || {
            format!("people were told of level {:?}, the run is at {level}", self.said)
        })?;
        invariant(self.owed.is_none(), || format!("people were not told of level {:?}", self.owed))
    }

    /// The level that follows from what failed.
    fn level(&self) -> u8 {
        match self.gave_up.len() {
            0 => u8::from(self.fell_back),
            1 => 2,
            _ => 3,
        }
    }

    fn asked(&mut self, call: &OpenCall, purse: &Purse<'_>) -> Result<(), String> {
        let OpenCall { ask, number, reserved, .. } = call;
        self.is_at_work(ask)?;
        let entry = self.asks.entry(ask.clone()).or_default();
        invariant(!entry.over, || format!("{ask} was answered, and is asked again"))?;
        invariant(entry.open.is_none(), || format!("{ask} is asked while it is being asked"))?;
        invariant(*number == entry.steps + 1, || {
            format!("{ask}: call {number} follows step {}", entry.steps)
        })?;
        entry.open = Some(*reserved);
        let aside: Money = self.asks.values().filter_map(|ask| ask.open).sum::<Money>() + self.lost;
        let (spent, budget) = (self.planning_spent, purse.settings.planning_budget);
        let planned = matches!(ask.phase, Phase::Execution | Phase::Validation | Phase::Consolidation);
        invariant(planned || spent + aside <= budget, || {
            format!("{ask} was allowed with ${spent} spent and ${aside} set aside of ${budget}")
        })?;
        let whole = purse.spent + purse.reserved + aside;
        invariant(purse.settings.run_budget.is_none_or(|cap| whole <= cap), || {
            format!("{ask} was allowed with ${whole} spent and set aside of the run's budget")
        })
    }

    fn consulted(&mut self, ask: &AskKey, number: u32, step: &Consulted) -> Result<(), String> {
        self.is_at_work(ask)?;
        let entry = self.asks.entry(ask.clone()).or_default();
        invariant(!entry.over, || format!("{ask} was answered, and goes on"))?;
        invariant(number == entry.steps + 1, || {
            format!("{ask}: step {number} follows step {}", entry.steps)
        })?;
        let open = entry.open.take();
        invariant(step.call.is_none() || open.is_some(), || {
            format!("{ask}: call {number} was never allowed")
        })?;
        if let Some(reserved) = open.filter(|_| step.call.is_none()) {
            self.lost = self.lost + reserved;
        }
        entry.steps = number;
        entry.over = step.outcome.is_final();
        if let AskStep::Accepted { value, .. } = &step.outcome {
            entry.accepted = Some(value.clone());
        }
        let before = self.level();
        match &step.outcome {
            AskStep::GiveUp { .. } => _ = self.gave_up.insert(ask.phase),
            AskStep::FallBack { .. } => self.fell_back = true,
            AskStep::Accepted { .. } | AskStep::Repeat { .. } | AskStep::AskAgain { .. } => {}
        }
        let after = self.level();
        self.owed = (after > before).then_some(after);
        Ok(())
    }

    fn is_at_work(&self, ask: &AskKey) -> Result<(), String> {
        let at_work = match ask.phase {
            Phase::Execution => self.revising.contains(&ask.attempt),
            phase => self.at_work.get(&phase) == Some(&ask.attempt),
        };
        invariant(at_work, || format!("{ask} is not at work and asks"))
    }

    /// What a phase built on is what its models said, and was there before the phase ended.
    fn answers_are_on_the_log(&self, phase: Phase, handoff: &Handoff) -> Result<(), String> {
        let Some(attempt) = self.at_work.get(&phase) else { return Ok(()) };
        for (step, value) in handoff.data.map().iter().filter(|(step, _)| step.starts_with(ANSWER)) {
            let key = AskKey { phase, attempt: *attempt, step: step.clone() };
            let logged = self.asks.get(&key).and_then(|ask| ask.accepted.as_ref());
            invariant(logged == Some(value), || {
                format!("{key}: {value} was used, {logged:?} is on the log")
            })?;
        }
        Ok(())
    }

    fn degraded(&mut self, level: u8) -> Result<(), String> {
        let before = self.said.unwrap_or(0);
        invariant(level > before, || format!("people were told of level {level} after level {before}"))?;
        self.owed = self.owed.filter(|owed| *owed != level);
        // The lowest level is said of a run that ends; its report keeps what the phases did.
        if level < 5 {
            self.said = Some(level);
        }
        Ok(())
    }

    fn over(&mut self, phase: Phase) {
        self.at_work.remove(&phase);
        self.forget(|key| key.phase == phase);
    }

    fn all_over(&mut self) {
        self.forget(|_| true);
        self.at_work.clear();
        self.revising.clear();
    }

    /// Calls that are under way and that nobody waits for any more may still be paid.
    fn forget(&mut self, gone: impl Fn(&AskKey) -> bool) {
        let open = self.asks.iter().filter(|(key, _)| gone(key)).filter_map(|(_, ask)| ask.open);
        self.lost = self.lost + open.sum::<Money>();
        self.asks.retain(|key, _| !gone(key));
    }
}
