//! The records of a run and its installation under their documented names: each is made from the log, so that it is the
//! same after a restart.

use std::collections::BTreeMap;

use candor_model::{EventBody, Phase, PhaseMetrics, Position, Recorded, RunId, RunSummary, Timestamp};
use candor_planning::metrics::{Effort, PhaseHistory, SessionFigures, actual_complexity, session_line};
use candor_planning::tally::Tally;
use candor_ports::{RunFilter, RunQuery};
use candor_projections::kpi::Window;
use candor_projections::status::Status;
use candor_projections::trace::Content;
use serde_json::{Value, json};

use crate::data::{self, Log};
use crate::error::AppError;
use crate::{observe, traces};

/// The records of a run, by the names of their files.
pub async fn records(log: &Log, run: &RunId) -> Result<BTreeMap<String, String>, AppError> {
    let loaded = data::load_run(log, run).await?;
    let status =
        serde_json::to_value(Status::of(&loaded.state, &loaded.records)).map_err(AppError::failed)?;
    let mut files = BTreeMap::new();
    let mut put = |name: &str, value: &Value| {
        files.insert(name.to_owned(), format!("{value:#}\n"));
    };
    put("workflow_state.json", &status);
    put("rollback_points.json", status.get("checkpoints").unwrap_or(&Value::Null));
    for (phase, handoff) in snapshots(&loaded.records)? {
        put(&format!("phase_snapshots/phase_{}_complete.json", phase.number()), &handoff);
    }
    let metrics = traces::trace(log, run, Content::Without).await?.metrics;
    put(&format!("metrics/{run}.json"), &json!(metrics));
    // Until something last happened, and not until now: nothing changes by being looked at.
    let last = log.page(RunQuery { limit: 1, ..RunQuery::default() }).await?.runs.into_iter().next();
    let until = last.and_then(|entry| entry.summary.updated_at).unwrap_or(Timestamp::EPOCH);
    let all = Window { since: Timestamp::EPOCH, until };
    put("metrics_summary.json", &json!(observe::efficiency(log, all).await?.1));
    put("cost_tracking.json", &json!(observe::spending(log, all, &RunQuery::default()).await?));
    let Installation { history, sessions, calibration } = Installation::of(log).await?;
    put("phase_metrics.json", &serde_json::to_value(history.export()).map_err(AppError::failed)?);
    put("complexity_calibration.json", &json!(calibration));
    files.insert("session_history.jsonl".to_owned(), sessions);
    files.insert("prompt_history.jsonl".to_owned(), prompts(&loaded.records));
    Ok(files)
}

/// What each phase left when it was completed; of one that was completed again, the last.
fn snapshots(records: &[Recorded]) -> Result<BTreeMap<Phase, Value>, AppError> {
    let mut completed = BTreeMap::new();
    for recorded in records {
        if let EventBody::PhaseCompleted { phase, handoff, .. } = &recorded.event.body {
            completed.insert(*phase, serde_json::to_value(handoff).map_err(AppError::failed)?);
        }
    }
    Ok(completed)
}

/// The words of the request, and every change of them, one line each.
fn prompts(records: &[Recorded]) -> String {
    let line = |recorded: &Recorded| {
        let at = recorded.event.at;
        match &recorded.event.body {
            EventBody::RunStarted { request, .. } => {
                Some(json!({ "at": at, "prompt": request, "source": "request" }))
            }
            EventBody::PromptChanged { change } => {
                Some(json!({ "at": at, "change": change, "source": change.source }))
            }
            _ => None,
        }
    };
    records.iter().filter_map(line).map(|line| format!("{line}\n")).collect()
}

/// What is kept over all runs.
#[derive(Default)]
struct Installation {
    history: PhaseHistory,
    sessions: String,
    calibration: Vec<Value>,
}

impl Installation {
    async fn of(log: &Log) -> Result<Self, AppError> {
        let mut all = Self::default();
        let mut runs = log.runs(RunFilter::default()).await?;
        // The oldest first: lines are only ever appended.
        runs.reverse();
        for entry in runs {
            let records = log.read(&entry.summary.run_id, Position::START).await?;
            all.add(&entry.summary, &records);
        }
        Ok(all)
    }

    fn add(&mut self, summary: &RunSummary, records: &[Recorded]) {
        let mut phases: BTreeMap<Phase, PhaseMetrics> = BTreeMap::new();
        let mut predicted = None;
        for recorded in records {
            self.history.apply(&recorded.event.body);
            match &recorded.event.body {
                EventBody::PhaseCompleted { phase, metrics: Some(metrics), .. } => {
                    phases.insert(*phase, PhaseMetrics::clone(metrics));
                }
                EventBody::PromptScored { evaluation: Some(evaluation), .. } => {
                    predicted = Some(evaluation.complexity.total);
                }
                _ => {}
            }
        }
        // What has not ended has no effort yet, and no line.
        let Some(at) = summary.updated_at.filter(|_| summary.status.is_end()) else { return };
        let RunSummary { run_id, request, status, .. } = summary;
        if let Some(predicted) = predicted {
            let actual = actual_complexity(&effort(records));
            self.calibration
                .push(json!({ "run": run_id, "at": at, "predicted": predicted, "actual": actual }));
        }
        let figures = SessionFigures { run_id, at, request, status: *status, phases: &phases };
        self.sessions.push_str(&format!("{}\n", session_line(&figures)));
    }
}

/// What a run took, as the measure of its complexity counts it.
fn effort(records: &[Recorded]) -> Effort {
    let figures = Tally::of(records.iter().map(|recorded| &recorded.event)).figures();
    let (mut files, mut millis) = (0, 0);
    for recorded in records {
        if let EventBody::TaskSucceeded { feedback, .. } | EventBody::TaskFailed { feedback, .. } =
            &recorded.event.body
        {
            let changed = feedback.actual_outputs.get("files_modified").and_then(Value::as_array);
            files += changed.map_or(0, Vec::len) as u64;
            millis += feedback.duration_seconds.as_millis();
        }
    }
    let subtasks = u64::from(figures.tasks);
    let repetitions = figures.attempts.saturating_sub(subtasks);
    Effort { tokens: figures.total.tokens.total(), files, subtasks, repetitions, seconds: millis / 1_000 }
}
