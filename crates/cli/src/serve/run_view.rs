//! A run as a service shows it: the same facts as `candor status`, `report` and `postmortem`.

use candor_app::Looked;
use candor_engine::RunState;
use candor_model::{EventBody, IdMap, JsonMap, Recorded, RunStatus, RunSummary, TaskId};
use candor_planning::texts;
use candor_server::{Driver, FailureSight, RunView, TaskSight};
use serde_json::Value;

use crate::view::{self, Style};

/// Nobody counts columns here, but results in a few lines are not meant to be long.
const COLUMNS: u16 = 200;

/// Shows a run.
pub(super) fn of(looked: &Looked, driver: Driver, fallen: Option<String>) -> RunView {
    let Looked { records, state } = looked;
    let mut summary = RunSummary::new(state.run_id().clone());
    records.iter().for_each(|recorded| summary.absorb(&recorded.event));
    let questions = state.open_questions().iter().map(|(gate, asked)| (gate.clone(), asked.clone()));
    let mortem = view::postmortem::json(state, records);
    let part = |key: &str| mortem.get(key).cloned().unwrap_or_default();
    let (ended, good) = (state.status().is_end(), state.status() == RunStatus::Completed);
    let suggestions = Some(part("suggestions")).filter(|_| ended && !good).unwrap_or_default();
    RunView {
        run_id: state.run_id().clone(),
        position: state.position(),
        request: state.request().to_owned(),
        status: state.status(),
        driver,
        progress: summary.progress_percentage,
        confidence: state.confidence(),
        cost: state.spent(),
        outcome: part("outcome").as_str().filter(|_| ended).map(str::to_owned),
        results: view::results::text(state, Style { width: COLUMNS, ..Style::default() }),
        tasks: tasks(state),
        questions: questions.collect(),
        failures: failures(part("failures")),
        error: fallen.or_else(|| error(records).filter(|_| ended)),
        suggestions: serde_json::from_value(suggestions).unwrap_or_default(),
    }
}

fn tasks(state: &RunState) -> Vec<TaskSight> {
    let good = state.feedback().iter().filter(|feedback| feedback.feedback_type.is_success());
    let latest: IdMap<&TaskId, &JsonMap> =
        good.map(|feedback| (&feedback.task_id, &feedback.actual_outputs)).collect();
    let plan = state.plan();
    let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
    tasks
        .map(|task| TaskSight {
            task_id: task.task_id.clone(),
            name: texts::task_name(task),
            status: task.status,
            agent_type: task.agent_type.clone(),
            depends_on: task.dependencies.to_vec(),
            failures: task.metadata.failure_count,
            outputs: latest.get(&task.task_id).map(|outputs| (*outputs).clone()).unwrap_or_default(),
        })
        .collect()
}

/// The failures as the postmortem tells them.
fn failures(told: Value) -> Vec<FailureSight> {
    let Value::Array(told) = told else { return Vec::new() };
    let read = |failure: Value| {
        let part = |key: &str| failure.get(key).cloned().unwrap_or_default();
        Some(FailureSight {
            task_id: serde_json::from_value(part("task_id")).ok()?,
            agent_type: serde_json::from_value(part("agent_type")).unwrap_or_default(),
            errors: serde_json::from_value(part("errors")).unwrap_or_default(),
            recovery: serde_json::from_value(part("recovery")).unwrap_or_default(),
        })
    };
    told.into_iter().filter_map(read).collect()
}

/// Why a run ended early.
fn error(records: &[Recorded]) -> Option<String> {
    records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::RunFailed { error, .. } | EventBody::RunAborted { error, .. } => Some(error.to_string()),
        EventBody::RunCancelled { reason } => Some(format!("cancelled: {reason}")),
        _ => None,
    })
}
