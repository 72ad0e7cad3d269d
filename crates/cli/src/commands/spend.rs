//! `candor cost` and `candor tokens`: what runs spent, and on what.

use candor_app::{DataFolder, find_run, load_run, observe};
use candor_model::{Spend, Timestamp};
use candor_projections::format;
use candor_projections::kpi::Window;
use candor_projections::spend::{SpendReport, SpendRow};

use super::kpi::now;
use crate::args::{GlobalOptions, SpendArgs};
use crate::failure::{Failure, code};
use crate::output;

/// Which figures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Money.
    Cost,
    /// Tokens.
    Tokens,
}

pub(crate) async fn spend(global: &GlobalOptions, args: &SpendArgs, shown: Shown) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let log = data.open_if_there()?;
    if args.run.is_some() && !(args.runs.is_open() && args.period.is_open()) {
        return Err(Failure::usage(word!(
            "--status, --project, --user, --since and --until choose among all runs; leave RUN out",
            "--status, --project, --user, --since y --until eligen entre todas las ejecuciones; omitir RUN"
        )));
    }
    let mut report = match (&args.run, &log) {
        (Some(named), _) => {
            let run = find_run(&data, log.as_ref(), named).await?;
            let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
            SpendReport::of_run(&load_run(&log, &run).await?.records)
        }
        (None, Some(log)) => {
            let until = now();
            let mut query = args.runs.query(&args.period);
            // A run that began before the period and went on in it was paid for in it.
            let since = query.since.take().unwrap_or(Timestamp::EPOCH);
            observe::spending(log, Window { since, until }, &query).await?
        }
        (None, None) => SpendReport::default(),
    };
    let lists = [
        &mut report.by_model,
        &mut report.by_phase,
        &mut report.by_task,
        &mut report.by_run,
        &mut report.by_user,
        &mut report.by_project,
        &mut report.by_day,
    ];
    lists.into_iter().for_each(|rows| args.listing.cut(rows));
    if args.listing.json {
        output::print_json(&report)?;
    } else {
        output::print(&text(&report, shown))?;
    }
    Ok(code::DONE)
}

fn text(report: &SpendReport, shown: Shown) -> String {
    if report.runs == 0 {
        return word!("No runs in this time.\n", "No hay ejecuciones en este tiempo.\n").to_owned();
    }
    let mut text = head(report, shown);
    let lists = [
        (word!("Model", "Modelo"), &report.by_model),
        (word!("Phase", "Fase"), &report.by_phase),
        (word!("Task", "Tarea"), &report.by_task),
        (word!("Run", "Ejecución"), &report.by_run),
        (word!("User", "Usuario"), &report.by_user),
        (word!("Project", "Proyecto"), &report.by_project),
        (word!("Day", "Día"), &report.by_day),
    ];
    for (title, rows) in lists {
        text.push_str(&table(title, rows, report, shown));
    }
    text
}

fn head(report: &SpendReport, shown: Shown) -> String {
    let SpendReport { runs, total, saved, .. } = report;
    let of = if *runs == 1 {
        word!("1 run", "1 ejecución").to_owned()
    } else {
        say!("{runs} runs", "{runs} ejecuciones")
    };
    let spent = match shown {
        Shown::Cost => say!("{} spent by {of}", "{} gastado por {of}", format::money(total.cost)),
        Shown::Tokens => say!(
            "{} tokens in {} calls, by {of}",
            "{} tokens en {} llamadas, por {of}",
            total.tokens.total(),
            total.calls
        ),
    };
    let saved = if saved.micros() > 0 {
        say!("; reading from caches saved {}", "; leer de las cachés ahorró {}", format::money(*saved))
    } else {
        String::new()
    };
    format!("{spent}{saved}\n")
}

fn table(title: &str, rows: &[SpendRow], report: &SpendReport, shown: Shown) -> String {
    // A run that spent nothing has no rows worth reading.
    let worth = |row: &&SpendRow| amount(&row.spend, shown) > 0;
    let rows: Vec<&SpendRow> = rows.iter().filter(worth).collect();
    if rows.is_empty() {
        return String::new();
    }
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(16);
    let whole = amount(&report.total, shown).max(1) as f64;
    let mut text = match shown {
        Shown::Cost => {
            format!(
                "\n{title:<width$} {:>12} {:>7} {:>10} {:>7}\n",
                word!("cost", "coste"),
                word!("share", "parte"),
                word!("tokens", "tokens"),
                word!("calls", "llamadas")
            )
        }
        Shown::Tokens => format!(
            "\n{title:<width$} {:>10} {:>7} {:>10} {:>10} {:>10} {:>7}\n",
            word!("tokens", "tokens"),
            word!("share", "parte"),
            word!("input", "entrada"),
            word!("output", "salida"),
            word!("cached", "en caché"),
            word!("calls", "llamadas")
        ),
    };
    for SpendRow { name, spend } in rows {
        let Spend { cost, tokens, calls } = spend;
        let share = format!("{:.1} %", amount(spend, shown) as f64 / whole * 100.0);
        let cells = match shown {
            Shown::Cost => {
                format!("{:>12} {share:>7} {:>10} {calls:>7}", format::money(*cost), tokens.total())
            }
            Shown::Tokens => format!(
                "{:>10} {share:>7} {:>10} {:>10} {:>10} {calls:>7}",
                tokens.total(),
                tokens.input,
                tokens.output,
                tokens.cached_read + tokens.cached_write
            ),
        };
        text.push_str(&format!("{name:<width$} {cells}\n"));
    }
    text
}

const fn amount(spend: &Spend, shown: Shown) -> u64 {
    match shown {
        Shown::Cost => spend.cost.micros(),
        Shown::Tokens => spend.tokens.total(),
    }
}
