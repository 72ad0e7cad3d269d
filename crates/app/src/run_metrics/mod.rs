//! What each run adds to the figures over all runs. It is computed once, when a run has ended, and kept beside the log:
//! figures over ten thousand runs then read ten thousand small records, not every event.

mod classes;
mod code;
mod report;

use std::collections::BTreeMap;

use candor_model::{EventBody, Phase, PhaseMetrics, Position, Recorded, RunId, RunSummary, Spend, Timestamp};
use candor_planning::metrics::PhaseHistory;
use candor_planning::scaling::{ScalingRules, TaskClass};
use candor_planning::tally::SpendParts;
use candor_planning::targets::TargetFigures;
use candor_ports::{RunEntry, Stream, StreamNote};
use candor_react::Metrics as ToolFigures;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

pub use self::classes::{ClassFigures, Classes};
pub use self::code::{CodeFigures, Component};
pub use self::report::{MetricsReport, OneRun, PlanningFigures};
use crate::data::Log;
use crate::error::AppError;

/// Grows when what is kept of a run changes its meaning; what was kept in another form is computed again.
const FORM: u32 = 2;

/// How many records are kept at the same time: they share commits.
const AT_ONCE: usize = 256;

/// What one run adds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunMetrics {
    /// How its phases did.
    pub history: PhaseHistory,
    /// What was promised, measured.
    pub targets: TargetFigures,
    /// How agents with tools did.
    #[serde(skip_serializing_if = "is_default")]
    pub tools: ToolFigures,
    /// How the code agent did.
    #[serde(skip_serializing_if = "CodeFigures::is_empty")]
    pub code: CodeFigures,
    /// Its class and work; absent if its request was not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ClassWork>,
    /// What its phases took, each at its last end.
    pub phases: BTreeMap<Phase, PhaseMetrics>,
    /// The last version of its plan before the work began; absent if it never had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_version: Option<u64>,
    /// What it spent, by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Spend>,
}

/// What a run of a class did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassWork {
    /// By the complexity that the evaluation gave its request.
    pub class: TaskClass,
    /// Number of tasks that succeeded.
    pub tasks: u64,
    /// How often its plan was revised.
    pub revisions: u64,
    /// What models took and gave, in tokens.
    pub tokens: u64,
}

/// The record of a run as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept<M> {
    form: u32,
    /// Where the run's log ended.
    position: u64,
    metrics: M,
}

impl RunMetrics {
    /// What a run adds, by its log.
    #[must_use]
    pub fn of(records: &[Recorded]) -> Self {
        let mut metrics = Self { class: class_of(records), phases: phases_of(records), ..Self::default() };
        metrics.models = SpendParts::of(own(records).map(|recorded| &recorded.event)).models;
        metrics.targets.add_run(own(records).map(|recorded| &recorded.event));
        for recorded in own(records) {
            metrics.history.apply(&recorded.event.body);
            match &recorded.event.body {
                EventBody::AgentNoted { note, .. } => {
                    metrics.tools.count(note);
                    metrics.code.count(note);
                }
                EventBody::PlanProposed { version, .. } | EventBody::PlanAdjusted { version, .. } => {
                    metrics.plan_version = Some(u64::from(version.0));
                }
                _ => {}
            }
        }
        metrics
    }
}

/// What each of these runs adds. What is not kept yet is computed, and kept of runs that have ended.
pub async fn of_runs(log: &Log, runs: Vec<RunEntry>) -> Result<Vec<(RunEntry, RunMetrics)>, AppError> {
    let mut kept = kept(log).await?;
    let mut all = Vec::with_capacity(runs.len());
    let mut keeping = JoinSet::new();
    for entry in runs {
        let run = &entry.summary.run_id;
        let known = kept.remove(run).filter(|known| known.position == entry.head.0);
        let metrics = match known {
            Some(known) => known.metrics,
            None => {
                let records = log.read(run, Position::START).await?;
                let metrics = RunMetrics::of(&records);
                if entry.summary.status.is_end() {
                    keep(log, &mut keeping, note_of(run, &records, &metrics)?).await?;
                }
                metrics
            }
        };
        all.push((entry, metrics));
    }
    while let Some(done) = keeping.join_next().await {
        done.map_err(AppError::failed)??;
    }
    Ok(all)
}

/// Keeps what a run adds, if it has ended.
pub async fn keep_ended(log: &Log, run: &RunId) -> Result<(), AppError> {
    let records = log.read(run, Position::START).await?;
    let mut summary = RunSummary::new(run.clone());
    records.iter().for_each(|recorded| summary.absorb(&recorded.event));
    if !summary.status.is_end() {
        return Ok(());
    }
    Ok(log.append_note(note_of(run, &records, &RunMetrics::of(&records))?).await?)
}

async fn keep(
    log: &Log,
    keeping: &mut JoinSet<Result<(), candor_ports::LogError>>,
    note: StreamNote,
) -> Result<(), AppError> {
    if keeping.len() >= AT_ONCE
        && let Some(done) = keeping.join_next().await
    {
        done.map_err(AppError::failed)??;
    }
    let log = Log::clone(log);
    keeping.spawn(async move { log.append_note(note).await });
    Ok(())
}

fn note_of(run: &RunId, records: &[Recorded], metrics: &RunMetrics) -> Result<StreamNote, AppError> {
    let last = records.last();
    let position = last.map_or(0, |last| last.position.0);
    let at = last.map_or(Timestamp::EPOCH, |last| last.event.at);
    let body = serde_json::to_value(Kept { form: FORM, position, metrics }).map_err(AppError::failed)?;
    Ok(StreamNote { stream: Stream::RunMetrics, at, run: Some(run.clone()), key: run.to_string(), body })
}

/// The latest record of each run.
async fn kept(log: &Log) -> Result<BTreeMap<RunId, Kept<RunMetrics>>, AppError> {
    let notes = log.notes(Stream::RunMetrics, Timestamp::EPOCH).await?;
    let read = |note: StreamNote| {
        let kept: Kept<RunMetrics> = serde_json::from_value(note.body).ok()?;
        Some((note.run?, kept)).filter(|(_, kept)| kept.form == FORM)
    };
    Ok(notes.into_iter().filter_map(read).collect())
}

fn is_default(figures: &ToolFigures) -> bool {
    *figures == ToolFigures::default()
}

/// A run's own events: those that a fork shares with another run count there, and once.
fn own(records: &[Recorded]) -> impl Iterator<Item = &Recorded> {
    let shared = match records.first().map(|first| &first.event.body) {
        Some(EventBody::RunStarted { forked_from: Some(fork), .. }) => fork.position,
        _ => Position::START,
    };
    records.iter().filter(move |recorded| recorded.position > shared)
}

fn phases_of(records: &[Recorded]) -> BTreeMap<Phase, PhaseMetrics> {
    let ended = records.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::PhaseCompleted { phase, metrics: Some(metrics), .. } => {
            Some((*phase, PhaseMetrics::clone(metrics)))
        }
        _ => None,
    });
    ended.collect()
}

fn class_of(records: &[Recorded]) -> Option<ClassWork> {
    let judged = records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::PromptScored { evaluation, .. } => evaluation.as_deref(),
        _ => None,
    })?;
    let class = ScalingRules::default().propose(judged.complexity.total, judged.file_count).class;
    let mut work = ClassWork { class, tasks: 0, revisions: 0, tokens: 0 };
    for recorded in records {
        match &recorded.event.body {
            EventBody::TaskSucceeded { .. } => work.tasks += 1,
            EventBody::Replanned { .. } => work.revisions += 1,
            EventBody::PhaseCompleted { metrics: Some(metrics), .. } => work.tokens += metrics.tokens_used,
            _ => {}
        }
    }
    Some(work)
}
