//! One call of a tool, from the check of its arguments to its result.

use std::sync::Arc;
use std::time::Duration;

use candor_model::{ToolCall, ToolErrorKind, ToolResult, ToolSpec};
use candor_planning::breaker;
use rmcp::model::{CallToolRequestParams, CallToolResponse, MetaObject, RequestMetaObject};
use rmcp::service::ServiceError;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::connection::{Busy, Connection, service_problem};
use super::{Inner, result};
use crate::source::{check_arguments, with_undo};

/// Where the idempotency key travels.
const KEY_IN_META: &str = "candor/idempotencyKey";

/// How far ahead a deadline can lie: further than anyone waits, and not beyond what the clock can count.
const FARTHEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Makes a call.
///
/// If it is left half-way, because time is up or it is asked to stop, the request is dropped; the SDK then tells
/// the server that it is cancelled.
pub(super) async fn run(
    inner: &Arc<Inner>,
    call: &ToolCall,
    within: Duration,
    stop: CancellationToken,
) -> ToolResult {
    let ends = Instant::now() + within.min(FARTHEST);
    let mut used = None;
    let result = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        result = attempt(inner, call, ends, &mut used) => Some(result),
    };
    result.unwrap_or_else(|| {
        if let Some(connection) = used {
            look_after(inner, connection, true);
        }
        ToolResult::failed(ToolErrorKind::Cancelled, format!("{} was asked to stop", call.tool))
    })
}

async fn attempt(
    inner: &Arc<Inner>,
    call: &ToolCall,
    ends: Instant,
    used: &mut Option<Arc<Connection>>,
) -> ToolResult {
    let mut admitted = match inner.admit() {
        Ok(probe) => Admitted { inner, probe },
        Err(refusal) => return inner.unavailable(&call.tool, &refusal),
    };
    let connection = match timeout_at(ends, inner.connection()).await {
        Ok(Ok(connection)) => connection,
        Ok(Err(missing)) => {
            admitted.probe &= !missing.counted;
            return inner.unavailable(&call.tool, &missing.message);
        }
        Err(_) => return too_late(call, &format!("the server `{}` was still starting", inner.name)),
    };
    let Ok(listing) = timeout_at(ends, connection.tools()).await else {
        return too_late(call, &format!("the server `{}` was still telling its tools", inner.name));
    };
    let Some(spec) = listing.find(&call.tool) else {
        let names = listing.names();
        let message = format!("there is no tool `{}`; the server `{}` has: {names}", call.tool, inner.name);
        return ToolResult::failed(ToolErrorKind::Unavailable, message);
    };
    if let Some(failure) = check_arguments(spec, &call.arguments) {
        return failure;
    }
    *used = Some(Arc::clone(&connection));
    send(admitted, &connection, call, spec, ends).await
}

/// Sends the call and waits for its answer.
async fn send(
    admitted: Admitted<'_>,
    connection: &Arc<Connection>,
    call: &ToolCall,
    spec: &ToolSpec,
    ends: Instant,
) -> ToolResult {
    let inner = admitted.inner;
    let name = local_name(call);
    let patience = inner.config.call_timeout_of(name);
    let due = (Instant::now() + patience.min(FARTHEST)).min(ends);
    let busy = connection.busy();
    let answer = timeout_at(due, connection.peer().call_tool_once(request(call, name))).await;
    match answer {
        Ok(Ok(response)) => {
            admitted.works();
            let result = explained(read(call, response), &busy, due).await;
            let result = with_undo(result, spec, &call.arguments);
            result::limited(result, inner.config.max_output_bytes)
        }
        Ok(Err(ServiceError::McpError(error))) => {
            admitted.works();
            result::refused(&call.tool, &error)
        }
        Ok(Err(error)) => broken(admitted, connection, call, &error).await,
        Err(_) => overdue(admitted, connection, call, due < ends, patience),
    }
}

/// The request, with what the tool calls itself and the key by which it can tell a repetition.
fn request(call: &ToolCall, name: &str) -> CallToolRequestParams {
    let mut meta = MetaObject::new();
    meta.0.insert(KEY_IN_META.to_owned(), Value::String(call.key.clone()));
    let mut params = CallToolRequestParams::new(name.to_owned()).with_arguments(call.arguments.clone());
    params.meta = Some(RequestMetaObject(meta));
    params
}

fn read(call: &ToolCall, response: CallToolResponse) -> ToolResult {
    let cannot = |why: &str| ToolResult::failed(ToolErrorKind::Unavailable, format!("{}: {why}", call.tool));
    match response {
        CallToolResponse::Complete(answer) => result::read(&call.tool, answer),
        CallToolResponse::InputRequired(_) => {
            cannot("the tool asks for more input, which it cannot be given here")
        }
        CallToolResponse::Task(_) => cannot("the tool runs as a task of its own, which is not followed here"),
        _ => cannot("the answer is of an unknown kind"),
    }
}

/// The failure with what the server's stderr says about it, if that is what tells of which kind it is. Only the one
/// line is taken: the rest may hold what is not meant for agents.
async fn explained(result: ToolResult, busy: &Busy<'_>, due: Instant) -> ToolResult {
    if !result::is_vague(&result) {
        return result;
    }
    match timeout_at(due, busy.find_said(result::says_missing)).await {
        Ok(Some(line)) => result::missing(result, &line),
        _ => result,
    }
}

/// The server went away, or could not be reached.
async fn broken(
    admitted: Admitted<'_>,
    connection: &Arc<Connection>,
    call: &ToolCall,
    error: &ServiceError,
) -> ToolResult {
    let inner = admitted.inner;
    let gone = matches!(error, ServiceError::TransportClosed | ServiceError::TransportSend(_));
    if !gone {
        admitted.works();
        let message = format!("{}: {}", call.tool, service_problem(error));
        return ToolResult::failed(ToolErrorKind::Failed, message);
    }
    if let ServiceError::TransportSend(_) = error {
        connection.lose(service_problem(error));
    }
    let ending = connection.ending().await;
    admitted.fails(&ending);
    let message = format!(
        "the server `{}` was lost during the call of {}: {ending}. Whether the call was carried out is not known; \
         the server is started again with the next call",
        inner.name, call.tool
    );
    ToolResult::failed(ToolErrorKind::Lost, message)
}

/// No answer in time. A call that had all the time that a call may take counts against the server; one whose caller
/// was in a hurry does only if the server does not even answer a ping.
fn overdue(
    admitted: Admitted<'_>,
    connection: &Arc<Connection>,
    call: &ToolCall,
    had_its_time: bool,
    patience: Duration,
) -> ToolResult {
    let inner = admitted.inner;
    let seconds = patience.as_secs_f64();
    let why = if had_its_time {
        format!("the server `{}` did not answer within {seconds} s (call_timeout)", inner.name)
    } else {
        format!("the server `{}` did not answer in the time that the caller had left", inner.name)
    };
    if had_its_time {
        admitted.fails(&why);
    } else {
        drop(admitted);
    }
    look_after(inner, Arc::clone(connection), !had_its_time);
    too_late(call, &format!("{why}; the call was cancelled"))
}

/// Finds out whether a server whose call was left still lives, while the caller goes on. One that does not is ended.
fn look_after(inner: &Arc<Inner>, connection: Arc<Connection>, count: bool) {
    let inner = Arc::clone(inner);
    tokio::spawn(async move {
        if connection.ask_for_life().await && count {
            inner.fails(&connection.ending().await);
        }
    });
}

fn too_late(call: &ToolCall, why: &str) -> ToolResult {
    ToolResult::failed(ToolErrorKind::Timeout, format!("{} ran out of time: {why}", call.tool))
}

/// The name that the server itself has for the tool.
fn local_name(call: &ToolCall) -> &str {
    call.tool.split_once('.').map_or(call.tool.as_str(), |(_, name)| name)
}

/// A call that the breaker let through. One that ends without having told anything about the server, as when it is
/// stopped, leaves the place of the probe to the next.
struct Admitted<'a> {
    inner: &'a Arc<Inner>,
    probe: bool,
}

impl Admitted<'_> {
    fn works(mut self) {
        self.probe = false;
        self.inner.works();
    }

    fn fails(mut self, reason: &str) {
        self.probe = false;
        self.inner.fails(reason);
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if self.probe {
            breaker::give_a_chance(&mut self.inner.life().breaker);
        }
    }
}
