//! How the code agent did, over all runs that are kept, for programs and for people.

use std::collections::BTreeMap;

use candor_app::run_metrics::{CodeFigures, Component};
use serde_json::{Value, json};

pub(crate) fn as_json(figures: &CodeFigures) -> Value {
    let components: BTreeMap<&str, Value> = figures
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
        "nodes": figures.nodes,
        "succeeded": figures.succeeded,
        "atFirstTry": figures.at_first,
        "cache": { "hits": figures.hits, "misses": figures.misses, "hitRate": figures.hit_rate(), "saved": figures.saved },
        "components": components,
    })
}

/// Nothing if no code was ever written.
pub(crate) fn as_text(figures: &CodeFigures) -> String {
    if figures.components.is_empty() {
        return String::new();
    }
    let rate = figures.hit_rate().map_or_else(|| "-".to_owned(), |rate| format!("{:.0}%", rate * 100.0));
    let CodeFigures { nodes, succeeded, at_first, saved, .. } = figures;
    let mut text = say!(
        "\ncode: {succeeded} of {nodes} tasks done, {at_first} at the first try; proven code used again: {rate}, \
         ${saved} saved\n",
        "\ncódigo: {succeeded} de {nodes} tareas hechas, {at_first} al primer intento; código probado usado de nuevo: {rate}, ${saved} ahorrado\n"
    );
    for (name, one) in &figures.components {
        let average = one.total_ms / f64::from(one.calls.max(1));
        let Component { calls, failed, cost, .. } = one;
        text.push_str(&say!(
            "    {name:<24} {calls:>5} times, {failed} failed, {average:.1} ms, ${cost}\n",
            "    {name:<24} {calls:>5} veces, {failed} fallidas, {average:.1} ms, ${cost}\n"
        ));
    }
    text
}
