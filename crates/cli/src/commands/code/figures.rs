//! How the code agent did, over all runs that are kept: counted from its chain of work.

use std::collections::BTreeMap;

use candor_model::{AgentNote, Money, WorkStep};
use serde_json::{Value, json};

/// What was counted.
#[derive(Debug, Default)]
pub(crate) struct CodeFigures {
    components: BTreeMap<String, Component>,
    nodes: u32,
    succeeded: u32,
    at_first: u32,
    hits: u32,
    misses: u32,
    saved: Money,
}

/// What one component did.
#[derive(Debug, Default)]
struct Component {
    calls: u32,
    failed: u32,
    total_ms: f64,
    cost: Money,
}

impl CodeFigures {
    /// Takes a note into account.
    pub(crate) fn count(&mut self, note: &AgentNote) {
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

    fn hit_rate(&self) -> Option<f64> {
        let asked = self.hits + self.misses;
        (asked > 0).then(|| f64::from(self.hits) / f64::from(asked))
    }

    pub(crate) fn as_json(&self) -> Value {
        let components: BTreeMap<&str, Value> = self
            .components
            .iter()
            .map(|(name, one)| {
                let average = one.total_ms / f64::from(one.calls.max(1));
                let figures = json!({
                    "calls": one.calls, "failed": one.failed, "averageMs": average, "cost": one.cost,
                });
                (name.as_str(), figures)
            })
            .collect();
        json!({
            "nodes": self.nodes,
            "succeeded": self.succeeded,
            "atFirstTry": self.at_first,
            "cache": { "hits": self.hits, "misses": self.misses, "hitRate": self.hit_rate(), "saved": self.saved },
            "components": components,
        })
    }

    /// Nothing if no code was ever written.
    pub(crate) fn as_text(&self) -> String {
        if self.components.is_empty() {
            return String::new();
        }
        let rate = self.hit_rate().map_or_else(|| "-".to_owned(), |rate| format!("{:.0}%", rate * 100.0));
        let Self { nodes, succeeded, at_first, saved, .. } = self;
        let mut text = say!(
            "\ncode: {succeeded} of {nodes} tasks done, {at_first} at the first try; proven code used again: {rate}, \
             ${saved} saved\n",
            "\ncódigo: {succeeded} de {nodes} tareas hechas, {at_first} al primer intento; código probado usado de nuevo: {rate}, ${saved} ahorrado\n"
        );
        for (name, one) in &self.components {
            let average = one.total_ms / f64::from(one.calls.max(1));
            let Component { calls, failed, cost, .. } = one;
            text.push_str(&say!(
                "    {name:<24} {calls:>5} times, {failed} failed, {average:.1} ms, ${cost}\n",
                "    {name:<24} {calls:>5} veces, {failed} fallidas, {average:.1} ms, ${cost}\n"
            ));
        }
        text
    }
}
