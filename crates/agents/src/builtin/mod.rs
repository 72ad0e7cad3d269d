//! Small agents that run inside Candor, described by data alone: the agents of packs.
//!
//! [`builtin`] makes one of its kind and its options, and refuses options that mean nothing: an expression
//! that cannot be read is found when the agent is made, not when its first task fails. What an expression
//! can see is said in [`expression`].

mod catalogue;
mod check;
mod expression;
mod matching;
mod outputs;
mod plain;
mod records;
mod template;
mod tree;

use std::sync::Arc;

use candor_model::{AgentAnswer, Failure, FailureKind, JsonMap, Seconds, ValidationError, WorkOrder};
use candor_ports::{Agent, AgentFailure, BoxFuture};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::text::suggestion;
use crate::wait::deadline_of;

/// The kinds that [`builtin`] knows.
pub const BUILTIN_KINDS: [&str; 4] = ["catalogue", "check", "echo", "noop"];

/// What is wrong with the description of a built-in agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct BuiltinError {
    /// The option that is wrong, such as `filter` or `outputs.total_cost`; `builtin` for the kind itself.
    pub key: String,
    /// What is wrong with it and what was expected.
    pub problem: String,
}

impl BuiltinError {
    fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into() }
    }
}

impl From<ValidationError> for BuiltinError {
    fn from(error: ValidationError) -> Self {
        Self::new(error.field, error.problem)
    }
}

/// Makes a built-in agent of this kind. `files` gives the text of a file that the options name.
pub fn builtin(
    kind: &str,
    options: &JsonMap,
    files: &dyn Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Agent>, BuiltinError> {
    Ok(match kind {
        "noop" => {
            no_options(options)?;
            Arc::new(Immediate(plain::Noop))
        }
        "echo" => {
            no_options(options)?;
            Arc::new(Immediate(plain::Echo))
        }
        "catalogue" => Arc::new(Immediate(catalogue::Catalogue::new(options, files)?)),
        "check" => Arc::new(Immediate(check::Check::new(options)?)),
        other => {
            let problem =
                format!("there is no built-in agent `{other}`; {}", suggestion(other, &BUILTIN_KINDS));
            return Err(BuiltinError::new("builtin", problem));
        }
    })
}

/// An agent that computes its answer without waiting for anything.
trait Work: Send + Sync {
    fn answer(&self, order: &WorkOrder, limit: &Limit) -> Result<AgentAnswer, AgentFailure>;
}

struct Immediate<W>(W);

impl<W: Work> Agent for Immediate<W> {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move {
            let limit = Limit { deadline: deadline_of(order), time: order.deadline_seconds, stop };
            limit.check()?;
            self.0.answer(order, &limit)
        })
    }
}

/// When a computation has to give up; asked now and then while it goes on.
struct Limit {
    deadline: Instant,
    time: Seconds,
    stop: CancellationToken,
}

impl Limit {
    fn check(&self) -> Result<(), AgentFailure> {
        if self.stop.is_cancelled() {
            Err(AgentFailure::Stopped)
        } else if Instant::now() > self.deadline {
            Err(Failure::timed_out(self.time).into())
        } else {
            Ok(())
        }
    }
}

/// An expression that has no value for these inputs: the task cannot be done as it stands.
fn not_computed(problem: String) -> AgentFailure {
    AgentFailure::failed(FailureKind::TaskError, problem)
}

/// Reads the options of a kind; a key that is not `known` is answered with the nearest one that is.
fn read_options<T: DeserializeOwned>(options: &JsonMap, known: &[&str]) -> Result<T, BuiltinError> {
    if let Some(key) = options.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(BuiltinError::new(key, format!("there is no such option; {}", suggestion(key, known))));
    }
    Ok(candor_model::from_value(Value::Object(options.clone()))?)
}

fn no_options(options: &JsonMap) -> Result<(), BuiltinError> {
    match options.keys().next() {
        None => Ok(()),
        Some(key) => Err(BuiltinError::new(key, "this kind of agent has no options")),
    }
}
