//! Traces of runs: made from the log, and sent where the environment says, at least once each.
//!
//! How far a run was sent is on the stream `telemetry`. A place that is down loses nothing: what was not delivered is
//! sent after the next run, or by `candor export otlp --pending`.

use std::collections::BTreeMap;

use candor_model::{Position, RunId, Timestamp};
use candor_ports::{RunEntry, RunFilter, Stream, StreamNote};
use candor_projections::trace::{Content, Trace};
use candor_telemetry::{Targets, send};
use candor_text::both;
use serde_json::{Value, json};

use crate::data::Log;
use crate::error::AppError;
use crate::feedback;

/// The version that traces name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How far back runs are looked for that were not delivered.
const LOOK_BACK_MS: i64 = 7 * 24 * 3_600_000;

/// How many runs are sent after one another, so that a place that was down for long holds nobody up.
const AT_ONCE: usize = 20;

/// Where traces go, by this process's environment.
#[must_use]
pub fn targets() -> Targets {
    Targets::from_env(|name| std::env::var(name).ok())
}

/// The trace of a run.
pub async fn trace(log: &Log, run: &RunId, content: Content) -> Result<Trace, AppError> {
    let records = log.read(run, Position::START).await?;
    let mut trace = Trace::of(run, &records, content, VERSION).ok_or_else(|| {
        AppError::usage(both!("run {run} has no events", "la ejecución {run} no tiene eventos"))
    })?;
    trace.scores.extend(feedback::latest(log, run).await?.map(|feedback| feedback.score()));
    Ok(trace)
}

/// Sends the trace of a run again because somebody rated it; a place that is down gets it with the next rating or by hand.
pub async fn export_rated(log: &Log, run: &RunId, now: Timestamp) -> Result<(), AppError> {
    let targets = targets();
    if targets.endpoints.is_empty() { Ok(()) } else { export(log, run, &targets, now).await }
}

/// Sends the trace of a run and notes that it was delivered.
pub async fn export(log: &Log, run: &RunId, targets: &Targets, now: Timestamp) -> Result<(), AppError> {
    let content = if targets.content { Content::With } else { Content::Without };
    let head = log.head(run).await?;
    if head == Position::START {
        return Ok(());
    }
    let trace = trace(log, run, content).await?;
    send(targets, &trace, VERSION).await.map_err(|error| AppError::failed(error.to_string()))?;
    let body = json!({ "position": head.0 });
    let note =
        StreamNote { stream: Stream::Telemetry, at: now, run: Some(run.clone()), key: run.to_string(), body };
    Ok(log.append_note(note).await?)
}

/// The runs that have ended lately and were not delivered to their end.
pub async fn pending(log: &Log, now: Timestamp) -> Result<Vec<RunId>, AppError> {
    let since = Timestamp::from_millis(now.as_millis().saturating_sub(LOOK_BACK_MS));
    let notes = log.notes(Stream::Telemetry, since).await?;
    let sent: BTreeMap<String, u64> = notes
        .into_iter()
        .filter_map(|note| Some((note.key, note.body.get("position").and_then(Value::as_u64)?)))
        .collect();
    let is_due = |entry: &RunEntry| {
        let delivered = sent.get(entry.summary.run_id.as_str()).copied().unwrap_or(0);
        entry.summary.status.is_end()
            && entry.summary.updated_at.is_some_and(|at| at >= since)
            && delivered < entry.head.0
    };
    let runs = log.runs(RunFilter::default()).await?.into_iter();
    Ok(runs.filter(is_due).map(|entry| entry.summary.run_id).take(AT_ONCE).collect())
}

/// Sends what has ended and was not delivered; returns how many runs were. The first failure ends it.
pub async fn export_pending(log: &Log, targets: &Targets, now: Timestamp) -> Result<usize, AppError> {
    if targets.endpoints.is_empty() {
        return Ok(0);
    }
    let due = pending(log, now).await?;
    for run in &due {
        export(log, run, targets, now).await?;
    }
    Ok(due.len())
}
