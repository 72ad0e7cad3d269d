//! How far a task of a peer is, put together from what it tells.

use a2a::{
    Artifact, Message, PartContent, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
};

use super::rpc::{MAX_BODY_BYTES, Trouble};
use crate::text;

/// How long a name may be that the peer gives to a task or a conversation.
const MAX_ID_BYTES: usize = 512;
/// How much all artifacts of a task may hold together.
const MAX_ARTIFACT_BYTES: usize = MAX_BODY_BYTES;
/// How much of the peer's words is quoted.
const MAX_SAID_CHARS: usize = 2_000;

/// How far a task of a peer is.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// What the peer calls the task; empty for as long as it has not said so.
    pub(super) task: String,
    /// What the peer calls the conversation.
    pub(super) context: String,
    pub(super) artifacts: Vec<Artifact>,
    /// Everything, if the peer answered without making a task of it.
    pub(super) answer: Option<Message>,
    status: Option<TaskStatus>,
    /// How it stood before it was sent something: nothing new for as long as it still stands like this.
    stale: Option<TaskStatus>,
    bytes: usize,
}

impl Progress {
    /// The progress that a whole task tells of.
    pub(super) fn of(task: Task, size: usize) -> Result<Self, Trouble> {
        let mut progress = Self::default();
        progress.absorb(StreamResponse::Task(task), size)?;
        Ok(progress)
    }

    /// The same task, which is about to be sent something.
    pub(super) fn before_reply(mut self) -> Self {
        // A status that says neither when nor what cannot be told from the next one like it.
        self.stale =
            self.status.take().filter(|status| status.timestamp.is_some() || status.message.is_some());
        self
    }

    /// A later look at the same task.
    pub(super) fn renewed(self, later: Self) -> Self {
        Self { stale: self.stale, ..later }
    }

    /// Takes in what the peer told; `size` is how large it was.
    pub(super) fn absorb(&mut self, event: StreamResponse, size: usize) -> Result<(), Trouble> {
        match event {
            StreamResponse::Message(message) => self.answer = Some(message),
            StreamResponse::Task(task) => {
                self.is_of(&task.id, &task.context_id)?;
                self.status = Some(task.status);
                self.artifacts = task.artifacts.unwrap_or_default();
                self.bytes = size;
            }
            StreamResponse::StatusUpdate(update) => {
                self.is_of(&update.task_id, &update.context_id)?;
                self.status = Some(update.status);
            }
            StreamResponse::ArtifactUpdate(update) => {
                self.is_of(&update.task_id, &update.context_id)?;
                self.bytes = self.bytes.saturating_add(size);
                self.add(update);
            }
        }
        if self.bytes > MAX_ARTIFACT_BYTES {
            let limit = MAX_ARTIFACT_BYTES / 1024;
            return Err(Trouble::Unusable(format!("its artifacts are larger than {limit} KiB")));
        }
        Ok(())
    }

    /// Keeps the names of the task, and refuses what is told of another.
    fn is_of(&mut self, task: &str, context: &str) -> Result<(), Trouble> {
        if task.is_empty() || task.len() > MAX_ID_BYTES || context.len() > MAX_ID_BYTES {
            return Err(Trouble::Unusable(format!(
                "it calls its task `{}`: expected 1 to {MAX_ID_BYTES} bytes",
                text::head(task.as_bytes())
            )));
        }
        if self.task.is_empty() {
            (self.task, self.context) = (task.to_owned(), context.to_owned());
        }
        if self.task == task {
            return Ok(());
        }
        let (expected, found) = (text::head(self.task.as_bytes()), text::head(task.as_bytes()));
        Err(Trouble::Unusable(format!("it told of the task `{found}` where `{expected}` was expected")))
    }

    fn add(&mut self, update: TaskArtifactUpdateEvent) {
        let known = self.artifacts.iter_mut().find(|it| it.artifact_id == update.artifact.artifact_id);
        match known {
            Some(artifact) if update.append == Some(true) => append(artifact, update.artifact),
            Some(artifact) => *artifact = update.artifact,
            None => self.artifacts.push(update.artifact),
        }
    }

    /// State that the remote agent told last.
    pub(super) fn state(&self) -> TaskState {
        self.status.as_ref().map(|status| status.state.clone()).unwrap_or_default()
    }

    /// Whether the peer said anything that can be held on to.
    pub(super) fn is_known(&self) -> bool {
        !self.task.is_empty() || self.answer.is_some()
    }

    /// Whether the peer does nothing more for it.
    pub(super) fn is_over(&self) -> bool {
        self.answer.is_some() || self.state().is_terminal()
    }

    /// Whether nothing more comes before somebody does something.
    pub(super) fn is_settled(&self) -> bool {
        let interrupted = matches!(self.state(), TaskState::InputRequired | TaskState::AuthRequired);
        self.is_over() || (interrupted && (self.stale.is_none() || self.status != self.stale))
    }

    /// What the peer said with its status.
    pub(super) fn message(&self) -> Option<&Message> {
        self.status.as_ref().and_then(|status| status.message.as_ref())
    }

    /// The text of what the peer said with its status, fit to be quoted.
    pub(super) fn said(&self) -> String {
        self.message().map(text_of).unwrap_or_default()
    }
}

/// The text of a message, fit to be quoted.
pub(super) fn text_of(message: &Message) -> String {
    let texts: Vec<&str> = message.parts.iter().filter_map(|part| part.as_text()).collect();
    text::head_within(texts.join("\n").as_bytes(), MAX_SAID_CHARS)
}

/// How a state is called on the run's log.
pub(super) const fn state_name(state: &TaskState) -> &'static str {
    match state {
        TaskState::Unspecified => "unspecified",
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Canceled => "canceled",
        TaskState::InputRequired => "input-required",
        TaskState::Rejected => "rejected",
        TaskState::AuthRequired => "auth-required",
    }
}

/// Adds a piece to an artifact. Text goes on where it was cut.
fn append(artifact: &mut Artifact, piece: Artifact) {
    let mut parts = piece.parts.into_iter().peekable();
    if let Some(PartContent::Text(text)) = artifact.parts.last_mut().map(|part| &mut part.content)
        && let Some(next) = parts.next_if(|part| part.as_text().is_some())
        && let PartContent::Text(more) = next.content
    {
        text.push_str(&more);
    }
    artifact.parts.extend(parts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn absorb(progress: &mut Progress, event: Value) -> Result<(), Trouble> {
        let size = event.to_string().len();
        progress.absorb(serde_json::from_value(event).unwrap(), size)
    }

    fn piece(id: &str, text: &str, append: bool) -> Value {
        json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "append": append,
            "artifact": { "artifactId": id, "parts": [{ "text": text }] } } })
    }

    #[test]
    fn pieces_of_an_artifact_are_joined_and_a_new_one_replaces_it() {
        let mut progress = Progress::default();
        for event in [
            piece("a", "one ", false),
            piece("a", "two", true),
            piece("b", "x", true),
            piece("b", "y", false),
        ] {
            absorb(&mut progress, event).unwrap();
        }
        let texts: Vec<_> =
            progress.artifacts.iter().map(|it| (it.parts.len(), it.parts[0].as_text().unwrap())).collect();
        assert_eq!(texts, [(1, "one two"), (1, "y")]);
        assert!(!progress.is_settled() && progress.is_known());
    }

    #[test]
    fn what_is_told_of_another_task_or_is_too_much_is_refused() {
        let mut progress = Progress::default();
        absorb(&mut progress, piece("a", "x", false)).unwrap();
        let other = json!({ "statusUpdate": { "taskId": "u", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" } } });
        assert!(absorb(&mut progress, other).unwrap_err().to_string().contains("`u`"));
        let long = "x".repeat(100_000);
        assert!((0..20).any(|_| absorb(&mut progress, piece("a", &long, true)).is_err()));
        let unnamed =
            json!({ "task": { "id": "", "contextId": "", "status": { "state": "TASK_STATE_WORKING" } } });
        assert!(absorb(&mut Progress::default(), unnamed).is_err());
    }

    #[test]
    fn an_old_question_does_not_count_after_a_reply() {
        let asks = |at: &str| json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_INPUT_REQUIRED", "timestamp": at } } });
        let mut progress = Progress::default();
        absorb(&mut progress, asks("2026-01-01T00:00:00Z")).unwrap();
        assert!(progress.is_settled());
        let mut progress = progress.before_reply();
        assert!(!progress.is_settled());
        absorb(&mut progress, asks("2026-01-01T00:00:00Z")).unwrap();
        assert!(!progress.is_settled());
        absorb(&mut progress, asks("2026-01-01T00:00:01Z")).unwrap();
        assert!(progress.is_settled());
    }
}
