//! `candor metrics`: how the phases did, over all runs that are kept.

mod classes;

use std::collections::BTreeMap;

use candor_app::DataFolder;
use candor_app::run_metrics::{self, CodeFigures, RunMetrics};
use candor_model::{CalibrationMetrics, Phase, PhaseMetrics, RunId, RunSummary};
use candor_planning::calibration::{self, Band};
use candor_planning::metrics::{PhaseHistory, PhaseRecord, SessionFigures, criteria_of, session_line};
use candor_planning::targets::{Target, TargetFigures};
use candor_ports::{RunEntry, RunFilter};
use candor_react::Metrics;
use serde_json::{Value, json};

use self::classes::Classes;
use super::code::figures as code_figures;
use crate::args::{GlobalOptions, MetricsArgs};
use crate::failure::{Failure, code};
use crate::output;

/// The figures of one run.
struct OneRun {
    summary: RunSummary,
    phases: BTreeMap<Phase, PhaseMetrics>,
}

pub(crate) async fn metrics(global: &GlobalOptions, args: &MetricsArgs) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let mut history = PhaseHistory::default();
    let mut runs = Vec::new();
    let mut more = More::default();
    if let Some(log) = data.open_if_there()? {
        let query = args.runs.query(&args.period);
        let mut entries = log.runs(RunFilter::default()).await?;
        entries.retain(|entry| query.admits(entry));
        args.listing.cut(&mut entries);
        for (RunEntry { summary, .. }, of_run) in run_metrics::of_runs(&log, entries).await? {
            history.merge(&of_run.history);
            more.add_run(&summary, &of_run);
            runs.push(OneRun { phases: of_run.phases, summary });
        }
        let outcomes = log.experience().await?.outcomes;
        more.calibration = calibration::metrics(&outcomes);
        more.bands = calibration::bands(&outcomes);
    }
    if args.listing.json {
        output::print_json(&as_json(&history, &runs, &more, args.all)?)?;
    } else {
        output::print(&(as_text(&history, &runs, args.all) + &more.as_text()))?;
    }
    Ok(code::DONE)
}

/// What is told of runs beside their phases: the figures that were promised, and how agents at desks did.
#[derive(Default)]
struct More {
    targets: TargetFigures,
    tools: Metrics,
    code: CodeFigures,
    classes: Classes,
    calibration: CalibrationMetrics,
    bands: Vec<Band>,
}

impl More {
    fn add_run(&mut self, summary: &RunSummary, of_run: &RunMetrics) {
        self.targets.merge(&of_run.targets);
        self.tools.merge(&of_run.tools);
        self.code.merge(&of_run.code);
        if let Some(work) = of_run.class {
            self.classes.add_run(summary, work);
        }
    }

    fn as_json(&self) -> (Value, Value) {
        let targets = self.targets.targets(&self.calibration);
        let tools = json!({
            "toolCalls": self.tools.tool_calls,
            "failedCalls": self.tools.failed_calls,
            "modelCalls": self.tools.model_calls,
            "replans": self.tools.strategies,
            "replanSuccessRate": self.tools.success_rate(),
        });
        (json!(targets), tools)
    }

    fn as_text(&self) -> String {
        let mut text = format!(
            "\n{:<30} {:>10}  {}\n",
            word!("figure", "cifra"),
            word!("measured", "medido"),
            word!("target", "objetivo")
        );
        for Target { name, target, value, met } in self.targets.targets(&self.calibration) {
            let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
            let missed = if met == Some(false) { word!("  MISSED", "  INCUMPLIDO") } else { "" };
            text.push_str(&format!("{name:<30} {value:>10}  {target}{missed}\n"));
        }
        let Metrics { tool_calls, failed_calls, .. } = self.tools;
        let rate =
            self.tools.success_rate().map_or_else(|| "-".to_owned(), |rate| format!("{:.0}%", rate * 100.0));
        text.push_str(&say!("\ntools: {tool_calls} calls, {failed_calls} failed; steps re-planned: {rate} well\n", "\nherramientas: {tool_calls} llamadas, {failed_calls} fallidas; pasos planificados de nuevo: {rate} bien\n"
        ));
        for (strategy, figures) in &self.tools.strategies {
            let name =
                if strategy.is_empty() { word!("nothing found", "no se encontró nada") } else { strategy };
            text.push_str(&say!(
                "    {name} {} of {}\n",
                "    {name} {} de {}\n",
                figures.succeeded,
                figures.tried
            ));
        }
        text + &code_figures::as_text(&self.code) + &self.classes.as_text() + &self.calibration_text()
    }

    /// Predicted against actual success.
    fn calibration_text(&self) -> String {
        if self.bands.is_empty() {
            return String::new();
        }
        let row = |Band { from, to, runs, predicted, actual }: &Band| {
            say!(
                "{from:.2} to {to:.2} {runs:>8} {predicted:>10.2} {:>9.0}%\n",
                "{from:.2} a {to:.2} {runs:>8} {predicted:>10.2} {:>9.0}%\n",
                actual * 100.0
            )
        };
        let r = self.calibration.correlation.map(|r| format!(" (r = {r:.2})")).unwrap_or_default();
        let head = format!(
            "\n{:<12} {:>8} {:>10} {:>10}{r}\n",
            word!("confidence", "confianza"),
            word!("runs", "ejec."),
            word!("predicted", "prevista"),
            word!("succeeded", "logradas")
        );
        std::iter::once(head).chain(self.bands.iter().map(row)).collect()
    }
}

fn as_json(history: &PhaseHistory, runs: &[OneRun], more: &More, all: bool) -> Result<Value, Failure> {
    let mut shown = serde_json::to_value(history.export())?;
    if let Value::Object(fields) = &mut shown {
        let (targets, tools) = more.as_json();
        fields.extend([("targets".to_owned(), targets), ("tools".to_owned(), tools)]);
        fields.insert("code".to_owned(), code_figures::as_json(&more.code));
        fields.insert("classes".to_owned(), serde_json::to_value(&more.classes)?);
        fields.insert("calibration".to_owned(), json!({ "summary": more.calibration, "bands": more.bands }));
        fields.insert("runs".to_owned(), json!(runs.len()));
        let last = runs.first().map(|run| {
            let phases: BTreeMap<u8, &PhaseMetrics> =
                run.phases.iter().map(|(phase, metrics)| (phase.number(), metrics)).collect();
            json!({ "taskId": run.summary.run_id, "status": run.summary.status, "phases": phases })
        });
        fields.insert("lastRun".to_owned(), json!(last));
        if all {
            let lines = runs.iter().map(|run| serde_json::from_str(&line(run)));
            fields.insert("sessions".to_owned(), Value::Array(lines.collect::<Result<_, _>>()?));
        }
    }
    Ok(shown)
}

fn line(run: &OneRun) -> String {
    let OneRun { summary, phases } = run;
    session_line(&SessionFigures {
        run_id: &summary.run_id,
        at: summary.updated_at.unwrap_or(candor_model::Timestamp::EPOCH),
        request: &summary.request,
        status: summary.status,
        phases,
    })
}

fn as_text(history: &PhaseHistory, runs: &[OneRun], all: bool) -> String {
    if runs.is_empty() {
        return word!(
            "No runs yet: what follows are first guesses.\n",
            "Aún no hay ejecuciones: lo que sigue son primeras estimaciones.\n"
        )
        .to_owned()
            + &table(history, None);
    }
    let last: Option<&OneRun> = runs.first();
    let mut text = table(history, last);
    if all {
        text.push('\n');
        runs.iter().for_each(|run| text.push_str(&(run_line(run) + "\n")));
    }
    text
}

fn table(history: &PhaseHistory, last: Option<&OneRun>) -> String {
    let named = |run: &RunId| say!("last run ({run})", "última ejecución ({run})");
    let last_name = last.map(|run| named(&run.summary.run_id)).unwrap_or_default();
    let mut text = format!(
        "{:<18} {:>5} {:>8} {:>9} {:>8}  {last_name}\n",
        word!("phase", "fase"),
        word!("runs", "ejec."),
        word!("success", "éxito"),
        word!("average", "media"),
        word!("tokens", "tokens")
    );
    for phase in Phase::ALL {
        let of_last = last.and_then(|run| run.phases.get(phase));
        text.push_str(&row(*phase, &history.record(*phase), of_last));
        for name in criteria_of(*phase) {
            if let Some(value) = history.criterion(name) {
                text.push_str(&format!("    {name} {value:.2}\n"));
            }
        }
    }
    text
}

fn row(phase: Phase, record: &PhaseRecord, last: Option<&PhaseMetrics>) -> String {
    let success = record.success_rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.0}%", rate * 100.0));
    let last = last.map(|took| format!("{:.3} s, {} tokens", took.duration.get(), took.tokens_used));
    let more = if record.seed {
        word!("first guess", "primera estimación").to_owned()
    } else {
        last.unwrap_or_default()
    };
    let why = match record.failure_reasons.as_slice() {
        [] => String::new(),
        reasons => format!("  ({})", reasons.join(", ")),
    };
    format!(
        "{} {:<16} {:>5} {success:>8} {:>7.3} s {:>8}  {more}{why}\n",
        phase.number(),
        phase.as_str(),
        record.runs,
        record.avg_duration.get(),
        record.tokens_used
    )
}

fn run_line(run: &OneRun) -> String {
    let OneRun { summary, phases } = run;
    let seconds: f64 = phases.values().map(|took| took.duration.get()).sum();
    let tokens = phases.values().map(|took| took.tokens_used).fold(0, u64::saturating_add);
    format!("{:<20} {:<14} {seconds:>9.3} s {tokens:>8} tokens", summary.run_id, summary.status.as_str())
}
