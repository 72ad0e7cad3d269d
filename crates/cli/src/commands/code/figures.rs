//! How the code agent did, over all runs that are kept, for people.

use candor_app::run_metrics::{CodeFigures, Component};

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
