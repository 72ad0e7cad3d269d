//! Reading what a program or a service answered.

use candor_model::{AgentAnswer, FailureKind, JsonMap, Query, QueryAnswer, ReportedError, WorkOrder};
use candor_ports::AgentFailure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text;

/// Reads the one JSON object of an answer; the error says what is wrong with the text.
///
/// An answer that reports an error need not have outputs.
pub(crate) fn read_answer(bytes: &[u8]) -> Result<AgentAnswer, String> {
    match serde_json::from_slice::<JsonMap>(bytes) {
        Ok(mut answer) if !answer.contains_key("outputs") && error_in(&answer).is_some() => {
            answer.insert("outputs".to_owned(), Value::Object(JsonMap::new()));
            read(Value::Object(answer).to_string().as_bytes())
        }
        _ => read(bytes),
    }
}

/// The error that is reported beside a failure that shows already: an exit code, a status.
pub(crate) fn reported_error(bytes: &[u8]) -> Option<ReportedError> {
    error_in(&serde_json::from_slice::<JsonMap>(bytes).ok()?)
}

fn error_in(answer: &JsonMap) -> Option<ReportedError> {
    answer.get("error").and_then(ReportedError::read)
}

/// What an agent is handed: the order as JSON.
pub(crate) fn write_order(order: &WorkOrder) -> Result<Vec<u8>, AgentFailure> {
    write_json(order)
}

/// The same for an order with more in it.
pub(crate) fn write_json(order: &impl Serialize) -> Result<Vec<u8>, AgentFailure> {
    serde_json::to_vec(order).map_err(|error| {
        AgentFailure::failed(FailureKind::TaskError, format!("the order cannot be written as JSON: {error}"))
    })
}

/// How sure an answer can be at most.
const FULL_CONFIDENCE: u8 = 100;

/// What a question looks like to the agent that is asked.
pub(crate) fn write_query(query: &Query) -> Result<Vec<u8>, String> {
    serde_json::to_vec(&serde_json::json!({ "query": query }))
        .map_err(|error| format!("the question cannot be written as JSON: {error}"))
}

/// Reads the answer to a question; an agent may also say why it has none.
pub(crate) fn read_query_answer(bytes: &[u8]) -> Result<QueryAnswer, String> {
    #[derive(Deserialize)]
    struct Declined {
        error: String,
    }
    let answer: QueryAnswer = match read::<QueryAnswer>(bytes) {
        Ok(answer) => answer,
        Err(problem) => {
            let declined = serde_json::from_slice::<Declined>(bytes).ok();
            return Err(declined.map_or(problem, |declined| declined.error));
        }
    };
    match answer.confidence {
        0..=FULL_CONFIDENCE => Ok(answer),
        other => Err(format!("the answer's field `confidence` is wrong: {other} is not from 0 to 100")),
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let quoted = || format!("it began with `{}`", text::head(bytes));
    let Ok(answer) = std::str::from_utf8(bytes) else {
        return Err(format!("expected one JSON object, found bytes that are not text; {}", quoted()));
    };
    if answer.trim().is_empty() {
        return Err("expected one JSON object, found nothing".to_owned());
    }
    candor_model::from_json(answer).map_err(|error| match serde_json::from_str::<Value>(answer) {
        Ok(value) if value.is_object() => {
            format!("the answer's field `{}` is wrong: {}; {}", error.field, error.problem, quoted())
        }
        Ok(_) => format!("expected one JSON object, found other JSON; {}", quoted()),
        Err(error) => {
            format!("expected one JSON object, found text that is not JSON ({error}); {}", quoted())
        }
    })
}
