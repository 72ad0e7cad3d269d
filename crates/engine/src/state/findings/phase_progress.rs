//! How far the phases are, and what they took.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{Consulted, Money, Phase, Timestamp};
use serde::{Deserialize, Serialize};

use crate::state::course::redone;

/// A phase that is to be done better.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refinement {
    pub(crate) count: u32,
    pub(crate) notes: Vec<String>,
}

/// Which phases are done, and what each of them took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PhaseProgress {
    /// When each began last.
    pub(crate) started: BTreeMap<Phase, Timestamp>,
    /// The phases whose results hold.
    pub(crate) completed: BTreeSet<Phase>,
    pub(crate) refinements: BTreeMap<Phase, Refinement>,
    /// Models' tokens by phase.
    pub(crate) tokens: BTreeMap<Phase, u64>,
    /// What models cost, by phase.
    pub(crate) costs: BTreeMap<Phase, Money>,
    /// How many more tokens a person has allowed.
    pub(crate) tokens_allowed: u64,
}

impl PhaseProgress {
    pub(crate) fn tokens_used(&self) -> u64 {
        self.tokens.values().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }

    pub(super) fn start(&mut self, phase: Phase, at: Timestamp) {
        self.started.insert(phase, at);
        self.completed.retain(|completed| !redone(phase, *completed));
    }

    pub(crate) fn complete(&mut self, phase: Phase) {
        self.completed.insert(phase);
        self.refinements.remove(&phase);
    }

    pub(crate) fn refine(&mut self, phase: Phase, notes: &[String]) {
        let refinement = self.refinements.entry(phase).or_default();
        refinement.count = refinement.count.saturating_add(1);
        refinement.notes = notes.to_vec();
    }

    pub(crate) fn consulted(&mut self, phase: Phase, step: &Consulted) {
        if let Some(call) = &step.call {
            let sum = self.tokens.entry(phase).or_default();
            *sum = sum.saturating_add(call.tokens.total());
            let cost = self.costs.entry(phase).or_default();
            *cost = *cost + call.cost;
        }
    }
}
