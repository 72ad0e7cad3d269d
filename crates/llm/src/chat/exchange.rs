//! One exchange over HTTP, with bounds: a body is read as far as an answer may be long, and not a byte more.
//!
//! Dropping the future closes the connection, so a deadline or an order to stop really ends a call.

use candor_model::ModelFailure;
use candor_ports::Words;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Request, Response};
use serde_json::Value;

use super::failure::Whom;
use super::sse::Events;
use super::wire::{Draft, Finish, NoAnswer, Wire};

/// How long an answer may be. Models write some tens of kilobytes at most.
pub(crate) const MAX_ANSWER_BYTES: usize = 2_000_000;
/// How much of a refusal is read.
const MAX_REFUSAL_BYTES: usize = 64_000;
/// An event of OpenAI's that ends a stream.
const DONE: &str = "[DONE]";

/// Sends a request and reads the answer, telling its words as they come.
pub(crate) async fn exchange(
    http: &reqwest::Client,
    request: Request,
    wire: &dyn Wire,
    whom: &Whom,
    words: Option<&Words>,
) -> Result<Draft, ModelFailure> {
    let response = http.execute(request).await.map_err(|error| whom.lost(&error))?;
    if !response.status().is_success() {
        return Err(refusal(response, whom).await);
    }
    let media = response.headers().get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
    // A server that cannot stream answers at once, and that is as good.
    if words.is_some() && media.is_some_and(|media| media.starts_with("text/event-stream")) {
        return stream(response, wire, whom, words).await;
    }
    let body = whole(response, whom).await?;
    let value: Value = serde_json::from_slice(&body)
        .map_err(|error| whom.malformed(&format!("it is not JSON: {error}"), &body))?;
    let mut draft = Draft::default();
    wire.read(&value, &mut draft).map_err(|problem| no_answer(whom, problem, &body))?;
    tell(words, &draft.text);
    Ok(draft)
}

async fn whole(mut response: Response, whom: &Whom) -> Result<Vec<u8>, ModelFailure> {
    let mut body = Vec::new();
    // The announced length saves reading what will be refused; the count below does not trust it.
    if response.content_length().is_some_and(|length| length > MAX_ANSWER_BYTES as u64) {
        return Err(whom.too_large(MAX_ANSWER_BYTES));
    }
    while let Some(chunk) = response.chunk().await.map_err(|error| whom.lost(&error))? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(whom.too_large(MAX_ANSWER_BYTES));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn refusal(mut response: Response, whom: &Whom) -> ModelFailure {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    // What the status says is worth more than the end of a body that does not come.
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = MAX_REFUSAL_BYTES - body.len();
        body.extend(chunk.iter().take(room));
        if chunk.len() >= room {
            break;
        }
    }
    whom.refused(status, &headers, &body)
}

async fn stream(
    mut response: Response,
    wire: &dyn Wire,
    whom: &Whom,
    words: Option<&Words>,
) -> Result<Draft, ModelFailure> {
    let (mut events, mut draft) = (Events::new(MAX_ANSWER_BYTES), Draft::default());
    while let Some(chunk) = response.chunk().await.map_err(|error| whom.lost(&error))? {
        for event in events.feed(&chunk).map_err(|_| whom.too_large(MAX_ANSWER_BYTES))? {
            if event == DONE {
                draft.finish.get_or_insert(Finish::Complete);
                return Ok(draft);
            }
            take_event(&event, wire, whom, &mut draft, words)?;
        }
        if draft.text.len() > MAX_ANSWER_BYTES {
            return Err(whom.too_large(MAX_ANSWER_BYTES));
        }
    }
    match events.finish() {
        Some(event) if event != DONE => take_event(&event, wire, whom, &mut draft, words)?,
        _ => {}
    }
    if draft.finish.is_some() { Ok(draft) } else { Err(whom.cut_off()) }
}

fn take_event(
    event: &str,
    wire: &dyn Wire,
    whom: &Whom,
    draft: &mut Draft,
    words: Option<&Words>,
) -> Result<(), ModelFailure> {
    let value: Value = serde_json::from_str(event)
        .map_err(|error| whom.malformed(&format!("an event is not JSON: {error}"), event.as_bytes()))?;
    let before = draft.text.len();
    wire.read_event(&value, draft).map_err(|problem| no_answer(whom, problem, event.as_bytes()))?;
    tell(words, draft.text.get(before..).unwrap_or_default());
    Ok(())
}

fn no_answer(whom: &Whom, problem: NoAnswer, body: &[u8]) -> ModelFailure {
    match problem {
        NoAnswer::Error(error) => whom.refused_inside(&error),
        NoAnswer::Unknown => whom.malformed("it holds no answer", body),
    }
}

fn tell(words: Option<&Words>, text: &str) {
    if let (Some(words), false) = (words, text.is_empty()) {
        words(text);
    }
}
