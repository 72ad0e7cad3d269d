//! `candor schedules`: runs that begin by the clock.

use candor_app::config::Config;
use candor_app::{DataFolder, schedules};
use serde_json::{Value, json};

use crate::args::{GlobalOptions, ScheduleCommand, ScheduleStatus, SchedulesArgs};
use crate::failure::{Failure, code};
use crate::output;
use crate::remote::Remote;

pub(crate) async fn schedules(global: &GlobalOptions, args: &SchedulesArgs) -> Result<u8, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return on_server(&remote, args).await;
    }
    let config = Config::load(global.config.as_deref())?;
    let data = DataFolder::find(global.data.as_deref())?;
    let by = std::env::var("USER").unwrap_or_else(|_| "local".to_owned());
    match &args.command {
        None => {
            let log = data.open_if_there()?;
            show(json!({ "schedules": schedules::views(&config, log.as_ref()).await? }), args)
        }
        Some(ScheduleCommand::Pause { name }) => {
            schedules::pause(&config, &data.open()?, name, &by).await?;
            told(name, word!("is paused", "está en pausa"))
        }
        Some(ScheduleCommand::Resume { name }) => {
            schedules::resume(&config, &data.open()?, name, &by).await?;
            told(name, word!("is resumed", "se ha reanudado"))
        }
        Some(ScheduleCommand::Trigger { .. }) => Err(Failure::usage(word!(
            "a run is begun by a server: say --server URL, or begin it yourself with `candor run`",
            "una ejecución la empieza un servidor: indicar --server URL, o empezarla con `candor run`"
        ))),
    }
}

async fn on_server(remote: &Remote, args: &SchedulesArgs) -> Result<u8, Failure> {
    let (name, act) = match &args.command {
        None => return show(remote.get("/schedules").await?, args),
        Some(ScheduleCommand::Pause { name }) => (name, "pause"),
        Some(ScheduleCommand::Resume { name }) => (name, "resume"),
        Some(ScheduleCommand::Trigger { name }) => (name, "trigger"),
    };
    let path = format!("/schedules/{}/{act}", crate::remote::encoded(name));
    let answer = remote.post(&path, &json!({})).await?;
    match answer.get("run_id").and_then(Value::as_str) {
        Some(run) => told(name, &say!("began {run}", "empezó {run}")),
        None if act == "pause" => told(name, word!("is paused", "está en pausa")),
        None => told(name, word!("is resumed", "se ha reanudado")),
    }
}

fn told(name: &str, what: &str) -> Result<u8, Failure> {
    tell!("candor: schedule {name} {what}", "candor: la programación {name} {what}");
    Ok(code::DONE)
}

fn show(mut data: Value, args: &SchedulesArgs) -> Result<u8, Failure> {
    let rows = data.get_mut("schedules").and_then(Value::as_array_mut);
    let has_none = rows.as_ref().is_none_or(|rows| rows.is_empty());
    if let Some(rows) = rows {
        rows.retain(|row| args.status.is_none_or(|wanted| wanted == status(row)));
        args.listing.cut(rows);
    }
    if args.listing.json {
        output::print_json(&data)?;
        return Ok(code::DONE);
    }
    let rows = data.get("schedules").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if has_none {
        output::print(word!(
            "No schedules; [[schedules]] in candor.toml declares them.\n",
            "No hay programaciones; [[schedules]] en candor.toml las declara.\n"
        ))?;
    }
    for row in rows {
        output::print(&line(row))?;
    }
    Ok(code::DONE)
}

fn status(row: &Value) -> ScheduleStatus {
    match row.get("paused").and_then(Value::as_bool) {
        Some(true) => ScheduleStatus::Paused,
        _ => ScheduleStatus::Active,
    }
}

fn line(row: &Value) -> String {
    let text = |pointer: &str| row.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let next = if status(row) == ScheduleStatus::Paused {
        word!("paused", "en pausa").to_owned()
    } else {
        say!("next {}", "próxima {}", text("/next_local/0"))
    };
    let last = match (text("/last/run_id"), text("/last/problem")) {
        ("", "") => String::new(),
        ("", problem) => say!("  last: {problem}", "  última: {problem}"),
        (run, _) => say!("  last {run}", "  última {run}"),
    };
    format!("{:<20} {:<18} {:<16} {next}{last}\n", text("/name"), text("/cron"), text("/timezone"))
}
