//! Figures and alerts in the text format of Prometheus.
//!
//! Everything is a gauge: the figures are about a window that moves. A figure without a value has no sample.

use std::collections::BTreeMap;
use std::fmt::Write;

use candor_model::RunStatus;

use super::{AlertBook, Group, Kpi, KpiReport, Unit};

/// The text for `/metrics`.
#[must_use]
pub fn text(report: &KpiReport, alerts: &AlertBook, runs: &BTreeMap<RunStatus, u64>) -> String {
    let mut out = String::new();
    let by_status = RunStatus::ALL
        .iter()
        .map(|status| (format!("status=\"{status}\""), runs.get(status).copied().unwrap_or(0) as f64));
    family(&mut out, "candor_runs", "Runs that are kept, by status.", by_status);
    let hours = [(String::new(), report.window.hours() * 3_600.0)];
    family(&mut out, "candor_kpi_window_seconds", "The window that the figures are about.", hours);
    let active = [(String::new(), report.runs as f64)];
    family(&mut out, "candor_kpi_runs", "Runs with an event in the window.", active);
    let ended = [(String::new(), report.ended as f64)];
    family(&mut out, "candor_kpi_ended_runs", "Runs that ended in the window.", ended);
    for unit in [Unit::Milliseconds, Unit::Share, Unit::Dollars, Unit::Tokens, Unit::Count, Unit::PerHour] {
        let (name, help, factor) = metric(unit);
        let of_unit = report.kpis.iter().filter(|kpi| kpi.unit == unit);
        let samples = of_unit.filter_map(|kpi| Some((labels(kpi), kpi.value? * factor)));
        family(&mut out, name, help, samples);
    }
    let met = report.kpis.iter().filter_map(|kpi| Some((labels(kpi), f64::from(u8::from(kpi.met?)))));
    family(&mut out, "candor_kpi_target_met", "1 if the figure meets its target, 0 if it misses it.", met);
    let samples = report.kpis.iter().map(|kpi| (labels(kpi), kpi.samples as f64));
    family(&mut out, "candor_kpi_samples", "Samples that the figure rests on.", samples);
    let active = alerts.active.iter().map(|alert| {
        (format!("name=\"{}\",severity=\"{}\"", escaped(&alert.name), alert.level.as_str()), 1.0)
    });
    family(&mut out, "candor_alert_active", "Alerts that are active.", active);
    out
}

const fn metric(unit: Unit) -> (&'static str, &'static str, f64) {
    match unit {
        Unit::Milliseconds => ("candor_kpi_seconds", "Figures in seconds.", 0.001),
        Unit::Share => ("candor_kpi_ratio", "Figures from 0 to 1.", 1.0),
        Unit::Dollars => ("candor_kpi_dollars", "Figures in US dollars.", 1.0),
        Unit::Tokens => ("candor_kpi_tokens", "Figures in tokens of models.", 1.0),
        Unit::Count => ("candor_kpi_number", "Figures that are numbers.", 1.0),
        Unit::PerHour => ("candor_kpi_per_hour", "Figures per hour.", 1.0),
    }
}

fn labels(kpi: &Kpi) -> String {
    let group = match kpi.group {
        Group::Latency => "latency",
        Group::Quality => "quality",
        Group::Efficiency => "efficiency",
        Group::Orchestration => "orchestration",
    };
    format!("kpi=\"{}\",group=\"{group}\"", kpi.name)
}

fn family(out: &mut String, name: &str, help: &str, samples: impl IntoIterator<Item = (String, f64)>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
    for (labels, value) in samples {
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        let _ = writeln!(out, "{name}{labels} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
