//! A run as a task: its state, what it says, what it asks, and what came of it.

use std::collections::{BTreeSet, HashMap};

use a2a::{Artifact, Message, Part, Role, Task, TaskState, TaskStatus};
use candor_app::{Driver, ServedRun};
use candor_model::{RunId, RunStatus, TaskId, TaskStatus as PlanTask, Timestamp, Verdict};
use candor_projections::run_view::{RunView, TaskView};
use serde_json::{Value, json};

use super::super::Shared;
use super::Refusal;
use super::conversations::{Conversations, Heard};
use super::messages::RESUME;
use crate::report::{QuestionReport, RunReport};

/// How many artifacts a task has at most; the run's own report has the rest.
const ARTIFACTS: usize = 100;

/// A task with all that is known of it.
pub(super) async fn shown(server: &Shared, run: &RunId) -> Result<Task, Refusal> {
    let served = server.service.look(run).await?;
    let heard = Conversations::of(server.service.folder()).heard(run);
    // What an earlier process drove is taken up in a moment.
    let settling = !server.is_ready();
    Ok(task(served, &heard, settling))
}

/// The same with at most so many messages of its history.
pub(super) fn with_history(task: Task, length: Option<i32>) -> Task {
    let most = length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or_default());
    let history = task.history.map(|mut history| {
        let beyond = history.len().saturating_sub(most);
        history.drain(..beyond);
        history
    });
    Task { history: history.filter(|history| !history.is_empty()), ..task }
}

/// Whether nothing more comes of it by itself.
pub(super) fn is_settled(state: &TaskState) -> bool {
    state.is_terminal() || *state == TaskState::InputRequired
}

/// The conversation of a run; one that was not begun over A2A is a conversation of its own.
pub(super) fn context_of(run: &RunId, heard: &[Heard]) -> String {
    heard.first().map_or_else(|| run.to_string(), |first| first.context.clone())
}

/// The state of a run that has this status, if nothing else is known of it.
pub(super) fn state_of(status: RunStatus, verdict: Option<Verdict>) -> TaskState {
    match status {
        // What did everything and did not reach its goal has failed.
        RunStatus::Completed if verdict == Some(Verdict::NotMet) => TaskState::Failed,
        RunStatus::Completed => TaskState::Completed,
        RunStatus::Failed | RunStatus::Aborted => TaskState::Failed,
        RunStatus::Cancelled => TaskState::Canceled,
        RunStatus::WaitingHuman | RunStatus::Paused => TaskState::InputRequired,
        _ => TaskState::Working,
    }
}

/// A time as the protocol writes it; it reads what we write.
pub(super) fn timestamp<T: serde::de::DeserializeOwned>(at: Option<Timestamp>) -> Option<T> {
    at.and_then(|at| serde_json::from_value(Value::String(at.to_string())).ok())
}

fn task(served: ServedRun, heard: &[Heard], settling: bool) -> Task {
    let view = &served.view;
    let (run, context) = (view.run_id.clone(), context_of(&view.run_id, heard));
    let state = match served.driver {
        _ if view.status.is_end() => state_of(view.status, view.verdict),
        Driver::Queued => TaskState::Submitted,
        Driver::Nobody if !settling => TaskState::InputRequired,
        _ => state_of(view.status, None),
    };
    let artifacts: Vec<Artifact> = results(view).map(artifact).take(ARTIFACTS).collect();
    let mut metadata = HashMap::from([("run_status".to_owned(), json!(view.status))]);
    metadata.extend(view.verdict.map(|verdict| ("verdict".to_owned(), json!(verdict))));
    let history = history(&served.view.request, &run, &context, heard);
    let status =
        TaskStatus { timestamp: timestamp(view.changed_at), message: said(served, &context, &state), state };
    Task {
        id: run.to_string(),
        context_id: context,
        status,
        artifacts: (!artifacts.is_empty()).then_some(artifacts),
        history: Some(history),
        metadata: Some(metadata),
    }
}

/// What there is to say of a run in this state, if there is anything.
fn said(served: ServedRun, context: &str, state: &TaskState) -> Option<Message> {
    let (run, position, status) = (served.view.run_id.clone(), served.view.position.0, served.view.status);
    let (tasks, progress) = (served.view.tasks.len(), served.view.progress);
    let report = RunReport::of(served);
    let parts = match state {
        TaskState::InputRequired if report.questions().is_empty() => {
            let words = format!("{}The run rests ({status}). Reply `{RESUME}` to go on.", report.findings());
            vec![Part::text(words)]
        }
        TaskState::InputRequired => {
            let text: Vec<String> = report.questions().iter().map(question).collect();
            vec![Part::text(text.join("\n\n")), Part::data(json!({ "questions": report.questions() }))]
        }
        TaskState::Working if tasks == 0 => return None,
        TaskState::Working => vec![Part::text(format!("{progress:.0}% of {tasks} tasks"))],
        _ => vec![Part::text(report.findings().trim_end().to_owned())],
    };
    let parts: Vec<Part> = parts.into_iter().filter(|part| part.as_text() != Some("")).collect();
    let message = Message {
        // The same for the same moment of a run, whoever looks.
        message_id: format!("{run}/{position}"),
        context_id: Some(context.to_owned()),
        task_id: Some(run.to_string()),
        ..Message::new(Role::Agent, parts)
    };
    (!message.parts.is_empty()).then_some(message)
}

/// A question with the ways to answer it.
fn question(asked: &QuestionReport) -> String {
    let mut text = format!("{}\nReply with a decision", asked.text.trim_end());
    match &asked.digest {
        Some(digest) => text.push_str(&format!(", followed by the digest, such as `approve {digest}`:")),
        None => text.push(':'),
    }
    for decision in &asked.decisions {
        let takes = decision.takes.map(|takes| format!(" ({takes})")).unwrap_or_default();
        text.push_str(&format!("\n  {}{takes}: {}", decision.decision, decision.label));
    }
    text
}

/// What a run brought: what its last tasks put out; of one that ended early, whatever it came to.
fn results(view: &RunView) -> impl Iterator<Item = &TaskView> {
    let early = view.status.is_end() && view.status != RunStatus::Completed;
    let done = |task: &TaskView| task.status == PlanTask::Completed;
    let asking = view.tasks.iter().filter(move |task| !early || done(task));
    let used: BTreeSet<&TaskId> = asking.flat_map(|task| &task.depends_on).collect();
    let is_last = move |task: &&TaskView| !used.contains(&task.task_id);
    view.tasks.iter().filter(move |task| done(task) && !task.outputs.is_empty()).filter(is_last)
}

fn artifact(task: &TaskView) -> Artifact {
    Artifact {
        artifact_id: task.task_id.to_string(),
        name: Some(task.name.clone()),
        description: None,
        parts: vec![Part::data(Value::Object(task.outputs.clone()))],
        metadata: None,
        extensions: None,
    }
}

/// The messages that came: the first has the words of the run, later ones what they decided.
fn history(request: &str, run: &RunId, context: &str, heard: &[Heard]) -> Vec<Message> {
    let message = |heard: &Heard| {
        let words = if heard.decided.is_empty() { request } else { &heard.decided };
        Message {
            message_id: heard.message.clone(),
            context_id: Some(context.to_owned()),
            task_id: Some(run.to_string()),
            ..Message::new(Role::User, vec![Part::text(words)])
        }
    };
    heard.iter().map(message).collect()
}
