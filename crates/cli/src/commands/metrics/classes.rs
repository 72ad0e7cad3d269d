//! How requests of each class did, as text.

use candor_app::run_metrics::Classes;
use candor_planning::scaling::TaskClass;

/// A row for each class that has runs; nothing if none has.
pub(super) fn as_text(classes: &Classes) -> String {
    if classes.0.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n{:<10} {:>5} {:>9} {:>11} {:>8} {:>7} {:>10} {:>10} {:>9} {:>9}\n",
        word!("requests", "peticiones"),
        word!("runs", "ejec."),
        word!("verified", "verif."),
        word!("unverified", "sin verif."),
        word!("not met", "no alc."),
        word!("tasks", "tareas"),
        word!("revisions", "revis."),
        word!("seconds", "segundos"),
        word!("tokens", "tokens"),
        word!("cost", "coste")
    );
    for (class, figures) in &classes.0 {
        let each = |sum: u64| sum as f64 / figures.runs.max(1) as f64;
        text.push_str(&format!(
            "{:<10} {:>5} {:>9} {:>11} {:>8} {:>7.1} {:>10.1} {:>10.2} {:>9.0} {:>9}\n",
            name(*class),
            figures.runs,
            figures.verified,
            figures.unverified,
            figures.not_met,
            each(figures.tasks),
            each(figures.revisions),
            each(figures.milliseconds) / 1_000.0,
            each(figures.model_tokens),
            format!("${:.4}", each(figures.cost.micros()) / 1e6),
        ));
    }
    text + word!(
        "Tasks, revisions, seconds, tokens and cost are averages of a run.\n",
        "Tareas, revisiones, segundos, tokens y coste son medias de una ejecución.\n"
    )
}

fn name(class: TaskClass) -> &'static str {
    match class {
        TaskClass::Simple => word!("simple", "simple"),
        TaskClass::Standard => word!("standard", "estándar"),
        TaskClass::Complex => word!("complex", "compleja"),
    }
}
