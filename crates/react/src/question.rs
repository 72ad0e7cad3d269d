//! What people are asked while a mission rests.

use candor_model::{ChoiceKind, ChoiceOption, ChoiceRequest, NonEmpty, RiskClass, ToolCall, WorkOrder};
use serde_json::Value;

use crate::words::{redact, shorten};

/// How much of the arguments is shown.
const SHOWN_CHARS: usize = 600;

/// What a question about leave for a call begins with; what follows names the call.
pub(crate) const LEAVE: &str = "leave ";
/// What a question about the end of a call begins with; the key follows.
pub(crate) const END: &str = "end ";
/// What a question that is a step begins with; the step follows.
pub(crate) const PERSON: &str = "person ";
/// What a question of the model begins with; its number follows.
pub(crate) const QUESTION: &str = "question ";

pub(crate) const ALLOW: &str = "allow";
pub(crate) const ALLOW_ALL: &str = "all";
pub(crate) const DENY: &str = "deny";
pub(crate) const DONE: &str = "done";
pub(crate) const AGAIN: &str = "again";
pub(crate) const SKIP: &str = "skip";
pub(crate) const ANSWER: &str = "answer";

/// May this call be made?
pub(crate) fn leave(order: &WorkOrder, call: &ToolCall, class: RiskClass) -> ChoiceRequest {
    let does = class.does();
    let options = vec![
        ChoiceOption::new(ALLOW, "Allow this call", "it is made, also again if it fails"),
        ChoiceOption::new(ALLOW_ALL, "Allow this tool", format!("every call of {} in this task", call.tool)),
        // Words of one's own may be added, and need not.
        ChoiceOption::new(DENY, "Deny", "the call is not made, and its step fails; you may add why"),
    ];
    let text = format!("May {} be called? It {does}.\n{}", call.tool, shown(call));
    // Where nobody can be asked, what cannot be undone is refused at once.
    let default = class.asks().then(|| DENY.to_owned());
    ChoiceRequest { default, ..request(order, format!("{} {does}", call.tool), text, options) }
}

/// Was this call carried out?
pub(crate) fn end(order: &WorkOrder, call: &ToolCall) -> ChoiceRequest {
    let options = vec![
        ChoiceOption::new(DONE, "It was carried out", "the step counts as done; you may add what came of it"),
        ChoiceOption::new(AGAIN, "Call it again", "if it was carried out, it is then carried out twice"),
        ChoiceOption::new(SKIP, "Go on without it", "the step is left out"),
    ];
    let text = format!(
        "{} was called, and its answer is lost: nobody knows whether it was carried out. Please look.\n{}",
        call.tool,
        shown(call)
    );
    request(order, format!("the end of a call of {} is not known", call.tool), text, options)
}

/// A question of the model.
pub(crate) fn open(order: &WorkOrder, question: &str) -> ChoiceRequest {
    let options = vec![
        ChoiceOption::with_text(ANSWER, "Answer", "in your own words"),
        ChoiceOption::new(SKIP, "No answer", "the agent goes on without it"),
    ];
    request(order, "the agent needs to know something".to_owned(), shorten(&redact(question), 2_000), options)
}

fn shown(call: &ToolCall) -> String {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    format!("Arguments: {}", shorten(&redact(&arguments), SHOWN_CHARS))
}

fn request(order: &WorkOrder, reason: String, text: String, options: Vec<ChoiceOption>) -> ChoiceRequest {
    ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason,
        text,
        options: NonEmpty::or_one(options, || ChoiceOption::new(SKIP, "Go on", "")),
        // Nothing but a person's word will do.
        default: None,
        concerns: vec![order.task_id.to_string()],
    }
}
