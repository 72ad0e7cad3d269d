//! An agent that is a model: one question, one answer. In a role of its own, or as the last resort when every other
//! agent of a task has failed.

use std::sync::Arc;

use candor_model::{
    AgentAnswer, AgentNote, AskStep, ContextText, Failure, FailureKind, FeedbackType, JsonMap,
    MessagePriority, MessageType, Money, Noted, ReportedError, Seconds, Telling, Tier, Transience, WorkOrder,
};
use candor_ports::{Agent, AgentFailure, Ask, AttemptContext, BoxFuture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What is left of the time when an answer is not waited for any longer.
const MARGIN: u64 = 200;

/// How long an answer may be.
const MAX_ANSWER_TOKENS: u32 = 4_096;

/// What a model answers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct DirectAnswer {
    /// What was produced, by the names that were expected.
    outputs: JsonMap,
    /// What is missing or only guessed; empty if nothing is.
    #[serde(default)]
    doubts: Vec<String>,
}

/// Answers a task with a single question to a model.
#[derive(Debug, Clone)]
pub struct ModelAgent {
    tier: Tier,
    max_cost: Money,
    /// Who it is; none if it is the last resort.
    role: Option<String>,
}

/// The name of a result that nobody named.
const RESULT: &str = "result";

/// How the last line begins that says what is open.
const OPEN: &str = "Open:";

impl ModelAgent {
    /// The last resort: asks this tier, and spends at most so much on an attempt.
    #[must_use]
    pub const fn last_resort(tier: Tier, max_cost: Money) -> Self {
        Self { tier, max_cost, role: None }
    }

    /// One that works in a role.
    #[must_use]
    pub const fn in_role(tier: Tier, max_cost: Money, role: String) -> Self {
        Self { tier, max_cost, role: Some(role) }
    }

    /// What the model is asked: for JSON where several outputs are expected, otherwise for the result itself.
    fn question(&self, order: &WorkOrder) -> Ask {
        let mut ask = match &self.role {
            None => Ask::expecting::<DirectAnswer>("direct_answer", self.tier),
            Some(_) if order.expected_outputs.len() > 1 => {
                let mut ask = Ask::expecting::<DirectAnswer>("do_task", self.tier);
                let outputs =
                    ask.schema.as_mut().and_then(|schema| schema.pointer_mut("/properties/outputs"));
                if let Some(outputs) = outputs {
                    let named = order.expected_outputs.iter().map(|name| (name.clone(), json!({})));
                    *outputs = json!({ "type": "object", "properties": named.collect::<JsonMap>() });
                }
                ask
            }
            Some(_) => Ask::for_text("do_task_in_words", self.tier),
        };
        ask.slots = [
            ("task", order.description.clone()),
            ("inputs", text_of(&order.inputs)),
            ("upstream", text_of(&order.upstream)),
            ("boundaries", order.brief.boundaries.join("\n")),
        ]
        .into();
        if ask.schema.is_some() {
            ask.slots.insert("expected", order.expected_outputs.join(", "));
        }
        ask.role = self.role.clone().unwrap_or_default();
        ask.tell("project", ContextText::for_prompt(&order.context));
        ask.max_output_tokens = MAX_ANSWER_TOKENS;
        ask
    }

    async fn ask(&self, order: &WorkOrder, cx: &dyn AttemptContext) -> Result<AgentAnswer, AgentFailure> {
        let ask = self.question(order);
        let in_words = ask.schema.is_none();
        let within = Seconds::from_millis(order.deadline_seconds.as_millis().saturating_sub(MARGIN));
        let name = format!("direct_answer_{}", order.attempt);
        let value = cx.consult(name.clone(), ask, self.max_cost, within).await.map_err(|reason| {
            let message = format!("No model answered: {reason}");
            if cx.has_models() {
                failure_of_ask(&cx.notes(), &name).with_message(message)
            } else {
                Failure::new(FailureKind::Unavailable, message).permanent()
            }
        })?;
        let said = if in_words { Ok(from_words(order, &value)) } else { serde_json::from_value(value) };
        let said: DirectAnswer = said.map_err(|error| {
            AgentFailure::failed(FailureKind::BadOutput, format!("The model's answer does not fit: {error}"))
        })?;
        Ok(if self.role.is_some() { worked(order, said) } else { answer(order, said) })
    }
}

/// An answer in words: it is the one output that is expected. A task that asks for data gets JSON, which is read.
fn from_words(order: &WorkOrder, said: &Value) -> DirectAnswer {
    let text = said.as_str().unwrap_or_default();
    let (text, doubts) = match text.rsplit_once('\n') {
        Some((text, last)) if last.trim_start().starts_with(OPEN) => {
            (text.trim_end(), vec![last.trim_start().trim_start_matches(OPEN).trim().to_owned()])
        }
        _ => (text, Vec::new()),
    };
    let name = order.expected_outputs.first().map_or(RESULT, String::as_str);
    let data = serde_json::from_str::<Value>(unfenced(text)).ok();
    let data = data.filter(|data| data.is_object() || data.is_array());
    let value = match data {
        Some(Value::Object(mut fields)) => fields.remove(name).unwrap_or(Value::Object(fields)),
        Some(data) => data,
        None => Value::from(text),
    };
    DirectAnswer { outputs: [(name.to_owned(), value)].into_iter().collect(), doubts }
}

/// The text without the fence that models put around JSON.
fn unfenced(text: &str) -> &str {
    let inside = text.trim().strip_prefix("```json").and_then(|rest| rest.strip_suffix("```"));
    inside.unwrap_or(text).trim()
}

/// The result of an agent in its role: what it doubts is a warning, what it leaves out makes it partial.
fn worked(order: &WorkOrder, said: DirectAnswer) -> AgentAnswer {
    let doubts = said.doubts.clone();
    let known = answer(order, DirectAnswer { doubts: Vec::new(), ..said });
    let errors = known.errors.into_iter().chain(doubts).collect();
    AgentAnswer { errors, messages: Vec::new(), ..known }
}

/// Why no model answered: as the last call that was made under this name tells it, or as the step does that was taken
/// in place of a call (no money, no time, an open circuit).
pub(crate) fn failure_of_ask(notes: &[Noted], name: &str) -> Failure {
    let steps = notes.iter().rev().filter_map(|noted| match &noted.note {
        AgentNote::Consulted { ask, step, .. } if ask == name => Some(step),
        _ => None,
    });
    let call = steps.clone().find_map(|step| step.call.as_ref());
    let without_call = steps.clone().find_map(|step| match &step.outcome {
        AskStep::GiveUp { reason, kind: Some(kind), .. } => Some(Failure::new(*kind, reason.clone())),
        _ => None,
    });
    match (call.map(|call| &call.failure), without_call) {
        (Some(Some(failure)), _) => Failure::from(failure),
        (Some(None), _) => Failure::new(FailureKind::BadOutput, "no answer of a model could be used"),
        (None, Some(failure)) => failure,
        (None, None) => {
            Failure::new(FailureKind::Unavailable, "no model was called").with_transience(Transience::Unknown)
        }
    }
}

fn text_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// What is missing is said, and so is that nobody but a model has looked at it.
fn answer(order: &WorkOrder, said: DirectAnswer) -> AgentAnswer {
    let missing = order.expected_outputs.iter().filter(|name| !said.outputs.contains_key(*name));
    let missing: Vec<String> = missing.map(|name| format!("`{name}` is missing")).collect();
    let errors: Vec<String> = missing.into_iter().chain(said.doubts).collect();
    let verdict = match (said.outputs.is_empty(), errors.is_empty()) {
        (true, _) => FeedbackType::Failure,
        (false, true) => FeedbackType::Success,
        (false, false) => FeedbackType::PartialSuccess,
    };
    let notice = Telling {
        message_type: MessageType::Warning,
        priority: MessagePriority::Medium,
        content: format!(
            "{} was answered by a model in a single pass, without tools: check it before you rely on it",
            order.task_id
        ),
        data: JsonMap::new(),
    };
    let error = (verdict == FeedbackType::Failure).then(|| ReportedError {
        kind: Some(FailureKind::BadOutput.to_string()),
        ..ReportedError::default()
    });
    AgentAnswer {
        outputs: said.outputs,
        feedback_type: Some(verdict),
        error,
        errors,
        messages: vec![notice],
        cost: Some(Money::ZERO),
        ..AgentAnswer::default()
    }
}

impl Agent for ModelAgent {
    fn perform<'a>(
        &'a self,
        _order: &'a WorkOrder,
        _stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        let failure =
            Failure::new(FailureKind::Unavailable, "An agent that is a model needs a cx with models");
        Box::pin(std::future::ready(Err(failure.permanent().into())))
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move {
            tokio::select! {
                answer = self.ask(order, &*cx) => answer,
                () = stop.cancelled() => Err(AgentFailure::Stopped),
            }
        })
    }
}
