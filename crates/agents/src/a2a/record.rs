//! What an attempt writes down, asks and says: notes, questions to a person, and the peer's words as an end.

use a2a::{Part, TaskState};
use candor_model::{
    AgentAnswer, AgentNote, ChoiceKind, ChoiceOption, ChoiceRequest, Failure, FailureKind, JsonMap,
    MessagePriority, MessageType, NonEmpty, Telling, ToolCall, ToolErrorKind, ToolHints, ToolResult,
    WorkOrder,
};
use candor_ports::AgentFailure;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::attempt::Attempt;
use super::notes::{AGAIN, ANSWER, CANCEL, GIVE_UP, INPUT, SEND};
use super::outputs::outputs;
use super::progress::Progress;
use super::rpc::{Peer, Trouble};
use crate::text;

/// What the sending of a task is noted for.
const ITEM: &str = "a2a";
/// How much of the outputs is kept with the receipt; more is fetched from the peer again if it is needed.
const MAX_KEPT_BYTES: usize = 64 * 1024;
/// How many words of the peer the others are told.
const MAX_TOLD: usize = 5;
/// How many characters of each.
const MAX_TOLD_CHARS: usize = 300;

impl Attempt<'_> {
    /// Notes something, if there is somebody who keeps notes.
    pub(super) async fn note(&self, note: AgentNote) -> Result<(), Trouble> {
        match self.cx {
            Some(cx) => cx.note(note).await.map_err(Trouble::Unnoted),
            None => Ok(()),
        }
    }

    /// Notes what came of the task.
    pub(super) async fn give_receipt(&self, result: ToolResult) -> Result<(), Trouble> {
        self.note(AgentNote::Returned { key: self.key.clone(), result: Box::new(result) }).await
    }

    /// Puts a question to a person. Without a cx there is nobody to ask.
    pub(super) async fn ask(&self, about: &str, question: ChoiceRequest) -> AgentFailure {
        if self.cx.is_none() {
            let message = format!("{}; there is nobody to ask here", question.text);
            return AgentFailure::failed(FailureKind::TaskError, message);
        }
        if !self.story.asked
            && let Err(trouble) = self.note(AgentNote::Asked { about: about.to_owned() }).await
        {
            return Failure::from(trouble).into();
        }
        AgentFailure::Waiting { question: Box::new(question) }
    }

    /// Tells the others what the peer says while it works: new words only, and not too many.
    pub(super) async fn pass_on(&mut self, progress: &Progress) {
        let Some(cx) =
            self.cx.filter(|_| progress.state() == TaskState::Working && self.told.len() < MAX_TOLD)
        else {
            return;
        };
        let said = text::head_within(progress.said().as_bytes(), MAX_TOLD_CHARS);
        if said.is_empty() || self.told.contains(&said) {
            return;
        }
        let telling = Telling {
            message_type: MessageType::Discovery,
            priority: MessagePriority::Low,
            content: format!("{}: {said}", self.peer.name()),
            data: JsonMap::new(),
        };
        self.told.push(said);
        // What is not taken is only news.
        let _ = cx.tell(telling).await;
    }

    /// What it means that nothing more comes.
    pub(super) async fn conclude(&mut self, progress: &Progress) -> Result<AgentAnswer, AgentFailure> {
        let (name, said) = (self.peer.name(), progress.said());
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        let (kind, reason) = match progress.state() {
            _ if progress.answer.is_some() => return self.succeed(progress).await,
            TaskState::Completed => return self.succeed(progress).await,
            TaskState::InputRequired => {
                return Err(self.ask(INPUT, input_question(self.peer, self.order, &progress.said())).await);
            }
            TaskState::AuthRequired => (
                FailureKind::Denied,
                format!(
                    "the remote agent `{name}` wants to know who asks{said}; give it an access key with the agent's `headers_env`"
                ),
            ),
            TaskState::Rejected => {
                (FailureKind::TaskError, format!("the remote agent `{name}` rejected the task{said}"))
            }
            TaskState::Canceled => {
                (FailureKind::Cancelled, format!("the remote agent `{name}` canceled the task{said}"))
            }
            _ => (FailureKind::TaskError, format!("the remote agent `{name}` failed{said}")),
        };
        // The receipt follows when the attempt ends.
        Err(AgentFailure::failed(kind, reason))
    }

    async fn succeed(&mut self, progress: &Progress) -> Result<AgentAnswer, AgentFailure> {
        let outputs = outputs(progress, &self.order.expected_outputs);
        let names: Vec<&str> = outputs.keys().map(String::as_str).collect();
        let mut result =
            ToolResult::done(text::head(format!("completed: {}", names.join(", ")).as_bytes()), None);
        let whole = Value::Object(outputs.clone());
        result.cut = whole.to_string().len() > MAX_KEPT_BYTES;
        result.data = Some(whole).filter(|_| !result.cut);
        result.duration_ms = millis_since(self.began);
        match self.give_receipt(result).await {
            Ok(()) => {
                self.owed = false;
                Ok(AgentAnswer::success(outputs))
            }
            Err(trouble) => Err(Failure::from(trouble).into()),
        }
    }
}

/// The note that a task is about to be sent.
pub(super) fn intent(peer: &Peer, order: &WorkOrder, key: &str) -> AgentNote {
    let arguments = [("agent", peer.name().to_owned()), ("task", text::head(order.description.as_bytes()))];
    let arguments = arguments.map(|(name, value)| (name.to_owned(), Value::from(value)));
    let call =
        ToolCall { key: key.to_owned(), tool: SEND.to_owned(), arguments: JsonMap::from_iter(arguments) };
    AgentNote::Called { item: ITEM.to_owned(), call: Box::new(call), hints: ToolHints::default() }
}

/// The receipt of an attempt that brought nothing.
pub(super) fn failed(failure: &AgentFailure, began: Instant) -> ToolResult {
    let (kind, data) = match failure {
        AgentFailure::Stopped | AgentFailure::Waiting { .. } | AgentFailure::NoResources { .. } => {
            (ToolErrorKind::Cancelled, None)
        }
        AgentFailure::Failed(failure) => (ToolErrorKind::Failed, serde_json::to_value(failure).ok()),
    };
    ToolResult { duration_ms: millis_since(began), data, ..ToolResult::failed(kind, failure.to_string()) }
}

/// What an attempt that is over already came to.
pub(super) fn recorded(result: &ToolResult) -> Result<AgentAnswer, AgentFailure> {
    match &result.data {
        Some(Value::Object(outputs)) if result.success => Ok(AgentAnswer::success(outputs.clone())),
        _ if result.success => Ok(AgentAnswer::default()),
        data => {
            let noted = data.clone().and_then(|failure| candor_model::from_value::<Failure>(failure).ok());
            let unknown = || Failure::new(FailureKind::TaskError, result.error_text());
            Err(noted.unwrap_or_else(unknown).into())
        }
    }
}

/// The task as a message: in words, and as data.
pub(super) fn parts(peer: &Peer, order: &WorkOrder) -> Vec<Part> {
    let mut data = json!({
        "inputs": order.inputs,
        "upstream": order.upstream,
        "expected_outputs": order.expected_outputs,
        "brief": order.brief,
    });
    if let (Some(data), false) = (data.as_object_mut(), order.context.is_empty()) {
        data.insert("context".to_owned(), json!(order.context));
    }
    if peer.card.takes_data {
        vec![Part::text(&order.description), Part::data(data)]
    } else {
        vec![Part::text(&order.description), Part::text(format!("{data:#}"))]
    }
}

/// What a person is asked on the peer's behalf.
fn input_question(peer: &Peer, order: &WorkOrder, said: &str) -> ChoiceRequest {
    let name = peer.name();
    let said = if said.is_empty() { "it needs more to go on, and does not say what" } else { said };
    let options = vec![
        ChoiceOption::with_text(ANSWER, "answer", format!("your words go to {}", peer.address())),
        ChoiceOption::new(CANCEL, "cancel", "the remote agent is told to stop, and the attempt has failed"),
    ];
    ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: format!("the remote agent `{name}` needs an answer to go on with {}", order.task_id),
        text: format!("The remote agent `{name}` asks: {said}"),
        options: NonEmpty::or_one(options, || ChoiceOption::new(CANCEL, "cancel", "")),
        // Only a person can say what the peer wants to know.
        default: None,
        concerns: vec![order.task_id.to_string()],
    }
}

/// What a person is asked when nobody knows whether the peer has the task.
pub(super) fn unknown_question(peer: &Peer, problem: &str) -> ChoiceRequest {
    let name = peer.name();
    let options = vec![
        ChoiceOption::new(AGAIN, "send again", "if it has the task already, it may do it twice"),
        ChoiceOption::new(GIVE_UP, "give up", "nothing is sent, and the attempt has failed"),
    ];
    ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: format!("nobody knows whether the remote agent `{name}` has the task: {problem}"),
        text: format!(
            "It is not known whether the remote agent `{name}` got the task ({problem}). Send it again?"
        ),
        options: NonEmpty::or_one(options, || ChoiceOption::new(GIVE_UP, "give up", "")),
        // Neither twice nor never is safe to guess.
        default: None,
        concerns: Vec::new(),
    }
}

/// What is said when a person does not want it sent again.
pub(super) fn given_up(peer: &Peer) -> String {
    format!(
        "it is not known whether the remote agent `{}` got the task, and it is not to be sent again",
        peer.name()
    )
}

/// What is said when a person does not answer the peer's question.
pub(super) fn withdrawn_by_person(peer: &Peer) -> String {
    format!(
        "the remote agent `{}` asked something, and the task was canceled instead of an answer",
        peer.name()
    )
}

/// What is said when the peer does not know a task that it had.
pub(super) fn forgotten(peer: &Peer) -> String {
    format!("the remote agent `{}` does not know the task any more; it may have been restarted", peer.name())
}

fn millis_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
