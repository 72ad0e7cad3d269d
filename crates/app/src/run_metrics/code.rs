//! How the code agent did: counted from its chain of work.

use std::collections::BTreeMap;

use candor_model::{AgentNote, Money, WorkStep};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Counts of code that was written, reused and refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeFigures {
    /// By the name of the component.
    pub components: BTreeMap<String, Component>,
    /// Tasks that were given to it.
    pub nodes: u32,
    /// Those among them that were done.
    pub succeeded: u32,
    /// Those among them that were done at the first try.
    pub at_first: u32,
    /// How often proven code was used again.
    pub hits: u32,
    /// How often none was found.
    pub misses: u32,
    /// What using it again saved.
    pub saved: Money,
}

/// What one component did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Component {
    /// How often it worked.
    pub calls: u32,
    /// How often it failed.
    pub failed: u32,
    /// How long it took in all, in milliseconds.
    pub total_ms: f64,
    /// What it cost in all.
    pub cost: Money,
}

impl CodeFigures {
    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Takes a note into account.
    pub fn count(&mut self, note: &AgentNote) {
        let AgentNote::Worked { step } = note else { return };
        let component = self.components.entry(step.component.clone()).or_default();
        component.calls += 1;
        component.failed += u32::from(!step.success);
        component.total_ms += step.duration_ms;
        component.cost = component.cost + step.cost;
        match step.component.as_str() {
            "cache" => self.count_cache(step),
            "MultiAgentOrchestrator" => self.count_node(step),
            _ => {}
        }
    }

    fn count_cache(&mut self, step: &WorkStep) {
        match step.data.get("hit").and_then(Value::as_bool) {
            Some(true) => {
                self.hits += 1;
                let saved =
                    step.data.get("saved").cloned().and_then(|saved| serde_json::from_value(saved).ok());
                self.saved = self.saved + saved.unwrap_or_default();
            }
            Some(false) => self.misses += 1,
            None => {}
        }
    }

    fn count_node(&mut self, step: &WorkStep) {
        self.nodes += 1;
        self.succeeded += u32::from(step.success);
        let tries = step.data.get("attempts").and_then(Value::as_u64);
        self.at_first += u32::from(step.success && tries.is_some_and(|tries| tries <= 1));
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Self) {
        for (name, one) in &other.components {
            let sum = self.components.entry(name.clone()).or_default();
            sum.calls += one.calls;
            sum.failed += one.failed;
            sum.total_ms += one.total_ms;
            sum.cost = sum.cost + one.cost;
        }
        self.nodes += other.nodes;
        self.succeeded += other.succeeded;
        self.at_first += other.at_first;
        self.hits += other.hits;
        self.misses += other.misses;
        self.saved = self.saved + other.saved;
    }

    /// How often proven code was used again where some was looked for; nothing if it never was.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        let asked = self.hits + self.misses;
        (asked > 0).then(|| f64::from(self.hits) / f64::from(asked))
    }

    /// The figures for programs.
    pub(super) fn to_json(&self) -> Value {
        let component = |(name, one): (&String, &Component)| {
            let average = one.total_ms / f64::from(one.calls.max(1));
            let shown = json!({
                "calls": one.calls, "failed": one.failed, "averageMs": average, "cost": one.cost,
            });
            (name.clone(), shown)
        };
        let components: BTreeMap<String, Value> = self.components.iter().map(component).collect();
        json!({
            "nodes": self.nodes,
            "succeeded": self.succeeded,
            "atFirstTry": self.at_first,
            "cache": {
                "hits": self.hits, "misses": self.misses, "hitRate": self.hit_rate(), "saved": self.saved,
            },
            "components": components,
        })
    }
}
