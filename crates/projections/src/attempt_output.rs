//! What came out of every attempt at a task: the answer, the errors, and what the agent did meanwhile.

use candor_model::{AgentNote, AgentType, EventBody, Failure, JsonMap, Recorded, Seconds, TaskId};
use serde::Serialize;

use crate::chronicle::Chronicle;

/// What came out of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptOutput<'a> {
    /// The task.
    pub task_id: &'a TaskId,
    /// Its name for people.
    pub task: String,
    /// Which attempt it was, from 1; 0 if the task was never started.
    pub attempt: u32,
    /// Who made it.
    pub agent_type: Option<&'a AgentType>,
    /// How it ended.
    pub outcome: &'static str,
    /// How long it took.
    pub duration_seconds: Seconds,
    /// What the agent answered.
    pub outputs: JsonMap,
    /// What went wrong, in the agent's own words.
    pub errors: &'a [String],
    /// Why it failed; absent on success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'a Failure>,
    /// What the agent noted while it worked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'a AgentNote>,
    /// What the agent told while it worked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<&'a str>,
}

/// What came out of every attempt of a run, or of one task of it, in the order in which they began.
#[must_use]
pub fn attempts<'a>(
    records: &'a [Recorded],
    chronicle: &Chronicle<'a>,
    task: Option<&TaskId>,
) -> Vec<AttemptOutput<'a>> {
    let wanted = chronicle.attempts.iter().filter(|it| task.is_none_or(|task| task == it.task_id));
    let outputs = wanted.map(|it| AttemptOutput {
        task_id: it.task_id,
        task: chronicle.name(it.task_id),
        attempt: it.number,
        agent_type: it.agent,
        outcome: it.outcome.code(),
        duration_seconds: it.took(chronicle.now()),
        outputs: it.feedback.map(|feedback| feedback.actual_outputs.clone()).unwrap_or_default(),
        errors: it.feedback.map_or(&[], |feedback| &feedback.errors),
        failure: it.feedback.and_then(|feedback| feedback.failure.as_ref()),
        notes: notes(records, it.task_id, it.number),
        told: told(records, it.task_id, it.number),
    });
    outputs.collect()
}

/// What was told from the start of an attempt to the start of the next one.
fn told<'a>(records: &'a [Recorded], task: &TaskId, number: u32) -> Vec<&'a str> {
    let mut running = 0;
    let said = records.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::TaskDispatched { task_id, attempt, .. } if task_id == task => {
            running = *attempt;
            None
        }
        EventBody::Broadcast { message } if message.task_id.as_ref() == Some(task) && running == number => {
            Some(message.content.as_str())
        }
        _ => None,
    });
    said.collect()
}

fn notes<'a>(records: &'a [Recorded], task: &TaskId, number: u32) -> Vec<&'a AgentNote> {
    let noted = records.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::AgentNoted { task_id, attempt, note } if task_id == task && *attempt == number => {
            Some(note.as_ref())
        }
        _ => None,
    });
    noted.collect()
}
