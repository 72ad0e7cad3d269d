//! Workers behind a URL that say more than one answer: what they tell while they work, and what they ask.
//!
//! A response of JSON lines holds any number of `{"tell": …}`, as on the bus of commands, and ends with one object:
//! the answer, or something that the worker needs before it can go on. Then the same order is posted again under the
//! same key, with what is known by then:
//!
//! ```text
//! {"question": {"text": …, "options": [...], "default": …}}   → "answers": [{"question": …, "answer": …}]
//! {"ask": {"toAgent": …, "query": …}}                         → "replies": [{"query": …, "response": …, "confidence": …}]
//! {"listen": true}                                            → "messages": [...]
//! ```
//! So a worker need not keep anything between two requests, and a person may take days to answer.

use std::sync::Arc;

use candor_model::{
    AgentAnswer, AgentNote, Asking, ChoiceKind, ChoiceOption, ChoiceRequest, FailureKind, JsonMap,
    MAX_TELLING_BYTES, NonEmpty, Noted, Telling, WorkOrder,
};
use candor_ports::{AgentFailure, AttemptContext};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answer::{read_answer, write_json};
use crate::text;

/// How often one attempt may ask and be called again, beside questions to people.
pub(crate) const MAX_ROUNDS: usize = 32;
/// How many characters of a question and of an option are kept.
const MAX_QUESTION_CHARS: usize = 2_000;
const MAX_OPTION_CHARS: usize = 100;
/// How many options a question may have.
const MAX_OPTIONS: usize = 20;
/// What a person types to answer in their own words, or not to answer.
const ANSWER: &str = "answer";
const CANCEL: &str = "cancel";

/// A question to a person.
#[derive(Debug, Deserialize)]
struct Asked {
    text: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    default: Option<String>,
}

/// One attempt of a worker: what it was told so far.
pub(crate) struct Conversation<'a> {
    order: &'a WorkOrder,
    cx: Option<Arc<dyn AttemptContext>>,
    replies: Vec<Value>,
    messages: Option<Value>,
}

impl<'a> Conversation<'a> {
    pub(crate) const fn new(order: &'a WorkOrder, cx: Option<Arc<dyn AttemptContext>>) -> Self {
        Self { order, cx, replies: Vec::new(), messages: None }
    }

    /// The order, with everything that the worker asked for and is known by now.
    pub(crate) fn order(&self) -> Result<Vec<u8>, AgentFailure> {
        let mut order = json!(self.order);
        let answers = answers(&self.notes(), self.order.attempt);
        if let Some(cancelled) = answers.iter().find(|(_, answer)| answer.is_none()) {
            let message =
                format!("its question was not answered, and the task was given up: {}", cancelled.0);
            return Err(AgentFailure::failed(FailureKind::Cancelled, text::head(message.as_bytes())));
        }
        let told = |(question, answer)| json!({ "question": question, "answer": answer });
        let answers: Vec<Value> = answers.into_iter().map(told).collect();
        let parts = [
            ("answers", (!answers.is_empty()).then(|| answers.into())),
            ("replies", (!self.replies.is_empty()).then(|| self.replies.clone().into())),
            ("messages", self.messages.clone()),
        ];
        if let Value::Object(order) = &mut order {
            order.extend(parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?))));
        }
        write_json(&order)
    }

    /// Takes a line of a response; true if it was told to the others and more may follow.
    pub(crate) async fn tell(&self, line: &[u8]) -> Result<bool, String> {
        let Some(telling) = part(line, "tell") else { return Ok(false) };
        let telling: Telling = read("tell", telling)?;
        if line.len() > MAX_TELLING_BYTES {
            return Err(format!("a line with `tell` may have at most {MAX_TELLING_BYTES} bytes"));
        }
        if let Some(cx) = &self.cx {
            // What is not taken (too many) is only news.
            let _ = cx.tell(telling).await;
        }
        Ok(true)
    }

    /// Takes the end of a response: the answer, or nothing if the worker is to be called again.
    pub(crate) async fn end(&mut self, body: &[u8]) -> Result<Option<AgentAnswer>, Ending> {
        if let Some(question) = part(body, "question") {
            return Err(Ending::Over(self.question(read("question", question)?).await?));
        }
        if let Some(asking) = part(body, "ask") {
            let asking: Asking = read("ask", asking)?;
            self.ask(asking).await?;
            return Ok(None);
        }
        if part(body, "listen").is_some() {
            self.messages = Some(self.cx.as_ref().map_or_else(|| json!([]), |cx| json!(cx.heard())));
            return Ok(None);
        }
        Ok(Some(read_answer(body)?))
    }

    fn notes(&self) -> Vec<Noted> {
        self.cx.as_ref().map(|cx| cx.notes()).unwrap_or_default()
    }

    /// Puts a question to a person: the attempt rests until there is an answer.
    async fn question(&self, asked: Asked) -> Result<AgentFailure, String> {
        let text = text::head_within(asked.text.as_bytes(), MAX_QUESTION_CHARS);
        let question = request(self.order, &text, &asked)?;
        let Some(cx) = &self.cx else {
            let message = format!("it asks: {text}; there is nobody to ask here");
            return Ok(AgentFailure::failed(FailureKind::TaskError, message));
        };
        let notes = self.notes();
        let last = notes.iter().rfind(|noted| noted.attempt == self.order.attempt).map(|noted| &noted.note);
        let open = matches!(last, Some(AgentNote::Asked { about }) if *about == text);
        if !open && let Err(problem) = cx.note(AgentNote::Asked { about: text }).await {
            let message = format!("its question could not be noted: {problem}");
            return Ok(AgentFailure::failed(FailureKind::Cancelled, message));
        }
        Ok(AgentFailure::Waiting { question: Box::new(question) })
    }

    /// Asks another agent, and keeps what it says.
    async fn ask(&mut self, asking: Asking) -> Result<(), String> {
        let Some(cx) = &self.cx else { return Err("it asks another agent, and none is here".to_owned()) };
        let query = asking.query.clone();
        self.replies.push(match cx.ask(asking).await {
            Ok(reply) => {
                json!({ "query": query, "response": reply.response, "confidence": reply.confidence })
            }
            Err(problem) => json!({ "query": query, "error": problem }),
        });
        Ok(())
    }
}

/// Why the end of a response is no answer.
pub(crate) enum Ending {
    /// The attempt is over for now.
    Over(AgentFailure),
    /// It cannot be used.
    Unusable(String),
}

impl From<String> for Ending {
    fn from(problem: String) -> Self {
        Self::Unusable(problem)
    }
}

/// What people answered in this attempt, in order: the question, and the answer unless they gave up.
fn answers(notes: &[Noted], attempt: u32) -> Vec<(String, Option<String>)> {
    let mut asked = None;
    let mut answers = Vec::new();
    for note in notes.iter().filter(|noted| noted.attempt == attempt).map(|noted| &noted.note) {
        match note {
            AgentNote::Asked { about } => asked = Some(about.clone()),
            AgentNote::Answered { choice } => {
                let Some(question) = asked.take() else { continue };
                let words = [&choice.text, &choice.option].into_iter().find(|words| !words.trim().is_empty());
                let given_up = choice.option.eq_ignore_ascii_case(CANCEL);
                answers.push((question, words.filter(|_| !given_up).cloned()));
            }
            _ => {}
        }
    }
    answers
}

fn request(order: &WorkOrder, text: &str, asked: &Asked) -> Result<ChoiceRequest, String> {
    let label = |option: &String| text::head_within(option.as_bytes(), MAX_OPTION_CHARS);
    let named: Vec<String> = asked.options.iter().map(label).collect();
    if text.is_empty() || named.len() > MAX_OPTIONS || named.iter().any(String::is_empty) {
        return Err(format!(
            "`question` needs a `text`, and has at most {MAX_OPTIONS} `options`, none of them empty"
        ));
    }
    if let Some(default) = asked.default.as_ref().filter(|default| !asked.options.contains(default)) {
        return Err(format!("the `default` of its question, `{}`, is none of its options", label(default)));
    }
    let mut options: Vec<ChoiceOption> =
        named.iter().map(|option| ChoiceOption::new(option, option.as_str(), "")).collect();
    if options.is_empty() {
        options.push(ChoiceOption::with_text(ANSWER, "answer", "your words go to the agent"));
    }
    options.push(ChoiceOption::new(CANCEL, "cancel", "the attempt has failed"));
    Ok(ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: format!("an agent needs an answer to go on with {}", order.task_id),
        text: text.to_owned(),
        options: NonEmpty::or_one(options, || ChoiceOption::new(CANCEL, "cancel", "")),
        default: asked.default.as_ref().map(label),
        concerns: vec![order.task_id.to_string()],
    })
}

/// The value under this key, if the line is an object that has it.
/// Whether a line of a worker is part of the protocol, with every part that it may have read as that.
pub(crate) fn is_part(line: &[u8]) -> bool {
    let told = part(line, "tell").is_some_and(|it| read::<Telling>("tell", it).is_ok());
    let asked = part(line, "ask").is_some_and(|it| read::<Asking>("ask", it).is_ok());
    told || asked || part(line, "question").is_some_and(|it| read::<Asked>("question", it).is_ok())
}

fn part(line: &[u8], key: &str) -> Option<Value> {
    serde_json::from_slice::<JsonMap>(line).ok()?.remove(key)
}

fn read<T: DeserializeOwned>(what: &str, value: Value) -> Result<T, String> {
    candor_model::from_value(value)
        .map_err(|error| format!("`{what}`: field `{}` is wrong: {}", error.field, error.problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_model::Choice;

    fn noted(note: AgentNote) -> Noted {
        Noted { attempt: 2, note }
    }

    fn asked(about: &str) -> Noted {
        noted(AgentNote::Asked { about: about.to_owned() })
    }

    fn chose(option: &str, text: &str) -> Noted {
        let choice = Choice { option: option.to_owned(), text: text.to_owned(), by_default: false };
        noted(AgentNote::Answered { choice })
    }

    #[test]
    fn answers_belong_to_the_questions_before_them() {
        let notes = [asked("unit?"), chose("km", ""), asked("name?"), chose("answer", "Ann"), asked("open?")];
        let known = answers(&notes, 2);
        let pair = |question: &str, answer: &str| (question.to_owned(), Some(answer.to_owned()));
        assert_eq!(known, [pair("unit?", "km"), pair("name?", "Ann")]);
        assert!(answers(&notes, 1).is_empty(), "of another attempt");
        assert_eq!(answers(&[asked("unit?"), chose("Cancel", "")], 2), [("unit?".to_owned(), None)]);
    }
}
