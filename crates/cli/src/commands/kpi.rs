//! `candor metrics --kpi`, `candor metrics --prometheus`, `candor alerts`: how the installation does.

use candor_app::config::Config;
use candor_app::{DataFolder, observe};
use candor_model::Timestamp;
use candor_projections::format;
use candor_projections::kpi::{
    ActiveAlert, AlertBook, AlertChange, AlertLevel, ChangeKind, Group, Kpi, KpiFold, KpiReport, shown,
};
use serde_json::json;

use crate::args::{AlertsArgs, AlertsCommand, GlobalOptions, MetricsArgs};
use crate::failure::{Failure, code};
use crate::output;

/// What stands where there is no figure.
pub(crate) const NO_DATA: &str = "–";

pub(crate) async fn kpi(global: &GlobalOptions, args: &MetricsArgs) -> Result<u8, Failure> {
    let config = Config::load(global.config.as_deref())?.kpi;
    let data = DataFolder::find(global.data.as_deref())?;
    let (now, log) = (now(), data.open_if_there()?);
    if !args.runs.is_open() || args.listing.limit.is_some() {
        return Err(Failure::usage(word!(
            "--status, --project, --user and --limit choose runs for `candor metrics`; key figures are about all of them",
            "--status, --project, --user y --limit eligen ejecuciones para `candor metrics`; las cifras clave son de todas"
        )));
    }
    let mut window = observe::window(None, &config, now);
    window.since = args.period.since.map_or(window.since, |since| since.moment(now));
    window.until = args.period.until.map_or(now, |until| until.moment(now));
    let (report, book) = match &log {
        Some(log) => {
            let report = observe::kpis(log, &config, window).await?;
            let book = judged(log, &config, &report, args).await?;
            (report, book)
        }
        None => (KpiFold::new(window).report(&config.targets.0), AlertBook::default()),
    };
    if args.prometheus {
        let text = match &log {
            Some(log) => observe::prometheus(log, &config, now).await?,
            None => candor_projections::kpi::prometheus::text(&report, &book, &Default::default()),
        };
        output::print_as_is(&text)?;
    } else if args.listing.json {
        output::print_json(&json!({ "report": report, "alerts": book.active }))?;
    } else {
        output::print(&(text(&report) + &alerts_text(&book.active)))?;
    }
    Ok(code::DONE)
}

/// The alerts. They are judged over the configured window only: another one was looked at out of curiosity.
async fn judged(
    log: &candor_app::Log,
    config: &candor_app::config::KpiConfig,
    report: &KpiReport,
    args: &MetricsArgs,
) -> Result<AlertBook, Failure> {
    if !args.period.is_open() {
        return Ok(observe::alerts(log).await?);
    }
    Ok(observe::judge(log, config, report).await?)
}

pub(crate) async fn alerts(global: &GlobalOptions, args: &AlertsArgs) -> Result<u8, Failure> {
    if let Some(AlertsCommand::Ack { name, user, json }) = &args.command {
        return acknowledge(global, name, user.as_deref(), *json).await;
    }
    let config = Config::load(global.config.as_deref())?.kpi;
    let data = DataFolder::find(global.data.as_deref())?;
    let mut book = match data.open_if_there()? {
        Some(log) => {
            let report = observe::kpis(&log, &config, observe::window(None, &config, now())).await?;
            observe::judge(&log, &config, &report).await?
        }
        None => AlertBook::default(),
    };
    // Whether any is active is a matter of all of them, not of those that are shown.
    let is_quiet = book.active.is_empty();
    book.active.retain(|alert| args.period.has(alert.timestamp));
    book.history.retain(|change| args.period.has(change.alert.timestamp));
    args.listing.cut(&mut book.active);
    args.listing.cut(&mut book.history);
    if args.listing.json {
        output::print_json(&if args.all { json!(book) } else { json!({ "active": book.active }) })?;
    } else if args.all {
        output::print(&history_text(&book.history))?;
    } else if book.active.is_empty() {
        output::print(word!("No active alerts.\n", "No hay alertas activas.\n"))?;
    } else {
        output::print(&alerts_text(&book.active))?;
    }
    Ok(if is_quiet { code::DONE } else { code::FAILED })
}

async fn acknowledge(
    global: &GlobalOptions,
    name: &str,
    user: Option<&str>,
    json: bool,
) -> Result<u8, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let Some(log) = data.open_if_there()? else {
        return Err(Failure::usage(word!("there are no alerts yet", "aún no hay alertas")));
    };
    let alert = observe::acknowledge(&log, name, &candor_app::user_name(user), now()).await?;
    if json {
        output::print_json(&json!(alert))?;
    } else {
        output::print(&alert_line(&alert))?;
    }
    Ok(code::DONE)
}

pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn text(report: &KpiReport) -> String {
    let hours = report.window.hours();
    let window =
        if hours < 48.0 { format!("{hours:.0} h") } else { say!("{:.0} days", "{:.0} días", hours / 24.0) };
    let mut text = say!(
        "Last {window}: {} runs, {} ended\n",
        "Últimos {window}: {} ejecuciones, {} terminadas\n",
        report.runs,
        report.ended
    );
    let mut group = None;
    for kpi in &report.kpis {
        if group.replace(kpi.group) != Some(kpi.group) {
            text.push_str(&format!(
                "\n{:<24} {:>12} {:>14}   {:>7}\n",
                title(kpi.group),
                word!("measured", "medido"),
                word!("target", "objetivo"),
                word!("samples", "muestras")
            ));
        }
        text.push_str(&row(kpi));
    }
    text
}

fn title(group: Group) -> &'static str {
    match group {
        Group::Latency => word!("Latency", "Latencia"),
        Group::Quality => word!("Quality", "Calidad"),
        Group::Efficiency => word!("Efficiency", "Eficiencia"),
        Group::Orchestration => word!("Orchestration", "Orquestación"),
    }
}

fn row(kpi: &Kpi) -> String {
    let value = kpi.value.map_or_else(|| NO_DATA.to_owned(), |value| shown(value, kpi.unit));
    let target = kpi.target.map_or_else(String::new, |target| {
        let (sign, bound) = target.parts();
        format!("{sign} {}", shown(bound, kpi.unit))
    });
    let mark = match kpi.met {
        Some(true) => "✓",
        Some(false) => "✗",
        None => " ",
    };
    format!("  {:<22} {value:>12} {target:>14} {mark} {:>7}\n", kpi.name, kpi.samples)
}

pub(crate) fn alerts_text(active: &[ActiveAlert]) -> String {
    match active {
        [] => String::new(),
        active => {
            word!("\nActive alerts\n", "\nAlertas activas\n").to_owned()
                + &active.iter().map(alert_line).collect::<String>()
        }
    }
}

fn alert_line(alert: &ActiveAlert) -> String {
    let ActiveAlert { timestamp, name, message, condition, acknowledged, .. } = alert;
    let since = format::day_and_clock(*timestamp);
    let mark = if acknowledged.is_some() { "ℹ" } else { symbol(alert.level) };
    let who = acknowledged.as_ref().map(|acknowledged| {
        let at = format::day_and_clock(acknowledged.at);
        say!("  investigated by {} since {at}\n", "  la investiga {} desde {at}\n", acknowledged.by)
    });
    format!("{mark} {since}  {name}: {message} ({condition})\n{}", who.unwrap_or_default())
}

fn history_text(history: &[AlertChange]) -> String {
    let line = |change: &AlertChange| {
        let alert = &change.alert;
        let (mark, word) = match change.kind() {
            ChangeKind::Raised => (symbol(alert.level), word!("raised", "activada")),
            ChangeKind::Acknowledged => ("ℹ", word!("acknowledged", "confirmada")),
            ChangeKind::Cleared => ("✓", word!("cleared", "resuelta")),
        };
        let at = format::day_and_clock(change.at());
        let by = alert.acknowledged.as_ref().filter(|_| change.raised);
        let said = by.map_or(alert.message.as_str(), |by| by.by.as_str());
        format!("{mark} {at}  {word:<12} {}: {said}\n", alert.name)
    };
    match history {
        [] => word!("No alerts on record.\n", "No hay alertas registradas.\n").to_owned(),
        history => history.iter().map(line).collect(),
    }
}

const fn symbol(level: AlertLevel) -> &'static str {
    match level {
        AlertLevel::Info => "ℹ",
        AlertLevel::Warning | AlertLevel::Error | AlertLevel::Critical => "⚠",
    }
}
