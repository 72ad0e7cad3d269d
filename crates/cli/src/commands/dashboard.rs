//! `candor dashboard`: a run and the installation at a glance, drawn again when something happens.

use std::time::{Duration, Instant};

use candor_app::board::board as read;
use candor_app::config::Config;
use candor_app::{DataFolder, Log, find_run, observe};
use candor_model::{EventBody, Phase, Position, Recorded, RunId};
use candor_projections::dashboard::Dashboard;
use candor_projections::format;
use candor_projections::words;

use super::kpi::now;
use crate::args::{DashboardArgs, GlobalOptions};
use crate::failure::{Failure, code};
use crate::lang::language;
use crate::output;
use crate::view::board;

/// So much time is at least between two drawings: a run of ten thousand tasks must not keep a core busy.
const AT_MOST_EVERY: Duration = Duration::from_millis(250);

/// Nothing is drawn for so many times as long as the last drawing took: it takes a twentieth of a core at most.
const SHARE: u32 = 19;

/// Goes to the first column of the first line and clears what is below.
const CLEAR: &str = "\u{1b}[H\u{1b}[J";

pub(crate) async fn dashboard(global: &GlobalOptions, args: &DashboardArgs) -> Result<u8, Failure> {
    let config = Config::load(global.config.as_deref())?.kpi;
    let data = DataFolder::find(global.data.as_deref())?;
    let Some(log) = data.open_if_there()? else {
        return show(&read(None, None, &config, now()).await?, args.json, false);
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
        let board = read(Some(&log), run.as_ref(), &config, now()).await?;
        let ended = board.run.as_ref().is_none_or(|run| run.status.is_end());
        if screen || !drawn {
            show(&board, args.json, screen && !args.once && !ended)?;
        }
        drawn = true;
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
        let columns = output::style().columns();
        // A frame that is taller than the terminal would push its own head out of sight.
        output::print_as_is(&if live {
            format!("{CLEAR}{}", board::frame(board, columns, output::frame_rows()))
        } else {
            board::text(board, columns)
        })?;
    }
    Ok(code::DONE)
}
