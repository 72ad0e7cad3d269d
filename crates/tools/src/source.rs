//! Where tools come from, and what all such places have in common.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{Carried, JsonMap, ToolCall, ToolErrorKind, ToolResult, ToolSpec};
use candor_ports::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::fill::fill;

/// A place where tools come from: a server, or Candor itself.
pub trait ToolSource: Send + Sync {
    /// Stands before the dot in the names of its tools. Empty for tools without a dot in their names.
    fn name(&self) -> &str;

    /// The tools that it has now, under their full names. A server that does not run is started for it.
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>>;

    /// Calls one of its tools, by its full name. It ends when `within` has passed, and soon after `stop` fires.
    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, ToolResult>;

    /// Finds out whether a call of a tool without a [`ToolSpec::check`] was carried out.
    fn verify<'a>(
        &'a self,
        _call: &'a ToolCall,
        _within: Duration,
        _stop: CancellationToken,
    ) -> BoxFuture<'a, Carried> {
        Box::pin(ready(Carried::Unknown))
    }

    /// How it is, for people; nothing for a source that cannot be unwell. `start` starts what does not run.
    fn health(&self, _start: bool) -> BoxFuture<'_, Option<ServerHealth>> {
        Box::pin(ready(None))
    }

    /// Ends whatever it has running, and returns when that is gone. Later calls fail.
    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(ready(()))
    }
}

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerHealth {
    /// Name of the server in the configuration.
    pub name: String,
    /// In words: `running`, `not started`, `failed to start`, `ended`, `shut down`.
    pub state: String,
    /// How many tools it offers.
    pub tools: usize,
    /// How often it was started again.
    pub restarts: u32,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Whether calls are let through: `closed`, or `open` or `half open` and why.
    pub breaker: String,
    /// What in its description does not fit the server, such as a tool that it does not have.
    pub warnings: Vec<String>,
}

/// The failure that arguments of the wrong shape lead to, with everything that is wrong; nothing if they fit.
#[must_use]
pub fn check_arguments(spec: &ToolSpec, arguments: &JsonMap) -> Option<ToolResult> {
    let problems = candor_schema::problems(&Value::Object(arguments.clone()), &spec.input_schema);
    let message =
        || format!("{} was not called, its arguments do not fit: {}", spec.name, problems.join("; "));
    (!problems.is_empty()).then(|| ToolResult::failed(ToolErrorKind::InvalidArguments, message()))
}

/// The result of a successful call with its undoing filled in.
///
/// `${result}` is the data, or the text if there is none. If the undoing cannot be filled in, the text says so.
#[must_use]
pub fn with_undo(mut result: ToolResult, spec: &ToolSpec, arguments: &JsonMap) -> ToolResult {
    let Some(undo) = spec.undo.as_ref().filter(|_| result.success && result.undo.is_none()) else {
        return result;
    };
    let data = result.data.clone().unwrap_or_else(|| Value::String(result.content.clone()));
    match fill(undo, arguments, &data) {
        Ok(undo) => result.undo = Some(undo),
        Err(problem) => {
            let note = format!("\n[this call cannot be undone by {}: {problem}]", undo.tool);
            result.content.push_str(&note);
        }
    }
    result
}
