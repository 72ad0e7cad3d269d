//! What receivers of webhooks are told: made from the log, under an id that is the same each time.

use candor_model::{Event, EventBody, Question, RunSummary, Timestamp};
use candor_ports::LoggedEvent;
use candor_projections::Language;
use candor_projections::format::times;
use candor_projections::kpi::AlertChange;
use candor_projections::list::ListEntry;
use serde_json::{Value, json};

use crate::config::WebhookEvent;
use crate::data::{self, Log};
use crate::error::AppError;

/// Names of events that somebody may be told of; others are not even read.
const MARKS: [&str; 5] =
    ["\"human_asked\"", "\"run_completed\"", "\"run_failed\"", "\"run_aborted\"", "\"run_cancelled\""];

/// Something that a receiver is told of.
pub(super) struct Happened {
    pub(super) event: WebhookEvent,
    pub(super) id: String,
    pub(super) at: Timestamp,
    pub(super) data: Value,
}

/// An event on the log that somebody may be told of.
pub(super) struct Telling {
    at: Timestamp,
    body: EventBody,
}

impl Telling {
    pub(super) const fn is_end(&self) -> bool {
        self.body.is_end()
    }
}

/// The event, if it is one that somebody may be told of.
pub(super) fn of(logged: &LoggedEvent) -> Option<Telling> {
    if !MARKS.iter().any(|mark| logged.json.contains(mark)) {
        return None;
    }
    let Event { at, body, .. } = Event::from_json(&logged.json).ok()?;
    let tells = body.is_end() || matches!(body, EventBody::HumanAsked { .. });
    tells.then_some(Telling { at, body })
}

/// What is told of an event; nothing if the run took it over from another one, or the question is closed already.
pub(super) async fn happened(
    log: &Log,
    logged: &LoggedEvent,
    Telling { at, body }: &Telling,
) -> Result<Option<Happened>, AppError> {
    let loaded = data::load_run(log, &logged.run).await?;
    let taken_over = loaded.records.first().is_some_and(|first| match &first.event.body {
        EventBody::RunStarted { forked_from: Some(fork), .. } => logged.position <= fork.position,
        _ => false,
    });
    if taken_over || loaded.records.is_empty() {
        return Ok(None);
    }
    let run = &logged.run;
    let (event, data) = match body {
        EventBody::HumanAsked { gate, question } => {
            if !loaded.state.open_questions().contains_key(gate) {
                return Ok(None);
            }
            let data = json!({
                "run_id": run, "request": loaded.state.request(), "gate": gate, "question": asked(question),
                "answer_at": format!("/api/v1/runs/{run}/questions/{gate}"),
            });
            (WebhookEvent::QuestionOpened, data)
        }
        _ => {
            let mut summary = RunSummary::new(run.clone());
            loaded.records.iter().for_each(|recorded| summary.absorb(&recorded.event));
            let entry = ListEntry::of(&summary, loaded.state.position());
            (WebhookEvent::RunEnded, serde_json::to_value(entry).map_err(AppError::failed)?)
        }
    };
    let id = format!("{}_{run}_{}", event.as_str(), logged.position.0);
    Ok(Some(Happened { event, id, at: *at, data }))
}

/// What is told of an alert.
pub(super) fn alert(change: &AlertChange) -> Result<Happened, AppError> {
    let (word, at) = (change.kind().as_str(), change.at());
    let id = format!("alert_{}_{word}_{}", change.alert.name, at.as_millis());
    let data = serde_json::to_value(change).map_err(AppError::failed)?;
    Ok(Happened { event: WebhookEvent::Alert, id, at, data })
}

/// A question in short; the API has all of it.
fn asked(question: &Question) -> Value {
    match question {
        Question::Approval { version, request } => json!({
            "kind": "plan", "text": in_english!("Approve version {} of the plan?", version.0),
            "digest": request.digest, "reasons": request.reasons,
        }),
        Question::Guidance(request) => json!({
            "kind": "failing_task",
            "text": in_english!("Task {} has failed {}", request.task_id, times(Language::En, request.failure_count)),
            "errors": request.errors,
        }),
        Question::Choice(request) => json!({ "kind": "choice", "text": request.text }),
    }
}
