//! How requests of each class did: simple, standard and complex, by the complexity that the evaluation gave them.

use std::collections::BTreeMap;

use candor_app::run_metrics::ClassWork;
use candor_model::{Money, RunSummary, Verdict};
use candor_planning::scaling::TaskClass;
use serde::Serialize;

/// The figures of the runs of one class.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    runs: u64,
    verified: u64,
    unverified: u64,
    not_met: u64,
    tasks: u64,
    revisions: u64,
    milliseconds: u64,
    model_tokens: u64,
    cost: Money,
}

/// The figures of all classes.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Classes(BTreeMap<TaskClass, Figures>);

impl Classes {
    /// Counts a run that was evaluated; others belong to no class.
    pub(super) fn add_run(&mut self, summary: &RunSummary, work: ClassWork) {
        let figures = self.0.entry(work.class).or_default();
        figures.runs += 1;
        match summary.verdict {
            Some(Verdict::Verified) => figures.verified += 1,
            Some(Verdict::Unverified) => figures.unverified += 1,
            Some(Verdict::NotMet) => figures.not_met += 1,
            None => {}
        }
        let took = summary.updated_at.zip(summary.started_at).map(|(end, start)| end.since(start));
        figures.milliseconds += took.map_or(0, |took| took.as_millis());
        figures.cost = [figures.cost, summary.spent].into_iter().sum();
        figures.tasks += work.tasks;
        figures.revisions += work.revisions;
        figures.model_tokens += work.tokens;
    }

    /// A row for each class that has runs; nothing if none has.
    pub(super) fn as_text(&self) -> String {
        if self.0.is_empty() {
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
        for (class, figures) in &self.0 {
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
}

fn name(class: TaskClass) -> &'static str {
    match class {
        TaskClass::Simple => word!("simple", "simple"),
        TaskClass::Standard => word!("standard", "estándar"),
        TaskClass::Complex => word!("complex", "compleja"),
    }
}
