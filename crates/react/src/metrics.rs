//! The figures of a mission, counted from its notes: they cost the loop nothing, and anyone who has the log has
//! them.

use std::collections::BTreeMap;

use candor_model::{AgentNote, Noted};
use serde::{Deserialize, Serialize};

/// How one strategy did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyMetrics {
    /// How often it was tried.
    pub tried: u32,
    /// How often it changed the list.
    pub succeeded: u32,
}

/// The figures of a mission, over all attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Calls of models.
    pub model_calls: u32,
    /// Calls of tools.
    pub tool_calls: u32,
    /// Those among them that failed.
    pub failed_calls: u32,
    /// What the model decided, how often.
    pub decisions: u32,
    /// By strategy; those for which nothing was found are under the empty name.
    pub strategies: BTreeMap<String, StrategyMetrics>,
}

/// The figures that a log tells.
#[must_use]
pub fn metrics(notes: &[Noted]) -> Metrics {
    let mut metrics = Metrics::default();
    for noted in notes {
        metrics.count(&noted.note);
    }
    metrics
}

impl Metrics {
    /// Takes one more note into account.
    pub fn count(&mut self, note: &AgentNote) {
        match note {
            AgentNote::Consulted { step, .. } => self.model_calls += u32::from(step.call.is_some()),
            AgentNote::Called { .. } => self.tool_calls += 1,
            AgentNote::Returned { result, .. } => self.failed_calls += u32::from(!result.success),
            AgentNote::Decided { .. } => self.decisions += 1,
            AgentNote::ReplanTried { strategy_type, .. } => self.of(strategy_type).tried += 1,
            AgentNote::ReplanEnded { strategy_type, success, .. } => {
                self.of(strategy_type).succeeded += u32::from(*success);
            }
            _ => {}
        }
    }

    /// Adds the figures of other missions.
    pub fn merge(&mut self, other: &Self) {
        self.model_calls += other.model_calls;
        self.tool_calls += other.tool_calls;
        self.failed_calls += other.failed_calls;
        self.decisions += other.decisions;
        for (name, one) in &other.strategies {
            let sum = self.of(name);
            sum.tried += one.tried;
            sum.succeeded += one.succeeded;
        }
    }

    fn of(&mut self, strategy_type: &str) -> &mut StrategyMetrics {
        self.strategies.entry(strategy_type.to_owned()).or_default()
    }

    /// All strategies together.
    #[must_use]
    pub fn replans(&self) -> StrategyMetrics {
        self.strategies.values().fold(StrategyMetrics::default(), |sum, one| StrategyMetrics {
            tried: sum.tried + one.tried,
            succeeded: sum.succeeded + one.succeeded,
        })
    }

    /// How often planning anew changed the list, from 0 to 1; nothing if it was never tried.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        let StrategyMetrics { tried, succeeded } = self.replans();
        (tried > 0).then(|| f64::from(succeeded) / f64::from(tried))
    }

    /// Steps of the loop.
    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.model_calls + self.tool_calls
    }
}
