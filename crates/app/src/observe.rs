//! Figures of an installation: key figures, alerts, spending. The command, the API and the page call these.

use std::collections::BTreeMap;

use candor_model::{Position, RunFigures, RunId, RunStatus, Seconds, Timestamp};
use candor_planning::tally::Tally;
use candor_ports::{RunEntry, RunFilter, RunQuery, Stream, StreamNote};
use candor_projections::efficiency::{EfficiencyReport, RunOutcome};
use candor_projections::kpi::{
    ActiveAlert, AlertBook, AlertChange, KpiFold, KpiReport, KpiSeries, RunShare, Trail, Window, prometheus,
};
use candor_projections::spend::SpendReport;
use candor_projections::summary::{Summary, SummaryFold};
use candor_text::both;

use crate::config::{Age, KpiConfig};
use crate::data::Log;
use crate::error::AppError;

/// How far back figures look if nothing is said.
const DAY_MS: i64 = 24 * 3_600_000;

/// A run whose log goes on for longer than this after its outcome was recorded has gone on by itself.
const AFTER_OUTCOME: f64 = 5.0;

/// The window that ends now.
#[must_use]
pub fn window(since: Option<Age>, config: &KpiConfig, now: Timestamp) -> Window {
    let day = Timestamp::from_millis(now.as_millis().saturating_sub(DAY_MS));
    Window { since: since.or(config.window).map_or(day, |age| age.before(now)), until: now }
}

/// The key figures over a window.
pub async fn kpis(log: &Log, config: &KpiConfig, window: Window) -> Result<KpiReport, AppError> {
    let mut fold = KpiFold::new(window);
    for entry in log.runs(RunFilter::default()).await? {
        if entry.summary.updated_at.is_some_and(|at| at >= window.since) {
            fold.add_run(&log.read(&entry.summary.run_id, Position::START).await?);
        }
    }
    Ok(fold.report(&config.targets.0))
}

/// The key figures over a window, with their course before its end.
pub async fn kpi_series(
    log: &Log,
    config: &KpiConfig,
    window: Window,
) -> Result<(KpiReport, Vec<Trail>), AppError> {
    let mut series = KpiSeries::new(window);
    for entry in changed_since(log, series.since()).await? {
        series.add_run(&log.read(&entry.summary.run_id, Position::START).await?);
    }
    Ok(series.report(&config.targets.0))
}

/// What each run of a window contributes to a figure, the highest first.
pub async fn contributions(log: &Log, name: &str, window: Window) -> Result<Vec<RunShare>, AppError> {
    let mut shares = Vec::new();
    for entry in changed_since(log, window.since).await? {
        let (run, request) = (&entry.summary.run_id, &entry.summary.request);
        let records = log.read(run, Position::START).await?;
        shares.extend(RunShare::of(name, window, run, request, &records));
    }
    shares.sort_by(|one, other| other.value.total_cmp(&one.value));
    Ok(shares)
}

/// What tokens and money bought over a window, and the window in one record.
pub async fn efficiency(log: &Log, window: Window) -> Result<(EfficiencyReport, Summary), AppError> {
    let (mut outcomes, mut summary) = (Vec::new(), SummaryFold::new(window));
    for entry in changed_since(log, window.since).await? {
        let records = log.read(&entry.summary.run_id, Position::START).await?;
        let ended = RunOutcome::of(&entry.summary.run_id, &records);
        if let Some(outcome) = ended.filter(|outcome| window.contains(outcome.ended_at)) {
            summary.add(&outcome, &records);
            outcomes.push(outcome);
        }
    }
    Ok((EfficiencyReport::of(&outcomes), summary.summary()))
}

/// The runs that changed since a moment.
async fn changed_since(log: &Log, since: Timestamp) -> Result<Vec<RunEntry>, AppError> {
    let mut runs = log.runs(RunFilter::default()).await?;
    runs.retain(|entry| entry.summary.updated_at.is_some_and(|at| at >= since));
    Ok(runs)
}

/// The record of alerts.
pub async fn alerts(log: &Log) -> Result<AlertBook, AppError> {
    let notes = log.notes(Stream::Alerts, Timestamp::EPOCH).await?;
    let changes = notes.into_iter().filter_map(|note| serde_json::from_value::<AlertChange>(note.body).ok());
    Ok(AlertBook::of(changes))
}

/// Judges the figures by the rules, and puts on record what changed. Looking again changes nothing.
pub async fn judge(log: &Log, config: &KpiConfig, report: &KpiReport) -> Result<AlertBook, AppError> {
    let book = alerts(log).await?;
    let changes = book.changes(&config.rules(), report, report.window.until);
    if changes.is_empty() {
        return Ok(book);
    }
    for change in &changes {
        record(log, change).await?;
    }
    alerts(log).await
}

/// Puts on record that somebody looks into an active alert; returns it. Doing it again changes nothing.
pub async fn acknowledge(log: &Log, name: &str, by: &str, at: Timestamp) -> Result<ActiveAlert, AppError> {
    let book = alerts(log).await?;
    let inactive = || {
        AppError::not_found(both!(
            "no alert `{name}` is active; `candor alerts` lists those that are",
            "no hay ninguna alerta activa `{name}`; `candor alerts` muestra las que hay"
        ))
    };
    if let Some(change) = book.acknowledge(name, by, at).ok_or_else(inactive)? {
        record(log, &change).await?;
    }
    // Somebody else may have been quicker.
    let mut active = alerts(log).await?.active.into_iter();
    active.find(|alert| alert.name == name).ok_or_else(inactive)
}

async fn record(log: &Log, change: &AlertChange) -> Result<(), AppError> {
    let body = serde_json::to_value(change).map_err(AppError::failed)?;
    let (at, key) = (change.at(), change.alert.name.clone());
    Ok(log.append_note(StreamNote { stream: Stream::Alerts, at, run: None, key, body }).await?)
}

/// Figures and alerts in the text format of Prometheus.
pub async fn prometheus(log: &Log, config: &KpiConfig, now: Timestamp) -> Result<String, AppError> {
    let report = kpis(log, config, window(None, config, now)).await?;
    let book = judge(log, config, &report).await?;
    let mut runs: BTreeMap<RunStatus, u64> = BTreeMap::new();
    for entry in log.runs(RunFilter::default()).await? {
        *runs.entry(entry.summary.status).or_default() += 1;
    }
    Ok(prometheus::text(&report, &book, &runs))
}

/// What the runs of a window spent that a query admits, those that were removed included.
pub async fn spending(log: &Log, window: Window, query: &RunQuery) -> Result<SpendReport, AppError> {
    let mut known = figures(log, window.since).await?;
    let mut statuses = BTreeMap::new();
    for entry in log.runs(RunFilter::default()).await? {
        let run = &entry.summary.run_id;
        statuses.insert(run.clone(), entry.summary.status);
        if entry.summary.updated_at.is_none_or(|at| at < window.since) || is_final(&entry, known.get(run)) {
            continue;
        }
        let records = log.read(run, Position::START).await?;
        let figures = Tally::of(records.iter().map(|recorded| &recorded.event)).figures();
        known.insert(run.clone(), (window.until, figures));
    }
    // Of a run that was removed only its figures are left, so its status is not known.
    let has_status = |run: &RunId| {
        query.statuses.is_empty() || statuses.get(run).is_some_and(|status| query.statuses.contains(status))
    };
    known.retain(|run, (_, figures)| {
        has_status(run)
            && query.admits_start(figures.started_at)
            && query.admits_origin(figures.origin.as_deref())
    });
    Ok(SpendReport::of_runs(known.iter().map(|(run, (_, figures))| (run, figures))))
}

/// The figures that were kept with the outcomes of runs, the latest of each run, with when they were.
async fn figures(log: &Log, since: Timestamp) -> Result<BTreeMap<RunId, (Timestamp, RunFigures)>, AppError> {
    let notes = log.notes(Stream::Figures, since).await?;
    let read = |note: StreamNote| Some((note.run?, (note.at, serde_json::from_value(note.body).ok()?)));
    Ok(notes.into_iter().filter_map(read).collect())
}

/// Whether what was kept of a run is all there is to it.
fn is_final(entry: &RunEntry, kept: Option<&(Timestamp, RunFigures)>) -> bool {
    let since = |(at, _): &(Timestamp, RunFigures)| entry.summary.updated_at.map(|end| end.since(*at));
    let after = kept.and_then(since).unwrap_or(Seconds::whole(u32::MAX));
    entry.summary.status.is_end() && after.get() < AFTER_OUTCOME
}
