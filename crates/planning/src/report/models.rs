//! What models did in a run, in figures: a reader of the log.

use std::collections::BTreeMap;

use candor_model::{AskStep, Consulted, Event, EventBody, Money, TokenUse};
use serde::Serialize;

/// What models did in a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFigures {
    /// Calls that were made.
    pub calls: u64,
    /// Calls that brought no answer.
    pub failed_calls: u64,
    /// Everything that they took.
    pub tokens: TokenUse,
    /// Everything that they cost.
    pub cost: Money,
    /// The same by model.
    pub cost_by_model: BTreeMap<String, Money>,
    /// The share of tokens read that came from the provider's cache; 0 where there is no cache.
    pub cache_hit_rate: f64,
    /// What reading from the cache saved.
    pub cache_savings: Money,
    /// Answers that had to be repaired.
    pub repaired: u64,
    /// Answers that were asked for once more.
    pub asked_again: u64,
    /// Calls that were repeated after a failure.
    pub retries: u64,
    /// Steps to a lower tier, or to another agent.
    pub fallbacks: u64,
    /// Questions that the rules answered in the end.
    pub given_up: u64,
    /// Breakers that opened, of models and of agents.
    pub circuit_breaker_trips: u64,
}

impl ModelFigures {
    /// Reads the figures from a run's events.
    #[must_use]
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut figures = Self::default();
        for event in events {
            match &event.body {
                EventBody::ModelConsulted { step, .. } => figures.count(step),
                EventBody::FellBack { .. } => figures.fallbacks += 1,
                EventBody::BreakerOpened { .. } | EventBody::ModelBreakerOpened { .. } => {
                    figures.circuit_breaker_trips += 1;
                }
                _ => {}
            }
        }
        let read = figures.tokens.input + figures.tokens.cached_read + figures.tokens.cached_write;
        if read > 0 {
            figures.cache_hit_rate = figures.tokens.cached_read as f64 / read as f64;
        }
        figures
    }

    fn count(&mut self, step: &Consulted) {
        match &step.outcome {
            AskStep::Accepted { repairs, .. } => self.repaired += u64::from(!repairs.is_empty()),
            AskStep::AskAgain { .. } => self.asked_again += 1,
            AskStep::Repeat { .. } => self.retries += 1,
            AskStep::GiveUp { .. } => self.given_up += 1,
            AskStep::FallBack { .. } => {}
        }
        let Some(call) = &step.call else { return };
        self.calls += 1;
        self.failed_calls += u64::from(call.failure.is_some());
        self.tokens.input += call.tokens.input;
        self.tokens.output += call.tokens.output;
        self.tokens.cached_read += call.tokens.cached_read;
        self.tokens.cached_write += call.tokens.cached_write;
        self.cost = self.cost + call.cost;
        let spent = self.cost_by_model.entry(call.model.clone()).or_default();
        *spent = *spent + call.cost;
        self.cache_savings = self.cache_savings + call.saved;
    }
}
