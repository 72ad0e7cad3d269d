//! `candor metrics`: how the phases did, over all runs that are kept.

mod classes;

use candor_app::DataFolder;
use candor_app::run_metrics::{MetricsReport, OneRun};
use candor_model::{Phase, PhaseMetrics, RunId};
use candor_planning::calibration::Band;
use candor_planning::metrics::{PhaseHistory, PhaseRecord, criteria_of};
use candor_planning::targets::Target;
use candor_react::Metrics;

use super::code::figures as code_figures;
use crate::args::{GlobalOptions, MetricsArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn metrics(global: &GlobalOptions, args: &MetricsArgs) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let report = match data.open_if_there()? {
        Some(log) => {
            let query = args.runs.query(&args.period);
            MetricsReport::of(&log, &query, args.listing.limit_or(usize::MAX)).await?
        }
        None => MetricsReport::default(),
    };
    if args.listing.json {
        output::print_json(&report.to_json(args.all)?)?;
    } else {
        output::print(&(as_text(&report.history, &report.runs, args.all) + &more_text(&report)))?;
    }
    Ok(code::DONE)
}

/// What is told of runs beside their phases.
fn more_text(report: &MetricsReport) -> String {
    let mut text = format!(
        "\n{:<30} {:>10}  {}\n",
        word!("figure", "cifra"),
        word!("measured", "medido"),
        word!("target", "objetivo")
    );
    for Target { name, target, value, met } in report.targets() {
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        let missed = if met == Some(false) { word!("  MISSED", "  INCUMPLIDO") } else { "" };
        text.push_str(&format!("{name:<30} {value:>10}  {target}{missed}\n"));
    }
    let Metrics { tool_calls, failed_calls, .. } = report.tools;
    let rate =
        report.tools.success_rate().map_or_else(|| "-".to_owned(), |rate| format!("{:.0}%", rate * 100.0));
    text.push_str(&say!("\ntools: {tool_calls} calls, {failed_calls} failed; steps re-planned: {rate} well\n", "\nherramientas: {tool_calls} llamadas, {failed_calls} fallidas; pasos planificados de nuevo: {rate} bien\n"
    ));
    for (strategy, figures) in &report.tools.strategies {
        let name =
            if strategy.is_empty() { word!("nothing found", "no se encontró nada") } else { strategy };
        text.push_str(&say!(
            "    {name} {} of {}\n",
            "    {name} {} de {}\n",
            figures.succeeded,
            figures.tried
        ));
    }
    text + &code_figures::as_text(&report.code)
        + &classes::as_text(&report.classes)
        + &calibration_text(report)
        + &reports_text(report)
}

/// Predicted against actual success.
fn calibration_text(report: &MetricsReport) -> String {
    if report.bands.is_empty() {
        return String::new();
    }
    let row = |Band { from, to, runs, predicted, actual }: &Band| {
        say!(
            "{from:.2} to {to:.2} {runs:>8} {predicted:>10.2} {:>9.0}%\n",
            "{from:.2} a {to:.2} {runs:>8} {predicted:>10.2} {:>9.0}%\n",
            actual * 100.0
        )
    };
    let r = report.calibration.correlation.map(|r| format!(" (r = {r:.2})")).unwrap_or_default();
    let head = format!(
        "\n{:<12} {:>8} {:>10} {:>10}{r}\n",
        word!("confidence", "confianza"),
        word!("runs", "ejec."),
        word!("predicted", "prevista"),
        word!("succeeded", "logradas")
    );
    std::iter::once(head).chain(report.bands.iter().map(row)).collect()
}

/// Versions of plans, and what each model took.
fn reports_text(report: &MetricsReport) -> String {
    let mut text = String::new();
    if let Some(average) = report.planning.average() {
        let most = report.planning.most;
        text.push_str(&say!(
            "\nplan versions: {average:.2} on average, {most} at most\n",
            "\nversiones del plan: {average:.2} de media, {most} como máximo\n"
        ));
    }
    if !report.models.is_empty() {
        let (model, tokens) = (word!("model", "modelo"), word!("tokens", "tokens"));
        text.push_str(&format!("\n{model:<30} {tokens:>10} {:>12}\n", word!("cost", "coste")));
    }
    for (model, spend) in &report.models {
        text.push_str(&format!(
            "{model:<30} {:>10} {:>12}\n",
            spend.tokens.total(),
            format!("${}", spend.cost)
        ));
    }
    text
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
