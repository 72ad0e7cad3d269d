//! The dashboard as text: a run and the installation at a glance, whole or as much of it as a screen holds.

use std::fmt::Write;

use candor_projections::dashboard::{Dashboard, PhaseRow, RunDashboard, Tile};
use candor_projections::efficiency::EfficiencyReport;
use candor_projections::format;
use candor_projections::kpi::{Kpi, KpiReport, names, shown};
use candor_projections::line::{clean, shortened, width};
use candor_projections::summary::Summary;
use candor_projections::trace::SpanStatus;
use candor_projections::words::{self, plural, run_status};

use crate::commands::kpi::{NO_DATA, alerts_text};
use crate::lang::language;
use crate::view::wrapped;

/// How many columns a bar has.
const BAR: usize = 20;

/// How many columns the bar of a key figure has.
const SHORT_BAR: usize = 4;

/// How many columns a key figure has, with the room behind it.
const FIGURE: usize = 39;

/// How many columns of the phases' table stand before the model.
const BEFORE_MODEL: usize = 58;

/// From so many columns on there is room for long names.
const WIDE: usize = 100;

/// Everything that there is to show, however long.
pub(crate) fn text(board: &Dashboard, columns: usize) -> String {
    parts(board, columns).concat()
}

/// The same in at most so many rows. What is about other times than now goes first, then the figures, then what agents did
/// before; a line says how much is left out, and where it is.
pub(crate) fn frame(board: &Dashboard, columns: usize, rows: usize) -> String {
    let on_one_row = |line: &str| shortened(line, columns, true) + "\n";
    let mut parts = parts(board, columns).map(|part| part.lines().map(on_one_row).collect::<String>());
    let height = |parts: &[String]| parts.iter().map(|part| part.lines().count()).sum::<usize>();
    let all = height(&parts);
    if all <= rows {
        return parts.concat();
    }
    let room = rows.saturating_sub(1);
    for (part, least) in [(EFFICIENCY, 0), (SUMMARY, 0), (FIGURES, 0), (AGENTS, 5), (ALERTS, 3)] {
        let excess = height(&parts).saturating_sub(room);
        if let Some(part) = parts.get_mut(part) {
            let kept = part.lines().count().saturating_sub(excess).max(least);
            // A heading alone, or the half of a table, says nothing.
            let kept = if least == 0 && excess > 0 { 0 } else { kept };
            *part = part.split_inclusive('\n').take(kept).collect();
        }
    }
    let shown: String = parts.concat().split_inclusive('\n').take(room).collect();
    let more = all.saturating_sub(shown.lines().count());
    shown
        + &say!(
            "… {more} more lines: candor dashboard --once\n",
            "… {more} líneas más: candor dashboard --once\n"
        )
}

/// The parts in the order in which they are shown.
const AGENTS: usize = 1;
const ALERTS: usize = 2;
const FIGURES: usize = 3;
const SUMMARY: usize = 4;
const EFFICIENCY: usize = 5;

fn parts(board: &Dashboard, columns: usize) -> [String; 6] {
    let [mut run, mut agents, mut summary, mut efficiency] = [const { String::new() }; 4];
    match &board.run {
        Some(of) => {
            run_text(&mut run, of, columns);
            agents_text(&mut agents, of, columns);
        }
        None => run.push_str(word!("No runs yet.\n", "Aún no hay ejecuciones.\n")),
    }
    summary_text(&mut summary, &board.summary);
    efficiency_text(&mut efficiency, &board.efficiency);
    let alerts = alerts_text(&board.alerts).lines().map(|line| wrapped_line(line, columns)).collect();
    [run, agents, alerts, figures_text(&board.kpis, columns), summary, efficiency]
}

/// A line between words; what goes on stands below its first word.
fn wrapped_line(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return format!("{line}\n");
    }
    let lines = wrapped(line, columns.saturating_sub(2)).into_iter().enumerate();
    lines.map(|(at, part)| if at == 0 { format!("{part}\n") } else { format!("  {part}\n") }).collect()
}

fn figures_text(report: &KpiReport, columns: usize) -> String {
    let hours = report.window.hours();
    let mut text = say!(
        "\nLast {hours:.0} h: {}, {} ended\n",
        "\nÚltimas {hours:.0} h: {}, terminadas: {}\n",
        plural(language(), usize::try_from(report.runs).unwrap_or(usize::MAX), word!("run", "ejecución")),
        report.ended
    );
    // Those of a class of runs only where there are such runs.
    let all = report.kpis.iter().filter(|kpi| kpi.value.is_some() || !kpi.name.contains('.'));
    let all: Vec<String> = if report.runs == 0 { Vec::new() } else { all.map(figure).collect() };
    let beside = (columns.saturating_sub(1) / FIGURE).clamp(1, 3);
    for row in all.chunks(beside) {
        let row: String = row.iter().map(|it| format!("{it:<FIGURE$}")).collect();
        let _ = writeln!(text, "  {}", row.trim_end());
    }
    text
}

/// A key figure against its target: the bar is full where the target is.
fn figure(kpi: &Kpi) -> String {
    let name = names::shown(language(), kpi.name);
    let value = kpi.value.map_or_else(|| NO_DATA.to_owned(), |value| shown(value, kpi.unit));
    let mark = kpi.met.map_or(" ", |met| if met { "✓" } else { "✗" });
    let share = kpi.value.zip(kpi.target).map(|(value, target)| {
        let (_, bound) = target.parts();
        value / bound.max(f64::MIN_POSITIVE)
    });
    let bar = share.map_or_else(|| " ".repeat(SHORT_BAR), |share| bar(share, SHORT_BAR));
    format!("{name:<21.21} {value:>9} {bar} {mark}")
}

fn summary_text(text: &mut String, summary: &Summary) {
    let Summary { tasks_completed, tasks_ended, total_tokens, total_cost, avg_duration, .. } = summary;
    if *tasks_ended == 0 {
        return;
    }
    let took = avg_duration.map_or_else(|| "-".to_owned(), format::duration);
    let cached =
        summary.cache_hit_rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
    text.push_str(&say!(
        "\nCompleted {tasks_completed} of {tasks_ended}: {total_tokens} tokens, {}, {took} each, cache hits {cached}\n",
        "\nCompletadas {tasks_completed} de {tasks_ended}: {total_tokens} tokens, {}, {took} cada una, aciertos de caché {cached}\n",
        format::money(*total_cost)
    ));
    for (model, sum) in &summary.by_model {
        let cost = format::money(sum.cost);
        // What agents charge for themselves is no call of a model.
        let calls = usize::try_from(sum.tasks).ok().filter(|calls| *calls > 0);
        let calls =
            calls.map(|calls| plural(language(), calls, word!("call", "llamada"))).unwrap_or_default();
        let line = format!("  {model:<34.34} {:>10} tokens {cost:>10}  {calls}", sum.tokens);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn efficiency_text(text: &mut String, report: &EfficiencyReport) {
    if report.types.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{:<20} {:>5} {:>8} {:>9} {:>10}  {}",
        word!("Efficiency", "Eficiencia"),
        word!("runs", "ejec."),
        word!("quality", "calidad"),
        word!("tokens", "tokens"),
        word!("cost", "coste"),
        word!("trend", "tendencia")
    );
    for row in &report.types {
        let (kind, cost) = (&row.task_type, format::money(row.cost));
        let trend = row.trend.unwrap_or("-");
        let _ = writeln!(
            text,
            "  {kind:<18.18} {:>5} {:>8.0} {:>9.0} {cost:>10}  {trend}",
            row.runs, row.quality, row.tokens
        );
    }
    for curve in &report.curves {
        let Some(plateau) = &curve.plateau else { continue };
        let (kind, tokens, gain) = (&curve.task_type, plateau.tokens, plateau.gain_beyond);
        text.push_str(&say!(
            "  {kind}: beyond {tokens:.0} tokens quality rises by {gain:.1} % only\n",
            "  {kind}: más allá de {tokens:.0} tokens la calidad sube solo un {gain:.1} %\n"
        ));
    }
    for row in report.models.iter().filter(|row| row.roi.is_some()) {
        let (model, roi) = (&row.model, row.roi.unwrap_or_default());
        text.push_str(&say!(
            "  {model:<34.34} quality {:>3.0}, return {roi:.0} per dollar\n",
            "  {model:<34.34} calidad {:>3.0}, rendimiento {roi:.0} por dólar\n",
            row.quality
        ));
    }
    if let Some(advice) = &report.advice {
        let (prefer, other, ratio) = (&advice.prefer, &advice.keep_for_hard_work, advice.ratio);
        text.push_str(&say!(
            "  {prefer} returns {ratio:.0} times as much as {other}; keep that for hard work\n",
            "  {prefer} rinde {ratio:.0} veces más que {other}, que conviene reservar para lo difícil\n"
        ));
    }
}

fn run_text(text: &mut String, run: &RunDashboard, columns: usize) {
    let head = format!("{}  {}  {}", run.run_id, run_status(language(), run.status), clean(&run.request));
    let _ = writeln!(text, "{}\n", shortened(head.trim_end(), columns, true));
    for tile in &run.tiles {
        let _ = writeln!(text, "{}", tile_line(tile));
    }
    let _ = writeln!(
        text,
        "\n  {:<16} {:>9} {:>8} {:>7} {:>10}  {}",
        word!("phase", "fase"),
        word!("duration", "duración"),
        word!("tokens", "tokens"),
        word!("agents", "agentes"),
        word!("cost", "coste"),
        word!("model", "modelo")
    );
    let room = columns.saturating_sub(BEFORE_MODEL);
    let fits = |phase: &PhaseRow| phase.model.as_deref().is_none_or(|model| width(model) <= room);
    let is_narrow = !run.phases.iter().all(fits);
    for phase in &run.phases {
        let model = phase.model.as_deref().unwrap_or("-");
        // Where names do not fit, those of the providers are left out.
        let name = model.split_once('/').filter(|_| is_narrow).map_or(model, |(_, name)| name);
        text.push_str(&phase_line(phase, &shortened(name, room, true)));
    }
}

fn agents_text(text: &mut String, run: &RunDashboard, columns: usize) {
    if !run.agents.is_empty() {
        text.push_str(word!(
            "\nAgents and models, the latest first\n",
            "\nAgentes y modelos, los últimos primero\n"
        ));
    }
    // In a narrow terminal what came out needs the room.
    let width = if columns < WIDE { 28 } else { 40 };
    let longest = run.agents.iter().map(|agent| agent.duration.get()).fold(0.001, f64::max);
    for agent in &run.agents {
        let mark = match agent.status {
            SpanStatus::Complete => "✓",
            SpanStatus::Failed => "✗",
            SpanStatus::Running => "▶",
        };
        let took = format::duration(agent.duration);
        let bar = bar(agent.duration.get() / longest, BAR);
        let name = shortened(&agent.name, width, true);
        let result = shortened(&agent.result, columns.saturating_sub(width + 35), true);
        let line = format!("{mark} {name:<width$} {bar} {took:>9}  {result}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn tile_line(Tile { name, value, limit }: &Tile) -> String {
    let figure = |value: f64| match *name {
        "cost" => format!("${value:.4}"),
        "latency" => format!("{value:.1} s"),
        _ => format!("{value:.0}"),
    };
    let value_text = value.map_or_else(|| "–".to_owned(), figure);
    let (bar, limit_text) = match (value, limit) {
        (Some(value), Some(limit)) => {
            (bar(value / limit.max(f64::MIN_POSITIVE), BAR), say!("of {}", "de {}", figure(*limit)))
        }
        (None, Some(limit)) => (bar(0.0, BAR), say!("of {}", "de {}", figure(*limit))),
        _ => (" ".repeat(BAR), word!("no limit", "sin límite").to_owned()),
    };
    let name = match *name {
        "cost" => word!("cost", "coste"),
        "latency" => word!("latency", "latencia"),
        _ => word!("tokens", "tokens"),
    };
    format!("{name:<8} {value_text:>10} {bar} {limit_text}")
}

fn phase_line(phase: &PhaseRow, model: &str) -> String {
    let mark = match phase.status {
        "complete" => "✓",
        "running" => "▶",
        "failed" => "✗",
        "degraded" => "~",
        _ => "○",
    };
    let none = || "-".to_owned();
    let duration = phase.duration.map_or_else(none, format::duration);
    let known = phase.status != "pending";
    let number = |number: u64| if known { number.to_string() } else { none() };
    let cost = if known { format::money(phase.cost) } else { none() };
    format!(
        "{mark} {} {:<14} {duration:>9} {:>8} {:>7} {cost:>10}  {model}\n",
        phase.number,
        words::phase(language(), phase.name),
        number(phase.tokens),
        number(phase.agents)
    )
}

fn bar(share: f64, cells: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * cells as f64).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(cells - full))
}
