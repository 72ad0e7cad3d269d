//! `candor dashboard`: a run and the installation at a glance, drawn again when something happens.

use std::fmt::Write;
use std::time::{Duration, Instant};

use candor_app::board::board;
use candor_app::config::Config;
use candor_app::{DataFolder, Log, find_run, observe};
use candor_model::{EventBody, Phase, Position, Recorded, RunId};
use candor_projections::dashboard::{Dashboard, PhaseRow, RunDashboard, Tile};
use candor_projections::efficiency::EfficiencyReport;
use candor_projections::format;
use candor_projections::kpi::{names, shown};
use candor_projections::summary::Summary;
use candor_projections::trace::SpanStatus;
use candor_projections::words::{self, plural, run_status};

use super::kpi::{alerts_text, now};
use crate::args::{DashboardArgs, GlobalOptions};
use crate::failure::{Failure, code};
use crate::lang::language;
use crate::output;

/// So much time is at least between two drawings: a run of ten thousand tasks must not keep a core busy.
const AT_MOST_EVERY: Duration = Duration::from_millis(250);

/// Nothing is drawn for so many times as long as the last drawing took: it takes a twentieth of a core at most.
const SHARE: u32 = 19;

/// Goes to the first column of the first line and clears what is below.
const CLEAR: &str = "\u{1b}[H\u{1b}[J";

/// How many columns a bar has.
const BAR: usize = 20;

/// How many columns a key figure has.
const FIGURE: usize = 36;

pub(crate) async fn dashboard(global: &GlobalOptions, args: &DashboardArgs) -> Result<u8, Failure> {
    let config = Config::load(global.config.as_deref())?.kpi;
    let data = DataFolder::find(global.data.as_deref())?;
    let Some(log) = data.open_if_there()? else {
        return show(&board(None, None, &config, now()).await?, args.json, false);
    };
    let run = match &args.run {
        Some(named) => Some(find_run(&data, Some(&log), named).await?),
        None => find_run(&data, Some(&log), "last").await.ok(),
    };
    let screen = output::is_interactive() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let mut news = log.listen()?;
    let mut seen = match &run {
        Some(run) => log.head(run).await?,
        None => Position::START,
    };
    let mut drawn = false;
    loop {
        let begun = Instant::now();
        let board = board(Some(&log), run.as_ref(), &config, now()).await?;
        if screen || !drawn {
            show(&board, args.json, screen && !args.once)?;
        }
        drawn = true;
        let ended = board.run.as_ref().is_none_or(|run| run.status.is_end());
        let (Some(run), false) = (&run, args.json || args.once || ended) else { return Ok(code::DONE) };
        let rest = AT_MOST_EVERY.max(begun.elapsed() * SHARE);
        let new = wait(&log, run, &board, &mut seen, news.as_mut(), rest).await?;
        if !screen {
            print_lines(&new)?;
        }
    }
}

/// One line for each thing that happened, where a screen cannot be drawn again.
fn print_lines(new: &[Recorded]) -> Result<(), Failure> {
    for recorded in new.iter().filter(|recorded| matters(&recorded.event.body)) {
        let (mark, what) = match &recorded.event.body {
            EventBody::PhaseStarted { phase, .. } => ("▶", named(*phase)),
            EventBody::PhaseCompleted { phase, .. } => ("✓", named(*phase)),
            EventBody::TaskDispatched { task_id, agent_type, .. } => ("▶", format!("{agent_type} {task_id}")),
            EventBody::TaskSucceeded { task_id, .. } => ("✓", task_id.to_string()),
            EventBody::TaskFailed { task_id, .. } => ("✗", task_id.to_string()),
            EventBody::ModelConsulted { ask, .. } => ("✓", ask.step.clone()),
            EventBody::HumanAsked { .. } => {
                ("⚠", word!("Waiting for your input", "Se espera una respuesta").to_owned())
            }
            body if body.is_end() => {
                ("■", word!("The run has ended", "La ejecución ha terminado").to_owned())
            }
            _ => continue,
        };
        output::print(&format!("{} {mark} {what}\n", format::day_and_clock(recorded.event.at)))?;
    }
    Ok(())
}

fn named(which: Phase) -> String {
    let name = words::phase(language(), which);
    say!("phase {name}", "fase {name}")
}

/// Waits until a phase or somebody at work begins or ends, or an alert changes; returns what the run has done.
async fn wait(
    log: &Log,
    run: &RunId,
    board: &Dashboard,
    seen: &mut Position,
    news: &mut dyn candor_ports::Listener,
    rest: Duration,
) -> Result<Vec<Recorded>, Failure> {
    tokio::time::sleep(rest).await;
    let mut all = Vec::new();
    loop {
        // What happened while the screen was drawn has been announced already.
        let new = log.read(run, *seen).await?;
        *seen = new.last().map_or(*seen, |recorded| recorded.position);
        let due = new.iter().any(|recorded| matters(&recorded.event.body));
        all.extend(new);
        if due || observe::alerts(log).await?.active != board.alerts {
            return Ok(all);
        }
        news.changed().await?;
        tokio::time::sleep(AT_MOST_EVERY).await;
    }
}

fn matters(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::PhaseStarted { .. }
            | EventBody::PhaseCompleted { .. }
            | EventBody::TaskDispatched { .. }
            | EventBody::TaskSucceeded { .. }
            | EventBody::TaskFailed { .. }
            | EventBody::ModelConsulted { .. }
            | EventBody::AgentNoted { .. }
            | EventBody::HumanAsked { .. }
    ) || body.is_end()
}

fn show(board: &Dashboard, json: bool, live: bool) -> Result<u8, Failure> {
    if json {
        output::print_json(board)?;
    } else {
        let text = text(board);
        output::print_as_is(&if live { format!("{CLEAR}{text}") } else { text })?;
    }
    Ok(code::DONE)
}

fn text(board: &Dashboard) -> String {
    let mut text = String::new();
    match &board.run {
        Some(run) => run_text(&mut text, run),
        None => text.push_str(word!("No runs yet.\n", "Aún no hay ejecuciones.\n")),
    }
    let shown_kpis = board.kpis.kpis.iter().filter(|kpi| kpi.value.is_some());
    let figures: Vec<String> = shown_kpis
        .map(|kpi| {
            let mark = kpi.met.map_or("", |met| if met { " ✓" } else { " ✗" });
            let name = names::shown(language(), kpi.name);
            format!("{name} {}{mark}", shown(kpi.value.unwrap_or_default(), kpi.unit))
        })
        .collect();
    let hours = board.kpis.window.hours();
    text.push_str(&say!(
        "\nLast {hours:.0} h: {}, {} ended\n",
        "\nÚltimas {hours:.0} h: {}, terminadas: {}\n",
        plural(language(), usize::try_from(board.kpis.runs).unwrap_or(usize::MAX), word!("run", "ejecución")),
        board.kpis.ended
    ));
    let columns = (output::style().columns().saturating_sub(2) / FIGURE).clamp(1, 3);
    for row in figures.chunks(columns) {
        let row: String = row.iter().map(|it| format!("{it:<FIGURE$}")).collect();
        let _ = writeln!(text, "  {}", row.trim_end());
    }
    summary_text(&mut text, &board.summary);
    efficiency_text(&mut text, &board.efficiency);
    text + &alerts_text(&board.alerts)
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
        let (cost, tasks) = (format::money(sum.cost), sum.tasks);
        text.push_str(&say!(
            "  {model:<34.34} {:>10} tokens {cost:>10} {tasks:>6} calls\n",
            "  {model:<34.34} {:>10} tokens {cost:>10} {tasks:>6} llamadas\n",
            sum.tokens
        ));
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

fn run_text(text: &mut String, run: &RunDashboard) {
    let _ = writeln!(text, "{}  {}\n", run.run_id, run_status(language(), run.status));
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
    run.phases.iter().for_each(|phase| text.push_str(&phase_line(phase)));
    if !run.agents.is_empty() {
        text.push_str(word!(
            "\nAgents and models, the latest first\n",
            "\nAgentes y modelos, los últimos primero\n"
        ));
    }
    let longest = run.agents.iter().map(|agent| agent.duration.get()).fold(0.001, f64::max);
    for agent in &run.agents {
        let mark = match agent.status {
            SpanStatus::Complete => "✓",
            SpanStatus::Failed => "✗",
            SpanStatus::Running => "▶",
        };
        let took = format::duration(agent.duration);
        let bar = bar(agent.duration.get() / longest);
        let _ = writeln!(text, "{mark} {:<34.34} {bar} {took:>9}  {}", agent.name, agent.result);
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
            (bar(value / limit.max(f64::MIN_POSITIVE)), say!("of {}", "de {}", figure(*limit)))
        }
        (None, Some(limit)) => (bar(0.0), say!("of {}", "de {}", figure(*limit))),
        _ => (" ".repeat(BAR), word!("no limit", "sin límite").to_owned()),
    };
    let name = match *name {
        "cost" => word!("cost", "coste"),
        "latency" => word!("latency", "latencia"),
        _ => word!("tokens", "tokens"),
    };
    format!("{name:<8} {value_text:>10} {bar} {limit_text}")
}

fn phase_line(phase: &PhaseRow) -> String {
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
    let model = phase.model.clone().unwrap_or_else(none);
    format!(
        "{mark} {} {:<14} {duration:>9} {:>8} {:>7} {cost:>10}  {model}\n",
        phase.number,
        words::phase(language(), phase.name),
        number(phase.tokens),
        number(phase.agents)
    )
}

fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(BAR - full))
}
