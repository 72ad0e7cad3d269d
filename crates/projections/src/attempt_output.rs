//! What came out of every attempt at a task: the answer, the errors, and what the agent did meanwhile.

use std::collections::BTreeMap;

use candor_model::{AgentNote, AgentType, EventBody, Failure, JsonMap, Recorded, Seconds, TaskId};
use serde::Serialize;

use crate::chronicle::Chronicle;

/// What came out of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptOutput<'a> {
    /// Task that the attempt worked at.
    pub task_id: &'a TaskId,
    /// Its name for people.
    pub task: String,
    /// Which attempt it was, from 1; 0 if the task was never started.
    pub attempt: u32,
    /// Agent that made the attempt, where one was chosen.
    pub agent_type: Option<&'a AgentType>,
    /// End in one stable word, as in `timeline`.
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
    attempts_of(records, chronicle, |id| task.is_none_or(|task| task == id))
}

/// The same of the tasks that are wanted. The log is read once, however many they are.
#[must_use]
pub fn attempts_of<'a>(
    records: &'a [Recorded],
    chronicle: &Chronicle<'a>,
    wanted: impl Fn(&TaskId) -> bool,
) -> Vec<AttemptOutput<'a>> {
    let said = Said::of(records, &wanted);
    let attempts = chronicle.attempts.iter().filter(|it| wanted(it.task_id));
    let outputs = attempts.map(|it| {
        let Words { notes, told } = said.0.get(&(it.task_id, it.number)).cloned().unwrap_or_default();
        AttemptOutput {
            task_id: it.task_id,
            task: chronicle.name(it.task_id),
            attempt: it.number,
            agent_type: it.agent,
            outcome: it.outcome.code(),
            duration_seconds: it.took(chronicle.now()),
            outputs: it.feedback.map(|feedback| feedback.actual_outputs.clone()).unwrap_or_default(),
            errors: it.feedback.map_or(&[], |feedback| &feedback.errors),
            failure: it.feedback.and_then(|feedback| feedback.failure.as_ref()),
            notes,
            told,
        }
    });
    outputs.collect()
}

/// What agents noted and told, by task and attempt.
struct Said<'a>(BTreeMap<(&'a TaskId, u32), Words<'a>>);

#[derive(Clone, Default)]
struct Words<'a> {
    notes: Vec<&'a AgentNote>,
    told: Vec<&'a str>,
}

impl<'a> Said<'a> {
    fn of(records: &'a [Recorded], wanted: impl Fn(&TaskId) -> bool) -> Self {
        let mut said: BTreeMap<(&'a TaskId, u32), Words<'a>> = BTreeMap::new();
        // What is told belongs to the attempt that began last.
        let mut running: BTreeMap<&TaskId, u32> = BTreeMap::new();
        for recorded in records {
            match &recorded.event.body {
                EventBody::TaskDispatched { task_id, attempt, .. } if wanted(task_id) => {
                    running.insert(task_id, *attempt);
                }
                EventBody::AgentNoted { task_id, attempt, note } if wanted(task_id) => {
                    said.entry((task_id, *attempt)).or_default().notes.push(note);
                }
                EventBody::Broadcast { message } => {
                    let Some(task) = message.task_id.as_ref().filter(|task| wanted(task)) else { continue };
                    let number = running.get(task).copied().unwrap_or_default();
                    said.entry((task, number)).or_default().told.push(&message.content);
                }
                _ => {}
            }
        }
        Self(said)
    }
}
