//! The figures over many runs: what `candor metrics` prints and `/api/v1/metrics` answers.

use std::collections::BTreeMap;

use candor_model::{CalibrationMetrics, Phase, PhaseMetrics, RunSummary, Spend, Timestamp};
use candor_planning::calibration::{self, Band};
use candor_planning::metrics::{PhaseHistory, SessionFigures, session_line};
use candor_planning::targets::{Target, TargetFigures};
use candor_ports::{RunEntry, RunFilter, RunQuery};
use candor_react::Metrics as ToolFigures;
use serde_json::{Value, json};

use super::{Classes, CodeFigures, RunMetrics, of_runs};
use crate::data::Log;
use crate::error::AppError;

/// The figures of one run.
pub struct OneRun {
    /// Run as lists show it.
    pub summary: RunSummary,
    /// What its phases took, each at its last end.
    pub phases: BTreeMap<Phase, PhaseMetrics>,
}

/// The figures over many runs.
#[derive(Default)]
pub struct MetricsReport {
    /// How the phases did.
    pub history: PhaseHistory,
    /// The runs, the latest first.
    pub runs: Vec<OneRun>,
    /// How agents with tools did.
    pub tools: ToolFigures,
    /// How the code agent did.
    pub code: CodeFigures,
    /// How requests of each class did.
    pub classes: Classes,
    /// Predicted against actual success.
    pub calibration: CalibrationMetrics,
    /// The same by how sure the runs were.
    pub bands: Vec<Band>,
    /// How many versions plans went through.
    pub planning: PlanningFigures,
    /// By model; `agent:NAME` is what an agent charged for itself.
    pub models: BTreeMap<String, Spend>,
    targets: TargetFigures,
}

/// How many versions plans went through until they were approved or given up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanningFigures {
    /// Runs that had a plan.
    pub runs: u64,
    /// Highest version of a plan.
    pub most: u64,
    sum: u64,
}

impl PlanningFigures {
    /// The average of the last versions; nothing without a plan.
    #[must_use]
    pub fn average(&self) -> Option<f64> {
        (self.runs > 0).then(|| hundredths(self.sum as f64 / self.runs as f64))
    }
}

impl MetricsReport {
    /// The figures over the runs that `query` admits, at most `limit` of them.
    pub async fn of(log: &Log, query: &RunQuery, limit: usize) -> Result<Self, AppError> {
        let mut entries = log.runs(RunFilter::default()).await?;
        entries.retain(|entry| query.admits(entry));
        entries.truncate(limit);
        let mut report = Self::default();
        for (RunEntry { summary, .. }, of_run) in of_runs(log, entries).await? {
            report.add_run(summary, of_run);
        }
        let outcomes = log.experience().await?.outcomes;
        report.calibration = calibration::metrics(&outcomes);
        report.bands = calibration::bands(&outcomes);
        Ok(report)
    }

    fn add_run(&mut self, summary: RunSummary, of_run: RunMetrics) {
        self.history.merge(&of_run.history);
        self.targets.merge(&of_run.targets);
        self.tools.merge(&of_run.tools);
        self.code.merge(&of_run.code);
        if let Some(work) = of_run.class {
            self.classes.add_run(&summary, work);
        }
        if let Some(version) = of_run.plan_version {
            self.planning.runs += 1;
            self.planning.most = self.planning.most.max(version);
            self.planning.sum = self.planning.sum.saturating_add(version);
        }
        for (model, spend) in &of_run.models {
            self.models.entry(model.clone()).or_default().add(spend);
        }
        self.runs.push(OneRun { summary, phases: of_run.phases });
    }

    /// What was promised, and what was measured of it.
    #[must_use]
    pub fn targets(&self) -> Vec<Target> {
        self.targets.targets(&self.calibration)
    }

    /// The figures for programs; `all` adds a line for each run.
    pub fn to_json(&self, all: bool) -> Result<Value, AppError> {
        let mut shown = serde_json::to_value(self.history.export()).map_err(AppError::failed)?;
        let last = self.runs.first().map(|run| {
            let phases: BTreeMap<u8, &PhaseMetrics> =
                run.phases.iter().map(|(phase, metrics)| (phase.number(), metrics)).collect();
            json!({ "taskId": run.summary.run_id, "status": run.summary.status, "phases": phases })
        });
        let mut more = json!({
            "targets": self.targets(),
            "tools": {
                "toolCalls": self.tools.tool_calls,
                "failedCalls": self.tools.failed_calls,
                "modelCalls": self.tools.model_calls,
                "replans": self.tools.strategies,
                "replanSuccessRate": self.tools.success_rate(),
            },
            "code": self.code.to_json(),
            "classes": self.classes,
            "calibration": { "summary": self.calibration, "bands": self.bands },
            "reports": self.reports(),
            "runs": self.runs.len(),
            "lastRun": last,
        });
        if all {
            let lines = self.runs.iter().map(|run| serde_json::from_str(&line(run)));
            let lines = lines.collect::<Result<Vec<Value>, _>>().map_err(AppError::failed)?;
            if let Value::Object(more) = &mut more {
                more.insert("sessions".to_owned(), Value::Array(lines));
            }
        }
        if let (Value::Object(shown), Value::Object(more)) = (&mut shown, more) {
            shown.extend(more);
        }
        Ok(shown)
    }

    /// Success by phase, versions of plans, and tokens and money by model.
    fn reports(&self) -> Value {
        let phases: Vec<Value> = Phase::ALL
            .iter()
            .map(|phase| (phase, self.history.record(*phase)))
            .filter(|(_, record)| !record.seed)
            .map(|(phase, record)| {
                let rate = record.success_rate.unwrap_or_default();
                let name = format!("phase_{}_{phase}", phase.number());
                let success = (rate * record.runs as f64).round();
                json!({ "name": name, "total": record.runs, "success": success as u64, "rate": hundredths(rate) })
            })
            .collect();
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|(model, spend)| {
                json!({ "model": model, "tokens": spend.tokens.total(), "cost": spend.cost, "calls": spend.calls })
            })
            .collect();
        let PlanningFigures { runs, most, .. } = self.planning;
        let planning = json!({
            "runs": runs, "averageVersion": self.planning.average(), "maximumVersion": (runs > 0).then_some(most),
        });
        json!({ "successByPhase": phases, "planning": planning, "costByModel": models })
    }
}

fn line(run: &OneRun) -> String {
    let OneRun { summary, phases } = run;
    session_line(&SessionFigures {
        run_id: &summary.run_id,
        at: summary.updated_at.unwrap_or(Timestamp::EPOCH),
        request: &summary.request,
        status: summary.status,
        phases,
    })
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
