//! What happened when: every attempt at a task, and the events of the way through the phases.

use candor_model::{AgentType, EventBody, Money, Recorded, Seconds, TaskId, Timestamp};
use serde::Serialize;

use crate::chronicle::Chronicle;
use crate::events::Group;

/// One attempt at a task.
#[derive(Debug, Clone, Serialize)]
pub struct AttemptEntry<'a> {
    /// Task that the attempt worked at.
    pub task_id: &'a TaskId,
    /// The task's name for people.
    pub name: String,
    /// Who made the attempt.
    pub agent_type: Option<&'a AgentType>,
    /// Which attempt it is, from 1; 0 stands for a task that could not be started.
    pub attempt: u32,
    /// Moment at which the order was given out.
    pub started_at: Timestamp,
    /// When it ended, if it has.
    pub ended_at: Option<Timestamp>,
    /// When it began, counted from the start of the run.
    pub offset_seconds: Seconds,
    /// How long it took, or has taken so far.
    pub duration_seconds: Seconds,
    /// End in one stable word.
    pub outcome: &'static str,
    /// Charged for the attempt.
    pub cost: Money,
    /// Messages as the agent gave them.
    pub errors: &'a [String],
}

/// Every attempt, in the order in which they were started.
#[must_use]
pub fn attempts<'a>(chronicle: &Chronicle<'a>) -> Vec<AttemptEntry<'a>> {
    let entries = chronicle.attempts.iter().map(|attempt| AttemptEntry {
        task_id: attempt.task_id,
        name: chronicle.name(attempt.task_id),
        agent_type: attempt.agent,
        attempt: attempt.number,
        started_at: attempt.started,
        ended_at: attempt.ended,
        offset_seconds: chronicle.offset(attempt.started),
        duration_seconds: attempt.took(chronicle.now()),
        outcome: attempt.outcome.code(),
        cost: attempt.cost(),
        errors: attempt.feedback.map(|feedback| feedback.errors.as_slice()).unwrap_or_default(),
    });
    entries.collect()
}

/// Something that happened on the way through the phases.
#[derive(Debug, Clone, Serialize)]
pub struct WayEntry {
    /// The name under which the event is on the log.
    pub event: String,
    /// Moment of the event.
    pub started_at: Timestamp,
    /// The same, counted from the start of the run.
    pub offset_seconds: Seconds,
}

impl WayEntry {
    /// The entry of an event; nothing if the event belongs to one task rather than to the way of the run.
    #[must_use]
    pub fn of(chronicle: &Chronicle<'_>, recorded: &Recorded) -> Option<Self> {
        let event = &recorded.event;
        Group::is_on_the_way(&event.body).then(|| Self {
            event: name(&event.body),
            started_at: event.at,
            offset_seconds: chronicle.offset(event.at),
        })
    }
}

/// The name under which an event is on the log.
fn name(body: &EventBody) -> String {
    let value = serde_json::to_value(body).unwrap_or_default();
    let name = value.as_object().and_then(|fields| fields.keys().next().cloned());
    name.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_default()
}
