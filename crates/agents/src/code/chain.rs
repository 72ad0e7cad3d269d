//! The chain of work: what each component did, noted as soon as it is done.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use candor_model::{AgentNote, JsonMap, Money, WorkStep};
use candor_ports::{AttemptContext, BoxFuture};
use candor_react::{redact, shorten};
use serde_json::Value;

use super::response::AgentResponse;
use super::states::ExecutionState;
use super::words::Words;

/// Who tells of all of it, in the last link.
const WHOLE: &str = "MultiAgentOrchestrator";
/// How much of an error is kept in a link of the chain.
const ERROR_CHARS: usize = 1_000;

/// What of a component's data goes into the chain of work: what it decided, and never the workflow's values.
const KEPT: &[&str] = &[
    "needs_analysis",
    "complexity",
    "type",
    "analysis_code",
    "code",
    "tool_calls",
    "model",
    "generation_time_ms",
    "valid",
    "errors",
    "warnings",
    "checks_passed",
    "changes_detected",
    "by",
];

/// Wherever the chain of work is kept.
pub trait ChainOfWork: Send + Sync {
    /// Keeps what a component did. What `matters` is durable when this returns; an error says why it was not kept,
    /// and the work stops.
    fn worked<'a>(&'a self, step: WorkStep, matters: bool) -> BoxFuture<'a, Result<(), String>>;
}

/// The chain of work on a run's log.
pub struct DeskChain {
    cx: Arc<dyn AttemptContext>,
    /// The links that an earlier process noted in this attempt, by component and number: they are made again, and
    /// not noted again.
    known: Mutex<BTreeMap<(String, u32), usize>>,
}

impl DeskChain {
    /// The chain of this attempt.
    #[must_use]
    pub fn new(cx: Arc<dyn AttemptContext>, attempt: u32) -> Self {
        let mut known = BTreeMap::new();
        for noted in cx.notes() {
            if let (AgentNote::Worked { step }, true) = (noted.note, noted.attempt == attempt) {
                *known.entry((step.component, step.number)).or_insert(0) += 1;
            }
        }
        Self { cx, known: Mutex::new(known) }
    }

    fn is_known(&self, step: &WorkStep) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get_mut(&(step.component.clone(), step.number)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

impl ChainOfWork for DeskChain {
    fn worked<'a>(&'a self, step: WorkStep, matters: bool) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if self.is_known(&step) {
                return Ok(());
            }
            let note = AgentNote::Worked { step: Box::new(step) };
            if matters { self.cx.note(note).await } else { self.cx.note_buffered(note).await }
        })
    }
}

/// A link of the chain: what a component answered, without the values of the workflow.
pub(super) fn link(
    words: Words,
    number: u32,
    response: &AgentResponse,
    summary: String,
    cost: Money,
) -> WorkStep {
    let kept = |key: &&str| response.data().get(*key).map(|value| ((*key).to_owned(), value.clone()));
    let mut data: JsonMap = KEPT.iter().filter_map(kept).collect();
    let error = response.error().map(|error| shorten(&redact(error), ERROR_CHARS));
    let summary = match &error {
        Some(error) => words.component_error(response.agent_name(), error),
        None => summary,
    };
    if !summary.is_empty() {
        data.insert("summary".to_owned(), Value::String(summary));
    }
    WorkStep {
        component: response.agent_name().to_owned(),
        number,
        success: response.success(),
        duration_ms: response.execution_time_ms(),
        data,
        error,
        cost,
    }
}

/// The last link of a chain: everything that was done to do the task, whoever did it.
pub(super) fn conclusion(state: &ExecutionState, success: bool, summary: &str) -> WorkStep {
    let mut data = state.to_map();
    data.insert("summary".to_owned(), Value::String(summary.to_owned()));
    WorkStep {
        component: WHOLE.to_owned(),
        number: state.attempts,
        success,
        duration_ms: state.total_time_ms(),
        data,
        error: None,
        // What it cost is told by those who asked, and would be counted twice.
        cost: Money::ZERO,
    }
}
